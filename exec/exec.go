// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/exec/running"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/internal/slab"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
)

// ID names a running attempt. It is given to another one when the attempt has ended.
type ID = running.ID

// Attempt is one try at a task, from the moment it has room to its end.
type Attempt = running.Attempt

// none is no work and no group.
const none = -1

// Event is what an executor waits for. Whoever drives it keeps the event until its time has come; what the
// numbers mean is the executor's affair.
type Event struct {
	Kind EventKind
	Slot int32 // of the attempt's job; of other works 0
	Of   ID    // the attempt, or the number of a work
}

// EventKind is one of the kinds of event that an executor knows.
type EventKind uint8

const (
	attemptEnds   EventKind = iota // a map, or a reduce that computes, ends
	tailEnds                       // a reduce has all its data (replay)
	flowEnds                       // an activity of the solver ends
	ratesTick                      // rates are worked out again, with a tick
	linksLook                      // look at the racks' links
	workStarts                     // the process of an attempt has started
	circuitsLook                   // the circuits are matched to the demand
	circuitsReady                  // circuits that were made begin to carry
	gateAsks                       // the gate is asked again
)

// Timers is the clock of whoever drives an executor.
type Timers interface {
	At(t model.Time, e Event) des.Handle
	Cancel(des.Handle) bool
}

// Site is what an executor stands on.
type Site struct {
	Topology    *model.Topology
	Config      *Config
	Stragglers  costs.Stragglers
	Replication int // of blocks, 0: no locality
	Seed        uint64
	State       *cluster.State // read only
	Blocks      *hdfs.Store
	Timers      Timers
	Records     *record.Sender
	Files       bool // whoever drives asks what hosts hold
	Punctual    bool // each activity ends in an event of its own, also where that may wait
	Lists       bool // whoever drives asks for the attempts on nodes and of jobs
	// Ended is called for each attempt that ends, its work done. The attempt is valid until another one starts.
	Ended func(now model.Time, j *cluster.Job, a *Attempt)
	// Booted is called for each master whose start has had the core's time that Boot asked for.
	Booted func(now model.Time, job model.JobID)
	// Looked, if set, is called when the racks' links were looked at, with the shares of their capacity that
	// are in use: 2*rack up, 2*rack+1 down.
	Looked func(now model.Time, shares []float64)
	// Gate, if set, is asked before reduces fetch from another rack.
	Gate network.Gate
}

// Executor runs attempts.
type Executor struct {
	ground
	pace   pace
	shared *shared // the pace on shared resources, nil under replay
}

// pace is a model of how long the work of attempts takes.
type pace interface {
	// start begins an attempt that has just got room. A reduce may find its maps unfinished.
	start(now model.Time, id ID, locality model.Locality)
	// mapsOver lets the reduces go on that waited for the last map.
	mapsOver(now model.Time, w *jobWork, waiting []ID)
	// drop takes a killed attempt out of whatever it waits for.
	drop(now model.Time, id ID)
}

// ground is what the executor and its pace share.
type ground struct {
	Site
	attempts running.Table
	luck     costs.Luck
	lengths  rng.Lengths
	even     bool             // all machines are as fast as the reference
	classed  bool             // some job has said how long its tasks take by class of nodes
	jobs     slab.Of[jobWork] // by slot; a place is used again by a later job
	err      error
}

// jobWork is what is known of one job's work; what each map looks at stands first, in one line of memory.
type jobWork struct {
	samplers  [model.Kinds]rng.Sampler
	job       *cluster.Job
	spec      *model.Job
	byClass   []rng.ClassSampler // by class of nodes, nil if speed says it all
	first     ID                 // of its attempts
	computing int32              // reduces that have all their data
	waiting   []ID               // reduces that hold room while maps run, in order of their starts
	killed    bool               // an attempt was killed: reduces may fetch again
	shuffle   *shuffle
	excess    float64 // bytes that MRPERF's maps have made beyond their shares
	moved     network.Moved
	_         [40]byte // to the end of the fifth line, so that each begins with a line
}

// New returns the executor that the configuration asks for.
func New(s Site) (*Executor, error) {
	e := &Executor{ground: ground{Site: s, lengths: rng.NewLengths(s.Seed)}}
	e.even = !slices.ContainsFunc(s.Topology.Classes, func(c model.NodeClass) bool { return c.Speed != 1 })
	e.luck = costs.NewLuck(s.Stragglers, s.Seed)
	if s.Lists {
		e.attempts.List(len(s.Topology.Nodes))
	}
	if s.Config.Durations == Replay {
		e.pace = &replay{&e.ground}
		return e, nil
	}
	shared, err := newShared(&e.ground)
	e.pace, e.shared = shared, shared
	return e, err
}

