// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/scenario"
)

// A change of a policy's parameter changes the policy that runs on the changed scenario, and that one alone.
func TestVariantsChangePolicies(t *testing.T) {
	s, err := scenario.Parse("tiny.yaml", []byte(tinyScenario), []strict.Setting{{Path: "policy", Value: "{delay: {node-skips: 3}}"}, {Path: "policies", Value: "[fifo, {delay: {node-skips: 3}}]"}})
	if err != nil {
		t.Fatal(err)
	}
	skips := func(c scenario.PolicyChoice) string {
		for _, f := range strict.Fields(c.Parameters(policies.Choosable)) {
			if f.Path == "node-skips" {
				return f.Default
			}
		}
		return ""
	}
	more := &scenario.Change{Label: "more", Settings: []strict.Setting{{Path: "policy.delay.node-skips", Value: "40"}}}
	list, err := experiment.Variants(s, s.Policies, []*scenario.Change{more})
	if err != nil {
		t.Fatal(err)
	}
	if got := skips(list[1].Policy); got != "3" {
		t.Errorf("delay as it was skips %s, want 3", got)
	}
	if got := skips(list[3].Policy); got != "40" || list[3].Policy.Label() != "delay, more" {
		t.Errorf("%s skips %s, want 40", list[3].Policy.Label(), got)
	}
	other := &scenario.Change{Label: "srpt", Settings: []strict.Setting{{Path: "policy", Value: "srpt"}}}
	list, err = experiment.Variants(s, s.Policies[:1], []*scenario.Change{other})
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Policy.Name != "fifo" || list[1].Policy.Name != "srpt" {
		t.Errorf("%s and %s run, want fifo and srpt", list[0].Policy.Name, list[1].Policy.Name)
	}
}
