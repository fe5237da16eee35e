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

// jobState is the rank of a job in a pool, first served first. The paper's states are UNDEAD,
// NODATA and ADJUST (§IV).
type jobState uint8

const (
	starved jobState = iota // has no goal and has waited long enough
	undead
	noData
	adjust
	noGoal
	held // deadline-min: has all that it needs
)

// Order is the order of both policies. The needs of a job are worked out when one of its tasks starts
// or ends or it wants tasks of another kind, and those of all jobs count as they are at the last multiple of the interval before
// an offer.
//
// Needs drift with time alone, but a job that waits is looked at only when it may matter. Its key in the heap is
// either exact for the interval, or the earliest place that it can come to have for some time; in the latter
// case its needs are worked out when it comes to the head of the heap, when that time is over, or when its
// state may change (see drift.go). An offer costs O(log jobs), amortised.
type Order struct {
	cluster  *cluster.State
	params   *Params
	keepFree bool                                  // deadline-min
	watch    *goal.Watch                           // of the jobs that have a goal, from their first tasks on
	jobs     *policy.PerJob[[model.Kinds]jobNeeds] // by pool
	pools    [model.Kinds]needsPool                // where maps and reduces share room, nobody wants that of the second
	grid     model.Time                            // for which the needs of jobs count

	// What the state of the job that was placed last comes from.
	end    model.Time              // undead: when it will end
	claims [model.Kinds]goal.Claim // adjust: by the kinds of tasks that draw from the pool
	needs  [model.Kinds]float64    // and what they come to

	offer *policy.Offer // of the iteration; nil for one over all jobs
	given *policy.Offer // that led to the start of which the driver is about to tell; nil if none did
	kept  policy.Scope  // of the iteration: how far the reasons for keeping room free reach
	moves moves
}

type needsPool struct {
	number int
	params *Params
	most   int32        // deadline-min: tasks of each kind that a job without a goal may run; 0 for deadline-max
	kinds  []model.Kind // of tasks that draw from it
	order  kit.JobHeap
	jobs   *policy.PerJob[[model.Kinds]jobNeeds]
	news   []*cluster.Job // jobs that became held since the driver was told
	freed  []*cluster.Job // jobs that ceased to be held
	drift  drifting
}

type jobNeeds struct {
	state  jobState
	wants  bool              // room: it is in the order, but for jobs that an iteration has passed
	may    [model.Kinds]bool // whether it may start a task of the kind
	listed bool              // in news
	exact  bool              // its key is exact for the interval
	stays  bool              // and stays so until its tasks change
	at     model.Time        // for which its state was worked out
	since  model.Time        // when it last held room here, or began to want some
	value  float64           // need beyond what runs, or lateness; what orders jobs of some states
}

var (
	_ kit.Order              = (*Order)(nil)
	_ kit.Aimer              = (*Order)(nil)
	_ kit.Limiter            = (*Order)(nil)
	_ kit.Passer             = (*Order)(nil)
	_ kit.Keeper             = (*Order)(nil)
	_ policy.JobObserver     = (*Order)(nil)
	_ policy.KindObserver    = (*Order)(nil)
	_ policy.AttemptObserver = (*Order)(nil)
	_ policy.Estimator       = (*Order)(nil)
)

// New returns the order of deadline-min if a limit for jobs without a goal is given, else that of
// deadline-max.
func New(env *policy.Env, p *Params, most int32) *Order {
	d := &Order{cluster: env.Cluster, params: p, keepFree: most > 0,
		watch: goal.NewWatch(goal.Config{ReduceCost: p.ReduceCost, PerNode: p.PerNode, Drain: p.Drain}),
		jobs:  policy.NewPerJob[[model.Kinds]jobNeeds](env)}
	for k := range model.Kind(model.Kinds) {
		p := &d.pools[env.Cluster.Topology.Model.Pool(k)]
		p.kinds = append(p.kinds, k)
	}
	for i := range d.pools {
		p := &d.pools[i]
		p.number, p.params, p.most = i, d.params, most
		p.jobs, p.order.Cluster, p.drift.wakes.Cluster = d.jobs, env.Cluster, env.Cluster
	}
	return d
}

