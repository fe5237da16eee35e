// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// Draw returns an integer from lo to hi, both included. label names the choice in a report. Small
// values are the simple ones, so a shrinking source of draws shrinks the case.
type Draw func(label string, lo, hi int) int

// chance reports true about once in n draws; false is the simple case.
func (d Draw) chance(label string, n int) bool { return d(label, 0, n-1) == n-1 }

// Case is a cluster with a workload: everything that a run depends on but the policy.
type Case struct {
	Cluster     cluster.Config
	Topology    *model.Topology
	Jobs        []model.Job
	Config      engine.Config
	OwnStart    bool           // the policy says by itself when reduces may start
	Data        hdfs.Placement // where the policy puts blocks, nil for HDFS's default
	SlowStart   int            // Config.Jobs.SlowStart in percent, so that a twin can be exact
	RampUp      int            // Config.Jobs.RampUp in percent
	Replication int
	Seed        uint64
}

// Input returns the input of a run of the case. The caller may set its checks.
func (c *Case) Input(e *policy.Entry, params any, r record.Recorder) *engine.Input {
	return &engine.Input{Topology: c.Topology, Jobs: c.Jobs, Config: c.Config, Replication: c.Replication,
		Policy: e, Params: params, Seed: c.Seed, Recorder: r}
}

// String describes the case in a few lines, for reports of failures.
func (c *Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d racks, replication %d, seed %d, heartbeat %v %+v, slow start %d %%, ramp-up %d %%, preempt %v after %v, locality %+v\n",
		c.Topology.Racks, c.Replication, c.Seed, c.Config.Heartbeat.Interval, c.Config.Heartbeat, c.SlowStart, c.RampUp,
		c.Config.Jobs.Preempt, c.Config.Jobs.PreemptAfter, c.Config.Locality)
	if c.Config.Durations != exec.Replay {
		fmt.Fprintf(&b, "  durations %s, network %+v, shuffle %+v, tasks %+v, uplinks %v\n", c.Config.Durations, c.Config.Network, c.Config.Shuffle, c.Config.Tasks, c.Topology.Uplinks)
	}
	for i := range c.Cluster.Classes {
		k := &c.Topology.Classes[i]
		fmt.Fprintf(&b, "  class %d: %d nodes of %s, speed %g\n", i, c.Cluster.Classes[i].Nodes, c.Topology.Model.Describe(k.Room), k.Speed)
	}
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if j.Maps+j.Reduces == 0 {
			fmt.Fprintf(&b, "  job %d: submit %v after %d, no tasks\n", i, j.Submit, j.After)
			continue
		}
		fmt.Fprintf(&b, "  job %d: submit %v after %d, %v, user %s, queue %s, weight %g, goal %v, %d maps %v of %+v, %d reduces %v of %+v, tail %v, input %v\n",
			i, j.Submit, j.After, j.Priority, j.User, j.Queue, j.Weight, j.Goal, j.Maps, j.Need[model.Map], j.MapLength,
			j.Reduces, j.Need[model.Reduce], j.ReduceLength, j.ShuffleTail, j.Input)
	}
	return b.String()
}

// Generate draws a case that must run to its end under every policy: in shared room at least one
// of the two protections against deadlock is on.
func Generate(d Draw) *Case {
	c := &Case{Config: engine.DefaultConfig(), Seed: uint64(d("seed", 1, 1000))}
	c.cluster(d)
	c.rules(d)
	n := d("jobs", 1, 25)
	clock := model.Time(0)
	for i := range n {
		c.Jobs = append(c.Jobs, c.job(d, i, &clock))
	}
	return c
}

var speeds = []float64{1, 2, 0.5, 1.5, 3}

