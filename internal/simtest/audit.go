// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"errors"
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
)

// Audit checks a complete run of the case from its events alone, by an accounting of its own, and
// returns the first broken rules, each with the event that broke it.
func Audit(c *Case, events []record.Event) error {
	a := newAudit(c)
	for i := range events {
		e := &events[i]
		if e.Time < a.now {
			a.fail(e, "time goes back from %v", a.now)
		}
		a.now = e.Time
		a.event(e)
		if len(a.errs) >= 5 {
			break
		}
	}
	if len(a.errs) == 0 {
		a.finish()
	}
	return errors.Join(a.errs...)
}

// audit is the accountant: its own idea of every job, task and node.
type audit struct {
	c      *Case
	now    model.Time
	jobs   []auditJob
	used   []model.Room // by node
	beats  []auditBeat  // by node
	blocks *hdfs.Store
	errs   []error
	full   bool // no node has room, as recorded last

	circuits []auditCircuit // from*racks+to
}

type auditJob struct {
	submitted, admitted, released, ended bool
	refused                              bool // and so ended without having run
	stolen                               bool
	master, masterLeft, chore            bool
	submit, lastEnd, mapsEnd             model.Time
	tasks                                [model.Kinds][]auditTask
	pending, running, done               [model.Kinds]int32
}

type auditTask struct {
	phase   taskPhase
	node    model.NodeID
	kills   uint8
	since   model.Time // when the phase began
	factor  float64    // of distance and speed
	tail    bool       // a shuffle tail was seen
	copying model.Time // when it had nothing to wait for but its data
	endings int
}

type taskPhase uint8

const (
	isPending  taskPhase = iota
	isWorking            // a map at work, or a reduce that holds room and waits for maps
	isCopying            // a reduce in its shuffle tail
	isReducing           // a reduce at its own work
	isDone
)

// auditBeat is what one heartbeat of a node was given.
type auditBeat struct {
	at, phase model.Time
	tasks     [model.Kinds]int32
	remote    int32
}

func newAudit(c *Case) *audit {
	a := &audit{c: c, jobs: make([]auditJob, len(c.Jobs)), used: make([]model.Room, len(c.Topology.Nodes)),
		beats:  make([]auditBeat, len(c.Topology.Nodes)),
		blocks: hdfs.NewStore(c.Topology, c.Replication, c.Data, c.Seed)}
	for i := range a.beats {
		a.beats[i] = auditBeat{at: -1, phase: -1}
	}
	owner := map[string]model.JobID{}
	for i := range a.jobs {
		file := c.Jobs[i].InputFile
		if first, seen := owner[file]; seen && file != "" {
			a.blocks.ShareFile(model.JobID(i), first)
		} else {
			owner[file] = model.JobID(i)
		}
		for k := range model.Kind(model.Kinds) {
			n := c.Jobs[i].Tasks(k)
			a.jobs[i].tasks[k], a.jobs[i].pending[k] = make([]auditTask, n), n
		}
	}
	return a
}

// length draws how long the attempt runs near its data on a reference machine.
func (c *Case) length(t model.Task, attempt uint8) model.Time {
	lengths := rng.NewLengths(c.Seed)
	sampler := lengths.Of(&c.Jobs[t.Job], t.Kind)
	return sampler.Length(t.Index, attempt)
}

func (a *audit) fail(e *record.Event, format string, args ...any) {
	a.errs = append(a.errs, fmt.Errorf("at %v, %v of job %d, %v %d, attempt %d, node %d: %s", e.Time, e.Kind, e.Task.Job,
		e.Task.Kind, e.Task.Index, e.Attempt, e.Node, fmt.Sprintf(format, args...)))
}

