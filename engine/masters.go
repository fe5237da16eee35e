// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rm"
)

// masters brings application masters to the floor: they take room before tasks do, start up, and stay for
// a while after their job's end. An admission role of the policy, if there is one, comes after the master
// has started.
type masters struct {
	*world
	rm     *rm.Masters
	rules  *rm.Rules
	floor  *floor
	share  *writtenShare
	tuning *tuning
}

func newMasters(w *world, f *floor) *masters {
	m := &masters{world: w, rules: w.in.Config.Yarn, floor: f}
	m.rm = rm.NewMasters(m.rules, w.state, w.in.Seed)
	m.share = &writtenShare{shareFile{world: w, file: &m.rm.Share}, m.rules}
	m.tuning = &tuning{world: w, apps: &m.rm.Ledger, share: m.share, am: int64(m.rm.Room[0]), rules: m.rules}
	return m
}

// startTuner lets the tuner of the section say which share acts from the beginning.
func (m *masters) startTuner() error {
	if err := m.tuning.start(&m.rules.Tuner); err != nil {
		return err
	}
	if m.tuning.loop != nil {
		m.share.act()
	}
	return nil
}

// submitted lets a job wait for its master's container.
func (m *masters) submitted(now model.Time, j *cluster.Job) {
	m.floor.lower(0, m.rm.Room)
	m.rm.Request(j)
	if m.rm.Waiting() == 1 {
		m.floor.want(0, true)
	}
	m.floor.wakeAll(now)
}

// serve gives the room of the offer to a master that waits, if one may start. It reports whether one has,
// and if not, whether tasks may have the room.
func (m *masters) serve(now model.Time) (served, tasks bool, scope policy.Scope) {
	if m.rm.Waiting() == 0 {
		return false, true, policy.Here
	}
	offer := &m.floor.offer
	j, reserved := m.rm.Offer(offer.Node, m.floor.blocked)
	switch {
	case j != nil:
		m.start(now, j, offer)
		return true, false, policy.Here
	case reserved:
		return false, false, policy.Here
	case m.floor.wanting[offer.Pool] == 1: // nobody wants room but masters that the share holds back
		return false, false, policy.Everywhere
	}
	return false, true, policy.Here
}

func (m *masters) start(now model.Time, j *cluster.Job, offer *policy.Offer) {
	if m.rm.Waiting() == 0 {
		m.floor.want(0, false)
	}
	j.Driven.Free()
	offer.Beat.Masters++
	m.recordHeld(now, record.AMStarted, j.ID, offer.Node, m.rm.Room)
	m.exec.Boot(now, offer.Node, j.ID, m.rules.AMCPU)
	m.tuning.planSample(now)
}

// booted lets a while pass until a master whose process has started asks for its first task.
func (m *masters) booted(now model.Time, id model.JobID) {
	m.queue.Push(now+m.rules.AMStart, jobEvent(masterReady, id))
}

// moved keeps what the job's queue uses.
func (m *masters) moved(_ model.Time, j *cluster.Job, t model.Task, _ model.NodeID, how move) {
	switch how {
	case taken:
		m.rm.TaskStarted(j, t.Kind)
	case done, killed:
		m.rm.TaskEnded(j, t.Kind)
	}
}

// over lets the master of a job that has ended stay for a while.
func (m *masters) over(now model.Time, id model.JobID) {
	m.rm.Finish(id)
	m.queue.Push(now+m.rules.AMStay, jobEvent(masterEnds, id))
}

// leave gives back the container of a master whose job has ended.
func (m *masters) leave(now model.Time, id model.JobID) {
	node := m.rm.Leave(id)
	m.recordHeld(now, record.AMEnded, id, node, m.rm.Room)
	m.floor.freed(now, node, 0)
	m.floor.wakeAll(now) // the share has room again, perhaps on other nodes
}

// reload makes the AM share act that stands in the configuration.
func (m *masters) reload(now model.Time) {
	m.rm.Share.Act()
	m.floor.wakeAll(now)
}
