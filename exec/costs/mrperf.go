// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
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
	RemoteExcess     = float64(36 * model.MiB) // that a map reads beyond its block from another node
)

// NoiseSigma is the deviation of the logarithm of the factor that is drawn for each operation of a disk or a core.
var NoiseSigma = math.Log(1.10)
