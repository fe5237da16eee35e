// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/ladder"
)

const (
	// slack is the relative amount by which a sum may pass a capacity through rounding alone.
	slack = 1e-12
	// tie is the relative amount by which levels may differ through rounding alone. It is below slack,
	// so that what is overloaded always finds a class to take.
	tie = 2e-13
	// still is the relative amount below which a level counts as unchanged.
	still = 1e-14
)

// solution finds the levels that follow from the changes since the last one. It looks at the bottlenecks
// that changed in order of their levels. Each is brought to the level that follows from those of the
// others; where that moves, the bottlenecks that its classes are on are looked at in turn. When none is
// left everything fits, and there is only one way in which it can: that is the solution.
type solution struct {
	graph   *graph
	agenda  *agenda
	warmer  *Warmer
	filling filling
	found   []int32 // bottlenecks just noted
	leaving []int32 // classes of a pair that go to another holder
	moving  []int32 // classes that were given a holder in this solution, if it is lazy
	lazy    bool    // the agenda hears of other holders when the solution is complete: many classes change theirs
	waits   waits
	moved   int64 // levels of bottlenecks, in all
}

// init ties a solution to what it reads and writes.
func (s *solution) init(g *graph, a *agenda, w *Warmer) {
	s.graph, s.agenda, s.warmer = g, a, w
	s.filling.graph = g
}

// solve solves what the changes can move, at the present time.
func (s *solution) solve() {
	g := s.graph
	s.waits.begin(len(g.bottlenecks))
	s.warmer.classes(g.changed, true)
	g.settle()
	if len(g.fresh) > 64 && 2*len(g.fresh) > len(g.classes)-len(g.empty) { // most classes are new
		s.solveAll()
		s.tell()
		return
	}
	if len(g.fresh) > 0 {
		s.placeFresh()
	}
	for n := 0; g.dirty.Len() > 0; n++ {
		if n > 64+16*len(g.bottlenecks) { // rounding moves a class to and fro between equal levels
			s.solveAll()
			break
		}
		id := g.dirty.Pop()
		g.clean[id] = 1
		s.look(id)
	}
	s.tell()
}

// tell tells the agenda which classes have another holder than before: once for each, however often it
// changed meanwhile.
func (s *solution) tell() {
	s.warmer.services(s.moving)
	n := 0
	for _, id := range s.moving {
		c := &s.graph.classes[id]
		if c.moving = false; s.agenda.services[id].holder != c.holder {
			s.agenda.leave(id)
			s.moving[n] = id
			n++
		}
	}
	for _, id := range s.moving[:n] {
		s.agenda.join(id, s.graph.classes[id].holder)
	}
	s.moving = s.moving[:0]
	s.agenda.renew()
}

// placeFresh gives new classes a holder: the one of the least level among their bottlenecks, or if none
// holds anybody the one that is exhausted first.
func (s *solution) placeFresh() {
	g := s.graph
	for _, id := range g.fresh {
		c := &g.classes[id]
		if c.holder >= 0 || c.felt == 0 { // it has gone, and may have come again
			continue
		}
		to, least := int32(-1), math.Inf(1)
		uses := c.uses()
		for i := range uses {
			if l := g.levels[uses[i].on]; l < least {
				to, least = uses[i].on, l
			}
		}
		if to < 0 {
			for i := range uses {
				u := &uses[i]
				if l := g.saturation(u.on, u.ratio*c.felt); to < 0 || l < least {
					to, least = u.on, l
				}
			}
			g.hold(to, least)
			s.agenda.relevel(to, least)
			s.take(to, least)
		}
		s.moveTo(id, to)
	}
	g.fresh = g.fresh[:0]
}

// look brings a bottleneck to the level that follows from the others' levels.
func (s *solution) look(id int32) {
	g := s.graph
	was := g.levels[id]
	if s.waits.over(id) {
		was = math.NaN() // the agenda has not heard of this level
	}
	level, used, tight := g.follow(id)
	for level != math.Inf(1) {
		if !g.holds(id) {
			g.hold(id, level)
		}
		if tight {
			g.levels[id] = level
			s.take(id, level)
		} else if math.Abs(level-was) <= still*level {
			g.levels[id] = was
			return
		}
		g.levels[id] = level
		place, stale := s.spread(id, level)
		if place < 0 {
			s.moved++
			s.agenda.relevel(id, level)
			if level > g.bottlenecks[id].ceiling {
				s.checkSlack(id, level)
			}
			return
		}
		if stale && g.clean[id] != 0 && s.waits.may(id) {
			g.note(id, level*ladder.Above)
			return
		}
		o := g.bottlenecks[id].out[place]
		s.moveAll(o.pair, o.on)
		level, used, tight = g.follow(id)
	}
	if g.holds(id) {
		s.agenda.relevel(id, 0)
		g.free(id)
	} else {
		g.arm(id, used)
	}
}

// follow returns the level at which a bottleneck is exhausted while those that hold its other classes
// stay at their levels, or fall to its own; +Inf if it need hold nobody. It also returns what those classes use, and
// whether some have to fall. That can only be if its own level falls: a holder that rises above another's level leaves
// its classes there to the other.
func (g *graph) follow(id int32) (level, used float64, tight bool) {
	b := &g.bottlenecks[id]
	in, levels := b.in, g.levels
	for i := range in {
		used += in[i].mass * levels[in[i].holder]
	}
	if b.crew == 0 {
		if used <= b.capacity*(1+slack) {
			return math.Inf(1), used, false
		}
		return g.saturation(id, 0), used, true
	}
	if level = (b.capacity - used) / b.mass.value(); level >= levels[id] {
		return level, used, false
	}
	limit := level * (1 + tie)
	for i := range in {
		if levels[in[i].holder] > limit {
			return g.saturation(id, 0), used, true
		}
	}
	return level, used, false
}

