// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// deadlineState is the rank of a job in a pool, first served first. The paper's states are UNDEAD,
// NODATA and ADJUST (§IV).
type deadlineState uint8

const (
	starved deadlineState = iota // has no goal and has waited long enough
	undead
	noData
	adjust
	noGoal
	held // deadline-min: has all that it needs
)

// deadline is the order of both policies. The needs of a job are worked out when one of its tasks starts
// or ends, and those of all jobs for every multiple of the interval, when the first offer after it comes.
// An offer takes the first of a heap, so it costs O(log jobs), and for each interval a share of O(jobs).
type deadline struct {
	cluster  *cluster.State
	params   *deadlineParams
	keepFree bool  // deadline-min
	most     int32 // deadline-min: tasks of a job without a goal
	watch    *goal.Watch
	pools    [model.Kinds]deadlinePool
	grid     model.Time     // for which the needs of all jobs were worked out last
	all      []*cluster.Job // scratch

	offer *policy.Offer // of the iteration; nil for one over all jobs
	kept  policy.Scope  // of the iteration: how far the reasons for keeping room free reach
}

type deadlinePool struct {
	order kit.JobHeap
	jobs  *policy.PerJob[deadlineJob]
	news  []*cluster.Job // jobs that became held since the driver was told
	freed []*cluster.Job // jobs that ceased to be held
}

type deadlineJob struct {
	state  deadlineState
	may    [model.Kinds]bool // whether it may start a task of the kind
	listed bool              // in news
	at     model.Time        // for which its state was worked out
	since  model.Time        // when it last held room here, or began to want some
}

var (
	_ kit.Order              = (*deadline)(nil)
	_ kit.Aimer              = (*deadline)(nil)
	_ kit.Limiter            = (*deadline)(nil)
	_ kit.Passer             = (*deadline)(nil)
	_ kit.Keeper             = (*deadline)(nil)
	_ policy.JobObserver     = (*deadline)(nil)
	_ policy.AttemptObserver = (*deadline)(nil)
)

// newDeadline returns the order of deadline-min if a limit for jobs without a goal is given, else that of
// deadline-max.
func newDeadline(env *policy.Env, p *deadlineParams, most int32) *deadline {
	d := &deadline{cluster: env.Cluster, params: p, keepFree: most > 0, most: most,
		watch: goal.NewWatch(goal.Config{ReduceCost: p.ReduceCost, PerNode: p.PerNode, Drain: p.Drain})}
	for i := range d.pools {
		d.pools[i].order.Cluster, d.pools[i].jobs = env.Cluster, policy.NewPerJob[deadlineJob](env)
	}
	return d
}

// Aim implements kit.Aimer.
func (d *deadline) Aim(o *policy.Offer) policy.Scope {
	d.offer, d.kept = o, policy.Everywhere
	if o != nil && o.Now-d.grid >= d.params.Interval {
		d.evaluate(o.Now - o.Now%d.params.Interval)
	}
	return policy.Everywhere
}

// First implements kit.Order.
func (d *deadline) First(pool int) *cluster.Job {
	return d.unlessHeld(pool, d.pools[pool].order.First())
}

// Next implements kit.Order.
func (d *deadline) Next(pool int) *cluster.Job { return d.unlessHeld(pool, d.pools[pool].order.Next()) }

// unlessHeld ends the iteration of an offer at the first job that is held: those behind it are as well.
func (d *deadline) unlessHeld(pool int, j *cluster.Job) *cluster.Job {
	if j == nil || d.offer == nil || d.pools[pool].jobs.Of(j).state != held {
		return j
	}
	if !d.tell(d.offer, &d.pools[pool], j) {
		d.kept = policy.Here
	}
	return nil
}

// May implements kit.Limiter.
func (d *deadline) May(o *policy.Offer, j *cluster.Job, k model.Kind) kit.Verdict {
	if d.pools[o.Pool].jobs.Of(j).may[k] {
		return kit.Granted
	}
	return kit.OtherKind
}

// Passed implements kit.Passer.
func (d *deadline) Passed(o *policy.Offer, chosen *cluster.Job, _ model.Kind) {
	d.untell(o, &d.pools[o.Pool], chosen)
}

// Kept implements kit.Keeper: what jobs may start may be something else at the end of the interval.
func (d *deadline) Kept(o *policy.Offer) (policy.Scope, model.Time) {
	p := &d.pools[o.Pool]
	d.untell(o, p, nil)
	if d.keepFree && p.order.Len() > 0 {
		return d.kept, d.grid + d.params.Interval
	}
	return d.kept, 0
}

// tell names the jobs that are held and could use the room: those that came to be since the last
// time, and the first one every time, so that the driver knows that room is kept free on purpose.
// It reports whether there are none left that need another node's room to be told about.
func (d *deadline) tell(o *policy.Offer, p *deadlinePool, first *cluster.Job) bool {
	rest := p.news[:0]
	for _, j := range p.news {
		if !p.order.Has(j) || j.Phase != cluster.Admitted {
			if j.Phase == cluster.Admitted {
				p.jobs.Of(j).listed = false
			}
			continue
		}
		own := p.jobs.Of(j)
		if own.listed = own.state == held; !own.listed {
			continue
		}
		if !kit.Usable(d.cluster.Topology.Model, o, j) {
			rest = append(rest, j)
			continue
		}
		own.listed = false
		o.Blocked(j, model.LimitShare)
	}
	p.news = rest
	fits := kit.Usable(d.cluster.Topology.Model, o, first)
	if fits {
		o.Blocked(first, model.LimitShare)
	}
	return fits && len(rest) == 0
}

