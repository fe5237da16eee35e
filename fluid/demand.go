// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// class is a set of activities whose rates, divided by their weights, are always equal. It is what
// the filling reads, in one cache line; the rest is in body.
//
// A member of weight w and first coefficient a adds w·a to the mass. At level l the class takes
// ratio·mass·l of a resource, and its members are served at l: see service.
type class struct {
	level   float64  // +Inf from creation to the first solution
	next    float64  // level found by the filling under way
	mass    float64  // 0 if it has no member
	ceiling float64  // least arm of its edges
	mark    uint32   // number of the solution that it is part of
	frozen  uint32   // number of the filling that froze it
	near    [4]int32 // its resources, if it is plain
	uses    int16    // how many resources
	plain   bool     // at most four resources, all ratios 1
	capped  bool
}

// body is the rest of a class, in one cache line.
type body struct {
	uses []link
	cap  float64 // level at which the cap is met, +Inf if none
	peak float64 // greatest mass since it was last summed afresh
	hash uint64
	_    [16]byte
}

// fits reports whether activities of a checked spec with the given cap level belong to the class.
func (b *body) fits(spec *Spec, limit float64) bool {
	if b.cap != limit || len(b.uses) != len(spec.Uses) {
		return false
	}
	for i := range b.uses {
		u := &spec.Uses[i]
		if b.uses[i].resource != int32(u.Resource) || b.uses[i].ratio != u.Coefficient/spec.Uses[0].Coefficient {
			return false
		}
	}
	return true
}

// demand holds the classes by number and finds them by what they use. The number of a class that was
// dropped is given to a later one.
type demand struct {
	classes []class
	bodies  []body
	vacant  []int32 // numbers of dropped classes
	index   []int32 // by hash: number+1, 0 if empty
	fresh   []int32 // classes made since the last solution
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// seek returns the class of a checked spec with the given cap level, -1 if there is none, and the
// hash to add it with.
func (d *demand) seek(spec *Spec, limit float64) (id int32, hash uint64) {
	h := mix(uint64(len(spec.Uses))+1, math.Float64bits(limit))
	for i := range spec.Uses {
		u := &spec.Uses[i]
		h = mix(mix(h, uint64(u.Resource)), math.Float64bits(u.Coefficient/spec.Uses[0].Coefficient))
	}
	if len(d.index) > 0 {
		mask := uint64(len(d.index) - 1)
		for i := h & mask; d.index[i] != 0; i = (i + 1) & mask {
			if id := d.index[i] - 1; d.bodies[id].hash == h && d.bodies[id].fits(spec, limit) {
				return id, h
			}
		}
	}
	return -1, h
}

// add makes a class without members and uses.
func (d *demand) add(limit float64, hash uint64) int32 {
	var id int32
	if n := len(d.vacant); n > 0 {
		id = d.vacant[n-1]
		d.vacant = d.vacant[:n-1]
	} else {
		id = int32(len(d.classes))
		d.classes = append(d.classes, class{})
		d.bodies = append(d.bodies, body{})
	}
	d.classes[id] = class{level: math.Inf(1), ceiling: math.Inf(1), capped: !math.IsInf(limit, 1)}
	b := &d.bodies[id]
	*b = body{uses: b.uses[:0], cap: limit, hash: hash}
	d.enlist(id)
	return id
}

// drop forgets a class without members.
func (d *demand) drop(id int32) {
	d.delist(id)
	d.vacant = append(d.vacant, id)
}

// bound returns the level of a class, the level of its cap if it is new.
func (d *demand) bound(id int32, c *class) float64 {
	if c.level == math.Inf(1) {
		return d.bodies[id].cap
	}
	return c.level
}

// gain adds the mass of a new member.
func (d *demand) gain(id int32, mass float64) {
	c, b := &d.classes[id], &d.bodies[id]
	c.mass += mass
	b.peak = max(b.peak, c.mass)
}

// lose takes off the mass of a member that has left; rest are the others. Where little is left of what
// there was, the rest is summed afresh, so that the rounding of large terms does not outlive them.
func (d *demand) lose(id int32, mass float64, rest []member, slots []activity) {
	c, b := &d.classes[id], &d.bodies[id]
	c.mass -= mass
	if len(rest) == 0 {
		c.mass, b.peak = 0, 0
	} else if c.mass < b.peak/1024 {
		c.mass = 0
		for i := range rest {
			c.mass += slots[rest[i].slot()].mass
		}
		b.peak = c.mass
	}
}

// enlist puts a class into the hash index, which is open-addressed and at most half full.
func (d *demand) enlist(id int32) {
	if live := len(d.classes) - len(d.vacant); 2*live > len(d.index) {
		old := d.index
		d.index = make([]int32, max(64, 2*len(old)))
		for _, entry := range old {
			if entry != 0 {
				d.place(entry)
			}
		}
	}
	d.place(id + 1)
}

func (d *demand) place(entry int32) {
	mask := uint64(len(d.index) - 1)
	i := d.bodies[entry-1].hash & mask
	for d.index[i] != 0 {
		i = (i + 1) & mask
	}
	d.index[i] = entry
}

// delist takes a class out of the index and closes the gap.
func (d *demand) delist(id int32) {
	mask := uint64(len(d.index) - 1)
	i := d.bodies[id].hash & mask
	for d.index[i] != id+1 {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; d.index[j] != 0; j = (j + 1) & mask {
		home := d.bodies[d.index[j]-1].hash & mask
		if (j-home)&mask >= (j-i)&mask {
			d.index[i] = d.index[j]
			i = j
		}
	}
	d.index[i] = 0
}
