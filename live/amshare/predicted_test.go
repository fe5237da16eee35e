// SPDX-License-Identifier: Apache-2.0

package amshare_test

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestPredictedLive: the simulator predicts, within 25 % and in their order, the makespans of batches that a real
// Hadoop 3.4.2 cluster ran under its own share, with cbt and with marp-auto at work. The scenarios are what
// live/testcluster/predict.py makes of a history. On a quiet machine that of the cluster's own share tells for all three.
// On a loaded one another batch ran beside that of the cluster's own share and no other, and masters took 52 s to start
// there and 38 s with marp-auto: the scenarios have the lengths of the run that they predict.
func TestPredictedLive(t *testing.T) {
	for _, session := range []struct {
		name  string
		files []string
		seen  map[string]float64 // seconds
	}{
		{"quiet", []string{"marp-live"}, map[string]float64{"share 0.2": 180.2, "cbt": 102.5, "marp-auto": 125.0}},
		{"loaded", []string{"marp-live-loaded-share-0.2", "marp-live-loaded-cbt", "marp-live-loaded-marp-auto"},
			map[string]float64{"share 0.2": 374.4, "cbt": 208.5, "marp-auto": 279.8}},
	} {
		t.Run(session.name, func(t *testing.T) {
			said := map[string]float64{}
			for _, file := range session.files {
				predict(t, "testdata/"+file+".yaml", said)
			}
			names := []string{"share 0.2", "cbt", "marp-auto"}
			for _, name := range names {
				t.Logf("%s: predicted %.1f s, seen %.1f s", name, said[name], session.seen[name])
				if off := said[name]/session.seen[name] - 1; off < -0.25 || off > 0.25 {
					t.Errorf("%s: predicted %.1f s, seen %.1f s", name, said[name], session.seen[name])
				}
			}
			by := func(of map[string]float64) func(a, b string) int {
				return func(a, b string) int { return int(of[a]*1000 - of[b]*1000) }
			}
			if got, want := slices.SortedFunc(slices.Values(names), by(said)), slices.SortedFunc(slices.Values(names), by(session.seen)); !slices.Equal(got, want) {
				t.Errorf("predicted order %v, seen %v", got, want)
			}
		})
	}
}

// predict adds the makespan under each policy of a scenario, in seconds.
func predict(t *testing.T, file string, said map[string]float64) {
	t.Helper()
	s, _, err := scenario.LoadOrBuiltin(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	makespan, err := metrics.ParseQuery("makespan")
	if err != nil {
		t.Fatal(err)
	}
	c, err := experiment.Compare(t.Context(), s, s.Policies, 1, []metrics.Query{makespan}, experiment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Policies {
		said[s.Policies[i].Label()] = c.Mean(i, 0).Mean
	}
}
