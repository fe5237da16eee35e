// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"fmt"

	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/forecast"
	"github.com/yardmaster/yardmaster/internal/course"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/planned"
	"github.com/yardmaster/yardmaster/policy/rackplan"
	"github.com/yardmaster/yardmaster/scenario"
)

// PlanJobs returns the plan that the scenario's policy makes of the recurring jobs of the repetition with this seed, as a
// run of it would.
func PlanJobs(s *scenario.Scenario, seed uint64) (*rackplan.File, error) {
	planner, err := plannerOf(s)
	if err != nil {
		return nil, err
	}
	site, forecasts := planSite(s, planner.Rules(), seed)
	if len(forecasts) == 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("%s: no job recurs; allowed: jobs with a period, such as by workload.assign: [{period: 1d}]", s.Name)}
	}
	rules := planner.Rules()
	return rackplan.Make(site, &rules.Rules, forecasts, seed).ToFile(s.Policy.Name, site), nil
}

// Course returns a course of the scenario's run with the plan that its policy follows, its own or one that it was given; nil if
// it plans no jobs.
func Course(s *scenario.Scenario, seed uint64) *course.Course {
	planner, err := plannerOf(s)
	if err != nil {
		return nil
	}
	plan := planner.Given()
	if plan == nil {
		if plan, err = PlanJobs(s, seed); err != nil {
			return nil // no job recurs
		}
	}
	return course.New(plan, s.Cluster.Topology(), s.Jobs(seed))
}

// FollowPlan makes the scenario's policy follow a plan that was written down.
func FollowPlan(s *scenario.Scenario, file string, src []byte, seed uint64) error {
	planner, err := plannerOf(s)
	if err != nil {
		return err
	}
	site, forecasts := planSite(s, planner.Rules(), seed)
	plan, err := rackplan.ReadFile(file, src, site, forecasts)
	if err == nil {
		planner.Follow(plan)
	}
	return err
}

// plannerOf returns the parameters of the scenario's policy, if it plans.
func plannerOf(s *scenario.Scenario) (planned.Planner, error) {
	entry, params := s.Policy.Entry()
	planner, ok := params.(planned.Planner)
	if !ok {
		return nil, &strict.InputError{Err: fmt.Errorf("policy %s plans no jobs; allowed: corral, jobpacker, such as by --policy jobpacker", entry.Name)}
	}
	s.Policy.Params = params
	return planner, nil
}

// planSite returns the cluster as it is planned for, and what is known of the recurring jobs.
func planSite(s *scenario.Scenario, rules planned.Rules, seed uint64) (*rackplan.Site, []policy.Forecast) {
	forecasts := forecast.Of(s.Jobs(seed), s.Forecasts, seed)
	var circuits *policy.Circuits
	if c := s.Network.Circuits; c != nil && s.Durations != exec.Replay {
		circuits = &policy.Circuits{Rate: c.Rate, Elephant: c.Elephant}
	}
	return rules.On(s.Cluster.Topology(), circuits, forecasts), forecasts
}
