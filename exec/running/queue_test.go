// SPDX-License-Identifier: Apache-2.0

package running

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// What was put there out of turn comes in the order of its time, behind what came at the same time; what is no longer wanted
// does not come.
func TestQueue(t *testing.T) {
	var q Queue[string]
	for _, c := range []struct {
		at   model.Time
		what string
	}{{1, "a"}, {3, "b"}, {3, "gone"}, {2, "c"}, {3, "d"}} {
		q.Add(c.at, c.what)
	}
	q.Drop("gone")
	q.Drop("never there")
	if got := q.Take(); !slices.Equal(got, []string{"a", "c", "b", "d"}) || q.Len() != 0 {
		t.Errorf("%v, %d left", got, q.Len())
	}
	q.Add(1, "e")
	if got := q.Take(); !slices.Equal(got, []string{"e"}) {
		t.Errorf("%v", got)
	}
}
