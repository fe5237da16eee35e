// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// takeForReservations chooses containers that stand in the way of a reservation: on each node enough for its reservation to
// fit, or none. Nodes where least has to be taken for it come first.
func (r *round) takeForReservations() {
	r.divide(r.allowance, true)
	r.claim(r.settings.Ignored, 1, true)
	left := make([]queue.Resource, len(r.list)) // that may still be taken, by place of the leaf
	for i := range r.list {
		if q := &r.list[i]; !q.closed && r.some(r.cluster, q.obtain) {
			left[i] = q.obtain
		}
	}
	type offer struct {
		node *capacity.Node
		cost float32
	}
	var offers []offer
	for _, n := range r.scheduler.Nodes() {
		if n.Reserved() == nil {
			continue
		}
		if list, ok := r.clear(n, left, nil); ok {
			var size queue.Resource
			for _, c := range list {
				size = size.Add(c.Size)
			}
			offers = append(offers, offer{n, r.Ratio(size, n.Reserved().Size)})
		}
	}
	slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.cost, b.cost) })
	for _, o := range offers {
		list, ok := r.clear(o.node, left, &r.allowance)
		for _, c := range list {
			if !ok { // what it took off the allowance stays off
				at := c.Attempt.QueuePlace()
				left[at] = left[at].Add(c.Size)
				continue
			}
			r.taken[c] = true
			r.chosen = append(r.chosen, c)
		}
	}
}

// clear returns the containers of a node without which its reservation fits, the youngest first, and whether there are enough of
// them. What they take is taken off what is left of their queues and off the allowance; nothing is taken off without one.
func (r *round) clear(n *capacity.Node, left []queue.Resource, allowance *queue.Resource) (list []*capacity.Container, ok bool) {
	size, room := n.Reserved().Size, n.Free()
	if r.Fits(size, room) {
		return nil, false
	}
	containers := slices.Clone(n.Containers)
	slices.SortFunc(containers, func(a, b *capacity.Container) int {
		return cmp.Or(cmp.Compare(b.Attempt.App, a.Attempt.App), cmp.Compare(b.Attempt.Number, a.Attempt.Number), cmp.Compare(b.Number, a.Number))
	})
	for _, c := range containers {
		at := c.Attempt.QueuePlace()
		if c.Master || left[at] == (queue.Resource{}) || !r.Fits(c.Size, left[at]) || !r.Fits(c.Size, r.allowance) {
			continue
		}
		if allowance != nil {
			left[at] = left[at].Sub(c.Size)
			*allowance = allowance.Sub(c.Size)
		}
		if !r.taken[c] {
			list = append(list, c)
		}
		if room = room.Add(c.Size); r.Fits(size, room) {
			return list, true
		}
	}
	return list, false
}
