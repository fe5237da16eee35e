// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/ahead"
)

// PerJob keeps a T for every job that is in the cluster: the zero value when a job comes, forgotten by
// the driver when it has left. Its memory follows the most jobs that were there at a time.
type PerJob[T any] struct {
	items  []T // by slot
	env    *Env
	number int // of the store
}

// NewPerJob returns a store for the jobs of the environment.
func NewPerJob[T any](env *Env) *PerJob[T] {
	p := &PerJob[T]{env: env, number: len(env.stores)}
	env.stores, env.rows = append(env.stores, p), append(env.rows, ahead.Rows{})
	return p
}

// Of returns what is kept about a job. It is valid until the next call for a job that has just come.
func (p *PerJob[T]) Of(j *cluster.Job) *T {
	if int(j.Slot) >= len(p.items) {
		p.grow(int(j.Slot) + 1)
	}
	return &p.items[j.Slot]
}

func (p *PerJob[T]) grow(n int) {
	p.items = append(p.items, make([]T, n-len(p.items))...)
	p.env.rows[p.number] = ahead.RowsOf(p.items)
}

func (p *PerJob[T]) forget(slot int32) {
	if int(slot) < len(p.items) {
		var none T
		p.items[slot] = none
	}
}

// store keeps something about each job and forgets it.
type store interface{ forget(slot int32) }

// forget makes all stores forget a job that leaves.
func (e *Env) forget(j *cluster.Job) {
	for _, s := range e.stores {
		s.forget(j.Slot)
	}
}
