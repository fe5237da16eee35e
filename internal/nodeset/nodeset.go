// SPDX-License-Identifier: Apache-2.0

// Package nodeset is a set of small integers with a fast "next member after": two levels of bits,
// so that a sparse set over ten thousand nodes is searched in a handful of words.
package nodeset

import "math/bits"

// Set holds integers from 0 to its size-1.
type Set struct {
	words   []uint64
	summary []uint64 // bit w is set when words[w] is not 0
	count   int
}

// New returns an empty set for the integers 0..n-1.
func New(n int) *Set {
	words := (n + 63) / 64
	return &Set{words: make([]uint64, words), summary: make([]uint64, (words+63)/64)}
}

// Len returns the number of members.
func (s *Set) Len() int { return s.count }

// Has reports whether i is a member.
func (s *Set) Has(i int) bool { return s.words[i>>6]>>(i&63)&1 != 0 }

// Add makes i a member.
func (s *Set) Add(i int) {
	w, b := i>>6, uint64(1)<<(i&63)
	if s.words[w]&b == 0 {
		s.words[w] |= b
		s.summary[w>>6] |= 1 << (w & 63)
		s.count++
	}
}

// Remove makes i no member.
func (s *Set) Remove(i int) {
	w, b := i>>6, uint64(1)<<(i&63)
	if s.words[w]&b != 0 {
		if s.words[w] &^= b; s.words[w] == 0 {
			s.summary[w>>6] &^= 1 << (w & 63)
		}
		s.count--
	}
}

// Next returns the first member at or after i, or -1.
func (s *Set) Next(i int) int {
	w := i >> 6
	if w >= len(s.words) {
		return -1
	}
	if rest := s.words[w] >> (i & 63); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	w++
	for g := w >> 6; g < len(s.summary); g++ {
		word := s.summary[g]
		if g == w>>6 {
			word = word >> (w & 63) << (w & 63)
		}
		if word != 0 {
			w = g<<6 + bits.TrailingZeros64(word)
			return w<<6 + bits.TrailingZeros64(s.words[w])
		}
	}
	return -1
}
