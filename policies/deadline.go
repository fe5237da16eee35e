// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/deadline"
)

// deadlineMinParams configures deadline-min.
type deadlineMinParams struct {
	deadline.Params `yaml:",inline"`
	NoGoalSlots     int32 `yaml:"no-goal-slots" min:"1" doc:"How many tasks a job without a goal may run at a time of each kind: it needs no particular number, and what is left stays free."`
}

// NoGoalTasks implements policy.Narrower.
func (p *deadlineMinParams) NoGoalTasks() int32 { return p.NoGoalSlots }

// deadlineRules are what both policies do.
var deadlineRules = []policy.Rule{
	{Text: "First come jobs that have missed their goal (UNDEAD), so ordered that their expected completion over their goal evens out.", Source: "deadline-2010 §III-C"},
	{Text: "Then jobs of which no task has ended (NODATA), oldest first: nothing is known of them yet.", Source: "deadline-2010 §III-C, §IV"},
	{Text: "Then the others (ADJUST) by the slots that they still need to meet their goal, most first (equation 3): the mean length of ended tasks tells what is left.", Source: "deadline-2010 §III-B, §III-C"},
	{Text: "Maps must leave time for the reduces, which are taken to be as long as maps times reduce-cost until one has ended.", Source: "deadline-2010 §III-D"},
	{Text: "Time is left before the goal for the last tasks to end, which equation 3 forgets: what a running task has left on average, half a task if all are alike (drain: false is the equation to the letter).", Source: "own"},
	{Text: "Jobs without a goal come last, oldest first; one that has held no room for the time patience comes before all others with one task.", Source: "own"},
	{Text: "A running task is never killed.", Source: "deadline-2010 §III-A"},
}

func deadlineMinPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "deadline-min",
			Summary: "As many slots as each job needs to meet its completion-time goal; the rest stays free.",
			Source:  "deadline-2010 §III, §IV",
			Rules: append(append([]policy.Rule{}, deadlineRules...),
				policy.Rule{Text: "A job may start another task while equation 3 is positive, and always one; UNDEAD and NODATA jobs may start all they have.", Source: "deadline-2010 §III-C, §IV (min-scheduler)"}),
			Params: func() any {
				return &deadlineMinParams{Params: deadline.Defaults(), NoGoalSlots: 1}
			},
		},
		roles: func(params any) Combination { return Combination{Order: play("deadline-min", params)} },
	}
}

func deadlineMaxPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "deadline-max",
			Summary: "As many slots as each job needs to meet its completion-time goal; the rest goes to whoever needs most.",
			Source:  "deadline-2010 §III, §IV",
			Rules: append(append([]policy.Rule{}, deadlineRules...),
				policy.Rule{Text: "Slots that nobody needs are given out in the same order, which changes with every slot given.", Source: "deadline-2010 §III-C (max-scheduler)"}),
			Params: func() any {
				p := deadline.Defaults()
				return &p
			},
		},
		roles: func(params any) Combination { return Combination{Order: play("deadline-max", params)} },
	}
}

func deadlineMinOrder() Role {
	return Role{
		Name:     "deadline-min",
		Summary:  "The job that needs most slots to meet its goal; one that has what it needs gets no more.",
		Source:   "deadline-2010 §III, §IV",
		Can:      policy.CanRank,
		Promises: policy.StarvationFree,
		Params:   deadlineMinPreset().Params,
		add: func(a *assembly, params any) error {
			p := params.(*deadlineMinParams)
			a.Order = deadline.New(a.env, &p.Params, p.NoGoalSlots)
			return nil
		},
	}
}

func deadlineMaxOrder() Role {
	return Role{
		Name:     "deadline-max",
		Summary:  "The job that needs most slots to meet its goal; what nobody needs goes out in the same order.",
		Source:   "deadline-2010 §III, §IV",
		Can:      policy.CanRank,
		Promises: policy.WorkConserving | policy.StarvationFree,
		Params:   deadlineMaxPreset().Params,
		add: func(a *assembly, params any) error {
			a.Order = deadline.New(a.env, params.(*deadline.Params), 0)
			return nil
		},
	}
}
