// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestSettle: goals given as a factor become times, weights follow from slack, with and without
// references in the results; and every way to the jobs gives the same.
func TestSettle(t *testing.T) {
	for _, reference := range []string{"true", "false"} {
		s, err := scenario.Parse("settle.yaml", []byte(`
reference: `+reference+`
cluster: {classes: [{nodes: 2, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  weights: slack
  jobs:
    - {name: a, maps: 4, map-length: 10s, goal-factor: 1.5}
    - {name: b, submit: 5s, maps: 8, map-length: 10s, goal: 80s}
    - {name: c, submit: 6s, maps: 8, map-length: 10s}
policy: edf
`), nil)
		if err != nil {
			t.Fatal(err)
		}
		rep := NewRepetition(s, s.Seed)
		run, err := rep.Simulate(context.Background(), s.Policy, Options{Workers: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		settled, err := Jobs(context.Background(), s, s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, jobs := range [][]model.Job{settled, rep.jobs} {
			if jobs[0].Goal != 30*model.Second || jobs[0].Weight != 4 || jobs[1].Weight != 1 || jobs[2].Weight != 1 || jobs[2].Goal != 0 {
				t.Errorf("goal %v, weights %g, %g, %g", jobs[0].Goal, jobs[0].Weight, jobs[1].Weight, jobs[2].Weight)
			}
		}
		if run.Jobs[0].Goal != 30*model.Second || (run.Jobs[0].Reference > 0) != (reference == "true") {
			t.Errorf("reference %s: goal %v, run time alone %v", reference, run.Jobs[0].Goal, run.Jobs[0].Reference)
		}
	}
}
