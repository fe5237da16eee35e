// SPDX-License-Identifier: Apache-2.0

package fluid

// Bottlenecks that hold nobody are many and seldom matter: looking at all of them whenever a level
// rises would cost more than the rest. So each pair on such a bottleneck has an arm, a level at or above
// that of its holder, with the sum of mass times arm within the capacity. While every holder is at or
// below its arms no such bottleneck is overloaded, and none need be looked at. A holder that rises above
// the least of its arms, its ceiling, has those that it passed summed up exactly and armed anew.

// arm sets the arms of a bottleneck that holds nobody, given what is used of it: half of the room that is left is given
// to its pairs in proportion to their levels, the rest is for those to come.
func (g *graph) arm(id int32, used float64) {
	b, room := &g.bottlenecks[id], 1.0
	if used > 0 {
		room = max(1, (1+b.capacity/used)/2)
	}
	b.armed, b.gains = used*room, 0
	for i := range b.in {
		h := &g.bottlenecks[b.in[i].holder]
		arm := g.levels[b.in[i].holder] * room
		h.slack[g.pairs.all[b.in[i].pair].out].arm = arm
		h.ceiling = min(h.ceiling, arm)
	}
}

// allow returns the arm of a new pair of mass x of a holder on a bottleneck that holds nobody.
func (g *graph) allow(holder, on int32, x float64) float64 {
	b, level := &g.bottlenecks[on], g.levels[holder]
	return max(level, min(2*level, (level+(b.capacity-b.armed)/x)/2))
}

// reserve counts a mass x that came to a pair on a bottleneck that holds nobody, at the arm of the pair,
// or went if it is negative. It notes the bottleneck where the arms no longer fit.
func (g *graph) reserve(pair int32, x float64) {
	k := &g.pairs.all[pair]
	b, arm := &g.bottlenecks[k.on], *g.armOf(pair)
	b.armed += x * arm
	if x <= 0 {
		return
	}
	b.gains++ // after some thousand it is armed anew: rounding must not add up
	if level := g.levels[k.holder]; b.armed > b.capacity || arm < level || b.gains > 1<<12 {
		g.note(k.on, level)
	}
}
