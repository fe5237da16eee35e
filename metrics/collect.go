// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"

	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/internal/slab"
	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/metrics/expected"
	"github.com/yardmaster/yardmaster/metrics/fold"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Collector folds the events of one run, as they come, into rows and series. It keeps its own count
// of every job's tasks, so it depends on the events alone and never on the cluster's state.
type Collector struct {
	jobs     []model.Job
	topology *model.Topology
	model    model.RoomModel // of the topology
	detailed bool            // there are classes of nodes, vcores or parts to tell apart
	rows     []Job
	live     slab.Passing[live] // by job, from its submission to its end
	over     []bool             // which jobs have ended
	series   seriesBuilder
	forecast *expected.Follower // nil if no job has a goal
	room     fold.Room
	parts    *fold.Parts   // nil unless the cluster is divided
	outputs  *fold.Outputs // nil where no shuffle data can cross racks
	work     []float64     // by pool: room times seconds
	tasks    int64
	killed   int64
	refused  int
	failed   int
	named    bool // waits for heartbeats have a limit of their own
	events   int64
	network  network
	paired   fold.Paired
	turns    fold.Turns
	hosts    hosts
	circuits *circuits.Log // nil before the first event of a circuit
	stays    stays
}

// live is a job while it runs. Parts and limits are summed as floats, because shares of an interval
// are not whole nanoseconds, and settled to integers that add up when the job ends.
//
// Starts and ends of tasks are most of what happens, so live and tally also hold what they need to know of the job
// and what they add to its row: the job and its row are looked at when it comes, when it first starts a task,
// and when it ends. With thousands of jobs each start is that of another one, and costs by the lines and pages of
// memory that it touches: what a map looks at is two such lines.
type live struct {
	life
	need    [model.Kinds]int32 // of one task, from its pool
	allMaps int32              // that it has
	last    model.Time         // up to which time is accounted for
	mapWork model.Time         // of ended maps; up to the end of the first line

	lines    jobLines
	longest  model.Time // of ended maps
	locality [model.Localities]int32
	other    model.Limit // but room, the last that time was attributed to
	starved  float64     // parts[MapsStarved]
	mapping  float64     // parts[MapsRunning]
	room     float64     // limits[model.LimitRoom]
	others   float64     // limits[other]; up to the end of the second line

	parts      [Parts]float64        // how long it spent in each part of its life, but those above
	limits     [model.Limits]float64 // how long each held it back, but those above
	mark       fold.Mark             // where waits for heartbeats are told apart: at the last event
	reduceWork model.Time            // of ended reduces
	vcores     [model.Kinds]int32    // of one task, under yarn
	_          [32]byte              // to the end of the sixth line, so that each begins with a line
}

var _ record.Recorder = (*Collector)(nil)

// NewCollector returns a collector for a run of the jobs on the topology.
func NewCollector(topology *model.Topology, jobs []model.Job) *Collector {
	c := &Collector{
		jobs: jobs, topology: topology, model: topology.Model,
		rows:     make([]Job, len(jobs)),
		over:     make([]bool, len(jobs)),
		series:   *newSeriesBuilder(topology, jobs),
		forecast: expected.New(topology, jobs, topJobs),
		room:     fold.NewRoom(topology),
		outputs:  fold.NewOutputs(topology, jobs),
		work:     make([]float64, topology.Model.Measures()),
	}
	c.detailed = c.series.classes > 0 || c.model == model.Yarn
	c.paired = fold.NewPaired(len(topology.Nodes), func(job model.JobID, by int32) { c.rows[job].Paired += by })
	c.turns = fold.NewTurns(func(job model.JobID) bool { return c.live.At(int32(job)).pending[model.Map] > 0 })
	return c
}

