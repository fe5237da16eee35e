// SPDX-License-Identifier: Apache-2.0

package exec

import "github.com/yardmaster/yardmaster/model"

// replay is the model in which lengths come with the workload: a map takes its length, a reduce copies
// for the job's shuffle tail when all maps have ended, then takes its length.
type replay struct{ *ground }

var _ pace = (*replay)(nil)

func (r *replay) start(now model.Time, id ID, locality model.Locality) {
	a := r.at(id)
	if a.Task.Kind == model.Map {
		r.endAfterLength(now, id, a, locality)
	} else if r.jobs.At(a.Slot).job.MapsDone() {
		r.copy(now, id)
	}
}

// copy begins the shuffle tail of a reduce whose maps are all done.
func (r *replay) copy(now model.Time, id ID) {
	a := r.at(id)
	w := r.jobs.At(a.Slot)
	tail := w.spec.ShuffleTail
	if own := w.onClass(r.Topology.Nodes[a.Node].Class); own != nil {
		tail = own.Tail
	}
	if tail > 0 {
		r.shuffling(now, id)
		r.attempts.Wait(id, r.Timers.At(now+tail, Event{tailEnds, a.Slot, id}))
		return
	}
	r.compute(now, id)
	r.endAfterLength(now, id, a, model.NoInput)
}

func (r *replay) mapsOver(now model.Time, _ *jobWork, waiting []ID) {
	for _, id := range waiting {
		r.copy(now, id)
	}
}

// A timer is all that an attempt waits for.
func (r *replay) drop(model.Time, ID) {}
