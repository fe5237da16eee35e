// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/tune"
)

// PolicyChoice names a policy and sets its parameters. In a scenario it is a name, or a mapping of
// the name to parameters, with an optional label: {delay: {node-skips: 3}, as: patient}, and an optional
// tuner of the AM share: {fair: {}, tuner: cbt, as: tuned}.
type PolicyChoice struct {
	Name   string
	As     string
	Params any          // nil means the defaults
	Tuner  *tune.Choice // of the AM share, in place of the scenario's; nil keeps that
}

// Choose returns the choice of a policy with its default parameters.
func Choose(name string) (PolicyChoice, error) {
	if _, ok := policies.All.Find(name); !ok {
		msg := fmt.Sprintf("unknown policy %q; allowed: %s", name, strings.Join(policies.All.Names(), ", "))
		if near := strict.Nearest(name, policies.All.Names()); near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		}
		return PolicyChoice{}, &strict.InputError{Err: fmt.Errorf("%s", msg)}
	}
	return PolicyChoice{Name: name}, nil
}

// Label is the name of the choice in results.
func (c *PolicyChoice) Label() string {
	if c.As != "" {
		return c.As
	}
	return c.Name
}

// Entry returns the policy's line in the table, and its parameters.
func (c *PolicyChoice) Entry() (*policy.Entry, any) {
	e, ok := policies.All.Find(c.Name)
	if !ok {
		panic("scenario: unknown policy " + c.Name)
	}
	if c.Params == nil && e.Params != nil {
		return e, e.Params()
	}
	return e, c.Params
}

// UnmarshalNode implements strict.Unmarshaler.
func (c *PolicyChoice) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	*c = PolicyChoice{}
	switch n.Kind {
	case strict.Scalar:
		if _, ok := policies.All.Find(n.Text); !ok {
			d.BadName(n, policies.All.Names())
			return
		}
		c.Name = n.Text
	case strict.Mapping:
		named := false
		for i, key := range n.Keys {
			if key.Text == "as" {
				if d.Sub(".as", n.Items[i], &c.As) && !fileName(c.As) {
					d.Bad(n.Items[i], "bad label", fileNameAllowed)
				}
				continue
			}
			if key.Text == "tuner" {
				c.Tuner = new(tune.Choice)
				d.Sub(".tuner", n.Items[i], c.Tuner)
				continue
			}
			named = true
			c.decodeParams(key, n.Items[i], d)
		}
		if !named {
			d.Bad(n, "no policy", "the name of a policy, or a mapping of it to its parameters")
		}
	default:
		d.Bad(n, "wrong type", "the name of a policy, or a mapping of it to its parameters")
	}
}

func (c *PolicyChoice) decodeParams(key, value *strict.Node, d *strict.Decoder) {
	e, ok := policies.All.Find(key.Text)
	switch {
	case !ok:
		d.UnknownKey(key, append(policies.All.Names(), "as", "tuner"))
		return
	case c.Name != "":
		d.Bad(key, "a second policy", "one policy a choice")
		return
	}
	c.Name = key.Text
	if value.Kind == strict.Null {
		return
	}
	if e.Params == nil {
		if value.Kind != strict.Mapping || len(value.Keys) > 0 {
			d.Report(strict.Error{Pos: value.Pos, Path: d.Path() + "." + e.Name, Problem: "unknown field", Found: "parameters", Allowed: "none: " + e.Name + " has no parameters"})
		}
		return
	}
	params := e.Params()
	if d.Sub("."+e.Name, value, params) {
		c.Params = params
	}
}

// MarshalNode implements strict.NodeMarshaler.
func (c PolicyChoice) MarshalNode() *strict.Node {
	if c.Params == nil && c.As == "" && c.Tuner == nil {
		return strict.Encode(c.Name)
	}
	n := &strict.Node{Kind: strict.Mapping}
	add := func(key string, value *strict.Node) {
		n.Keys, n.Items = append(n.Keys, strict.Encode(key)), append(n.Items, value)
	}
	params := &strict.Node{Kind: strict.Mapping}
	if c.Params != nil {
		params = strict.Encode(c.Params)
	}
	add(c.Name, params)
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
	return "a name of `yardmaster policies`, or {NAME: {PARAMETER: VALUE}, as: LABEL, tuner: TUNER}"
}

func (c *PolicyChoice) validate(root *strict.Node, path string) strict.Errors {
	if v, ok := c.Params.(policy.Validator); ok {
		return strict.Locate(root, path+"."+c.Name, v.Validate())
	}
	return nil
}

// ProblemsOn returns why the policy does not suit the cluster and the jobs.
func (c *PolicyChoice) ProblemsOn(s *Scenario, jobs []model.Job) (problems []model.Problem) {
	_, params := c.Entry()
	t := s.Cluster.Topology()
	if v, ok := params.(policy.SiteValidator); ok {
		problems = v.ValidateOn(t, jobs)
	}
	if _, ok := params.(policy.Divider); ok && t.Model != model.Slots && !s.Config.Jobs.Preempt {
		problems = append(problems, model.Problem{Found: c.Name + " where maps and reduces share room and jobs.preempt is false",
			Allowed: "jobs.preempt: true with a policy that divides the cluster; waiting reduces could fill a part for ever"})
	}
	return problems
}

// validatePolicies checks the scenario's policies against its cluster and jobs.
func validatePolicies(s *Scenario, jobs []model.Job) (errs strict.Errors) {
	check := func(c *PolicyChoice, path string) {
		errs = append(errs, strict.Locate(s.node, path+"."+c.Name, c.ProblemsOn(s, jobs))...)
	}
	check(&s.Policy, "policy")
	for i := range s.Policies {
		check(&s.Policies[i], fmt.Sprintf("policies[%d]", i))
	}
	return errs
}

// checkOn is ProblemsOn as an error, for a policy that the scenario does not name.
func (c *PolicyChoice) checkOn(s *Scenario) error {
	if p := c.ProblemsOn(s, s.Jobs(s.Seed)); len(p) > 0 {
		path := c.Name
		if p[0].Path != "" {
			path += "." + p[0].Path
		}
		return &strict.InputError{Err: fmt.Errorf("policy %s: found %s; allowed: %s", path, p[0].Found, p[0].Allowed)}
	}
	return nil
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
			return &strict.InputError{Err: strict.Locate(s.node, fmt.Sprintf("policies[%d].%s", i, p.Name), problems)}
		}
	}
	return &strict.InputError{Err: strict.Locate(s.node, "policy."+s.Policy.Name, problems)}
}

// Pick returns the named policies, with the scenario's parameters and labels where it has them.
func (s *Scenario) Pick(names []string) ([]PolicyChoice, error) {
	var choices []PolicyChoice
	for _, name := range names {
		choice, err := s.Choice(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for i := range choices {
			if choices[i].Label() == choice.Label() {
				return nil, &strict.InputError{Err: fmt.Errorf("policy %q is named twice", choice.Label())}
			}
		}
		choices = append(choices, choice)
	}
	return choices, nil
}

// Choice returns the policy with this label, or the one of this name with its defaults.
func (s *Scenario) Choice(name string) (PolicyChoice, error) {
	for _, p := range append(s.Policies, s.Policy) {
		if p.Label() == name {
			return p, nil
		}
	}
	c, err := Choose(name)
	if err == nil {
		err = c.checkOn(s)
	}
	return c, err
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
		errs = append(errs, strict.Locate(node, "policy."+with.Policy.Name, with.Policy.ProblemsOn(s, jobs))...)
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
