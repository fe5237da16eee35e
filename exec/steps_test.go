// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// on puts all blocks on the given nodes.
type on []model.NodeID

func (o on) Place(_ hdfs.Block, nodes []model.NodeID, _ *uint64) { copy(nodes, o) }

// stored makes all blocks lie on the given nodes.
func stored(s *Site, nodes ...model.NodeID) {
	s.Replication = len(nodes)
	s.Blocks = hdfs.NewStore(s.Topology, s.Replication, on(nodes), 1)
}

// One map of 1,000 bytes on one host: a disk of 100 bytes per second, two cores of 1,000 cycles per second.
func TestMapOnOneHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*costs.Tasks, *model.Job)
		want   string // seconds
	}{
		{"reads at the rate of the disk: 1000/100", func(*costs.Tasks, *model.Job) {}, "10"},
		{"the core is slower: 20 cycles per byte are 50 bytes per second", func(c *costs.Tasks, _ *model.Job) { c.MapCycles = 20 }, "20"},
		{"the disk is slower: 5 cycles per byte are 200 bytes per second", func(c *costs.Tasks, _ *model.Job) { c.MapCycles = 5 }, "10"},
		{"the job's own cycles: 40 per byte are 25 bytes per second", func(c *costs.Tasks, j *model.Job) { c.MapCycles, j.Cycles[model.Map] = 20, 40 }, "40"},
		{"one after the other: 10 + 20", func(c *costs.Tasks, _ *model.Job) { c.MapCycles, c.Overlap = 20, false }, "30"},
		{"launch 1 s, then 2 s of a core", func(c *costs.Tasks, _ *model.Job) { c.StartUp, c.StartCPU = model.Second, 2*model.Second }, "13"},
		{"spills 500 bytes meanwhile: (1000 + 500)/100", func(_ *costs.Tasks, j *model.Job) { j.Shuffle = 500 }, "15"},
		{"spills afterwards: 10 + 20 + 5", func(c *costs.Tasks, j *model.Job) { c.MapCycles, c.Overlap, j.Shuffle = 20, false, 500 }, "35"},
		{"five spills of 100 are merged once: 15 + 2*500/100", func(c *costs.Tasks, j *model.Job) { j.Shuffle, c.SortBuffer, c.SpillAt = 500, 200, 0.5 }, "25"},
		{"by 3, three of five spills twice: 15 + 2*500*(1 + 3/5)/100", func(c *costs.Tasks, j *model.Job) { j.Shuffle, c.SortBuffer, c.MergeFactor = 500, 100, 3 }, "31"},
		{"merging at 40 cycles per byte written: 15 + 500*40/1000", func(c *costs.Tasks, j *model.Job) { j.Shuffle, c.SortBuffer, c.MergeCycles = 500, 100, 40 }, "35"},
		{"spills in the page cache, merged to disk: 10 + 500/100", func(c *costs.Tasks, j *model.Job) { j.Shuffle, c.SortBuffer, c.FileCache = 500, 100, true }, "15"},
		{"and written back behind the map", func(c *costs.Tasks, j *model.Job) {
			j.Shuffle, c.SortBuffer, c.FileCache, c.WriteBack = 500, 100, true, true
		}, "10"},
		{"without reduces it writes output: 10 + 300/100", func(_ *costs.Tasks, j *model.Job) { j.Reduces, j.Output = 0, 300 }, "13"},
		{"with reduces it does not", func(_ *costs.Tasks, j *model.Job) { j.Output = 300 }, "10"},
		{"without input it writes alone", func(c *costs.Tasks, j *model.Job) { c.MapCycles, j.Input, j.Reduces, j.Output = 20, 0, 0, 300 }, "3"},
	} {
		spec := model.Job{Maps: 1, Reduces: 1, Input: 1000}
		r := newRig(t, racks(1), func(s *Site) { s.Config.Durations = Resources; c.change(&s.Config.Tasks, &spec) })
		r.start(r.enter(spec), model.Map, 0, 0)
		r.runAll()
		expect(t, c.name, r.ended, "map 0 at "+c.want+" after "+c.want)
	}
}

