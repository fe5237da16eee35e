// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

var (
	slots      = set{model: model.Slots, nodes: 2, room: model.Room{2, 1}}
	containers = set{model: model.Containers, nodes: 2, room: model.Room{2, 0}}
)

// with returns the set under a changed configuration.
func (s set) with(change func(*Config)) set {
	s.change = change
	return s
}

// listing makes the executor list attempts, as where nodes may be lost.
func listing(c *Config) { c.Faults.Losses = []mishap.Loss{{Node: 0, At: 1e6 * model.Second}} }

// A start takes room, is counted and told; an end gives it back, and offers it on its node.
func TestStartAndEnd(t *testing.T) {
	s := newStage(t, slots, tasks(times(2, 3), nil))
	s.play(0)
	s.expect("submitted", s.heard(), "job 0 wants pool 0: true")
	s.start(0, model.Map, 0, 1)
	j := s.state.Job(0)
	if s.result.Started != 1 || j.Running[model.Map] != 1 || s.state.Nodes[1].Free != (model.Room{1, 1}) || s.floor.offer.Beat.Tasks[model.Map] != 1 {
		t.Errorf("%d started, %d run, node 1 has %v free, the beat %v", s.result.Started, j.Running[model.Map], s.state.Nodes[1].Free, s.floor.offer.Beat.Tasks)
	}
	s.start(0, model.Map, 1, 0)
	s.expect("started", s.heard(), "start map 0 on 1", "start map 1 on 0", "job 0 wants pool 0: false")
	s.asked()
	s.play(3)
	s.expect("ended", s.heard(), "end map 0 on 1, done: true", "end map 1 on 0, done: true")
	s.expect("recorded", s.events(record.TaskStarted, record.TaskEnded, record.JobEnded), "task-started map 0.0 at 0", "task-started map 1.0 at 0",
		"task-ended map 0.0 at 3", "task-ended map 1.0 at 3", "job-ended 0 at 3")
	if s.result.Ended != 1 || s.state.Job(0) != nil || s.state.Used != ([model.Dims]int64{}) {
		t.Errorf("%d jobs ended, %v used", s.result.Ended, s.state.Used)
	}
}

// Room that comes free while the job wants more is offered on its node, and nowhere else.
func TestEndOffersItsNode(t *testing.T) {
	s := newStage(t, slots, tasks([]float64{3, 5, 5}, nil))
	s.play(0)
	s.start(0, model.Map, 0, 1)
	s.start(0, model.Map, 1, 0)
	s.asked()
	s.play(3)
	if got := s.asked(); !slices.Equal(got, []model.NodeID{1}) {
		t.Errorf("offered nodes %v, want 1", got)
	}
}

// An illegal start changes nothing and says why.
func TestIllegalStart(t *testing.T) {
	s := newStage(t, slots, tasks(times(3, 9), times(1, 1)))
	s.play(0)
	s.start(0, model.Map, 0, 0)
	s.start(0, model.Map, 1, 0)
	before := s.result
	for _, c := range []struct {
		task model.Task
		pool int
		want string
	}{
		{model.Task{Kind: model.Map, Index: 0}, 0, "started already"},
		{model.Task{Kind: model.Map, Index: 2}, 0, "0 map + 1 reduce slots free"},
		{model.Task{Kind: model.Map, Index: 2}, 1, "room of the reduce pool"},
		{model.Task{Kind: model.Reduce}, 1, "may not start another reduce"},
		{model.Task{Job: 7}, 0, "no such job"},
	} {
		s.floor.offer.Node, s.floor.offer.Pool = 0, c.pool
		if err := s.take(0, s.state.Job(c.task.Job), c.task); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("start of %v: %v, want %q", c.task, err, c.want)
		}
	}
	other := s.state.Job(0) // than that of the task
	if err := s.take(0, other, model.Task{Job: 1, Index: 2}); err == nil || !strings.Contains(err.Error(), "not one of job 0") {
		t.Errorf("start of a task of another job: %v", err)
	}
	if s.result != before || len(s.exec.Running()) != 2 {
		t.Errorf("counted %+v, %d run", s.result, len(s.exec.Running()))
	}
}

