// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// Rules say how jobs are planned.
type Rules struct {
	SameRacks     bool    // maps and reduces of a job in the same racks
	Form          Form    // of the time of a shuffle
	Batches       int     // sub-batches into which jobs are divided that come all at once
	OverProvision float64 // containers booked for a job beyond those that it needs, as a share of these
}

// Plan is where and in which order jobs are to run: the job that comes first has priority in all of its racks, and its
// maps come before its reduces.
type Plan struct {
	Jobs []Placement
}

// Placement is what is planned for a job.
type Placement struct {
	Job    model.JobID
	Name   string
	Heavy  bool                    // it has enough shuffle data for circuits
	Widths Widths                  // racks of maps and of reduces
	Racks  [model.Kinds][]Share    // in ascending order
	Start  model.Time              // of the first map
	End    [model.Kinds]model.Time // of the last map and of the last reduce, as planned
}

// Share is the tasks of a job that a rack is to run.
type Share struct {
	Rack  model.RackID
	Tasks int32
}

// At returns the place of a rack among those of the job's tasks of a kind, and whether it is one of them.
func (p *Placement) At(k model.Kind, rack model.RackID) (int, bool) {
	return slices.BinarySearchFunc(p.Racks[k], rack, func(s Share, r model.RackID) int { return cmp.Compare(s.Rack, r) })
}

// Make plans jobs. seed decides the order of the sub-batches. Jobs for whose tasks no rack has a container are left out.
func Make(site *Site, rules *Rules, jobs []policy.Forecast, seed uint64) *Plan {
	p := newPlanner(site, rules)
	plan := &Plan{Jobs: make([]Placement, 0, len(jobs))}
	for _, i := range p.sequence(jobs, seed) {
		placed := p.place(&jobs[i])
		missing := false
		for k, tasks := range jobs[i].Tasks {
			missing = missing || tasks > 0 && len(placed.Racks[k]) == 0
		}
		if !missing {
			plan.Jobs = append(plan.Jobs, placed)
		}
	}
	return plan
}

// planner books the containers of a cluster.
type planner struct {
	site  *Site
	rules *Rules
	free  [model.Kinds][]timeline // by rack; both kinds have the same where they share room

	ends    []rackEnd // scratch
	scratch timeline
	after   []timeline // racks with the maps of the pair in hand booked; nil where nothing is
	booked  []timeline // memory of after
}

func newPlanner(site *Site, rules *Rules) *planner {
	p := &planner{site: site, rules: rules}
	for k := range p.free {
		if k > 0 && site.Shared {
			p.free[k] = p.free[0]
			continue
		}
		p.free[k] = make([]timeline, site.Racks())
		for i, n := range site.Containers[k] {
			p.free[k][i] = make(timeline, n)
		}
	}
	p.after, p.booked = make([]timeline, site.Racks()), make([]timeline, site.Racks())
	return p
}

// ranked is a job with what decides about its place in a sequence.
type ranked struct {
	at      int // place in the list
	width   float64
	latency model.Time
}

// sequence returns the jobs, by their places in the list, in the order in which they are planned: by arrival, then the
// widest first, then the longest; jobs that come all at once sub-batch by sub-batch.
func (p *planner) sequence(jobs []policy.Forecast, seed uint64) (order []int) {
	rank := make([]ranked, len(jobs))
	once := true
	for i := range jobs {
		pairs := p.pairs(&jobs[i])
		rank[i] = ranked{i, p.width(&jobs[i], pairs), p.shortest(&jobs[i], pairs)}
		once = once && jobs[i].Arrival == jobs[0].Arrival
	}
	compare := func(a, b ranked) int {
		return cmp.Or(cmp.Compare(jobs[a.at].Arrival, jobs[b.at].Arrival), cmp.Compare(b.width, a.width),
			cmp.Compare(b.latency, a.latency), cmp.Compare(jobs[a.at].Job, jobs[b.at].Job))
	}
	put := func(part []ranked) {
		slices.SortFunc(part, compare)
		for _, r := range part {
			order = append(order, r.at)
		}
	}
	if !once || p.rules.Batches <= 1 {
		put(rank)
		return order
	}
	batches := subBatches(jobs, p.rules.Batches)
	for _, b := range rng.New(seed, rng.SubBatches).At(0, 0, 0).Perm(len(batches)) {
		part := make([]ranked, 0, len(batches[b]))
		for _, i := range batches[b] {
			part = append(part, rank[i])
		}
		put(part)
	}
	return order
}

