// SPDX-License-Identifier: Apache-2.0

// Package slab keeps values by small numbers. They stay where they are when more come, as single ones would, but where each lies is
// worked out instead of being looked up in a list of pointers: with thousands of them, such a list is itself far from the processor.
package slab

// size is how many values lie in one piece of memory.
const size = 64

// Of holds values of a type. The zero value holds none.
type Of[T any] struct {
	pieces [][]T // to point to arrays would make Go look at the first value of a piece to see whether it is there
	n      int32
}

// Len returns how many values there are: their numbers are those below it.
func (s *Of[T]) Len() int32 { return s.n }

// At returns the value of a number below Len. It stays valid.
func (s *Of[T]) At(i int32) *T { return &s.pieces[uint32(i)/size][uint32(i)%size] }

// Grow makes at least n values, the new ones being zero.
func (s *Of[T]) Grow(n int32) {
	for int(n) > len(s.pieces)*size {
		s.pieces = append(s.pieces, make([]T, size))
	}
	s.n = max(s.n, n)
}

// Passing holds values of a type that come once each, roughly in order of their numbers, and go. Memory follows those that are there.
type Passing[T any] struct {
	pieces [][]T
	counts []count
	gone   []T // in the place of all pieces whose values have gone
}

// count is how many values of a piece have come so far, and how many of them are there.
type count struct{ came, there uint8 }

// At returns the value of a number that has come. If it has gone, the value is zero, or has been since.
func (p *Passing[T]) At(i int32) *T { return &p.pieces[uint32(i)/size][uint32(i)%size] }

// Come returns the value, zero, of a number that comes now. It stays where it is until it goes.
func (p *Passing[T]) Come(i int32) *T {
	n := int(i) / size
	for n >= len(p.pieces) {
		p.pieces, p.counts = append(p.pieces, nil), append(p.counts, count{})
	}
	if p.pieces[n] == nil {
		p.pieces[n] = make([]T, size)
	}
	p.counts[n].came++
	p.counts[n].there++
	return p.At(i)
}

// Go forgets the value of a number that is there.
func (p *Passing[T]) Go(i int32) {
	var zero T
	*p.At(i) = zero
	c := &p.counts[i/size]
	if c.there--; c.there > 0 || c.came < size {
		return
	}
	if p.gone == nil {
		p.gone = p.pieces[i/size]
	}
	p.pieces[i/size] = p.gone
}
