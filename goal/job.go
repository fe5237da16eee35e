// SPDX-License-Identifier: Apache-2.0

// Package goal estimates when jobs will end and how many slots they need to end in time, from the
// lengths of tasks that have ended, as deadline-2010 does (§III-B, §III-C). It is told what happens
// and knows neither a cluster nor a policy, so that policies, metrics and the command goals use one
// and the same estimate.
//
//	Mean       equation 1: the mean length of the job's tasks that have ended
//	Need       the slots to hold from now on to end by the goal
//	Need - R   equation 3: how many more; a job may start another task while it is positive
//	Expected   equation 3 solved for the goal: when the job ends if it keeps the slots it has
package goal

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// Config says how to estimate.
type Config struct {
	// ReduceCost is the length of a reduce relative to a map, until a reduce has ended (§III-D).
	ReduceCost float64
	// PerNode estimates the remaining time of a running task from the tasks of its job that have
	// ended on the same node, if there are any (equation 2). It costs O(nodes) per estimate.
	PerNode bool
	// Drain leaves time before the goal for the last tasks to end: what a task that runs has left
	// on average, E[X^2] / 2E[X] by renewal theory, which is half a task if all are alike. Equation
	// 3 treats what runs as a fluid that all slots share to the end, so without it a job that gets
	// exactly what it needs ends that much late.
	Drain bool
}

// DefaultConfig returns the paper's estimate: a reduce costs as much as a map, nodes are alike, and
// work is a fluid.
func DefaultConfig() Config { return Config{ReduceCost: 1} }

// Job is the estimate of one job. The length of a reduce counts from when it has room and all maps
// have ended: before that it only waits.
type Job struct {
	watch    *Watch   // whose configuration it goes by, and whose lists of jobs that are over it uses
	listener Listener // nil if nobody listens
	mapsDone bool
	data     bool               // a task has ended
	room     [model.Kinds]int32 // tasks of each kind that the whole cluster can run at once
	doneAt   model.Time         // when the last map ended
	asked    model.Time         // for which its end was last worked out; None if something happened since
	end      model.Time         // what it was; up to the end of the line of memory
	kinds    [model.Kinds]tasks
}

// Listener is told what happens to a job.
type Listener interface {
	// Moves tells that something does: up to now the estimate is as it was, and it changes next.
	Moves(now model.Time)
}

// tasks is what is known of the tasks of one kind: two lines of memory, of which most estimates look at the first alone.
type tasks struct {
	mean    model.Time // sum / ended, which is asked for more often than it changes
	sum     model.Time
	ended   int32 // |C|
	pending int32 // not started: |U|
	running starts
	squares float64 // sum of the squared lengths
	nodes   *nodes  // nil unless PerNode
}

// unfinished is |U| + |R|.
func (t *tasks) unfinished() int64 { return int64(t.pending) + t.running.all.n }

// NewJob returns the estimate of a job that is submitted now. room is how many tasks of each kind
// the whole cluster can run at once.
func NewJob(c Config, now model.Time, tasks, room [model.Kinds]int32) *Job {
	return NewWatch(c).Follow(0, now, tasks, room)
}

// begin makes the job a new one.
func (j *Job) begin(w *Watch, now model.Time, total, room [model.Kinds]int32) {
	*j = Job{watch: w, mapsDone: total[model.Map] == 0, doneAt: now, asked: model.None}
	for k := range total {
		j.kinds[k].pending = total[k]
		if w.config.PerNode {
			j.kinds[k].nodes = &nodes{}
		}
		j.room[k] = max(room[k], 1)
	}
}

// Start notes that task number i of the kind began to run. Times are not below zero and never decrease from call to call.
func (j *Job) Start(k model.Kind, i int32, node model.NodeID, now model.Time) {
	j.moves(now)
	t := &j.kinds[k]
	if int(i) >= len(t.running.place) { // its first task starts, mostly
		t.running.expect(max(int(t.pending), int(i)+1), &j.watch.spare)
	}
	t.pending--
	if t.nodes != nil {
		t.nodes.at(node).start(now)
	}
	t.running.add(i, now)
}

