// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// MRPERF is the rules of the simulator MRPERF, as its public source has them (G. Wang, A. R. Butt, P. Pandey, K. Gupta: A
// simulation approach to evaluating design decisions in MapReduce setups, MASCOTS 2009).
const MRPERF = "mrperf"

// What MRPERF's tasks cost. Cycles were measured on a Xeon L5420 of 2.5 GHz.
const (
	JVMCycles        = 4e9                     // starting the process of a task
	SortCycles       = 44                      // sorting a byte of map output
	SpillBuffer      = float64(50 * model.MiB) // map output that is written at a time; two and more are merged once
	MergeBuffer      = float64(66 * model.MiB) // fetched data that is merged in memory at a time
	BufferCycles     = 1e9                     // such a merge
	ReduceSortCycles = 6e9                     // sorting before the reduce function; files on disk are not merged
)

// ConnectionRate is the most that one connection carries, in bytes a second: ns-2, which MRPERF leaves as it is, keeps a
// window of 20 segments of 536 bytes under way, and a round trip over two links of 0.15 ms takes four times as long.
const ConnectionRate = 20 * 536 / (4 * 0.15e-3)

// WholeBuffers returns what a map works through that reads from another node, in bytes of its output: it asks for the
// input of one buffer after the other, the last as large as the others, so more comes than its block has.
func WholeBuffers(output float64) float64 {
	if output <= SpillBuffer {
		return output
	}
	return math.Ceil(output/SpillBuffer) * SpillBuffer
}

// NoiseSigma is the deviation of the logarithm of the factor that is drawn for each operation of a disk or a core.
var NoiseSigma = math.Log(1.10)

// Noise draws that factor by task, attempt and step, so that all policies meet the same.
type Noise struct{ draws *rng.Stream }

// NewNoise returns nil where tasks are Hadoop's.
func NewNoise(c *Tasks, seed uint64) *Noise {
	if c.Rules != MRPERF {
		return nil
	}
	return &Noise{rng.New(seed, rng.StepNoise)}
}

// Of returns the factor of one operation of a task.
func (n *Noise) Of(t model.Task, operation uint64) float64 {
	r := n.draws.At(uint64(uint32(t.Job)), uint64(uint32(t.Index))<<1|uint64(t.Kind), operation)
	return math.Exp(NoiseSigma * r.NormFloat64())
}
