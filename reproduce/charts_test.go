// SPDX-License-Identifier: Apache-2.0

package reproduce_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/reproduce"
)

// searchScenario has one node with a slot. Every workload is a long job of ten maps of 10 s and short
// jobs of one map that come while it runs, so a low limit of fbq lets the short ones pass.
const searchScenario = `
name: search
seeds: 4
cluster: {classes: [{nodes: 1, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  generate:
    jobs: 60
    arrivals: {process: poisson, load: 80%}
    classes:
      - {name: long, share: 10, maps: 10, map-length: 10s}
      - {name: short, share: 50, maps: 1, map-length: {kind: uniform, low: 1s, high: 3s}}
policy: fbq
`

func chartPaper(t *testing.T, grid, chart string) (*reproduce.Reproduction, error) {
	t.Helper()
	expected := fmt.Sprintf("title: Charts\nexperiments:\n  - name: grid\n    scenario: search.yaml\n    policies: [fifo, srpt]\n    grid: %s\n    seeds: 2\ncharts: [%s]\n", grid, chart)
	fsys := fstest.MapFS{"p/expected.yaml": {Data: []byte(expected)}, "p/search.yaml": {Data: []byte(searchScenario)}}
	return reproduce.Reproduce(context.Background(), fsys, "p", "", false, experiment.Options{})
}

const fbqGrid = `["policy.fbq.limits=[5s],[50s],[3000s]"]`

func draws(t *testing.T, grid, chart string) (*reproduce.Reproduction, []plot.Chart) {
	t.Helper()
	r, err := chartPaper(t, grid, chart)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Charts
}

// A curve has a point for each value of the axis, at its first number, and a finding each. A limit
// above all sizes is fifo, which stands at 0.
func TestCurve(t *testing.T) {
	r, charts := draws(t, fbqGrid, "{name: c, title: T, source: figure 9, experiment: grid, kind: curve, x: policy.fbq.limits, zero: fifo, metrics: [mean_slowdown, p95_slowdown]}")
	if len(charts) != 1 || len(charts[0].Series) != 2 {
		t.Fatalf("charts %+v", charts)
	}
	p := charts[0].Series[0].Points
	if len(p) != 4 || p[0].X != 0 || p[1].X != 5 || p[2].X != 50 || p[3].X != 3000 || p[3].Y != p[0].Y || p[1].Y >= p[0].Y || p[1].Low >= p[1].High {
		t.Errorf("points %+v", p)
	}
	if len(r.Findings) != 6 || r.Findings[0].Ours != p[1].Y || r.Findings[0].Source != "figure 9" || r.Findings[0].Verdict != reproduce.NoReference {
		t.Errorf("findings %+v", r.Findings)
	}
}

