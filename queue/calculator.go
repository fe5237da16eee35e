// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"math"
)

// Calculator is the arithmetic that limits are worked out with. Which components of a resource count, and
// how products are rounded, is up to it.
type Calculator interface {
	// Fits reports whether small has its place in big.
	Fits(small, big Resource) bool
	// Compare orders a and b as parts of a cluster.
	Compare(cluster, a, b Resource) int
	// Divide returns how often b goes into a, as parts of a cluster; Ratio does the same without one.
	Divide(cluster, a, b Resource) float32
	Ratio(a, b Resource) float32
	// Up and Down return r * by, rounded to a multiple of step.
	Up(r Resource, by float32, step Resource) Resource
	Down(r Resource, by float32, step Resource) Resource
	// Split returns r / by, rounded up to whole numbers; nothing if by is 0.
	Split(r Resource, by float32) Resource
	// Hundredth returns r / 100, rounded up to whole numbers.
	Hundredth(r Resource) Resource
}

// Min returns a or b, whichever is smaller; a if they are equal.
func Min(c Calculator, cluster, a, b Resource) Resource {
	if c.Compare(cluster, a, b) <= 0 {
		return a
	}
	return b
}

// Max returns a or b, whichever is larger; a if they are equal.
func Max(c Calculator, cluster, a, b Resource) Resource {
	if c.Compare(cluster, a, b) >= 0 {
		return a
	}
	return b
}

// Memory looks at memory alone. What it computes has one virtual core, or none without memory.
type Memory struct{}

// Dominant looks at every component; the one with the largest share counts first.
type Dominant struct{}

func roundUp(v, step int64) int64 {
	if step == 0 {
		return v
	}
	return (v + step - 1) / step * step
}

func roundDown(v, step int64) int64 {
	if step == 0 {
		return v
	}
	return v / step * step
}

// split works in 32 bits, as the release does.
func split(v int64, by float32) int64 {
	if by == 0 {
		return 0
	}
	return whole(math.Ceil(float64(float32(v) / by)))
}

// hundredth works in whole numbers, in which too large ones turn negative, as the release does.
func hundredth(v int64) int64 { return (v + 99) / 100 }

func ratio(a, b int64) float32 {
	if b == 0 {
		return 0
	}
	return float32(a) / float32(b)
}

func ofMemory(mb int64) Resource {
	if mb > 0 {
		return Resource{mb, 1}
	}
	return Resource{mb, 0}
}

// Fits implements Calculator.
func (Memory) Fits(small, big Resource) bool { return small.Memory <= big.Memory }

// Compare implements Calculator.
func (Memory) Compare(_, a, b Resource) int { return cmp.Compare(a.Memory, b.Memory) }

// Divide implements Calculator.
func (Memory) Divide(_, a, b Resource) float32 { return ratio(a.Memory, b.Memory) }

// Ratio implements Calculator.
func (Memory) Ratio(a, b Resource) float32 { return ratio(a.Memory, b.Memory) }

// Up implements Calculator: the product is rounded to the nearest whole number first.
func (Memory) Up(r Resource, by float32, step Resource) Resource {
	return ofMemory(roundUp(whole(math.Floor(float64(r.Memory)*float64(by)+0.5)), step.Memory))
}

// Down implements Calculator.
func (Memory) Down(r Resource, by float32, step Resource) Resource {
	return ofMemory(roundDown(whole(float64(r.Memory)*float64(by)), step.Memory))
}

// Split implements Calculator.
func (Memory) Split(r Resource, by float32) Resource { return ofMemory(split(r.Memory, by)) }

// Hundredth implements Calculator.
func (Memory) Hundredth(r Resource) Resource { return ofMemory(hundredth(r.Memory)) }

// Fits implements Calculator.
func (Dominant) Fits(small, big Resource) bool { return small.Within(big) }

// shares returns the shares of a cluster, the larger one first. A component that the cluster lacks has none.
func shares(cluster, r Resource) (float64, float64) {
	var m, v float64
	if cluster.Memory != 0 {
		m = float64(r.Memory) / float64(cluster.Memory)
	}
	if cluster.VCores != 0 {
		v = float64(r.VCores) / float64(cluster.VCores)
	}
	return max(m, v), min(m, v)
}

// Compare implements Calculator: the largest shares first, then the next. In a cluster without room a is
// smaller only if none of its components is larger.
func (Dominant) Compare(cluster, a, b Resource) int {
	if a == b {
		return 0
	}
	if cluster == (Resource{}) {
		m, v := cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.VCores, b.VCores)
		if m*v < 0 {
			return 0
		}
		return cmp.Or(m, v)
	}
	a1, a2 := shares(cluster, a)
	b1, b2 := shares(cluster, b)
	return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2))
}

// Divide implements Calculator.
func (Dominant) Divide(cluster, a, b Resource) float32 {
	x, _ := shares(cluster, a)
	y, _ := shares(cluster, b)
	return float32(x / y)
}

// Ratio implements Calculator: the largest ratio of a component, never below 0.
func (Dominant) Ratio(a, b Resource) float32 {
	return max(0, ratio(a.Memory, b.Memory), ratio(a.VCores, b.VCores))
}

// Up implements Calculator: the product, in 32 bits, is rounded up.
func (Dominant) Up(r Resource, by float32, step Resource) Resource {
	up := func(v, step int64) int64 {
		if by == 1 {
			return roundUp(v, step)
		}
		return roundUp(whole(math.Ceil(float64(float32(v)*by))), step)
	}
	return Resource{up(r.Memory, step.Memory), up(r.VCores, step.VCores)}
}

// Down implements Calculator.
func (Dominant) Down(r Resource, by float32, step Resource) Resource {
	return Resource{
		roundDown(whole(float64(r.Memory)*float64(by)), step.Memory),
		roundDown(whole(float64(r.VCores)*float64(by)), step.VCores),
	}
}

// Split implements Calculator.
func (Dominant) Split(r Resource, by float32) Resource {
	return Resource{split(r.Memory, by), split(r.VCores, by)}
}

// Hundredth implements Calculator.
func (Dominant) Hundredth(r Resource) Resource {
	return Resource{hundredth(r.Memory), hundredth(r.VCores)}
}
