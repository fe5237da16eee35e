// SPDX-License-Identifier: Apache-2.0

package policy

import "github.com/yardmaster/yardmaster/cluster"

// PerJob keeps a T for every job that is in the cluster: the zero value when a job comes, forgotten by
// the driver when it has left. Its memory follows the most jobs that were there at a time.
type PerJob[T any] struct{ items []T } // by slot

// NewPerJob returns a store for the jobs of the environment.
func NewPerJob[T any](env *Env) *PerJob[T] {
	p := &PerJob[T]{}
	env.stores = append(env.stores, p)
	return p
}

// Of returns what is kept about a job. It is valid until the next call for a job that has just come.
func (p *PerJob[T]) Of(j *cluster.Job) *T {
	if int(j.Slot) >= len(p.items) {
		p.items = append(p.items, make([]T, int(j.Slot)+1-len(p.items))...)
	}
	return &p.items[j.Slot]
}

func (p *PerJob[T]) forget(slot int32) {
	if int(slot) < len(p.items) {
		var none T
		p.items[slot] = none
	}
}

// store forgets jobs.
type store interface{ forget(slot int32) }

// forget makes all stores forget a job that leaves.
func (e *Env) forget(j *cluster.Job) {
	for _, s := range e.stores {
		s.forget(j.Slot)
	}
}

// JobHeap is a Heap of jobs. Jobs with equal keys stand in the order of their IDs.
type JobHeap struct {
	Heap
	Cluster *cluster.State
}

// Set adds the job with the key, or changes its key.
func (h *JobHeap) Set(j *cluster.Job, key Key) { h.Heap.SetTied(j.Slot, int32(j.ID), key) }

// Remove takes the job out; absent ones are ignored.
func (h *JobHeap) Remove(j *cluster.Job) { h.Heap.Remove(j.Slot) }

// Has reports whether the job is in the heap.
func (h *JobHeap) Has(j *cluster.Job) bool { return h.Heap.Has(j.Slot) }

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
