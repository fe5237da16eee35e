// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/reproduce"
)

// slice lists experiments of every paper that are quick to run, or slow ones that -short leaves out.
var slice = map[string][]struct {
	experiment string
	slow       bool
}{
	"capacity-2013": {{"equal", true}, {"sensitivity", false}, {"sensitivity-two-reduces", false}, {"sensitivity-three-queues", false},
		{"sensitivity-users", false}, {"sensitivity-five-reduces", false}, {"validation-one-slot", false}, {"validation-two-slots", false}},
	"deadline-2010":          {{"wordcount-alone", false}, {"join-alone", false}, {"simulator-alone", false}, {"four-jobs", false}, {"offsets", false}},
	"diverse-2018/hybrid":    {{"batch", true}},
	"diverse-2018/jobpacker": {{"emulation-batch", true}},
	"diverse-2018/simulator": {{"tick", false}},
	"diverse-2018/nas":       {{"forty", true}, {"forty-thresholds", true}},
	"marp-2019":              {{"fifo-prj", false}, {"single-job", false}, {"terasort", false}, {"mini-batches", false}, {"wordcount", false}, {"marp-curve", false}},
	"queueing":               {{"mm1", true}},
	"slowdown-2015":          {{"table-2", false}},
}

// The figures of the slice are where deviations.yaml has them: what deviates is listed, what is listed deviates, and
// every figure that does so is inside its band and has a cause.
func TestSlice(t *testing.T) {
	for _, paper := range folders(t) {
		if len(slice[paper]) == 0 {
			t.Errorf("%s has no experiment in the slice", paper)
		}
		for _, c := range slice[paper] {
			if c.slow && testing.Short() {
				continue
			}
			r, err := reproduce.Reproduce(context.Background(), papers.Files, paper, c.experiment, true, experiment.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range r.Changes {
				t.Error(change)
			}
			for _, f := range r.Findings {
				if f.Verdict == reproduce.Deviates && f.Cause == "" {
					t.Errorf("%s/%s: %s deviates without a cause", paper, c.experiment, f.Figure)
				}
			}
		}
	}
}

// Every cause is that of a figure which deviates, and has commands that show it; a paper with deviations says why
// their bands are what they are.
func TestCausesAreUsed(t *testing.T) {
	tests := testNames(t)
	for _, paper := range folders(t) {
		e, err := reproduce.LoadExpected(papers.Files, paper)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Deviations()) > 0 && e.Bands.Reason == "" {
			t.Errorf("%s: bands without a reason", paper)
		}
		for i := range e.Experiments {
			x := &e.Experiments[i]
			for name, cause := range x.Causes {
				used := slices.ContainsFunc(e.Deviations(), func(d reproduce.Deviation) bool {
					return d.Experiment == x.Name && slices.ContainsFunc(x.Figures, func(f reproduce.FigureConfig) bool { return f.Name == d.Figure && f.Cause == name })
				})
				if !used {
					t.Errorf("%s/%s: no figure deviates for the cause %q", paper, x.Name, name)
				}
				for _, check := range cause.Checks {
					run, isTest := strings.CutPrefix(check, "go test ./papers -run ")
					if isTest && !tests[strings.TrimSuffix(run, " -v")] || !isTest && !strings.HasPrefix(check, "yardmaster ") {
						t.Errorf("%s/%s, cause %s: %q is neither a command nor a test of this package", paper, x.Name, name, check)
					}
				}
			}
		}
	}
}

// testNames returns the names of the tests of this package.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		src, err := os.ReadFile(path.Base(file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(src)) {
			if rest, ok := strings.CutPrefix(line, "func "); ok && strings.HasPrefix(rest, "Test") {
				names[rest[:strings.IndexByte(rest, '(')]] = true
			}
		}
	}
	return names
}
