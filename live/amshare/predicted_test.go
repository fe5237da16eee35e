// SPDX-License-Identifier: Apache-2.0

package amshare_test

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestPredictedLive: the simulator predicts, within 25 % and in their order, the makespans of a batch that a real
// Hadoop 3.4.2 cluster ran under its own share, with cbt and with marp-auto at work. The scenario is what
// live/testcluster/predict.py made of the history under the cluster's own share alone.
func TestPredictedLive(t *testing.T) {
	seen := map[string]float64{"share 0.2": 180.2, "cbt": 102.5, "marp-auto": 125.0} // seconds
	s, _, err := scenario.LoadOrBuiltin("testdata/marp-live.yaml", nil)
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
	said := map[string]float64{}
	names := []string{}
	for i := range s.Policies {
		name := s.Policies[i].Label()
		names, said[name] = append(names, name), c.Mean(i, 0).Mean
		if off := said[name]/seen[name] - 1; off < -0.25 || off > 0.25 {
			t.Errorf("%s: predicted %.1f s, seen %.1f s", name, said[name], seen[name])
		}
		t.Logf("%s: predicted %.1f s, seen %.1f s", name, said[name], seen[name])
	}
	by := func(of map[string]float64) func(a, b string) int {
		return func(a, b string) int { return int(of[a]*1000 - of[b]*1000) }
	}
	if got, want := slices.SortedFunc(slices.Values(names), by(said)), slices.SortedFunc(slices.Values(names), by(seen)); !slices.Equal(got, want) {
		t.Errorf("predicted order %v, seen %v", got, want)
	}
}