// Enter prepares for a job that is admitted.
func (e *Executor) Enter(j *cluster.Job, spec *model.Job) {
	e.jobs.Grow(j.Slot + 1)
	w := e.of(j)
	*w = jobWork{job: j, spec: spec, first: none, waiting: w.waiting[:0]}
	for k := range model.Kind(model.Kinds) {
		w.samplers[k] = e.lengths.Of(spec, k)
	}
	w.byClass = e.lengths.ByClass(spec, e.Topology.Classes)
	e.classed = e.classed || w.byClass != nil
}

// Leave records what a job sent over links and forgets it. All its attempts have ended. With check it
// returns an error if its reduces have not got what its maps made.
func (e *Executor) Leave(now model.Time, j *cluster.Job, check bool) error {
	w := e.of(j)
	var err error
	if check {
		err = w.checkShuffle(now)
	}
	w.moved.Record(now, j.ID, e.Records)
	if e.shared != nil {
		e.shared.files.Drop(j.ID)
		if w.shuffle != nil {
			e.shared.shuffles.keeper.Close(w.shuffle.between)
		}
	}
	*w = jobWork{waiting: w.waiting[:0]}
	return err
}

// onClass returns what the job says about a class of nodes, nil if its speed decides.
func (w *jobWork) onClass(class uint8) *rng.ClassSampler {
	if w.byClass == nil || !w.byClass[class].Known {
		return nil
	}
	return &w.byClass[class]
}

// at returns an attempt, valid until the next one starts.
func (g *ground) at(id ID) *Attempt { return g.attempts.At(id) }

// of returns the work of a job that has entered.
func (g *ground) of(j *cluster.Job) *jobWork { return g.jobs.At(j.Slot) }

// AheadOf adds an attempt to what is asked for.
func (g *ground) AheadOf(b *ahead.Batch, id ID) { g.attempts.Ahead(b, id) }

// Ahead adds what the start of a map looks at of the job in a slot.
func (g *ground) Ahead(b *ahead.Batch, slot int32) { ahead.Line(b, g.jobs.At(slot)) }

// Boot makes a core of a node work on the start of a job's master, for so much of the time of the reference machine's
// core. Only the resources model has cores: under the others the site is told at once.
func (e *Executor) Boot(now model.Time, node model.NodeID, job model.JobID, cpu model.Time) {
	if cpu == 0 || e.Config.Durations != Resources {
		e.Booted(now, job)
		return
	}
	e.shared.boot(now, node, job, cpu)
}

// Start begins an attempt that has just got room. A reduce whose maps are not all done waits.
func (e *Executor) Start(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, number uint8, locality model.Locality) {
	w := e.of(j)
	id := e.attempts.Add(node, &w.first)
	a := e.at(id)
	a.Task, a.Node, a.Number, a.Taken, a.Slot, a.Since, a.Began = t, node, number, true, j.Slot, now, now
	a.Stage = record.Computing
	if t.Kind == model.Reduce {
		a.Stage = record.Waiting
	}
	if t.Kind == model.Map && e.shared == nil { // most are, and what replay does with them is no more
		e.endAfterLength(now, id, a, locality)
		return
	}
	e.pace.start(now, id, locality)
	if t.Kind == model.Reduce && !j.MapsDone() {
		w.waiting = append(w.waiting, id)
	}
}

// MapEnded adds the output of a map that ended on a node.
func (e *Executor) MapEnded(now model.Time, j *cluster.Job, index int32, node model.NodeID) {
	if e.shared != nil { // otherwise output lies where it was made and costs nothing to fetch
		e.shared.shuffles.mapEnded(now, e.of(j), index, node)
	}
}

// MapsOver lets the reduces go on that waited for the last map of their job.
func (e *Executor) MapsOver(now model.Time, j *cluster.Job) {
	w := e.of(j)
	waiting := w.waiting
	w.waiting = nil // reduces that start meanwhile are not part of it
	e.pace.mapsOver(now, w, waiting)
}

// Kill ends an attempt without its work done and returns it, with how long it had worked.
func (e *Executor) Kill(now model.Time, id ID) (a Attempt, worked model.Time) {
	w := e.jobs.At(e.at(id).Slot)
	e.pace.drop(now, id)
	e.Timers.Cancel(e.attempts.Timer(id))
	a = *e.at(id)
	e.attempts.Remove(id, &w.first)
	worked = a.Worked(now)
	switch {
	case a.Stage == record.Waiting:
		if i := slices.Index(w.waiting, id); i >= 0 {
			w.waiting = slices.Delete(w.waiting, i, i+1)
		}
	case a.Stage == record.Computing && a.Task.Kind == model.Reduce:
		w.computing--
	}
	w.killed = true
	return a, worked
}

// OutputLost takes back the output of maps that ended on a node which is lost. If all maps of the job had
// ended, reduces that do not have all their data wait for maps again.
func (e *Executor) OutputLost(now model.Time, j *cluster.Job, maps []int32, node model.NodeID, wereOver bool) {
	w := e.of(j)
	w.killed = true
	if wereOver {
		e.waitAgain(now, w)
	}
	if e.shared != nil {
		e.shared.outputLost(now, w, maps, node)
	}
}

