// SPDX-License-Identifier: Apache-2.0

// Package costs knows what tasks cost beside links: cycles, buffers, how often data is merged, and what is left on disks.
package costs

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// Tasks configures what tasks cost beside links (durations: resources).
type Tasks struct {
	Rules        string         `yaml:"rules" oneof:"hadoop,mrperf" doc:"Whose tasks these are: Hadoop's, as the settings below say, or those of the simulator MRPERF, which are fixed: of the settings below only map-cycles, reduce-cycles and output-replication count."`
	StartUp      model.Time     `yaml:"start-up" min:"0" doc:"Time from getting room to the first byte: launching a process."`
	StartCPU     model.Time     `yaml:"start-cpu" min:"0" doc:"Time of a core of the reference machine, one of speed 1, that launching a process takes after start-up: loading classes, compiling."`
	Overlap      bool           `yaml:"overlap" doc:"Tasks read, compute and spill at the same time, as with read-ahead; otherwise one after the other."`
	MapCycles    float64        `yaml:"map-cycles" min:"0" doc:"Cycles of a core that a map needs for a byte of input, where the job does not say."`
	ReduceCycles float64        `yaml:"reduce-cycles" min:"0" doc:"Cycles of a core that a reduce needs for a byte of its data, where the job does not say."`
	MergeCycles  float64        `yaml:"merge-cycles,omitempty" min:"0" doc:"Cycles of a core that merging a byte needs; 0 means that only the disk is needed."`
	SortBuffer   model.Bytes    `yaml:"sort-buffer" above:"0" doc:"Memory in which a map sorts its output."`
	SpillAt      model.Fraction `yaml:"spill-at" above:"0" max:"1" doc:"How full the sort buffer gets before it is written to disk."`
	ReduceBuffer model.Bytes    `yaml:"reduce-buffer" above:"0" doc:"Memory in which a reduce keeps fetched data; more goes to disk."`
	MergeFactor  int32          `yaml:"merge-factor" min:"2" doc:"Files that one merge pass joins."`
	CachedOutput bool           `yaml:"cached-output" doc:"Map output is still in memory when reduces fetch it, so that the disk where it was made is not read."`
	FileCache    bool           `yaml:"file-cache,omitempty" doc:"What tasks wrote is read again from the page-cache of the host, as far as the files of the jobs that run fit into it; otherwise merges read from disk, and cached-output says where fetches read."`
	WriteBack    bool           `yaml:"write-back,omitempty" doc:"Maps do not wait for the disk: what they write is written back behind them (with file-cache)."`
	StreamOutput bool           `yaml:"stream-output,omitempty" doc:"Reduces write their output while they compute, with overlap; otherwise afterwards."`
	Replication  int            `yaml:"output-replication" min:"0" max:"16" doc:"Replicas of what jobs write; 0 means as many as hdfs.replication."`
}

// Default returns Hadoop's defaults for buffers and merging. 40 cycles per byte on a core of 2.5 GHz
// are 62 MB/s, the middle of what sorting and counting words need.
func Default() Tasks {
	return Tasks{Rules: "hadoop", StartUp: model.Second, Overlap: true, MapCycles: 40, ReduceCycles: 40,
		SortBuffer: 100 * model.MiB, SpillAt: 0.8, ReduceBuffer: 140 * model.MiB, MergeFactor: 10, CachedOutput: true}
}

// Spills returns how many files a map with this much memory to sort in writes before it merges them.
func (c *Tasks) Spills(out, buffer float64) float64 {
	return math.Ceil(out / (buffer * float64(c.SpillAt)))
}

// ShortLived reports whether the spills of a map never reach the disk: they are merged and deleted before
// a host with a page cache begins to write them back, which Linux does after 30 s.
func (c *Tasks) ShortLived(out, buffer float64) bool {
	return c.FileCache && c.Spills(out, buffer) > 1
}

// Merger works out what merging costs.
type Merger struct{ made []int } // scratch

// Passes returns how often the data of equal files is merged before the last merge, which joins at most
// factor files. As Hadoop does, the first merge takes as many files as leave all later ones full, and each
// takes the smallest files there are; so 19 files by 10 cost 10/19, not 1.
func (m *Merger) Passes(files float64, factor int32) float64 {
	n, f := int(files), int(factor)
	take := (n-1)%(f-1) + 1
	if take == 1 {
		take = f
	}
	made, total := m.made[:0], 0
	first := 0
	for left := n; left+len(made)-first > f; take = f {
		sum := 0
		for range take {
			if left > 0 {
				left--
				sum++
			} else {
				sum += made[first]
				first++
			}
		}
		made = append(made, sum)
		total += sum
	}
	m.made = made[:0]
	return float64(total) / files
}
