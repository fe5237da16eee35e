// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// losing makes node 0 be lost; times are seconds.
func losing(expiry float64, losses ...[2]float64) func(*Config) {
	return func(c *Config) {
		c.Faults.Expiry = model.Seconds(expiry)
		for _, l := range losses {
			c.Faults.Losses = append(c.Faults.Losses, mishap.Loss{At: model.Seconds(l[0]), For: model.Seconds(l[1])})
		}
	}
}

// A node that is lost twice is lost once, and returns with the first return; later ones find it there.
func TestLossesOverlap(t *testing.T) {
	s := newStage(t, slots.with(losing(600, [2]float64{1, 10}, [2]float64{5, 2}, [2]float64{20, 0})))
	s.play(6)
	if n := s.state.Nodes[0]; !n.Lost || s.state.Total != [model.Dims]int64{2, 1} {
		t.Errorf("node 0 is lost: %t, the cluster has %v", n.Lost, s.state.Total)
	}
	s.play(500)
	s.expect("recorded", s.events(record.NodeLost, record.NodeReturned), "node-lost 0 at 1", "node-returned 0 at 7", "node-lost 0 at 20")
}

// A node that is lost for good while it is away does not return.
func TestLostForGoodMeanwhile(t *testing.T) {
	s := newStage(t, slots.with(losing(600, [2]float64{1, 10}, [2]float64{5, 0})))
	s.play(500)
	s.expect("recorded", s.events(record.NodeLost, record.NodeReturned), "node-lost 0 at 1")
}

// A rack is lost with all its nodes, and returns with them.
func TestRackIsLost(t *testing.T) {
	rack := int32(1)
	s := newStage(t, slots.with(func(c *Config) {
		c.Faults.Losses = []mishap.Loss{{Rack: &rack, At: model.Second, For: 2 * model.Second}}
	}))
	for i := range s.faults.state.Nodes {
		s.faults.state.Nodes[i].Rack = 1
	}
	if got := s.faults.lost(s.in.Config.Faults.Losses[0]); len(got) != len(s.state.Nodes) {
		t.Errorf("all nodes are in the rack, %v are lost", got)
	}
	s.faults.state.Nodes[0].Rack = 0
	if got := s.faults.lost(s.in.Config.Faults.Losses[0]); len(got) != 1 || got[0] != 1 {
		t.Errorf("node 1 is in the rack, %v are lost", got)
	}
}

// What runs on a lost node is killed and pending again; it gets nothing until it returns.
func TestLossKills(t *testing.T) {
	s := newStage(t, slots.with(losing(600, [2]float64{2, 3})), tasks(times(3, 10), nil))
	s.play(0)
	s.start(0, model.Map, 0, 0)
	s.start(0, model.Map, 1, 1)
	s.start(0, model.Map, 2, 0)
	s.asked()
	s.play(2)
	s.expect("killed", s.events(record.TaskKilled), "task-killed map 0.0 at 2", "task-killed map 2.0 at 2")
	if j := s.state.Job(0); j.Wants(model.Map) != 2 || j.Running[model.Map] != 1 || s.floor.free[0].Has(int(s.floor.ring.At[0])) {
		t.Errorf("%d wanted, %d run; node 0 counts as free: %t", j.Wants(model.Map), j.Running[model.Map], s.floor.free[0].Has(int(s.floor.ring.At[0])))
	}
	s.asked()
	s.play(5)
	if got := s.asked(); len(got) != 2 {
		t.Errorf("offered nodes %v when node 0 returns, want both", got)
	}
	if s.state.Total != [model.Dims]int64{4, 2} || s.state.Nodes[0].Free != (model.Room{2, 1}) {
		t.Errorf("the cluster has %v, node 0 %v free", s.state.Total, s.state.Nodes[0].Free)
	}
}

