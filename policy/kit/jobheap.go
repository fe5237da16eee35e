// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
)

// JobHeap is a Heap of jobs. Jobs with equal keys stand in the order of their IDs.
type JobHeap struct {
	keyed.Heap
	Cluster *cluster.State
}

// Set adds the job with the key, or changes its key.
func (h *JobHeap) Set(j *cluster.Job, key keyed.Key) { h.Heap.SetTied(j.Slot, int32(j.ID), key) }

// Remove takes the job out; absent ones are ignored.
func (h *JobHeap) Remove(j *cluster.Job) { h.Heap.Remove(j.Slot) }

// Has reports whether the job is in the heap.
func (h *JobHeap) Has(j *cluster.Job) bool { return h.Heap.Has(j.Slot) }

// Key returns the key of a job that is in the heap.
func (h *JobHeap) Key(j *cluster.Job) keyed.Key { return h.Heap.Key(j.Slot) }

// Head returns the first job without starting an iteration, nil if there is none.
func (h *JobHeap) Head() *cluster.Job {
	if h.Len() == 0 {
		return nil
	}
	slot, _ := h.Top()
	return h.Cluster.At(slot)
}

// First starts an iteration in order and returns the first job, or nil.
func (h *JobHeap) First() *cluster.Job { return h.at(h.Heap.First()) }

// Next returns the job after the last one that First or Next returned, or nil. The heap does not
// change in between.
func (h *JobHeap) Next() *cluster.Job { return h.at(h.Heap.Next()) }

func (h *JobHeap) at(slot int32) *cluster.Job {
	if slot < 0 {
		return nil
	}
	return h.Cluster.At(slot)
}
