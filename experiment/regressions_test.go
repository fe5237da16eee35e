// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"strings"
	"testing"
)

// holds fails the test if the check returns an error.
func holds(t *testing.T, check func() error) {
	t.Helper()
	if err := check(); err != nil {
		t.Error(err)
	}
}

// TestPolicyWithoutName reads a choice that has a label and no policy.
func TestPolicyWithoutName(t *testing.T) {
	holds(t, func() error {
		src := strings.Replace(cancelScenario, "policies: [fifo, fair]", "policy: {as: x}", 1)
		if s, err := Parse("test.yaml", []byte(src), nil); err == nil {
			return fmt.Errorf("{as: x} is accepted as policy %q, which panics when it runs", s.Policy.Name)
		}
		return nil
	})
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
			holds(t, func() error {
				src := strings.Replace(cancelScenario, "{name: a, maps: 3}", class, 1)
				if _, err := Parse("test.yaml", []byte(src), nil); err == nil {
					return fmt.Errorf("%s is accepted", class)
				}
				return nil
			})
		})
	}
}
