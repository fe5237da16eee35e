// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"context"
	"math"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// MeasureTraps simulates the workload of a scenario with all traps, and without each of them, n times. Options.Observe
// sees the scheduler as it is as policy 0.
func MeasureTraps(ctx context.Context, s *scenario.Scenario, asItIs scenario.PolicyChoice, traps []Trap, n int, opt experiment.Options) error {
	variants := []experiment.Variant{{Scenario: s, Policy: asItIs}}
	var measured []*Trap
	for i := range traps {
		t := &traps[i]
		if t.Without == nil {
			continue
		}
		altered := s
		if t.Alter != nil {
			altered = scenario.WithJobs(s, func(seed uint64) []model.Job {
				jobs := s.Jobs(seed)
				t.Alter(jobs)
				return jobs
			})
		}
		measured = append(measured, t)
		variants = append(variants, experiment.Variant{Scenario: altered, Policy: *t.Without})
	}
	if len(measured) == 0 {
		return nil
	}
	costs := make([]trapSamples, len(measured))
	for i := range costs {
		costs[i] = newTrapSamples(n)
	}
	watch := opt.Observe
	opt.Observe = func(p, rep int, g *metrics.Group) {
		if watch != nil {
			watch(p, rep, g)
		}
		for i, t := range measured {
			if p == 0 || p == i+1 {
				costs[i].take(min(p, 1), rep, g, t.Victims)
			}
		}
	}
	c, err := experiment.CompareVariants(ctx, s, variants, n, nil, opt)
	if err != nil {
		return err
	}
	if c.Stopped {
		return context.Canceled
	}
	for i, t := range measured {
		t.Cost = costs[i].cost(t.Group)
	}
	return nil
}

// trapSamples are numbers of the victims of one trap: with it and without it, one per repetition.
type trapSamples struct{ jobs, waiting, elapsed, ratio, others, all [2][]float64 }

func newTrapSamples(n int) (s trapSamples) {
	for _, v := range []*[2][]float64{&s.jobs, &s.waiting, &s.elapsed, &s.ratio, &s.others, &s.all} {
		v[0], v[1] = make([]float64, n), make([]float64, n)
	}
	return s
}

func (s *trapSamples) take(side, rep int, g *metrics.Group, victims func(*metrics.Job) bool) {
	v := g.Where(victims)
	others := g.Where(func(j *metrics.Job) bool { return !victims(j) })
	s.jobs[side][rep] = float64(len(v.Jobs))
	s.waiting[side][rep] = valueOf(v, "mean_wait")
	s.elapsed[side][rep] = valueOf(v, "mean_elapsed")
	s.ratio[side][rep] = valueOf(v, "mean_response_ratio")
	s.others[side][rep] = valueOf(others, "mean_elapsed")
	s.all[side][rep] = float64(len(g.Jobs)) * valueOf(g, "mean_elapsed")
}

func (s *trapSamples) cost(victims string) *TrapCost {
	mean := func(v [2][]float64) [2]float64 {
		a, b := stats.Confidence(v[0]).Mean, stats.Confidence(v[1]).Mean
		return [2]float64{zeroNaN(a), zeroNaN(b)}
	}
	d, net := stats.Paired(s.elapsed[1], s.elapsed[0]), stats.Paired(s.all[1], s.all[0])
	verdict := NoCost
	if d.ExcludesZero() && d.Mean > 0.01*mean(s.elapsed)[0] {
		verdict = WorthIt
		if net.Mean <= 0 {
			verdict = NotWorthIt
		}
	}
	return &TrapCost{Net: [3]float64{zeroNaN(net.Mean), zeroNaN(net.Low), zeroNaN(net.High)}, Verdict: verdict, Victims: victims, Jobs: mean(s.jobs)[0], Waiting: mean(s.waiting), Elapsed: mean(s.elapsed), Ratio: mean(s.ratio),
		Others: mean(s.others), Saved: [3]float64{zeroNaN(d.Mean), zeroNaN(d.Low), zeroNaN(d.High)}, Sure: d.ExcludesZero()}
}

func zeroNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
