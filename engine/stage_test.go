// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// script is a policy that starts nothing unless pick is set, and writes down what it is told.
type script struct {
	pick    func(*policy.Offer) policy.Decision
	started func(*cluster.Job) // may be nil
	told    []string
	offers  []model.NodeID
}

func (p *script) Pick(o *policy.Offer) policy.Decision {
	p.offers = append(p.offers, o.Node)
	if p.pick != nil {
		return p.pick(o)
	}
	return policy.Nothing(policy.Here, 0)
}

func (p *script) note(format string, args ...any) {
	p.told = append(p.told, fmt.Sprintf(format, args...))
}

func (p *script) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	p.note("job %d wants pool %d: %t", j.ID, pool, wants)
}

func (p *script) AttemptStarted(_ model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	p.note("start %s %d on %d", t.Kind, t.Index, node)
	if p.started != nil {
		p.started(j)
	}
}

func (p *script) AttemptEnded(_ model.Time, _ *cluster.Job, t model.Task, node model.NodeID, _ model.Time, done bool) {
	p.note("end %s %d on %d, done: %t", t.Kind, t.Index, node, done)
}

// stage is a run whose events and decisions are taken by hand: the components, a real executor and driver
// below them, and a policy that decides nothing by itself.
type stage struct {
	*sim
	t      *testing.T
	policy *script
	log    *record.Log
}

// set describes a stage: containers on nodes, tasks that need one each. A policy other than the script may
// be put around it.
type set struct {
	model  model.RoomModel
	nodes  int
	room   model.Room
	change func(*Config)
	around func(*script) policy.Policy
}

func newStage(t *testing.T, s set, jobs ...model.Job) *stage {
	t.Helper()
	hardware := model.Hardware{Link: 100, Disk: 100, Cores: 2, Clock: 1000}
	topology := &model.Topology{Model: s.model, Racks: 1, Hosts: s.nodes, Classes: []model.NodeClass{{Name: "worker", Room: s.room, Speed: 1, Hardware: hardware}},
		Uplinks: []model.Rate{100}}
	for i := range s.nodes {
		topology.Nodes = append(topology.Nodes, model.Node{Host: model.HostID(i)})
	}
	for i := range jobs {
		j := &jobs[i]
		j.ID = model.JobID(i)
		if j.Need == ([model.Kinds]model.Room{}) {
			j.Need = [model.Kinds]model.Room{s.model.Need(model.Map), s.model.Need(model.Reduce)}
		}
	}
	st := &stage{t: t, policy: &script{}, log: &record.Log{}}
	entry := &policy.Entry{Name: "script", New: func(*policy.Env, any) (policy.Policy, error) {
		if s.around != nil {
			return s.around(st.policy), nil
		}
		return st.policy, nil
	}}
	in := &Input{Topology: topology, Jobs: jobs, Config: DefaultConfig(), Replication: 1, Policy: entry, Seed: 1, Recorder: st.log, Check: 1}
	if s.change != nil {
		s.change(&in.Config)
	}
	var err error
	if st.sim, err = newSim(in); err != nil {
		t.Fatal(err)
	}
	st.driver.Tick(0)
	st.life.planTick()
	return st
}

// play lets events happen up to a time in seconds.
func (s *stage) play(until float64) {
	s.t.Helper()
	const mark = eventKind(255)
	end, quiet := model.Seconds(until), false
	s.queue.Push(end, event{kind: mark})
	for {
		now, e, _ := s.queue.Pop()
		if e.kind != mark {
			quiet = false
			s.happen(now, &e)
			s.settleAt(now)
			continue
		}
		if quiet {
			return
		}
		quiet = true // unless something is planned for this very moment behind the mark
		s.queue.Push(end, e)
	}
}

// settleAt ends an event as the loop does, and checks all invariants.
func (s *stage) settleAt(now model.Time) {
	s.t.Helper()
	s.settle(now)
	if s.failed != nil {
		s.t.Fatal(s.failed)
	}
	if err := s.check(now); err != nil {
		s.t.Fatal(err)
	}
	for _, j := range s.state.Jobs() {
		if r := s.run(j); noted(j, retried) != (r.tries != nil) || noted(j, traced) != (r.where != nil) {
			s.t.Fatalf("of job %d is noted %b, though what is kept is %+v", j.ID, j.Driven.Notes, r)
		}
	}
}

