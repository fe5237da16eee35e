// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"slices"
	"strconv"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// A share is a number from 0 to 1, both among them. NaN, which Hadoop's files may say, compares with neither.
func TestShares(t *testing.T) {
	for _, name := range []string{"mapreduce.job.reduce.slowstart.completedmaps", "yarn.app.mapreduce.am.job.reduce.rampup.limit",
		"yarn.app.mapreduce.am.job.reduce.preemption.limit", "mapreduce.job.speculative.speculative-cap-total-tasks"} {
		for value, taken := range map[string]bool{"0": true, "1": true, "0.5f": true, "NaN": false, "-NaN": false, "Infinity": false, "-0.1": false, "1.1": false} {
			h := Hosting{Properties: map[string]string{name: value}}
			want := []model.Problem(nil)
			if !taken {
				want = []model.Problem{{Path: propertyPath(name), Found: strconv.Quote(value), Allowed: "a number from 0 to 1"}}
			}
			if got := h.check(); !slices.Equal(got, want) {
				t.Errorf("%s = %s: %v, want %v", name, value, got, want)
			}
		}
	}
}
