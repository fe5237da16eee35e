// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rm"
	"github.com/yardmaster/yardmaster/tune"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// tunerProblems returns why the tuner that the choice at the given path brings along does not suit the scenario.
func (c *PolicyChoice) tunerProblems(s *Scenario, path string) []model.Problem {
	switch {
	case s.Yarn == nil && c.Yarn() == nil:
		return []model.Problem{{Path: path + ".tuner", Found: "a tuner of the AM share without a section yarn", Allowed: "yarn: {} beside it, or yarn-capacity or yarn-fair as its policy"}}
	case s.Durations != exec.Resources:
		return []model.Problem{{Path: path + ".tuner", Found: fmt.Sprintf("%s with durations: %s", c.Tuner.Name, s.Durations),
			Allowed: "durations: resources, from which the use of the CPU follows"}}
	}
	return nil
}

// CheckMasters refuses settings of the section jobs that nobody goes by: all policies of the scenario are resource managers of
// YARN. A command that replaces policies asks again.
func CheckMasters(s *Scenario) error {
	if errs := validateMasters(s); len(errs) > 0 {
		return &strict.InputError{Err: errs}
	}
	return nil
}

// validateMasters checks the section jobs against the policies. The one that run uses is among them if it is named, or there
// is no other.
func validateMasters(s *Scenario) strict.Errors {
	all := s.Policies
	if len(all) == 0 || s.node.Get("policy") != nil {
		all = append(slices.Clone(all), s.Policy)
	}
	if slices.ContainsFunc(all, func(c PolicyChoice) bool { return c.Yarn() == nil }) {
		return nil
	}
	return strict.Locate(s.node, "jobs", s.Config.Jobs.ValidateManaged())
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
	return append(list, s.stepWarnings()...)
}

// masterRoom is an AM share's side of a scheduler.
type masterRoom interface {
	// HoldsOne reports whether a share holds one master in a cluster with a single queue.
	HoldsOne(share float64, t *model.Topology) bool
	// MasterMemory is what a master takes, in MiB.
	MasterMemory() int64
}

// masterRoom returns who limits masters under a choice, nil if nobody does, or the first one always fits.
func (s *Scenario) masterRoom(c *PolicyChoice) masterRoom {
	if s.Yarn != nil {
		return s.Yarn
	}
	_, params := c.Entry()
	if f, ok := params.(*handover.Fair); ok {
		return f
	}
	return nil
}

// stepWarnings lists the steps of tuners that may start no job.
func (s *Scenario) stepWarnings() (list []string) {
	t := s.Cluster.Topology()
	seen := map[string]bool{}
	for _, c := range append([]PolicyChoice{s.Policy}, s.Policies...) {
		room, tuner := s.masterRoom(&c), s.TunerOf(&c)
		if room == nil || tuner == nil {
			continue
		}
		steps, ok := tuner.Parameters(tune.All).(interface{ Steps() []tune.Step })
		if !ok {
			continue
		}
		for _, step := range steps.Steps() {
			text := fmt.Sprintf("tuner %s: %s %g of %d MiB is less than one application master of %d MiB, so that it may start no job; %.3f would do",
				tuner.Name, step.Name, step.Share, t.Total()[0], room.MasterMemory(), rm.Least(func(share float64) bool { return room.HoldsOne(share, t) }))
			if !room.HoldsOne(step.Share, t) && !seen[text] {
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
