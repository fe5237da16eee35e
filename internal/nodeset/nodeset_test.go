// SPDX-License-Identifier: Apache-2.0

package nodeset

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// sizes stand around the ends of a word, of a summary word, and at a large cluster.
var sizes = []int{1, 2, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 10000}

// twin is the set as a map; next is a scan.
type twin struct {
	members map[int]bool
	size    int
}

func (w *twin) next(i int) int {
	for ; i < w.size; i++ {
		if w.members[i] {
			return i
		}
	}
	return -1
}

func (w *twin) nextCyclic(i int) int {
	if n := w.next(i); n >= 0 {
		return n
	}
	return w.next(0)
}

// near draws a member or its neighbour often, so that sparse sets are hit.
func (w *twin) near(t *rapid.T) int {
	i := rapid.IntRange(0, w.size-1).Draw(t, "i")
	if rapid.Bool().Draw(t, "near a member") {
		if n := w.nextCyclic(i); n >= 0 {
			i = min(max(n+rapid.IntRange(-1, 1).Draw(t, "beside"), 0), w.size-1)
		}
	}
	return i
}

func TestSetIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(t, "size")
		s, w := New(n), &twin{map[int]bool{}, n}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				i := w.near(t)
				s.Add(i)
				w.members[i] = true
			},
			"remove": func(t *rapid.T) {
				i := w.near(t)
				s.Remove(i)
				delete(w.members, i)
			},
			"": func(t *rapid.T) {
				i := w.near(t)
				if s.Has(i) != w.members[i] || s.Len() != len(w.members) {
					t.Fatalf("has %d: %t, %d members; the twin says %t, %d", i, s.Has(i), s.Len(), w.members[i], len(w.members))
				}
				if got, want := s.Next(i), w.next(i); got != want {
					t.Fatalf("next after %d: %d, the twin says %d", i, got, want)
				}
			},
		})
	})
}

// Walking the set visits its members and nothing else, whatever their spacing.
func TestWalk(t *testing.T) {
	for _, n := range sizes {
		for _, step := range []int{1, 2, 63, 64, 65, 4095, 4096, 4097} {
			s := New(n)
			want := 0
			for i := step - 1; i < n; i += step {
				s.Add(i)
				want++
			}
			got, at := 0, -1
			for i := s.Next(0); i >= 0; i = s.Next(i + 1) { // i+1 may be the size: past the end
				if i <= at || i%step != step-1 {
					t.Fatalf("size %d, step %d: visited %d after %d", n, step, i, at)
				}
				at, got = i, got+1
			}
			if got != want || s.Len() != want {
				t.Errorf("size %d, step %d: visited %d, counted %d, want %d", n, step, got, s.Len(), want)
			}
		}
	}
}

// The ends: the last member, the place behind it, far behind it, and the empty set.
func TestEnds(t *testing.T) {
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := New(n)
			if s.Next(0) != -1 || s.Len() != 0 {
				t.Error("a new set is not empty")
			}
			s.Add(n - 1)
			s.Add(n - 1)
			if s.Len() != 1 || s.Next(0) != n-1 || s.Next(n-1) != n-1 {
				t.Errorf("last member: %d members, next %d", s.Len(), s.Next(0))
			}
			for _, i := range []int{n, n + 1, n + 63, n + 64, 2*n + 4096, 1 << 20} {
				if s.Next(i) != -1 {
					t.Errorf("past the end at %d: next %d", i, s.Next(i))
				}
			}
			s.Remove(n - 1)
			s.Remove(n - 1)
			if s.Len() != 0 {
				t.Error("the set is not empty again")
			}
		})
	}
}

func TestNoNumbers(t *testing.T) {
	s := New(0)
	if s.Next(0) != -1 || s.Len() != 0 {
		t.Error("a set of nothing has a member")
	}
}
