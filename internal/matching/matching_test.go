// SPDX-License-Identifier: Apache-2.0

package matching

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// total returns the weight of a matching; it fails if an output has two inputs or a pair has no weight.
func total(t interface{ Fatalf(string, ...any) }, n int, weights []int64, match []int32) (sum int64) {
	used := make([]bool, n)
	for i, o := range match {
		if o < 0 {
			continue
		}
		if used[o] || weights[i*n+int(o)] <= 0 {
			t.Fatalf("input %d has output %d of weight %d, taken: %v", i, o, weights[i*n+int(o)], used[o])
		}
		used[o] = true
		sum += weights[i*n+int(o)]
	}
	return sum
}

// heaviest tries all matchings.
func heaviest(n int, weights []int64, input int, used uint) int64 {
	if input == n {
		return 0
	}
	best := heaviest(n, weights, input+1, used)
	for o := range n {
		if w := weights[input*n+o]; w > 0 && used>>o&1 == 0 {
			best = max(best, w+heaviest(n, weights, input+1, used|1<<o))
		}
	}
	return best
}

// A matching is as heavy as the best of all matchings, and the same whatever was matched before.
func TestAgainstBruteForce(t *testing.T) {
	used := map[int]*Matcher{}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "ports")
		most := rapid.SampledFrom([]int64{1, 3, 100, Heaviest}).Draw(t, "most")
		weights := rapid.SliceOfN(rapid.Int64Range(-most/2, most), n*n, n*n).Draw(t, "weights")
		if used[n] == nil {
			used[n] = New(n)
		}
		match := used[n].Best(weights)
		if got, want := total(t, n, weights, match), heaviest(n, weights, 0, 0); got != want {
			t.Fatalf("weight %d, the best has %d: %v", got, want, match)
		}
		if again := New(n).Best(weights); !slices.Equal(match, again) {
			t.Fatalf("matched %v by a used matcher, %v by a new one", match, again)
		}
	})
}

// Figure 4.3 of diverse-2018: what a rack sends to itself needs no port. In (a) rack 1 has all the weight and
// goes to one rack at a time; in (b) every rack can send.
func TestFigure43(t *testing.T) {
	const own = 0
	m := New(4)
	a := []int64{
		own, 2000, 2000, 2000,
		250, own, 250, 250,
		125, 125, own, 125,
		125, 125, 125, own,
	}
	if got := total(t, 4, a, m.Best(a)); got != 2000+250+125+125 {
		t.Errorf("(a): weight %d", got)
	}
	b := slices.Repeat([]int64{625}, 16)
	for i := range 4 {
		b[5*i] = own
	}
	if got := total(t, 4, b, m.Best(b)); got != 4*625 {
		t.Errorf("(b): weight %d", got)
	}
}

// Larger switches, where all matchings cannot be tried: a matching that was planted is found, and prices prove
// that none is heavier.
func TestPricesProveTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 60).Draw(t, "ports")
		weights := make([]int64, n*n)
		spread := rapid.Int64Range(1, 1000).Draw(t, "spread")
		for i := range weights {
			if rapid.IntRange(0, 2).Draw(t, "some") > 0 {
				weights[i] = rapid.Int64Range(0, spread).Draw(t, "weight")
			}
		}
		m := New(n)
		sum := total(t, n, weights, m.Best(weights))
		bound := int64(0) // any prices at or above 0 that cover every pair bound the weight of every matching
		ins, outs := make([]int64, n), make([]int64, n)
		for o := range n {
			outs[o] = -m.outputs[o]
			bound += outs[o]
		}
		for i := range n {
			for o := range n {
				ins[i] = max(ins[i], weights[i*n+o]-outs[o])
			}
			bound += ins[i]
		}
		if slices.Min(outs) < 0 || bound != sum {
			t.Fatalf("weight %d, prices prove no more than %d", sum, bound)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	m, weights := New(8), make([]int64, 64)
	for i := range weights {
		weights[i] = int64(i * 7919 % 100)
	}
	if n := testing.AllocsPerRun(10, func() { m.Best(weights) }); n > 0 {
		t.Errorf("a matching allocates %v times", n)
	}
	if got := New(1).Best([]int64{0}); !slices.Equal(got, []int32{-1}) {
		t.Errorf("nothing to connect, connected %v", got)
	}
}

func BenchmarkBest(b *testing.B) {
	for _, ports := range []int{20, 40, 80} {
		for name, weight := range map[string]func(i, o int) int64{
			"random": func(i, o int) int64 { return int64((i*1000003+o*7919)%1000003) * 1000 },
			"equal":  func(i, o int) int64 { return 1000 },
			"rows":   func(i, o int) int64 { return int64(i+1) * int64(o+1) },
		} {
			b.Run(name+"/"+itoa(ports), func(b *testing.B) {
				m, weights := New(ports), make([]int64, ports*ports)
				for i := range ports {
					for o := range ports {
						if i != o {
							weights[i*ports+o] = weight(i, o)
						}
					}
				}
				for b.Loop() {
					m.Best(weights)
				}
			})
		}
	}
}

func itoa(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