// pairs returns the pairs of widths of a heavy job, nil for others and where no racks have room for both kinds.
func (p *planner) pairs(f *policy.Forecast) []Widths {
	if !p.site.Heavy(f) {
		return nil
	}
	return p.site.Pairs(f, p.rules.SameRacks)
}

// width returns how wide a job is, in racks: the largest sum of a pair. Of the same racks for both, where any pair will do,
// it is that of the fastest. The width of a job that is not heavy is its tasks over the containers of a rack.
func (p *planner) width(f *policy.Forecast, pairs []Widths) (width float64) {
	for _, w := range pairs {
		if !p.rules.SameRacks {
			width = max(width, float64(w.Map+w.Reduce))
		}
	}
	switch {
	case len(pairs) == 0:
		for k, tasks := range f.Tasks {
			width += float64(tasks) / float64(p.site.smallest(model.Kind(k)))
		}
	case p.rules.SameRacks:
		w := slices.MinFunc(pairs, func(a, b Widths) int {
			return cmp.Compare(p.site.Latency(f, a, p.rules.Form), p.site.Latency(f, b, p.rules.Form))
		})
		width = float64(w.Map + w.Reduce)
	}
	return width
}

// shortest returns the least latency of the pairs, or of the whole cluster.
func (p *planner) shortest(f *policy.Forecast, pairs []Widths) model.Time {
	least := model.Forever
	for _, w := range pairs {
		least = min(least, p.site.Latency(f, w, p.rules.Form))
	}
	if len(pairs) == 0 {
		racks := p.site.Racks()
		least = p.site.Latency(f, Widths{racks, racks}, p.rules.Form)
	}
	return least
}

// place books the containers of a job.
func (p *planner) place(f *policy.Forecast) Placement {
	out := Placement{Job: f.Job, Name: f.Name, Heavy: p.site.Heavy(f)}
	if pairs := p.pairs(f); len(pairs) > 0 {
		p.placeHeavy(f, pairs, &out)
	} else {
		p.placeAnywhere(f, &out)
	}
	out.Widths = Widths{len(out.Racks[model.Map]), len(out.Racks[model.Reduce])}
	return out
}

// tasks returns for how many tasks of a kind containers are booked.
func (p *planner) tasks(f *policy.Forecast, k model.Kind) int {
	return int(f.Tasks[k]) + int(math.Ceil(float64(f.Tasks[k])*p.rules.OverProvision))
}

// placeAnywhere books the containers that are free first, in whatever racks they are.
func (p *planner) placeAnywhere(f *policy.Forecast, out *Placement) {
	from := f.Arrival
	out.Start = model.Forever
	for k := range model.Kind(model.Kinds) {
		if w := (work{p.tasks(f, k), from, f.Length[k]}); w.tasks > 0 {
			for _, t := range p.free[k] {
				if k == model.Map && len(t) > 0 {
					out.Start = min(out.Start, max(t[0], from))
				}
			}
			out.Racks[k], from = p.spread(p.free[k], w)
		}
		if out.End[k] = from; k == model.Map {
			widths := Widths{max(len(out.Racks[k]), 1), p.site.Racks()}
			from += p.site.Shuffle(f, widths, p.rules.Form)
		}
	}
	if out.Start == model.Forever { // without maps
		out.Start = f.Arrival
	}
}

// spread gives tasks to the containers of all racks that are free first, and returns what each rack has got and when the
// last task ends.
func (p *planner) spread(racks []timeline, w work) (shares []Share, end model.Time) {
	total := 0
	for _, t := range racks {
		total += len(t)
	}
	waves := (w.tasks - 1) / max(total, 1) // that every container takes, before the last one
	for i, n := range earliest(racks, w.tasks-waves*total) {
		if n += waves * len(racks[i]); n > 0 {
			shares = append(shares, Share{model.RackID(i), int32(n)})
			end = max(end, racks[i].book(work{n, w.from, w.length}))
		}
	}
	return shares, end
}

// rackEnd is when a rack would have done its part of a job.
type rackEnd struct {
	rack int
	end  model.Time
}

// choose returns the racks that would be done first with a share of the tasks each, and when the last of them is. free
// returns the containers of a rack, none if it is not to be chosen; there are enough others.
func (p *planner) choose(free func(rack int) timeline, w work, width int) ([]rackEnd, model.Time) {
	p.ends = p.ends[:0]
	for i := range p.site.Racks() {
		if t := free(i); len(t) > 0 {
			p.ends = append(p.ends, rackEnd{i, t.end(w, &p.scratch)})
		}
	}
	slices.SortFunc(p.ends, func(a, b rackEnd) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.rack, b.rack)) })
	return p.ends[:width], p.ends[width-1].end
}
