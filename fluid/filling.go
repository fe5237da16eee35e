// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"slices"
)

// filling is the progressive filling of everything, class by class: it finds the level of each bottleneck
// and the holder of each class from nothing. It is the way where much has changed at once.
type filling struct {
	graph    *graph
	accounts []account // of bottlenecks
	list     []int32   // classes by bottleneck
	holders  []int32   // of classes, -1 while they rise
	queue    candidates
}

// account is what a bottleneck has while a filling runs.
type account struct {
	rem, w float64 // capacity not yet given to classes that have a holder; mass of the others
	low    float64 // w below which both are summed afresh
	level  float64 // +Inf while it holds nobody
	from   int32   // where its classes stand in filling.list
	count  int32
	left   int32 // how many of them still rise
}

// run fills.
func (f *filling) run() {
	left := f.begin()
	level := 0.0
	for left > 0 {
		top := &f.queue[0]
		id, k := top.id, &f.accounts[top.id]
		if k.left == 0 {
			f.queue.pop()
			continue
		}
		if k.w < k.low {
			f.resum(id, k)
		}
		if now := k.rem / k.w; now > top.level && !f.graph.bottlenecks[id].isCap() { // levels only rise while others freeze
			top.level = now
			f.queue.sink(0)
			if f.queue[0].id != id {
				continue
			}
		}
		level = max(level, f.queue.pop().level)
		k.level = level
		left -= f.freezeAll(id, k)
	}
}

// begin lists the classes by bottleneck, and returns how many there are.
func (f *filling) begin() (classes int) {
	g := f.graph
	f.accounts = slices.Grow(f.accounts[:0], len(g.bottlenecks))[:len(g.bottlenecks)]
	f.holders = slices.Grow(f.holders[:0], len(g.classes))[:len(g.classes)]
	clear(f.accounts)
	for id := range g.classes {
		c := &g.classes[id]
		f.holders[id] = -1
		if c.felt == 0 {
			continue
		}
		classes++
		for _, u := range c.uses() {
			k := &f.accounts[u.on]
			k.w += u.ratio * c.felt
			k.left++
		}
	}
	f.queue = f.queue[:0]
	from := int32(0)
	for id := range f.accounts {
		k := &f.accounts[id]
		k.rem, k.low, k.level, k.from = g.bottlenecks[id].capacity, k.w/1024, math.Inf(1), from
		if from += k.left; k.left == 0 {
			continue
		}
		if g.bottlenecks[id].isCap() {
			f.queue = append(f.queue, candidate{g.levels[id], int32(id)})
		} else {
			f.queue = append(f.queue, candidate{k.rem / k.w, int32(id)})
		}
	}
	f.queue.order()
	f.list = slices.Grow(f.list[:0], int(from))[:from]
	for id := range g.classes {
		if c := &g.classes[id]; c.felt > 0 {
			for _, u := range c.uses() {
				k := &f.accounts[u.on]
				f.list[k.from+k.count] = int32(id)
				k.count++
			}
		}
	}
	return classes
}

// freezeAll makes a bottleneck hold those of its classes that still rise, and counts them.
func (f *filling) freezeAll(id int32, k *account) (n int) {
	for _, class := range f.list[k.from : k.from+k.count] {
		if f.holders[class] >= 0 {
			continue
		}
		f.holders[class] = id
		n++
		c := &f.graph.classes[class]
		for _, u := range c.uses() {
			x := u.ratio * c.felt
			other := &f.accounts[u.on]
			other.rem = max(0, other.rem-x*k.level)
			other.w -= x
			other.left--
		}
	}
	return n
}

// resum works out rem and w afresh, where little is left of what there was and differences have lost
// their digits.
func (f *filling) resum(id int32, k *account) {
	rem, w := f.graph.bottlenecks[id].capacity, 0.0
	for _, class := range f.list[k.from : k.from+k.count] {
		c := &f.graph.classes[class]
		for _, u := range c.uses() {
			if u.on != id {
				continue
			}
			if h := f.holders[class]; h >= 0 {
				rem -= u.ratio * c.felt * f.accounts[h].level
			} else {
				w += u.ratio * c.felt
			}
		}
	}
	k.rem, k.w, k.low = max(0, rem), w, w/1024
}
