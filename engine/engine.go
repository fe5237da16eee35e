// SPDX-License-Identifier: Apache-2.0

// Package engine is the simulator. It plays the part of the cluster: jobs arrive, nodes ask for
// work, the policy decides, tasks run for as long as the executor says. It applies legal decisions,
// refuses illegal ones, and records everything that happens.
//
// A run is a function of its Input: no clock, no goroutine, no global state. Its components stand on
// one world (state, event queue, driver of the policy, executor) and call downwards only:
//
//	sim      the loop: takes an event, hands it to its component, settles what it set off
//	life     jobs: submission, admission, end
//	faults   nodes that fail, second attempts of stragglers
//	chores   set-up and clean-up tasks of Hadoop 1
//	masters  application masters, and tuning: what a tuner of the AM share sees and sets
//	yard     YARN's resource manager, its nodes and masters: it gives room in the floor's stead
//	crew     attempts: start, end, kill; slow start, ramp-up and pre-emption of reduces
//	floor    which node has room that is wanted, and when it is offered
package engine

import (
	"cmp"
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine/foresight"
	"github.com/yardmaster/yardmaster/engine/known"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/forecast"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/tune"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Input is everything that a run depends on.
type Input struct {
	Topology    *model.Topology
	Jobs        []model.Job // valid by cluster.ValidateJobs, in order of submission where they have a time
	Config      Config
	Replication int // 0: no locality
	Policy      *policy.Entry
	Params      any               // of the policy, decoded and valid
	Yarn        *handover.Cluster // YARN's resource manager gives room instead of the policy; nil: it does not
	Seed        uint64
	Recorder    record.Recorder
	Estimates   goal.Reader     // of when jobs will end, which it reads from a policy that keeps some; nil: nobody does
	Classifier  *svm.Classifier // for a policy that needs one

	// Tuner changes the AM share under YARN's resource manager; nil: nobody does. That of the section yarn is part of Config.
	Tuner *tune.Choice
	// Tuning, if set, is told what passes between a tuner of the AM share and the cluster.
	Tuning tune.Recorder

	// Decisions, if set, hears what YARN's resource manager decides.
	Decisions handover.Decisions
	// Held, if set, hears what YARN's resource manager holds a job back for, in the words of the release where it has any.
	Held func(now model.Time, job model.JobID, limit model.Limit, why string)

	// Watcher, if set, stands beside the driver of the policy. For tests.
	Watcher policy.Watcher
	// Check verifies all invariants after every Check events; 0 never.
	Check int64
	// Inspect, if set, sees the state after each event, when offers have settled. For tests.
	Inspect func(now model.Time, s *cluster.State) error
	// Progress, if set, is called after every Pace events; the run stops when it returns false.
	Progress func(Progress) bool
	Pace     int64 // a power of two; 0 stands for 65,536
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

	Activities int64           // begun, under network and resources
	Refreshes  int64           // of rates on the tick
	Traffic    *record.Traffic // over links, from rack to rack; nil where they are not modelled and in a single rack
}

// sim is one run.
type sim struct {
	*world
	floor   *floor
	crew    *crew
	life    *life
	faults  *faults
	chores  *chores          // nil if jobs have neither set-up nor clean-up tasks
	masters *masters         // nil without application masters
	yard    *yard            // nil unless YARN's resource manager gives room
	sight   *foresight.Sight // nil where there is nothing to look ahead for
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
	s.result.Activities, s.result.Refreshes = s.exec.Counts()
	s.result.Traffic = s.exec.Traffic()
	return s.result, s.failed
}

func newSim(in *Input) (*sim, error) {
	switch managed, err := handover.NewCluster(in.Params, in.Seed); {
	case err != nil:
		return nil, err
	case managed != nil:
		own := *in
		own.Yarn = managed
		in = &own
	}
	w := &world{in: in, model: in.Topology.Model, yarn: in.Yarn != nil, state: cluster.New(in.Topology), records: record.NewSender(in.Recorder)}
	w.shared = w.model != model.Slots && !w.yarn
	w.result.Jobs = len(in.Jobs)
	w.blocks = hdfs.NewStore(in.Topology, in.Replication, nil, in.Seed)
	if err := w.buildPolicy(); err != nil {
		return nil, err
	}
	w.blocks.TakeFiles(in.Jobs)
	s := &sim{world: w, floor: newFloor(w)}
	s.crew = &crew{world: w, floor: s.floor}
	s.life = &life{world: w, floor: s.floor, crew: s.crew, heirs: map[model.JobID][]model.JobID{}, tickAt: model.Forever}
	s.faults = newFaults(w, s.floor, s.crew)
	s.floor.serve = s.serve
	s.floor.offer.OnBlocked(s.floor.blocked)
	s.floor.offer.OnConfined(func(j *cluster.Job) { s.floor.hold(j, model.LimitPartition) })
	s.crew.complete = s.life.end
	var err error
	site := exec.Site{Topology: in.Topology, Config: &in.Config.Config, Stragglers: in.Config.Faults.Stragglers,
		Replication: in.Replication, Seed: in.Seed, State: w.state, Blocks: w.blocks, Timers: w, Records: w.records,
		Punctual: in.Check > 0 || in.Tuner != nil, Files: in.Config.Yarn != nil || in.Tuner != nil, Lists: in.Config.Faults.Any() || in.Yarn != nil || w.driver.Restarter != nil, Ended: s.crew.ended, Looked: s.looked(),
		Booted: func(now model.Time, id model.JobID) { s.masters.booted(now, id) }}
	if w.driver.Gate != nil {
		site.Gate = w.driver.Gate
	}
	w.exec, err = exec.New(site)
	if err != nil {
		return nil, err
	}
	if !w.yarn && in.Config.Durations == exec.Replay && in.Config.Heartbeat.Interval == OnIdle {
		s.sight = foresight.New(w.driver.Foreseer, w.driver.Asked, w.driver, w.state, w.blocks, w.exec, in.Recorder)
	}
	if jobs := &in.Config.Jobs; jobs.SetUp > 0 || jobs.CleanUp > 0 {
		s.chores = newChores(w, s.floor, s.life)
		s.life.chores = s.chores
	}
	if in.Config.Yarn != nil {
		s.masters = newMasters(w, s.floor)
		s.crew.manager, s.life.manager = s.masters, s.masters
		if err := s.masters.startTuner(); err != nil {
			return nil, err
		}
	}
	if in.Yarn != nil {
		s.yard = newYard(w, s.crew, s.life)
		s.crew.manager, s.life.manager = s.yard, s.yard
		s.faults.yard = s.yard
		if in.Config.Faults.Speculation.On {
			w.slow = &speculator{world: w, rules: &in.Yarn.Speculation, faults: s.faults, floor: s.yard.floor}
		}
		if err := s.yard.startTuner(); err != nil {
			return nil, err
		}
	}
	s.crew.attended = s.crew.manager != nil || in.Config.Faults.Speculation.On
	s.life.loadArrivals()
	s.faults.plan()
	return s, nil
}

// looked returns what to do when the racks' links were looked at; nil if the policy does not see them.
func (s *sim) looked() func(model.Time, []float64) {
	if s.links == nil {
		return nil
	}
	return func(now model.Time, shares []float64) {
		copy(s.links.Shares, shares)
		if s.driver.LinksSampled(now) {
			s.floor.changed = true
		}
	}
}

// buildPolicy builds the policy and its driver.
func (w *world) buildPolicy() error {
	in := w.in
	env := &policy.Env{Cluster: w.state, Blocks: w.blocks, Seed: in.Seed}
	needs := in.Policy.NeedsWith(in.Params)
	if needs.Has(policy.KnownSizes) {
		w.sizes = known.NewSizes(in.Jobs, in.Seed)
		env.Sizes = w.sizes
	}
	if needs.Has(policy.LinkLoads) {
		w.links = &policy.Links{Shares: make([]float64, 2*in.Topology.Racks)}
		env.Links = w.links
	}
	if needs.Has(policy.KnownShuffle) {
		env.Shuffles = known.Shuffles(in.Jobs)
	}
	if c := in.Config.Network.Circuits; c != nil && in.Config.Durations != exec.Replay {
		env.Circuits = &policy.Circuits{Rate: c.Rate, Elephant: c.Elephant}
	}
	if needs.Has(policy.KnownLabels) {
		env.Labels = known.Labels(in.Jobs)
	}
	if needs.Has(policy.Trained) {
		env.Classifier = in.Classifier
	}
	p, err := in.Policy.New(env, in.Params)
	if err != nil {
		return fmt.Errorf("policy %s: %w", in.Policy.Name, err)
	}
	w.driver = policy.Drive(env, p)
	w.driver.Watcher = in.Watcher
	if w.driver.Estimates != nil && in.Estimates != nil {
		w.driver.Estimates.Share(in.Estimates)
	}
	if planner := w.driver.Planner; planner != nil && needs.Has(policy.Forecasts) {
		planner.Plan(forecast.Of(in.Jobs, in.Config.Forecasts, in.Seed))
	}
	if placement := w.driver.Placement(); placement != nil {
		w.blocks.SetPlacement(placement)
	}
	return nil
}

// loop is the heart: one event after the other until none is left.
func (s *sim) loop() {
	flows := s.in.Config.Durations != exec.Replay
	endless := s.in.Config.Faults.Nodes()
	watched, within := s.in.Inspect != nil || s.in.Check > 0, cmp.Or(s.in.Pace, 1<<16)-1
	s.driver.Tick(0)
	s.life.planTick()
	for s.failed == nil {
		now, e, ok := s.queue.Pop()
		if !ok {
			return
		}
		if s.sight != nil && e.kind == attempts && s.sight.Pays(s.floor.wanting[0]+s.floor.wanting[1]) {
			if next := s.queue.Peek(); next != nil && next.kind == attempts {
				s.sight.Look(exec.ID(e.of), exec.ID(next.of), next.slot)
			}
		}
		s.happen(now, &e)
		if flows || s.floor.changed {
			s.settle(now)
		}
		if endless && s.result.Ended == len(s.in.Jobs) {
			return // nodes may still be lost and return
		}
		s.result.Events++
		if now > maxTime {
			s.fail(fmt.Errorf("simulated time went beyond %.0f years", maxTime.Seconds()/(365*86400)))
		}
		if paced := s.result.Events&within == 0; watched || paced {
			s.watch(now, paced)
		}
	}
}

// happen hands an event to its component.
func (s *sim) happen(now model.Time, e *event) {
	if e.kind == attempts { // most are
		s.exec.Happen(now, exec.Event{Kind: exec.EventKind(e.sub), Of: exec.ID(e.of)})
		return
	}
	switch e.kind {
	case submit:
		s.life.submit(now, e.job())
	case beat:
		s.floor.beat(now)
	case ask:
		s.floor.askAt = model.Forever
		s.floor.wakeAll(now)
	case tick:
		s.life.tick(now)
	case preempt:
		s.crew.preempt(now, e.job())
	case nodeLost:
		s.faults.lose(now, e.node())
	case nodeExpires:
		s.faults.giveUp(now, e.node())
	case nodeReturns:
		s.faults.bring(now, e.node(), e.random)
	case speculation:
		s.look(now, e.job())
	case choreEnds:
		s.chores.ended(now, e.job(), e.sub)
	case masterReady:
		s.life.apply(now, s.state.Job(e.job()))
	case masterEnds:
		s.masters.leave(now, e.job())
	case reloadShare:
		s.reload(now)
	case tunerStep:
		s.tuning().step(now)
	case sampleHosts:
		s.tuning().sample(now)
	case handsOver:
		s.yard.floor.Happen(now, handover.Event{Kind: handover.EventKind(e.sub), Of: e.of})
	}
}

// reload makes the AM share act that stands in the configuration.
func (s *sim) reload(now model.Time) {
	if s.yard == nil {
		s.masters.reload(now)
	} else if err := s.yard.file.act(); err != nil {
		s.fail(err)
	}
}

// tuning returns what shows the cluster to a tuner.
func (s *sim) tuning() *tuning {
	if s.yard != nil {
		return s.yard.tuning
	}
	return s.masters.tuning
}

// settle does what an event has set off: reduces that may start now, activities that end or begin.
func (s *sim) settle(now model.Time) {
	for s.failed == nil && (s.floor.changed || s.exec.Settle(now)) { // each round starts reduces, moves a job, or ends it
		if s.floor.changed {
			s.floor.changed = false
			s.crew.restartDoomed(now)
			s.floor.wakeAll(now)
		}
	}
	if err := s.exec.Plan(now); err != nil {
		s.fail(err)
	}
}

// serve makes one use of the offer that stands: a set-up or clean-up task or a master that waits, or a task that the policy picks.
func (s *sim) serve(now model.Time) (served bool, scope policy.Scope) {
	if s.chores != nil || s.masters != nil {
		if served, tasks, scope := s.serveOthers(now); served || !tasks {
			return served, scope
		}
	}
	d := s.driver.Pick(&s.floor.offer)
	if s.driver.Restarter != nil && s.crew.doom() {
		return false, policy.Here
	}
	if d.Task.Job == model.None {
		s.floor.askAgain(now, d.Again)
		return false, d.Scope
	}
	j := d.Job
	if j == nil {
		j = s.state.Job(d.Task.Job)
	}
	if s.crew.stale(now, j, d.Task.Kind) {
		return true, 0 // nothing was used, but the policy is asked again
	}
	if err := s.take(now, j, d.Task); err != nil {
		s.fail(s.illegal(d.Task, err))
		return false, policy.Here
	}
	return true, 0
}

// serveOthers makes one use of the offer for what is no task of a job, and reports whether tasks may have what is left.
func (s *sim) serveOthers(now model.Time) (served, tasks bool, scope policy.Scope) {
	if s.chores != nil && s.chores.serve(now) {
		return !s.floor.offer.Beat.Periodic, false, policy.Here
	}
	if s.masters != nil {
		return s.masters.serve(now)
	}
	return false, true, policy.Here
}

// take starts a task of a job in the room of the offer that stands.
func (s *sim) take(now model.Time, j *cluster.Job, t model.Task) error {
	o := &s.floor.offer
	if t.Kind < model.Kinds && s.pool(t.Kind) != o.Pool {
		return fmt.Errorf("the offer is room of the %s pool", s.state.Topology.Model.PoolName(o.Pool))
	}
	return s.crew.start(now, j, t, o.Node)
}

// watch does what happens between events: checks, inspection, and progress where its pace says so.
func (s *sim) watch(now model.Time, paced bool) {
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
	if s.in.Progress != nil && paced && !s.in.Progress(s.result.Progress) {
		s.result.Stopped = true
		s.failed = ErrStopped
	}
}
