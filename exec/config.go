// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
)

// Config says where the time that tasks take comes from. Its fields are sections of a scenario.
type Config struct {
	Durations string       `yaml:"durations" oneof:"replay,network,resources" doc:"Where the time that a task takes comes from: the workload's lengths (replay); input from afar and shuffle as flows, then the length (network); bytes and cycles that share cores, disks and links (resources)."`
	Locality  Penalty      `yaml:"locality" doc:"What a map pays for reading its block from afar (durations: replay)."`
	Network   NetworkRules `yaml:"network" doc:"How links are shared (durations: network, resources)."`
	Shuffle   ShuffleRules `yaml:"shuffle" doc:"How reduces fetch what maps made (durations: network, resources)."`
	Tasks     TaskCosts    `yaml:"tasks" doc:"What tasks cost beside links (durations: resources)."`
}

// DefaultConfig returns the replay of the workload's lengths.
func DefaultConfig() Config {
	return Config{Durations: Replay, Locality: Penalty{Rack: 1, Remote: 1}, Network: defaultNetwork(), Shuffle: defaultShuffle(), Tasks: defaultTasks()}
}

// Penalty configures the cost of distance in the replay model.
type Penalty struct {
	Rack   float64 `yaml:"rack" min:"1" doc:"Factor on the length of a rack-local map."`
	Remote float64 `yaml:"remote" min:"1" doc:"Factor on the length of a map that reads from another rack."`
}

// The duration models: where the time that a task takes comes from.
const (
	Replay    = "replay"    // the workload's lengths
	Network   = "network"   // input from afar and shuffle travel as flows, then the length passes
	Resources = "resources" // bytes and cycles share cores, disks and links
)

// NetworkRules configures how rates on links follow what happens, and what counts as congestion.
type NetworkRules struct {
	Refresh    Refresh        `yaml:"refresh" doc:"When rates are worked out: exact (at every start and end of a flow), or on a tick such as 1s, for very large runs."`
	Congestion model.Fraction `yaml:"congestion" above:"0" max:"1" doc:"Share of a rack link in use above which it is congested."`
	Sample     model.Time     `yaml:"sample" min:"1ms" doc:"How often links are looked at for congestion and use; a tick looks at every refresh instead."`
}

// Refresh is the tick on which rates are worked out; 0 is exact.
type Refresh model.Time

// Exact works rates out at every change.
const Exact Refresh = 0

// Allowed describes the accepted text of a Refresh.
func (Refresh) Allowed() string { return "exact, or " + model.Time(0).Allowed() }

// TypeName is the name of the type in the reference.
func (Refresh) TypeName() string { return "exact or duration" }

// UnmarshalText reads exact or a duration.
func (r *Refresh) UnmarshalText(text []byte) error {
	if string(text) == "exact" {
		*r = Exact
		return nil
	}
	return (*model.Time)(r).UnmarshalText(text)
}

// String returns the text form.
func (r Refresh) String() string {
	if r == Exact {
		return "exact"
	}
	return model.Time(r).String()
}

// MarshalText writes the form that UnmarshalText reads.
func (r Refresh) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// ShuffleRules configures how reduces fetch what maps made (durations: network, resources).
type ShuffleRules struct {
	Source  string         `yaml:"source" oneof:"map,node,rack" doc:"What map output is added up by before it travels: nothing (map: every copy is a flow of its own, for small cases), the node that made it, or its rack as a whole (for large clusters: the nodes of a rack count as sending the same)."`
	Copies  int32          `yaml:"parallel-copies" min:"0" doc:"Map outputs that a reduce fetches at a time; 0 means no limit. It decides the weight of a job's flows on a shared link."`
	Release model.Fraction `yaml:"release" min:"0" max:"1" doc:"Share of a job's maps that must have ended before the reduces are told of their output; 0 means that every map is told at once."`
}

// TaskCosts configures what tasks cost beside links (durations: resources).
type TaskCosts struct {
	StartUp      model.Time     `yaml:"start-up" min:"0" doc:"Time from getting room to the first byte: launching a process."`
	StartCPU     model.Time     `yaml:"start-cpu" min:"0" doc:"Time of a core that launching a process takes after start-up: loading classes, compiling."`
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

func defaultNetwork() NetworkRules {
	return NetworkRules{Congestion: 0.8, Sample: model.Second}
}

func defaultShuffle() ShuffleRules { return ShuffleRules{Source: "node", Copies: 5, Release: 0.05} }

// defaultTasks returns Hadoop's defaults for buffers and merging. 40 cycles per byte on a core of 2.5 GHz
// are 62 MB/s, the middle of what sorting and counting words need.
func defaultTasks() TaskCosts {
	return TaskCosts{StartUp: model.Second, Overlap: true, MapCycles: 40, ReduceCycles: 40,
		SortBuffer: 100 * model.MiB, SpillAt: 0.8, ReduceBuffer: 140 * model.MiB, MergeFactor: 10, CachedOutput: true}
}

// Validate returns the faults that the types cannot express.
func (c *Config) Validate() (problems []model.Problem) {
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	if c.Locality.Remote < c.Locality.Rack {
		bad("locality.remote", fmt.Sprint(c.Locality.Remote), "at least the factor of locality.rack")
	}
	if r := c.Network.Refresh; r != Exact && r < Refresh(model.Millisecond) {
		bad("network.refresh", r.String(), "exact, or at least 1ms")
	}
	if c.Durations != Replay && c.Locality != (Penalty{Rack: 1, Remote: 1}) {
		bad("locality", fmt.Sprintf("factors %g and %g with durations: %s", c.Locality.Rack, c.Locality.Remote, c.Durations),
			"factors of 1: distance costs what the links say")
	}
	return problems
}
