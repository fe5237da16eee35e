// SPDX-License-Identifier: Apache-2.0

package ahead

import "testing"

// To ask for memory is no fault wherever it lies, and changes nothing.
func TestOf(t *testing.T) {
	type wide struct{ numbers [100]int64 }
	w := wide{[100]int64{99: 7}}
	word := uint64(7)
	var b Batch
	for range 3 { // more than it holds
		Of[wide](&b, nil)
		Of(&b, &struct{}{})
		Of(&b, &w)
		Lines(&b, &w)
		Lines[wide](&b, nil)
		Line(&b, &w)
		Of(&b, &w.numbers[99])
		Item(&b, w.numbers[:], 99)
		Item(&b, w.numbers[:0], 1<<40)
		Item[wide](&b, nil, -1)
		Either[wide](&b, 0, nil, 1<<40, &word)
		Either(&b, 1, []uint64{1, 2}, 1, &word)
	}
	if b.n < len(b.at) {
		t.Errorf("%d of %d addresses are too few to be asked for at once", b.n, len(b.at))
	}
	b.Ask()
	b.Ask()
	Items([]Rows{RowsOf(w.numbers[:]), RowsOf[wide](nil), {}}, 99)
	Items([]Rows{RowsOf(w.numbers[:])}, -1)
	Items(nil, 1)
	if word != 7 || w != (wide{[100]int64{99: 7}}) {
		t.Errorf("asked for, it became %v", w)
	}
}

// chain is memory that is read link by link, each of them far away from the one before.
func chain(n int) []link {
	links := make([]link, n)
	at := 0
	for range n {
		next := (at + 7919) % n
		links[at].next = int32(next)
		at = next
	}
	return links
}

type link struct {
	next int32
	_    [124]byte
}

// BenchmarkOf reads links of a chain that is larger than the caches and works a little on each, with the link after the next
// asked for and without.
func BenchmarkOf(b *testing.B) {
	const n = 1 << 20
	links := chain(n)
	for _, ask := range []bool{false, true} {
		name := "unasked"
		if ask {
			name = "asked"
		}
		b.Run(name, func(b *testing.B) {
			at, sum := 0, 0
			var batch Batch
			for range b.N {
				if ask {
					Of(&batch, &links[(at+2*7919)%n])
					batch.Ask()
				}
				at = int(links[at].next)
				for k := range 300 {
					sum += sum<<3 ^ k*at
				}
			}
			if sum == 42 {
				b.Log(sum)
			}
		})
	}
}