// untell says of jobs that ceased to be held, and do not get this room, that only room is lacking.
func (d *deadline) untell(o *policy.Offer, p *deadlinePool, chosen *cluster.Job) {
	for _, j := range p.freed {
		if j != chosen && j.Phase == cluster.Admitted && p.order.Has(j) && p.jobs.Of(j).state != held {
			o.Blocked(j, model.LimitRoom)
		}
	}
	p.freed = p.freed[:0]
}

// evaluate works out the needs of all jobs as they are at time grid, or when their tasks last
// changed, whichever is later: so they do not depend on when the driver asks.
func (d *deadline) evaluate(grid model.Time) {
	d.grid = grid
	for pool := range d.pools {
		h := &d.pools[pool].order
		d.all = d.all[:0]
		for j := h.First(); j != nil; j = h.Next() {
			d.all = append(d.all, j)
		}
		for _, j := range d.all {
			d.rank(max(grid, d.pools[pool].jobs.Of(j).at), j, pool, false)
		}
	}
}

// rank puts the job where it belongs among those that want room of the pool.
func (d *deadline) rank(now model.Time, j *cluster.Job, pool int, started bool) {
	p := &d.pools[pool]
	own := p.jobs.Of(j)
	before := own.state
	state, value := d.state(now, j, pool)
	if d.keepFree && !d.limit(now, j, pool, state) {
		if state == noGoal {
			value = math.MaxInt64 // behind those that will need room again
		}
		state = held
	}
	own.state, own.at = state, now
	p.order.Set(j, kit.Key{Major: int64(state), Minor: value})
	if before == held && state != held {
		p.freed = append(p.freed, j)
	}
	if state == held && (before != held || started) && !own.listed {
		own.listed = true
		p.news = append(p.news, j)
	}
}

// state returns the job's state and its place among the jobs of that state, smaller first.
func (d *deadline) state(now model.Time, j *cluster.Job, pool int) (deadlineState, int64) {
	e, own := d.watch.Job(j.ID), d.pools[pool].jobs.Of(j)
	own.may = [model.Kinds]bool{true, true}
	running, need := int32(0), 0.0
	for k := range model.Kind(model.Kinds) {
		if d.cluster.Topology.Model.Pool(k) == pool {
			running += e.Running(k)
			need += e.Need(k, now, j.Goal)
		}
	}
	switch {
	case j.Goal == model.Forever && running == 0 && now-own.since >= d.params.Patience:
		return starved, int64(own.since)
	case j.Goal == model.Forever:
		return noGoal, int64(j.Submit)
	case now >= j.Goal:
		return undead, descending(e.Late(now, j.Submit, j.Goal))
	case !e.HasData():
		return noData, int64(j.Submit)
	}
	return adjust, descending(need - float64(running)) // equation 3
}

// limit sets what deadline-min lets the job start: maps and reduces each by equation 3, and always
// one of each, so that reduces which wait for maps do not keep them from running. It reports
// whether there is anything that the job wants to start and may.
func (d *deadline) limit(now model.Time, j *cluster.Job, pool int, state deadlineState) bool {
	if state != adjust && state != noGoal {
		return true
	}
	e, own, some := d.watch.Job(j.ID), d.pools[pool].jobs.Of(j), false
	for k := range model.Kind(model.Kinds) {
		if d.cluster.Topology.Model.Pool(k) != pool {
			continue
		}
		running := e.Running(k)
		own.may[k] = running == 0
		switch {
		case running == 0:
		case state == noGoal:
			own.may[k] = running < d.most
		default:
			own.may[k] = e.Need(k, now, j.Goal) > float64(running)
		}
		some = some || own.may[k] && j.Wants(k) > 0
	}
	return some
}

// descending maps larger numbers to smaller integers.
func descending(f float64) int64 {
	b := int64(math.Float64bits(0 - f))
	if b < 0 {
		b ^= math.MaxInt64
	}
	return b
}

// JobAdmitted implements policy.JobObserver.
func (d *deadline) JobAdmitted(now model.Time, j *cluster.Job) {
	d.watch.Follow(j.ID, now, j.Total, goal.Room(d.cluster.Total, j.Need))
}

// JobEnded implements policy.JobObserver.
func (d *deadline) JobEnded(_ model.Time, j *cluster.Job) { d.watch.Forget(j.ID) }

// Wants implements policy.WantObserver.
func (d *deadline) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	p := &d.pools[pool]
	if !wants {
		p.order.Remove(j)
		return
	}
	p.jobs.Of(j).since = now
	d.rank(now, j, pool, false)
}

// AttemptStarted implements policy.AttemptObserver.
func (d *deadline) AttemptStarted(now model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	d.watch.Started(now, t, node)
	d.changed(now, j, t.Kind, true)
}

// AttemptEnded implements policy.AttemptObserver.
func (d *deadline) AttemptEnded(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, done bool) {
	d.watch.Ended(now, t, node, done)
	d.changed(now, j, t.Kind, false)
}

// changed ranks the job again after one of its tasks of the kind started or ended.
func (d *deadline) changed(now model.Time, j *cluster.Job, k model.Kind, started bool) {
	d.pools[d.cluster.Topology.Model.Pool(k)].jobs.Of(j).since = now
	for pool := range d.pools {
		if d.pools[pool].order.Has(j) {
			d.rank(now, j, pool, started)
		}
	}
}