// Record implements record.Recorder.
func (c *Collector) Record(e *record.Event) {
	c.events++
	if e.Kind == record.TaskStarted {
		c.started(e)
		return
	}
	if e.Kind == record.TaskEnded {
		c.taskEnded(e)
		return
	}
	if e.Task.Job == model.None {
		c.noJob(e)
		return
	}
	if e.Kind == record.JobBlocked && !c.room.Watched() {
		if l := c.live.At(int32(e.Task.Job)); l.last == e.Time { // mostly it has just started a task: all is accounted for
			l.limit = e.Limit
			return
		}
	}
	switch e.Kind {
	case record.AMEnded:
		c.masterRoom(e, -1)
		return
	case record.ChoreStarted:
		c.choreRoom(e, 1)
		return
	case record.ChoreEnded:
		c.choreRoom(e, -1)
		return
	}
	c.room.Record(e, &c.jobs[e.Task.Job])
	if c.outputs != nil {
		c.outputs.Record(e, &c.jobs[e.Task.Job])
	}
	if c.forecast != nil {
		if f := c.forecast.Record(e); f != nil {
			c.rows[e.Task.Job].Forecast = f
		}
	}
	if e.Kind == record.JobSubmitted {
		c.submitted(e).step(e, &c.jobs[e.Task.Job])
		return
	}
	l := c.reach(e)
	switch e.Kind {
	case record.TaskKilled, record.TaskDropped:
		if e.Taken() != 0 {
			c.moved(e, l, c.topology.Model.Pool(e.Task.Kind), -1)
			c.killed++
		}
	case record.AMStarted:
		c.masterRoom(e, 1)
	case record.DataMoved:
		m := &c.rows[e.Task.Job].Moved[e.Purpose]
		*m = Moved{m.Bytes + e.Bytes, m.Cross + e.Cross, m.Over + e.Over}
	case record.JobStolen:
		c.rows[e.Task.Job].Stolen = true
	case record.JobEnded:
		c.ended(e, l)
	case record.JobRefused: // it is counted, but has no row in the results
		c.refused++
		c.live.Go(int32(e.Task.Job))
		c.series.jobStarted(e.Time)
		c.series.jobEnded(e.Time)
	case record.JobFailed: // it is counted, but has no row in the results
		c.failed++
		c.live.Go(int32(e.Task.Job))
		if c.rows[e.Task.Job].FirstStart == model.None {
			c.series.jobStarted(e.Time)
		}
		c.series.jobEnded(e.Time)
	}
	l.step(e, &c.jobs[e.Task.Job])
}

// reach brings what follows the job of the event up to its time.
func (c *Collector) reach(e *record.Event) *live {
	l := c.live.At(int32(e.Task.Job))
	if e.Time > l.last {
		if c.room.Watched() {
			c.accountBeats(l, e.Time)
		} else {
			l.account(e.Time)
		}
	}
	return l
}

// Estimates returns who follows when jobs with a goal are expected to end, nil if none has one. A policy that keeps estimates
// itself can share them with it.
func (c *Collector) Estimates() goal.Reader {
	if c.forecast == nil {
		return nil
	}
	return c.forecast
}

// Ahead implements record.Keeper, for what starts and ends of tasks look at.
func (c *Collector) Ahead(b *ahead.Batch, id model.JobID) { ahead.Lines(b, c.live.At(int32(id))) }

// noJob folds what belongs to no job.
func (c *Collector) noJob(e *record.Event) {
	c.room.NoJob(e, c.topology)
	switch e.Kind {
	case record.HostSampled:
		c.hostSampled(e)
	case record.RoomChanged:
	case record.CircuitChanged:
		if c.circuits == nil {
			c.circuits = circuits.NewLog(c.topology.Racks)
		}
		c.circuits.Record(e)
	default:
		c.linkEvent(e)
	}
}

func (c *Collector) submitted(e *record.Event) *live {
	spec := &c.jobs[e.Task.Job]
	l := c.live.Come(int32(e.Task.Job))
	l.last, l.allMaps, l.lines = e.Time, spec.Maps, c.series.ofJob[e.Task.Job]
	for k, need := range spec.Need {
		l.need[k] = need[c.topology.Model.Pool(model.Kind(k))]
		l.vcores[k] = need[1]
	}
	if c.room.Watched() {
		l.mark = c.room.Mark(e.Time)
	}
	row := &c.rows[e.Task.Job]
	*row = Job{ID: spec.ID, Name: spec.Name, User: spec.User, Queue: spec.Queue, Class: spec.Class,
		Submit: e.Time, FirstStart: model.None, FirstMap: model.None, LastMap: model.None, FirstReduce: model.None, Maps: spec.Maps, Reduces: spec.Reduces, Input: spec.Input, Shuffle: spec.Shuffle, MapsAtFirstReduce: model.None}
	if spec.Goal > 0 {
		row.Goal = e.Time + spec.Goal
	}
	c.series.jobSubmitted(e.Time)
	c.turns.Add(spec.Queue, spec.ID)
	return l
}

// started folds the start of a task.
func (c *Collector) started(e *record.Event) {
	kind := e.Task.Kind
	pool := c.model.Pool(kind)
	c.room.Taken(e, pool)
	if c.outputs != nil {
		c.outputs.Task(e, 1)
	}
	if c.forecast != nil {
		c.forecast.Task(e)
	}
	l := c.reach(e)
	if kind == model.Reduce || !l.mapped {
		c.mayBeFirst(e, l)
	}
	if kind == model.Map && e.Locality < model.Localities {
		l.locality[e.Locality]++
	}
	c.moved(e, l, pool, 1)
	l.started(kind, l.allMaps, e.Limit)
}