func (c *Case) cluster(d Draw) {
	nodes := d("nodes", 1, 12)
	c.Cluster = cluster.Config{Room: []string{"slots", "containers", "yarn"}[d("room", 0, 2)], Racks: min(d("racks", 1, 4), nodes)}
	first := nodes
	if nodes > 1 && d.chance("two-classes", 2) {
		first = d("first-class", 1, nodes-1)
	}
	for i, n := range []int{first, nodes - first} {
		if n == 0 {
			continue
		}
		k := cluster.ClassConfig{Name: fmt.Sprint("class", i), Nodes: n, Speed: speeds[d("speed", 0, len(speeds)-1)], NodesPerHost: d("nodes-per-host", 1, 3)}
		switch c.Cluster.RoomModel() {
		case model.Slots: // the first class has both kinds, so that every task fits somewhere
			k.MapSlots, k.ReduceSlots = int32(d("map-slots", 1-i, 3)), int32(d("reduce-slots", 1-i, 2))
			if k.MapSlots == 0 && k.ReduceSlots == 0 {
				k.MapSlots = 1
			}
		case model.Containers:
			k.Containers = int32(d("containers", 1, 4))
		case model.Yarn:
			k.Memory, k.VCores = model.Bytes(d("memory", 1, 8))*512*model.MiB, int32(d("vcores", 1, 4))
		}
		c.Cluster.Classes = append(c.Cluster.Classes, k)
	}
	c.Topology = c.Cluster.Topology()
	c.Replication = d("replication", 0, min(nodes, 4))
}

// rules draws how Hadoop behaves.
func (c *Case) rules(d Draw) {
	if d.chance("periodic", 3) {
		c.Config.Heartbeat = engine.Heartbeat{
			Interval: engine.Interval([]model.Time{3 * model.Second, model.Second, 300 * model.Millisecond}[d("interval", 0, 2)]),
			MaxTasks: int32(d("max-tasks", 0, 3)), MaxMaps: int32(d("max-maps", 0, 2)),
			MaxReduces: int32(d("max-reduces", 0, 2)), MaxOffSwitch: int32(d("max-off-switch", 0, 2)),
		}
	}
	c.setSlowStart([]int{0, 5, 33, 50, 80, 100}[d("slow-start", 0, 5)])
	c.setRampUp([]int{0, 50, 25, 75, 100}[d("ramp-up", 0, 4)])
	j := &c.Config.Jobs
	j.PreemptAfter = []model.Time{model.Second, 500 * model.Millisecond, 2500 * model.Millisecond}[d("preempt-after", 0, 2)]
	// Without pre-emption the limit protects where containers are alike: reduces spread over nodes
	// can leave no node with room for a large map.
	safe := c.RampUp == 0 || c.RampUp < 100 && c.Topology.Model == model.Containers
	j.Preempt = !safe || d.chance("preempt", 2)
	rack := []float64{1, 1.5, 2}[d("rack-penalty", 0, 2)]
	c.Config.Locality = exec.Penalty{Rack: rack, Remote: rack * []float64{1, 1.25, 3}[d("remote-penalty", 0, 2)]}
}

func (c *Case) setSlowStart(percent int) {
	c.SlowStart, c.Config.Jobs.SlowStart = percent, model.Fraction(float64(percent)/100)
}

func (c *Case) setRampUp(percent int) {
	c.RampUp, c.Config.Jobs.RampUp = percent, model.Fraction(float64(percent)/100)
}

// Share makes the tasks of a case share links, disks and cores.
func (c *Case) Share(d Draw) {
	c.Config.Durations = []string{exec.Network, exec.Resources}[d("durations", 0, 1)]
	c.Config.Locality = exec.Penalty{Rack: 1, Remote: 1}
	c.Config.Network.Refresh = []network.Refresh{network.Exact, network.Refresh(model.Second), network.Refresh(100 * model.Millisecond)}[d("refresh", 0, 2)]
	c.Config.Shuffle = exec.ShuffleRules{Source: []string{"node", "rack", "map"}[d("source", 0, 2)],
		Copies: []int32{5, 0, 1}[d("copies", 0, 2)], Release: []model.Fraction{0, 0.05, 0.5, 1}[d("release", 0, 3)]}
	t := &c.Config.Tasks
	t.StartUp = []model.Time{0, model.Second}[d("start-up", 0, 1)]
	t.Overlap, t.CachedOutput = d.chance("overlap", 2), d.chance("cached-output", 2)
	if d.chance("mrperf", 4) {
		t.Rules = costs.MRPERF
	}
	t.SortBuffer, t.ReduceBuffer = 10*model.MiB, model.Bytes(d("reduce-buffer", 1, 3))*100*model.MiB
	c.Cluster.Uplink = model.Rate(d("uplink", 1, 3)) * 100e6
	for i := range c.Cluster.Classes {
		k := &c.Cluster.Classes[i]
		k.Link, k.Disk, k.Cores, k.Clock = model.Rate(d("link", 1, 3))*50e6, 100e6, float64(d("cores", 1, 4)), 1e9
		if d.chance("disk-streams", 2) {
			k.DiskStreams = []model.Fraction{1, 0.8, 0.6}
		}
		k.PageCache = model.Bytes(d("page-cache", 0, 3)) * 200 * model.MiB
	}
	c.Topology = c.Cluster.Topology()
	if racks := c.Topology.Racks; racks > 1 && c.Config.Network.Refresh == network.Exact && d.chance("circuits", 2) {
		c.Config.Network.Circuits = &network.CircuitRules{Rate: model.Rate(d("circuit", 1, 4)) * 50e6,
			Interval: []model.Time{model.Second, 300 * model.Millisecond}[d("look", 0, 1)], Delay: model.Time(d("delay", 0, 2)) * 100 * model.Millisecond,
			Elephant: []model.Bytes{100 * model.MiB, 1, 30 * model.MiB}[d("elephant", 0, 2)], Planes: d("planes", 1, racks-1),
			Age: model.Time(d("age", 0, 2)) * 2 * model.Second}
	}
	c.Replication = max(1, c.Replication)
	for i := range c.Jobs {
		j := &c.Jobs[i]
		j.Shuffle = []model.Bytes{model.GiB, 0, 100 * model.MiB}[d("shuffle", 0, 2)]
		if d.chance("file", 2) {
			j.InputFile = "file"
		}
		j.Cycles[model.Map] = float64(d("cycles", 0, 1) * 20)
	}
}

