// SPDX-License-Identifier: Apache-2.0

package fluid

// Hundreds of activities start and end between two refreshes, and one solution then moves most levels. A holder may rise above
// another that has been noted but not yet looked at. If it left its classes to the other at once, the other might rise too and
// give them back. So it waits until the other has been looked at; only once in a solution, or two could wait for each other
// forever.

// waits says which bottlenecks wait in a solution for another of a lower level.
type waits struct {
	solution int64   // its number
	of       []int64 // of bottlenecks: the number of the solution in which it waits, or less than 0 if it has waited in it
}

// begin begins the next solution, of n bottlenecks.
func (w *waits) begin(n int) {
	w.solution++
	for len(w.of) < n {
		w.of = append(w.of, 0)
	}
}

// may makes a bottleneck wait unless it has waited in this solution.
func (w *waits) may(id int32) bool {
	if w.of[id] == -w.solution {
		return false
	}
	w.of[id] = w.solution
	return true
}

// over reports whether a bottleneck waited until now.
func (w *waits) over(id int32) bool {
	if w.of[id] != w.solution {
		return false
	}
	w.of[id] = -w.solution
	return true
}