// mayBeFirst folds the start of a reduce, or of the first map of a job.
func (c *Collector) mayBeFirst(e *record.Event, l *live) {
	row := &c.rows[e.Task.Job]
	if l.phase < Mapping {
		row.FirstStart = e.Time
		c.series.jobStarted(e.Time)
	}
	if e.Task.Kind == model.Map {
		l.mapped = true
		c.firstMap(e)
	} else if row.MapsAtFirstReduce == model.None {
		row.MapsAtFirstReduce, row.FirstReduce = l.mapsDone, e.Time
	}
}

// taskEnded folds the end of a task whose work is done.
func (c *Collector) taskEnded(e *record.Event) {
	kind := e.Task.Kind
	pool := c.model.Pool(kind)
	c.room.Given(e.Time, pool)
	if c.outputs != nil {
		c.outputs.Task(e, -1)
	}
	if c.forecast != nil {
		c.forecast.Task(e)
	}
	l := c.reach(e)
	c.moved(e, l, pool, -1)
	c.tasks++
	c.work[pool] += e.Length.Seconds() * float64(l.need[kind])
	if c.model == model.Yarn {
		c.work[1] += e.Length.Seconds() * float64(l.vcores[kind])
	}
	if kind == model.Map {
		l.mapWork += e.Length
		l.longest = max(l.longest, e.Length)
	} else {
		l.reduceWork += e.Length
	}
	l.ended(kind, l.allMaps)
	if kind == model.Map && l.phase == Reducing {
		c.rows[e.Task.Job].LastMap = e.Time
	}
}

// moved folds that a task takes room of a pool (by = 1) or gives it back (by = -1).
func (c *Collector) moved(e *record.Event, l *live, pool int, by int32) {
	kind := e.Task.Kind
	need := float64(l.need[kind] * by)
	c.series.useLines(e.Time, l.lines, pool, need, float64(by))
	if c.detailed {
		c.movedDetails(e, l, pool, by)
	}
	if kind == model.Reduce && by > 0 {
		c.paired.Started(e)
	} else if kind == model.Reduce {
		c.paired.Stopped(e)
	}
}

// choreRoom folds that a set-up or clean-up task takes room (sign = 1) or gives it back (-1). It is no task of its job: what the
// job waits for and how many containers it has do not change.
func (c *Collector) choreRoom(e *record.Event, sign int64) {
	pool := c.model.Pool(e.Task.Kind)
	c.room.Held(e.Time, pool, sign)
	need := float64(sign) * float64(e.Room[pool])
	c.series.change(pool, e.Time, need)
	if c.series.classes > 0 {
		c.series.useClass(e.Time, e.Node, pool, need)
	}
}

// movedDetails does so for classes of nodes, vcores and parts.
func (c *Collector) movedDetails(e *record.Event, l *live, pool int, by int32) {
	kind := e.Task.Kind
	if c.series.classes > 0 {
		c.series.useClass(e.Time, e.Node, pool, float64(l.need[kind]*by))
	}
	if c.model == model.Yarn {
		c.series.useVCores(e.Time, l.vcores[kind]*by)
	}
	if c.parts != nil {
		c.parts.Use(e, l.need[kind], l.vcores[kind], float64(by))
	}
}

// account attributes the time since the last event of the job. While maps are unfinished, an
// interval is shared among the unfinished maps: those without room are starved, the others run.
// After the last map it is shared in the same way among the unfinished reduces.
func (l *live) account(now model.Time) {
	d := float64(now - l.last)
	l.last = now
	switch l.phase {
	case Submitted:
		l.wait(&l.parts[NotAdmitted], d)
	case StartingMaster:
		l.parts[AMStarting] += d
	case Admitted:
		l.wait(&l.parts[FirstContainer], d)
	case Mapping:
		if l.pending[model.Map] == 0 {
			l.mapping += d
			return
		}
		each := d / float64(l.pending[model.Map]+l.maps)
		l.wait(&l.starved, each*float64(l.pending[model.Map]))
		l.mapping += each * float64(l.maps)
	case Reducing:
		tasks := l.pending[model.Reduce] + l.shuffle + l.compute + l.holding
		if tasks == 0 {
			l.parts[ReducesRunning] += d
			return
		}
		each := d / float64(tasks)
		if l.pending[model.Reduce] > 0 {
			l.wait(&l.parts[ReducesStarved], each*float64(l.pending[model.Reduce]))
		}
		l.parts[ShuffleTail] += each * float64(l.shuffle+l.holding)
		l.parts[ReducesRunning] += each * float64(l.compute)
	}
}

