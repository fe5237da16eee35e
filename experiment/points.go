// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// gridPoint is one policy of a grid: the settings that make it, one an axis.
type gridPoint struct {
	settings []Setting
	choice   PolicyChoice
}

// policyGrid returns the policies at all points of the axes, which are parameters of the scenario's
// policy. They meet the same workloads as any other policies that are compared.
func policyGrid(s *Scenario, axes []Axis) (points []gridPoint, err error) {
	for i, a := range axes {
		if _, ok := cutPolicyPath(a.Path); !ok {
			return nil, &InputError{fmt.Errorf("%s: allowed: parameters of a policy, policy.NAME.PARAMETER", a.Path)}
		}
		if slices.ContainsFunc(axes[:i], func(b Axis) bool { return a.Path == b.Path }) {
			return nil, &InputError{fmt.Errorf("%s is given twice; allowed: one list of values a parameter", a.Path)}
		}
	}
	g := &Grid{Axes: axes}
	count := 1
	for _, a := range axes {
		if count *= len(a.Values); count > maxRuns {
			return nil, &InputError{fmt.Errorf("the grid has more than %d points", maxRuns)}
		}
	}
	jobs := s.Jobs(s.Seed)
	var faults strict.Errors
	for i := range count {
		p := gridPoint{settings: g.settings(i)}
		var errs strict.Errors
		if p.choice, errs = PolicyWith(s, p.settings, jobs); len(errs) > 0 {
			for _, e := range errs {
				if !slices.Contains(faults, e) {
					faults = append(faults, e)
				}
			}
			continue
		}
		p.choice.As = p.label()
		points = append(points, p)
	}
	if len(faults) > 0 {
		return nil, &InputError{faults}
	}
	return points, nil
}

// label names the point in results: tags capacities=[50%, 50%] limits=[14000s].
func (p *gridPoint) label() string {
	parts := []string{p.choice.Name}
	for _, s := range p.settings {
		parts = append(parts, s.Path[strings.LastIndexByte(s.Path, '.')+1:]+"="+s.Value)
	}
	return strings.Join(parts, " ")
}

// value returns the text of the point on the axis.
func (p *gridPoint) value(path string) string {
	for _, s := range p.settings {
		if s.Path == path {
			return s.Value
		}
	}
	return ""
}

// firstNumber returns the first number in a setting's text, which is its place on an axis of a
// chart: 30 of [30%, 70%].
func firstNumber(text string) float64 {
	from := strings.IndexFunc(text, func(r rune) bool { return unicode.IsDigit(r) })
	if from < 0 {
		return math.NaN()
	}
	v := 0.0
	fmt.Sscanf(text[from:], "%g", &v)
	return v
}
