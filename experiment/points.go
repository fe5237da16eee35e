// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// gridPoint is one policy of a grid: the settings that make it, one an axis.
type gridPoint struct {
	settings []Setting
	choice   PolicyChoice
}

// policyGrid returns the policies at all points of the axes, which are parameters of the scenario's
// policy. They meet the same workloads as any other policies that are compared.
func (s *Scenario) policyGrid(axes []Axis) (points []gridPoint, err error) {
	for _, a := range axes {
		if _, ok := cutPolicyPath(a.Path); !ok {
			return nil, &InputError{fmt.Errorf("%s: allowed: parameters of a policy, policy.NAME.PARAMETER", a.Path)}
		}
	}
	g, err := NewGrid(s, axes, 1)
	if err != nil {
		return nil, err
	}
	for i, at := range g.scenarios {
		p := gridPoint{g.settings(i), at.Policy}
		p.choice.As = p.label()
		points = append(points, p)
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
