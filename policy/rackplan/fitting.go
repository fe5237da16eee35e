// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"cmp"
	"slices"
)

// fitting finds, among jobs that are left, the one that fits and whose demand has the largest dot product with what is
// free: the first of equals. It is a tree of boxes around demands, searched best box first and pruned by the boxes'
// corners, so that a search costs O(log jobs) where jobs differ.
type fitting struct {
	all   []demand
	scale [demands]float64
	order []int32 // jobs, as the tree has them in its leaves
	gone  []bool  // by job
	boxes []box   // the root first; children of i are 2i+1 and 2i+2
	at    []int32 // leaf of each job
}

// box is the demands of a part of the jobs.
type box struct {
	low, high  demand // corners around those that are left
	from, to   int32  // in order
	left       int32
	isLeaf     bool
	firstIndex int32 // lowest place of a job in it, for ties
}

const leafSize = 8

func newFitting(all []demand, scale [demands]float64) *fitting {
	f := &fitting{all: all, scale: scale, order: make([]int32, len(all)), gone: make([]bool, len(all)), at: make([]int32, len(all))}
	for i := range f.order {
		f.order[i] = int32(i)
	}
	size := 1
	for leaves := 1; leaves*leafSize < len(all); leaves *= 2 {
		size = 4*leaves - 1
	}
	f.boxes = make([]box, size)
	f.build(0, 0, int32(len(all)), 0)
	return f
}

// build makes the box i of the jobs order[from:to], halved by one part of the demand after the other.
func (f *fitting) build(i int, from, to int32, part int) {
	b := &f.boxes[i]
	b.from, b.to, b.left = from, to, to-from
	if 2*i+2 >= len(f.boxes) {
		b.isLeaf = true
		for _, job := range f.order[from:to] {
			f.at[job] = int32(i)
		}
		f.shrink(b)
		return
	}
	slices.SortFunc(f.order[from:to], func(x, y int32) int {
		if c := cmp.Compare(f.all[x][part], f.all[y][part]); c != 0 {
			return c
		}
		return cmp.Compare(x, y)
	})
	middle := (from + to) / 2
	f.build(2*i+1, from, middle, (part+1)%demands)
	f.build(2*i+2, middle, to, (part+1)%demands)
	f.join(i)
}

// shrink fits the box of a leaf to the jobs that are left.
func (f *fitting) shrink(b *box) {
	b.left = 0
	for _, job := range f.order[b.from:b.to] {
		if !f.gone[job] {
			b.add(f.all[job], f.all[job], job)
			b.left++
		}
	}
}

// join fits a box to its two children.
func (f *fitting) join(i int) {
	b := &f.boxes[i]
	b.left = 0
	for _, c := range []*box{&f.boxes[2*i+1], &f.boxes[2*i+2]} {
		if c.left > 0 {
			b.add(c.low, c.high, c.firstIndex)
			b.left += c.left
		}
	}
}

// add makes the box contain another one; the first if it has nothing in it.
func (b *box) add(low, high demand, first int32) {
	if b.left == 0 {
		b.low, b.high, b.firstIndex = low, high, first
		return
	}
	for i := range low {
		b.low[i], b.high[i] = min(b.low[i], low[i]), max(b.high[i], high[i])
	}
	b.firstIndex = min(b.firstIndex, first)
}

// remove takes a job out.
func (f *fitting) remove(job int32) {
	f.gone[job] = true
	i := int(f.at[job])
	f.shrink(&f.boxes[i])
	for i > 0 {
		i = (i - 1) / 2
		f.join(i)
	}
}

// rest returns the jobs that are left, in the order of the list.
func (f *fitting) rest() (jobs []int32) {
	for i, gone := range f.gone {
		if !gone {
			jobs = append(jobs, int32(i))
		}
	}
	return jobs
}

// best returns the job to take where this much is free, or -1.
func (f *fitting) best(free demand) int32 {
	s := search{f: f, free: free, job: -1}
	s.look(0)
	return s.job
}

// search is one look for the best job.
type search struct {
	f     *fitting
	free  demand
	job   int32
	score float64
}

// score is the dot product of shares.
func (f *fitting) score(d, free demand) (sum float64) {
	for i, v := range d {
		sum += float64(v) * f.scale[i] * (float64(free[i]) * f.scale[i])
	}
	return sum
}

// bound returns the most that a job of the box can score: that of the corner, as far as it fits.
func (s *search) bound(b *box) float64 {
	corner := b.high
	for i := range corner {
		corner[i] = min(corner[i], s.free[i])
	}
	return s.f.score(corner, s.free)
}

// hopeless reports whether no job of the box is better than the best so far.
func (s *search) hopeless(b *box, bound float64) bool {
	return b.left == 0 || !b.low.within(s.free) || s.job >= 0 && (bound < s.score || bound == s.score && b.firstIndex > s.job)
}

func (s *search) look(i int) {
	b := &s.f.boxes[i]
	if s.hopeless(b, s.bound(b)) {
		return
	}
	if !b.isLeaf {
		first, second := 2*i+1, 2*i+2
		if s.bound(&s.f.boxes[second]) > s.bound(&s.f.boxes[first]) {
			first, second = second, first
		}
		s.look(first)
		s.look(second)
		return
	}
	for _, job := range s.f.order[b.from:b.to] {
		d := s.f.all[job]
		if s.f.gone[job] || !d.within(s.free) {
			continue
		}
		if v := s.f.score(d, s.free); s.job < 0 || v > s.score || v == s.score && job < s.job {
			s.job, s.score = job, v
		}
	}
}