// A reduce of 600 bytes that came without maps, with 300 bytes of output, on one host.
func TestReduceOnOneHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*costs.Tasks)
		want   string // seconds
	}{
		{"in memory it writes alone: 300/100", func(*costs.Tasks) {}, "3"},
		{"20 cycles per byte: 600/50 + 3", func(c *costs.Tasks) { c.ReduceCycles = 20 }, "15"},
		{"three files on disk are read once: 600/100 + 3", func(c *costs.Tasks) { c.ReduceBuffer = 200 }, "9"},
		{"the disk and the core at a time: max(6, 12) + 3", func(c *costs.Tasks) { c.ReduceBuffer, c.ReduceCycles = 200, 20 }, "15"},
		{"the disk, then the core: 6 + 12 + 3", func(c *costs.Tasks) { c.ReduceBuffer, c.ReduceCycles, c.Overlap = 200, 20, false }, "21"},
		{"by 2, two of three files twice: 2*600*(2/3)/100 + 6 + 3", func(c *costs.Tasks) { c.ReduceBuffer, c.MergeFactor = 200, 2 }, "17"},
		{"output is written meanwhile: (600 + 300)/100", func(c *costs.Tasks) { c.ReduceBuffer, c.StreamOutput = 200, true }, "9"},
	} {
		r := newRig(t, racks(1), func(s *Site) { s.Config.Durations = Resources; c.change(&s.Config.Tasks) })
		r.start(r.enter(model.Job{Reduces: 1, Shuffle: 600, Output: 300}), model.Reduce, 0, 0)
		r.runAll()
		expect(t, c.name, r.ended, "reduce 0 at "+c.want+" after "+c.want)
	}
}

// Maps on one host share its disk and its cores.
func TestMapsShareAHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Site)
		want   string
	}{
		{"three share the disk: 3*1000/100", func(*Site) {}, "30"},
		{"three interleaved streams leave half of the disk", func(s *Site) {
			s.Topology.Classes[0].Hardware.DiskStreams = []model.Fraction{1, 0.8, 0.5}
		}, "60"},
		{"three share two cores: 20 cycles per byte, 3*1000*20/2000", func(s *Site) {
			s.Topology.Classes[0].Hardware.Disk, s.Config.Tasks.MapCycles = 1e6, 20
		}, "30"},
		{"stragglers need three times the cycles", func(s *Site) {
			s.Topology.Classes[0].Hardware.Disk, s.Config.Tasks.MapCycles, s.Stragglers = 1e6, 20, costs.Stragglers{Share: 1, Slowdown: 3}
		}, "90"},
	} {
		r := newRig(t, racks(1), func(s *Site) { s.Config.Durations = Resources; c.change(s) })
		j := r.enter(model.Job{Maps: 3, Input: 3000})
		for i := range int32(3) {
			r.start(j, model.Map, i, 0)
		}
		r.runAll()
		expect(t, c.name, r.ended, "map 0 at "+c.want+" after "+c.want, "map 1 at "+c.want+" after "+c.want, "map 2 at "+c.want+" after "+c.want)
	}
}

// carried lists what a job sent over links, such as "input 1000 (500)", in parentheses what crossed racks.
func carried(r *rig, j *cluster.Job) (list []string) {
	r.t.Helper()
	if err := r.Leave(r.clock.now, j, true); err != nil {
		r.t.Error(err)
	}
	var moved, crossed, sent, left model.Bytes // by jobs, by racks
	for _, e := range r.log.Events {
		if e.Kind == record.DataMoved {
			moved, crossed = moved+e.Bytes, crossed+e.Cross
			list = append(list, fmt.Sprintf("%s %d (%d)", e.Purpose, e.Bytes, e.Cross))
		}
	}
	if t := r.Traffic(); t != nil {
		for i, bytes := range t.Bytes {
			if sent += bytes; i/t.Racks != i%t.Racks {
				left += bytes
			}
		}
		if sent != moved || left != crossed {
			r.t.Errorf("racks sent %d bytes, %d to others; their jobs %d and %d", sent, left, moved, crossed)
		}
	}
	return list
}

// A block of 1,000 bytes lies on host 0, of rack 0 like host 1; host 2 is in rack 1. A host's link carries
// 50 bytes per second, a rack's 25.
func TestMapReadsFromAfar(t *testing.T) {
	for _, c := range []struct {
		node  model.NodeID
		model string
		ended string
		moved []string
	}{
		{0, Resources, "map 0 at 10 after 10", nil},
		{1, Resources, "map 0 at 20 after 20", []string{"input 1000 (0)"}},
		{2, Resources, "map 0 at 40 after 40", []string{"input 1000 (1000)"}},
		{0, Network, "map 0 at 5 after 5", nil}, // its length alone
		{1, Network, "map 0 at 25 after 25", []string{"input 1000 (0)"}},
		{2, Network, "map 0 at 45 after 45", []string{"input 1000 (1000)"}},
	} {
		r := newRig(t, racks(2, 1), func(s *Site) { s.Config.Durations = c.model; stored(s, 0) })
		j := r.enter(model.Job{Maps: 1, Input: 1000, MapLength: every(5)})
		r.start(j, model.Map, 0, c.node)
		r.runAll()
		name := fmt.Sprintf("%s on node %d", c.model, c.node)
		expect(t, name, r.ended, c.ended)
		expect(t, name, carried(r, j), c.moved...)
		if got, want := r.Traffic().Bytes, map[model.NodeID][]model.Bytes{0: {0, 0, 0, 0}, 1: {1000, 0, 0, 0}, 2: {0, 1000, 0, 0}}[c.node]; !slices.Equal(got, want) {
			t.Errorf("%s: %v went from rack to rack, want %v", name, got, want)
		}
	}
}

