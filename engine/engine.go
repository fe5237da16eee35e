// SPDX-License-Identifier: Apache-2.0

// Package engine is the simulator. It plays the part of the cluster: jobs arrive, nodes ask for
// work, the policy decides, tasks run for as long as the duration model says. It applies legal
// decisions, refuses illegal ones, and records everything that happens.
//
// A run is a function of its Input: no clock, no goroutine, no global state.
package engine

import (
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/tune"
)

// Input is everything that a run depends on.
type Input struct {
	Topology    *model.Topology
	Jobs        []model.Job // valid by ValidateJobs, in order of submission where they have a time
	Config      Config
	Replication int // 0: no locality
	Policy      *policy.Entry
	Params      any // of the policy, decoded and valid
	Seed        uint64
	Recorder    record.Recorder

	// Tuning, if set, is told what passes between a tuner of the AM share and the cluster.
	Tuning tune.Recorder

	// Watcher, if set, stands beside the driver of the policy. For tests.
	Watcher policy.Watcher
	// Check verifies all invariants after every Check events; 0 never.
	Check int64
	// Inspect, if set, sees the state after each event, when offers have settled. For tests.
	Inspect func(now model.Time, s *cluster.State) error
	// Progress, if set, is called every 65,536 events; the run stops when it returns false.
	Progress func(Progress) bool
}

// Progress is how far a run has come.
type Progress struct {
	Now    model.Time
	Events int64
	Ended  int // jobs
	Jobs   int
}

// Result is what a run counted beside what it recorded.
type Result struct {
	Progress
	Started int64 // attempts
	Killed  int64
	Offers  int64
	Stopped bool // Progress asked for it

	Activities int64 // begun, under network and resources
	Refreshes  int64 // of rates on the tick
}

// eventKind says what happens when an event's time comes.
type eventKind uint8

const (
	submit      eventKind = iota // a job arrives
	taskEnd                      // a map, or a reduce that computes, ends
	shuffleEnd                   // a reduce has all its data
	beat                         // the next node with room sends its heartbeat
	ask                          // a policy wanted to be asked again
	tick                         // a policy's clock
	preempt                      // look whether waiting reduces must make way for maps
	flowEnd                      // an activity of the solver ends
	refresh                      // rates are worked out again, with a tick
	sampleLinks                  // look at the racks' links
	launched                     // the process of an attempt has started
	nodeLost                     // a node is lost
	nodeReturns                  // a lost node returns
	speculation                  // look for tasks of a job that straggle
	masterReady                  // an application master has started
	masterEnds                   // an application master gives its room back
	reloadShare                  // the scheduler reads the AM share again
	tunerStep                    // a tuner of the AM share wants to be called
	sampleHosts                  // look at the hosts
)

// event is the payload of the event queue: 32 bytes.
type event struct {
	kind    eventKind
	task    model.Kind
	attempt uint8
	job     model.JobID
	index   int32
	node    model.NodeID
	length  model.Time // of the work
}

// jobRun is what the engine alone knows about a job.
type jobRun struct {
	samplers  [model.Kinds]rng.Sampler
	held      []held // reduces that hold room while maps run
	heirs     []model.JobID
	slowStart int32 // maps that must have ended before reduces may start
	slowed    bool  // slow start has not passed yet
	wants     [model.Kinds]bool
	watched   bool                 // a preempt event is pending
	yielding  bool                 // reduces were killed for maps: no others start while maps are pending
	attempts  map[model.Task]uint8 // of killed tasks
	where     []model.NodeID       // where each map ended, if nodes can be lost
	computing int32                // reduces that have all their data
	ended     [model.Kinds]lengths // of ended tasks
	seconds   map[model.Task]bool  // tasks with a second attempt: has it started?
	shuffle   *shuffle             // under network and resources, if it has reduces
	moved     *moved               // what it sent over links, nil if nothing
}

// held is a reduce that waits for the maps.
type held struct {
	index   int32
	node    model.NodeID
	slot    int32 // under network and resources, else None
	attempt uint8
}

