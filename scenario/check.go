// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

// checks looks for the faults of a scenario that its types cannot express. A check is made, or its result told, only where
// nothing that it depends on is at fault already, so that all faults come at once and none is the consequence of another.
type checks struct {
	s      *Scenario
	faults strict.Errors
	unread []error // of files that the scenario names, where they are no faults of its own
}

// sound reports whether nothing at the paths is at fault.
func (c *checks) sound(paths ...string) bool { return !c.faults.Touch(paths...) }

// told returns the problems below prefix that are no consequence of what is known: neither what the problem is about is at
// fault, nor a field beside it, nor a path of those that the check depends on.
func (c *checks) told(prefix string, problems []model.Problem, needs ...string) (out strict.Errors) {
	if !c.sound(needs...) {
		return nil
	}
	for _, e := range strict.Locate(c.s.node, prefix, problems) {
		about := e.Path
		if above := strict.Above(about); above != "" {
			about = above
		}
		if c.sound(about) {
			out = append(out, e)
		}
	}
	return out
}

// sections checks what needs neither files nor jobs.
func (c *checks) sections() {
	s := c.s
	var found strict.Errors
	at := func(prefix string, problems []model.Problem, needs ...string) {
		found = append(found, c.told(prefix, problems, needs...)...)
	}
	if !fileName(s.Name) {
		at("", []model.Problem{{Path: "name", Found: fmt.Sprintf("%q", s.Name), Allowed: fileNameAllowed}})
	}
	if c.sound("cluster") {
		at("cluster", s.Cluster.Validate())
	}
	nodes, stores := 0, 0
	for i := range s.Cluster.Classes {
		nodes += s.Cluster.Classes[i].Nodes
		if s.Cluster.Classes[i].Store {
			stores += s.Cluster.Classes[i].Nodes
		}
	}
	if nodes > 0 {
		holders := nodes
		if stores > 0 {
			holders = stores
		}
		at("hdfs", s.HDFS.Validate(holders), "cluster")
		at("faults", s.Config.Faults.Validate(nodes, s.Cluster.Racks), "cluster")
	}
	at("", s.Config.Validate())
	if c.sound("cluster") && len(s.Cluster.Validate()) == 0 {
		t := s.Cluster.Topology()
		at("", s.Config.ValidateNetwork(t.Racks), "durations")
		at("", s.Config.ValidateOn(t), "faults", "durations")
	}
	if c.sound("policy", "policies") {
		found = append(found, validateMasters(s)...)
	}
	if s.Yarn != nil {
		at("yarn.tuner."+s.Yarn.Tuner.Name, s.Yarn.Tuner.Validate(), "yarn.tuner")
	}
	at("workload", s.Workload.validate())
	found = append(found, c.policies()...)
	c.faults = append(c.faults, found...)
}

// policies checks each policy that nothing is wrong with yet, and its tuner.
func (c *checks) policies() (found strict.Errors) {
	c.eachPolicy(func(path string, p *PolicyChoice) {
		found = append(found, p.validate(c.s.node, path)...)
		if p.Tuner != nil {
			found = append(found, c.told("", p.tunerProblems(c.s, path), "yarn", "durations")...)
			found = append(found, c.told(path+".tuner."+p.Tuner.Name, p.Tuner.Validate())...)
		}
	})
	labels := map[string]bool{}
	for i := range c.s.Policies {
		p := &c.s.Policies[i]
		if labels[p.Label()] {
			found = append(found, c.told("", []model.Problem{{Path: fmt.Sprintf("policies[%d]", i), Found: fmt.Sprintf("%q twice", p.Label()),
				Allowed: "different policies, or a name of its own by as"}})...)
		}
		labels[p.Label()] = true
	}
	return found
}

// eachPolicy calls do with each policy of the scenario that is sound.
func (c *checks) eachPolicy(do func(path string, p *PolicyChoice)) {
	if c.sound("policy") {
		do("policy", &c.s.Policy)
	}
	for i := range c.s.Policies {
		if path := fmt.Sprintf("policies[%d]", i); c.sound(path) {
			do(path, &c.s.Policies[i])
		}
	}
}

// files reads the files that the scenario names, relative to a folder. One that cannot be opened is a fault of the field that
// names it.
func (c *checks) files(folder string) {
	read := func(section, field string, load func(s *Scenario, folder string) error) {
		if !c.sound(section) {
			return
		}
		err := load(c.s, folder)
		var missing *fs.PathError
		switch {
		case errors.As(err, &missing):
			at, _ := c.s.node.Find(section + field)
			c.unread = append(c.unread, &strict.InputError{Err: strict.Errors{{Pos: at, Path: section + field, Problem: "cannot be read", Found: missing.Error(), Allowed: "a file that is there"}}})
		case err != nil:
			c.unread = append(c.unread, err)
		}
	}
	read("workload.trace", ".file", loadTrace)
	read("workload.classifier", "", loadClassifier)
	read("workload.measure", "", loadMachines)
}

// jobs checks the jobs of the first seed, which stand for those of all, since classes and needs do not change with the
// seed; and each policy on the cluster with these jobs.
func (c *checks) jobs() {
	s := c.s
	var jobs []model.Job
	var found strict.Errors
	known := false
	if w := &s.Workload; (w.Trace == nil || s.trace != nil || s.missing != "") && c.sound("cluster", "hdfs", "workload", "seed", "yarn") {
		jobs, found = validJobs(s)
		known = len(found) == 0
		if s.Warmup >= len(jobs) && jobs != nil {
			found = append(found, c.told("", []model.Problem{{Path: "warmup", Found: fmt.Sprintf("%d of %d jobs", s.Warmup, len(jobs)), Allowed: "fewer than there are jobs"}})...)
		}
	}
	c.eachPolicy(func(path string, p *PolicyChoice) {
		found = append(found, c.told(p.path(path), p.problemsBesideJobs(s), "cluster", "durations", "jobs")...)
		if known {
			ofJobs, rest := s.ofJobs(jobs, p.problemsWithJobs(s, jobs), p.Label())
			found = append(append(found, ofJobs...), c.told(p.path(path), rest)...)
		}
	})
	c.faults = append(c.faults, found...)
}

// err returns everything that was found.
func (c *checks) err() error {
	switch {
	case len(c.faults) == 0 && len(c.unread) == 0:
		return nil
	case len(c.faults) == 0 && len(c.unread) == 1:
		return c.unread[0]
	}
	all := c.faults
	for _, err := range c.unread {
		var several strict.Errors
		if !errors.As(err, &several) {
			several = strict.Errors{{Problem: err.Error()}}
		}
		all = append(all, several...)
	}
	return &strict.InputError{Err: all}
}
