// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// Variant is one of the things that a comparison compares: a policy on a scenario, which may be a
// changed one.
type Variant struct {
	Scenario *scenario.Scenario
	Policy   scenario.PolicyChoice
	Change   *scenario.Change // nil where the scenario is as it was
}

// PoliciesOf returns what the variants run under.
func PoliciesOf(variants []Variant) []scenario.PolicyChoice {
	choices := make([]scenario.PolicyChoice, len(variants))
	for i := range variants {
		choices[i] = variants[i].Policy
	}
	return choices
}

// Prices says what the clusters of variants cost, where all prices are known and not equal; otherwise nothing.
func Prices(variants []Variant) string {
	var parts []string
	equal, first := true, 0.0
	for i := range variants {
		price, known := variants[i].Scenario.Cluster.Price()
		if !known {
			return ""
		}
		if i == 0 {
			first = price
		}
		equal = equal && price == first
		parts = append(parts, fmt.Sprintf("%s %s", variants[i].Policy.Label(), strconv.FormatFloat(price, 'f', -1, 64)))
	}
	if equal {
		return ""
	}
	return "The clusters do not cost the same: " + strings.Join(parts, ", ") + "."
}

// Variants returns every policy on the scenario as it is, then every policy on each change of it.
func Variants(s *scenario.Scenario, choices []scenario.PolicyChoice, changes []*scenario.Change) ([]Variant, error) {
	var out []Variant
	for i := range choices {
		out = append(out, Variant{Scenario: s, Policy: choices[i]})
	}
	for _, c := range changes {
		changed, on, err := c.On(s, choices)
		if err != nil {
			return nil, err
		}
		for i, choice := range on {
			choice.As = scenario.Label(choices[i].Label() + ", " + c.Label)
			out = append(out, Variant{Scenario: changed, Policy: choice, Change: c})
		}
	}
	for i := range out {
		for k := range i {
			if out[i].Policy.Label() == out[k].Policy.Label() {
				return nil, &strict.InputError{Err: fmt.Errorf("%q is compared twice; allowed: different policies, files and changes", out[i].Policy.Label())}
			}
		}
	}
	return out, nil
}
