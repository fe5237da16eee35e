// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"

	"github.com/yardmaster/yardmaster/internal/hashed"
)

// pair is what the classes of a holder put on another bottleneck: the sum of their ratio times mass
// there. It changes when a class or a member comes or goes, not when the holder's level does.
type pair struct {
	mass   sum
	holder int32
	on     int32
	in     int32 // place in bottleneck.in of on
	out    int32 // place in bottleneck.out or slack of holder
	only   seat  // the first class: most pairs have no other; its class is -1 in one that has none
	others []seat
}

// seat is a class in a pair, with the place of the link in its uses.
type seat struct {
	class int32
	use   int32
}

// size returns the number of classes in a pair.
func (k *pair) size() int {
	if k.only.class < 0 {
		return 0
	}
	return 1 + len(k.others)
}

// at returns the seat at a place.
func (k *pair) at(place int) *seat {
	if place == 0 {
		return &k.only
	}
	return &k.others[place-1]
}

// inflow is a pair seen from the bottleneck that it is on.
type inflow struct {
	mass   float64
	holder int32
	pair   int32
}

// outflow is a pair seen from its holder.
type outflow struct {
	arm  float64 // where the other holds nobody: see arm.go
	on   int32
	pair int32
}

// pairs holds the pairs of a graph. The index finds those on crowded bottlenecks by holder and bottleneck.
type pairs struct {
	all   []pair
	spare []int32
	index hashed.Index
}

// crowd is how many holders may put something on a bottleneck before it counts as crowded: it is as quick to read through
// these as to look one up.
const crowd = 64

func pairHash(holder, on int32) uint64 { return hashed.Mix(0, uint64(holder)<<32|uint64(on)) }

// add makes a pair without classes.
func (p *pairs) add(holder, on int32) int32 {
	var id int32
	if n := len(p.spare); n > 0 {
		id = p.spare[n-1]
		p.spare = p.spare[:n-1]
	} else {
		id = int32(len(p.all))
		p.all = append(p.all, pair{})
	}
	k := &p.all[id]
	*k = pair{holder: holder, on: on, only: seat{class: -1}, others: k.others[:0]}
	return id
}

// find returns the pair of a holder with another bottleneck b, -1 if they have none.
func (p *pairs) find(b *bottleneck, holder, on int32) int32 {
	if b.crowded {
		return p.index.Find(pairHash(holder, on))
	}
	in := b.in
	for i := range in {
		if in[i].holder == holder {
			return in[i].pair
		}
	}
	return -1
}

// pairOf finds or makes the pair of a holder with another bottleneck; a new one has the given arm, which
// counts nothing yet.
func (g *graph) pairOf(holder, on int32, arm float64) (id int32, made bool) {
	if id := g.pairs.find(&g.bottlenecks[on], holder, on); id >= 0 {
		return id, false
	}
	return g.makePair(holder, on, arm), true
}

// makePair makes the pair of a holder with another bottleneck, which have none.
func (g *graph) makePair(holder, on int32, arm float64) (id int32) {
	id = g.pairs.add(holder, on)
	k, h, b := &g.pairs.all[id], &g.bottlenecks[holder], &g.bottlenecks[on]
	k.in = int32(len(b.in))
	b.in = append(b.in, inflow{holder: holder, pair: id})
	if b.crowded {
		g.pairs.index.Add(pairHash(holder, on), id)
	} else if len(b.in) > crowd {
		b.crowded = true
		for _, in := range b.in {
			g.pairs.index.Add(pairHash(in.holder, on), in.pair)
		}
	}
	if g.holds(on) {
		k.out = put(&h.out, outflow{on: on, pair: id})
	} else {
		k.out = put(&h.slack, outflow{arm, on, id})
		h.ceiling = min(h.ceiling, arm)
	}
	return id
}

func put(list *[]outflow, o outflow) (place int32) {
	*list = append(*list, o)
	return int32(len(*list) - 1)
}

// pull takes an outflow out of a list; the last takes its place.
func (p *pairs) pull(list *[]outflow, place int32) {
	n := len(*list) - 1
	last := (*list)[n]
	*list = (*list)[:n]
	if int(place) < n {
		(*list)[place] = last
		p.all[last.pair].out = place
	}
}

