// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rack is one rack of nodes, each with cores, a disk that slows down with streams, and two links.
func rack(nodes int) *Solver {
	s := New()
	for range nodes {
		for _, table := range [][]float64{{16}, {150e6, 150e6, 120e6, 100e6, 90e6, 80e6}, {125e6}, {125e6}} {
			if _, err := s.AddTable("r", table); err != nil {
				panic(err)
			}
		}
	}
	return s
}

// task draws a step of a task: compute, read locally, read from another node, write with replica.
func task(r *rand.Rand, nodes int, uses []Use) Spec {
	at := Resource(4 * r.IntN(nodes))
	to := Resource(4 * r.IntN(nodes))
	if to == at {
		to = Resource(4 * ((int(at)/4 + 1) % nodes))
	}
	work := 1e6 + 64e6*r.ExpFloat64()
	switch r.IntN(4) {
	case 0:
		return Spec{Work: work / 20e6, Cap: 1, Uses: append(uses, Use{at, 1})}
	case 1:
		return Spec{Work: work, Streams: 1, Uses: append(uses, Use{at, 1 / 50e6}, Use{at + 1, 1})}
	case 2:
		return Spec{Work: work, Streams: 1, Uses: append(uses, Use{at + 1, 1}, Use{at + 2, 1}, Use{to + 3, 1})}
	default:
		return Spec{Work: work, Uses: append(uses, Use{at + 1, 1}, Use{at + 2, 1}, Use{to + 3, 1}, Use{to + 1, 1})}
	}
}

// BenchmarkRack is one rack of 30 nodes with 240 tasks that share cores, disks and links; an
// operation is one activity, from start to end.
func BenchmarkRack(b *testing.B) {
	for _, active := range []int{60, 240, 960} {
		b.Run(fmt.Sprintf("active=%d", active), func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(1, 2))
			s := rack(30)
			uses := make([]Use, 0, 4)
			begin := func(d Done) {
				if _, err := s.Start(d.Time, task(r, 30, uses)); err != nil {
					b.Fatal(err)
				}
			}
			for range active {
				begin(Done{})
			}
			for b.Loop() {
				t, _ := s.Next()
				if err := s.Advance(t, begin); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkShared is processor sharing with unequal weights on one resource: the virtual-time path.
func BenchmarkShared(b *testing.B) {
	for _, active := range []int{10, 1000, 100000} {
		b.Run(fmt.Sprintf("active=%d", active), func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(1, 2))
			s := New()
			if _, err := s.AddResource("r", 1); err != nil {
				b.Fatal(err)
			}
			uses := on(0)
			begin := func(d Done) {
				if _, err := s.Start(d.Time, Spec{Work: r.ExpFloat64(), Weight: 1 + r.Float64(), Uses: uses}); err != nil {
					b.Fatal(err)
				}
			}
			for range active {
				begin(Done{})
			}
			for b.Loop() {
				t, _ := s.Next()
				if err := s.Advance(t, begin); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTick is the rack with rates refreshed by hand, four times per second; an operation is one
// tick, with every activity that ended in it replaced.
func BenchmarkTick(b *testing.B) {
	for _, active := range []int{240, 960} {
		b.Run(fmt.Sprintf("active=%d", active), func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(1, 2))
			s := rack(30)
			s.Manual(true)
			uses := make([]Use, 0, 4)
			fill := func() {
				for s.Running() < active {
					if _, err := s.Start(s.Now(), task(r, 30, uses)); err != nil {
						b.Fatal(err)
					}
				}
				s.Refresh()
			}
			fill()
			for b.Loop() {
				if err := s.Advance(s.Now()+0.25, nil); err != nil {
					b.Fatal(err)
				}
				fill()
			}
		})
	}
}
