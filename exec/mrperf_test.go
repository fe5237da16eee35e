// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/model"
)

// mrperfRig is one rack of hosts with a disk of 80 MiB/s and cores of 2.5 GHz that run MRPERF's tasks without noise.
func mrperfRig(t *testing.T, hosts int) *rig {
	quiet := costs.NoiseSigma
	costs.NoiseSigma = 0
	t.Cleanup(func() { costs.NoiseSigma = quiet })
	return newRig(t, racks(hosts), func(s *Site) {
		s.Config.Durations, s.Config.Tasks.Rules = Resources, costs.MRPERF
		s.Config.Tasks.Replication = 1
		h := &s.Topology.Classes[0].Hardware
		h.Disk, h.Clock, h.Cores, h.Link = model.Rate(80*model.MiB), 2_500_000_000, 8, model.Rate(1000*model.MiB)
		stored(s, 0)
	})
}

// lasted checks when the only task of the rig ended.
func lasted(t *testing.T, what string, r *rig, want float64) {
	t.Helper()
	var got float64
	if len(r.ended) != 1 {
		t.Fatalf("%s: ended %v", what, r.ended)
	}
	_, text, _ := strings.Cut(r.ended[0], " at ")
	if _, err := fmt.Sscan(text, &got); err != nil || math.Abs(got-want) > 2e-6 {
		t.Errorf("%s: %s, want %.6f s (%v)", what, text, want, err)
	}
}

// A map of 64 MiB that makes as much starts a JVM, reads, computes and sorts, spills, and merges its two spills: its output is
// written twice and read once. From another node it asks for two whole buffers, which are read and then sent, and works
// through both.
func TestMRPERFMap(t *testing.T) {
	const mib = 1 << 20
	block := 64 * model.MiB
	for _, c := range []struct {
		name string
		node model.NodeID
		make model.Bytes
		want float64
	}{
		{"two spills", 0, block, 1.6 + 64./80 + 64*mib*(40+44)/2.5e9 + 64./80 + 2*64./80},
		{"one spill", 0, block / 2, 1.6 + 64./80 + (64*mib*40+32*mib*44)/2.5e9 + 32./80},
		{"one spill from another node", 1, block / 2, 1.6 + 64./80 + 64*mib/costs.ConnectionRate + (64*mib*40+32*mib*44)/2.5e9 + 32./80},
		{"two from another node: 100 MiB", 1, block, 1.6 + 100./80 + 100*mib/costs.ConnectionRate + 100*mib*(40+44)/2.5e9 + 100./80 + 2*100./80},
	} {
		r := mrperfRig(t, 2)
		r.start(r.enter(model.Job{Maps: 1, Reduces: 1, Input: block, Shuffle: c.make, Cycles: [model.Kinds]float64{40, 40}}), model.Map, 0, c.node)
		r.runAll()
		lasted(t, c.name, r, c.want)
	}
}

// What a reduce gets is read and then sent. Of 132 MiB it merges and writes all as it comes, and then sorts; 64 MiB fit in
// memory and are merged and written at the end; of a map that read 64 MiB from another node come 100. All is read again,
// computed on, and half of it written.
func TestMRPERFReduce(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name        string
		input, made model.Bytes
		maps, node  model.NodeID
		want        float64
	}{
		{"two buffers", 0, 132, 1, 0, 1.6 + 132./80 + 132*mib/costs.ConnectionRate + 132./80 + 6/2.5 + 132./80 + 132*mib*40/2.5e9 + 66./80},
		{"on the host that made them", 0, 132, 0, 0, 1.6 + 132./80 + 132./80 + 6/2.5 + 132./80 + 132*mib*40/2.5e9 + 66./80},
		{"less than a buffer", 0, 64, 1, 0, 1.6 + 64./80 + 64*mib/costs.ConnectionRate + 7/2.5 + 64./80 + 64./80 + 64*mib*40/2.5e9 + 32./80},
		{"more than the map's share", 64, 64, 1, 0, 1.6 + 100./80 + 100*mib/costs.ConnectionRate + 100./80 + 6/2.5 + 100./80 + 100*mib*40/2.5e9 + 50./80},
	} {
		r := mrperfRig(t, 2)
		j := r.enter(model.Job{Maps: 1, Reduces: 1, Input: c.input * model.MiB, Shuffle: c.made * model.MiB, Output: c.made * model.MiB / 2, Cycles: [model.Kinds]float64{40, 40}})
		r.start(j, model.Map, 0, c.maps)
		r.run(1000)
		r.ended = nil
		r.start(j, model.Reduce, 0, c.node)
		r.runAll()
		lasted(t, c.name, r, 1000+c.want)
		if err := r.Leave(r.clock.now, j, true); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Each of a job's maps makes 64 MiB on node 0, and 100 on node 1, which reads from node 0. One that was lost may make more or
// less when it runs again. A reduce needs what was made when it got all, and gets nothing again of what it has.
func TestMRPERFMadeAgain(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name         string
		maps         int32
		first, again model.NodeID
		early, late  int32 // reduces that start when the maps but the last have ended, and that do a moment before the loss
		want         float64
	}{
		{"one of two reduces has all, less was made then", 1, 0, 1, 1, 1, 32 + 50},
		{"one of two reduces has all, more was made then", 1, 1, 0, 1, 1, 50 + 32},
		{"the reduce has what is lost", 2, 1, 1, 1, 0, 100 + 64},
		{"it has less than is made again", 2, 0, 1, 1, 0, 100 + 64},
		{"it has more than is made again", 2, 1, 0, 1, 0, 100 + 64},
		{"one of two outputs that are read is lost", 3, 1, 1, 0, 1, 100 + 100 + 64},
	} {
		r := mrperfRig(t, 3)
		size := model.Bytes(c.maps) * 64 * model.MiB
		j := r.enter(model.Job{Maps: c.maps, Reduces: c.early + c.late, Input: size, Shuffle: size, Output: 10})
		for i := range max(1, c.maps-1) {
			r.start(j, model.Map, i, c.first)
		}
		r.run(1000)
		for i := range c.early {
			r.start(j, model.Reduce, i, 2)
		}
		r.run(2000)
		for i := range c.late {
			r.start(j, model.Reduce, c.early+i, 2)
		}
		r.run(2001 + float64(c.maps)/3) // a late reduce boots for 1.6 s, then it begins to read
		r.lose(j, c.first, 0)
		r.start(j, model.Map, 0, c.again)
		if c.maps > 1 {
			r.start(j, model.Map, c.maps-1, 0)
		}
		r.runAll()
		if got := r.of(j).shuffle.fetched / mib; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.2f MiB fetched, want %g", c.name, got, c.want)
		}
		if err := r.Leave(r.clock.now, j, true); err != nil || strings.Count(fmt.Sprint(r.ended), "reduce") != int(c.early+c.late) {
			t.Errorf("%s: %v, %v ended", c.name, err, r.ended)
		}
	}
}

