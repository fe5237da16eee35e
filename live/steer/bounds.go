// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// Bounds keep what a controller sets within limits that its operator names.
type Bounds struct {
	Min, Max float64    // of the value
	Step     float64    // largest change at a time
	Interval model.Time // least time between two changes
}

// Limit returns the value to set where one is wanted: it lies within the bounds and is no further from the present one
// than a step, if that is known.
func (b *Bounds) Limit(wanted, present float64, known bool) float64 {
	v := min(max(wanted, b.Min), b.Max)
	if known && math.Abs(v-present) > b.Step {
		v = present + math.Copysign(b.Step, v-present)
	}
	return math.Round(v*1e6) / 1e6
}

// Wait returns why a change has to wait, empty if it does not: changed is when the last one was made.
func (b *Bounds) Wait(now, changed model.Time) string {
	if since := now - changed; since < b.Interval {
		return fmt.Sprintf("%s since the last change; the least interval is %s", since, b.Interval)
	}
	return ""
}

// Problems returns what is wrong with the bounds.
func (b *Bounds) Problems() []string {
	var out []string
	if !(b.Min >= 0 && b.Min <= b.Max && b.Max <= 1) {
		out = append(out, fmt.Sprintf("--min %v --max %v: allowed: shares from 0 to 1, the least first", b.Min, b.Max))
	}
	if !(b.Step > 0) {
		out = append(out, fmt.Sprintf("--step %v: allowed: above 0", b.Step))
	}
	if b.Interval < 0 {
		out = append(out, fmt.Sprintf("--interval %s: allowed: at least 0s", b.Interval))
	}
	return out
}