// saturation returns the level at which a bottleneck is exhausted while others hold their classes at
// their levels or below, with an extra mass of its own. Use is a concave function of the level, so
// Newton's steps come from below.
func (g *graph) saturation(id int32, extra float64) float64 {
	b := &g.bottlenecks[id]
	levels, own := g.levels, b.mass.value()+extra
	mass := own
	for i := range b.in {
		mass += b.in[i].mass
	}
	level := b.capacity / mass
	for range 100 {
		rem, w := b.capacity, own
		for i := range b.in {
			if l := levels[b.in[i].holder]; l < level {
				rem -= b.in[i].mass * l
			} else {
				w += b.in[i].mass
			}
		}
		better := rem / w
		if w == 0 || !(better > level*(1+1e-15)) {
			break
		}
		level = better
	}
	return level
}

// take gives a bottleneck the classes on it that are held above its level.
func (s *solution) take(id int32, level float64) {
	g := s.graph
	limit := level * (1 + tie)
	for i := len(g.bottlenecks[id].in) - 1; i >= 0; i-- {
		if in := &g.bottlenecks[id].in[i]; g.levels[in.holder] > limit {
			s.moveAll(in.pair, id)
		}
	}
}

// spread notes the bottlenecks that the classes of a holder are on, since its level has moved. It returns
// the place in out of the one with the least level below the holder's, whose classes must be left to it;
// -1 if there is none; and whether that one was noted before, so that its level may move too. Whether one is noted already
// is a coin toss, so there is no branch on it.
func (s *solution) spread(id int32, level float64) (place int, stale bool) {
	g := s.graph
	out, levels, clean := g.bottlenecks[id].out, g.levels, g.clean
	s.found = slices.Grow(s.found[:0], len(out))
	found, n := s.found[:len(out)], 0
	place, least := -1, level*(1-tie)
	for i := range out {
		on := out[i].on
		if l := levels[on]; l < least {
			place, least = i, l
			stale = clean[on] == 0
		}
		found[n] = on
		n += int(clean[on])
		clean[on] = 0
	}
	for _, on := range found[:n] {
		g.dirty.Push(on, levels[on])
	}
	return place, stale && !g.bottlenecks[out[place].on].isCap()
}

// moveAll gives all classes of a pair to another holder.
func (s *solution) moveAll(pair, to int32) {
	g := s.graph
	s.leaving = s.leaving[:0]
	k := &g.pairs.all[pair]
	for n := k.size() - 1; n >= 0; n-- {
		s.leaving = append(s.leaving, k.at(n).class)
	}
	s.warmer.classes(s.leaving, false)
	for _, id := range s.leaving {
		s.moveTo(id, to)
	}
}

// checkSlack looks at the bottlenecks that hold nobody whose arms a holder has passed. Those that are
// overloaded are noted, the others are armed anew.
func (s *solution) checkSlack(id int32, level float64) {
	g := s.graph
	b := &g.bottlenecks[id]
	b.ceiling = math.Inf(1)
	for i := range b.slack {
		o := &b.slack[i]
		if o.arm < level {
			if used := g.used(o.on); used > g.bottlenecks[o.on].capacity*(1+slack) {
				g.note(o.on, level)
			} else {
				g.arm(o.on, used)
			}
		}
		b.ceiling = min(b.ceiling, o.arm)
	}
}

// solveAll solves everything, and hands over what the filling found.
func (s *solution) solveAll() {
	g, f := s.graph, &s.filling
	f.run()
	for id := range g.bottlenecks {
		b, level := &g.bottlenecks[id], f.accounts[id].level
		b.ceiling = math.Inf(1)
		if level == math.Inf(1) || b.isCap() {
			continue
		}
		if !g.holds(int32(id)) {
			g.hold(int32(id), level)
		}
		g.levels[id] = level
		if s.agenda.lines[id].level != level {
			s.agenda.relevel(int32(id), level)
		}
	}
	for id, to := range f.holders {
		if to >= 0 && g.classes[id].holder != to {
			s.moveTo(int32(id), to)
		}
	}
	for id := range g.bottlenecks {
		if b := &g.bottlenecks[id]; g.holds(int32(id)) && b.crew == 0 && !b.isCap() {
			s.agenda.relevel(int32(id), 0)
			g.free(int32(id))
		} else if !g.holds(int32(id)) {
			g.arm(int32(id), g.used(int32(id)))
		}
	}
	for g.dirty.Len() > 0 {
		g.clean[g.dirty.Pop()] = 1
	}
	g.fresh = g.fresh[:0]
}

// moveTo gives a class to a holder, whether it had one before or not.
func (s *solution) moveTo(id, to int32) {
	c := &s.graph.classes[id]
	if c.holder < 0 {
		s.graph.attach(id, to)
	} else {
		s.graph.move(id, to)
	}
	if !s.lazy {
		s.agenda.leave(id)
		s.agenda.join(id, to)
	} else if !c.moving {
		c.moving = true
		s.moving = append(s.moving, id)
	}
}
