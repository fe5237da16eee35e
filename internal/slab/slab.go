// SPDX-License-Identifier: Apache-2.0

// Package slab keeps values by small numbers. They stay where they are when more come, as single ones would, but where each lies is
// worked out instead of being looked up in a list of pointers: with thousands of them, such a list is itself far from the processor.
package slab

// size is how many values lie in one piece of memory. Pieces of more than 32 KB begin with a line; before smaller ones that hold
// pointers Go keeps eight bytes, and whatever was to lie in one line would lie in two.
const size = 256

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

// Passing holds values of a type that come, roughly in order of their numbers, and go. Memory follows those that are there.
type Passing[T any] struct {
	pieces [][]T
	there  []int16 // how many values of each piece are there
	none   []T     // in the place of pieces of which none is
	spare  [][]T   // pieces for those that come
}

// At returns the value of a number that has come. If it has gone, the value is zero, or has been since.
func (p *Passing[T]) At(i int32) *T { return &p.pieces[uint32(i)/size][uint32(i)%size] }

// Near returns where the value of any number lies, nil if none of those about it has come yet. While it is not there itself, the
// value is zero unless somebody has changed it.
func (p *Passing[T]) Near(i int32) *T {
	if n := uint32(i) / size; int(n) < len(p.pieces) && p.pieces[n] != nil {
		return &p.pieces[n][uint32(i)%size]
	}
	return nil
}

// Come returns the value, zero, of a number that comes now. It stays where it is until it goes.
func (p *Passing[T]) Come(i int32) *T {
	n := int(i) / size
	for n >= len(p.pieces) {
		p.pieces, p.there = append(p.pieces, nil), append(p.there, 0)
	}
	if p.there[n] == 0 {
		p.pieces[n] = p.piece()
	}
	p.there[n]++
	var zero T
	v := p.At(i)
	*v = zero
	return v
}

// piece returns a piece that nobody uses.
func (p *Passing[T]) piece() []T {
	n := len(p.spare)
	if n == 0 {
		return make([]T, size)
	}
	piece := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return piece
}

// spares is how many pieces are kept for those that come: where they come in another order than that of their numbers, each may be
// the only one of its piece.
const spares = 16

// Go forgets the value of a number that is there.
func (p *Passing[T]) Go(i int32) {
	var zero T
	*p.At(i) = zero
	n := int(i) / size
	if p.there[n]--; p.there[n] > 0 {
		return
	}
	if p.none == nil {
		p.none = make([]T, size)
	}
	if len(p.spare) < spares {
		p.spare = append(p.spare, p.pieces[n])
	}
	p.pieces[n] = p.none
}
