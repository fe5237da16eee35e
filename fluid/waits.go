// SPDX-License-Identifier: Apache-2.0

package fluid

// Much changes between two refreshes, so many levels move in one solution. A holder that rises above another, which is noted
// but was not looked at yet, should not leave its classes to it: the other may rise as well, and give them back. So it waits
// until the other was looked at. It does so once in a solution, or two might wait for each other forever.

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
