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