// of returns what is known of the job's needs in the pool.
func (p *needsPool) of(j *cluster.Job) *jobNeeds { return &p.jobs.Of(j)[p.number] }

// Aim implements kit.Aimer.
func (d *Order) Aim(o *policy.Offer) policy.Scope {
	d.offer, d.given, d.kept = o, nil, policy.Everywhere
	if o != nil && o.Now-d.grid >= d.params.Interval {
		d.evaluate(o.Now - o.Now%d.params.Interval)
	}
	return policy.Everywhere
}

// First implements kit.Order.
func (d *Order) First(pool int) *cluster.Job {
	d.moves.restore()
	p := &d.pools[pool]
	if d.offer == nil {
		d.moves.raise()
		d.exactAll(p)
		return p.order.First()
	}
	return d.head(p)
}

// Next implements kit.Order.
func (d *Order) Next(pool int) *cluster.Job {
	p := &d.pools[pool]
	if d.offer == nil {
		return p.order.Next()
	}
	d.moves.raise()
	d.moves.pass(p)
	return d.head(p)
}

// May implements kit.Limiter.
func (d *Order) May(o *policy.Offer, j *cluster.Job, k model.Kind) kit.Verdict {
	if !d.keepFree || d.pools[o.Pool].of(j).may[k] {
		return kit.Granted
	}
	return kit.OtherKind
}

// Passed implements kit.Passer.
func (d *Order) Passed(o *policy.Offer, chosen *cluster.Job, _ model.Kind) {
	d.moves.restore()
	p := &d.pools[o.Pool]
	p.drift.serve(p.of(chosen))
	if d.keepFree {
		p.untell(o, chosen)
		d.given = o
	}
}

// Kept implements kit.Keeper: what jobs may start may be something else at the end of the interval.
func (d *Order) Kept(o *policy.Offer) (policy.Scope, model.Time) {
	d.moves.restore()
	p := &d.pools[o.Pool]
	p.untell(o, nil)
	if d.keepFree && p.order.Len() > 0 {
		return d.kept, p.moved(d.grid, d.params.Interval)
	}
	return d.kept, 0
}

// tell names the jobs that are held and could use the room: those that came to be since the last
// time, and the first one every time, so that the driver knows that room is kept free on purpose.
// It reports whether there are none left that need another node's room to be told about.
func (p *needsPool) tell(o *policy.Offer, m model.RoomModel, first *cluster.Job) bool {
	rest := p.news[:0]
	for _, j := range p.news {
		if j.Phase != cluster.Admitted {
			continue
		}
		own := p.of(j)
		if own.listed = own.wants && own.state == held; !own.listed {
			continue
		}
		if !kit.Usable(m, o.Pool, &o.Free, j) {
			rest = append(rest, j)
			continue
		}
		own.listed = false
		o.Blocked(j, model.LimitShare)
	}
	p.news = rest
	fits := kit.Usable(m, o.Pool, &o.Free, first)
	if fits {
		o.Blocked(first, model.LimitShare)
	}
	return fits && len(rest) == 0
}

// untell says of jobs that ceased to be held, and do not get this room, that only room is lacking.
func (p *needsPool) untell(o *policy.Offer, chosen *cluster.Job) {
	for _, j := range p.freed {
		if j == chosen || j.Phase != cluster.Admitted {
			continue
		}
		if own := p.of(j); own.wants && own.state != held {
			o.Blocked(j, model.LimitRoom)
		}
	}
	p.freed = p.freed[:0]
}

