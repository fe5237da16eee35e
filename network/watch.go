// SPDX-License-Identifier: Apache-2.0

package network

import (
	"slices"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Watch looks at the racks' links to the core: which are congested, how much of all is in use. It records
// what has changed since the last look.
type Watch struct {
	solver    *fluid.Solver
	fabric    *Fabric
	records   *record.Sender
	limit     float64   // share of a link in use above which it is congested
	congested []bool    // by link: 2*rack up, 2*rack+1 down
	shares    []float64 // of each link in use
	load      [2]float64
}

// NewWatch returns a watch of the links of all racks.
func NewWatch(s *fluid.Solver, f *Fabric, records *record.Sender, congestion model.Fraction) *Watch {
	n := 2 * f.Racks()
	return &Watch{solver: s, fabric: f, records: records, limit: float64(congestion), congested: make([]bool, n), shares: make([]float64, n)}
}

// Idle reports whether nothing was on the links at the last look.
func (w *Watch) Idle() bool { return w.load == [2]float64{} }

// Look returns the shares of the links' capacity that are in use: 2*rack up, 2*rack+1 down. They are valid
// until the next look. The solver has been brought to now.
func (w *Watch) Look(now model.Time) []float64 {
	var used, capacity [2]float64
	changed := false
	for rack := range w.fabric.Racks() {
		up, down := w.fabric.RackLinks(rack)
		for way, r := range [2]fluid.Resource{up, down} {
			u, c := w.solver.Load(r)
			used[way] += u
			capacity[way] += c
			link := 2*rack + way
			changed = changed || w.shares[link] != u/c
			w.shares[link] = u / c
			w.note(now, link, u > c*w.limit)
		}
	}
	load := [2]float64{used[0] / capacity[0], used[1] / capacity[1]}
	if changed || load != w.load {
		w.load = load
		w.records.Send(record.Event{Time: now, Kind: record.LinkLoads, Task: model.Task{Job: model.None}, Node: model.None,
			Up: load[0], Down: load[1], Links: &record.Links{Use: slices.Clone(w.shares)}})
	}
	return w.shares
}

func (w *Watch) note(now model.Time, link int, congested bool) {
	if w.congested[link] == congested {
		return
	}
	w.congested[link] = congested
	kind := record.LinkRelieved
	if congested {
		kind = record.LinkCongested
	}
	w.records.Send(record.Event{Time: now, Kind: kind, Task: model.Task{Job: model.None}, Node: model.None, Count: int32(link)})
}
