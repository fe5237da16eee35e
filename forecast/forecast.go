// SPDX-License-Identifier: Apache-2.0

// Package forecast says what is known of recurring jobs before they come: what they will be, with the errors that a
// prediction has.
package forecast

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// Rules is the section forecasts of a scenario.
type Rules struct {
	SizeError model.Fraction `yaml:"size-error,omitempty" min:"0" max:"1" doc:"By how much the forecast of a job's input, shuffle data and output is wrong, as a share of the true size: too much or too little by a draw for each."`
	LateShare model.Fraction `yaml:"late-share,omitempty" min:"0" max:"1" doc:"Share of the jobs that come earlier or later than forecast."`
	LateBy    model.Time     `yaml:"late-by,omitempty" min:"0" doc:"By how much they do at most, either way."`
}

// DefaultRules returns forecasts without errors, and by how much jobs are late where some are (diverse-2018 §4.3.5).
func DefaultRules() Rules { return Rules{LateBy: 200 * model.Second} }

// Of returns the forecasts of the recurring jobs, in the order of the jobs. Errors are drawn by job, so that they are
// the same whoever asks.
func Of(jobs []model.Job, rules Rules, seed uint64) (forecasts []policy.Forecast) {
	sizes, arrivals := rng.New(seed, rng.ForecastSize), rng.New(seed, rng.ForecastArrival)
	come := make([]model.Time, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		if come[i] = j.Submit; j.After != model.None { // at the latest it comes that long after the other, which takes time itself
			come[i] += come[j.After]
		}
		if j.Period == 0 {
			continue
		}
		f := policy.Forecast{Job: j.ID, Name: j.Name, Arrival: come[i], Need: j.Need, ByClass: j.ByClass}
		for k := range model.Kind(model.Kinds) {
			f.Tasks[k], f.Length[k] = j.Tasks(k), j.Lengths(k).Average()
		}
		wrong := func(b model.Bytes, size uint64) model.Bytes {
			e := float64(rules.SizeError)
			if sizes.Uint64(uint64(j.ID), size, 0)>>63 == 0 {
				e = -e
			}
			return model.Bytes(float64(b) * (1 + e))
		}
		f.Input, f.Shuffle, f.Output = wrong(j.Input, 0), wrong(j.Shuffle, 1), wrong(j.Output, 2)
		if share(arrivals.Uint64(uint64(j.ID), 0, 0)) < float64(rules.LateShare) {
			f.Arrival = max(f.Arrival+model.Time((2*share(arrivals.Uint64(uint64(j.ID), 1, 0))-1)*float64(rules.LateBy)), 0)
		}
		forecasts = append(forecasts, f)
	}
	return forecasts
}

// share returns a draw as a number from 0 to below 1.
func share(u uint64) float64 { return float64(u>>11) / (1 << 53) }