// rank puts the job exactly where it belongs among those that want room of the pool at the time, which is that of
// the interval, or of the last change of its tasks.
func (d *Order) rank(now model.Time, j *cluster.Job, p *needsPool, own *jobNeeds) {
	p.order.Set(j, d.place(now, j, d.watch.Job(j.ID), p, own, false))
	if d.keepFree && j.Goal == model.Forever {
		p.stays(j, own)
	} else { // under deadline-max tasks start and end many times in an interval: to ask once costs less
		p.exact(j, own)
	}
}

// place works out the state of the job, of which that is expected, and returns its key.
func (d *Order) place(now model.Time, j *cluster.Job, e *goal.Job, p *needsPool, own *jobNeeds, started bool) keyed.Key {
	before := own.state
	var state jobState
	var minor int64
	if j.Goal == model.Forever {
		state, minor = p.goalless(now, j, own)
	} else {
		state, minor = d.state(now, j, e, p, own)
	}
	own.state, own.at = state, now
	if d.keepFree {
		p.turned(j, own, before, started)
	}
	return keyed.Key{Major: int64(state), Minor: minor}
}

// state returns the state of a job that has a goal and its place among the jobs of that state, smaller first.
func (d *Order) state(now model.Time, j *cluster.Job, e *goal.Job, p *needsPool, own *jobNeeds) (jobState, int64) {
	own.may = [model.Kinds]bool{true, true}
	switch {
	case now >= j.Goal:
		d.end = model.Forever
		if e != nil {
			d.end = e.Expected(now)
		}
		own.value = goal.Late(d.end, j.Submit, j.Goal)
		return undead, descending(own.value)
	case e == nil || !e.HasData():
		return noData, int64(j.Submit)
	}
	need, running := 0.0, int32(0)
	for _, k := range p.kinds {
		d.claims[k] = e.Claim(k, now, j.Goal)
		d.needs[k] = d.claims[k].Most(now)
		need += d.needs[k]
		running += j.Running[k]
	}
	own.value = need - float64(running) // equation 3
	if d.keepFree && !d.limit(j, p, own) {
		return held, descending(own.value)
	}
	return adjust, descending(own.value)
}

// limit sets what deadline-min lets a job start that needs this just now: maps and reduces each by equation 3, and always one
// of each, so that reduces which wait for maps do not keep them from running. It reports whether there is anything that the job
// wants to start and may.
func (d *Order) limit(j *cluster.Job, p *needsPool, own *jobNeeds) (some bool) {
	for _, k := range p.kinds {
		running := j.Running[k]
		own.may[k] = running == 0 || d.needs[k] > float64(running)
		some = some || own.may[k] && j.Wants(k) > 0
	}
	return some
}

// turned notes a job that ceased to be held or came to be, or that started a task and is held.
func (p *needsPool) turned(j *cluster.Job, own *jobNeeds, before jobState, started bool) {
	if before == held && own.state != held {
		p.freed = append(p.freed, j)
	}
	if own.state == held && (before != held || started) && !own.listed {
		own.listed = true
		p.news = append(p.news, j)
	}
}

// descending maps larger numbers to smaller integers.
func descending(f float64) int64 {
	b := int64(math.Float64bits(0 - f))
	if b < 0 {
		b ^= math.MaxInt64
	}
	return b
}

// Estimates implements policy.Estimator.
func (d *Order) Estimates() *goal.Watch { return d.watch }

// JobAdmitted implements policy.JobObserver.
func (d *Order) JobAdmitted(model.Time, *cluster.Job) {}

// JobEnded implements policy.JobObserver.
func (d *Order) JobEnded(_ model.Time, j *cluster.Job) {
	if d.watch.Job(j.ID) != nil {
		d.watch.Forget(j.ID)
	}
}

// Wants implements policy.WantObserver.
func (d *Order) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	d.moves.restore()
	d.moves.raise()
	p := &d.pools[pool]
	own := p.of(j)
	if own.wants = wants; !wants {
		p.order.Remove(j)
		p.drift.wakes.Remove(j)
		return
	}
	own.since = now
	d.rank(now, j, p, own)
}