func (a *audit) event(e *record.Event) {
	switch e.Kind {
	case record.HostSampled:
		a.sampled(e)
		return
	case record.LinkLoads, record.LinkCongested, record.LinkRelieved:
		if e.Task.Job != model.None || !(e.Up >= 0 && e.Up < 1+1e-9 && e.Down >= 0 && e.Down < 1+1e-9) {
			a.fail(e, "links in use: %v up, %v down", e.Up, e.Down)
		}
		if e.Kind == record.LinkLoads {
			a.links(e)
		}
		return
	case record.CircuitChanged:
		a.circuit(e)
		return
	case record.RoomChanged:
		if a.full = !a.full; e.Task.Job != model.None || a.full != (e.Count == 0) || a.c.Topology.Model != model.Yarn || a.c.Config.Heartbeat.Interval == engine.OnIdle {
			a.fail(e, "%d nodes have room", e.Count)
		}
		return
	}
	if e.Task.Job < 0 || int(e.Task.Job) >= len(a.jobs) {
		a.fail(e, "no such job")
		return
	}
	j := &a.jobs[e.Task.Job]
	switch e.Kind {
	case record.DataMoved:
		if e.Bytes <= 0 || e.Cross < 0 || e.Cross > e.Bytes || !j.admitted || j.ended {
			a.fail(e, "%d bytes over links, %d across racks", e.Bytes, e.Cross)
		}
		return
	case record.AMStarted, record.AMEnded:
		a.master(e, j)
		return
	case record.ChoreStarted, record.ChoreEnded:
		a.chore(e, j)
		return
	case record.JobSubmitted, record.JobRefused, record.JobAdmitted, record.JobBlocked, record.JobStolen, record.TasksEligible, record.JobEnded:
		a.jobEvent(e, j, &a.c.Jobs[e.Task.Job])
		return
	}
	if e.Task.Kind >= model.Kinds || e.Task.Index < 0 || int(e.Task.Index) >= len(j.tasks[e.Task.Kind]) || e.Node < 0 || int(e.Node) >= len(a.used) {
		a.fail(e, "no such task or node")
		return
	}
	t := &j.tasks[e.Task.Kind][e.Task.Index]
	if e.Attempt != t.kills {
		a.fail(e, "attempt of a task that was killed %d times", t.kills)
	}
	if e.Kind != record.TaskStarted && e.Node != t.node {
		a.fail(e, "the task was started on node %d", t.node)
	}
	switch e.Kind {
	case record.TaskStarted:
		a.started(e, j, t)
	case record.TaskShuffling, record.TaskComputing:
		a.moved(e, j, t)
	case record.TaskEnded:
		a.taskEnded(e, j, t)
	case record.TaskKilled:
		a.killed(e, j, t)
	default:
		a.fail(e, "unknown event")
	}
}

// links checks that the links one by one add up to all together.
func (a *audit) links(e *record.Event) {
	var used [2]float64
	capacity := 0.0
	for rack, rate := range a.c.Topology.Uplinks {
		capacity += float64(rate)
		for way := range used {
			used[way] += e.Links.Use[2*rack+way] * float64(rate)
		}
	}
	if math.Abs(used[0]/capacity-e.Up) > 1e-9 || math.Abs(used[1]/capacity-e.Down) > 1e-9 {
		a.fail(e, "links one by one: %v in use, together %v up, %v down", e.Links.Use, e.Up, e.Down)
	}
}

