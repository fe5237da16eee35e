// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/scenario"
)

const plain = `
cluster: {classes: [{nodes: 4, map-slots: 2, reduce-slots: 1}]}
workload: {generate: {jobs: 5, arrivals: {interval: 5s}, classes: [{name: a, maps: 3}]}}
policies: [fifo, fair]
`

// TestPolicyWithoutName reads a choice that has a label and no policy.
func TestPolicyWithoutName(t *testing.T) {
	src := strings.Replace(plain, "policies: [fifo, fair]", "policy: {as: x}", 1)
	if s, err := scenario.Parse("test.yaml", []byte(src), nil); err == nil {
		t.Errorf("{as: x} is accepted as policy %q, which panics when it runs", s.Policy.Name)
	}
}

// TestIgnoredParameters gives parameters that have no effect, which must not pass in silence.
func TestIgnoredParameters(t *testing.T) {
	for name, class := range map[string]string{
		"mean of uniform":  "{name: a, maps: {kind: uniform, mean: 5}}",
		"cv of constant":   "{name: a, maps: {mean: 5, cv: 2}}",
		"low of lognormal": "{name: a, maps: {kind: lognormal, mean: 5, low: 2}}",
		"cv without kind":  "{name: a, noise: {cv: 0.5}}",
		"uniform cv of 5":  "{name: a, noise: {kind: uniform, cv: 5}}",
		"exponential cv 5": "{name: a, noise: {kind: exponential, cv: 5}}",
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.Replace(plain, "{name: a, maps: 3}", class, 1)
			if _, err := scenario.Parse("test.yaml", []byte(src), nil); err == nil {
				t.Errorf("%s is accepted", class)
			}
		})
	}
}
