// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/tune"
)

// PolicyChoice names a policy and sets its parameters. In a scenario it is a name, or a mapping of
// the name to parameters, with an optional label: {delay: {node-skips: 3}, as: patient}, and an optional
// tuner of the AM share: {fair: {}, tuner: cbt, as: tuned}. In place of a name it may list roles:
// {order: {capacity: {…}}, place: delay, as: mine}.
type PolicyChoice struct {
	table.Choice                       // the policy; the name of a combination lists its roles
	Roles        *policies.Combination // nil for a policy with a name
	As           string
	Tuner        *tune.Choice // of the AM share, in place of the scenario's; nil keeps that
}

// Named returns the choice of a policy that is in the table, with parameters; nil means the defaults.
func Named(name string, params any) PolicyChoice {
	return PolicyChoice{Choice: table.Choice{Name: name, Params: params}}
}

// Choose returns the choice of a policy with its default parameters.
func Choose(name string) (PolicyChoice, error) {
	if _, ok := policies.Choosable.Find(name); !ok {
		return PolicyChoice{}, &strict.InputError{Err: strict.Unknown("policy", name, policies.Choosable.Names())}
	}
	return Named(name, nil), nil
}

// Label is the name of the choice in results.
func (c *PolicyChoice) Label() string {
	if c.As != "" {
		return c.As
	}
	return c.Name
}

// Entry returns what an engine runs: the policy's line in the table, or one made of roles, and its
// parameters.
func (c *PolicyChoice) Entry() (*policy.Entry, any) {
	if c.Roles != nil {
		return c.Roles.Entry()
	}
	e, ok := policies.Choosable.Find(c.Name)
	if !ok {
		panic("scenario: unknown policy " + c.Name)
	}
	return e, c.Parameters(policies.Choosable)
}

// path returns where the parameters stand below the choice at the given path.
func (c *PolicyChoice) path(choice string) string {
	if c.Roles != nil {
		return choice
	}
	return choice + "." + c.Name
}

var choices = table.Reader{Source: policies.Choosable, What: "policy", Also: append(policies.RoleNames(), "as", "tuner")}

// UnmarshalNode implements strict.Unmarshaler.
func (c *PolicyChoice) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	*c = PolicyChoice{}
	const allowed = "the name of a policy, or a mapping of it to its parameters, or roles"
	switch n.Kind {
	case strict.Scalar:
		choices.Name(n, d, &c.Choice)
	case strict.Mapping:
		c.readMapping(n, d, allowed)
	default:
		d.Bad(n, "wrong type", allowed)
	}
}

// readMapping reads a policy with its parameters, or roles, and what stands beside them.
func (c *PolicyChoice) readMapping(n *strict.Node, d *strict.Decoder, allowed string) {
	var role, named *strict.Node // the first of each
	for i, key := range n.Keys {
		_, isPolicy := policies.Choosable.Find(key.Text)
		switch {
		case key.Text == "as":
			if d.Sub(".as", n.Items[i], &c.As) && !fileName(c.As) {
				d.Bad(n.Items[i], "bad label", fileNameAllowed)
			}
		case key.Text == "tuner":
			c.Tuner = new(tune.Choice)
			d.Sub(".tuner", n.Items[i], c.Tuner)
		case policies.IsRole(key.Text) && role == nil:
			role = key
		case isPolicy && named == nil:
			named = key
		}
	}
	switch {
	case role != nil && named != nil:
		d.Bad(role, "a role beside a policy", "either the name of a policy or roles")
	case role != nil:
		c.readRoles(n, d)
	default:
		if !c.readNamed(n, d) {
			d.Bad(n, "no policy", allowed)
		}
	}
}

// readNamed reads a policy with its parameters, and reports whether there is anything that could be one.
func (c *PolicyChoice) readNamed(n *strict.Node, d *strict.Decoder) (some bool) {
	for i, key := range n.Keys {
		if key.Text != "as" && key.Text != "tuner" {
			some = true
			choices.Named(key, n.Items[i], d, &c.Choice)
		}
	}
	return some
}

func (c *PolicyChoice) readRoles(n *strict.Node, d *strict.Decoder) {
	only := n.Clone()
	only.Drop("as", "tuner")
	c.Roles = &policies.Combination{}
	if d.Sub("", only, c.Roles) {
		c.Name = c.Roles.Name()
	}
}

// MarshalNode implements strict.NodeMarshaler.
func (c PolicyChoice) MarshalNode() *strict.Node {
	n := c.Choice.Node()
	switch {
	case c.Roles != nil:
		n = c.Roles.MarshalNode()
	case n.Kind == strict.Scalar && c.As == "" && c.Tuner == nil:
		return n
	case n.Kind == strict.Scalar:
		n = &strict.Node{Kind: strict.Mapping, Keys: []*strict.Node{n}, Items: []*strict.Node{{Kind: strict.Mapping}}}
	}
	add := func(key string, value *strict.Node) {
		n.Keys, n.Items = append(n.Keys, strict.Encode(key)), append(n.Items, value)
	}
	if c.As != "" {
		add("as", strict.Encode(c.As))
	}
	if c.Tuner != nil {
		add("tuner", c.Tuner.MarshalNode())
	}
	return n
}

