// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

func written(t *testing.T, p *Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// embedded returns the data that a page holds.
func embedded(t *testing.T, page []byte) string {
	t.Helper()
	_, after, ok := strings.Cut(string(page), `<script type="application/json" id="data">`)
	if !ok {
		t.Fatal("the page holds no data")
	}
	text, _, _ := strings.Cut(after, "</script>")
	return text
}

// TestSize: a page has at most 2 MB, whatever the number of policies.
func TestSize(t *testing.T) {
	for _, c := range []struct{ jobs, policies int }{{25_000, 5}, {6_638, 13}, {2_000, 60}} {
		p := addNetwork(madePage(c.jobs, c.policies), 60)
		for _, q := range p.Policies {
			for i := range 12 { // more queues than a stack has lines
				q.Run.Series.Lines = append(q.Run.Series.Lines, q.Run.Series.Lines[i])
				q.Run.Series.Lines[len(q.Run.Series.Lines)-1].Name = "queue"
			}
			for i := range q.Run.Jobs {
				q.Run.Jobs[i].Name = "PigLatin:daily_aggregation_of_" + q.Run.Jobs[i].Name
			}
		}
		page := written(t, p)
		t.Logf("%d jobs under %d policies: %d bytes", c.jobs, c.policies, len(page))
		if len(page) > 2_000_000 {
			t.Errorf("%d jobs under %d policies take %d bytes, want at most 2,000,000", c.jobs, c.policies, len(page))
		}
		if said := strings.Contains(string(page), "share what a page may hold"); said != (c.policies > sharing) {
			t.Errorf("%d policies: it is said that they share: %t", c.policies, said)
		}
	}
}

func TestDeterministic(t *testing.T) {
	if !bytes.Equal(written(t, madePage(6000, 3)), written(t, madePage(6000, 3))) {
		t.Error("the same input gave different bytes")
	}
}

func TestNamesCannotEscape(t *testing.T) {
	const evil = `</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>"'` + "\u2028&amp;\x00\xff"
	p := madePage(5, 2)
	p.Title, p.Subtitle, p.Command, p.Notes = evil, evil, evil, []string{evil}
	p.Facts = [][2]string{{evil, evil}}
	p.Texts = []TextTable{{Title: evil, Note: evil, Head: []string{evil}, Rows: [][]string{{evil}}}}
	p.Policies[1].Name = evil
	p.Table[0].Metric, p.Table[0].Doc, p.Table[0].Unit = evil, evil, evil
	for _, q := range p.Policies {
		q.Run.Jobs[0].Name, q.Run.Jobs[0].Queue, q.Run.Jobs[0].Class = evil, evil, evil
		q.Run.Series.Lines[0].Key = evil
	}
	page := written(t, p)
	if n, want := bytes.Count(page, []byte("<script")), 2; n != want {
		t.Errorf("%d scripts, want %d", n, want)
	}
	if bytes.Contains(page, []byte("<!--")) || bytes.Contains(page, []byte("<img")) {
		t.Error("a name became markup")
	}
	text := embedded(t, page)
	if strings.ContainsAny(text, "<>&\u2028") {
		t.Error("the data holds characters that a script element gives a meaning")
	}
	var d data
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.Policies[1].Name, `</script>`) {
		t.Errorf("the policy's name is now %q", d.Policies[1].Name)
	}
}

func TestPageAsksNobody(t *testing.T) {
	page := string(written(t, madePage(50, 2)))
	if !strings.Contains(page, `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"`) {
		t.Error("the policy against requests is missing")
	}
	page = strings.ReplaceAll(page, "http://www.w3.org/2000/svg", "") // a name, not an address
	for _, address := range []string{"http://", "https://", "src=", "@import", "url(http"} {
		if strings.Contains(page, address) {
			t.Errorf("the page holds %q", address)
		}
	}
}

func TestRefused(t *testing.T) {
	p := madePage(5, 2)
	p.Table[1].Cells = p.Table[1].Cells[:1]
	if err := Write(&bytes.Buffer{}, p); err == nil || !strings.Contains(err.Error(), `row "p95 slowdown" has 1 cells`) {
		t.Errorf("a row that is too short: %v", err)
	}
	p = madePage(5, 2)
	p.Policies[1].Run = nil
	if err := Write(&bytes.Buffer{}, p); err == nil || !strings.Contains(err.Error(), `"fair") has no run`) {
		t.Errorf("a policy without a run: %v", err)
	}
}

func TestLabels(t *testing.T) {
	parts, limits := labelsOf(metrics.PartChoices()), labelsOf(metrics.LimitChoices())
	for _, l := range append(parts, limits...) {
		if l.Name == "" || l.Doc == "" {
			t.Errorf("%q has no explanation", l.Name)
		}
	}
	if len(parts) != metrics.Parts || len(limits) != model.Limits {
		t.Error("a part or a limit has no label")
	}
}