func (l *live) wait(part *float64, d float64) {
	*part += d
	*l.held() += d
}

// held returns how long the job was held back by what holds it back now.
func (l *live) held() *float64 {
	if l.limit == model.LimitRoom {
		return &l.room
	}
	if l.limit != l.other {
		l.swap()
	}
	return &l.others
}

// of returns how long a limit has held the job back.
func (l *live) of(limit model.Limit) *float64 {
	switch limit {
	case model.LimitRoom:
		return &l.room
	case l.other:
		return &l.others
	}
	return &l.limits[limit]
}

// swap puts what holds the job back now in the place of the other limit.
func (l *live) swap() {
	l.limits[l.other] = l.others
	l.other, l.others = l.limit, l.limits[l.limit]
}

func (c *Collector) ended(e *record.Event, l *live) {
	row := &c.rows[e.Task.Job]
	if row.FirstStart == model.None { // a job without tasks
		row.FirstStart = e.Time
		c.series.jobStarted(e.Time)
	}
	c.stays = stays{end: e.Time}
	row.Finish, row.Size, row.Locality = e.Time, l.mapWork+l.reduceWork, l.locality
	row.Straggler = row.Maps > 0 && float64(l.longest) > 1.5*float64(l.mapWork)/float64(row.Maps)
	l.parts[MapsStarved], l.parts[MapsRunning] = l.starved, l.mapping
	l.limits[l.other], l.limits[model.LimitRoom] = l.others, l.room // which is the other one before any has been
	settle(row.Blame[:], l.parts[:], row.Elapsed())
	held := row.Blame[NotAdmitted] + row.Blame[FirstContainer] + row.Blame[MapsStarved] + row.Blame[ReducesStarved]
	settle(row.Limits[:], l.limits[:], held)
	c.over[e.Task.Job] = true
	c.live.Go(int32(e.Task.Job))
	c.series.jobEnded(e.Time)
}

// settle rounds parts to whole nanoseconds that add up to total; the largest part takes the
// rounding, which is a few nanoseconds.
func settle(out []model.Time, parts []float64, total model.Time) {
	largest, sum := 0, model.Time(0)
	for i, p := range parts {
		out[i] = model.Time(p)
		sum += out[i]
		if p > parts[largest] {
			largest = i
		}
	}
	out[largest] += total - sum
}

// Run returns what the events said. The collector must not be used afterwards. reference gives the
// run time of each job alone in the empty cluster; nil leaves it out.
func (c *Collector) Run(reference []model.Time) *Run {
	run := &Run{Tasks: c.tasks, Killed: c.killed, Events: c.events, Work: c.work, Network: c.network.Network, Stored: c.hosts.stored, Speeds: c.hosts.speeds, Refused: c.refused, Failed: c.failed, Jobs: make([]Job, 0, len(c.rows))}
	for i := range c.rows {
		if !c.over[i] {
			continue
		}
		if reference != nil {
			c.rows[i].Reference = reference[i]
		}
		run.Jobs = append(run.Jobs, c.rows[i])
	}
	m := c.topology.Model
	total := c.topology.Total()
	for p := range m.Measures() {
		run.Pools = append(run.Pools, m.MeasureName(p))
		run.Capacity = append(run.Capacity, total[p])
	}
	run.Stays = c.stays.room
	run.Idle = slices.Clone(c.room.Idle[:m.Measures()]) // the run holds neither the collector nor its jobs
	if c.outputs != nil {
		run.Network.CongestedNodes = c.outputs.Share()
	}
	for _, rate := range c.topology.Uplinks {
		run.Network.Uplinks += rate
	}
	run.Series = c.series.finish()
	run.Links = c.network.takeLinks(&run.Series)
	run.Series.Lines = append(run.Series.Lines, freeLines(&run.Series, run.Pools, run.Capacity, c.series.last)...)
	if c.forecast != nil {
		n := int((c.series.last + run.Series.Width - 1) / run.Series.Width)
		for _, curve := range c.forecast.Curves(run.Series.Width, n) {
			name := c.jobs[curve.Job].Name
			run.Series.Lines = append(run.Series.Lines, Line{LineExpected, name, curve.Expected}, Line{LineError, name, curve.Error})
		}
	}
	if c.parts != nil {
		run.Parts = c.parts.Uses()
	}
	if c.circuits != nil {
		run.Circuits = c.circuits.Run(c.series.last)
	}
	return run
}
