// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// Point is one policy of a grid: the settings that make it, one for each axis.
type Point struct {
	Settings []strict.Setting
	Choice   scenario.PolicyChoice
}

// PolicyGrid returns the policies at all points of the axes, which are parameters of the scenario's
// policy. They meet the same workloads as any other policies that are compared.
func PolicyGrid(s *scenario.Scenario, axes []Axis) (points []Point, err error) {
	for i, a := range axes {
		if _, ok := scenario.PolicyPath(a.Path); !ok {
			return nil, &strict.InputError{Err: fmt.Errorf("%s: allowed: parameters of a policy, policy.NAME.PARAMETER", a.Path)}
		}
		if slices.ContainsFunc(axes[:i], func(b Axis) bool { return a.Path == b.Path }) {
			return nil, &strict.InputError{Err: fmt.Errorf("%s is given twice; allowed: one list of values for each parameter", a.Path)}
		}
	}
	grid, err := Combinations(axes, "grid", "points")
	if err != nil {
		return nil, err
	}
	jobs := s.Jobs(s.Seed)
	var faults strict.Errors
	for _, settings := range grid {
		p := Point{Settings: settings}
		var errs strict.Errors
		if p.Choice, errs = scenario.PolicyWith(s, p.Settings, jobs); len(errs) > 0 {
			for _, e := range errs {
				if !slices.Contains(faults, e) {
					faults = append(faults, e)
				}
			}
			continue
		}
		p.Choice.As = p.label()
		points = append(points, p)
	}
	if len(faults) > 0 {
		return nil, &strict.InputError{Err: faults}
	}
	return points, nil
}

// label names the point in results: tags capacities=[50%, 50%] limits=[14000s].
func (p *Point) label() string {
	parts := []string{p.Choice.Name}
	for _, s := range p.Settings {
		parts = append(parts, lastOf(s.Path)+"="+s.Value)
	}
	return strings.Join(parts, " ")
}

// lastOf returns the last step of a path: a field, or a key in brackets such as a property, without what all of YARN's
// queues have in front.
func lastOf(path string) string {
	if at := strings.LastIndex(path, `["`); at >= 0 && strings.HasSuffix(path, `"]`) {
		return strings.TrimPrefix(path[at+2:len(path)-2], "yarn.scheduler.capacity.")
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

// Value returns the text of the point on the axis.
func (p *Point) Value(path string) string {
	for _, s := range p.Settings {
		if s.Path == path {
			return s.Value
		}
	}
	return ""
}
