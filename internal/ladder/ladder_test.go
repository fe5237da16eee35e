// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What goes is on the lowest rung that is taken, and each goes once.
func TestLadder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l := &Ladder{}
	for range 200 {
		l.Widen()
	}
	levels := map[int32]float64{}
	for step := range 20000 {
		if id := int32(r.IntN(200)); levels[id] == 0 && r.IntN(5) < 3 {
			level := math.Exp(20*r.Float64() - 10)
			if len(levels) > 0 && r.IntN(50) == 0 {
				level = math.Inf(1)
			}
			if len(levels) == 0 {
				l.Stand(level)
			}
			l.Push(id, level)
			levels[id] = level
		} else if l.Len() > 0 {
			id := l.Pop()
			level, ok := levels[id]
			if !ok {
				t.Fatalf("step %d: %d is not listed", step, id)
			}
			delete(levels, id)
			for other, low := range levels {
				if low < level/Above {
					t.Fatalf("step %d: %d at %v goes before %d at %v", step, id, level, other, low)
				}
			}
		}
		if l.count != len(levels) || l.count == 0 && (l.index != 0 || l.words != [64]uint64{}) {
			t.Fatalf("step %d: %d listed, want %d", step, l.count, len(levels))
		}
	}
}
