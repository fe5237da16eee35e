// SPDX-License-Identifier: Apache-2.0

package hashed

import (
	"math/rand/v2"
	"testing"
)

// The index finds what is there and nothing else, while numbers come and go; some share a hash.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := &Index{}
	live := map[int32]bool{}
	for range 5000 {
		number := int32(r.IntN(300))
		hash := Mix(0, uint64(number/2))
		at, found := x.First(hash)
		for found >= 0 && found != number {
			at, found = x.After(hash, at)
		}
		switch {
		case live[number] && found != number, !live[number] && found != -1:
			t.Fatalf("%d: found %d", number, found)
		case live[number]:
			x.Remove(hash, number)
			delete(live, number)
		default:
			x.Add(hash, number)
			live[number] = true
		}
		if x.live != len(live) || 2*x.live > len(x.entries) {
			t.Fatalf("%d numbers in an index of %d, want %d", x.live, len(x.entries), len(live))
		}
		if hash := Mix(0, 1000); x.Find(hash) != -1 {
			t.Fatal("found a hash that nothing has")
		}
	}
}
