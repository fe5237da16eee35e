// SPDX-License-Identifier: Apache-2.0

package model

import "fmt"

// Priority orders jobs under policies that honour it; Hadoop 1 has five levels.
type Priority int8

// The five priorities, most urgent first.
const (
	VeryHigh Priority = iota
	High
	Normal
	Low
	VeryLow
	Priorities = 5
)

var priorityNames = [Priorities]string{"very-high", "high", "normal", "low", "very-low"}

// String returns the priority's name.
func (p Priority) String() string {
	if p >= 0 && int(p) < len(priorityNames) {
		return priorityNames[p]
	}
	return "priority?"
}

// Allowed lists the names of the priorities.
func (Priority) Allowed() string { return "one of very-high, high, normal, low, very-low" }

// UnmarshalText reads a priority's name.
func (p *Priority) UnmarshalText(text []byte) error {
	for i, name := range priorityNames {
		if string(text) == name {
			*p = Priority(i)
			return nil
		}
	}
	return fmt.Errorf("unknown priority %q", text)
}

// MarshalText writes the priority's name.
func (p Priority) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Job is what a workload says about one job before it runs. It is read-only once a run starts.
//
// The lengths of tasks are part of it, so a Job is never shown to a policy: policies see
// cluster.Job, which holds what a resource manager could know.
type Job struct {
	ID    JobID
	Name  string
	User  string
	Queue string
	Class string // the job type it was made from, for grouping in results

	Submit Time  // when it is submitted, or, with After, how long after that job's end (think time)
	After  JobID // the job that must end first, or None

	Priority Priority
	Weight   float64 // share under weighted policies, 0 means 1
	Goal     Time    // completion-time goal counted from submission, 0 means none
	// GoalFactor is the goal as a multiple of the run time alone in the empty cluster, for whoever
	// prepares a run to turn into Goal; 0 means that Goal counts.
	GoalFactor float64
	Period     Time // the job recurs with this period, 0 means it does not

	Maps, Reduces int32
	Need          [Kinds]Room // what one task takes

	Input, Shuffle, Output Bytes
	Replicas               int            // of the output, 0 means the scenario's
	InputFile              string         // jobs with the same file read the same blocks; "" is a file of its own
	Cycles                 [Kinds]float64 // cycles of a core per byte (resources model), 0 means the scenario's

	Master Master       // its application master under YARN
	Asks   [Kinds][]Ask // one per task where the containers of a kind differ; nil if they do not
	Label  string       // of the nodes that its containers ask for, empty for nodes without a label
	// Blocks lists the nodes that hold the block of each map, where the workload says; nil if it says so of no
	// map. The block of a map with an empty list lies where HDFS puts it.
	Blocks [][]NodeID

	MapLength    Lengths
	ReduceLength Lengths // own work of a reduce once its data has arrived
	ShuffleTail  Time    // how long a reduce still copies after the last map ended (or after its own start)

	// ByClass is how long tasks take on machines of some classes, at most once each. On others it is the lengths
	// above divided by the speed of the class.
	ByClass []ClassLengths
}

// ClassLengths is how long the tasks of a job take on machines of one class, on average: they scatter around it as
// the job's own lengths do.
type ClassLengths struct {
	Class       string
	Map, Reduce Time
	ShuffleTail Time
}

// Tasks returns the number of tasks of kind k.
func (j *Job) Tasks(k Kind) int32 {
	if k == Map {
		return j.Maps
	}
	return j.Reduces
}

// MapOutput returns how much data one map makes for the reduces; that of all maps adds up to Shuffle.
func (j *Job) MapOutput(index int32) Bytes {
	each, rest := j.Shuffle/Bytes(j.Maps), j.Shuffle%Bytes(j.Maps)
	if Bytes(index) < rest {
		each++
	}
	return each
}

// Noise is the distribution of a factor of mean 1 that task lengths are multiplied by.
type Noise uint8

// The noise distributions.
const (
	NoNoise Noise = iota
	LogNormalNoise
	ExponentialNoise
	UniformNoise
)

