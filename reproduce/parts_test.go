// SPDX-License-Identifier: Apache-2.0

package reproduce_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/reproduce"
)

// measured runs the runs of parts one by one, the last first, as machines that know nothing of each other would, and
// returns options that answer with what they measured.
func measured(t *testing.T, parts []reproduce.Part, err error) experiment.Options {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][][]float64{}
	for i := range parts {
		first, err := parts[i].Contest()
		if err != nil {
			t.Fatal(err)
		}
		all := make([][]float64, first.Runs())
		for run := first.Runs() - 1; run >= 0; run-- {
			again, err := parts[i].Contest()
			if err != nil {
				t.Fatal(err)
			}
			if again.Identity("v") != first.Identity("v") {
				t.Fatalf("%s: made anew, it has another identity", parts[i].Name)
			}
			if all[run], err = again.Measure(context.Background(), run, experiment.Options{}); err != nil || len(all[run]) != first.Width(run) {
				t.Fatalf("%s, run %d: %v, %v", parts[i].Name, run, all[run], err)
			}
		}
		values[first.Identity("v")] = all
	}
	return experiment.Options{Measured: func(c *experiment.Contest) ([][]float64, error) {
		known, ok := values[c.Identity("v")]
		if !ok {
			return nil, fmt.Errorf("a comparison that is not among the parts")
		}
		return known, nil
	}}
}

// TestParts: what is found of runs that were run one by one elsewhere is what is found here, charts and readings
// included.
func TestParts(t *testing.T) {
	charts := "title: Charts\nexperiments:\n  - {name: grid, scenario: search.yaml, policies: [fifo, {srpt: , as: late, set: {workload.stretch: 2}}], grid: " + fbqGrid + ", seeds: 3, quick-seeds: 2, quick-set: {workload.generate.jobs: 20}}\ncharts:\n"
	for kind, more := range map[string]string{
		"curve": "x: policy.fbq.limits, metrics: [mean_slowdown]", "percentiles": "metrics: [slowdown], at: [50, 90]", "sizes": "metrics: [mean_slowdown], at: [1, 10, 50]",
		"scatter": "policies: [late]", "cdf": "metrics: [slowdown]", "grouped": `metrics: [mean_wait], groups: ["class:long"]`, "boxes": "metrics: [makespan]", "runs": "metrics: [makespan]",
		"bars": "metrics: [mean_wait], over: fifo", "by-job": "metrics: [wait]", "maps": "text: x", "input": "text: x", "density": "metrics: [tasks]", "jobs-over-time": "text: x", "gantt": "text: x",
		"labels": "metrics: [makespan]", "over-time": "metrics: [job]", "policies-over-time": "metrics: [job]", "smoothed": "metrics: [job], at: [0.5]",
	} {
		charts += fmt.Sprintf("  - {name: %s, title: %[1]s, source: s, experiment: grid, kind: %[1]s, %s}\n", kind, more)
	}
	drawn := fstest.MapFS{"tiny/expected.yaml": {Data: []byte(charts)}, "tiny/search.yaml": {Data: []byte(searchScenario)}}
	for name, c := range map[string]struct {
		files fs.FS
		trial reproduce.Trial
		parts int
	}{
		"all":       {tinyPaper(tinyReadings), reproduce.Trial{}, 4},
		"one":       {tinyPaper(tinyReadings), reproduce.Trial{Only: "one", Quick: true}, 1},
		"readings":  {tinyPaper(tinyReadings), reproduce.Trial{Only: "lengths", Quick: true}, 2},
		"try":       {tinyPaper(tinyReadings), reproduce.Trial{Seeds: 2, Set: []strict.Setting{{Path: "workload.jobs[0].map-length", Value: "7s"}}}, 4},
		"charts":    {drawn, reproduce.Trial{}, 1},
		"shortened": {drawn, reproduce.Trial{Quick: true}, 1},
	} {
		parts, err := reproduce.Parts(c.files, "tiny", c.trial)
		opt := measured(t, parts, err)
		if len(parts) != c.parts {
			t.Errorf("%s: %d parts", name, len(parts))
		}
		do := func(opt experiment.Options) *reproduce.Reproduction {
			t.Helper()
			var r *reproduce.Reproduction
			var err error
			if c.trial.Set == nil {
				r, err = reproduce.Reproduce(context.Background(), c.files, "tiny", c.trial.Only, c.trial.Quick, opt)
			} else {
				r, err = reproduce.Try(context.Background(), c.files, "tiny", c.trial, opt)
			}
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		here, there := do(experiment.Options{}), do(opt)
		if len(here.Findings) == 0 || !reflect.DeepEqual(here.Findings, there.Findings) || !reflect.DeepEqual(here.Changes, there.Changes) {
			t.Errorf("%s: here\n%+v %q\nthere\n%+v %q", name, here.Findings, here.Changes, there.Findings, there.Changes)
		}
	}
	if _, err := reproduce.Parts(tinyPaper(tinyReadings), "tiny", reproduce.Trial{Only: "tow"}); err == nil || !strings.Contains(err.Error(), `no experiment "tow"`) {
		t.Error(err)
	}
}

// TestBandParts: bands of runs that were run elsewhere are the bytes of those made here.
func TestBandParts(t *testing.T) {
	for _, expected := range []string{tinyExpected, strings.Replace(tinyExpected, "    seeds: 3\n", "    seeds: 3\n    quick-set: {\"workload.jobs[0].map-length\": 3s}\n", 1)} {
		paper := tinyPaper(expected)
		parts, err := reproduce.BandParts(paper, "tiny", "")
		var here, there bytes.Buffer
		if _, err := reproduce.WriteBands(context.Background(), paper, "tiny", "", measured(t, parts, err), &there); err != nil {
			t.Fatal(err)
		}
		if _, err := reproduce.WriteBands(context.Background(), paper, "tiny", "", experiment.Options{}, &here); err != nil {
			t.Fatal(err)
		}
		if here.String() != there.String() {
			t.Errorf("here\n%s\nthere\n%s", &here, &there)
		}
	}
}
