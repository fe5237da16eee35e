// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"math"

	"github.com/yardmaster/yardmaster/queue"
)

func memory(r queue.Resource) int64 { return r.Memory }
func vcores(r queue.Resource) int64 { return r.VCores }

// byMemory reports whether memory alone counts.
func byMemory(p *parts) bool {
	_, is := p.Calculator.(queue.Memory)
	return is
}

// above reports whether any component that counts is more than 0.
func above(p *parts, r queue.Resource) bool { return r.Memory > 0 || !byMemory(p) && r.VCores > 0 }

// short reports whether any component that counts is 0 or less.
func short(p *parts, r queue.Resource) bool { return r.Memory <= 0 || !byMemory(p) && r.VCores <= 0 }

// ofMemory is an amount where memory alone counts: it has one virtual core, or none without memory.
func ofMemory(mb int64) queue.Resource {
	if mb > 0 {
		return queue.Resource{Memory: mb, VCores: 1}
	}
	return queue.Resource{Memory: mb}
}

// stepped returns r with each component multiplied by its own factor: rounded to the nearest whole number where memory alone
// counts, else up.
func stepped(p *parts, r queue.Resource, by [2]float64) queue.Resource {
	if byMemory(p) {
		return ofMemory(int64(math.Floor(float64(r.Memory)*by[0] + 0.5)))
	}
	return queue.Resource{Memory: int64(math.Ceil(float64(r.Memory) * by[0])), VCores: int64(math.Ceil(float64(r.VCores) * by[1]))}
}

// rounded is stepped with one factor; products that are rounded up have 32 bits.
func rounded(p *parts, r queue.Resource, by float64) queue.Resource {
	if byMemory(p) {
		return ofMemory(int64(math.Floor(float64(r.Memory)*by + 0.5)))
	}
	up := func(v int64) int64 { return int64(math.Ceil(float64(float32(float64(v) * by)))) }
	return queue.Resource{Memory: up(r.Memory), VCores: up(r.VCores)}
}

// minus returns a - b, no component below 0.
func minus(a, b queue.Resource) queue.Resource { return a.Sub(b).Most(queue.Resource{}) }