// Blocks have one replica. A map far from its block counts as off-switch; where blocks lie nowhere all are.
func TestLocalityOfStarts(t *testing.T) {
	spec := tasks(times(1, 1), times(1, 1))
	spec.Input = 100
	s := newStage(t, slots, spec)
	s.play(0)
	j, maps := s.state.Job(0), model.Task{Kind: model.Map}
	holder := s.blocks.Index(0, 1).Block(0)[0]
	expect := func(why string, task model.Task, node model.NodeID, want model.Locality) {
		t.Helper()
		if got := s.crew.locality(j, task, node); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
	expect("on the node of its block", maps, holder, model.NodeLocal)
	expect("on the other node of the rack", maps, 1-holder, model.RackLocal)
	expect("a reduce", model.Task{Kind: model.Reduce}, holder, model.NoInput)
	s.in.Replication = 0
	expect("without locality", maps, holder, model.Remote)
	s.start(0, model.Map, 0, holder)
	if off := s.floor.offer.Beat.OffSwitch; off != 1 {
		t.Errorf("%d off-switch", off)
	}
	j.Reads = false
	expect("without input", maps, holder, model.NoInput)
}

// A killed attempt is pending again, its next has another number; the policy hears of it.
func TestKillAttempt(t *testing.T) {
	s := newStage(t, slots.with(listing), tasks(times(1, 9), nil))
	s.play(0)
	task := s.start(0, model.Map, 0, 1)
	s.heard()
	s.play(2)
	s.crew.killAttempt(s.queue.Now(), s.id(task, 0))
	j := s.state.Job(0)
	if s.result.Killed != 1 || j.Pending(model.Map) != 1 || s.state.Nodes[1].Free != (model.Room{2, 1}) {
		t.Errorf("%d killed, %d pending, node 1 has %v free", s.result.Killed, j.Pending(model.Map), s.state.Nodes[1].Free)
	}
	s.expect("told", s.heard(), "end map 0 on 1, done: false")
	s.start(0, model.Map, 0, 0)
	s.play(20)
	s.expect("recorded", s.events(record.TaskStarted, record.TaskKilled, record.TaskEnded), "task-started map 0.0 at 0", "task-killed map 0.0 at 2",
		"task-started map 0.1 at 2", "task-ended map 0.1 at 11")
}

// Numbers of attempts stop at 255 and never go back.
func TestNumbersOfAttempts(t *testing.T) {
	r, task := &jobRun{}, model.Task{Index: 3}
	for _, c := range []struct{ number, want uint8 }{{0, 1}, {5, 6}, {2, 6}, {254, 255}, {255, 255}} {
		if r.again(&cluster.Job{}, task, c.number); r.tries[task] != c.want {
			t.Errorf("after attempt %d comes %d, want %d", c.number, r.tries[task], c.want)
		}
	}
}

// Of two attempts the first to end counts. One that has not started is taken back, one that runs is dropped and
// gives its room back. A third map is pending, so that room is offered: the winner's first.
func TestDropOther(t *testing.T) {
	for _, started := range []bool{false, true} {
		s := newStage(t, slots.with(listing), tasks([]float64{9, 99, 99}, nil))
		s.play(0)
		task := s.start(0, model.Map, 0, 0)
		s.start(0, model.Map, 1, 0)
		s.play(1)
		j := s.state.Job(0)
		s.faults.double(s.queue.Now(), j, task)
		dropped, killed, offered := "task-dropped map 0.0 at 9", int64(0), []model.NodeID{0}
		if started {
			s.start(0, model.Map, 0, 1)
			dropped, killed, offered = "task-dropped map 0.1 at 9", 1, []model.NodeID{0, 1}
		}
		s.play(8)
		s.asked()
		s.play(9)
		if got := s.asked(); !slices.Equal(got, offered) {
			t.Errorf("started %t: offered nodes %v, want %v", started, got, offered)
		}
		s.expect("recorded", s.events(record.TaskDoubled, record.TaskDropped), "task-doubled map 0.0 at 1", dropped)
		if j.Done[model.Map] != 1 || j.Doubled[model.Map] != 0 || j.Wants(model.Map) != 1 || len(s.exec.Running()) != 1 || s.result.Killed != killed {
			t.Errorf("started %t: %d done, %d doubled, %d wanted, %d run, %d killed", started, j.Done[0], j.Doubled[0], j.Wants(0), len(s.exec.Running()), s.result.Killed)
		}
		if len(s.crew.idled) != 0 || s.state.Nodes[1].Free != (model.Room{2, 1}) {
			t.Errorf("started %t: nodes %v wait to be offered, node 1 has %v free", started, s.crew.idled, s.state.Nodes[1].Free)
		}
	}
}

// When one of two attempts is killed the other goes on alone, and the task is not pending.
func TestKillOneOfTwo(t *testing.T) {
	s := newStage(t, slots.with(listing), tasks([]float64{9}, nil))
	s.play(0)
	task := s.start(0, model.Map, 0, 0)
	s.faults.double(0, s.state.Job(0), task)
	s.start(0, model.Map, 0, 1)
	s.crew.killAttempt(0, s.id(task, 0))
	if j := s.state.Job(0); j.Pending(model.Map) != 0 || j.Running[model.Map] != 1 || j.Doubled[model.Map] != 0 {
		t.Errorf("%d pending, %d running, %d doubled", j.Pending(model.Map), j.Running[model.Map], j.Doubled[model.Map])
	}
	s.play(9)
	s.expect("recorded", s.events(record.TaskKilled, record.TaskDropped, record.TaskEnded), "task-dropped map 0.0 at 0", "task-ended map 0.1 at 9")
}

// Half of four maps must have ended before reduces may start: after 2 s. They are told once.
func TestSlowStart(t *testing.T) {
	s := newStage(t, slots.with(func(c *Config) { c.Jobs.SlowStart = 0.5 }), tasks([]float64{1, 2, 3, 4}, times(2, 1)))
	s.play(0)
	for i := range int32(4) {
		s.start(0, model.Map, i, model.NodeID(i%2))
	}
	s.play(1)
	j := s.state.Job(0)
	if j.Eligible[model.Reduce] != 0 {
		t.Errorf("%d reduces may start after one map", j.Eligible[model.Reduce])
	}
	s.heard()
	s.play(3.5)
	s.expect("told", s.heard(), "end map 1 on 1, done: true", "job 0 wants pool 1: true", "end map 2 on 0, done: true")
	s.expect("recorded", s.events(record.TasksEligible), "tasks-eligible 2 at 2")
}

// In shared room a map that ends may let reduces start: the job wants room again, and other nodes are offered than
// that of the map.
func TestSlowStartInSharedRoom(t *testing.T) {
	s := newStage(t, set{model: model.Containers, nodes: 3, room: model.Room{1, 0}, change: func(c *Config) {
		c.Jobs = mapreduce.Rules{SlowStart: 0.5, RampUp: 1}
	}}, tasks([]float64{1, 9}, times(2, 1)))
	s.play(0)
	s.start(0, model.Map, 0, 0)
	s.start(0, model.Map, 1, 1)
	s.heard()
	s.asked()
	s.play(1)
	s.expect("told", s.heard(), "end map 0 on 0, done: true", "job 0 wants pool 0: true")
	if got := s.asked(); !slices.Contains(got, 2) || got[0] != 0 {
		t.Errorf("offered nodes %v, want that of the map first, and node 2", got)
	}
}

// starving returns a job of four maps on two nodes of two containers whose reduces, allowed from the start,
// have taken all room but that of map 0, and take it as well when it ends at 5 s, if they are offered it:
// reduce 3 on node 0. Maps 1 to 3 are pending.
func starving(t *testing.T, change func(*mapreduce.Rules)) *stage {
	return starvingUnder(t, nil, change)
}

// starvingUnder is starving with another policy around the script.
func starvingUnder(t *testing.T, around func(*script) policy.Policy, change func(*mapreduce.Rules)) *stage {
	stage := containers.with(func(c *Config) {
		c.Jobs = mapreduce.Rules{RampUp: 1, Preempt: true, PreemptAfter: 2 * model.Second}
		change(&c.Jobs)
		listing(c)
	})
	stage.around = around
	s := newStage(t, stage, tasks(times(4, 5), times(4, 1)))
	s.play(0)
	s.start(0, model.Map, 0, 0)
	s.start(0, model.Reduce, 0, 0)
	s.start(0, model.Reduce, 2, 1)
	s.play(1)
	s.start(0, model.Reduce, 1, 1)
	s.policy.pick = func(o *policy.Offer) policy.Decision { // reduces take what comes free
		if j := s.state.Job(0); j != nil && j.Wants(model.Reduce) > 0 {
			return policy.Start(j, model.Reduce, j.First(model.Reduce))
		}
		return policy.Nothing(policy.Here, 0)
	}
	return s
}

// Two seconds after the maps have lost their last room the youngest reduce makes way for one; no other starts in
// its place, and its node is offered.
func TestPreempt(t *testing.T) {
	s := starving(t, func(*mapreduce.Rules) {})
	s.play(6)
	if n := len(s.exec.Waiting(s.state.Job(0))); n != 4 {
		t.Fatalf("%d reduces wait", n)
	}
	s.asked()
	s.play(7)
	s.expect("killed", s.events(record.TaskKilled), "task-killed reduce 3.0 at 7")
	j := s.state.Job(0)
	if got := s.asked(); !noted(j, yields) || j.Wants(model.Reduce) != 0 || !slices.Contains(got, 0) || s.state.Nodes[0].Free != (model.Room{1, 0}) {
		t.Errorf("yields %t, %d reduces wanted, nodes %v offered, %v free on node 0", noted(j, yields), j.Wants(model.Reduce), got, s.state.Nodes[0].Free)
	}
}

// A map of two containers needs two reduces of one node to make way; one between them on another node stays.
func TestPreemptOnOneNode(t *testing.T) {
	j := tasks(times(1, 5), times(4, 1))
	j.Need = [model.Kinds]model.Room{{2, 0}, {1, 0}}
	s := newStage(t, containers.with(func(c *Config) {
		c.Jobs = mapreduce.Rules{RampUp: 1, Preempt: true, PreemptAfter: 2 * model.Second}
		listing(c)
	}), j)
	s.play(0)
	for reduce, node := range []model.NodeID{1, 0, 1, 0} { // reduce 3 is the youngest
		s.start(0, model.Reduce, int32(reduce), node)
	}
	s.play(3)
	s.expect("killed", s.events(record.TaskKilled), "task-killed reduce 3.0 at 2", "task-killed reduce 1.0 at 2")
}

// Nobody is killed if the rules say so, or if a map has found room meanwhile.
func TestNoPreemption(t *testing.T) {
	s := starving(t, func(r *mapreduce.Rules) { r.Preempt = false })
	s.play(60)
	s.expect("killed", s.events(record.TaskKilled))
	s = starving(t, func(*mapreduce.Rules) {})
	s.policy.pick = nil
	s.play(6)
	s.start(0, model.Map, 1, 0) // in the room of map 0
	s.play(8)
	s.expect("killed", s.events(record.TaskKilled))
}

// Maps of which one takes the room of the one that has ended are not starved: nobody looks after them.
func TestNextMapIsNotStarved(t *testing.T) {
	s := starving(t, func(*mapreduce.Rules) {})
	s.policy.pick = func(o *policy.Offer) policy.Decision {
		if j := s.state.Job(0); j.Wants(model.Map) > 0 {
			return policy.Start(j, model.Map, j.First(model.Map))
		}
		return policy.Nothing(policy.Here, 0)
	}
	s.play(6)
	if j := s.state.Job(0); s.run(j).watched || j.Running[model.Map] != 1 {
		t.Errorf("watched %t, %d maps run", s.run(j).watched, j.Running[model.Map])
	}
}

// Ramp-up: with half of the maps done a job may hold half of what it reaches with reduces, 0.5 * 4 containers. When
// another job has taken the free room since, the limit is corrected before the third starts.
func TestStaleEligibility(t *testing.T) {
	s := newStage(t, set{model: model.Containers, nodes: 1, room: model.Room{6, 0}, change: func(c *Config) {
		c.Jobs = mapreduce.Rules{RampUp: 0.5}
	}}, tasks([]float64{1, 1, 9, 9, 9, 9}, times(6, 9)), tasks(times(3, 9), nil))
	s.play(0)
	for i := range int32(4) {
		s.start(0, model.Map, i, 0)
	}
	s.play(2)
	j := s.state.Job(0)
	if j.Eligible[model.Reduce] != 2 { // min(0.5, 2/6) * 6 containers
		t.Fatalf("%d reduces may start, want 2", j.Eligible[model.Reduce])
	}
	if s.crew.stale(s.queue.Now(), j, model.Reduce) {
		t.Error("stale before anything has changed")
	}
	for i := range int32(3) {
		s.start(1, model.Map, i, 0)
	}
	// 1 is free, 2 are used: 1/3 * 3 = 1.
	if s.crew.stale(s.queue.Now(), j, model.Reduce) || j.Eligible[model.Reduce] != 1 {
		t.Errorf("%d reduces may start, want 1", j.Eligible[model.Reduce])
	}
	s.start(0, model.Reduce, 0, 0)
	j.Eligible[model.Reduce] = 2 // as if worked out before
	if !s.crew.stale(s.queue.Now(), j, model.Reduce) || j.Eligible[model.Reduce] != 1 {
		t.Errorf("the start of a second reduce is not stale; %d may start", j.Eligible[model.Reduce])
	}
	if s.crew.stale(s.queue.Now(), j, model.Map) {
		t.Error("a map is stale")
	}
}

// The limit that holds a job back is recorded when it changes. Locality lifts by waiting, the maximum of a queue by an end in
// the same pool, all others by any end; a job that has changed its part may use room that nobody wanted.
func TestBlocked(t *testing.T) {
	s := newStage(t, slots, tasks(times(1, 1), nil))
	s.play(0)
	j := s.state.Job(0)
	for _, c := range []struct {
		limit                model.Limit
		capped, limited, dry bool
	}{{model.LimitLocality, false, false, true}, {model.LimitQueueMax, true, false, true}, {model.LimitQueueMax, true, false, true}, {model.LimitPartition, false, true, false}} {
		s.floor.capped[0], s.floor.limited, s.floor.beats.dry[0] = false, false, true
		s.floor.blocked(j, c.limit)
		if s.floor.capped[0] != c.capped || s.floor.limited != c.limited || s.floor.beats.dry[0] != c.dry {
			t.Errorf("%s: capped %t, limited %t, dry %t", c.limit, s.floor.capped[0], s.floor.limited, s.floor.beats.dry[0])
		}
	}
	s.start(0, model.Map, 0, 0)
	if j.Driven.Limit != model.LimitRoom {
		t.Error("a job that has started a task is still held back")
	}
	s.floor.limited, s.floor.beats.dry[0] = false, true
	s.floor.offer.Confined(j)
	if s.floor.limited || !s.floor.beats.dry[0] {
		t.Error("all room is offered again because a job waits for certain nodes")
	}
	s.expect("recorded", s.events(record.JobBlocked), "job-blocked 0 locality at 0", "job-blocked 0 queue_maximum at 0", "job-blocked 0 partition at 0", "job-blocked 0 partition at 0")
}

// What a policy says about jobs while a task starts: of the job itself the start says it, of others an event does.
func TestBlockedByAStart(t *testing.T) {
	s := newStage(t, slots, tasks(times(2, 1), nil), tasks(times(1, 1), nil))
	s.play(0)
	s.policy.started = func(j *cluster.Job) {
		s.floor.blocked(s.state.Job(1), model.LimitUser)
		s.floor.blocked(j, model.LimitShare)
	}
	s.start(0, model.Map, 0, 0)
	s.expect("recorded", s.events(record.JobBlocked), "job-blocked 1 user_limit at 0")
	if last := s.log.Events[len(s.log.Events)-1]; last.Kind != record.TaskStarted || last.Limit != model.LimitShare || s.state.Job(0).Driven.Limit != model.LimitShare {
		t.Errorf("%s with limit %s, want the start with share", last.Kind, last.Limit)
	}
	s.policy.started = nil
	s.start(0, model.Map, 1, 0)
	if last := s.log.Events[len(s.log.Events)-1]; last.Limit != model.LimitRoom {
		t.Errorf("the next start says %s, want room", last.Limit)
	}
	s.floor.blocked(s.state.Job(0), model.LimitShare)
	s.expect("recorded", s.events(record.JobBlocked), "job-blocked 1 user_limit at 0", "job-blocked 0 share at 0")
}

// Maps and reduces have slots of their own. What keeps reduces from theirs does not hold a job back that has maps to start;
// when it has none left, the start of the last one says so.
func TestBlockedByPool(t *testing.T) {
	s := newStage(t, slots, tasks(times(2, 1), times(2, 1)))
	s.play(0)
	j := s.state.Job(0)
	s.crew.release(0, j)
	s.start(0, model.Map, 0, 0)
	s.floor.offer.Pool = int(model.Reduce)
	s.floor.blocked(j, model.LimitUser)
	s.expect("recorded", s.events(record.JobBlocked))
	if s.floor.limited || s.floor.capped != [model.Kinds]bool{false, true} {
		t.Errorf("limited %t, capped %t", s.floor.limited, s.floor.capped)
	}
	s.start(0, model.Map, 1, 0)
	if last := s.log.Events[len(s.log.Events)-1]; last.Kind != record.TaskStarted || last.Limit != model.LimitUser {
		t.Errorf("%s with limit %s, want the start with the limit on reduces", last.Kind, last.Limit)
	}
	s.start(0, model.Reduce, 0, 1)
	if last := s.log.Events[len(s.log.Events)-1]; last.Limit != model.LimitRoom {
		t.Errorf("after the start of a reduce %s, want room", last.Limit)
	}
}

// The loop's use of an offer: a decision is carried out, a refusal is passed on with the time to ask again, an
// illegal one ends the run with a message that shows the state.
func TestServe(t *testing.T) {
	s := newStage(t, slots, tasks(times(2, 1), nil))
	s.play(0)
	s.floor.newBeat()
	s.floor.offer.Node, s.floor.offer.Pool = 0, 0
	s.policy.pick = func(*policy.Offer) policy.Decision { return policy.Nothing(policy.Everywhere, 7*model.Second) }
	if served, scope := s.serve(0); served || scope != policy.Everywhere || s.floor.askAt != 7*model.Second {
		t.Errorf("a refusal: served %t, scope %d, asked again at %v", served, scope, s.floor.askAt)
	}
	s.policy.pick = func(*policy.Offer) policy.Decision { return policy.Start(s.state.Job(0), model.Map, 1) }
	if served, _ := s.serve(0); !served || s.state.Job(0).Running[model.Map] != 1 {
		t.Error("a decision was not carried out")
	}
	if served, _ := s.serve(0); served || s.failed == nil {
		t.Fatalf("an illegal decision: served %t, %v", served, s.failed)
	}
	for _, part := range []string{"policy script made an illegal decision at 0s: start map 1 of job 0 on node 0: task was started already",
		"maps: 1 pending, 1 running, 0 done of 2", "node 0: "} {
		if !strings.Contains(s.failed.Error(), part) {
			t.Errorf("%v\n does not say %q", s.failed, part)
		}
	}
}