func (a *audit) jobEvent(e *record.Event, j *auditJob, spec *model.Job) {
	switch e.Kind {
	case record.JobSubmitted:
		want := spec.Submit
		if spec.After != model.None {
			if before := &a.jobs[spec.After]; before.ended {
				want += before.lastEnd
			} else {
				a.fail(e, "job %d must end first", spec.After)
			}
		}
		if j.submitted || e.Time != want {
			a.fail(e, "expected once, at %v", want)
		}
		j.submitted, j.submit, j.lastEnd = true, e.Time, e.Time
	case record.JobRefused:
		if !j.submitted || j.admitted || j.ended || a.c.Config.Yarn == nil && e.Time != j.submit {
			a.fail(e, "submitted %v at %v, admitted %v, ended %v", j.submitted, j.submit, j.admitted, j.ended)
		}
		j.refused, j.ended, j.lastEnd = true, true, e.Time
	case record.JobAdmitted:
		if !j.submitted || j.admitted || j.refused {
			a.fail(e, "submitted %v, admitted before %v, refused %v", j.submitted, j.admitted, j.refused)
		}
		if a.c.Config.Yarn != nil && !j.master {
			a.fail(e, "admitted without an application master")
		}
		j.admitted, j.lastEnd = true, e.Time // a job without tasks ends here
	case record.JobBlocked:
		if !j.submitted || j.ended {
			a.fail(e, "the job is not there")
		}
	case record.JobStolen:
		if !j.admitted || j.ended || j.pending != [model.Kinds]int32{spec.Maps, spec.Reduces} || j.stolen {
			a.fail(e, "admitted %v, ended %v, %v tasks pending, stolen before %v", j.admitted, j.ended, j.pending, j.stolen)
		}
		j.stolen = true
	case record.TasksEligible:
		if e.Task.Kind == model.Reduce && (j.released || !a.slowStartPassed(j)) {
			a.fail(e, "%d of %d maps done, slow start %d %%, released before %v", j.done[model.Map], spec.Maps, a.c.SlowStart, j.released)
		}
		j.released = true
	case record.JobEnded:
		if j.ended || j.done != [model.Kinds]int32{spec.Maps, spec.Reduces} || e.Time != j.lastEnd {
			a.fail(e, "ended before %v, done %v of %d maps and %d reduces, last task ended at %v", j.ended, j.done, spec.Maps, spec.Reduces, j.lastEnd)
		}
		j.ended, j.lastEnd = true, e.Time
	}
}

// master follows an application master: its room is taken before the job may run and given back after the
// job's end.
func (a *audit) master(e *record.Event, j *auditJob) {
	rules := a.c.Config.Yarn
	if rules == nil || e.Room != rules.Master() {
		a.fail(e, "a master of %v", e.Room)
		return
	}
	if e.Kind == record.AMStarted {
		if !j.submitted || j.admitted || j.master {
			a.fail(e, "submitted %v, admitted %v, had one before %v", j.submitted, j.admitted, j.master)
		}
		j.master = true
		a.used[e.Node] = a.used[e.Node].Add(e.Room)
		if room := a.c.Topology.Classes[a.c.Topology.Nodes[e.Node].Class].Room; !room.Fits(a.used[e.Node]) {
			a.fail(e, "node oversold: %v of %v in use", a.used[e.Node], room)
		}
		return
	}
	if !j.ended || !j.master || j.masterLeft || e.Time != j.lastEnd+rules.AMStay {
		a.fail(e, "ended %v, has a master %v, left before %v, the job ended at %v", j.ended, j.master, j.masterLeft, j.lastEnd)
	}
	j.masterLeft = true
	a.used[e.Node] = a.used[e.Node].Sub(e.Room)
}

// chore follows a set-up or clean-up task: its job has one at a time, before its first task and after its last one.
func (a *audit) chore(e *record.Event, j *auditJob) {
	starts := e.Kind == record.ChoreStarted
	if a.c.Config.Jobs.SetUp == 0 && a.c.Config.Jobs.CleanUp == 0 || !j.submitted || j.ended || starts == j.chore {
		a.fail(e, "submitted %v, ended %v, has one %v", j.submitted, j.ended, j.chore)
	}
	if j.chore = starts; !starts {
		a.used[e.Node] = a.used[e.Node].Sub(e.Room)
		return
	}
	a.used[e.Node] = a.used[e.Node].Add(e.Room)
	if room := a.c.Topology.Classes[a.c.Topology.Nodes[e.Node].Class].Room; !room.Fits(a.used[e.Node]) {
		a.fail(e, "node oversold: %v of %v in use", a.used[e.Node], room)
	}
}

func (a *audit) sampled(e *record.Event) {
	h := e.Host
	if sum := h.User + h.System + h.Wait; h.User < 0 || h.System < 0 || h.Wait < 0 || sum > 1+1e-9 || h.Stored < 0 {
		a.fail(e, "hosts: %+v", *h)
	}
}

// slowStartPassed compares whole numbers: done/maps >= percent/100.
func (a *audit) slowStartPassed(j *auditJob) bool {
	return a.c.OwnStart || int(j.done[model.Map])*100 >= a.c.SlowStart*len(j.tasks[model.Map])
}