// TypeName is the name of the type in the reference.
func (PolicyChoice) TypeName() string { return "policy" }

// Allowed describes the accepted values.
func (PolicyChoice) Allowed() string {
	return "a name of `yardmaster policies`, or {NAME: {PARAMETER: VALUE}, as: LABEL, tuner: TUNER}, or roles: {order: NAME, place: NAME, …}"
}

func (c *PolicyChoice) validate(root *strict.Node, path string) strict.Errors {
	_, params := c.Entry()
	if v, ok := params.(policy.Validator); ok {
		return strict.Locate(root, c.path(path), v.Validate())
	}
	return nil
}

// ProblemsOn returns why the policy does not suit the cluster and the jobs.
func (c *PolicyChoice) ProblemsOn(s *Scenario, jobs []model.Job) []model.Problem {
	return append(c.problemsBesideJobs(s), c.problemsWithJobs(s, jobs)...)
}

// problemsBesideJobs returns why the policy does not suit the cluster and how it runs.
func (c *PolicyChoice) problemsBesideJobs(s *Scenario) (problems []model.Problem) {
	entry, params := c.Entry()
	needs := entry.NeedsWith(params)
	if needs.Has(policy.LinkLoads) && s.Config.Durations == exec.Replay {
		problems = append(problems, model.Problem{Found: c.Label() + " with durations: replay, under which nothing travels over links",
			Allowed: "durations: network or resources for a policy that sees the racks' links"})
	}
	if needs.Has(policy.Trained) && s.classifier == nil && s.Workload.Classifier == "" {
		problems = append(problems, model.Problem{Path: "classify", Found: "svm without a classifier", Allowed: "workload.classifier with the file of one, or another way to tell jobs apart"})
	}
	if c.Yarn() != nil {
		problems = append(problems, s.Config.ValidateManaged()...)
	}
	if _, ok := params.(policy.Divider); ok && s.Cluster.RoomModel() != model.Slots && !s.Config.Jobs.Preempt {
		problems = append(problems, model.Problem{Found: c.Name + " where maps and reduces share room and jobs.preempt is false",
			Allowed: "jobs.preempt: true with a policy that divides the cluster; waiting reduces could fill a part for ever"})
	}
	return problems
}

// problemsWithJobs returns why the policy does not suit the jobs on the cluster.
func (c *PolicyChoice) problemsWithJobs(s *Scenario, jobs []model.Job) (problems []model.Problem) {
	entry, params := c.Entry()
	t := s.Cluster.Topology()
	if v, ok := params.(policy.SiteValidator); ok {
		problems = append(problems, v.ValidateOn(t, jobs)...)
	}
	if v, ok := params.(policy.ReplicaValidator); ok {
		problems = append(problems, v.ValidateReplicas(t, s.HDFS.Replication)...)
	}
	if entry.NeedsWith(params).Has(policy.KnownLabels) && s.machines == nil && s.Workload.Measure == "" && !measured(t, jobs) {
		problems = append(problems, model.Problem{Path: "classify", Found: "oracle for jobs none of which has a class of machines as its own", Allowed: "workload.measure with the file of the machines, a trace that workload measure wrote, or another way to tell jobs apart"})
	}
	return problems
}

// measured reports whether a job has a class that is one of the cluster's machines.
func measured(t *model.Topology, jobs []model.Job) bool {
	return slices.ContainsFunc(jobs, func(j model.Job) bool {
		return slices.ContainsFunc(t.Classes, func(c model.NodeClass) bool { return c.Name == j.Class })
	})
}

// FaultsOn returns what is wrong with the parameters of a choice that the scenario does not name, or, if they are sound, with
// the policy on the scenario's cluster and jobs. What is about neither a job nor another part of the scenario is placed by at.
func (c *PolicyChoice) FaultsOn(s *Scenario, at func([]model.Problem) strict.Errors) strict.Errors {
	_, params := c.Entry()
	if v, ok := params.(policy.Validator); ok {
		if problems := v.Validate(); len(problems) > 0 {
			return at(problems)
		}
	}
	jobs := s.Jobs(s.Seed)
	errs, rest := s.ofJobs(jobs, c.ProblemsOn(s, jobs), c.Label())
	return append(errs, at(rest)...)
}

// CheckOn refuses a choice that the scenario does not name and that has faults.
func (c *PolicyChoice) CheckOn(s *Scenario) error {
	errs := c.FaultsOn(s, func(problems []model.Problem) (errs strict.Errors) {
		for _, p := range problems {
			errs = append(errs, c.Refusal(p))
		}
		return errs
	})
	if len(errs) == 0 {
		return nil
	}
	return &strict.InputError{Err: errs}
}

