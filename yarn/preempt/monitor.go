// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"maps"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Monitor chooses containers to be pre-empted, round by round. Use New.
type Monitor struct {
	scheduler *capacity.Scheduler
	noted     map[name]int64 // when containers were first chosen
}

// name names a container for as long as it is noted: longer than it lives.
type name struct{ app, attempt, number int }

func nameOf(c *capacity.Container) name {
	return name{c.Attempt.App, c.Attempt.Number, int(c.Number)}
}

// New returns a monitor of a scheduler.
func New(s *capacity.Scheduler) *Monitor {
	return &Monitor{scheduler: s, noted: map[name]int64{}}
}

// Settings returns the settings in force: those of the scheduler.
func (m *Monitor) Settings() *settings.Preemption { return &m.scheduler.Settings().Preemption }

// Waits reports whether containers are noted.
func (m *Monitor) Waits() bool { return len(m.noted) > 0 }

// Outcome is what a round decides, in the order in which the release carries it out.
type Outcome struct {
	Freed []*capacity.Container // reservations that are given up
	Noted []*capacity.Container // their applications are told that they will end
	Ended []*capacity.Container // their wait is over
}

// Round looks at all queues, at a time in milliseconds.
func (m *Monitor) Round(now int64) Outcome {
	if !m.Settings().On {
		return Outcome{}
	}
	r := m.round()
	set := m.Settings()
	var out Outcome
	selector := func(on bool, choose func(), wait int64) {
		if before := len(r.chosen); on {
			choose()
			tabled(r.chosen[before:])
			m.judge(r.chosen[before:], now, wait, &out)
		}
	}
	selector(set.Reserved, r.takeForReservations, set.Wait)
	selector(true, r.takeBetween, set.Wait)
	selector(set.Balance, r.balance, set.BalanceWait)
	selector(set.Inner.On, r.takeWithin, set.Wait)
	maps.DeleteFunc(m.noted, func(_ name, since int64) bool { return since+2*set.Wait < now })
	if !set.Observe {
		out.Freed = r.freed
	}
	return out
}

// selected returns the containers that were chosen so far, in the order in which the release goes through them.
func (r *round) selected() []*capacity.Container {
	list := slices.Clone(r.chosen)
	tabled(list)
	return list
}

// judge notes containers that are chosen for the first time, and ends those that have been noted for long enough.
func (m *Monitor) judge(chosen []*capacity.Container, now, wait int64, out *Outcome) {
	if m.Settings().Observe {
		return
	}
	for _, c := range chosen {
		if c == c.Node.Reserved() {
			continue // it is given up at once
		}
		since, noted := m.noted[nameOf(c)]
		switch {
		case !noted:
			m.noted[nameOf(c)] = now
			out.Noted = append(out.Noted, c)
		case since+wait <= now:
			delete(m.noted, nameOf(c))
			out.Ended = append(out.Ended, c)
		}
	}
}

// round is one round on its way.
type round struct {
	*parts
	scheduler *capacity.Scheduler
	settings  *settings.Preemption
	allowance queue.Resource // that may still be taken
	chosen    []*capacity.Container
	freed     []*capacity.Container
	taken     map[*capacity.Container]bool
	groups    []*group // by place in the tree; of leaves that were looked into
}

// round takes a snapshot of the tree.
func (m *Monitor) round() *round {
	tree := m.scheduler.Tree()
	r := &round{
		parts:     &parts{Calculator: tree.Calculator, cluster: tree.Cluster, list: make([]part, len(tree.Queues))},
		scheduler: m.scheduler,
		settings:  m.Settings(),
		allowance: tree.Cluster.Part(float64(m.Settings().PerRound)),
		taken:     map[*capacity.Container]bool{},
		groups:    make([]*group, len(tree.Queues)),
	}
	for i := len(tree.Queues) - 1; i >= 0; i-- { // children first: their demand is that of their parent
		q := &tree.Queues[i]
		p := &r.list[i]
		p.path, p.parent, p.children = q.Path, q.Parent, q.Children
		p.share, p.closed = q.AbsCapacity, m.scheduler.Settings().Queues[i].Closed
		p.guaranteed, p.most, p.used = q.Min, q.Max, q.Used
		if p.guaranteed == (queue.Resource{}) {
			p.guaranteed = tree.Cluster.Part(float64(q.AbsCapacity))
		}
		if p.most == (queue.Resource{}) {
			p.most = tree.Cluster.Part(float64(q.AbsMaximum))
		}
		if v, leaf := capacity.Look(m.scheduler, i); leaf {
			p.wanted, p.missing = wanted(v, false), wanted(v, true)
		}
		if q.Parent >= 0 {
			parent := &r.list[q.Parent]
			parent.wanted, parent.missing = parent.wanted.Add(p.wanted), parent.missing.Add(p.missing)
			if tree.Queues[q.Parent].ByPriority {
				p.priority = q.Priority
			}
		}
	}
	return r
}

// wanted returns what activated applications of a leaf ask for, less what they have reserved or not, of each user no more than
// its limit leaves.
func wanted(v capacity.View, less bool) (sum queue.Resource) {
	left := map[string]queue.Resource{}
	for _, a := range v.Active() {
		room, known := left[a.User]
		if !known {
			limit, used := v.ActiveLimit(a.User)
			room = minus(limit, used)
		}
		open := a.Pending
		if less {
			open = minus(open, a.Reserved)
		}
		part := room.Least(open)
		left[a.User] = room.Sub(part)
		sum = sum.Add(part)
	}
	return sum
}
