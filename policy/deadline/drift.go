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
	exact  []*cluster.Job    // jobs whose keys are exact for the interval, some of them gone or placed anew by now
	wakes  kit.JobHeap       // the others, by a time until which their keys hold, and some whose keys are exact
	grid   model.Time        // when the interval began: keys that held until before it are over
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

// exact notes that the key of a job is exact for the interval.
func (p *needsPool) exact(j *cluster.Job, own *jobNeeds) {
	if !own.exact || own.stays {
		own.exact, own.stays = true, false
		p.drift.exact = append(p.drift.exact, j)
	}
}

// wake makes the job be looked at in the first interval that begins after that time. If it was to be looked at before, it is: it
// may be looked at in vain, but once, and jobs whose tasks start and end are not moved each time.
func (d *drifting) wake(j *cluster.Job, until, interval model.Time) {
	if d.wakes.Has(j) {
		if before := d.wakes.Key(j).Major; int64(d.grid) <= before && before <= int64(until) {
			return
		}
	}
	if until < model.Forever-interval {
		until += interval - 1 - until%interval // so that nobody has to work out which interval that is
	}
	d.wakes.Set(j, keyed.Key{Major: int64(until)})
}

// over takes the job out unless it is to be looked at again.
func (d *drifting) over(j *cluster.Job) {
	if d.wakes.Key(j).Major < int64(d.grid) {
		d.wakes.Remove(j)
	}
}

// first returns until when all keys hold that are not exact, Forever if there are none.
func (d *drifting) first() model.Time {
	if d.wakes.Len() == 0 {
		return model.Forever
	}
	_, until := d.wakes.Top()
	return model.Time(until.Major)
}

// What jobs come first by among those of their state.
var (
	endless = descending(math.Inf(1))     // whatever they need
	ending  = descending(math.MaxFloat64) // whatever they need, if it is known
)

// rough ranks a job with a goal after one of its tasks started or ended, if there is no need to work out what it needs, and reports
// whether that is so: while those before it are served, it may stand where it can come to stand at the earliest.
func (p *needsPool) rough(now model.Time, j *cluster.Job, e *goal.Job, own *jobNeeds) bool {
	switch {
	case own.state == undead && !e.Ends(): // nor will it while no task of it starts
		own.value, own.exact, own.stays = math.Inf(1), true, true
		p.order.Set(j, keyed.Key{Major: int64(undead), Minor: endless})
	case own.state == undead && math.IsInf(p.drift.served(undead), 1):
		own.exact, own.stays = false, false
		p.order.Set(j, keyed.Key{Major: int64(undead), Minor: ending})
		p.drift.wake(j, model.Forever, p.params.Interval)
	case own.state == adjust && p.drift.state < adjust && now < j.Goal && p.most == 0: // else it may be held
		own.exact = false
		p.order.Set(j, keyed.Key{Major: int64(adjust), Minor: endless})
		p.drift.wake(j, j.Goal-1, p.params.Interval)
	default:
		return false
	}
	own.at = now
	return true
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
	for j := p.drift.wakes.First(); j != nil; j = p.drift.wakes.Next() {
		if own := p.of(j); !own.exact {
			d.rank(max(d.grid, own.at), j, p, own)
		}
	}
}

// evaluate begins an interval: needs count as they are at time grid, or when the tasks of the job last changed,
// whichever is later, so that they do not depend on when the driver asks.
func (d *Order) evaluate(grid model.Time) {
	d.grid = grid
	for i := range d.pools {
		p := &d.pools[i]
		if len(p.drift.exact) == 0 && p.drift.first() >= grid && (d.moves.risen.pool != p || d.moves.until >= grid) {
			continue
		}
		d.moves.restore()
		d.moves.raise()
		p.drift.grid = grid
		exact := p.drift.exact
		p.drift.exact = p.drift.exact[:0] // what is appended never overtakes what is read
		for _, j := range exact {
			if j.Phase != cluster.Admitted {
				continue
			}
			own := p.of(j)
			if !own.exact || own.stays { // its tasks have changed since
				continue
			}
			if own.exact = false; !own.wants {
				continue
			}
			if j.Goal == model.Forever {
				p.stays(j, own)
			} else {
				d.review(j, p, own)
			}
		}
		for p.drift.first() < grid {
			j := p.drift.wakes.Head()
			if own := p.of(j); !own.exact || own.stays {
				d.review(j, p, own)
			}
			p.drift.over(j)
		}
	}
}

// review works out the needs of a job as an interval begins, and finds out for how long they need not be looked at
// again.
func (d *Order) review(j *cluster.Job, p *needsPool, own *jobNeeds) {
	now := max(d.grid, own.at)
	key := d.place(now, j, d.watch.Job(j.ID), p, own, false)
	if j.Goal == model.Forever {
		p.order.Set(j, key)
		p.stays(j, own)
		return
	}
	until := now
	if now == d.grid {
		key, until = d.bound(j, p, own, key)
	}
	p.order.Set(j, key)
	if until == now {
		p.exact(j, own)
	} else {
		p.drift.wake(j, until, d.params.Interval)
	}
}

// bound returns a key that is not behind the place of the job at any time until the one that it returns, if
// no task of the job starts or ends: the time of the interval if there is none. The job is in its state for all
// that time, but for a job that comes to be held: nobody knows before the heads of the heap are held. The job has a goal and was
// placed just now.
func (d *Order) bound(j *cluster.Job, p *needsPool, own *jobNeeds, key keyed.Key) (keyed.Key, model.Time) {
	last := model.Forever
	if d.grid < j.Goal {
		last = j.Goal - 1
	}
	switch {
	case own.state == noData:
		return key, last
	case math.IsInf(own.value, 1) && own.state != held:
		return key, last
	}
	limit := leeway(own.value, p.drift.served(own.state))
	value, until := 0.0, model.Time(0)
	if own.state == undead {
		in := goal.LateIn(limit, d.end, j.Submit, j.Goal)
		value, until = goal.LateAtMost(d.end, in, j.Submit, j.Goal), d.grid+in
	} else {
		value, until = p.needAtMost(&d.claims, j, own, limit, last)
	}
	if until < d.grid+d.params.Interval {
		return key, d.grid
	}
	return keyed.Key{Major: int64(own.state), Minor: descending(value)}, until
}

// leeway returns how far the value of a job may come before it is looked at again: an eighth of the way to what is served, or of as
// much again if that is less or nothing of its value was served of late. With more of it, jobs that wait are looked at more seldom as
// time goes by, and more often as heads of the heap.
func leeway(value, served float64) float64 {
	far := 2*math.Abs(value) + 1
	if value < served {
		far = min(served, far)
	}
	return value + (far-value)/8
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

// moved returns when jobs will next stand elsewhere though no task starts or ends, at the earliest: at the end of the interval
// unless all keys hold for longer. It does not look ahead very far: by then all jobs may have ended.
func (p *needsPool) moved(grid, interval model.Time) model.Time {
	intervals := model.Time(64)
	if len(p.drift.exact) > 0 {
		intervals = 1
	}
	return min(p.drift.first(), grid+intervals*interval-1) + 1
}
