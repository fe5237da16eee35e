// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"

	"github.com/yardmaster/yardmaster/internal/matching"
	"github.com/yardmaster/yardmaster/model"
)

// Rules configures how rates on links follow what happens, and what counts as congestion.
type Rules struct {
	Refresh    Refresh        `yaml:"refresh" doc:"When rates are worked out: exact (at every start and end of a flow), or on a tick such as 1s, for very large runs."`
	Congestion model.Fraction `yaml:"congestion" above:"0" max:"1" doc:"Share of a rack link in use above which it is congested."`
	Sample     model.Time     `yaml:"sample" min:"1ms" doc:"How often links are looked at for congestion and use; a tick looks at every refresh instead."`

	Circuits *CircuitRules `yaml:"circuits" doc:"An optical switch that connects racks directly, for large shuffle flows; none if left out."`
}

// Refresh is the tick on which rates are worked out; 0 is exact.
type Refresh model.Time

// Exact works rates out at every change.
const Exact Refresh = 0

// Allowed describes the accepted text of a Refresh.
func (Refresh) Allowed() string { return "exact, or " + model.Time(0).Allowed() }

// TypeName is the name of the type in the reference.
func (Refresh) TypeName() string { return "exact or duration" }

// UnmarshalText reads exact or a duration.
func (r *Refresh) UnmarshalText(text []byte) error {
	if string(text) == "exact" {
		*r = Exact
		return nil
	}
	return (*model.Time)(r).UnmarshalText(text)
}

// String returns the text form.
func (r Refresh) String() string {
	if r == Exact {
		return "exact"
	}
	return model.Time(r).String()
}

// MarshalText writes the form that UnmarshalText reads.
func (r Refresh) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// DefaultRules returns exact rates on links alone.
func DefaultRules() Rules { return Rules{Congestion: 0.8, Sample: model.Second} }

// Validate returns the faults that the types cannot express.
func (r *Rules) Validate() (problems []model.Problem) {
	if r.Refresh != Exact && r.Refresh < Refresh(model.Millisecond) {
		problems = append(problems, model.Problem{Path: "refresh", Found: r.Refresh.String(), Allowed: "exact, or at least 1ms"})
	}
	if r.Circuits != nil && r.Refresh != Exact {
		problems = append(problems, model.Problem{Path: "refresh", Found: r.Refresh.String() + " with circuits", Allowed: "exact: circuits come and go between ticks"})
	}
	return problems
}

// CircuitRules configures an optical circuit switch between racks (diverse-2018 §4.1.2).
type CircuitRules struct {
	Rate     model.Rate  `yaml:"rate" above:"0" doc:"Rate of a circuit from one rack to another."`
	Interval model.Time  `yaml:"interval" min:"1ms" doc:"How often the circuits are matched to the demand."`
	Delay    model.Time  `yaml:"delay" min:"0" doc:"How long a circuit that is made carries nothing."`
	Elephant model.Bytes `yaml:"elephant" above:"0" doc:"Shuffle flows between racks that are larger use circuits only, all others packets only. A flow is what one reduce fetches from one rack; for a job whose shuffle the policy aggregates, all that it sends from one rack to another."`
	Planes   int         `yaml:"planes" min:"1" doc:"Circuits over which a rack may send at a time, and over which it may receive, each to another rack."`
	Age      model.Time  `yaml:"age" min:"0" doc:"Pairs of racks that have waited for a circuit for so long come before all others; 0 means never."`
}

// SetDefaults fills what a scenario leaves out with the settings of diverse-2018 §4.3.1.
func (r *CircuitRules) SetDefaults() {
	*r = CircuitRules{Rate: 12_500_000_000, Interval: model.Second, Delay: 10 * model.Millisecond, Elephant: 1_125_000_000, Planes: 1}
}

// Validate returns the faults of the section on a cluster of the given number of racks.
func (r *CircuitRules) Validate(racks int) (problems []model.Problem) {
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	if r.Interval <= r.Delay {
		bad("circuits.interval", fmt.Sprintf("%v with a delay of %v", r.Interval, r.Delay), "longer than the delay: circuits would never carry anything")
	}
	switch {
	case racks < 2:
		bad("circuits", "circuits in a cluster of one rack", "at least two racks: circuits connect racks")
	case racks > matching.MaxPorts:
		bad("circuits", fmt.Sprintf("circuits between %d racks", racks), fmt.Sprintf("at most %d racks", matching.MaxPorts))
	case r.Planes > racks-1:
		bad("circuits.planes", fmt.Sprintf("%d in a cluster of %d racks", r.Planes, racks), fmt.Sprintf("1 to %d: each circuit of a rack goes to another rack", racks-1))
	}
	return problems
}
