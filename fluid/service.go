// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// service is the cumulative service of what advances together: the activities of a class, or the
// classes that a bottleneck holds. Its clock rises with another: that of a bottleneck with time, at its
// level; that of a class with the clock of its holder. A member that needs a span ends when the clock
// has risen by it since the member came. A change of level touches the clock and no member.
type service struct {
	clock   float64 // when the other clock stood at since
	since   float64
	members []member // a heap of ends
	came    int32    // members added since the clock was last set to zero
	holder  int32    // line whose clock it follows, -1 if none; that of a line follows time
}

// settle brings the clock to where the other clock stands.
func (v *service) settle(other, level float64) {
	if other > v.since {
		v.clock += level * (other - v.since)
		v.since = other
	}
}

// first returns by how much the clock must rise until the first member ends.
func (v *service) first() float64 { return max(0, v.members[0].finish()-v.clock) }

// left returns by how much the clock must rise until the member at place p ends.
func (v *service) left(p int32) float64 { return max(0, v.members[p].finish()-v.clock) }

// long reports whether the clock stands so high that the low digits of a span would be lost, and enough
// members have come to pay for setting it back.
func (v *service) long(span float64) bool {
	v.came++
	return v.clock > 1024*span && int(v.came) > len(v.members)
}

// add adds a member that ends when the clock has risen by span.
func (v *service) add(span float64, key uint64, p places) {
	v.members = p.push(v.members, member{math.Float64bits(v.clock + span), key})
}

// rebase sets the clock back to zero, so that a service that lives long does not lose the low digits
// of short members. Rounding may make ends equal, hence the new heap.
func (v *service) rebase(p places) {
	for i := range v.members {
		m := &v.members[i]
		m.end = math.Float64bits(max(0, m.finish()-v.clock))
	}
	v.clock, v.came = 0, 0
	p.order(v.members)
}

// roster is the service of a class with a copy of its first member: most classes have one member, and
// the heap need not be read to know it. The size is one cache line.
type roster struct {
	service
	top member
}

// first returns by how much the clock must rise until the first member ends.
func (v *roster) first() float64 { return max(0, v.top.finish()-v.clock) }

// admit adds a member that ends when the clock has risen by span, and reports whether it is the first to end.
func (v *roster) admit(span float64, key uint64, p places) (first bool) {
	if v.long(span) {
		v.rebase(p)
	}
	v.add(span, key, p)
	v.top = v.members[0]
	return v.top.key == key
}

// dismiss takes out the member at a place.
func (v *roster) dismiss(place int32, p places) {
	if len(v.members) == 1 {
		v.members = v.members[:0]
		return
	}
	v.members = p.remove(v.members, place)
	v.top = v.members[0]
}
