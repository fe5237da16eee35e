// SPDX-License-Identifier: Apache-2.0

package deadline

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// drifting is what makes the needs of waiting jobs cost something only when they may matter.
//
// As long as no task of a job starts or ends, its work becomes less and its time shorter, so what it can come to
// need until some time has a bound that is known now. While the bound is below what is being served, the job
// stands in the heap by the bound: never behind its true place.
type drifting struct {
	exact  []*cluster.Job    // jobs whose keys are exact for the interval, some of them gone by now
	wakes  kit.JobHeap       // the others, but for those whose keys stay exact, by the last time for which their keys hold
	state  jobState          // of the job that was served last
	values [held + 1]float64 // by state: its value
	passed []passed          // taken out of the heap by the iteration
}

// serve notes what is being served.
func (d *drifting) serve(own *jobNeeds) { d.state, d.values[own.state] = own.state, own.value }

// served returns the value from which on jobs of the state are served: none of them while those of a state before it are.
func (d *drifting) served(s jobState) float64 {
	if s > d.state {
		return math.Inf(1)
	}
	return d.values[s]
}

// passed is a job that an iteration has left behind, and its key.
type passed struct {
	job *cluster.Job
	key keyed.Key
}

// exact sets the key of a job, exact for the interval or, if it stays, until its tasks change.
func (p *needsPool) exact(j *cluster.Job, key keyed.Key, stays bool) {
	p.order.Set(j, key)
	own := p.jobs.Of(j)
	if !own.exact {
		p.drift.wakes.Remove(j)
	}
	if !own.exact || own.stays {
		p.keep(j, own, stays)
	}
}

// keep notes that the key of a job is exact, and lists the job if that may end with the interval.
func (p *needsPool) keep(j *cluster.Job, own *jobNeeds, stays bool) {
	if own.exact, own.stays = true, stays; !stays {
		p.drift.exact = append(p.drift.exact, j)
	}
}

// head returns the first job in order, nil if there is none.
func (d *Order) head(pool int) *cluster.Job {
	p := &d.pools[pool]
	for {
		j := p.order.Head()
		if j == nil {
			return nil
		}
		own := p.jobs.Of(j)
		if own.exact {
			return j
		}
		d.rank(max(d.grid, own.at), j, pool, false)
	}
}

// pass takes the first job out of the heap until restore.
func (p *needsPool) pass() {
	slot, key := p.order.Top()
	j := p.order.Cluster.At(slot)
	p.order.Remove(j)
	p.drift.passed = append(p.drift.passed, passed{j, key})
}

// restore ends an iteration.
func (p *needsPool) restore() {
	if len(p.drift.passed) > 0 {
		p.putBack()
	}
}

func (p *needsPool) putBack() {
	for _, was := range p.drift.passed {
		p.order.Set(was.job, was.key)
	}
	p.drift.passed = p.drift.passed[:0]
}

// exactAll makes the keys of all jobs exact, for an iteration over all of them.
func (d *Order) exactAll(pool int) {
	p := &d.pools[pool]
	for j := p.drift.wakes.Head(); j != nil; j = p.drift.wakes.Head() {
		d.rank(max(d.grid, p.jobs.Of(j).at), j, pool, false)
	}
}

// evaluate begins an interval: needs count as they are at time grid, or when the tasks of the job last changed,
// whichever is later, so that they do not depend on when the driver asks.
func (d *Order) evaluate(grid model.Time) {
	d.grid = grid
	for pool := range d.pools {
		p := &d.pools[pool]
		p.restore()
		exact := p.drift.exact
		p.drift.exact = p.drift.exact[:0] // what is appended never overtakes what is read
		for _, j := range exact {
			if j.Phase != cluster.Admitted {
				continue
			}
			own := p.jobs.Of(j)
			if own.exact = false; !p.order.Has(j) {
				continue
			}
			if own.asBefore(j, d.kinds[pool]) {
				p.keep(j, own, d.unmoved(j, own, pool) == model.Forever)
			} else {
				d.review(j, pool)
			}
		}
		for p.drift.wakes.Len() > 0 {
			slot, until := p.drift.wakes.Top()
			if until.Major >= int64(grid) {
				break
			}
			d.review(d.cluster.At(slot), pool)
		}
	}
}

// review works out the needs of a job as an interval begins, and finds out for how long they need not be looked at
// again.
func (d *Order) review(j *cluster.Job, pool int) {
	p := &d.pools[pool]
	now := max(d.grid, p.jobs.Of(j).at)
	key := d.place(now, j, pool, false)
	until := now
	if now == d.grid {
		key, until = d.bound(j, pool, key)
	}
	if until == now {
		p.exact(j, key, d.unmoved(j, p.jobs.Of(j), pool) == model.Forever)
		return
	}
	p.order.Set(j, key)
	if until == model.Forever && j.Goal == model.Forever { // nothing that drifts decides where it stands
		own := p.jobs.Of(j)
		own.exact, own.stays = true, true
		p.drift.wakes.Remove(j)
		return
	}
	p.drift.wakes.Set(j, keyed.Key{Major: int64(until)})
}

