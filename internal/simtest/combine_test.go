// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// TestCombinations holds random combinations of roles to the contract, order by order: in the simulator,
// sometimes with shared resources, and driven by hand while jobs and nodes come.
func TestCombinations(t *testing.T) {
	for _, order := range policies.Tables[0].Names() {
		t.Run(order, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := fromRapid(t)
				c := Generate(d)
				combination, text := Combine(d, order)
				e, params := combination.Entry()
				switch d("way", 0, 2) {
				case 0:
					comeAsTheyCome(t, c, e, params, text)
					return
				case 1:
					c.Share(d)
				}
				if !suits(c, params) {
					return
				}
				for _, failure := range conform(c, e, params) {
					t.Errorf("%s %s: %v\n%s%v", e.Name, failure.check, failure.err, text, c)
				}
			})
		})
	}
}

// TestCombinationsStarveNobody holds the combinations that promise it to what TestNoStarvation asks of
// policies, with default parameters.
func TestCombinationsStarveNobody(t *testing.T) {
	promise := 0
	for _, order := range policies.Tables[0].Names() {
		for _, place := range policies.Tables[1].Names() {
			combination := policies.Combination{Order: policies.Choice{Name: order}, Place: policies.Choice{Name: place}}
			e, params := combination.Entry()
			if e.Promises&policy.StarvationFree == 0 || len(combination.Validate()) > 0 { // some places go with some orders only
				continue
			}
			promise++
			t.Run(e.Name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { starvesNobody(t, e, params) })
			})
		}
	}
	if promise < 6 {
		t.Errorf("only %d combinations promise anything", promise)
	}
}

// TestCombinationIsItsPreset: a combination that is written role by role runs as the policy that stands for
// it.
func TestCombinationIsItsPreset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := fromRapid(t)
		c := Generate(d)
		e := &policies.All[d("policy", 0, len(policies.All)-1)]
		var params any
		if e.Params != nil {
			params = e.Params()
		}
		combination, _ := policies.Preset(e.Name)
		same, roles := combination.Entry()
		if !suits(c, params) {
			return
		}
		want, err := c.run(e, params)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.run(same, roles)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameEvents(want, got); err != nil {
			t.Errorf("%s and %s: %v\n%v", e.Name, same.Name, err, c)
		}
	})
}

// A job whose data is far waits under any order whose place is that of capacity.
func TestChancesUnderAnyOrder(t *testing.T) {
	for _, order := range policies.Tables[0].Names() {
		c := small(model.Slots, 4, model.Room{1, 1})
		c.Topology.Racks = 4
		for i := range c.Topology.Nodes {
			c.Topology.Nodes[i].Rack = model.RackID(i)
		}
		c.add(0, 12, 0, model.Second, func(j *model.Job) { j.Input = 12 * model.MiB }) // unevenly spread over the nodes
		for place, wait := range map[string]bool{"local": false, "chances": true} {
			combination := policies.Combination{Order: policies.Choice{Name: order}, Place: policies.Choice{Name: place}}
			e, params := combination.Entry()
			events, err := c.run(e, params)
			if err != nil {
				t.Fatal(err)
			}
			held := false
			for i := range events {
				held = held || events[i].Limit == model.LimitLocality
			}
			if held != wait {
				t.Errorf("%s: held back by its data: %t", e.Name, held)
			}
		}
	}
}
