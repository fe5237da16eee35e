// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"cmp"
	"container/heap"
	"math"

	"github.com/yardmaster/yardmaster/queue"
)

// part is a queue in the arithmetic of a round: what it has and wants, and what follows.
type part struct {
	path     string
	parent   int // place in the list, -1 of the root
	children []int
	share    float32 // of the cluster, as configured
	priority int     // among its siblings; 0 where the parent does not go by priority
	closed   bool    // nothing may be taken from it; counts for leaves

	guaranteed, most queue.Resource
	used             queue.Resource
	wanted           queue.Resource // open asks of activated applications, within the limits of their users
	missing          queue.Resource // the same, less what their applications have reserved

	untouchable, spare queue.Resource // of what it has above its guarantee: stays, may be taken
	ideal              queue.Resource
	excess             queue.Resource // to be taken in the end
	obtain             queue.Resource // to be taken in this round; of leaves
	norm               [2]float64     // its part of an offer, of memory and virtual cores
}

// parts is the tree of queues in a round, a parent before its children; the root is the first.
type parts struct {
	queue.Calculator
	cluster queue.Resource
	list    []part
	all     bool // what is reserved is offered too

	balanced bool  // leaves may have more than their guarantee
	needy    []int // queues that wanted more than was ideal at first, in the order in which they were come across
	met      []bool
}

// divide works out what every queue would have ideally, and how much it would give if no more than the allowance is given at
// each level of the tree. All that queues want is offered to them, or what their reservations leave of it.
func (p *parts) divide(allowance queue.Resource, all bool) {
	p.all = all
	p.extras(0)
	p.list[0].ideal = p.list[0].guaranteed
	p.level(0, allowance)
}

// extras splits what a queue and those below it have above their guarantees.
func (p *parts) extras(at int) {
	q := &p.list[at]
	q.untouchable, q.spare = queue.Resource{}, queue.Resource{}
	extra := q.used.Sub(q.guaranteed)
	if p.Compare(p.cluster, extra, queue.Resource{}) < 0 {
		extra = queue.Resource{}
	}
	if len(q.children) == 0 {
		if q.closed {
			q.untouchable = extra
		} else {
			q.spare = extra
		}
		return
	}
	var below queue.Resource
	for _, c := range q.children {
		p.extras(c)
		below = below.Add(p.list[c].spare)
	}
	if p.Compare(p.cluster, below, extra) < 0 {
		q.untouchable = extra.Sub(below)
	}
	q.spare = queue.Min(p, p.cluster, below, extra)
}

// level divides what is ideal for a queue among its children, and goes on below them. Queues with a guarantee come first.
// Amounts are compared as parts of what is divided.
func (p *parts) level(at int, allowance queue.Resource) {
	children := p.list[at].children
	if len(children) == 0 {
		return
	}
	total := p.list[at].ideal
	var with, without []int
	for _, c := range children {
		if p.some(total, p.list[c].guaranteed) {
			with = append(with, c)
		} else {
			without = append(without, c)
		}
	}
	left := p.fill(total, with, total, false)
	if len(without) > 0 && p.some(total, left) {
		p.fill(total, without, left, true)
	}
	p.scale(total, children, allowance)
	for _, c := range children {
		p.level(c, allowance)
	}
}

// some reports whether r is more than nothing, as a part of a total.
func (p *parts) some(total, r queue.Resource) bool { return p.Compare(total, r, queue.Resource{}) > 0 }

// fill lets siblings have what they use within their guarantee, and offers the rest to those that want more, the worst
// served first, until it is gone or nobody takes any. It returns what is left for queues without a guarantee: as in the
// release it is less only by what the siblings began with and by what the first of them took.
func (p *parts) fill(total queue.Resource, siblings []int, open queue.Resource, evenly bool) (left queue.Resource) {
	needy := &order{parts: p, total: total}
	for _, at := range siblings {
		q := &p.list[at]
		q.ideal = q.used
		if p.Compare(total, q.used, q.guaranteed) > 0 {
			q.ideal = q.guaranteed.Least(q.used).Add(q.untouchable)
		}
		open = open.Sub(q.ideal)
		if p.Compare(total, q.ideal, q.used.Add(q.wanted)) < 0 {
			heap.Push(needy, at)
		}
	}
	left = open
	first := true
	for len(needy.list) > 0 && p.some(total, open) {
		p.normalize(needy.list, evenly)
		offered := open
		for _, at := range p.worst(needy) {
			if !above(p, open) {
				break
			}
			q := &p.list[at]
			taken := p.offer(q, total, stepped(p, offered, q.norm).Least(open))
			if p.some(total, taken) {
				heap.Push(needy, at)
			}
			open = open.Sub(taken)
			if first {
				left, first = open, false
			}
			open = open.Most(queue.Resource{})
		}
	}
	for len(needy.list) > 0 {
		p.meet(heap.Pop(needy).(int))
	}
	return left
}

// worst takes the worst served queues out of the needy ones: all that are served equally badly.
func (p *parts) worst(needy *order) (list []int) {
	for len(needy.list) > 0 {
		at := heap.Pop(needy).(int)
		list = append(list, at)
		p.meet(at)
		if len(needy.list) > 0 && needy.compare(at, needy.list[0]) < 0 {
			p.meet(needy.list[0])
			break
		}
	}
	return list
}

