// SPDX-License-Identifier: Apache-2.0

package yarnqueues

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/tune"
)

// newSite is 10 nodes of 4 GiB with prod 60, dev 30 and test 10; dev has a and b of 50 each and may hold 50 %.
func newSite(t *testing.T) *Site {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	text := "<configuration>"
	for _, p := range []string{"root.queues prod,dev,test", "root.prod.capacity 60", "root.dev.capacity 30", "root.test.capacity 10", "root.dev.maximum-capacity 50",
		"root.dev.queues a,b", "root.dev.a.capacity 50", "root.dev.b.capacity 50", "root.dev.b.user-limit-factor 10"} {
		name, value, _ := strings.Cut(p, " ")
		text += fmt.Sprintf("<property><name>%s%s</name><value>%s</value></property>", prefix, name, value)
	}
	files := map[string]string{"capacity-scheduler.xml": text + "</configuration>",
		"mapred-site.xml": "<configuration><property><name>yarn.app.mapreduce.am.resource.mb</name><value>1024</value></property></configuration>"}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src := `{"cluster": {"room": "yarn", "classes": [{"nodes": 10, "memory": "4GiB", "vcores": 8}]}, "workload": {"jobs": [
		{"name": "x", "queue": "a", "user": "ann", "maps": 20, "map-length": "30s"}, {"name": "y", "queue": "a", "user": "bob", "maps": 2, "map-length": "30s"}]}}`
	s, err := scenario.Parse("s.json", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	sites, err := advise.LoadYarn(dir)
	if err != nil {
		t.Fatal(err)
	}
	site, err := New(s, sites[0])
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// A configuration takes the place of the scenario's properties alone: its tuner still changes the AM share, of what a search
// tries too.
func TestTunerStays(t *testing.T) {
	s := newSite(t)
	s.Scenario.Policy.Tuner = &tune.Choice{Choice: table.Choice{Name: "cbt"}}
	changed, err := s.with(map[string]string{prefix + "root.dev.b.user-limit-factor": "2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, choice := range []scenario.PolicyChoice{s.Conf.Choice(s.Scenario), s.Choice(), s.choice(changed, "changed")} {
		if choice.Tuner == nil || choice.Tuner.Name != "cbt" {
			t.Errorf("%s has the tuner %v, want cbt", choice.Label(), choice.Tuner)
		}
	}
	if c := s.choice(changed, "changed"); c.Label() != "changed" || c.Params != changed {
		t.Errorf("a changed configuration is run as %s with %v", c.Label(), c.Params)
	}
}

// Of 40960 MiB: dev has 30 % and at most 50 %, its children half of the one and all of the other. A lone user of a is held at
// the guarantee and one container; one of b, with a factor of 10, gets what dev may hold.
func TestExplain(t *testing.T) {
	e := newSite(t).Explain(true)
	by := map[string]Queue{}
	for _, q := range e.Queues {
		by[q.Path] = q
	}
	for path, want := range map[string][3]int64{"root": {40960, 40960, 0}, "root.prod": {24576, 40960, 24576 + 1024}, "root.dev": {12288, 20480, 0}, "root.dev.a": {6144, 20480, 6144 + 1024}, "root.dev.b": {6144, 20480, 20480}} {
		q, alone := by[path], int64(0)
		if q.Leaf {
			alone = q.Reach[0]
		}
		if q.Guarantee != want[0] || q.Maximum != want[1] || alone != want[2] {
			t.Errorf("%s: guarantee %d, maximum %d, a lone user %d, want %v", path, q.Guarantee, q.Maximum, alone, want)
		}
	}
	if e.Memory != 40960 || e.Master != 1024 || len(e.Users) != 2 || e.Users[0].User != "ann" || e.Users[0].Jobs != 1 || e.Users[0].Queue != "root.dev.a" {
		t.Errorf("%+v", e)
	}
}

// What Hadoop reads as NaN or infinite is null in JSON, which has no such numbers; others are written as they are.
func TestNumbers(t *testing.T) {
	q := Queue{Path: "root.a", UserPercent: 33.3, UserFactor: Number(math.NaN()), MasterShare: Number(math.Inf(1))}
	var b strings.Builder
	if err := result.WriteJSON(&b, q); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"minimum-user-limit-percent": 33.3,`, `"user-limit-factor": null,`, `"maximum-am-resource-percent": null,`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s", b.String(), want)
		}
	}
}

// A capacity that is given leaves the rest to the siblings as before, 50 of which 30 and 10 of 40 are 37.5 and 12.5; a
// maximum that is the capacity is the changed one.
func TestProperties(t *testing.T) {
	s := newSite(t)
	got := s.properties([]strict.Setting{{Path: "maximum-capacity", Value: "capacity"}, {Path: "queue.prod.capacity", Value: "50"}, {Path: "user-limit-factor", Value: keep}, {Path: "node-locality-delay", Value: "3"}})
	want := map[string]string{"root.prod.capacity": "50", "root.dev.capacity": "37.5", "root.test.capacity": "12.5", "node-locality-delay": "3",
		"root.prod.maximum-capacity": "50", "root.test.maximum-capacity": "12.5", "root.dev.a.maximum-capacity": "50", "root.dev.b.maximum-capacity": "50"}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	for name, value := range want {
		if got[prefix+name] != value {
			t.Errorf("%s is %q, want %q", name, got[prefix+name], value)
		}
	}
	edits := s.edits(map[string]string{prefix + "root.prod.capacity": "50", prefix + "root.dev.capacity": "30"})
	if len(edits) != 1 || edits[0].Old != "60" || edits[0].New != "50" {
		t.Errorf("%+v", edits)
	}
}

// What names no setting or no queue is refused with what is near, all at once; what the release refuses is not a candidate.
func TestAxes(t *testing.T) {
	s := newSite(t)
	err := s.checkAxes([]experiment.Axis{{Path: "user-limit-fator"}, {Path: "queue.prd.capacity"}, {Path: "capacity"}, {Path: "queue.prod"}})
	for _, want := range []string{`did you mean "user-limit-factor"?`, `unknown queue "prd"`, "allowed: the capacity of one queue", "allowed: queue.PATH.SETTING"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	if err := s.checkAxes(s.Axes()); err != nil {
		t.Errorf("the usual space: %v", err)
	}
	if _, err := s.with(map[string]string{prefix + "root.dev.capacity": "40"}); err == nil {
		t.Error("children with 110 % are taken")
	}
	if before := s.config.Properties[prefix+"root.dev.capacity"]; before != "30" {
		t.Errorf("a trial changed the configuration itself: %s", before)
	}
}

// The tree has shares of the cluster, paths and rules; what queues held over time is added up to the root.
func TestTrees(t *testing.T) {
	s := newSite(t)
	run := &metrics.Run{Series: metrics.Series{Width: model.Seconds(10), Lines: []metrics.Line{
		{Name: metrics.LineHeld, Key: "root.dev.a", Values: []float64{0.25, 0}}, {Name: metrics.LineHeld, Key: "root.prod", Values: []float64{0.25, 0.5}}, {Name: metrics.LineUse, Key: "memory", Values: []float64{1, 1}}}}}
	trees := Trees(s.Scenario, []scenario.PolicyChoice{s.Choice(), scenario.Named("fifo", nil)}, []*metrics.Run{run, nil})
	if len(trees) != 1 || trees[0].Name != "site" || trees[0].Width != 10 {
		t.Fatalf("%+v", trees)
	}
	for _, q := range trees[0].Queues {
		switch q.Path {
		case "root.dev.b":
			if q.Name != "b" || q.Depth != 2 || q.Guarantee != 0.15 || q.Maximum != 0.5 || !strings.Contains(q.Rules, "10 times the guarantee") {
				t.Errorf("%+v", q)
			}
		case "root":
			if !slices.Equal(q.Use, []float64{0.5, 0.5}) {
				t.Errorf("the root held %v, want a half in both spans", q.Use)
			}
		case "root.dev":
			if !slices.Equal(q.Use, []float64{0.25, 0}) {
				t.Errorf("dev held %v, want what its child did", q.Use)
			}
		}
	}
}