// Lengths says how long the tasks of one kind run: Fixed lists them one by one; otherwise each is
// Mean times a factor drawn from Noise with coefficient of variation CV, keyed by (job, task,
// attempt) so that it does not depend on when or where the task starts.
type Lengths struct {
	Fixed []Time
	Mean  Time
	Noise Noise
	CV    float64
}

// Average returns the mean length.
func (l *Lengths) Average() Time {
	if len(l.Fixed) == 0 {
		return l.Mean
	}
	sum := Time(0)
	for _, t := range l.Fixed {
		sum += t
	}
	return sum / Time(len(l.Fixed))
}

// Topology is the fixed shape of a cluster.
type Topology struct {
	Model   RoomModel
	Racks   int
	Hosts   int
	Classes []NodeClass
	Nodes   []Node
	Uplinks []Rate // of each rack to the core, each way

	// What a cluster with names calls its parts; nil without names.
	Names     []string  // of nodes, one each
	RackNames []string  // of racks, such as /rack1
	Labels    [][]Label // of nodes, one list each; nil if no node has any
}

// Label is a node label of YARN.
type Label struct {
	Name   string
	Shared bool // requests without a label may use its nodes while they are idle
}

// NodeClass describes machines that are alike.
type NodeClass struct {
	Name     string
	Room     Room
	Speed    float64 // task lengths are divided by it; 1 is the reference
	Price    float64 // of a host, 0 if it is not known
	Store    bool    // it holds all files and runs no tasks
	Hardware Hardware
}

// Hardware is what the nodes of one host share. The duration model replay does not look at it.
type Hardware struct {
	Link        Rate       // each way
	Disk        Rate       // of one sequential stream
	DiskCV      float64    // how Disk scatters from run to run: coefficient of variation
	DiskStreams []Fraction // share of Disk that is left with 1, 2, 3… interleaved streams; empty: all
	Cores       float64
	Clock       Frequency // cycles per second of one core
	PageCache   Bytes     // for input blocks that several jobs read

	SortBuffer, ReduceBuffer Bytes // of a task, 0 means as everywhere
	RAMDisk                  Bytes // memory that takes the place of the disk for what tasks keep between them
	RAMDiskRate              Rate
}

// Node is one worker.
type Node struct {
	Class uint8
	Rack  RackID
	Host  HostID
}

// Stores returns the nodes that hold all files and run no tasks; none if files lie on the nodes that run tasks.
func (t *Topology) Stores() (nodes []NodeID) {
	for i, n := range t.Nodes {
		if t.Classes[n.Class].Store {
			nodes = append(nodes, NodeID(i))
		}
	}
	return nodes
}

// Total returns the room of the whole cluster.
func (t *Topology) Total() (total [Dims]int64) {
	for i := range t.Nodes {
		for d, v := range t.Classes[t.Nodes[i].Class].Room {
			total[d] += int64(v)
		}
	}
	return total
}

// FitsSome reports whether a task of that need fits the nodes of some class.
func (t *Topology) FitsSome(need Room) bool {
	for i := range t.Classes {
		if t.Classes[i].Room.Fits(need) {
			return true
		}
	}
	return false
}

// DescribeClasses tells the room of each class of nodes.
func (t *Topology) DescribeClasses() string {
	s := ""
	for i := range t.Classes {
		if i > 0 {
			s += "; "
		}
		s += t.Classes[i].Name + " has " + t.Model.Describe(t.Classes[i].Room)
	}
	return s
}

// Problem is one fault of an input: the path of the field, what was found and what is allowed.
// Validate methods return all of them; the shell adds file, line and column.
type Problem struct {
	Path    string // relative to the value that was validated, such as "classes[0].map-slots"
	Found   string
	Allowed string
}

// Lengths returns the lengths of the tasks of kind k.
func (j *Job) Lengths(k Kind) *Lengths {
	if k == Map {
		return &j.MapLength
	}
	return &j.ReduceLength
}