// Of several points with the same x the best is shown, and which it is.
func TestCurveOfTheBest(t *testing.T) {
	grid := `["policy.sita.limits=[5s],[50s]", "policy.sita.predict=perfect,input", "policy.sita.capacities=[50%, 50%]"]`
	two := strings.Replace(searchScenario, "nodes: 1,", "nodes: 2,", 1)
	chart := "{name: c, title: T, source: s, experiment: grid, kind: curve, x: policy.sita.limits, metrics: [mean_slowdown, best], best: {over: policy.sita.predict, minimise: mean_slowdown}}"
	expected := fmt.Sprintf("title: Charts\nexperiments: [{name: grid, scenario: search.yaml, policies: [fifo], seeds: 2, grid: %s}]\ncharts: [%s]\n", grid, chart)
	fsys := fstest.MapFS{"p/expected.yaml": {Data: []byte(expected)}, "p/search.yaml": {Data: []byte(two)}}
	r, err := reproduce.Reproduce(context.Background(), fsys, "p", "", false, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Charts[0].Series[0].Points
	if len(p) != 2 || p[0].X != 5 || p[1].X != 50 {
		t.Fatalf("points %+v", p)
	}
	if r.Charts[0].Series[1].Name != "best predict" {
		t.Errorf("line %q", r.Charts[0].Series[1].Name)
	}
	expected = strings.Replace(expected, ", best: {over: policy.sita.predict, minimise: mean_slowdown}", "", 1)
	expected = strings.Replace(expected, "[mean_slowdown, best]", "[mean_slowdown]", 1)
	fsys["p/expected.yaml"].Data = []byte(expected)
	if _, err := reproduce.Reproduce(context.Background(), fsys, "p", "", false, experiment.Options{}); err == nil || !strings.Contains(err.Error(), "several points have") {
		t.Errorf("two points with one x: %v", err)
	}
}

func TestOtherCharts(t *testing.T) {
	for kind, c := range map[string]struct {
		more          string
		charts, lines int
		findings      int
	}{
		"percentiles":    {"metrics: [slowdown], at: [50, 90, 99]", 1, 2, 6},
		"sizes":          {"metrics: [mean_slowdown], at: [1, 10, 50, 1000, 2000]", 1, 2, 4}, // no job from 10 to 50 or beyond 1000 s
		"scatter":        {"policies: [srpt]", 1, 1, 2},
		"cdf":            {"metrics: [slowdown]", 1, 2, 4},
		"grouped":        {`metrics: [mean_wait, mean_exec], groups: ["class:long", "class:short"]`, 2, 2, 8},
		"boxes":          {"metrics: [makespan]", 1, 1, 2},
		"runs":           {"metrics: [makespan]", 1, 2, 0},
		"by-job":         {"metrics: [wait], policies: [fifo]", 1, 1, 0},
		"maps":           {"text: x", 1, 60, 0}, // one cloud per job
		"input":          {"text: x", 1, 1, 0},
		"density":        {"metrics: [tasks]", 1, 1, 0},
		"jobs-over-time": {"policies: [fifo, srpt]", 2, 21, 0}, // twenty jobs and the others
	} {
		r, charts := draws(t, fbqGrid, "{name: c, title: T, source: s, experiment: grid, kind: "+kind+", "+c.more+"}")
		if len(charts) != c.charts || len(charts[0].Series) != c.lines || len(r.Findings) != c.findings {
			t.Errorf("%s: %d charts, %d lines, %d findings", kind, len(charts), len(charts[0].Series), len(r.Findings))
		}
		var b strings.Builder
		if err := report.WritePaper(&b, r.Page("v", "c")); err != nil || !strings.Contains(b.String(), "<svg") {
			t.Errorf("%s: page of %d bytes, %v", kind, b.Len(), err)
		}
	}
}

// Bars stand at policies, or at metrics with one for each policy, and may be those of a policy over another's.
func TestBars(t *testing.T) {
	const head = "{name: c, title: T, source: s, experiment: grid, kind: bars, "
	_, plain := draws(t, fbqGrid, head+"metrics: [mean_elapsed]}")
	r, over := draws(t, fbqGrid, head+"metrics: [mean_elapsed], over: fifo}")
	if !slices.Equal(over[0].Categories, []string{"fifo", "srpt"}) || len(over[0].Series) != 1 || len(r.Findings) != 2 {
		t.Fatalf("charts %+v", over)
	}
	p, q := plain[0].Series[0].Points, over[0].Series[0].Points
	if q[0].Y != 1 || q[1].X != 1 || q[1].Y >= 1 || p[1].Y >= p[0].Y || p[0].Y < 2 {
		t.Errorf("bars %+v, over fifo %+v", p, q)
	}
	_, both := draws(t, fbqGrid, head+`metrics: ["class:long.mean_elapsed", "class:short.mean_elapsed"], over: fifo, policies: [srpt]}`)
	if len(both[0].Categories) != 2 || len(both[0].Series) != 1 || len(both[0].Series[0].Points) != 2 {
		t.Errorf("charts %+v", both)
	}
}

// Metrics stand side by side in each policy's group, a box lies between its extremes, a run has a point for each
// repetition, and each job one in its queue.
func TestGroupsBoxesAndRuns(t *testing.T) {
	const head = "{name: c, title: T, source: s, experiment: grid, kind: "
	_, charts := draws(t, fbqGrid, head+"grouped, metrics: [mean_wait, mean_exec, mean_elapsed]}, "+head+"boxes, metrics: [makespan]}, "+head+"runs, metrics: [makespan]}, "+head+"by-job, metrics: [wait], policies: [srpt]}")
	if c := charts[0]; !slices.Equal(c.Categories, []string{"fifo", "srpt"}) || len(c.Series) != 3 || c.Series[0].Points[1].Y+c.Series[1].Points[1].Y-c.Series[2].Points[1].Y > 1e-9 {
		t.Errorf("groups %+v", c)
	}
	box, runs := charts[1].Series[0].Points[0], charts[2].Series[0].Points
	if low, high := min(runs[0].Y, runs[1].Y), max(runs[0].Y, runs[1].Y); len(runs) != 2 || box.Low != low || box.High != high || box.Y != (low+high)/2 || box.Quartiles[0] != low+(high-low)/4 {
		t.Errorf("box %+v of the runs %+v", box, runs)
	}
	if jobs := charts[3].Series[0].Points; len(jobs) != 60 || jobs[59].X != 60 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// The scatter of srpt has one dot per job.
func TestScatterHasAllJobs(t *testing.T) {
	_, charts := draws(t, fbqGrid, "{name: c, title: T, source: s, experiment: grid, kind: scatter, policies: [srpt]}")
	if n := len(charts[0].Series[0].Points); n != 60 || len(charts[0].Levels) != 2 {
		t.Errorf("%d dots, %d lines", n, len(charts[0].Levels))
	}
}

func TestChartRefusals(t *testing.T) {
	for chart, want := range map[string]string{
		"{name: c, title: T, source: s, experiment: gird, kind: scatter}":                                               "the name of an experiment",
		"{name: c, title: T, source: s, experiment: grid, kind: pie}":                                                   "one of curve",
		"{name: c, title: T, source: s, experiment: grid, kind: curve, metrics: [jobs]}":                                "an axis of the experiment's grid",
		"{name: c, title: T, source: s, experiment: grid, kind: curve, x: policy.fbq.limits}":                           "0 metrics",
		"{name: c, title: T, source: s, experiment: grid, kind: curve, x: policy.fbq.limits, metrics: [x]}":             "unknown metric",
		"{name: c, title: T, source: s, experiment: grid, kind: percentiles, metrics: [slowdown]}":                      "at least two",
		"{name: c, title: T, source: s, experiment: grid, kind: curve, x: policy.tags.limits, metrics: [jobs]}":         "no axis policy.tags.limits",
		"{name: c, title: T, source: s, experiment: grid, kind: bars, metrics: [jobs], over: none}":                     "not among those",
		"{name: c, title: T, source: s, experiment: grid, kind: bars, metrics: [jobs], groups: [prod]}":                 "of a grouped chart only",
		"{name: c, title: T, source: s, experiment: grid, kind: grouped, metrics: [x], groups: [prod]}":                 "unknown metric",
		"{name: c, title: T, source: s, experiment: grid, kind: smoothed, metrics: [cpu], at: [2]}":                     "at most 1",
		"{name: c, title: T, source: s, experiment: grid, kind: scatter, over: fifo}":                                   "for bars only",
		"{name: c, title: T, source: s, experiment: grid, kind: scatter, policies: [none]}":                             "not among those",
		"{name: c, title: T, source: s, experiment: grid, kind: curve, zero: x, x: policy.fbq.limits, metrics: [jobs]}": "not among those",
	} {
		if _, err := chartPaper(t, fbqGrid, chart); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", chart, err, want)
		}
	}
	if _, err := chartPaper(t, `["cluster.racks=1,2"]`, "{name: c, title: T, source: s, experiment: grid, kind: scatter}"); err == nil || !strings.Contains(err.Error(), "parameters of a policy") {
		t.Errorf("a grid of other things: %v", err)
	}
}

// Charts come in the order of the file.
func TestChartsInOrder(t *testing.T) {
	_, charts := draws(t, fbqGrid, "{name: b, title: B, source: s, experiment: grid, kind: scatter, policies: [fifo]}, {name: a, title: A, source: s, experiment: grid, kind: scatter, policies: [fifo]}")
	if got := []string{charts[0].Name, charts[1].Name}; !slices.Equal(got, []string{"b-fifo", "a-fifo"}) {
		t.Errorf("order %v", got)
	}
}
