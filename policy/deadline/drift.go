// SPDX-License-Identifier: Apache-2.0

package deadline

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// drifting is what makes the needs of waiting jobs cost something only when they may matter.
//
// As long as no task of a job starts or ends, its work becomes less and its time shorter, so what it can come to
// need until some time has a bound that is known now. While the bound is below what is being served, the job
// stands in the heap by the bound: never behind its true place.
type drifting struct {
	exact  []*cluster.Job    // jobs whose keys are exact for the interval, some of them gone by now
	wakes  kit.JobHeap       // the others, by a time until which their keys hold, and some whose keys are exact
	state  jobState          // of the job that was served last
	values [held + 1]float64 // by state: its value
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

// exact notes that the key of a job is exact for the interval or, if it stays, until its tasks change.
func (p *needsPool) exact(j *cluster.Job, own *jobNeeds, stays bool) {
	if !own.exact || own.stays {
		p.keep(j, own, stays)
	}
}

// keep notes it of a job that is not in the list, and lists it if that may end with the interval.
func (p *needsPool) keep(j *cluster.Job, own *jobNeeds, stays bool) {
	if own.exact, own.stays = true, stays; !stays {
		p.drift.exact = append(p.drift.exact, j)
	}
}

// wake makes the job be looked at when that time is over. If it was to be looked at before, it is: it may be looked at in vain, but
// once, and jobs whose tasks start and end are not moved each time.
func (d *drifting) wake(j *cluster.Job, until model.Time) {
	if key := (keyed.Key{Major: int64(until)}); !d.wakes.Has(j) || key.Less(d.wakes.Key(j)) {
		d.wakes.Set(j, key)
	}
}

// head returns the first job in order, nil if there is none that may be served: those behind one that is held are held as well.
func (d *Order) head(p *needsPool) *cluster.Job {
	if d.moves.risen.pool == p {
		if _, key := p.order.Top(); d.moves.risen.key.Less(key) {
			return d.moves.risen.job
		}
		d.moves.raise()
	}
	for {
		j := p.order.Head()
		if j == nil {
			return nil
		}
		own := p.of(j)
		if !own.exact {
			d.rank(max(d.grid, own.at), j, p, own)
			continue
		}
		if own.state != held {
			return j
		}
		p.drift.serve(own)
		if !p.tell(d.offer, d.cluster.Topology.Model, j) {
			d.kept = policy.Here
		}
		return nil
	}
}

// exactAll makes the keys of all jobs exact, for an iteration over all of them.
func (d *Order) exactAll(p *needsPool) {
	for j := p.drift.wakes.Head(); j != nil; j = p.drift.wakes.Head() {
		p.drift.wakes.Remove(j)
		if own := p.of(j); !own.exact {
			d.rank(max(d.grid, own.at), j, p, own)
		}
	}
}

// evaluate begins an interval: needs count as they are at time grid, or when the tasks of the job last changed,
// whichever is later, so that they do not depend on when the driver asks.
func (d *Order) evaluate(grid model.Time) {
	d.moves.restore()
	d.moves.raise()
	d.grid = grid
	for i := range d.pools {
		p := &d.pools[i]
		exact := p.drift.exact
		p.drift.exact = p.drift.exact[:0] // what is appended never overtakes what is read
		for _, j := range exact {
			if j.Phase != cluster.Admitted {
				continue
			}
			own := p.of(j)
			if own.exact = false; !own.wants {
				continue
			}
			if own.asBefore(j, p.kinds) {
				p.keep(j, own, !d.wavers(j, own))
			} else {
				d.review(j, p, own)
			}
		}
		for p.drift.wakes.Len() > 0 {
			slot, until := p.drift.wakes.Top()
			if until.Major >= int64(grid) {
				break
			}
			j := d.cluster.At(slot)
			p.drift.wakes.Remove(j)
			if own := p.of(j); !own.exact {
				d.review(j, p, own)
			}
		}
	}
}

// review works out the needs of a job as an interval begins, and finds out for how long they need not be looked at
// again.
func (d *Order) review(j *cluster.Job, p *needsPool, own *jobNeeds) {
	now := max(d.grid, own.at)
	key := d.place(now, j, p, own, false)
	until := now
	if now == d.grid {
		key, until = d.bound(j, p, own, key)
	}
	p.order.Set(j, key)
	switch {
	case until == now:
		p.exact(j, own, d.unmoved(j, p, own) == model.Forever)
	case until == model.Forever && j.Goal == model.Forever: // nothing that drifts decides where it stands
		own.exact, own.stays = true, true
	default:
		p.drift.wake(j, until)
	}
}

// bound returns a key that is not behind the place of the job at any time until the one that it returns, if
// no task of the job starts or ends: the time of the interval if there is none. The job is in its state for all
// that time, but for a job that comes to be held: nobody knows before the heads of the heap are held. The job was
// placed just now.
func (d *Order) bound(j *cluster.Job, p *needsPool, own *jobNeeds, key keyed.Key) (keyed.Key, model.Time) {
	last := model.Forever
	if j.Goal != model.Forever && d.grid < j.Goal {
		last = j.Goal - 1
	}
	switch {
	case own.state == starved, own.state == noData:
		return key, last
	case j.Goal == model.Forever:
		return key, d.unmoved(j, p, own)
	case math.IsInf(own.value, 1) && own.state != held:
		return key, last
	}
	limit := leeway(own.value, p.drift.served(own.state))
	value, until := 0.0, model.Time(0)
	if own.state == undead {
		in := goal.LateIn(limit, d.ends.end, j.Submit, j.Goal)
		value, until = goal.LateAtMost(d.ends.end, in, j.Submit, j.Goal), d.grid+in
	} else {
		value, until = p.needAtMost(&d.claims, j, own, limit, last)
	}
	if until < d.grid+d.params.Interval {
		return key, d.grid
	}
	return keyed.Key{Major: int64(own.state), Minor: descending(value)}, until
}

// leeway returns how far the value of a job may come before it is looked at again: an eighth of the way to what is served, or of as
// much again. With more of it, jobs that wait are looked at more seldom as time goes by, and more often as heads of the heap.
func leeway(value, served float64) float64 {
	if value < served {
		value += (min(served, 2*math.Abs(value)+1) - value) / 8
	}
	return value
}

// needAtMost returns until when, but not longer than last, the need beyond what runs of a job that claims this stays within a limit,
// and the largest that it can come to be by then. If the job is held it stays so.
func (p *needsPool) needAtMost(claims *[model.Kinds]goal.Claim, j *cluster.Job, own *jobNeeds, limit float64, last model.Time) (need float64, until model.Time) {
	all, running := claims[p.kinds[0]], 0.0
	for i, k := range p.kinds {
		if i > 0 {
			all = all.Plus(claims[k])
		}
		running += float64(j.Running[k])
		if own.state == held {
			if j.Running[k] == 0 { // it may start a task as soon as it wants to
				return 0, 0
			}
			last = min(last, claims[k].Within(float64(j.Running[k])))
		}
	}
	until = min(all.Within(limit+running), last)
	for _, k := range p.kinds {
		most := claims[k].Most(until)
		if own.state == held && most > float64(j.Running[k]) { // by a rounding
			return 0, 0
		}
		need += most
	}
	return need - running, until
}

// unmoved returns until when the place of a job stays the same: the time of the interval if it has a goal.
func (d *Order) unmoved(j *cluster.Job, p *needsPool, own *jobNeeds) model.Time {
	if j.Goal != model.Forever {
		return d.grid
	}
	for _, k := range p.kinds {
		if j.Running[k] > 0 {
			if d.wavers(j, own) {
				return d.grid
			}
			return model.Forever
		}
	}
	return own.since + d.params.Patience - 1
}

// wavers reports whether a job without a goal may come to be held, or cease to be, though none of its tasks starts or
// ends: where maps and reduces share room, by reduces that become eligible or no longer are, and by second attempts.
func (d *Order) wavers(j *cluster.Job, own *jobNeeds) bool {
	if !d.shared {
		return false
	}
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
