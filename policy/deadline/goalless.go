// SPDX-License-Identifier: Apache-2.0

package deadline

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
)

// What becomes of jobs without a goal, of which the paper says nothing. Under deadline-min each runs a few tasks at a time, so it
// is held as a rule: when a task ends the job rises, is served at once, and held again.

// lastHeld is where jobs without a goal stand among those that are held: behind those that will need room again.
const lastHeld = math.MaxInt64

// goalless returns the state of a job without a goal and its place among the jobs of that state, smaller first, and sets what it
// may start.
func (p *needsPool) goalless(now model.Time, j *cluster.Job, own *jobNeeds) (jobState, int64) {
	running, some := int32(0), p.most == 0
	for _, k := range p.kinds {
		running += j.Running[k]
		own.may[k] = p.most == 0 || j.Running[k] < p.most
		some = some || own.may[k] && j.Wants(k) > 0
	}
	switch {
	case running == 0 && now-own.since >= p.params.Patience:
		return starved, int64(own.since)
	case !some:
		return held, lastHeld
	}
	return noGoal, int64(j.Submit)
}

// stays notes that the key of a job without a goal is exact until its tasks change or its patience ends.
func (p *needsPool) stays(j *cluster.Job, own *jobNeeds) {
	own.exact, own.stays = true, true
	if own.state == starved {
		return
	}
	for _, k := range p.kinds {
		if j.Running[k] > 0 {
			return
		}
	}
	p.drift.wake(j, own.since+p.params.Patience-1, p.params.Interval)
}

// worked ranks such a job again after one of its tasks of the kind started or ended.
func (d *Order) worked(now model.Time, j *cluster.Job, k model.Kind, started bool) {
	d.moves.restore()
	if d.moves.risen.job != j {
		d.moves.raise()
	}
	needs := d.jobs.Of(j)
	needs[d.cluster.Topology.Model.Pool(k)].since = now
	for i := range d.pools {
		switch p, own := &d.pools[i], &needs[i]; {
		case !own.wants:
		case d.keepFree:
			p.again(now, j, own, &d.moves, started)
		default:
			d.rank(now, j, p, own)
		}
	}
}

// again ranks such a job after one of its tasks started or ended under deadline-min. In the heap it is not moved when it rises, nor
// when it is held again.
func (p *needsPool) again(now model.Time, j *cluster.Job, own *jobNeeds, m *moves, started bool) {
	was, rose := own.state, m.risen.pool == p // the job itself
	state, minor := p.goalless(now, j, own)
	own.state, own.at, own.exact, own.stays = state, now, true, true
	key := keyed.Key{Major: int64(state), Minor: minor}
	if rose {
		m.risen = placed{}
	}
	switch {
	case state == held:
		if was != held && !rose {
			p.order.Set(j, key)
		}
		if (was != held || started) && !own.listed {
			own.listed = true
			p.news = append(p.news, j)
		}
	case was == held && m.risen.job == nil:
		m.risen, m.until = placed{p, j, key}, own.since+p.params.Patience-1
	default:
		if was == held || rose && !started {
			p.freed = append(p.freed, j)
		}
		p.order.Set(j, key)
		p.stays(j, own)
	}
}
