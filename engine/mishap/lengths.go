// SPDX-License-Identifier: Apache-2.0

package mishap

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// Lengths sums up the ended tasks of one kind of a job, for speculation.
type Lengths struct {
	sum     model.Time
	squares float64
	Count   int32
}

// Add counts a task.
func (l *Lengths) Add(length model.Time) {
	l.sum += length
	l.squares += float64(length) * float64(length)
	l.Count++
}

// Mean returns the mean length of the tasks, of which there must be some.
func (l *Lengths) Mean() float64 { return float64(l.sum) / float64(l.Count) }

// Deviation returns the standard deviation of their lengths.
func (l *Lengths) Deviation() float64 {
	mean := l.Mean()
	return math.Sqrt(max(l.squares/float64(l.Count)-mean*mean, 0))
}
