// SPDX-License-Identifier: Apache-2.0

package running

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

// Queue is what begins later, in order of the times at which it was put there, which need not come in order.
type Queue[T comparable] struct {
	list   []turn[T]
	mixed  bool // the times are not in order
	served []T
}

type turn[T comparable] struct {
	at   model.Time
	what T
}

// Len returns how many wait.
func (q *Queue[T]) Len() int { return len(q.list) }

// Add puts one there at a time.
func (q *Queue[T]) Add(at model.Time, what T) {
	if n := len(q.list); n > 0 && at < q.list[n-1].at {
		q.mixed = true
	}
	q.list = append(q.list, turn[T]{at, what})
}

// Drop takes the first of its kind out.
func (q *Queue[T]) Drop(what T) {
	if i := slices.IndexFunc(q.list, func(t turn[T]) bool { return t.what == what }); i >= 0 {
		q.list = slices.Delete(q.list, i, i+1)
	}
}

// Take empties the queue and returns what was there, valid until the next call.
func (q *Queue[T]) Take() []T {
	if q.mixed {
		slices.SortStableFunc(q.list, func(a, b turn[T]) int { return cmp.Compare(a.at, b.at) })
	}
	q.served = q.served[:0]
	for i := range q.list {
		q.served = append(q.served, q.list[i].what)
	}
	q.list, q.mixed = q.list[:0], false
	return q.served
}