// waitAgain makes the reduces that copied after the last map wait for maps again.
func (e *Executor) waitAgain(now model.Time, w *jobWork) {
	for _, id := range e.attempts.OfJob(w.first, func(a *Attempt) bool { return a.Task.Kind == model.Reduce && a.Stage != record.Computing }) {
		a := e.at(id)
		e.Timers.Cancel(e.attempts.Timer(id))
		w.waiting = append(w.waiting, id)
		if a.Stage == record.Shuffling {
			a.Stage = record.Waiting
			e.record(now, record.TaskWaiting, a)
		}
	}
}

// NodeLost makes maps that read a block from a lost node read it from another.
func (e *Executor) NodeLost(now model.Time, node model.NodeID) {
	if e.shared != nil {
		e.shared.rereadFrom(now, node)
	}
}

// Happen takes an event whose time has come.
func (e *Executor) Happen(now model.Time, ev Event) {
	switch ev.Kind {
	case attemptEnds:
		e.end(now, ev.Of)
	case tailEnds:
		e.compute(now, ev.Of)
		e.endAfterLength(now, ev.Of, e.at(ev.Of), model.NoInput)
	default:
		e.shared.happen(now, ev)
	}
}

// Settle does what an event has set off, activities that end or begin, and reports whether there was any.
// It is called again after whatever that set off in turn.
func (e *Executor) Settle(now model.Time) bool { return e.shared != nil && e.shared.settle(now) }

// Plan asks for the events that are needed now that an event is over. It returns the first fault that the
// executor met; a run cannot go on after it.
func (e *Executor) Plan(now model.Time) error {
	if e.shared == nil {
		return nil
	}
	if e.err == nil {
		e.shared.plan(now)
	}
	return e.err
}

// end takes an attempt out whose work is done.
func (g *ground) end(now model.Time, id ID) {
	a := g.at(id)
	if a.Task.Kind == model.Reduce {
		g.jobs.At(a.Slot).computing--
	}
	if g.attempts.Listed() {
		g.attempts.Remove(id, &g.jobs.At(a.Slot).first)
	} else {
		g.attempts.Free(id)
	}
	g.Ended(now, g.State.At(a.Slot), a) // its work has the job too, but the end of a map need not look there
}

// shuffling notes that a reduce has nothing to wait for but its data.
func (g *ground) shuffling(now model.Time, id ID) {
	a := g.at(id)
	a.Stage, a.Began = record.Shuffling, now
	g.record(now, record.TaskShuffling, a)
}

// compute notes that a reduce has all its data and begins its own work.
func (g *ground) compute(now model.Time, id ID) {
	a := g.at(id)
	if a.Stage == record.Waiting { // it had no data to wait for
		a.Began = now
	}
	a.Stage = record.Computing
	g.jobs.At(a.Slot).computing++
	g.record(now, record.TaskComputing, a)
}

// record sends an event about an attempt.
func (g *ground) record(now model.Time, kind record.Kind, a *Attempt) {
	g.Records.Send(record.Event{Time: now, Kind: kind, Task: a.Task, Node: a.Node, Attempt: a.Number})
}

// endAfterLength makes an attempt end when its length has passed.
func (g *ground) endAfterLength(now model.Time, id ID, a *Attempt, locality model.Locality) {
	g.attempts.Wait(id, g.Timers.At(now+g.length(a, locality), Event{attemptEnds, a.Slot, id}))
}

// length returns how long the attempt works on its node: what was drawn for it, longer from afar and for
// a straggler, shorter on a fast machine.
func (g *ground) length(a *Attempt, locality model.Locality) model.Time {
	w, factor := g.jobs.At(a.Slot), 1.0
	sampler := &w.samplers[a.Task.Kind]
	var own *rng.ClassSampler
	if g.classed {
		if own = w.onClass(g.Topology.Nodes[a.Node].Class); own != nil {
			sampler = &own.Samplers[a.Task.Kind]
		}
	}
	l := sampler.Length(a.Task.Index, a.Number)
	switch locality {
	case model.RackLocal:
		factor = g.Config.Locality.Rack
	case model.Remote:
		factor = g.Config.Locality.Remote
	}
	if !g.even && own == nil {
		factor /= g.Topology.Classes[g.Topology.Nodes[a.Node].Class].Speed
	}
	if !g.luck.Even() {
		factor *= g.luck.Slowdown(a.Task, a.Number)
	}
	if factor != 1 {
		l = model.Time(min(float64(l)*factor+0.5, float64(maxDraw)))
	}
	return min(l, maxDraw)
}

// maxDraw bounds the length of one attempt.
const maxDraw = 10 * 365 * model.Day
