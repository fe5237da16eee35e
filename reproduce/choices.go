// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"maps"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// ChoiceConfig is one of the policies that an experiment runs. It is a name: the label of a policy of the
// scenario, or a policy of the table. Or it is a mapping as a scenario has it, with settings for this
// choice alone: {fair: , as: F-EPS, set: {cluster.uplink: 100Gbps}}. A name without parameters is
// looked up as above.
type ChoiceConfig struct {
	name  string                 // empty where own says it
	own   *scenario.PolicyChoice // with parameters or roles
	as    string
	set   map[string]string
	where strict.Pos
}

// UnmarshalNode implements strict.Unmarshaler.
func (c *ChoiceConfig) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	const allowed = "the name of a policy, or {NAME: {PARAMETER: VALUE}, as: LABEL, set: {PATH: VALUE}}"
	*c = ChoiceConfig{where: n.Pos}
	switch n.Kind {
	case strict.Scalar:
		d.Sub("", n, &c.name)
	case strict.Mapping:
		if set := n.Get("set"); set != nil {
			d.Sub(".set", set, &c.set)
		}
		rest := n.Clone()
		rest.Drop("set")
		only := rest.Clone()
		only.Drop("as")
		switch {
		case len(only.Keys) == 0:
			d.Bad(n, "no policy", allowed)
		case len(only.Keys) > 1 || only.Items[0].Kind != strict.Null:
			c.own = new(scenario.PolicyChoice)
			d.Sub("", rest, c.own)
		default:
			c.name = only.Keys[0].Text
			if as := n.Get("as"); as != nil && d.Sub(".as", as, &c.as) && scenario.Label(c.as) != c.as {
				d.Bad(as, "bad label", "a name that a result folder can have, such as "+scenario.Label(c.as))
			}
		}
	default:
		d.Bad(n, "wrong type", allowed)
	}
}

// on returns the choice on the scenario that its settings have been made on.
func (c *ChoiceConfig) on(s *scenario.Scenario) (choice scenario.PolicyChoice, err error) {
	if c.own != nil {
		return *c.own, c.own.CheckOn(s)
	}
	if choice, err = s.Choice(c.name); c.as != "" {
		choice.As = c.as
	}
	return choice, err
}

// Variants returns what the experiment compares on its scenario, grid apart: the policies that it names, each on the
// scenario with the settings of its choice, or those of the scenario if it names none. Choices with the
// same settings share a scenario, and so its repetitions.
func (x *ExperimentConfig) Variants(s *scenario.Scenario) (out []experiment.Variant, err error) {
	if len(x.Policies) == 0 {
		choices := s.Policies
		if len(choices) == 0 {
			choices = []scenario.PolicyChoice{s.Policy}
		}
		return experiment.Variants(s, choices, nil)
	}
	changed := map[string]*scenario.Scenario{}
	for i := range x.Policies {
		c := &x.Policies[i]
		v := experiment.Variant{Scenario: s}
		settings := sorted(c.set)
		if key := fmt.Sprint(settings); len(settings) > 0 {
			if changed[key] == nil {
				if changed[key], err = scenario.Changed(s, settings); err != nil {
					return nil, err
				}
			}
			v.Scenario = changed[key]
		}
		if v.Policy, err = c.on(v.Scenario); err != nil {
			return nil, err
		}
		if len(settings) > 0 {
			v.Change = &scenario.Change{Label: v.Policy.Label(), Settings: settings}
		}
		for k := range out {
			if out[k].Policy.Label() == v.Policy.Label() {
				return nil, &strict.InputError{Err: strict.Error{Pos: c.where, Path: "policies", Problem: "impossible value",
					Found: fmt.Sprintf("%q twice", v.Policy.Label()), Allowed: "different policies, or a name of its own by as"}}
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// sorted returns the settings in the order of their paths.
func sorted(set map[string]string) (settings []strict.Setting) {
	for _, p := range slices.Sorted(maps.Keys(set)) {
		settings = append(settings, strict.Setting{Path: p, Value: set[p]})
	}
	return settings
}
