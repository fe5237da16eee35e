// SPDX-License-Identifier: Apache-2.0

package amshare_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestPredictedLive: the simulator predicts, within 25 %, the makespans of batches that a real Hadoop 3.4.2 cluster ran
// under its own share, with cbt and with marp-auto at work, and their order. The scenarios are what live/testcluster/predict.py
// makes of a history; the 0.5 s from a job's last map to its end are not in them. On a quiet machine the history under the
// cluster's own share tells for all three. On a loaded one another batch ran beside that of the cluster's own share and no
// other: the scenarios have the lengths of the run that they predict.
func TestPredictedLive(t *testing.T) {
	for _, session := range []struct {
		name string
		seen map[string][]float64 // seconds, by repetition
	}{
		{"marp-live", map[string][]float64{"share 0.2": {147.6, 143.0, 154.2}, "cbt": {93.5, 95.1, 91.8}, "marp-auto": {86.6, 82.6, 83.9}}},
		{"marp-live-loaded", map[string][]float64{"share 0.2": {374.4}, "cbt": {208.5}}},
	} {
		t.Run(session.name, func(t *testing.T) {
			said := map[string]float64{}
			for name, seen := range session.seen {
				predict(t, "testdata/"+session.name+"-"+strings.ReplaceAll(name, " ", "-")+".yaml", said)
				mean := stat.Mean(seen, nil)
				t.Logf("%s: predicted %.1f s, seen %.1f s", name, said[name], mean)
				if off := said[name]/mean - 1; off < -0.25 || off > 0.25 {
					t.Errorf("%s: predicted %.1f s, seen %.1f s", name, said[name], mean)
				}
			}
			for name, seen := range session.seen {
				for other, longer := range session.seen {
					if shorter(seen, longer) && said[name] >= said[other] {
						t.Errorf("%s is predicted to take %.1f s, %s %.1f s; it took less in every repetition", name, said[name], other, said[other])
					}
				}
			}
		})
	}
}

// shorter reports whether a took less time than b in every repetition.
func shorter(a, b []float64) bool {
	for i := range a {
		if a[i] >= b[i] {
			return false
		}
	}
	return true
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