// meet notes a needy queue when it is come across for the first time.
func (p *parts) meet(at int) {
	if p.met == nil {
		p.met = make([]bool, len(p.list))
	}
	if !p.met[at] {
		p.met[at] = true
		p.needy = append(p.needy, at)
	}
}

// offer lets a queue take of an offer what it wants and may have, and returns what it took. A leaf takes no more than its
// guarantee, or what it uses if that is more: nothing is taken from others for what is above a guarantee, unless queues are
// balanced.
func (p *parts) offer(q *part, total, offered queue.Resource) queue.Resource {
	none, wants := queue.Resource{}, q.missing
	if p.all {
		wants = q.wanted
	}
	taken := queue.Min(p, total, offered, q.used.Add(wants).Sub(q.ideal))
	taken = taken.Least(q.most.Sub(q.ideal).Most(none))
	if len(q.children) == 0 && !p.balanced {
		bound := queue.Max(p, total, q.used, q.guaranteed).Sub(q.ideal)
		taken = queue.Min(p, total, taken, queue.Max(p, total, bound, none))
	}
	taken = taken.Most(none).Least(offered)
	q.ideal = q.ideal.Add(taken)
	return taken
}

// normalize works out which part of an offer each needy queue gets: as guarantees are to each other, or as the configured
// shares where a guarantee is too small to be a whole number, or the same for all.
func (p *parts) normalize(needy []int, evenly bool) {
	var sum queue.Resource
	var shares float32
	for _, at := range needy {
		sum = sum.Add(p.list[at].guaranteed)
		shares += p.list[at].share
	}
	for i, component := range [...]func(queue.Resource) int64{memory, vcores} {
		all := component(sum)
		byShare, even := false, evenly || shares == 0 || all == 0
		for _, at := range needy {
			q := &p.list[at]
			byShare = byShare || !evenly && component(q.guaranteed) == 0 && q.share != 0 && all != 0
		}
		for _, at := range needy {
			q := &p.list[at]
			switch {
			case byShare && shares != 0:
				q.norm[i] = float64(q.share / shares)
			case byShare:
			case even:
				q.norm[i] = float64(1 / float32(len(needy)))
			default:
				q.norm[i] = float64(float32(component(q.guaranteed)) / float32(all))
			}
		}
	}
}

// scale works out what siblings would give, in proportion less if together they give more than the allowance. None goes
// below its guarantee while it wants as much.
func (p *parts) scale(total queue.Resource, siblings []int, allowance queue.Resource) {
	var need queue.Resource
	for _, at := range siblings {
		if q := &p.list[at]; p.Compare(total, q.used, q.ideal) > 0 {
			need = need.Add(q.used.Sub(q.ideal))
		}
	}
	by := float32(1)
	if p.Compare(total, need, allowance) > 0 {
		by = p.Divide(total, allowance, need)
	}
	for _, at := range siblings {
		q := &p.list[at]
		keep := queue.Max(p, total, queue.Min(p, total, q.used.Add(q.wanted), q.guaranteed), q.ideal)
		q.excess = queue.Resource{}
		if p.Compare(total, q.used, keep) > 0 {
			q.excess = q.used.Sub(keep).Part(float64(by))
		}
	}
}

// claim works out what is taken of leaves in this round. A leaf that is only a little above its guarantee is left alone;
// of the others a part of the excess is taken, because containers end by themselves too, or all of it.
func (p *parts) claim(ignored, natural float64, all bool) {
	for i := range p.list {
		q := &p.list[i]
		if len(q.children) > 0 || q.closed {
			continue
		}
		q.obtain = queue.Resource{}
		if p.Compare(p.cluster, q.used, q.guaranteed.Part(1+ignored)) > 0 {
			q.obtain = q.excess
			if !all && p.some(p.cluster, q.excess) {
				q.obtain = rounded(p, q.excess, natural)
			}
		}
	}
}

// order is needy queues as a heap, the worst served on top. Its steps are those of the release, because ties are decided by
// where a queue stands.
type order struct {
	*parts
	total queue.Resource
	list  []int
}

// compare orders two queues by how much of their guarantee is ideal for them; of two that both have less, or both have all
// of it, the one with the higher priority comes first.
func (o *order) compare(a, b int) int {
	x, y := &o.parts.list[a], &o.parts.list[b]
	served := func(q *part) float64 {
		if !o.some(o.total, q.guaranteed) {
			return math.MaxInt32
		}
		return float64(o.Divide(o.total, q.ideal, q.guaranteed))
	}
	i, j := served(x), served(y)
	if x.priority != y.priority && (i < 1) == (j < 1) {
		return cmp.Compare(y.priority, x.priority)
	}
	return cmp.Compare(i, j)
}

func (o *order) Len() int           { return len(o.list) }
func (o *order) Less(i, j int) bool { return o.compare(o.list[i], o.list[j]) < 0 }
func (o *order) Swap(i, j int)      { o.list[i], o.list[j] = o.list[j], o.list[i] }
func (o *order) Push(x any)         { o.list = append(o.list, x.(int)) }

func (o *order) Pop() any {
	last := len(o.list) - 1
	at := o.list[last]
	o.list = o.list[:last]
	return at
}