// bound returns a key that is not behind the place of the job at any time until the one that it returns, if
// no task of the job starts or ends: the time of the interval if there is none. The job is in its state for all
// that time, but for a job that comes to be held: nobody knows before the heads of the heap are held. The job was
// placed just now.
func (d *Order) bound(j *cluster.Job, pool int, key keyed.Key) (keyed.Key, model.Time) {
	own := d.pools[pool].jobs.Of(j)
	last := model.Forever
	if j.Goal != model.Forever && d.grid < j.Goal {
		last = j.Goal - 1
	}
	switch {
	case own.state == starved, own.state == noData:
		return key, last
	case j.Goal == model.Forever:
		return key, d.unmoved(j, own, pool)
	case math.IsInf(own.value, 1) && own.state != held:
		return key, last
	}
	most := func(then model.Time) float64 { return goal.LateAtMost(d.ends.end, then-d.grid, j.Submit, j.Goal) }
	if own.state != undead {
		claims, open := newClaims(d, j, own, pool)
		if open {
			return key, d.grid
		}
		most = claims.most
	}
	value, until := span{d.grid, d.params.Interval, last}.longest(own.value, d.pools[pool].drift.served(own.state), most)
	return keyed.Key{Major: int64(own.state), Minor: descending(value)}, until
}

// claims is what the needs of a job in a pool come from.
type claims struct {
	kinds   int // of the pool
	claims  [model.Kinds]goal.Claim
	running [model.Kinds]float64
	held    bool
}

// newClaims returns what the needs come from of the job that was placed just now. They are open if the job is held and may
// start a task as soon as it wants to.
func newClaims(d *Order, j *cluster.Job, own *jobNeeds, pool int) (c claims, open bool) {
	c.held = own.state == held
	for _, k := range d.kinds[pool] {
		c.claims[c.kinds], c.running[c.kinds] = d.claims[k], float64(j.Running[k])
		c.kinds++
		open = open || c.held && j.Running[k] == 0
	}
	return c, open
}

// most returns the largest need beyond what runs that the job can come to have by then, infinite if it may not be
// held until then.
func (c *claims) most(then model.Time) float64 {
	need, running := 0.0, 0.0
	for i := range c.kinds {
		most := c.claims[i].Most(then)
		if c.held && most > c.running[i] {
			return math.Inf(1)
		}
		need += most
		running += c.running[i]
	}
	return need - running
}

// unmoved returns until when the place of a job stays the same: the time of the interval if it has a goal.
func (d *Order) unmoved(j *cluster.Job, own *jobNeeds, pool int) model.Time {
	if j.Goal != model.Forever {
		return d.grid
	}
	for _, k := range d.kinds[pool] {
		if j.Running[k] > 0 {
			if d.keepFree && d.cluster.Topology.Model != model.Slots && wavers(j, own) {
				return d.grid
			}
			return model.Forever
		}
	}
	return own.since + d.params.Patience - 1
}

// wavers reports whether a job without a goal may come to be held, or cease to be, though none of its tasks starts or
// ends: where maps and reduces share room, by reduces that become eligible or no longer are, and by second attempts.
func wavers(j *cluster.Job, own *jobNeeds) bool {
	if own.may[model.Map] {
		return j.Wants(model.Map) <= j.Doubled[model.Map]
	}
	return own.may[model.Reduce] && j.Pending(model.Reduce)+j.Running[model.Reduce] > 0
}

// asBefore reports whether a job without a goal of which tasks run is where it was when one of them last started or ended.
func (own *jobNeeds) asBefore(j *cluster.Job, kinds []model.Kind) bool {
	if j.Goal != model.Forever {
		return false
	}
	running, some := int32(0), false
	for _, k := range kinds {
		running += j.Running[k]
		some = some || own.may[k] && j.Wants(k) > 0
	}
	return running > 0 && some == (own.state != held)
}

// span is the time for which a bound may hold: from the time of the interval, in steps of intervals.
type span struct{ from, step, last model.Time }

// longest returns what most says a value can be by a time, and that time: the longer, the further the value is
// behind what is served.
func (s span) longest(value, served float64, most func(then model.Time) float64) (bound float64, until model.Time) {
	limit := value
	if limit < served { // half the way, and at most half as much again
		limit += (min(served, 2*math.Abs(limit)+1) - limit) / 2
	}
	bound, until = value, s.from
	for step := s.step; until < s.last && step < 1<<52; step *= 2 {
		then := min(s.from+step, s.last)
		v := most(then)
		if v > limit {
			break
		}
		bound, until = v, then
	}
	return bound, until
}