// Map 0 ends on node 0 at 1 s, map 1 runs on node 1 until 100 s, where the reduce waits. Node 0 is lost.
func TestExpiry(t *testing.T) {
	for _, c := range []struct {
		why    string
		expiry float64
		losses [][2]float64
		want   []string
	}{
		{"it never returns", 10, [][2]float64{{5, 0}}, []string{"task-undone map 0.0 at 15"}},
		{"it returns in time and brings the output back", 10, [][2]float64{{5, 7}}, nil},
		{"it returns at the last moment", 10, [][2]float64{{5, 10}}, nil},
		{"it returns too late", 10, [][2]float64{{5, 11}}, []string{"task-undone map 0.0 at 15"}},
		{"the time counts from each loss", 10, [][2]float64{{5, 7}, {20, 0}}, []string{"task-undone map 0.0 at 30"}},
		{"nobody waits for it", 0, [][2]float64{{5, 7}}, []string{"task-undone map 0.0 at 5"}},
	} {
		s := newStage(t, slots.with(losing(c.expiry, c.losses...)), tasks([]float64{1, 100}, times(1, 1)))
		s.play(0)
		s.start(0, model.Map, 0, 0)
		s.start(0, model.Map, 1, 1)
		s.play(2)
		s.start(0, model.Reduce, 0, 1)
		s.play(50)
		s.expect(c.why, s.events(record.TaskUndone), c.want...)
		j := s.state.Job(0)
		if int(j.Wants(model.Map)) != len(c.want) || j.Done[model.Map] != int32(1-len(c.want)) {
			t.Errorf("%s: %d maps wanted, %d done", c.why, j.Wants(model.Map), j.Done[model.Map])
		}
		if j.Driven.Wants[0] != (len(c.want) > 0) {
			t.Errorf("%s: the policy was told that the job wants maps: %t", c.why, j.Driven.Wants[0])
		}
		if len(c.want) > 0 && s.run(j).tries[model.Task{}] != 1 {
			t.Errorf("%s: the next attempt has number %d", c.why, s.run(j).tries[model.Task{}])
		}
	}
}

// Maps of a job without reduces, or whose reduces have all their data, are not run again.
func TestOutputThatNobodyNeeds(t *testing.T) {
	for why, reduces := range map[string][]float64{"no reduces": nil, "the reduce computes": times(1, 100)} {
		maps := []float64{1}
		if reduces == nil {
			maps = []float64{1, 100}
		}
		s := newStage(t, slots.with(losing(0, [2]float64{5, 0})), tasks(maps, reduces))
		s.play(0)
		s.start(0, model.Map, 0, 0)
		if reduces == nil {
			s.start(0, model.Map, 1, 1)
		}
		s.play(2)
		if reduces != nil {
			s.start(0, model.Reduce, 0, 1)
		}
		s.play(10)
		s.expect(why, s.events(record.NodeLost, record.TaskUndone), "node-lost 0 at 5")
	}
}

// Nodes are up 100 s and down 50 s on average, exponentially distributed; what one node does depends on the seed and its
// number alone. Of about 1,300 cycles in 200,000 s the means have standard deviations of 1/36, four are allowed.
func TestRandomLosses(t *testing.T) {
	history := func(nodes int) (up, down []float64) {
		s := newStage(t, set{model: model.Slots, nodes: nodes, room: model.Room{1, 1}, change: func(c *Config) {
			c.Faults.MeanUptime, c.Faults.MeanRepair = 100*model.Second, 50*model.Second
		}})
		s.play(200_000)
		last, lost := 0.0, false
		for _, e := range s.log.Events {
			if e.Node != 0 || e.Kind != record.NodeLost && e.Kind != record.NodeReturned {
				continue
			}
			if lost == (e.Kind == record.NodeLost) {
				t.Fatalf("%s at %v follows its like", e.Kind, e.Time)
			}
			now := e.Time.Seconds()
			if lost = !lost; lost {
				up = append(up, now-last)
			} else {
				down = append(down, now-last)
			}
			last = now
		}
		return up, down
	}
	mean := func(list []float64) (sum float64) {
		for _, v := range list {
			sum += v / float64(len(list))
		}
		return sum
	}
	up, down := history(1)
	if math.Abs(mean(up)-100) > 4*100.0/36 || math.Abs(mean(down)-50) > 4*50.0/36 {
		t.Errorf("up %g s and down %g s on average", mean(up), mean(down))
	}
	if among, _ := history(3); among[0] != up[0] || among[9] != up[9] {
		t.Error("the history of node 0 depends on how many others there are")
	}
}

