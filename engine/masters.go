// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/tune"
)

// An application master is a container, no task: it takes room on a node before the job may ask for any,
// needs a while to start, and gives its room back some time after the job's end. A node that asks for work
// is offered to waiting masters before the policy is asked: a job without any container is the neediest in
// fair order, and its master is its first request. The AM share is looked at when a container is about to
// be given, as the Fair Scheduler does; a queue whose first master is held back holds back those behind it,
// which are of the same size. A master that may start but does not fit reserves the node: no task starts
// there until it does.
//
// An admission role of the policy, if there is one, comes after the master has started.

// yarn is the machinery of application masters; nil if the scenario has none.
type yarn struct {
	rules   *YarnRules
	am      model.Room
	share   float64 // in effect
	waiting int     // jobs that wait for a master's container
	masters int     // masters that hold one
	queues  []amQueue
	active  int64 // queues with a job that has not left
	apps    []app // by job
	order   []model.JobID

	written float64 // the share in the configuration
	changed model.Time
	looks   model.Time // phase at which the scheduler looks at its configuration
	reload  des.Handle

	loop *tune.Loop // nil without a tuner
	seen tune.Observation

	sampling bool      // a look at the hosts is planned
	partial  []partial // by job: progress of its running tasks
}

// amQueue is the masters of one queue.
type amQueue struct {
	waiting []model.JobID // in order of submission
	blamed  int           // of these, the first so many are known to be held back by the share
	used    [model.Dims]int64
	jobs    int // that have not left
}

// app is what the resource manager knows about a job's application.
type app struct {
	node  model.NodeID // of its master, None if it has none
	queue int32
	state tune.AppState
	gone  bool
}

func newYarn(in *Input) *yarn {
	rules := in.Config.Yarn
	y := &yarn{rules: rules, am: rules.Master(), share: float64(rules.Share),
		apps: make([]app, len(in.Jobs))}
	y.written = y.share
	for i := range y.apps {
		y.apps[i].node = model.None
	}
	if rules.ReloadEvery > 0 {
		y.looks = model.Time(rng.New(in.Seed, "reload-phase").Uint64(0, 0, 0) % uint64(rules.ReloadEvery))
	}
	return y
}

// requestMaster lets a submitted job wait for its master's container.
func (s *sim) requestMaster(now model.Time, j *cluster.Job) {
	y := s.yarn
	for int(j.Queue) >= len(y.queues) {
		y.queues = append(y.queues, amQueue{})
	}
	q := &y.queues[j.Queue]
	if q.jobs++; q.jobs == 1 {
		y.active++
	}
	y.order = append(y.order, j.ID)
	q.waiting = append(q.waiting, j.ID)
	if y.waiting++; y.waiting == 1 {
		s.wanting[0]++
	}
	s.wakeAll(now)
}

// mayStart reports whether the share allows another master in the queue.
func (s *sim) mayStart(queue int32) bool {
	y := s.yarn
	q := &y.queues[queue]
	if y.rules.Formula == Capacity && q.used[0] == 0 {
		return true
	}
	var fair, reach [model.Dims]int64
	free := s.state.Free()
	for d, total := range s.state.Total {
		fair[d] = (total + y.active - 1) / y.active
		if y.rules.Formula == Capacity {
			reach[d] = free[d] + s.queueUse(queue, d)
		}
	}
	limit := y.rules.limit(y.share, fair, reach, free)
	for d, need := range y.am {
		if q.used[d]+int64(need) > limit[d] {
			return false
		}
	}
	return true
}

// queueUse returns what a queue uses: all that is used, if it is the only one.
func (s *sim) queueUse(queue int32, d int) int64 {
	y := s.yarn
	if y.active == 1 {
		return s.state.Used[d]
	}
	sum := y.queues[queue].used[d]
	for _, id := range y.order {
		if j := s.state.Job(id); j != nil && j.Queue == queue && j.Phase == cluster.Admitted {
			sum += j.Used()[d]
		}
	}
	return sum
}

// offerMaster offers a node to the masters that wait. It reports whether one started, and whether the
// node is reserved for one that does not fit yet.
func (s *sim) offerMaster(now model.Time, node model.NodeID) (started, reserved bool) {
	y := s.yarn
	best := model.JobID(model.None)
	for i := range y.queues {
		q := &y.queues[i]
		if len(q.waiting) == 0 || best != model.None && s.state.Job(q.waiting[0]).Submit >= s.state.Job(best).Submit {
			continue
		}
		if s.mayStart(int32(i)) {
			best = q.waiting[0]
			continue
		}
		for ; q.blamed < len(q.waiting); q.blamed++ {
			s.blocked(s.state.Job(q.waiting[q.blamed]), model.LimitAMShare)
		}
	}
	if best == model.None {
		return false, false
	}
	if !s.state.Hold(node, y.am) {
		s.blocked(s.state.Job(best), model.LimitRoom)
		return false, true
	}
	s.startMaster(now, s.state.Job(best), node)
	return true, false
}

func (s *sim) startMaster(now model.Time, j *cluster.Job, node model.NodeID) {
	y := s.yarn
	q := &y.queues[j.Queue]
	q.waiting = q.waiting[1:]
	q.blamed = max(q.blamed-1, 0)
	q.used = addRoom(q.used, y.am, 1)
	if y.waiting--; y.waiting == 0 {
		s.wanting[0]--
	}
	y.masters++
	y.apps[j.ID] = app{node: node, queue: j.Queue, state: tune.Running}
	s.limits[j.ID] = model.LimitRoom
	s.offer.Beat.Masters++
	s.event.Room = y.am
	s.record(now, record.AMStarted, model.Task{Job: j.ID}, node, 0)
	s.queue.Push(now+y.rules.AMStart, event{kind: masterReady, job: j.ID})
	s.planHostSample(now)
}

// masterLeft gives back the container of a master whose job has ended.
func (s *sim) masterLeft(now model.Time, id model.JobID) {
	y := s.yarn
	a := &y.apps[id]
	q := &y.queues[a.queue]
	s.state.Unhold(a.node, y.am)
	q.used = addRoom(q.used, y.am, -1)
	if q.jobs--; q.jobs == 0 {
		y.active--
	}
	y.masters--
	a.gone = true
	s.event.Room = y.am
	s.record(now, record.AMEnded, model.Task{Job: id}, a.node, 0)
	s.freed(now, a.node, 0)
	s.wakeAll(now) // the share has room again, perhaps on other nodes
}

func addRoom(sum [model.Dims]int64, room model.Room, sign int64) [model.Dims]int64 {
	for d, v := range room {
		sum[d] += sign * int64(v)
	}
	return sum
}
