// SPDX-License-Identifier: Apache-2.0

package keyed

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// heapTwin is a map that is sorted whenever its order is wanted.
type heapTwin map[int32]Key

func (w heapTwin) order() []int32 {
	ids := []int32{}
	for id := range w {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(w[a].Major, w[b].Major), cmp.Compare(w[a].Minor, w[b].Minor), cmp.Compare(a, b))
	})
	return ids
}

// walk reads up to n identifiers from an iterator that ends with -1.
func walk(n int, first, next func() int32) []int32 {
	ids := []int32{}
	for id := first(); id >= 0 && len(ids) < n; id = next() {
		ids = append(ids, id)
	}
	return ids
}

func drawKey(t *rapid.T) Key {
	return Key{rapid.Int64Range(-2, 3).Draw(t, "major"), rapid.Int64Range(0, 2).Draw(t, "minor")} // many ties
}

func TestHeapIsASortedMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Heap
		w := heapTwin{}
		id := rapid.Int32Range(0, 60)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				i, k := id.Draw(t, "id"), drawKey(t)
				h.Set(i, k)
				w[i] = k
			},
			"set many": func(t *rapid.T) {
				for range 30 {
					i, k := id.Draw(t, "id"), drawKey(t)
					h.Set(i, k)
					w[i] = k
				}
			},
			"remove": func(t *rapid.T) { // present or not, known or not
				i := rapid.Int32Range(0, 70).Draw(t, "id")
				h.Remove(i)
				delete(w, i)
			},
			"remove the first": func(*rapid.T) {
				if i := h.First(); i >= 0 {
					h.Remove(i)
					delete(w, i)
				}
			},
			"look at a few": func(t *rapid.T) { // an iteration that is given up half-way
				n := rapid.IntRange(0, 5).Draw(t, "n")
				if got, want := walk(n, h.First, h.Next), w.order(); !slices.Equal(got, want[:min(n, len(want))]) {
					t.Fatalf("iteration %v, the twin says %v", got, want)
				}
			},
			"": func(t *rapid.T) {
				if got, want := walk(1000, h.First, h.Next), w.order(); !slices.Equal(got, want) {
					t.Fatalf("iteration %v, the twin says %v", got, want)
				}
				if first, key := int32(0), (Key{}); h.Len() > 0 {
					if first, key = h.Top(); first != h.First() || key != w[first] {
						t.Fatalf("top %d with %v; the twin says %d with %v", first, key, h.First(), w[first])
					}
				}
				i := id.Draw(t, "id")
				if key, in := w[i]; h.Has(i) != in || h.Len() != len(w) || in && h.Key(i) != key {
					t.Fatalf("has %d: %t, len %d; the twin says %t with %v, %d", i, h.Has(i), h.Len(), in, key, len(w))
				}
			},
		})
	})
}

func TestIterationStaysAtItsEnd(t *testing.T) {
	var h Heap
	if h.First() != -1 || h.Next() != -1 {
		t.Error("an empty heap has a first")
	}
	h.Set(4, Key{1, 1})
	if h.First() != 4 || h.Next() != -1 || h.Next() != -1 {
		t.Error("one item was iterated wrongly")
	}
	if h.Has(1000) || h.Has(3) {
		t.Error("an identifier that was never set is present")
	}
}

// Heaps that share places are as good as heaps that have their own.
func TestHeapsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var places Places
		heaps, twins := make([]Heap, 3), []heapTwin{{}, {}, {}}
		for i := range heaps {
			heaps[i].Share(&places)
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				i, k := rapid.Int32Range(0, 40).Draw(t, "id"), drawKey(t)
				heaps[i%3].Set(i, k)
				twins[i%3][i] = k
			},
			"remove": func(t *rapid.T) {
				i := rapid.Int32Range(0, 50).Draw(t, "id")
				heaps[i%3].Remove(i)
				delete(twins[i%3], i)
			},
			"": func(t *rapid.T) {
				for i := range heaps {
					if got, want := walk(1000, heaps[i].First, heaps[i].Next), twins[i].order(); !slices.Equal(got, want) {
						t.Fatalf("heap %d: iteration %v, the twin says %v", i, got, want)
					}
				}
			},
		})
	})
}