type sim struct {
	in     *Input
	state  *cluster.State
	blocks *hdfs.Store
	queue  des.Queue[event]
	jobs   []jobRun
	limits []model.Limit // what holds each job back, as last named by the policy
	model  model.RoomModel
	pools  int
	result Result
	phys   *physical // nil under replay
	yarn   *yarn     // nil without application masters

	driver  *policy.Driver
	tickAt  model.Time // when the policy's clock ticks next, Forever if it stands still
	ticking des.Handle
	sizes   *sizes

	lengths  [model.Kinds]*rng.Stream
	straggle *rng.Stream
	uptime   *rng.Stream
	losses   []uint32       // by node: how many losses were drawn
	idled    []model.NodeID // nodes whose room came free beside the one in hand

	// Nodes stand in a ring: by the phase of their heartbeats, or shuffled for on-idle.
	ring    []model.NodeID
	at      []int32 // position in the ring by node
	free    [model.Kinds]*nodeset.Set
	wanting [model.Kinds]int32 // jobs that want room, by pool
	least   [model.Kinds]model.Room
	limited bool // a limit other than locality held a job back since the last wake
	ramped  bool // more reduces became eligible since the last wake
	changed bool // the policy sees other room in a new light since the last wake
	beats   heartbeats
	cursor  int
	askAt   model.Time
	askedBy des.Handle

	offer  policy.Offer
	event  record.Event
	failed error
}

// Run simulates the input to its end. The error names an illegal decision, a broken invariant or a
// state in which nothing can ever happen again.
func Run(in *Input) (Result, error) {
	s, err := newSim(in)
	if err != nil {
		return Result{}, err
	}
	s.loop()
	if s.failed == nil && !s.result.Stopped && s.result.Ended < len(in.Jobs) {
		s.failed = s.stuck()
	}
	return s.result, s.failed
}

func newSim(in *Input) (*sim, error) {
	s := &sim{
		in:     in,
		state:  cluster.New(in.Topology),
		jobs:   make([]jobRun, len(in.Jobs)),
		limits: make([]model.Limit, len(in.Jobs)),
		model:  in.Topology.Model,
		pools:  in.Topology.Model.Pools(),
		askAt:  model.Forever,
		tickAt: model.Forever,
	}
	s.lengths = [model.Kinds]*rng.Stream{rng.New(in.Seed, "map-length"), rng.New(in.Seed, "reduce-length")}
	s.straggle, s.uptime = rng.New(in.Seed, "straggler"), rng.New(in.Seed, "node-loss")
	s.result.Jobs = len(in.Jobs)
	env := &policy.Env{Cluster: s.state, Seed: in.Seed}
	env.Blocks = hdfs.NewStore(in.Topology, in.Replication, nil, in.Seed)
	if in.Policy.NeedsWith(in.Params).Has(policy.KnownSizes) {
		s.sizes = newSizes(in, s.lengths)
		env.Sizes = s.sizes
	}
	p, err := in.Policy.New(env, in.Params)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", in.Policy.Name, err)
	}
	s.driver = policy.Drive(env, p)
	s.driver.Watcher = in.Watcher
	s.blocks = env.Blocks
	if placement := s.driver.Placement(); placement != nil {
		s.blocks.SetPlacement(placement)
	}
	s.offer.OnBlocked(s.blocked)
	s.offer.OnChanged(func() { s.changed = true })
	s.shareFiles()
	if in.Config.Durations == Network || in.Config.Durations == Resources {
		if s.phys, err = newPhysical(in); err != nil {
			return nil, err
		}
	}
	if in.Config.Yarn != nil {
		s.yarn = newYarn(in)
		if err := s.startTuner(); err != nil {
			return nil, err
		}
	}
	s.setRing()
	s.loadArrivals()
	s.planLosses()
	return s, nil
}

// loadArrivals queues the jobs that have a submission time, and links the others to the job that
// they wait for.
func (s *sim) loadArrivals() {
	arrivals := make([]des.Timed[event], 0, len(s.in.Jobs))
	for i := range s.in.Jobs {
		j := &s.in.Jobs[i]
		r := &s.jobs[i]
		r.slowStart = ceilShare(float64(s.in.Config.Jobs.SlowStart), j.Maps)
		if j.After != model.None {
			s.jobs[j.After].heirs = append(s.jobs[j.After].heirs, j.ID)
			continue
		}
		arrivals = append(arrivals, des.Timed[event]{Time: j.Submit, Payload: event{kind: submit, job: j.ID}})
	}
	s.queue.Load(arrivals)
}

