// SPDX-License-Identifier: Apache-2.0

package keyed

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// turnsTwin is a list of items that is sorted whenever its order is wanted.
type turnsTwin map[int32]Item

func (w turnsTwin) order() []int32 {
	items := []Item{}
	for _, item := range w {
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Key.Major, b.Key.Major), cmp.Compare(a.Key.Minor, b.Key.Minor), cmp.Compare(a.Tie, b.Tie))
	})
	ids := []int32{}
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// Items go behind all others, or come back with a key that they had before, or one from anywhere: the order is that of their
// keys. More Majors than there are queues are in use at times.
func TestTurnsAreASortedMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Turns{Crowd: rapid.SampledFrom([]int{0, 5}).Draw(t, "crowd")}
		for i := range s.rungs {
			s.rungs[i].base = rapid.SampledFrom([]uint32{0, turnNumbers - 20, math.MaxUint32 - 20}).Draw(t, "first number")
		}
		w, last := turnsTwin{}, int64(0)
		gone := map[int32]Key{} // with the key that they had
		id, major := rapid.Int32Range(0, 40), rapid.Int64Range(0, 5)
		set := func(i int32, k Key) {
			s.SetTied(i, 100-i, k)
			w[i] = Item{k, 100 - i, i}
		}
		t.Repeat(map[string]func(*rapid.T){
			"serve": func(t *rapid.T) {
				last++
				set(id.Draw(t, "id"), Key{major.Draw(t, "major"), last})
			},
			"serve the first, round after round": func(t *rapid.T) {
				for range 50 {
					if len(w) == 0 {
						return
					}
					first, key := s.Top()
					last++
					set(first, Key{key.Major + 1, last})
					if rapid.Bool().Draw(t, "ends") {
						last++
						set(first, Key{key.Major, last})
					}
				}
			},
			"serve one behind others": func(t *rapid.T) {
				if len(w) == 0 {
					return
				}
				i := s.First()
				for range rapid.IntRange(0, len(w)-1).Draw(t, "decline") {
					i = s.Next()
				}
				if last++; rapid.IntRange(0, 3).Draw(t, "leaves") == 0 {
					gone[i] = w[i].Key
					s.Remove(i)
					delete(w, i)
				} else {
					set(i, Key{w[i].Key.Major + rapid.Int64Range(0, 1).Draw(t, "more"), last})
				}
			},
			"come at once": func(t *rapid.T) { // with the same Minor
				last++
				for range 10 {
					set(id.Draw(t, "id"), Key{0, last})
				}
			},
			"anywhere": func(t *rapid.T) {
				set(id.Draw(t, "id"), Key{major.Draw(t, "major"), rapid.Int64Range(-2, last+1).Draw(t, "minor")})
			},
			"change": func(t *rapid.T) { // nobody comes by that
				last++
				i, k := id.Draw(t, "id"), Key{major.Draw(t, "major"), last}
				s.Change(i, 100-i, k)
				if _, in := w[i]; in {
					w[i] = Item{k, 100 - i, i}
				}
			},
			"leave": func(t *rapid.T) {
				i := id.Draw(t, "id")
				if item, in := w[i]; in {
					gone[i] = item.Key
				}
				s.Remove(i)
				delete(w, i)
			},
			"come back": func(t *rapid.T) {
				i := id.Draw(t, "id")
				if k, was := gone[i]; was {
					set(i, k)
				}
			},
			"": func(t *rapid.T) {
				want := w.order()
				if got := walk(1000, s.First, s.Next); !slices.Equal(got, want) {
					t.Fatalf("iteration %v, the twin says %v", got, want)
				}
				if len(want) > 0 {
					if first, key := s.Top(); first != want[0] || key != w[first].Key {
						t.Fatalf("top %d with %v; the twin says %d with %v", first, key, want[0], w[want[0]].Key)
					}
				}
				i := id.Draw(t, "id")
				if _, in := w[i]; s.Has(i) != in {
					t.Fatalf("has %d: %t, the twin says %t", i, s.Has(i), in)
				}
				seats := s.Firsts(make([]Seat, rapid.IntRange(1, 5).Draw(t, "seats")))
				foreseen := []int32{} // of those that are there
				for n, seat := range seats {
					item, in := w[seat.ID]
					if in = in && item.Tie == seat.Tie && seat.minor == item.Key.Minor; in {
						foreseen = append(foreseen, seat.ID)
					}
					if n >= len(seats)-2 && !in {
						t.Fatalf("%v are foreseen of %v", seats, want)
					}
				}
				if n := min(len(foreseen), 2); (s.rest.Len() == 0 || s.lowest == nil) && !slices.Equal(foreseen[:n], want[:n]) {
					t.Fatalf("%v are foreseen of %v", seats, want)
				}
			},
		})
	})
}

// Queues do not grow while the same items go round, though each start and end leaves a void turn behind.
func TestTurnsStayShort(t *testing.T) {
	var s Turns
	for i := range int32(100) {
		s.SetTied(i, i, Key{0, 1})
	}
	last := int64(1)
	for range 100_000 {
		first, _ := s.Top()
		s.SetTied(first, first, Key{1, last + 1})
		s.SetTied(first, first, Key{0, last + 2})
		last += 2
	}
	for i := range s.rungs {
		if n := cap(s.rungs[i].turns); n > 1000 {
			t.Errorf("100 items have room for %d turns on a rung", n)
		}
	}
	if n := s.rest.Len(); n > 0 {
		t.Errorf("%d items are in the heap", n)
	}
}

// While some decline, those behind them are served one after the other. A few decliners move up, so that no void turn is left; the
// turns that are left behind many are passed at once.
func TestTurnsPassVoidOnes(t *testing.T) {
	for _, decline := range []int{1, passed, passed + 1} {
		var s Turns
		for i := range int32(1000) {
			s.SetTied(i, i, Key{0, 1})
		}
		walk := func() (last int32) {
			first := s.First()
			for range decline {
				last = s.Next()
			}
			if first != 0 {
				t.Fatalf("%d decline, but %d is first", decline, first)
			}
			return last
		}
		for n := range int64(900) {
			served := walk()
			if int64(served) != n+int64(decline) {
				t.Fatalf("after %d, %d is served behind %d", n, served, decline)
			}
			s.SetTied(served, served, Key{1, n + 2})
		}
		walk()
		want := int32(-900)
		if decline <= passed {
			want = int32(900 + decline)
		}
		if behind := s.lowest.turns[s.lowest.head+decline].ID; behind != want {
			t.Errorf("%d decline: behind them stands %d, want %d", decline, behind, want)
		}
	}
}
