// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/workload"
)

// Confusion counts jobs by the class that they have and the class that a classifier gives them.
type Confusion struct {
	SmallSmall, SmallLarge, LargeSmall, LargeLarge int
}

// Right returns the share of jobs that are given their class.
func (c *Confusion) Right() float64 {
	return float64(c.SmallSmall+c.LargeLarge) / float64(c.SmallSmall+c.SmallLarge+c.LargeSmall+c.LargeLarge)
}

// LargeCalledSmall returns the share of large jobs that are called small.
func (c *Confusion) LargeCalledSmall() float64 {
	return float64(c.LargeSmall) / float64(max(1, c.LargeSmall+c.LargeLarge))
}

// Confuse holds a classifier against records that were measured. Of jobs that have run before, for which known says
// so, the shuffle data is known; of others it counts as 0. With cautious, the less favourable of two answers counts.
func Confuse(records []workload.Record, c *svm.Classifier, known func(i int) bool, cautious bool) (out Confusion, err error) {
	for i := range records {
		r := &records[i]
		if r.Class != c.Positive && r.Class != c.Negative || r.Maps == workload.Unknown || r.Reduces == workload.Unknown {
			return out, &strict.InputError{Err: fmt.Errorf("job %q of class %q; allowed: a trace that workload measure wrote, with the classes %s and %s", r.Name, r.Class, c.Positive, c.Negative)}
		}
		shuffle := 0.0
		if known(i) {
			shuffle = float64(max(r.Shuffle, 0))
		}
		small := c.Decision(float64(r.Maps), float64(r.Reduces), shuffle) > 0
		if cautious {
			small = hybrid.Cautious(c, float64(r.Maps), float64(r.Reduces), shuffle, known(i)) > 0
		}
		switch is := r.Class == c.Positive; {
		case is && small:
			out.SmallSmall++
		case is:
			out.SmallLarge++
		case small:
			out.LargeSmall++
		default:
			out.LargeLarge++
		}
	}
	return out, nil
}