// Output of 300 bytes with two replicas: disk to disk over the link of the host, 50 bytes per second, or of the
// rack, 25.
func TestOutputTravels(t *testing.T) {
	for _, c := range []struct {
		name     string
		topology *model.Topology
		ended    string
		moved    string
	}{
		{"in the rack", racks(2), "map 0 at 6 after 6", "output 300 (0)"},
		{"to another rack", racks(1, 1), "map 0 at 12 after 12", "output 300 (300)"},
	} {
		r := newRig(t, c.topology, func(s *Site) { s.Config.Durations, s.Config.Tasks.Replication = Resources, 2 })
		j := r.enter(model.Job{Maps: 1, Output: 300})
		r.start(j, model.Map, 0, 0)
		r.runAll()
		expect(t, c.name, r.ended, c.ended)
		expect(t, c.name, carried(r, j), c.moved)
	}
}

// A map reads the nearest replica of its block that is not lost; where none is left, any node has a new one.
func TestChooseReplica(t *testing.T) {
	// Nodes 0 to 2 are rack 0, 3 and 4 rack 1. Replicas lie on 0, 1 and 4.
	for _, c := range []struct {
		name string
		node model.NodeID
		lost []model.NodeID
		want []model.NodeID
	}{
		{"its own", 1, nil, []model.NodeID{1}},
		{"one of its rack", 2, nil, []model.NodeID{0, 1}},
		{"the only one of its rack", 3, nil, []model.NodeID{4}},
		{"its own is lost", 1, []model.NodeID{1}, []model.NodeID{0}},
		{"those of its rack are lost", 2, []model.NodeID{0, 1}, []model.NodeID{4}},
		{"the rack of none is near", 3, []model.NodeID{4}, []model.NodeID{0, 1}},
		{"all are lost", 2, []model.NodeID{0, 1, 4}, []model.NodeID{0, 1, 2, 3, 4}},
	} {
		r := newRig(t, racks(3, 2), func(s *Site) { s.Config.Durations = Network; stored(s, 0, 1, 4) })
		for _, n := range c.lost {
			r.state.Lose(n)
		}
		j := r.enter(model.Job{Maps: 200, Input: 2000})
		chosen := map[model.NodeID]bool{}
		for i := range j.Total[model.Map] {
			w := &work{task: model.Task{Job: j.ID, Index: i}, node: c.node, job: r.of(j)}
			r.shared.steps.choose(w)
			chosen[w.source] = true
			if w.from != int32(r.Topology.Nodes[w.source].Host) || !slices.Contains(c.want, w.source) {
				t.Fatalf("%s: node %d reads from node %d on host %d, want one of %v", c.name, c.node, w.source, w.from, c.want)
			}
		}
		if len(chosen) != len(c.want) { // of 200 draws each of five is missed once in 10^19
			t.Errorf("%s: %v chosen, want all of %v", c.name, chosen, c.want)
		}
	}
}

// The source of a map is lost after 10 of 20 s: what was read is read again elsewhere, 1000/50 s.
func TestRereadFromAnother(t *testing.T) {
	r := newRig(t, racks(3), func(s *Site) { s.Config.Durations = Resources; stored(s, 0, 1) })
	j := r.enter(model.Job{Maps: 1, Input: 1000})
	task := r.start(j, model.Map, 0, 2)
	r.run(10)
	source := r.shared.steps.list[r.shared.steps.workOf(r.id(task))].source
	r.state.Lose(source)
	r.NodeLost(r.clock.now, source)
	r.settle()
	if other := r.shared.steps.list[r.shared.steps.workOf(r.id(task))].source; other == source {
		t.Errorf("it still reads from node %d", other)
	}
	r.runAll()
	expect(t, "ended", r.ended, "map 0 at 30 after 30")
	expect(t, "moved", carried(r, j), "input 1500 (0)")
}