// Two reduces fetch 64 MiB together. One is killed while these are sent: the other holds its half when all has come, what had
// come by then and what came later.
func TestMRPERFHeldOfOthers(t *testing.T) {
	r := mrperfRig(t, 3)
	j := r.enter(model.Job{Maps: 1, Reduces: 2, Shuffle: 64 * model.MiB})
	r.start(j, model.Map, 0, 1)
	r.run(1000)
	for i := range int32(2) {
		r.Start(r.clock.now, j, model.Task{Job: j.ID, Kind: model.Reduce, Index: i}, 2, 0, model.NoInput)
	}
	j.Running[model.Reduce] = 2
	r.settle()
	r.run(1000 + 1.6 + 64./80 + 1) // started, and read: it is sent for a second
	r.kill(model.Task{Job: j.ID, Kind: model.Reduce, Index: 0})
	r.run(1000 + 1.6 + 64./80 + 1 + 4)
	if w := &r.shared.steps.list[r.shared.steps.workOf(r.id(model.Task{Job: j.ID, Kind: model.Reduce, Index: 1}))]; w.group != none || math.Abs(w.held-32*(1<<20)) > 1 {
		t.Errorf("in group %d it holds %g", w.group, w.held)
	}
}

// Whenever a reduce or a node is lost, whatever its job is at just then, the reduces that are left get all that maps made.
func TestMRPERFLosses(t *testing.T) {
	acts := map[string]bool{}
	for _, lose := range []string{"reduce", "both reduces", "output"} {
		for at := 1000.0; at < 1030; at += 0.25 {
			r := mrperfRig(t, 3)
			j := r.enter(model.Job{Maps: 3, Reduces: 2, Input: 192 * model.MiB, Shuffle: 320 * model.MiB, Output: 10})
			for i := range int32(3) {
				r.start(j, model.Map, i, model.NodeID(1-i%2))
			}
			r.run(1000)
			for i := range int32(2) {
				r.Start(r.clock.now, j, model.Task{Job: j.ID, Kind: model.Reduce, Index: i}, 2, 0, model.NoInput)
			}
			j.Running[model.Reduce] = 2
			r.settle()
			r.run(at)
			for i := range r.shared.shuffles.all {
				g := &r.shared.shuffles.all[i]
				acts["writes"] = acts["writes"] || g.writing != 0
				for k := range g.fetches {
					acts["reads"] = acts["reads"] || g.fetches[k].handle != 0 && !g.sends(int32(k))
					acts["sends"] = acts["sends"] || g.fetches[k].handle != 0 && g.sends(int32(k))
				}
			}
			kill := map[string]int32{"reduce": 1, "both reduces": 2}[lose]
			for i := range kill {
				if task := (model.Task{Job: j.ID, Kind: model.Reduce, Index: i}); !slices.ContainsFunc(r.ended, func(s string) bool { return strings.HasPrefix(s, fmt.Sprintf("reduce %d ", i)) }) {
					r.kill(task)
				}
			}
			if lose == "output" && !strings.Contains(fmt.Sprint(r.ended), "reduce") {
				r.lose(j, 1, 0, 2)
				r.start(j, model.Map, 0, 0)
				r.start(j, model.Map, 2, 2)
			}
			r.run(5000)
			for i := range kill {
				if !strings.Contains(fmt.Sprint(r.ended), fmt.Sprintf("reduce %d ", i)) {
					r.start(j, model.Reduce, i, 0)
				}
			}
			r.runAll()
			if err := r.Leave(r.clock.now, j, true); err != nil || r.shared.shuffles.queued.Len() > 0 || r.shared.solver.Running() > 0 {
				t.Fatalf("%s lost at %g: %v; %d queued, %d under way", lose, at, err, r.shared.shuffles.queued.Len(), r.shared.solver.Running())
			}
			if got := strings.Count(fmt.Sprint(r.ended), "reduce"); got != 2 {
				t.Fatalf("%s lost at %g: %d reduces ended: %v", lose, at, got, r.ended)
			}
		}
	}
	if !acts["reads"] || !acts["sends"] || !acts["writes"] {
		t.Errorf("only these were met: %v", acts)
	}
}