// KindsWanted implements policy.KindObserver: a job that wants other tasks may cease to be held, or come to be.
func (d *Order) KindsWanted(now model.Time, j *cluster.Job) {
	p := &d.pools[0]
	own := p.of(j)
	if !d.keepFree || !own.wants {
		return
	}
	d.moves.restore()
	d.moves.raise()
	d.rank(now, j, p, own)
}

// AttemptStarted implements policy.AttemptObserver.
func (d *Order) AttemptStarted(now model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	if j.Goal == model.Forever {
		d.worked(now, j, t.Kind, true)
	} else {
		e := d.watch.Job(j.ID)
		if e == nil {
			e = d.watch.Follow(j.ID, now, j.Total, goal.Room(d.cluster.Total, j.Need))
		}
		e.Start(t.Kind, t.Index, node, now)
		d.changed(now, j, e, t.Kind, true)
	}
	if o := d.given; o != nil {
		d.given = nil
		if p := &d.pools[o.Pool]; len(p.news) == 1 && p.news[0] == j && d.moves.risen.job == nil {
			d.close(o, j, p)
		}
	}
}

// close tells the driver if no job may start anything more after one that just did and is held with it.
func (d *Order) close(o *policy.Offer, j *cluster.Job, p *needsPool) {
	if _, key := p.order.Top(); key.Major != int64(held) || !kit.Usable(d.cluster.Topology.Model, o.Pool, &d.cluster.Nodes[o.Node].Free, j) {
		return
	}
	p.of(j).listed, p.news = false, p.news[:0]
	o.Blocked(j, model.LimitShare)
	o.Enough(p.moved(d.grid, d.params.Interval))
}

// AttemptEnded implements policy.AttemptObserver.
func (d *Order) AttemptEnded(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, since model.Time, done bool) {
	if j.Goal == model.Forever {
		d.worked(now, j, t.Kind, false)
	} else {
		e := d.watch.Job(j.ID)
		e.End(t.Kind, t.Index, node, since, now, done)
		d.changed(now, j, e, t.Kind, false)
	}
}

// changed ranks a job that has a goal again after one of its tasks of the kind started or ended.
func (d *Order) changed(now model.Time, j *cluster.Job, e *goal.Job, k model.Kind, started bool) {
	d.moves.restore()
	if d.moves.risen.job != j {
		d.moves.raise()
	}
	needs := d.jobs.Of(j)
	if own := &needs[0]; own.wants { // a loop takes longer
		d.pools[0].changed(d, own, now, j, e, k, started)
	}
	if own := &needs[1]; own.wants {
		d.pools[1].changed(d, own, now, j, e, k, started)
	}
}

// changed does so in a pool that it wants room of.
func (p *needsPool) changed(d *Order, own *jobNeeds, now model.Time, j *cluster.Job, e *goal.Job, k model.Kind, started bool) {
	if now < j.Goal && p.asItWas(own, e, k) {
		own.at = now
		return
	}
	if d.moves.risen.pool == p { // the job itself
		d.moves.risen = placed{}
	}
	if p.rough(now, j, e, own) {
		return
	}
	was := own.state
	key := d.place(now, j, e, p, own, started)
	if was == held && own.state != held && d.moves.risen.job == nil {
		d.moves.risen = placed{p, j, key}
	} else {
		p.order.Set(j, key)
	}
	p.exact(j, own)
}

// asItWas reports whether a job that has not missed its goal is where it was in a pool though one of its tasks of the kind
// started or ended: nothing is known of it yet, or it waits for room for reduces, of which it needs as many as before while there
// are maps. Neither drifts, so it does not matter whether its key is a bound.
func (p *needsPool) asItWas(own *jobNeeds, e *goal.Job, k model.Kind) bool {
	switch own.state {
	case noData:
		return !e.HasData()
	case adjust:
		return k == model.Map && p.kinds[0] == model.Reduce && !e.MapsDone()
	}
	return false
}