// A run ends with its last job though nodes are lost and return for ever; a job that comes after a loss is waited for.
func TestRunEndsWithItsJobs(t *testing.T) {
	j := tasks(times(1, 5), nil)
	j.Submit = model.Hour
	s := newStage(t, slots.with(func(c *Config) { c.Faults.MeanUptime, c.Faults.MeanRepair = model.Minute, model.Second }), j)
	s.policy.pick = s.eager
	s.loop()
	if s.failed != nil || s.result.Ended != 1 || s.queue.Len() == 0 {
		t.Errorf("%v, %d jobs ended, %d events are left", s.failed, s.result.Ended, s.queue.Len())
	}
}

// Where all nodes are lost for good, the message says so.
func TestStuckWithoutNodes(t *testing.T) {
	s := newStage(t, set{model: model.Slots, nodes: 1, room: model.Room{1, 1}, change: losing(0, [2]float64{1, 0})}, tasks(times(1, 5), nil))
	s.play(0)
	s.start(0, model.Map, 0, 0)
	s.play(10)
	for _, part := range []string{"1 of 1 jobs have not ended", "maps: 1 pending, 0 running, 0 done of 1", "1 of 1 nodes are lost", "0 map + 0 reduce slots"} {
		if text := s.stuck().Error(); !strings.Contains(text, part) {
			t.Errorf("%s\n does not say %q", text, part)
		}
	}
}

// speculative looks for stragglers every 15 s; an attempt must have run 20 s, and longer than 1.5 times the mean.
func speculative(change func(*mishap.Speculate)) func(*Config) {
	return func(c *Config) {
		c.Faults.Speculation = mishap.Speculate{On: true, Interval: 15 * model.Second, Slower: 1.5, After: 20 * model.Second, Share: 0.1}
		change(&c.Faults.Speculation)
	}
}

// Maps 0 and 1 take 10 s. Map 3 starts at 0 s, map 2 at 5 s; both straggle. Each second attempt starts as soon as wanted.
func TestSpeculation(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(*mishap.Speculate)
		want   []string
	}{
		{"the slowest of both, at the first look after 20 s; at most one at a time", func(*mishap.Speculate) {}, []string{"task-doubled map 3.0 at 30"}},
		{"half of four tasks: one at each look", func(r *mishap.Speculate) { r.Share = 0.5 }, []string{"task-doubled map 3.0 at 30", "task-doubled map 2.0 at 45"}},
		{"longer than 5 times the mean of 10 s", func(r *mishap.Speculate) { r.Slower = 5 }, []string{"task-doubled map 3.0 at 60"}},
		{"longer than 70 s in any case", func(r *mishap.Speculate) { r.After = 70 * model.Second }, []string{"task-doubled map 3.0 at 75"}},
	} {
		s := newStage(t, set{model: model.Slots, nodes: 2, room: model.Room{3, 1}, change: speculative(c.change)}, tasks([]float64{10, 10, 500, 500}, nil))
		s.play(0)
		s.start(0, model.Map, 0, 0)
		s.start(0, model.Map, 1, 0)
		s.start(0, model.Map, 3, 0)
		s.play(5)
		s.start(0, model.Map, 2, 1)
		s.policy.pick = s.eager
		s.play(100)
		s.expect(c.why, s.events(record.TaskDoubled), c.want...)
		if j := s.state.Job(0); int(j.Doubled[model.Map]) != len(c.want) || int(j.Running[model.Map]) != 2+len(c.want) {
			t.Errorf("%s: %d doubled, %d run", c.why, j.Doubled[model.Map], j.Running[model.Map])
		}
	}
}

// Without an ended task there is nothing to compare with; while tasks are pending they come first. Nobody looks after the
// end of the job.
func TestNoSpeculation(t *testing.T) {
	for why, maps := range map[string][]float64{"none has ended": {500, 500}, "one is pending": {10, 500, 500}} {
		s := newStage(t, set{model: model.Slots, nodes: 1, room: model.Room{3, 1}, change: speculative(func(*mishap.Speculate) {})}, tasks(maps, nil))
		s.play(0)
		s.start(0, model.Map, 0, 0)
		s.start(0, model.Map, 1, 0)
		s.play(100)
		s.expect(why, s.events(record.TaskDoubled))
	}
	s := newStage(t, slots.with(speculative(func(*mishap.Speculate) {})), tasks(times(1, 1), nil))
	s.policy.pick = s.eager
	s.play(14)
	looks := s.queue.Len()
	s.play(16)
	if looks != 1 || s.queue.Len() != 0 {
		t.Errorf("%d looks planned at 14 s, %d at 16 s", looks, s.queue.Len())
	}
}
