// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/yardmaster/yardmaster/engine/known"
	"github.com/yardmaster/yardmaster/model"
)

// Sizes are those of the lengths that the executor draws: a run of one task after the other takes as long.
func TestSizesAreWhatRuns(t *testing.T) {
	j := model.Job{After: model.None, Maps: 20, MapLength: model.Lengths{Mean: 10 * model.Second, Noise: model.LogNormalNoise, CV: 1}}
	s := newStage(t, set{model: model.Slots, nodes: 1, room: model.Room{1, 1}}, j)
	s.policy.pick = s.eager
	s.play(1e5)
	want := known.NewSizes(s.in.Jobs, s.in.Seed).Total(0)
	if got := s.log.Events[len(s.log.Events)-1].Time; got != want || s.result.Ended != 1 {
		t.Errorf("the job ended at %v, its size is %v", got, want)
	}
}
