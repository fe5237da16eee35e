// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// graph joins supply and demand: which class is on which bottlenecks, which of them holds it, and what
// that puts on the others.
type graph struct {
	supply
	demand
	pairs pairs
}

// classOf finds or makes the class of a spec with the given cap level. The kind of a spec is one more than the class
// that it had last; the number may be another class's since. It refuses uses that cannot be run.
func (g *graph) classOf(spec *Spec, limit float64) (id int32, made bool, err error) {
	kind := spec.Kind
	if kind == nil {
		kind = new(int32)
	}
	if id = *kind - 1; id >= 0 && g.classes[id].fits(spec, limit, g.numbers) {
		return id, false, nil
	}
	if err := g.check(spec); err != nil {
		return -1, false, err
	}
	hash := unlisted
	if !spec.Sole {
		if id, hash = g.seek(spec, limit, g.numbers); id >= 0 {
			*kind = id + 1
			return id, false, nil
		}
	}
	id = g.demand.add(limit, hash)
	*kind = id + 1
	n := len(spec.Uses)
	if limit != math.Inf(1) {
		n++
	}
	uses := g.classes[id].connect(n)
	for i := range spec.Uses {
		uses[i] = link{g.numbers[spec.Uses[i].Resource], -1, -1, spec.ratio(i)}
	}
	if n > len(spec.Uses) {
		uses[n-1] = link{g.capAt(limit), -1, -1, 0}
	}
	g.fresh = append(g.fresh, id)
	return id, true, nil
}

// settle tells the pairs of the classes that changed, in one go for all that has come and gone. Classes
// without members are dropped.
func (g *graph) settle() {
	for _, id := range g.changed {
		if c := &g.classes[id]; c.mass == (sum{}) {
			g.remove(id)
		} else {
			g.adjust(c)
		}
	}
	g.changed = g.changed[:0]
}

// present returns how much of a bottleneck is in use, and its capacity, with the changes that settle has
// not told the pairs yet. It changes nothing: to look must not move the last digit of what follows.
func (g *graph) present(id int32) (used, capacity float64) {
	b := &g.bottlenecks[id]
	used, streams := g.used(id), b.streams
	for _, changed := range g.changed {
		c := &g.classes[changed]
		for _, u := range c.uses() {
			if u.on != id {
				continue
			}
			streams += int64(c.streams)
			if c.holder >= 0 {
				used += u.ratio * (c.mass.value() - c.felt) * g.levels[c.holder]
			}
		}
	}
	if capacity = b.capacity; b.varies {
		table := g.stocks[id].table
		capacity = table[min(streams, int64(len(table)-1))]
	}
	return used, capacity
}

// adjust tells the pairs of a class its present mass, and its bottlenecks its streams.
func (g *graph) adjust(c *class) {
	had, streams := c.felt, c.streams
	c.felt, c.streams, c.listed = c.mass.value(), 0, false
	uses := c.uses()
	for i := range uses {
		u := &uses[i]
		if streams != 0 {
			g.flow(u.on, streams)
		}
		if c.holder < 0 || c.felt == had {
			continue
		}
		less, more := -u.ratio*had, u.ratio*c.felt // what was added before is taken off to the last digit
		if u.on == c.holder {
			g.bottlenecks[u.on].mass.add(less)
			g.bottlenecks[u.on].mass.add(more)
		} else {
			g.pairs.all[u.pair].mass.add(less)
			g.weigh(u.pair, more)
		}
		g.felt(c, u, less+more)
	}
}

// felt notes that what a class takes by a use has grown by a mass x. What stands still because its holder is switched off
// takes nothing of any that holds somebody, and its holder stays at level 0 whatever the mass.
func (g *graph) felt(c *class, u *link, x float64) {
	if g.holds(u.on) {
		if g.levels[c.holder] != 0 {
			g.note(u.on, g.levels[u.on])
		}
	} else {
		g.reserve(u.pair, x)
	}
}

// remove drops a class that has no members any more.
func (g *graph) remove(id int32) {
	c := &g.classes[id]
	uses := c.uses()
	for i := range uses {
		u := &uses[i]
		g.flow(u.on, c.streams)
		if c.holder < 0 {
			continue
		}
		g.felt(c, u, -u.ratio*c.felt)
		if u.on == c.holder {
			if g.bottlenecks[u.on].delist(u.ratio * c.felt); g.bottlenecks[u.on].crew == 0 {
				g.note(u.on, g.levels[u.on]) // it holds nobody
			}
		} else {
			g.unseat(id, i)
		}
	}
	if c.cap != math.Inf(1) {
		g.leaveCap(g.capOf(id))
	}
	c.felt, c.holder = 0, -1
	g.drop(id)
}

// attach gives a class without holder one. It is the least level among the class's bottlenecks.
func (g *graph) attach(id, to int32) {
	c := &g.classes[id]
	c.holder = to
	uses := c.uses()
	for i := range uses {
		u := &uses[i]
		x := u.ratio * c.felt
		if u.on == to {
			g.bottlenecks[to].enlist(x)
		} else {
			arm := 0.0
			if !g.holds(u.on) {
				arm = g.allow(to, u.on, x)
			}
			k, _ := g.pairOf(to, u.on, arm)
			g.seat(id, i, k)
		}
		g.felt(c, u, x)
	}
}

// move gives a class to another holder among its bottlenecks. Both hold somebody.
func (g *graph) move(id, to int32) {
	c := &g.classes[id]
	from := c.holder
	c.holder = to
	uses := c.uses()
	for i := range uses {
		u := &uses[i]
		switch u.on {
		case from:
			g.bottlenecks[from].delist(u.ratio * c.felt)
			k, _ := g.pairOf(to, from, 0)
			g.seat(id, i, k)
		case to:
			g.unseat(id, i)
			g.bottlenecks[to].enlist(u.ratio * c.felt)
		default:
			g.shift(id, i, to)
			if !g.holds(u.on) {
				if level := g.levels[to]; *g.armOf(u.pair) < level {
					g.note(u.on, level)
				}
				continue
			}
		}
		g.note(u.on, g.levels[u.on])
	}
}

// shift moves a class, by its use i, from the pair where it is to the one of another holder. On a
// bottleneck that holds nobody it takes its part of the arms along: their sum stays.
func (g *graph) shift(id int32, i int, to int32) {
	c := &g.classes[id]
	u := &c.uses()[i]
	k := g.pairs.find(&g.bottlenecks[u.on], to, u.on)
	if k < 0 && g.pairs.all[u.pair].size() == 1 {
		g.rename(u.pair, to)
		return
	}
	if g.holds(u.on) {
		g.unseat(id, i)
		if k < 0 {
			k = g.makePair(to, u.on, 0)
		}
		g.seat(id, i, k)
		return
	}
	arm, x := *g.armOf(u.pair), u.ratio*c.felt
	g.unseat(id, i)
	if k < 0 {
		k = g.makePair(to, u.on, arm)
	} else {
		had := g.pairs.all[k].mass.value()
		joint := (had*(*g.armOf(k)) + x*arm) / (had + x)
		*g.armOf(k) = joint
		g.bottlenecks[to].ceiling = min(g.bottlenecks[to].ceiling, joint)
	}
	g.seat(id, i, k)
}
