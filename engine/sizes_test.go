// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Maps of 3 s and 4 s, a reduce of 5 s that copies 2 s on top: 14 s in all.
func TestSizes(t *testing.T) {
	j := tasks([]float64{3, 4}, []float64{5})
	j.ShuffleTail = 2 * model.Second
	s := newSizes([]model.Job{j}, 1)
	second, reduce := model.Task{Kind: model.Map, Index: 1}, model.Task{Kind: model.Reduce}
	for _, c := range []struct {
		what string
		do   func()
		want model.Time // seconds that remain
	}{
		{"nothing has ended", func() {}, 14},
		{"the second map has ended", func() { s.ended(second) }, 10},
		{"and the reduce", func() { s.ended(reduce) }, 3},
		{"the map must run again", func() { s.undone(second) }, 7},
	} {
		if c.do(); s.Remaining(0) != c.want*model.Second || s.Total(0) != 14*model.Second {
			t.Errorf("%s: %v of %v remain, want %d s of 14", c.what, s.Remaining(0), s.Total(0), c.want)
		}
	}
	if s.forget(0); s.known[0] != nil {
		t.Error("a job that has ended is remembered")
	}
}

// Sizes are those of the lengths that the executor draws: a run of one task after the other takes as long.
func TestSizesAreWhatRuns(t *testing.T) {
	j := model.Job{After: model.None, Maps: 20, MapLength: model.Lengths{Mean: 10 * model.Second, Noise: model.LogNormalNoise, CV: 1}}
	s := newStage(t, set{model: model.Slots, nodes: 1, room: model.Room{1, 1}}, j)
	s.policy.pick = s.eager
	s.play(1e5)
	want := newSizes(s.in.Jobs, s.in.Seed).Total(0)
	if got := s.log.Events[len(s.log.Events)-1].Time; got != want || s.result.Ended != 1 {
		t.Errorf("the job ended at %v, its size is %v", got, want)
	}
}
