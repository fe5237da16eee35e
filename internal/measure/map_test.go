// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/workload"
)

// measured returns jobs of a class with these numbers of maps.
func measured(class string, maps ...int32) (list []workload.Record) {
	for _, m := range maps {
		r := workload.NewRecord(class)
		r.Class, r.Maps, r.Reduces, r.Shuffle = class, m, 0, 0
		list = append(list, r)
	}
	return list
}

func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		name         string
		small, large []int32
		limit        int32
		right        float64
	}{
		{"apart", []int32{1, 2, 3}, []int32{10, 20}, 3, 1},
		{"one small job among the large", []int32{1, 2, 15}, []int32{10, 20}, 2, 4.0 / 5},
		{"equal numbers are not divided", []int32{1, 5, 5, 5}, []int32{5, 9}, 5, 5.0 / 6},
		{"nothing small", nil, []int32{1, 2}, 0, 1},
		{"nothing large", []int32{1, 2}, nil, 2, 1},
	} {
		limit, right := threshold(append(measured("scale-out", c.large...), measured("scale-up", c.small...)...), "scale-up")
		if limit != c.limit || math.Abs(right-c.right) > 1e-9 {
			t.Errorf("%s: up to %d maps, %g right; want %d and %g", c.name, limit, right, c.limit, c.right)
		}
	}
}

// byMaps is a classifier whose only support vector is a job of one map: others are the larger, the further from it.
func byMaps(high float64) *svm.Classifier {
	return &svm.Classifier{Features: hybrid.Features, Positive: "scale-up", Negative: "scale-out",
		Scaling: svm.Scaling{Kind: svm.LogUnit, Low: []float64{math.Log1p(1), 0, 0}, High: []float64{math.Log1p(high), 1e9, 1e9}},
		Machine: &svm.Machine{Gamma: 10, Bias: -0.5, Support: [][]float64{{0, 0, 0}}, Coefficients: []float64{1}}}
}

// Means are taken where the classifier sees jobs: of 1 and 3 maps, and of 1,000.
func TestNearest(t *testing.T) {
	if got := nearest(append(measured("scale-up", 1, 3), measured("scale-out", 1000)...), byMaps(1000)); got != 1 {
		t.Errorf("%g right, want all", got)
	}
	// The mean of the large jobs, of 2 and 1,000 maps, is half-way, and the one of 2 is nearer to the small ones.
	if got := nearest(append(measured("scale-up", 1, 1), measured("scale-out", 2, 1000)...), byMaps(1000)); got != 0.75 {
		t.Errorf("%g right, want 3 of 4", got)
	}
}

// Where there is one class, every job is nearest to it.
func TestNearestOfOneClass(t *testing.T) {
	for _, class := range []string{"scale-up", "scale-out"} {
		if got := nearest(measured(class, 1, 3), byMaps(1000)); got != 1 {
			t.Errorf("%s: %g right, want all", class, got)
		}
	}
}

// The command prints the matrix with the simpler rules beside it, and draws the map.
func TestClassifyCommand(t *testing.T) {
	folder := t.TempDir()
	trace, file, page := filepath.Join(folder, "jobs.csv"), filepath.Join(folder, "model.json"), filepath.Join(folder, "map.html")
	csv := "name,class,submit,input,shuffle,output,maps,reduces\na,scale-up,0,1,0,0,1,0\nb,scale-out,1,1,0,0,900,0\nc,scale-out,2,1,0,0,1,0\n"
	text, err := byMaps(1000).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{trace: []byte(csv), file: text} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	c := Classify{Trace: Trace{Trace: trace}, Model: file, Recurring: 1, Page: page}
	if err := c.Run(&Shell{Ctx: t.Context(), Out: &out, Err: &out}); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "scale-out called scale-up, 1 job") || !strings.Contains(out.String(), "66.67 % right; 50.00 % of the scale-out jobs are called scale-up") {
		t.Errorf("%v, printed %s", err, out.String())
	}
}

// Jobs that a run has stolen are marked on the map; a folder that is none of a run of the trace is refused.
func TestClassifyStolen(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	text, err := byMaps(1000).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"jobs.csv":         "name,class,submit,input,shuffle,output,maps,reduces\n=a,scale-up,0,1,0,0,1,0\nb,scale-out,1,1,0,0,900,0\nc,scale-up,2,1,0,0,2,0\n",
		"model.json":       string(text),
		"run/jobs.csv":     "id,name,stolen\n0,'=a,true\n1,b,false\n2,c,true\n",
		"none/jobs.csv":    "id,name\n0,'=a\n1,b\n",
		"another/jobs.csv": "id,name,stolen\n0,x,true\n",
		"broken/jobs.csv":  "id\n\"",
	} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		run, page, printed, drawn, refused string
	}{
		{run: "run", page: "map.html", printed: "2 of the 3 jobs of ", drawn: "stolen, 2 jobs"},
		{run: "none", page: "none.html", printed: "0 of the 2 jobs of "},
		{run: "another", page: "map.html", refused: "found no job of "},
		{run: "broken", page: "map.html", refused: "found no table of jobs"},
		{run: "missing", page: "map.html", refused: "no such file"},
		{run: "run", refused: "allowed: with --page FILE"},
	} {
		var out bytes.Buffer
		command := Classify{Trace: Trace{Trace: at("jobs.csv")}, Model: at("model.json"), Recurring: 1, Stolen: at(c.run)}
		if c.page != "" {
			command.Page = at(c.page)
		}
		err := command.Run(&Shell{Ctx: t.Context(), Out: &out, Err: &out})
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, should be refused: %s", c.run, err, c.refused)
			}
			continue
		}
		html, _ := os.ReadFile(command.Page)
		if err != nil || !strings.Contains(out.String(), c.printed) || strings.Contains(string(html), `class="rings`) != (c.drawn != "") || !strings.Contains(string(html), c.drawn) {
			t.Errorf("%s: %v, printed %s", c.run, err, out.String())
		}
	}
}
