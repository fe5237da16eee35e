// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"errors"
	"fmt"
	"math"
)

// Resource names a resource of one Solver: 0, 1, 2… in the order of AddResource.
type Resource int32

// Handle names a running activity. The zero Handle names none; a handle is never used again.
type Handle uint64

// Use is one resource that an activity takes, with the amount per unit of progress.
type Use struct {
	Resource    Resource
	Coefficient float64
}

// Spec describes an activity. Start copies what it needs; the caller keeps Uses.
type Spec struct {
	Tag     uint64  // the caller's name for it: comes back in Done, and stands in errors
	Work    float64 // units of progress to make; 0 ends at once
	Weight  float64 // share of the water level; 0 means 1
	Cap     float64 // greatest rate in units per second; 0 means none
	Streams int     // how many streams it counts as on each resource it uses; 0 for write-back
	Uses    []Use   // resources, each at most once; empty only with a Cap
	Kind    *int32  // where the caller keeps a note of the solver's, 0 at first, that speeds up starts which use the same; or nil
	Sole    bool    // as a rule nothing that runs uses the same, but what was started with this Kind: the solver need not seek it
}

// Done is one completion.
type Done struct {
	Handle Handle
	Tag    uint64
	Time   float64
}

// Least and Most bound every capacity, coefficient, weight and cap, and Most bounds work, so that no
// product or quotient inside over- or underflows.
const (
	Least = 1e-30
	Most  = 1e30
)

// Errors that callers may want to tell apart with errors.Is.
var (
	// ErrCapacity: a capacity is zero, negative, not a number or out of bounds.
	ErrCapacity = errors.New("bad capacity")
	// ErrSpec: an activity's fields are refused.
	ErrSpec = errors.New("bad activity")
	// ErrTime: a time is before the last one, not a number, or jumps over a completion.
	ErrTime = errors.New("bad time")
	// ErrStalled: an activity has rate zero, because a resource is switched off.
	ErrStalled = errors.New("never finishes")
)

func inBounds(x float64) bool { return x >= Least && x <= Most }

// bad refuses a field.
func (spec *Spec) bad(field string, found any, allowed string) error {
	return fmt.Errorf("fluid: activity %d: %s is %v, must be %s: %w", spec.Tag, field, found, allowed, ErrSpec)
}

// check refuses amounts that cannot be run.
func (spec *Spec) check() error {
	if !(spec.Work >= 0 && spec.Work <= Most) {
		return spec.bad("work", spec.Work, "from 0 to 1e30")
	}
	if spec.Weight != 0 && !inBounds(spec.Weight) {
		return spec.bad("weight", spec.Weight, "0 (for 1) or from 1e-30 to 1e30")
	}
	if spec.Cap != 0 && !inBounds(spec.Cap) {
		return spec.bad("cap", spec.Cap, "0 (for none) or from 1e-30 to 1e30")
	}
	if spec.Streams < 0 || spec.Streams > math.MaxInt32 {
		return spec.bad("streams", spec.Streams, "from 0 to 2147483647")
	}
	return nil
}

// check refuses uses that cannot be run.
func (p *supply) check(spec *Spec) error {
	if len(spec.Uses) == 0 && spec.Cap == 0 {
		return spec.bad("uses", "empty", "at least one resource where there is no cap: the rate has no bound")
	}
	for i := range spec.Uses {
		u := &spec.Uses[i]
		if u.Resource < 0 || int(u.Resource) >= len(p.numbers) {
			return spec.bad("uses", fmt.Sprintf("resource %d", u.Resource), fmt.Sprintf("below %d", len(p.numbers)))
		}
		if !inBounds(u.Coefficient) {
			return spec.bad(fmt.Sprintf("coefficient on resource %q", p.name(u.Resource)), u.Coefficient, "from 1e-30 to 1e30")
		}
		for j := range i { // few: a path, or a pipeline of replicas
			if spec.Uses[j].Resource == u.Resource {
				return spec.bad("uses", fmt.Sprintf("resource %q twice", p.name(u.Resource)), "each resource once")
			}
		}
	}
	return nil
}