// start carries a decision out on a node now.
func (s *stage) start(job model.JobID, k model.Kind, index int32, node model.NodeID) model.Task {
	s.t.Helper()
	t := model.Task{Job: job, Kind: k, Index: index}
	if err := s.tryStart(t, node); err != nil {
		s.t.Fatal(err)
	}
	s.settleAt(s.queue.Now())
	return t
}

func (s *stage) tryStart(t model.Task, node model.NodeID) error {
	s.floor.newBeat()
	s.floor.offer.Node, s.floor.offer.Now, s.floor.offer.Pool = node, s.queue.Now(), s.pool(t.Kind)
	err := s.crew.start(s.queue.Now(), s.state.Job(t.Job), t, node)
	s.floor.markAll(node)
	return err
}

// id finds the attempt at a task with a number.
func (s *stage) id(t model.Task, number uint8) exec.ID {
	s.t.Helper()
	ids := s.exec.OfJob(s.state.Job(t.Job), func(a *exec.Attempt) bool { return a.Task == t && a.Number == number })
	if len(ids) != 1 {
		s.t.Fatalf("attempt %d of %v runs %d times", number, t, len(ids))
	}
	return ids[0]
}

// events lists what was recorded of the given kinds, such as "task-ended map 0 at 3".
func (s *stage) events(kinds ...record.Kind) (list []string) {
	for _, e := range s.log.Events {
		if !slices.Contains(kinds, e.Kind) {
			continue
		}
		text := e.Kind.String()
		switch {
		case e.Kind == record.NodeLost || e.Kind == record.NodeReturned:
			text += fmt.Sprint(" ", e.Node)
		case e.Kind == record.JobBlocked || e.Kind == record.JobRefused:
			text += fmt.Sprint(" ", e.Task.Job, " ", e.Limit)
		case e.Kind == record.TasksEligible:
			text += fmt.Sprint(" ", e.Count)
		case strings.HasPrefix(text, "job-") || strings.HasPrefix(text, "am-"):
			text += fmt.Sprint(" ", e.Task.Job)
		default:
			text += fmt.Sprintf(" %s %d.%d", e.Task.Kind, e.Task.Index, e.Attempt)
		}
		list = append(list, text+" at "+strconv.FormatFloat(e.Time.Seconds(), 'f', -1, 64))
	}
	return list
}

// expect compares lists.
func (s *stage) expect(what string, got []string, want ...string) {
	s.t.Helper()
	if !slices.Equal(got, want) {
		s.t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// heard returns what the policy was told since the last call.
func (s *stage) heard() []string {
	told := s.policy.told
	s.policy.told = nil
	return told
}

// asked returns the nodes that were offered since the last call.
func (s *stage) asked() []model.NodeID {
	offers := s.policy.offers
	s.policy.offers = nil
	return offers
}

// tasks returns a job of maps and reduces that is submitted at the start; lengths are in seconds, one by one.
func tasks(maps, reduces []float64) model.Job {
	return model.Job{After: model.None, Maps: int32(len(maps)), Reduces: int32(len(reduces)), MapLength: lasting(maps), ReduceLength: lasting(reduces)}
}

func lasting(seconds []float64) (l model.Lengths) {
	for _, s := range seconds {
		l.Fixed = append(l.Fixed, model.Seconds(s))
	}
	return l
}

// times returns the same length for each of n tasks.
func times(n int, seconds float64) []float64 { return slices.Repeat([]float64{seconds}, n) }

// eager starts the first pending task that the pool is for, of the first job that has one.
func (s *stage) eager(o *policy.Offer) policy.Decision {
	for _, j := range s.state.Jobs() {
		for k := range model.Kind(model.Kinds) {
			if s.pool(k) == o.Pool && j.Phase == cluster.Admitted && j.Wants(k) > 0 {
				return policy.Start(j, k, j.First(k))
			}
		}
	}
	return policy.Nothing(policy.Everywhere, 0)
}