// dropPair forgets a pair without classes.
func (g *graph) dropPair(id int32) {
	k := &g.pairs.all[id]
	h, b := &g.bottlenecks[k.holder], &g.bottlenecks[k.on]
	if g.holds(k.on) {
		g.pairs.pull(&h.out, k.out)
	} else {
		g.pairs.pull(&h.slack, k.out)
	}
	n := len(b.in) - 1
	last := b.in[n]
	b.in = b.in[:n]
	if int(k.in) < n {
		b.in[k.in] = last
		g.pairs.all[last.pair].in = k.in
	}
	if b.crowded {
		g.pairs.index.Remove(pairHash(k.holder, k.on), id)
	}
	g.pairs.spare = append(g.pairs.spare, id)
}

// rename makes a pair that of another holder, which has none on the bottleneck.
func (g *graph) rename(id, to int32) {
	k := &g.pairs.all[id]
	from, h := &g.bottlenecks[k.holder], &g.bottlenecks[to]
	if g.bottlenecks[k.on].crowded {
		g.pairs.index.Remove(pairHash(k.holder, k.on), id)
		g.pairs.index.Add(pairHash(to, k.on), id)
	}
	g.bottlenecks[k.on].in[k.in].holder = to
	k.holder = to
	if g.holds(k.on) {
		place := k.out
		k.out = put(&h.out, from.out[place])
		g.pairs.pull(&from.out, place)
		return
	}
	place := k.out
	o := from.slack[place]
	k.out = put(&h.slack, o)
	h.ceiling = min(h.ceiling, o.arm)
	g.pairs.pull(&from.slack, place)
}

// weigh adds a mass to a pair.
func (g *graph) weigh(id int32, x float64) {
	k := &g.pairs.all[id]
	k.mass.add(x)
	g.bottlenecks[k.on].in[k.in].mass = k.mass.value()
}

// seat puts a class, by its use i, into a pair.
func (g *graph) seat(id int32, i int, to int32) {
	c, k := &g.classes[id], &g.pairs.all[to]
	u := &c.uses()[i]
	n := k.size()
	u.pair, u.place = to, int32(n)
	if n == 0 {
		k.only = seat{id, int32(i)}
	} else {
		k.others = append(k.others, seat{id, int32(i)})
	}
	g.weigh(to, u.ratio*c.felt)
}

// unseat takes a class, by its use i, out of the pair where it is.
func (g *graph) unseat(id int32, i int) {
	c := &g.classes[id]
	u := &c.uses()[i]
	from := u.pair
	k := &g.pairs.all[from]
	n := len(k.others)
	u.pair = -1
	if n == 0 {
		g.dropPair(from)
		return
	}
	last := k.others[n-1]
	k.others = k.others[:n-1]
	if int(u.place) < n {
		*k.at(int(u.place)) = last
		g.classes[last.class].uses()[last.use].place = u.place
	}
	g.weigh(from, -u.ratio*c.felt)
}

// armOf returns the arm of a pair on a bottleneck that holds nobody.
func (g *graph) armOf(id int32) *float64 {
	k := &g.pairs.all[id]
	return &g.bottlenecks[k.holder].slack[k.out].arm
}

// hold makes a bottleneck that held nobody hold at a level.
func (g *graph) hold(id int32, level float64) {
	g.levels[id] = level
	in := g.bottlenecks[id].in
	for i := range in {
		k, h := &g.pairs.all[in[i].pair], &g.bottlenecks[in[i].holder]
		g.pairs.pull(&h.slack, k.out)
		k.out = put(&h.out, outflow{on: id, pair: in[i].pair})
	}
}

// free makes a bottleneck that has no class of its own any more hold nobody.
func (g *graph) free(id int32) {
	g.levels[id] = math.Inf(1)
	in := g.bottlenecks[id].in
	for i := range in {
		k, h := &g.pairs.all[in[i].pair], &g.bottlenecks[in[i].holder]
		g.pairs.pull(&h.out, k.out)
		k.out = put(&h.slack, outflow{on: id, pair: in[i].pair})
	}
	g.arm(id, g.used(id))
}
