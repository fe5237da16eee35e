// SPDX-License-Identifier: Apache-2.0

package heapunit

import "time"

// Laps is what equal runs take at the least, lap by lap. Other work on the machine only ever adds time, and comes and goes many times
// within a long run: of each lap the quickest of all runs counts, as it does of the short runs by which the unit is measured.
type Laps struct {
	least []time.Duration
	lap   int
	began time.Duration
}

// Start begins a run, on the thread to which the caller has locked its goroutine.
func (l *Laps) Start() { l.lap, l.began = 0, Thread() }

// Lap ends a lap and begins the next one. The last one of a run ends with it.
func (l *Laps) Lap() {
	now := Thread()
	if l.lap == len(l.least) {
		l.least = append(l.least, now-l.began)
	}
	l.least[l.lap] = min(l.least[l.lap], now-l.began)
	l.lap, l.began = l.lap+1, now
}

// Least returns what a run takes whose laps are all the quickest of their kind.
func (l *Laps) Least() (sum time.Duration) {
	for _, lap := range l.least {
		sum += lap
	}
	return sum
}
