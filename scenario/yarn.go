// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"

	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rm"
	"github.com/yardmaster/yardmaster/tune"
)

// validateYarn checks the sections jobs and yarn, and the tuners that policies bring along.
func validateYarn(s *Scenario) (errs strict.Errors) {
	at := func(path string, problems []model.Problem) {
		errs = append(errs, strict.Locate(s.node, path, problems)...)
	}
	if len(s.Cluster.Validate()) == 0 {
		at("", s.Config.ValidateOn(s.Cluster.Topology()))
	}
	if s.Yarn != nil {
		at("yarn.tuner."+s.Yarn.Tuner.Name, s.Yarn.Tuner.Validate())
	}
	check := func(path string, c *PolicyChoice) {
		switch {
		case c.Tuner == nil:
			return
		case s.Yarn == nil && c.Yarn() == nil:
			at("", []model.Problem{{Path: path + ".tuner", Found: "a tuner of the AM share without a section yarn", Allowed: "yarn: {} beside it, or yarn-capacity as its policy"}})
		case s.Durations != exec.Resources:
			at("", []model.Problem{{Path: path + ".tuner", Found: fmt.Sprintf("%s with durations: %s", c.Tuner.Name, s.Durations),
				Allowed: "durations: resources, from which the use of the CPU follows"}})
		}
		at(path+".tuner."+c.Tuner.Name, c.Tuner.Validate())
	}
	check("policy", &s.Policy)
	for i := range s.Policies {
		check(fmt.Sprintf("policies[%d]", i), &s.Policies[i])
	}
	return errs
}

// Warnings lists what is allowed in the scenario but hardly meant: jobs that are not those of the trace that it
// names, what a trace or the nodes say without any effect, jobs that may hardly ever end because nodes are lost, and steps of a tuner that are smaller than one application master, so that a raise may start no job.
func (s *Scenario) Warnings() (list []string) {
	if text := s.StandIn(); text != "" {
		list = append(list, text)
	}
	if s.trace != nil {
		list = append(list, s.trace.notes...)
	}
	list = append(list, s.hostWarnings(s.Cluster.Topology())...)
	if s.watchesLinks() && s.Cluster.Racks == 1 {
		list = append(list, "one rack: nothing goes from one rack to another, so that a policy's rules about congested racks are off")
	}
	list = append(list, s.LossWarnings(append([]PolicyChoice{s.Policy}, s.Policies...))...)
	if s.Yarn == nil {
		return list
	}
	seen := map[string]bool{}
	for _, c := range append([]PolicyChoice{s.Policy}, s.Policies...) {
		tuner := &c.Tuned(s.Yarn).Tuner
		steps, ok := tuner.Parameters(tune.All).(interface{ Steps() []tune.Step })
		if !ok {
			continue
		}
		for _, step := range steps.Steps() {
			text := fmt.Sprintf("tuner %s: %s %g of %d MiB is less than one application master of %d MiB, so that it may start no job; %.3f would do",
				tuner.Name, step.Name, step.Share, s.Cluster.Topology().Total()[0], s.Yarn.Master()[0], s.Yarn.Least(s.Cluster.Topology()))
			if !s.Yarn.HoldsOne(step.Share, s.Cluster.Topology()) && !seen[text] {
				seen[text] = true
				list = append(list, text)
			}
		}
	}
	return list
}

// Tuned returns the section yarn with the tuner of the choice, if it brings one.
func (c *PolicyChoice) Tuned(y *rm.Rules) *rm.Rules {
	if y == nil || c.Tuner == nil {
		return y
	}
	tuned := *y
	tuned.Tuner = *c.Tuner
	return &tuned
}

// TunerOf returns who changes the AM share under the choice, nil if nobody does: the tuner that it brings, or that of the
// scenario's section yarn.
func (s *Scenario) TunerOf(c *PolicyChoice) *tune.Choice {
	tuner := c.Tuner
	if y := c.Tuned(s.Yarn); y != nil {
		tuner = &y.Tuner
	}
	if tuner == nil || tuner.Name == "" {
		return nil
	}
	return tuner
}
