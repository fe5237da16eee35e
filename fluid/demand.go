// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/hashed"
)

// class is a set of activities that use the same bottlenecks with the same ratios of coefficients. Their
// rates, divided by their weights, are always equal to the level of the bottleneck that holds them.
//
// A member of weight w and first coefficient a adds w·a to the mass. At level l the class takes
// ratio·mass·l of a resource, and its members are served at l: see service.
type class struct {
	mass    sum     // 0 if it has no member
	felt    float64 // mass that its pairs count
	holder  int32   // -1 from creation to the first solution
	streams int32   // that came, less those that went, since they were last counted
	listed  bool    // in demand.changed
	moving  bool    // in solution.moving
	count   uint16  // of its bottlenecks
	members int32
	hash    uint64  // by which the index finds it, or unlisted
	cap     float64 // level at which the cap is met, +Inf if none
	near    [4]link // its bottlenecks if they are at most four,
	far     []link  // otherwise here
}

// uses returns the bottlenecks that a class is on.
func (c *class) uses() []link {
	if int(c.count) <= len(c.near) {
		return c.near[:c.count]
	}
	return c.far
}

// connect puts a class on n bottlenecks, to be filled in.
func (c *class) connect(n int) []link {
	if c.count = uint16(n); n > len(c.near) {
		c.far = slices.Grow(c.far[:0], n)[:n]
	}
	return c.uses()
}

// link is a class's use of a bottleneck.
type link struct {
	on    int32
	pair  int32 // of the holder with it, -1 if it is the holder or there is none
	place int32 // in the pair
	ratio float64
}

// sum is a sum of terms that come and go, with the rounding of each kept, so that it does not outlive the
// terms that it is from.
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	z := t - s.high
	s.low += (s.high - (t - z)) + (x - z)
	s.high = t
}

func (s *sum) value() float64 { return s.high + s.low }

// demand holds the classes by number and finds them by what they use, but for those that are alone in that. The number of a
// class that was dropped is given to a later one.
type demand struct {
	classes []class
	empty   []int32 // numbers of dropped classes
	index   hashed.Index
	fresh   []int32 // classes made since the last solution
	changed []int32 // classes whose members changed since their pairs were told
}

// fits reports whether activities of a spec with the given cap level belong to the class. If so, what it uses can be run.
func (c *class) fits(spec *Spec, limit float64, numbers []int32) bool {
	if c.cap != limit {
		return false
	}
	uses := c.uses()
	if limit != math.Inf(1) {
		uses = uses[:len(uses)-1] // the cap is the last
	}
	if len(uses) != len(spec.Uses) {
		return false
	}
	for i := range uses {
		u := &spec.Uses[i]
		if uint(u.Resource) >= uint(len(numbers)) || uses[i].on != numbers[u.Resource] || uses[i].ratio != spec.ratio(i) || !inBounds(u.Coefficient) {
			return false
		}
	}
	return true
}

// ratio returns the coefficient of use i divided by the first.
func (spec *Spec) ratio(i int) float64 {
	if x, first := spec.Uses[i].Coefficient, spec.Uses[0].Coefficient; x != first {
		return x / first
	}
	return 1
}

// seek returns the class of a checked spec with the given cap level, -1 if there is none, and the
// hash to add it with.
func (d *demand) seek(spec *Spec, limit float64, numbers []int32) (id int32, hash uint64) {
	h := hashed.Mix(uint64(len(spec.Uses))+1, math.Float64bits(limit))
	for i := range spec.Uses {
		h = hashed.Mix(hashed.Mix(h, uint64(spec.Uses[i].Resource)), math.Float64bits(spec.ratio(i)))
	}
	if h == unlisted {
		h++
	}
	at, id := d.index.First(h)
	for id >= 0 && !d.classes[id].fits(spec, limit, numbers) {
		at, id = d.index.After(h, at)
	}
	return id, h
}

// unlisted is the hash of classes that are not in the index.
const unlisted = uint64(0)

// add makes a class without members, uses and holder.
func (d *demand) add(limit float64, hash uint64) int32 {
	var id int32
	if n := len(d.empty); n > 0 {
		id = d.empty[n-1]
		d.empty = d.empty[:n-1]
	} else {
		id = int32(len(d.classes))
		d.classes = append(d.classes, class{})
	}
	c := &d.classes[id]
	*c = class{far: c.far, cap: limit, hash: hash, holder: -1}
	if hash != unlisted {
		d.index.Add(hash, id)
	}
	return id
}

// drop forgets a class without members.
func (d *demand) drop(id int32) {
	c := &d.classes[id]
	if c.hash != unlisted {
		d.index.Remove(c.hash, id)
	}
	c.cap = math.NaN() // nothing fits
	d.empty = append(d.empty, id)
}

// capOf returns the bottleneck of a capped class's cap: it is the last of its uses.
func (d *demand) capOf(id int32) int32 {
	uses := d.classes[id].uses()
	return uses[len(uses)-1].on
}

// change notes that the members of a class are no longer those that its pairs count.
func (d *demand) change(id int32) {
	if c := &d.classes[id]; !c.listed {
		c.listed = true
		d.changed = append(d.changed, id)
	}
}

// gain adds the mass and the streams of a new member.
func (d *demand) gain(id int32, mass float64, streams int32) {
	c := &d.classes[id]
	c.mass.add(mass)
	c.streams += streams
	c.members++
	d.change(id)
}

// lose takes off the mass and the streams of a member that has left.
func (d *demand) lose(id int32, mass float64, streams int32) {
	c := &d.classes[id]
	c.streams -= streams
	c.mass.add(-mass)
	if c.members--; c.members == 0 {
		c.mass = sum{}
	}
	d.change(id)
}

// level returns the level of a class, +Inf if it has no holder yet.
func (g *graph) level(id int32) float64 {
	if h := g.classes[id].holder; h >= 0 {
		return g.levels[h]
	}
	return math.Inf(1)
}