func (j *auditJob) mapsDone() bool { return int(j.done[model.Map]) == len(j.tasks[model.Map]) }

func (a *audit) started(e *record.Event, j *auditJob, t *auditTask) {
	k, spec := e.Task.Kind, &a.c.Jobs[e.Task.Job]
	if !j.admitted || j.ended || t.phase != isPending {
		a.fail(e, "admitted %v, ended %v, task in phase %d", j.admitted, j.ended, t.phase)
	}
	if k == model.Reduce && (!j.released || !a.slowStartPassed(j)) {
		a.fail(e, "slow start: %d of %d maps done, %d %% needed", j.done[model.Map], spec.Maps, a.c.SlowStart)
	}
	class := &a.c.Topology.Classes[a.c.Topology.Nodes[e.Node].Class]
	a.used[e.Node] = a.used[e.Node].Add(spec.Need[k])
	if !class.Room.Fits(a.used[e.Node]) {
		a.fail(e, "node oversold: %v of %v in use", a.used[e.Node], class.Room)
	}
	if want := a.locality(e); e.Locality != want {
		a.fail(e, "locality %v, replicas say %v", e.Locality, want)
	}
	a.beat(e)
	j.pending[k]--
	j.running[k]++
	*t = auditTask{phase: isWorking, node: e.Node, kills: t.kills, since: e.Time, factor: a.factor(e.Locality) / class.Speed, endings: t.endings}
	if k == model.Reduce && a.c.Topology.Model != model.Slots && j.pending[model.Map] > 0 {
		a.rampUp(e, j, spec)
	}
}

// locality finds how far the map is from its block by going through the replicas.
func (a *audit) locality(e *record.Event) model.Locality {
	spec, nodes := &a.c.Jobs[e.Task.Job], a.c.Topology.Nodes
	if e.Task.Kind == model.Reduce || spec.Input == 0 {
		return model.NoInput
	}
	best := model.Remote
	holders := a.blocks.Index(e.Task.Job, spec.Maps).Holders()
	for _, h := range holders[int(e.Task.Index)*a.c.Replication:][:a.c.Replication] {
		if h == e.Node {
			return model.NodeLocal
		}
		if nodes[h].Rack == nodes[e.Node].Rack {
			best = model.RackLocal
		}
	}
	return best
}

func (a *audit) factor(l model.Locality) float64 {
	switch l {
	case model.RackLocal:
		return a.c.Config.Locality.Rack
	case model.Remote:
		return a.c.Config.Locality.Remote
	}
	return 1
}

// rampUp checks the limit against the whole cluster: what the job can get is never more.
func (a *audit) rampUp(e *record.Event, j *auditJob, spec *model.Job) {
	for d, total := range a.c.Topology.Total() {
		if held := int64(j.running[model.Reduce]) * int64(spec.Need[model.Reduce][d]); held*100 > total*int64(a.c.RampUp) {
			a.fail(e, "ramp-up: reduces hold %d of %d while maps are pending, %d %% allowed", held, total, a.c.RampUp)
		}
	}
}

// beat checks that starts under periodic heartbeats keep to the node's rhythm and limits.
func (a *audit) beat(e *record.Event) {
	h, b := &a.c.Config.Heartbeat, &a.beats[e.Node]
	if h.Interval == engine.OnIdle || h.OnEnd { // any end of a task brings a heartbeat of its own
		return
	}
	if phase := e.Time % model.Time(h.Interval); b.phase < 0 {
		b.phase = phase
	} else if phase != b.phase {
		a.fail(e, "heartbeat at phase %v, earlier ones at %v", phase, b.phase)
	}
	if b.at != e.Time {
		*b = auditBeat{at: e.Time, phase: b.phase}
	}
	b.tasks[e.Task.Kind]++
	if e.Locality == model.Remote {
		b.remote++
	}
	over := func(n, limit int32) bool { return limit > 0 && n > limit }
	if over(b.tasks[0]+b.tasks[1], h.MaxTasks) || over(b.tasks[model.Map], h.MaxMaps) || over(b.tasks[model.Reduce], h.MaxReduces) || over(b.remote, h.MaxOffSwitch) {
		a.fail(e, "heartbeat was given %d maps (%d off-switch) and %d reduces, limits %+v", b.tasks[0], b.remote, b.tasks[1], *h)
	}
}