// Refusal is the fault of a choice that stands in no file.
func (c *PolicyChoice) Refusal(p model.Problem) strict.Error {
	path := "policy " + c.Name
	if p.Path != "" {
		path += "." + p.Path
	}
	return strict.Error{Path: path, Problem: "impossible value", Found: p.Found, Allowed: p.Allowed}
}

// CheckQueues refuses jobs in queues that the parameters of the choice do not know. Only choices that run
// are held to it: a scenario may have policies for other workloads.
func (c *PolicyChoice) CheckQueues(s *Scenario, jobs []model.Job) error {
	_, params := c.Entry()
	v, ok := params.(policy.QueueValidator)
	if !ok {
		return nil
	}
	problems := v.ValidateQueues(Queues(jobs))
	if len(problems) == 0 {
		return nil
	}
	for i := range s.Policies {
		if p := &s.Policies[i]; p.Label() == c.Label() {
			return &strict.InputError{Err: strict.Locate(s.node, p.path(fmt.Sprintf("policies[%d]", i)), problems)}
		}
	}
	return &strict.InputError{Err: strict.Locate(s.node, s.Policy.path("policy"), problems)}
}

// Pick returns the named policies, with the scenario's parameters and labels where it has them.
func (s *Scenario) Pick(names []string) ([]PolicyChoice, error) {
	var choices []PolicyChoice
	var errs []error
	for _, name := range names {
		choice, err := s.Choice(strings.TrimSpace(name))
		if err == nil && slices.ContainsFunc(choices, func(c PolicyChoice) bool { return c.Label() == choice.Label() }) {
			err = fmt.Errorf("policy %q is named twice", choice.Label())
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		choices = append(choices, choice)
	}
	if len(errs) > 0 {
		return nil, &strict.InputError{Err: errors.Join(errs...)}
	}
	return choices, nil
}

// Choice returns the policy with this label, or the one of this name with its defaults and what settings of the scenario
// say of it.
func (s *Scenario) Choice(name string) (PolicyChoice, error) {
	for _, p := range append(s.Policies, s.Policy) {
		if p.Label() == name {
			return p, nil
		}
	}
	c, err := Choose(name)
	if err != nil {
		return c, err
	}
	c, errs := c.with(s, s.settings)
	if len(errs) > 0 {
		return c, &strict.InputError{Err: errs}
	}
	return c, c.CheckOn(s)
}

// with returns the choice with the settings policy.NAME.PARAM that are about its policy.
func (c PolicyChoice) with(s *Scenario, settings []strict.Setting) (PolicyChoice, strict.Errors) {
	own := slices.DeleteFunc(slices.Clone(settings), func(set strict.Setting) bool {
		name, ok := ownParam(set.Path)
		return !ok || name != c.Name
	})
	if len(own) == 0 {
		return c, nil
	}
	root := &strict.Node{Kind: strict.Mapping, Keys: []*strict.Node{strict.Encode("policy")}, Items: []*strict.Node{c.MarshalNode()}}
	openChoice(root.Items[0], c.Name, false)
	var errs strict.Errors
	for _, set := range own {
		errs = append(errs, strict.Set(root, set.Path, set.Value, "--set "+set.Path+"="+set.Value)...)
	}
	out := c
	errs = append(errs, strict.DecodeAt(root.Items[0], "policy", &out)...)
	if len(errs) == 0 {
		errs = out.FaultsOn(s, func(p []model.Problem) strict.Errors { return strict.Locate(root, out.path("policy"), p) })
	}
	return out, errs
}

// ownParam returns NAME of a path policy.NAME.PARAM that is not one of a role.
func ownParam(path string) (string, bool) {
	name, ok := PolicyPath(path)
	return name, ok && !policies.IsRole(name)
}

// PolicyWith returns the scenario's policy with further settings. Nothing else of the scenario
// changes, so only the policy is checked again.
func PolicyWith(s *Scenario, settings []strict.Setting, jobs []model.Job) (PolicyChoice, strict.Errors) {
	node := s.node.Clone()
	var errs strict.Errors
	for _, set := range settings {
		errs = append(errs, apply(node, set)...)
	}
	with := Defaults(s.Name)
	errs = append(errs, strict.Decode(node, with)...)
	if len(errs) == 0 {
		errs = append(errs, with.Policy.validate(node, "policy")...)
	}
	if len(errs) == 0 {
		ofJobs, rest := s.ofJobs(jobs, with.Policy.ProblemsOn(s, jobs), with.Policy.Label())
		errs = append(ofJobs, strict.Locate(node, with.Policy.path("policy"), rest)...)
	}
	return with.Policy, errs
}

// PolicyPath returns NAME of a path policy.NAME.PARAM.
func PolicyPath(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, "policy.")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, ".")
	return name, ok
}

// watchesLinks reports whether a policy of the scenario sees the racks' links.
func (s *Scenario) watchesLinks() bool {
	return slices.ContainsFunc(append([]PolicyChoice{s.Policy}, s.Policies...), func(c PolicyChoice) bool {
		entry, params := c.Entry()
		return entry.NeedsWith(params).Has(policy.LinkLoads)
	})
}
