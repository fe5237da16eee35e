// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

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

func policiesOf(variants []Variant) []scenario.PolicyChoice {
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

// shared holds the repetitions of every scenario that variants share.
type shared struct {
	lot  []int // of each variant
	reps [][]*Repetition
	left [][]atomic.Int32 // variants that have yet to meet the repetition
}

func newShared(variants []Variant, seeds []uint64, kept *Kept) *shared {
	sh := &shared{}
	var scenarios []*scenario.Scenario
	for _, v := range variants {
		lot := slices.Index(scenarios, v.Scenario)
		if lot < 0 {
			lot = len(scenarios)
			scenarios = append(scenarios, v.Scenario)
			reps := make([]*Repetition, len(seeds))
			for i, seed := range seeds {
				reps[i] = NewRepetition(v.Scenario, seed)
				reps[i].kept = kept
			}
			sh.reps, sh.left = append(sh.reps, reps), append(sh.left, make([]atomic.Int32, len(seeds)))
		}
		sh.lot = append(sh.lot, lot)
		for i := range seeds {
			sh.left[lot][i].Add(1)
		}
	}
	return sh
}

func (sh *shared) of(variant, rep int) *Repetition { return sh.reps[sh.lot[variant]][rep] }

func (sh *shared) done(variant, rep int) {
	lot := sh.lot[variant]
	if sh.left[lot][rep].Add(-1) == 0 {
		sh.reps[lot][rep].release()
	}
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
