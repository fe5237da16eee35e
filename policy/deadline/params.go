// SPDX-License-Identifier: Apache-2.0

// Package deadline is the order of deadline-2010: jobs by the slots that they need to meet their completion-time
// goals, worked out from the lengths of their ended tasks. The policies deadline-min and deadline-max are made of it.
package deadline

import "github.com/yardmaster/yardmaster/model"

// Params configures Order.
type Params struct {
	Interval   model.Time `yaml:"interval" doc:"The needs of all jobs, which drift with time alone, are worked out again at every multiple of this time. A job's own needs are worked out again whenever one of its tasks starts or ends, or it wants tasks of another kind."`
	ReduceCost float64    `yaml:"reduce-cost" above:"0" doc:"Length of a reduce relative to a map, until a reduce of the job has ended."`
	PerNode    bool       `yaml:"per-node" doc:"Estimate how long a running task still takes from the tasks of its job that ended on the same node, for clusters of unlike machines."`
	Drain      bool       `yaml:"drain" doc:"Leave time before the goal for the last tasks to end: what a running task has left on average. Without it, equation 3 to the letter, a job that gets what it needs ends that much late."`
	Patience   model.Time `yaml:"patience" min:"0" doc:"A job without a goal that has held no room for this long is given room for one task before all others."`
}

// Validate implements policy.Validator.
func (p *Params) Validate() []model.Problem {
	if p.Interval < model.Millisecond {
		return []model.Problem{{Path: "interval", Found: p.Interval.String(), Allowed: "at least 1ms"}}
	}
	return nil
}

// Defaults returns the parameters of deadline-2010, with drain.
func Defaults() Params {
	return Params{Interval: 3 * model.Second, ReduceCost: 1, Drain: true, Patience: 10 * model.Minute}
}
