// SPDX-License-Identifier: Apache-2.0

// Package policies holds the scheduling policies, one file and one test each. A policy file uses
// nothing declared in another one; what two need lives in the package policy/kit.
//
// A policy is a preset: a name for a Combination of roles. A Table lists what can play each role, and a
// combination that has no name of its own can be written down as well.
//
// To add one: write its file with a function that returns its preset and, if it brings a new role, one
// that returns the Role; its test; one line in presets, and one in Tables; and one scenario test. Help,
// docs, scenario validation and the conformance suite follow.
package policies

import "github.com/yardmaster/yardmaster/policy"

// presets are the policies in the order of the table.
var presets = []preset{
	fifoPreset(),
	fairPreset(),
	delayPreset(),
	srptPreset(),
	sptpPreset(),
	edfPreset(),
	deadlineMinPreset(),
	deadlineMaxPreset(),
	fbqPreset(),
	tagsPreset(),
	sitaPreset(),
	compPreset(),
	capacityPreset(),
	shuffleWatcherPreset(),
	nasPreset(),
	corralPreset(),
	jobPackerPreset(),
	hybridPreset(),
}

// All is the table of policies.
var All = registry(presets)

// preset is a policy that is a combination of roles. What it needs, can do and promises follows from them.
type preset struct {
	policy.Entry
	roles func(params any) Combination
}

// registry makes entries of presets.
func registry(presets []preset) policy.Registry {
	all := make(policy.Registry, len(presets))
	for i, p := range presets {
		c := p.combination(nil)
		p.Needs, p.Can, p.Promises = c.needs(), c.can(), c.promises()
		p.New = func(env *policy.Env, params any) (policy.Policy, error) {
			c := p.roles(params)
			return c.build(env)
		}
		all[i] = p.Entry
	}
	return all
}

// combination returns the roles that the preset has with the parameters, nil for its defaults.
func (p *preset) combination(params any) Combination {
	if params == nil && p.Params != nil {
		params = p.Params()
	}
	return p.roles(params)
}

// Preset returns the combination that a policy of the table stands for, with its default parameters.
func Preset(name string) (Combination, bool) {
	for i := range presets {
		if presets[i].Name == name {
			return presets[i].combination(nil), true
		}
	}
	return Combination{}, false
}
