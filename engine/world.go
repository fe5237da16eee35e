// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/engine/known"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// eventKind says what happens when an event's time comes.
type eventKind uint8

const (
	attempts    eventKind = iota // the executor waited for it
	submit                       // a job arrives
	beat                         // the next node with room sends its heartbeat
	ask                          // a policy wanted to be asked again
	tick                         // a policy's clock
	preempt                      // look whether waiting reduces must make way for maps
	nodeLost                     // a node is lost
	nodeExpires                  // a lost node is given up
	nodeReturns                  // a lost node returns
	speculation                  // look for tasks of a job that straggle
	choreEnds                    // a set-up or clean-up task ends
	masterReady                  // an application master has started
	masterEnds                   // an application master gives its room back
	reloadShare                  // the scheduler reads the AM share again
	tunerStep                    // a tuner of the AM share wants to be called
	sampleHosts                  // look at the hosts
	handsOver                    // YARN's nodes and masters waited for it
)

// event is the payload of the event queue: 12 bytes.
type event struct {
	kind   eventKind
	sub    uint8 // attempts, handsOver: the kind of event of whoever waited; choreEnds: the stage
	random bool  // nodeReturns: from a random loss, so that the next one is to be drawn
	slot   int32 // attempts: of the job of one that ends, or goes on
	of     int32 // the job, the node, or what the executor said
}

func (e *event) job() model.JobID   { return model.JobID(e.of) }
func (e *event) node() model.NodeID { return model.NodeID(e.of) }

// jobEvent is an event of a job, nodeEvent one of a node.
func jobEvent(kind eventKind, id model.JobID) event { return event{kind: kind, of: int32(id)} }

func nodeEvent(kind eventKind, id model.NodeID) event { return event{kind: kind, of: int32(id)} }

// world is what the components of a run stand on.
type world struct {
	in      *Input
	state   *cluster.State
	blocks  *hdfs.Store
	queue   des.Queue[event]
	driver  *policy.Driver
	exec    *exec.Executor
	records *record.Sender
	model   model.RoomModel
	yarn    bool          // YARN's resource manager gives room, not offers to the policy
	shared  bool          // maps and reduces share room that is offered to the policy
	sizes   *known.Sizes  // nil unless the policy needs to be told
	links   *policy.Links // nil unless the policy needs to be told
	slow    *speculator   // nil unless masters of YARN try tasks a second time
	looks   int           // events that look for tasks that straggle
	runs    []*jobRun     // by slot; a place is used again by a later job
	result  Result
	failed  error
}

// jobRun is what the engine alone knows about a job, but what each task looks at: that is cluster.Driven.
type jobRun struct {
	let     int32                // how many reduces could start when slow start had passed
	watched bool                 // a preempt event is pending
	tries   map[model.Task]uint8 // number of the next attempt of tasks that were tried before
	seconds map[model.Task]bool  // tasks with a second attempt: has it started?
	where   []model.NodeID       // where each map ended, if that can be lost and the job has reduces
	spec    *model.Job
	ended   [model.Kinds]mishap.Lengths // of ended tasks, if tasks are tried a second time
	chore   model.NodeID                // where its set-up or clean-up task runs
	chored  [stages]bool                // which of them have ended
}

// What cluster.Driven notes of a job: it is at hand when tasks start and end, while jobRun lies far away.
const (
	slowed  uint8 = 1 << iota // slow start has not passed yet
	yields                    // reduces were killed for maps: no others start while maps are pending
	retried                   // tasks were tried before, or are tried twice
	traced                    // it is kept where each map ended
)

// noted reports whether this is noted of a job.
func noted(j *cluster.Job, what uint8) bool { return j.Driven.Notes&what != 0 }

// again notes that the next attempt of a task of the job has a higher number than this one.
func (r *jobRun) again(j *cluster.Job, t model.Task, number uint8) {
	if r.tries == nil {
		r.tries = map[model.Task]uint8{}
	}
	if number < 255 {
		number++
	}
	r.tries[t] = max(r.tries[t], number)
	j.Driven.Notes |= retried
}

// begin returns the number of the attempt of a task that starts, of a job of which tasks were tried before.
func (r *jobRun) begin(t model.Task) uint8 {
	if _, doubled := r.seconds[t]; doubled {
		r.seconds[t] = true
	}
	return r.tries[t]
}

// run returns what the engine knows about a job that is there.
func (w *world) run(j *cluster.Job) *jobRun { return w.runs[j.Slot] }

// waits returns the pool of room that a job waits for. Where maps and reduces have room of their own, it is that of its
// maps as long as it has any to start, then that of its reduces.
func (w *world) waits(j *cluster.Job) int {
	if w.model == model.Slots && j.Wants(model.Map) <= 0 && j.Wants(model.Reduce) > 0 {
		return int(model.Reduce)
	}
	return int(model.Map)
}

// locality returns how far a map that starts is from its block.
func (w *world) locality(j *cluster.Job, t model.Task, node model.NodeID) model.Locality {
	switch {
	case t.Kind == model.Reduce || !j.Reads:
		return model.NoInput
	case w.in.Replication == 0:
		return model.Remote
	}
	return w.blocks.Index(t.Job, j.Total[model.Map]).Starts(t.Index, node)
}

// addJob makes a job known that is submitted now.
func (w *world) addJob(now model.Time, spec *model.Job) *cluster.Job {
	j := w.state.AddJob(now, spec)
	if int(j.Slot) == len(w.runs) {
		w.runs = append(w.runs, new(jobRun))
	}
	*w.runs[j.Slot] = jobRun{spec: spec}
	return j
}

// recordRoom records whether some node has room for the smallest container.
func (w *world) recordRoom(now model.Time, some bool) {
	e := record.Event{Time: now, Kind: record.RoomChanged, Task: model.Task{Job: model.None}, Node: model.None}
	if some {
		e.Count = 1
	}
	w.records.Send(e)
}

// pool returns the pool of room that tasks of a kind draw from.
func (w *world) pool(k model.Kind) int { return w.model.Pool(k) }

// pools returns the number of pools of room.
func (w *world) pools() int { return w.model.Pools() }

// fail ends the run with an error, the first one if there are several.
func (w *world) fail(err error) {
	if w.failed == nil {
		w.failed = err
	}
}

// At implements exec.Timers.
func (w *world) At(t model.Time, e exec.Event) des.Handle {
	if w.slow != nil {
		w.slow.note(t, e.Of)
	}
	return w.queue.Push(t, event{kind: attempts, sub: uint8(e.Kind), slot: e.Slot, of: int32(e.Of)})
}

// Cancel implements exec.Timers.
func (w *world) Cancel(h des.Handle) bool { return w.queue.Cancel(h) }

// recordJob sends an event about a job.
func (w *world) recordJob(now model.Time, kind record.Kind, id model.JobID) {
	w.records.Send(record.Event{Time: now, Kind: kind, Task: model.Task{Job: id}, Node: model.None})
}

// recordHeld sends that something of a job that is no task, a master or a set-up task, takes room of a node or gives it back.
func (w *world) recordHeld(now model.Time, kind record.Kind, id model.JobID, node model.NodeID, room model.Room) {
	w.records.Send(record.Event{Time: now, Kind: kind, Task: model.Task{Job: id}, Node: node, Room: room})
}
