// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// claimant is an application in the arithmetic of a leaf.
type claimant struct {
	*capacity.Attempt
	owner  *owner
	master queue.Resource // its size, nothing while it waits for a container
	chosen queue.Resource // by selectors before
	ideal  queue.Resource // without its master
	lacks  queue.Resource // to be had from others
	spare  queue.Resource // may be taken
	give   queue.Resource // is taken
}

// working returns what the tasks of the application use, without containers that are chosen already.
func (a *claimant) working() queue.Resource { return a.Used.Sub(a.master).Sub(a.chosen) }

// owner is a user in the arithmetic of a leaf.
type owner struct {
	limit   queue.Resource // as one of all users, without masters
	masters queue.Resource
	used    queue.Resource // without masters
	chosen  queue.Resource
	ideal   queue.Resource
	spent   bool // all that is above its limit is given
}

// over reports whether a user has more than its limit.
func (o *owner) over(p *parts) bool { return p.Compare(p.cluster, o.used, o.limit) > 0 }

// group is the applications of a leaf, those that come last in front, and their users.
type group struct {
	list   []*claimant
	owners map[string]*owner
}

// takeWithin chooses containers of applications that have more than priorities and user limits leave them, for others of
// the same leaf. Leaves that wanted more than was ideal for them are looked at, in the order in which they were come across.
func (r *round) takeWithin() {
	for _, at := range r.needy {
		if v, leaf := capacity.Look(r.scheduler, at); leaf && r.busy(at) {
			r.groups[at] = r.share(at, v)
		}
	}
	r.deduct()
	for _, at := range r.needy {
		v, _ := capacity.Look(r.scheduler, at)
		if g := r.groups[at]; g != nil && !v.Settings().InnerClosed && !v.Settings().Closed {
			r.takeFrom(g, v)
		}
	}
}

// busy reports whether a leaf uses enough of its guarantee to be looked at.
func (r *round) busy(at int) bool {
	tree := r.scheduler.Tree()
	return tree.UsedCapacity(&tree.Queues[at]) >= r.settings.Inner.Threshold
}

// share works out what each application of a leaf would have ideally and what it gives. It returns nil for a single one.
func (r *round) share(at int, v capacity.View) *group {
	q := &r.list[at]
	pool := q.used.Sub(q.obtain)
	for _, a := range v.Active() {
		pool = pool.Sub(a.Master)
	}
	if len(v.Active())+len(v.Waiting()) == 1 {
		return nil
	}
	g := r.gather(v)
	fair := v.Settings().Fair && !r.settings.Inner.ByPriority
	slices.SortStableFunc(g.list, func(a, b *claimant) int {
		switch {
		case !fair:
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.App, b.App))
		case a.owner == b.owner:
			return v.Compare(a.Attempt, b.Attempt)
		case a.owner.used == b.owner.used:
			return cmp.Compare(a.App, b.App)
		}
		return cmp.Or(r.Compare(r.cluster, a.owner.used, b.owner.used), 1)
	})
	r.idealize(g, pool)
	slices.Reverse(g.list)
	most := q.guaranteed.Part(float64(r.settings.Inner.Most))
	if r.Compare(r.cluster, most, q.obtain) > 0 {
		most = most.Sub(q.obtain)
	} else {
		most = queue.Resource{}
	}
	r.spare(g, queue.Min(r, r.cluster, most, r.allowance))
	r.match(g)
	return g
}

// gather makes claimants of all applications of a leaf, waiting ones too.
func (r *round) gather(v capacity.View) *group {
	g := &group{owners: map[string]*owner{}}
	masters := map[string]queue.Resource{}
	for _, a := range v.Active() {
		masters[a.User] = masters[a.User].Add(a.Master)
	}
	for _, a := range slices.Concat(v.Waiting(), v.Active()) {
		o := g.owners[a.User]
		if o == nil {
			limit, used := v.AllLimit(a.User)
			o = &owner{limit: limit.Sub(masters[a.User]), masters: masters[a.User], used: used.Sub(masters[a.User])}
			g.owners[a.User] = o
		}
		c := &claimant{Attempt: a, owner: o}
		if a.HasMaster() {
			c.master = a.Master
		}
		g.list = append(g.list, c)
	}
	return g
}

