// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"

	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/synth"
)

// GeneratedTrace returns the workload of a scenario and seed as a trace: every job with the lengths
// that its tasks have in that run.
func GeneratedTrace(ctx context.Context, s *scenario.Scenario, seed uint64) (*scenario.Trace, error) {
	jobs, err := Jobs(ctx, s, seed)
	if err != nil {
		return nil, err
	}
	t := &scenario.Trace{Name: s.Name}
	for i := range jobs {
		t.Records = append(t.Records, workload.ToRecord(&jobs[i], jobs, s.Cluster.RoomModel(), seed))
	}
	return t, nil
}

// facebookCluster is the empty cluster of slowdown-2015 §V-A with the facebook preset.
const facebookCluster = `
cluster: {racks: 5, classes: [{nodes: 100, map-slots: 6, reduce-slots: 2}]}
workload: {generate: {arrivals: {process: poisson, load: 70%}, preset: {facebook: {}}}}
`

// FacebookMarginals measures the facebook preset over a number of seeds on the paper's cluster.
func FacebookMarginals(ctx context.Context, seeds int) ([]synth.Marginals, error) {
	s, err := scenario.Parse("facebook", []byte(facebookCluster), nil)
	if err != nil {
		return nil, err
	}
	out := make([]synth.Marginals, seeds)
	err = each(ctx, seeds, 0, func(ctx context.Context, i int) error {
		r := NewRepetition(s, s.Seed+uint64(i))
		if err := r.prepare(ctx); err != nil {
			return err
		}
		alone, err := r.alone()
		if err == nil {
			out[i] = synth.Measure(r.jobs, alone)
		}
		return err
	})
	return out, err
}