// Two jobs read one file of a block that fits into the page cache: the second finds it there and is held to
// its core alone, 1000*5/1000 s instead of 1000/100.
func TestSecondReaderFindsTheCache(t *testing.T) {
	topology := racks(1)
	topology.Classes[0].Hardware.PageCache = 1000
	r := newRig(t, topology, func(s *Site) { s.Config.Durations, s.Config.Tasks.MapCycles = Resources, 5 })
	r.Blocks.ShareFile(1, 0)
	first := r.enter(model.Job{ID: 0, Maps: 1, Input: 1000, InputFile: "logs"})
	second := r.enter(model.Job{ID: 1, Maps: 1, Input: 1000, InputFile: "logs"})
	r.start(first, model.Map, 0, 0)
	r.run(20)
	r.start(second, model.Map, 0, 0)
	r.runAll()
	expect(t, "ended", r.ended, "map 0 at 10 after 10", "map 0 at 25 after 5")
}

// Maps leave 500 bytes each to be written back at 100 per second. What the second leaves while the host
// writes is written after that, in one go: the disk works until 10 + 10 s.
func TestWriteBack(t *testing.T) {
	r := newRig(t, racks(1), func(s *Site) {
		s.Config.Durations = Resources
		s.Config.Tasks.FileCache, s.Config.Tasks.WriteBack, s.Config.Tasks.SortBuffer = true, true, 100
	})
	j := r.enter(model.Job{Maps: 2, Reduces: 1, Shuffle: 1000})
	r.run(10)
	r.start(j, model.Map, 0, 0) // without input and cycles it takes no time
	r.run(12)
	r.start(j, model.Map, 1, 0)
	backlog := &r.shared.steps.backlogs[0]
	if backlog.bytes != 500 || r.Hosts().Disk() != 1 {
		t.Errorf("%g bytes wait while the disk is at %g", backlog.bytes, r.Hosts().Disk())
	}
	r.run(19.999)
	busy := r.shared.solver.Running()
	r.run(20.001)
	if busy != 1 || r.shared.solver.Running() != 0 || backlog.work != none || backlog.bytes != 0 {
		t.Errorf("%d write before 20 s, %d after; %+v is left", busy, r.shared.solver.Running(), *backlog)
	}
	expect(t, "ended", r.ended, "map 0 at 10 after 0", "map 1 at 12 after 0")
	if r.Hosts().Stored() != 1000 {
		t.Errorf("%d bytes stored, want 2*500", r.Hosts().Stored())
	}
}

// A killed attempt leaves nothing behind, whatever it was doing: no activity, no work, no event, and what it did not
// send is not counted. The map launches 1 s, boots 1 s, reads 40 s over the link of its rack, merges; the
// reduce fetches and writes.
func TestKillAtAnyTime(t *testing.T) {
	for _, kind := range []model.Kind{model.Map, model.Reduce} {
		for at := 0.0; at < 70; at += 0.5 {
			r := newRig(t, racks(2, 1), func(s *Site) {
				s.Config.Durations, s.Config.Tasks.StartUp, s.Config.Tasks.StartCPU = Resources, model.Second, model.Second
				s.Config.Tasks.SortBuffer, s.Config.Tasks.ReduceBuffer, s.Config.Tasks.Replication = 100, 100, 2
				stored(s, 0)
			})
			j := r.enter(model.Job{Maps: 1, Reduces: 1, Input: 1000, Shuffle: 500, Output: 200})
			task := r.start(j, model.Map, 0, 2)
			if kind == model.Reduce {
				for !j.MapsDone() {
					r.run(r.clock.now.Seconds() + 0.5)
				}
				task = r.start(j, model.Reduce, 0, 1)
			}
			before := len(r.ended)
			r.run(r.clock.now.Seconds() + at)
			if len(r.ended) > before {
				continue
			}
			r.kill(task)
			r.runAll()
			s := r.shared
			if len(r.ended) != before || s.solver.Running() != 0 || len(s.steps.works.free) != len(s.steps.list) || len(r.clock.pending) != 0 || s.queued.Len() != 0 {
				t.Errorf("%s killed after %g s: ended %v; %d activities, %d of %d works free, %v pending", kind, at, r.ended, s.solver.Running(), len(s.steps.works.free), len(s.steps.list), planned(r.clock))
			}
			for purpose, m := range r.of(j).moved {
				if m.Bytes < -1e-6 || m.Cross < -1e-6 || m.Cross > m.Bytes+1e-6 {
					t.Errorf("%s killed after %g s: %s moved %g bytes, %g across racks", kind, at, record.Purpose(purpose), m.Bytes, m.Cross)
				}
			}
		}
	}
}