// End notes that task number i of the kind, which began at start, has ended or, if not done, was killed and is pending
// again.
func (j *Job) End(k model.Kind, i int32, node model.NodeID, start, now model.Time, done bool) {
	j.moves(now)
	t := &j.kinds[k]
	if k == model.Reduce && j.mapsDone {
		start = max(start, j.doneAt)
	}
	t.running.remove(i, start)
	if t.nodes != nil {
		t.nodes.at(node).end(start, now, done)
	}
	if !done {
		t.pending++
		return
	}
	j.data = true
	t.ended++
	t.sum += now - start
	t.mean = t.sum / model.Time(t.ended)
	t.squares += float64(now-start) * float64(now-start)
	if k == model.Map && t.unfinished() == 0 {
		j.mapsDone, j.doneAt = true, now
		j.kinds[model.Reduce].running.rebase(now)
		if n := j.kinds[model.Reduce].nodes; n != nil {
			n.rebase(now)
		}
	}
}

// moves is called before something happens.
func (j *Job) moves(now model.Time) {
	if j.listener != nil {
		j.listener.Moves(now)
	}
	j.asked = model.None
}

// Running returns how many tasks of the kind run.
func (j *Job) Running(k model.Kind) int32 { return j.kinds[k].running.running() }

// Pending returns how many tasks of the kind have not been started.
func (j *Job) Pending(k model.Kind) int32 { return j.kinds[k].pending }

// MapsDone reports whether all maps have ended.
func (j *Job) MapsDone() bool { return j.mapsDone }

// HasData reports whether a task has ended, so that there is something to estimate from. Without
// it the job is in the state NODATA (§IV).
func (j *Job) HasData() bool { return j.data }

// Mean is equation 1: the mean length of the tasks of the kind that have ended. Before a reduce has
// ended it is the mean of the maps times the relative cost of a reduce.
func (j *Job) Mean(k model.Kind) model.Time {
	if t := &j.kinds[k]; t.ended > 0 {
		return t.mean
	}
	if m := &j.kinds[model.Map]; k == model.Reduce && m.ended > 0 {
		return model.Time(j.watch.config.ReduceCost * float64(m.mean))
	}
	return 0
}

// work is the time that the unfinished tasks of the kind still need on one slot: the numerator of
// equation 3.
func (j *Job) work(k model.Kind, now model.Time) float64 {
	t, mean := &j.kinds[k], j.Mean(k)
	if k == model.Reduce && !j.mapsDone {
		return float64(t.unfinished()) * float64(mean) // reduces that run only wait
	}
	left := model.Time(0)
	if t.nodes != nil {
		left = t.nodes.left(now, mean)
	} else {
		left = t.running.left(now, mean)
	}
	return float64(left) + float64(t.pending)*float64(mean)
}

// waves is in how many rounds the whole cluster can run the unfinished reduces.
func (j *Job) waves() int64 {
	n, room := j.kinds[model.Reduce].unfinished(), int64(j.room[model.Reduce])
	if n <= room { // a division takes long
		return min(n, 1)
	}
	return (n + room - 1) / room
}

// reducePhase is how long the reduces will take after the last map, on as many slots as there are.
func (j *Job) reducePhase() model.Time {
	return model.Time(j.waves()) * j.Mean(model.Reduce)
}

// drain is how long a running task of the kind has left on average.
func (j *Job) drain(k model.Kind) model.Time {
	if t := &j.kinds[k]; t.sum > 0 {
		return model.Time(t.squares / (2 * float64(t.sum)))
	}
	return j.Mean(k) / 2
}

// Need returns how many tasks of the kind must run from now on for the job to end by the goal: the
// left part of equation 3. Maps must leave time for the reduces (§III-D); reduces that wait for
// maps need as many slots as make the reduce phase shortest. It is infinite if there is no time
// left or no data.
func (j *Job) Need(k model.Kind, now, goal model.Time) float64 {
	return j.Claim(k, now, goal).Most(now)
}

