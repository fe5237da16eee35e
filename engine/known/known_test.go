// SPDX-License-Identifier: Apache-2.0

package known

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Maps of 3 s and 4 s, a reduce of 5 s that copies 2 s on top: 14 s in all.
func TestSizes(t *testing.T) {
	const sec = model.Second
	j := model.Job{After: model.None, Maps: 2, Reduces: 1, ShuffleTail: 2 * sec,
		MapLength: model.Lengths{Fixed: []model.Time{3 * sec, 4 * sec}}, ReduceLength: model.Lengths{Fixed: []model.Time{5 * sec}}}
	s := NewSizes([]model.Job{j}, 1)
	second, reduce := model.Task{Kind: model.Map, Index: 1}, model.Task{Kind: model.Reduce}
	for _, c := range []struct {
		what string
		do   func()
		want model.Time // seconds that remain
	}{
		{"nothing has ended", func() {}, 14},
		{"the second map has ended", func() { s.Ended(second) }, 10},
		{"and the reduce", func() { s.Ended(reduce) }, 3},
		{"the map must run again", func() { s.Undone(second) }, 7},
	} {
		if c.do(); s.Remaining(0) != c.want*model.Second || s.Total(0) != 14*model.Second {
			t.Errorf("%s: %v of %v remain, want %d s of 14", c.what, s.Remaining(0), s.Total(0), c.want)
		}
	}
	if s.Forget(0); s.known[0] != nil {
		t.Error("a job that has ended is remembered")
	}
}
