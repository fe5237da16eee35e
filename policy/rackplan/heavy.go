// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// candidate is a pair of widths for a heavy job.
type candidate struct {
	Widths
	bound model.Time // it cannot be done earlier
}

// before is the order in which candidates are preferred that are done at the same time: few racks, then few of maps.
func (w Widths) before(v Widths) bool {
	return cmp.Or(cmp.Compare(w.Map+w.Reduce, v.Map+v.Reduce), cmp.Compare(w.Map, v.Map)) < 0
}

// mapsIn are the racks of the maps of a job if they are that many.
type mapsIn struct {
	racks []int
	start model.Time
	end   model.Time
}

// placeHeavy books the containers of a heavy job: of the pair of widths, and the racks, with the earliest completion. Pairs
// are tried in the order of what they can reach at best, so that most are never tried.
func (p *planner) placeHeavy(f *policy.Forecast, pairs []Widths, out *Placement) {
	byWidth := make([]*mapsIn, p.site.Racks()+1)
	var candidates []candidate
	for _, w := range pairs {
		if byWidth[w.Map] == nil {
			byWidth[w.Map] = p.chooseMaps(f, w.Map)
		}
		reduces := ceil(ceil(p.tasks(f, model.Reduce), w.Reduce), slices.Max(p.site.Containers[model.Reduce]))
		bound := byWidth[w.Map].end + p.site.Shuffle(f, w, p.rules.Form) + model.Time(reduces)*f.Length[model.Reduce]
		candidates = append(candidates, candidate{w, bound})
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.bound, b.bound) })
	best, done := Widths{}, model.Forever
	for _, c := range candidates {
		if c.bound > done {
			break
		}
		p.bookMaps(f, byWidth[c.Map], c.Map)
		_, end := p.chooseReduces(f, byWidth[c.Map], c.Widths)
		p.unbook(byWidth[c.Map])
		if end < done || end == done && c.before(best) {
			best, done = c.Widths, end
		}
	}
	maps := byWidth[best.Map]
	p.bookMaps(f, maps, best.Map)
	reduces, end := p.chooseReduces(f, maps, best)
	out.Start, out.End = maps.start, [model.Kinds]model.Time{maps.end, end}
	for _, r := range maps.racks {
		copy(p.free[model.Map][r], p.after[r])
		out.Racks[model.Map] = append(out.Racks[model.Map], Share{model.RackID(r), int32(p.share(f, model.Map, best.Map))})
	}
	p.unbook(maps)
	w := p.reduceWork(f, maps, best)
	for _, r := range reduces {
		p.free[model.Reduce][r.rack].book(w)
		out.Racks[model.Reduce] = append(out.Racks[model.Reduce], Share{model.RackID(r.rack), int32(w.tasks)})
	}
	for k := range out.Racks {
		slices.SortFunc(out.Racks[k], func(a, b Share) int { return cmp.Compare(a.Rack, b.Rack) })
	}
}

// share returns for how many tasks of a kind containers are booked in each rack.
func (p *planner) share(f *policy.Forecast, k model.Kind, width int) int {
	return ceil(p.tasks(f, k), width)
}

func (p *planner) mapWork(f *policy.Forecast, width int) work {
	return work{p.share(f, model.Map, width), f.Arrival, f.Length[model.Map]}
}

func (p *planner) reduceWork(f *policy.Forecast, maps *mapsIn, w Widths) work {
	return work{p.share(f, model.Reduce, w.Reduce), maps.end + p.site.Shuffle(f, w, p.rules.Form), f.Length[model.Reduce]}
}

// chooseMaps returns the racks that are done first with the maps.
func (p *planner) chooseMaps(f *policy.Forecast, width int) *mapsIn {
	free := p.free[model.Map]
	usable := func(rack int) timeline {
		if p.rules.SameRacks && !p.site.has(model.Reduce, rack) {
			return nil
		}
		return free[rack]
	}
	chosen, end := p.choose(usable, p.mapWork(f, width), width)
	m := &mapsIn{start: model.Forever, end: end}
	for _, c := range chosen {
		m.racks = append(m.racks, c.rack)
		m.start = min(m.start, max(free[c.rack][0], f.Arrival))
	}
	return m
}

// bookMaps fills after with the maps of a pair that is tried.
func (p *planner) bookMaps(f *policy.Forecast, m *mapsIn, width int) {
	w := p.mapWork(f, width)
	for _, r := range m.racks {
		p.booked[r] = append(p.booked[r][:0], p.free[model.Map][r]...)
		p.booked[r].book(w)
		p.after[r] = p.booked[r]
	}
}

// unbook empties after.
func (p *planner) unbook(m *mapsIn) {
	for _, r := range m.racks {
		p.after[r] = nil
	}
}

// chooseReduces returns the racks that are done first with the reduces once the maps are booked, or those of the maps if
// both are to have the same.
func (p *planner) chooseReduces(f *policy.Forecast, maps *mapsIn, w Widths) ([]rackEnd, model.Time) {
	free := func(rack int) timeline {
		switch {
		case p.rules.SameRacks && !slices.Contains(maps.racks, rack):
			return nil
		case p.site.Shared && p.after[rack] != nil:
			return p.after[rack]
		}
		return p.free[model.Reduce][rack]
	}
	return p.choose(free, p.reduceWork(f, maps, w), w.Reduce)
}
