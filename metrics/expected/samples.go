// SPDX-License-Identifier: Apache-2.0

package expected

import "github.com/yardmaster/yardmaster/model"

// sample is an estimate that holds from a time on.
type sample struct{ at, end model.Time }

// samples is a list of estimates in pieces of memory. With thousands of jobs it takes long to move lists that grow; a piece stays where
// it is, and is another job's afterwards.
type samples struct {
	open []sample   // the last piece
	pool *pool      // where pieces come from
	full [][]sample // the pieces before it
}

// pool is pieces that nobody uses, and memory to put a list together in.
type pool struct {
	pieces [][]sample
	whole  []sample
}

// piece is how many samples one holds.
const piece = 32

func (s *samples) len() int { return len(s.full)*piece + len(s.open) }

// add returns a new last sample, to be filled in.
func (s *samples) add() *sample {
	n := len(s.open)
	if n == cap(s.open) {
		s.more()
		n = 0
	}
	s.open = s.open[:n+1]
	return &s.open[n]
}

// more begins another piece.
func (s *samples) more() {
	if s.open != nil {
		s.full = append(s.full, s.open)
	}
	n := len(s.pool.pieces)
	if n == 0 {
		s.open = make([]sample, 0, piece)
		return
	}
	s.open, s.pool.pieces = s.pool.pieces[n-1], s.pool.pieces[:n-1]
}

// all returns the whole list, which is valid until that of another job is asked for or something is added.
func (s *samples) all() []sample {
	if len(s.full) == 0 {
		return s.open
	}
	list := s.pool.whole[:0]
	for _, p := range s.full {
		list = append(list, p...)
	}
	s.pool.whole = append(list, s.open...)
	return s.pool.whole
}

// halve drops every other sample.
func (s *samples) halve() {
	list := s.all()
	s.clear()
	for i := 0; i < len(list)-1; i += 2 {
		*s.add() = list[i]
	}
}

// clear gives all pieces back.
func (s *samples) clear() {
	for _, p := range s.full {
		s.pool.pieces = append(s.pool.pieces, p[:0])
	}
	if s.open != nil {
		s.pool.pieces = append(s.pool.pieces, s.open[:0])
	}
	s.open, s.full = nil, s.full[:0]
}