// moved follows a reduce through its shuffle tail to its own work.
func (a *audit) moved(e *record.Event, j *auditJob, t *auditTask) {
	tail := a.c.Jobs[e.Task.Job].ShuffleTail
	if e.Task.Kind != model.Reduce || !j.mapsDone() {
		a.fail(e, "%d of %d maps done", j.done[model.Map], len(j.tasks[model.Map]))
	}
	begin := max(t.since, j.mapsEnd) // when it has nothing to wait for but its data
	if a.shared() {
		a.movedShared(e, t, begin)
		return
	}
	if e.Kind == record.TaskShuffling {
		if t.phase != isWorking || tail == 0 || e.Time != begin {
			a.fail(e, "phase %d, shuffle tail %v, expected at %v", t.phase, tail, begin)
		}
		t.phase, t.since, t.tail = isCopying, e.Time, true
		return
	}
	if tail > 0 && (t.phase != isCopying || e.Time != t.since+tail) || tail == 0 && (t.phase != isWorking || e.Time != begin) {
		a.fail(e, "phase %d since %v, shuffle tail %v, maps done at %v", t.phase, t.since, tail, j.mapsEnd)
	}
	t.phase, t.since = isReducing, e.Time
}

func (a *audit) taskEnded(e *record.Event, j *auditJob, t *auditTask) {
	k, spec := e.Task.Kind, &a.c.Jobs[e.Task.Job]
	if k == model.Map && t.phase != isWorking || k == model.Reduce && t.phase != isReducing {
		a.fail(e, "phase %d", t.phase)
	}
	if a.shared() {
		a.endedShared(e, t)
	} else {
		a.endedReplay(e, t)
	}
	t.phase = isDone
	if t.endings++; t.endings > 1 {
		a.fail(e, "ended %d times", t.endings)
	}
	j.running[k]--
	j.done[k]++
	j.lastEnd = e.Time
	if k == model.Map {
		j.mapsEnd = e.Time
	}
	a.used[e.Node] = a.used[e.Node].Sub(spec.Need[k])
}

// killed allows only what pre-emption may do.
func (a *audit) killed(e *record.Event, j *auditJob, t *auditTask) {
	k := e.Task.Kind
	if e.Stage != record.Waiting || e.Length != 0 {
		a.fail(e, "killed at stage %d after %v of work, expected a task that waits", e.Stage, e.Length)
	}
	if k != model.Reduce || t.phase != isWorking || j.running[model.Map] > 0 || j.pending[model.Map] == 0 ||
		!a.c.Config.Jobs.Preempt || a.c.Topology.Model == model.Slots {
		a.fail(e, "phase %d, %d maps running, %d pending: not a waiting reduce whose maps find no room", t.phase, j.running[model.Map], j.pending[model.Map])
	}
	*t = auditTask{kills: t.kills + 1, endings: t.endings}
	if t.kills == 0 { // attempts stop counting at 255
		t.kills = 255
	}
	j.running[k]--
	j.pending[k]++
	a.used[e.Node] = a.used[e.Node].Sub(a.c.Jobs[e.Task.Job].Need[k])
}

func (a *audit) finish() {
	for i := range a.jobs {
		j := &a.jobs[i]
		if j.refused && j.pending == [model.Kinds]int32{a.c.Jobs[i].Maps, a.c.Jobs[i].Reduces} {
			continue
		}
		if !j.ended || j.running != [model.Kinds]int32{} || j.pending != [model.Kinds]int32{} {
			a.errs = append(a.errs, fmt.Errorf("job %d: ended %v, %v running and %v pending when the run ended", i, j.ended, j.running, j.pending))
		}
	}
	for n, used := range a.used {
		if !used.IsZero() {
			a.errs = append(a.errs, fmt.Errorf("node %d: %v in use when the run ended", n, used))
		}
	}
}