// idealize deals a pool out to applications in their order, to each what it uses and asks for within the limit of its user.
func (r *round) idealize(g *group, pool queue.Resource) {
	for _, a := range g.list {
		if !r.some(r.cluster, pool) || r.settings.Inner.Careful && short(r.parts, pool) {
			continue
		}
		o := a.owner
		for c := range a.Live() {
			if r.taken[c] {
				a.chosen, o.chosen = a.chosen.Add(c.Size), o.chosen.Add(c.Size)
			}
		}
		if r.Compare(r.cluster, o.ideal, o.limit) >= 0 {
			continue
		}
		wants := a.Used.Sub(a.master).Add(a.Pending).Sub(a.chosen)
		a.ideal = queue.Min(r, r.cluster, pool, queue.Min(r, r.cluster, wants, o.limit.Sub(o.ideal)))
		o.ideal = o.ideal.Add(a.ideal)
		if r.Compare(r.cluster, a.ideal, a.working()) > 0 {
			a.lacks = a.ideal.Sub(a.working())
		}
		pool = minus(pool, a.ideal)
	}
}

// spare works out what applications could give, the last of them first, up to a limit. Where user limits come first, each
// keeps one smallest container more.
func (r *round) spare(g *group, limit queue.Resource) {
	for _, a := range g.list {
		if !r.some(r.cluster, limit) || !r.some(r.cluster, a.Used) {
			continue
		}
		x := minus(minus(a.Used.Sub(a.ideal), a.chosen), a.master)
		if !r.settings.Inner.ByPriority {
			x = minus(x, r.scheduler.Tree().Step)
		}
		a.spare = queue.Min(r, r.cluster, queue.Max(r, r.cluster, x, queue.Resource{}), limit)
		limit = minus(limit, a.spare)
	}
}

// match lets applications that lack something, the first of them first, have it from those that can spare it, the last first.
func (r *round) match(g *group) {
	for _, high := range slices.Backward(g.list) {
		if !r.some(r.cluster, high.lacks) {
			continue
		}
		for _, low := range g.list {
			if !r.some(r.cluster, low.spare) || high.User == low.User && low.Priority >= high.Priority ||
				r.Compare(r.cluster, low.spare, low.give) <= 0 || high.lacks == (queue.Resource{}) {
				continue
			}
			others := high.User != low.User
			if others && !low.owner.over(r.parts) && !r.settings.Inner.ByPriority {
				continue
			}
			can := low.spare.Sub(low.give)
			if others && low.Priority == high.Priority && low.owner.over(r.parts) {
				can = r.within(low.owner, can)
			}
			if r.some(r.cluster, can) {
				part := queue.Min(r, r.cluster, high.lacks, can)
				high.lacks = high.lacks.Sub(part)
				low.give = low.give.Add(part)
			}
		}
	}
}

// within bounds what an application gives to those of other users by what its user has above its limit.
func (r *round) within(o *owner, can queue.Resource) queue.Resource {
	var excess queue.Resource
	if !o.spent {
		excess = o.used.Sub(o.chosen).Sub(o.limit)
	}
	if r.Compare(r.cluster, excess, can) < 0 {
		o.spent = true
		return excess
	}
	return can
}

// deduct takes what was chosen between queues off what applications of the same leaf give. As in the release it is taken
// off each of them, and not where it is all that is given.
func (r *round) deduct() {
	for _, c := range r.selected() {
		at := c.Attempt.QueuePlace()
		if r.groups[at] == nil {
			continue
		}
		for _, a := range r.groups[at].list {
			if r.Compare(r.cluster, a.give, c.Size) > 0 {
				a.give = a.give.Sub(c.Size)
			}
		}
	}
}

// takeFrom chooses containers of applications that give something. What is to be obtained is one sum, so the last
// applications may give more than was worked out for them. Masters stay. Where user limits come first, a user stays above
// its limit.
func (r *round) takeFrom(g *group, v capacity.View) {
	var sum goal
	used := map[string]queue.Resource{}
	for _, a := range g.list {
		sum.Resource = sum.Add(a.give)
		_, used[a.User] = v.AllLimit(a.User)
	}
	for _, a := range g.list {
		if a.give == (queue.Resource{}) {
			continue
		}
		for _, c := range victims(a.Attempt) {
			if sum.met {
				return
			}
			if r.taken[c] || c.Master {
				continue
			}
			if !r.settings.Inner.ByPriority {
				if r.Compare(r.cluster, used[a.User].Sub(c.Size), a.owner.limit.Add(a.owner.masters)) <= 0 {
					break
				}
			}
			if r.take(c, &sum, r.settings.Inner.Careful) {
				used[a.User] = used[a.User].Sub(c.Size)
			}
		}
	}
}