// Claim is what Need comes from, for whoever asks about later times as well.
type Claim struct {
	fixed float64    // what is needed whatever the time
	work  float64    // the numerator of equation 3
	end   model.Time // by when it must be done; Forever if there is none
}

// Claim returns what the need of the job for tasks of the kind comes from now.
func (j *Job) Claim(k model.Kind, now, goal model.Time) Claim {
	t := &j.kinds[k]
	end := goal
	switch {
	case t.unfinished() == 0:
		return Claim{end: model.Forever}
	case !j.HasData():
		return Claim{fixed: math.Inf(1), end: model.Forever}
	case k == model.Map:
		end -= j.reducePhase()
	case !j.mapsDone:
		return Claim{fixed: float64(t.unfinished()) / float64(j.waves()), end: model.Forever}
	}
	if j.watch.config.Drain {
		end -= j.drain(k)
	}
	if end <= now {
		return Claim{fixed: math.Inf(1), end: model.Forever}
	}
	return Claim{work: j.work(k, now), end: end}
}

// Plus returns a claim that is never below both together, but for rounding.
func (c Claim) Plus(other Claim) Claim {
	return Claim{c.fixed + other.fixed, c.work + other.work, min(c.end, other.end)}
}

// Most returns the largest need that the job can come to have until then if none of its tasks starts or ends:
// work only becomes less, and time shorter. For the time of the claim it is the need itself.
func (c Claim) Most(then model.Time) float64 {
	switch {
	case c.end == model.Forever: // a division takes long
		return c.fixed
	case c.end <= then:
		return math.Inf(1)
	}
	return c.fixed + c.work/float64(c.end-then)
}

// Within returns until when Most stays within a limit, but for rounding: Forever if it never changes, 0 if it is above the limit
// from the beginning.
func (c Claim) Within(limit float64) model.Time {
	if c.end == model.Forever {
		return model.Forever
	}
	if before := c.work / (limit - c.fixed); before >= 0 && before < float64(c.end) {
		return c.end - 1 - model.Time(before)
	}
	return 0
}

// Ends reports whether an end can be expected: else Expected is Forever, until something happens.
func (j *Job) Ends() bool {
	k := model.Map
	if j.mapsDone {
		k = model.Reduce
	}
	return j.kinds[k].running.all.n > 0 && j.data
}

// Expected returns when the job will end if it keeps the slots that it has. It is Forever without
// data, or without a slot for the phase that it is in. To ask again about the same time costs nothing.
func (j *Job) Expected(now model.Time) model.Time {
	if j.asked != now {
		j.asked, j.end = now, j.expect(now)
	}
	return j.end
}

func (j *Job) expect(now model.Time) model.Time {
	if !j.Ends() {
		return model.Forever
	}
	k, after := model.Reduce, model.Time(0)
	if !j.mapsDone {
		k, after = model.Map, j.reducePhase()
	}
	return now + model.Time(j.work(k, now)/float64(j.kinds[k].running.all.n)) + after
}

// Late compares when a job will end with its goal, both counted from submission: above 1 it will be late. It is infinite
// where the end is Forever.
func Late(end, submit, goal model.Time) float64 {
	if end == model.Forever || goal <= submit {
		return math.Inf(1)
	}
	return float64(end-submit) / float64(goal-submit)
}

// LateAtMost returns the largest Late that a job which is expected to end then can come to have in some time if none of its
// tasks starts or ends: what is expected moves on with time at most.
func LateAtMost(end, in, submit, goal model.Time) float64 {
	if end != model.Forever {
		end += in
	}
	return Late(end, submit, goal)
}

// LateIn returns in how much time a job which is expected to end then, not Forever, can come to be that late at the earliest, but
// for rounding.
func LateIn(late float64, end, submit, goal model.Time) model.Time {
	return model.Time(min(late*float64(goal-submit), 1<<62)) + submit - end
}
