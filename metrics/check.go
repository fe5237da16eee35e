// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/model"
)

// Check verifies what must hold of the rows of any run: blame adds up to elapsed, limits to the
// time held back, and no span is negative.
func (r *Run) Check() error {
	var errs []error
	for i := range r.Jobs {
		j := &r.Jobs[i]
		var blame, limits model.Time
		for _, p := range j.Blame {
			blame += p
		}
		for _, l := range j.Limits {
			limits += l
		}
		held := j.Blame[NotAdmitted] + j.Blame[FirstContainer] + j.Blame[MapsStarved] + j.Blame[ReducesStarved]
		switch {
		case blame != j.Elapsed():
			errs = append(errs, fmt.Errorf("job %d: blame adds up to %v, elapsed is %v", j.ID, blame, j.Elapsed()))
		case limits != held:
			errs = append(errs, fmt.Errorf("job %d: limits add up to %v, it was held back for %v", j.ID, limits, held))
		case j.Waiting() < 0 || j.Execution() < 0:
			errs = append(errs, fmt.Errorf("job %d: waiting %v, execution %v", j.ID, j.Waiting(), j.Execution()))
		}
		for p, t := range j.Blame {
			if t < 0 {
				errs = append(errs, fmt.Errorf("job %d: negative blame %v for %v", j.ID, t, Part(p)))
			}
		}
	}
	return errors.Join(errs...)
}
