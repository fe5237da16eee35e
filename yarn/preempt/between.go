// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// goal is what is still to be obtained from a queue.
type goal struct {
	queue.Resource
	met bool
}

// take chooses a container if that helps towards a goal, and if the allowance of the round leaves room for all of it. What is
// chosen may be more than the goal by up to one container.
func (r *round) take(c *capacity.Container, g *goal, careful bool) bool {
	if g.met || r.taken[c] {
		return false
	}
	if g.Memory == 0 { // a component of which nothing is to be obtained is as good as met
		g.Memory = -1
	}
	if g.VCores == 0 {
		g.VCores = -1
	}
	if !above(r.parts, g.Resource) || !r.Fits(c.Size, r.allowance) {
		return false
	}
	none := queue.Resource{}
	after := g.Sub(c.Size)
	helps := r.Compare(r.cluster, after.Most(none), g.Most(none)) < 0
	if careful {
		helps = !short(r.parts, g.Resource)
	}
	if !helps {
		return false
	}
	g.Resource = after
	g.met = !r.some(r.cluster, after)
	r.allowance = r.allowance.Sub(c.Size)
	r.taken[c] = true
	r.chosen = append(r.chosen, c)
	return true
}

// takeBetween chooses containers of leaves that have more than is ideal for them while others have less than their guarantee.
func (r *round) takeBetween() {
	r.divide(r.allowance, r.settings.Reserves)
	r.claim(r.settings.Ignored, r.settings.Natural, r.settings.Reserves)
	r.takeFromLeaves()
}

// balance does the same where others have their guarantee and want more, so that what is above guarantees is shared in
// proportion to these.
func (r *round) balance() {
	r.balanced = true
	r.divide(r.allowance, false)
	r.balanced = false
	r.claim(r.settings.Ignored, r.settings.Natural, false)
	r.takeFromLeaves()
}

// takeFromLeaves chooses containers of leaves until what is to be obtained from them is. Masters come last, and only while they
// use more than their share of the queue.
func (r *round) takeFromLeaves() {
	r.less()
	for _, at := range r.leaves() {
		q := &r.list[at]
		if q.closed {
			continue
		}
		v, _ := capacity.Look(r.scheduler, at)
		v.Settle()
		g := goal{q.obtain, !r.some(r.cluster, q.obtain)}
		var masters []*capacity.Container
		var size queue.Resource
		for _, a := range slices.Backward(v.Active()) {
			if g.met {
				break
			}
			r.free(a, &g)
			for _, c := range victims(a) {
				switch {
				case g.met:
				case c.Master:
					masters = append(masters, c)
					size = size.Add(c.Size)
				default:
					r.take(c, &g, r.settings.Careful)
				}
			}
		}
		most := r.scheduler.Tree().Queues[at].Min.Part(float64(v.Settings().MasterShare))
		for _, c := range masters {
			if g.met || r.Compare(r.cluster, size, most) <= 0 {
				break
			}
			if r.take(c, &g, r.settings.Careful) {
				size = size.Sub(c.Size)
			}
		}
	}
}

// free gives up the reservations of an application until the goal is met, whether they help towards it or not.
func (r *round) free(a *capacity.Attempt, g *goal) {
	for _, c := range a.Reservations() {
		if g.met {
			return
		}
		r.take(c, g, r.settings.Careful)
		if !slices.Contains(r.freed, c) { // by an earlier selector
			r.freed = append(r.freed, c)
		}
	}
}

// less takes what was chosen before off what is to be obtained from leaves. As in the release nothing is taken off where it is
// all of that.
func (r *round) less() {
	for _, c := range r.selected() {
		q := &r.list[c.Attempt.QueuePlace()]
		if r.Compare(r.cluster, q.obtain, c.Size) > 0 {
			q.obtain = q.obtain.Sub(c.Size)
		}
		q.obtain = queue.Max(r, r.cluster, q.obtain, queue.Resource{})
	}
}

// leaves returns the leaves in the order in which the release looks at them: that of a set of their paths.
func (r *round) leaves() []int {
	at := map[string]int{}
	var below func(i int) []string
	below = func(i int) (names []string) {
		q := &r.list[i]
		if len(q.children) == 0 {
			at[q.path] = i
			return []string{q.path}
		}
		for _, c := range q.children {
			names = append(names, below(c)...)
		}
		capacity.Hashed(names)
		return names
	}
	var list []int
	for _, name := range below(0) {
		list = append(list, at[name])
	}
	return list
}

// victims returns an application's containers in the order in which they are chosen: larger numbers of priority first,
// then younger containers.
func victims(a *capacity.Attempt) []*capacity.Container {
	list := slices.Collect(a.Live())
	slices.SortFunc(list, func(a, b *capacity.Container) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(b.Number, a.Number))
	})
	return list
}