// ceilShare returns the least n that is at least share of total, without rounding noise.
func ceilShare(share float64, total int32) int32 {
	n := int32(share * float64(total))
	if float64(n) < share*float64(total)-1e-9 {
		n++
	}
	return min(n, total)
}

// loop is the heart: one event after the other until none is left.
func (s *sim) loop() {
	s.driver.Tick(0)
	s.planTick()
	for s.failed == nil {
		now, e, ok := s.queue.Pop()
		if !ok {
			return
		}
		switch e.kind {
		case taskEnd:
			s.taskEnd(now, &e)
		case submit:
			s.submit(now, e.job)
		case shuffleEnd:
			s.compute(now, &e)
		case beat:
			s.beat(now)
		case ask:
			s.askAt = model.Forever
			s.wakeAll(now)
		case tick:
			s.tick(now)
		case preempt:
			s.preempt(now, e.job)
		case flowEnd:
			s.phys.next = model.Forever
			s.takeEnded(now)
		case refresh:
			s.refreshRates(now)
		case sampleLinks:
			s.sampleLinks(now)
		case launched:
			s.proceed(now, e.index)
		case nodeLost:
			s.loseNode(now, e.node)
		case nodeReturns:
			s.returnNode(now, e.node, e.attempt == 1)
		case speculation:
			s.speculate(now, e.job)
		case masterReady:
			s.apply(now, s.state.Job(e.job))
		case masterEnds:
			s.masterLeft(now, e.job)
		case reloadShare:
			s.reloadShare(now)
		case tunerStep:
			s.stepTuner(now)
		case sampleHosts:
			s.sampleHosts(now)
		}
		s.settle(now)
		if s.result.Ended == len(s.in.Jobs) && s.in.Config.Faults.nodes() {
			return // nodes may still be lost and return for ever
		}
		s.result.Events++
		if now > maxTime {
			s.failed = fmt.Errorf("simulated time went beyond %.0f years", maxTime.Seconds()/(365*86400))
		}
		if s.result.Events&0xffff == 0 || s.in.Inspect != nil || s.in.Check > 0 {
			s.watch(now)
		}
	}
}

// settle does what an event has set off: reduces that may start now, activities that end or begin.
func (s *sim) settle(now model.Time) {
	for s.failed == nil {
		if s.ramped || s.changed { // each round starts reduces, moves a job, or ends it
			s.ramped, s.changed = false, false
			s.wakeAll(now)
		} else if s.phys == nil || !s.settleFlows(now) {
			break
		}
	}
	if s.phys != nil && s.failed == nil {
		s.planFlows(now)
	}
}

// watch does what happens between events: progress, checks, inspection.
func (s *sim) watch(now model.Time) {
	s.result.Now = now
	if s.failed != nil {
		return
	}
	if s.in.Check > 0 && (s.result.Events%s.in.Check == 0 || s.queue.Len() == 0) {
		s.failed = s.check(now)
	}
	if s.in.Inspect != nil && s.failed == nil {
		s.failed = s.in.Inspect(now, s.state)
	}
	if s.in.Progress != nil && s.result.Events&0xffff == 0 && !s.in.Progress(s.result.Progress) {
		s.result.Stopped = true
		s.failed = ErrStopped
	}
}

func (s *sim) tick(now model.Time) {
	s.tickAt = model.Forever
	s.driver.Tick(now)
	s.planTick()
	s.admit(now)
	s.wakeAll(now)
}

// planTick makes sure that the policy's clock ticks when it wants to.
func (s *sim) planTick() {
	next := s.driver.Next()
	if next == s.tickAt {
		return
	}
	s.queue.Cancel(s.ticking)
	if s.tickAt = next; next != model.Forever {
		s.ticking = s.queue.Push(next, event{kind: tick})
	}
}

// record sends the event that the caller has filled in.
func (s *sim) record(now model.Time, kind record.Kind, t model.Task, node model.NodeID, attempt uint8) {
	e := &s.event
	e.Time, e.Kind, e.Task, e.Node, e.Attempt = now, kind, t, node, attempt
	s.in.Recorder.Record(e)
}
