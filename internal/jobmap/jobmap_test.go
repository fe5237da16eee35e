// SPDX-License-Identifier: Apache-2.0

package jobmap

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/report/plot"
)

// byMaps is a classifier whose only support vector is a job of one map: others are the larger, the further from it.
func byMaps(high float64) *svm.Classifier {
	return &svm.Classifier{Features: hybrid.Features, Positive: "scale-up", Negative: "scale-out",
		Scaling: svm.Scaling{Kind: svm.LogUnit, Low: []float64{math.Log1p(1), 0, 0}, High: []float64{math.Log1p(high), 1e9, 1e9}},
		Machine: &svm.Machine{Gamma: 10, Bias: -0.5, Support: [][]float64{{0, 0, 0}}, Coefficients: []float64{1}}}
}

// The line lies between jobs that the classifier calls small and large.
func TestBoundary(t *testing.T) {
	c := byMaps(1000)
	line := Boundary(c)
	if len(line) == 0 {
		t.Fatal("no line")
	}
	for _, p := range line {
		reduces := math.Ceil(p.Y / (1 << 30))
		if c.Decision(p.X, reduces, p.Y) > 0 || c.Decision(math.Floor(p.X/1.1)-1, reduces, p.Y) <= 0 {
			t.Errorf("the line passes %g maps and %g bytes, where the answer does not change", p.X, p.Y)
		}
	}
}

// names returns the series of a map with their marks.
func names(m *Map) (list []string) {
	chart := m.Chart()
	for _, s := range chart.Series {
		list = append(list, [...]string{plot.Curve: "curve ", plot.Dots: "dots ", plot.Rings: "rings "}[s.Mark]+s.Name)
	}
	return list
}

// A run's jobs are drawn by what the policy goes by: a classifier, which may be wrong about jobs that were measured, the
// input, or the class of a job. Those that were stolen have rings.
func TestOfRun(t *testing.T) {
	run := &metrics.Run{Jobs: []metrics.Job{
		{Name: "a", Class: "scale-up", Maps: 1, Input: model.GiB, Stolen: true},
		{Name: "b", Class: "scale-up", Maps: 900, Input: 90 * model.GiB},
		{Name: "c", Class: "scale-out", Maps: 900, Input: 90 * model.GiB},
		{Name: "d", Class: "adhoc", Maps: 900, Input: 90 * model.GiB},
	}}
	for _, c := range []struct {
		classify string
		want     []string
	}{
		{"svm", []string{"dots scale-up, 1 job", "dots scale-out, 2 jobs", "dots scale-up called scale-out, 1 job", "dots scale-out called scale-up, 0 jobs", "curve the line", "rings stolen, 1 job"}},
		{"input", []string{"dots small, 1 job", "dots large, 3 jobs", "rings stolen, 1 job"}},
		{"oracle", []string{"dots small, 2 jobs", "dots large, 2 jobs", "rings stolen, 1 job"}},
	} {
		p := hybrid.DefaultParams()
		p.Classify = c.classify
		if got := names(OfRun("hybrid", run, &p, byMaps(1000))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.classify, got, c.want)
		}
	}
	run.Jobs[0].Stolen = false
	p := hybrid.DefaultParams()
	if got := names(OfRun("hybrid", run, &p, nil)); !slices.Equal(got, []string{"dots small, 1 job", "dots large, 3 jobs"}) {
		t.Errorf("nothing stolen: %q", got)
	}
}

// Of very many jobs some are drawn, and all are counted.
func TestManyJobs(t *testing.T) {
	m := &Map{Small: "small", Large: "large", Jobs: make([]Job, 10*mostDots+1)}
	chart := m.Chart()
	if s := chart.Series[0]; len(s.Points) > mostDots || len(s.Points) < mostDots/2 || s.Name != "large, 15001 jobs" {
		t.Errorf("%s: %d dots", s.Name, len(s.Points))
	}
}