var weights = []float64{1, 2, 0.5, 3, 0}

func (c *Case) job(d Draw, i int, clock *model.Time) model.Job {
	j := model.Job{ID: model.JobID(i), Name: fmt.Sprint("job", i), After: model.None,
		User: fmt.Sprint("u", d("user", 0, 2)), Queue: fmt.Sprint("q", d("queue", 0, 2)),
		Priority: model.Priority(d("priority", 0, model.Priorities-1)), Weight: weights[d("weight", 0, len(weights)-1)],
		Goal: []model.Time{0, 5 * model.Second, 30 * model.Second, model.Hour}[d("goal", 0, 3)],
		Maps: int32(d("maps", 0, 12)), Reduces: int32(d("reduces", 0, 5)),
		ShuffleTail: []model.Time{0, 0, model.Second, 2500 * model.Millisecond}[d("shuffle-tail", 0, 3)],
		Shuffle:     model.GiB, Output: model.MiB,
	}
	gaps := []model.Time{0, 0, 500 * model.Millisecond, model.Second, 5 * model.Second}
	gap := gaps[d("gap", 0, len(gaps)-1)]
	if i > 0 && d.chance("after", 5) {
		j.After, j.Submit = model.JobID(d("after-job", 0, i-1)), gap
	} else {
		*clock += gap
		j.Submit = *clock
	}
	if !d.chance("no-input", 4) {
		j.Input = model.Bytes(j.Maps) * 128 * model.MiB
	}
	j.MapLength, j.ReduceLength = drawLengths(d, "map", j.Maps), drawLengths(d, "reduce", j.Reduces)
	for k := range model.Kind(model.Kinds) {
		j.Need[k] = c.need(d, k)
	}
	return j
}

// need draws what a task takes: under yarn any amount that fits the nodes of some class.
func (c *Case) need(d Draw, k model.Kind) model.Room {
	m := c.Topology.Model
	if m != model.Yarn {
		return m.Need(k)
	}
	room := c.Topology.Classes[d("need-class", 0, len(c.Topology.Classes)-1)].Room
	return model.Room{256 * int32(d("need-memory", 1, int(room[0]/256))), int32(d("need-vcores", 0, int(room[1])))}
}

var spans = []model.Time{2 * model.Second, model.Second, 0, 5 * model.Second, 1_234_567_891, 333_333_333}

func drawLengths(d Draw, label string, tasks int32) model.Lengths {
	span := func() model.Time { return spans[d(label+"-length", 0, len(spans)-1)] }
	if tasks > 0 && d.chance(label+"-fixed", 3) {
		l := model.Lengths{}
		for range tasks {
			l.Fixed = append(l.Fixed, span())
		}
		return l
	}
	noise := model.Noise(d(label+"-noise", 0, int(model.UniformNoise)))
	return model.Lengths{Mean: span(), Noise: noise, CV: []float64{0.3, 1, 0}[d(label+"-cv", 0, 2)]}
}
