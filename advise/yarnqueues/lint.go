// SPDX-License-Identifier: Apache-2.0

package yarnqueues

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn/handover"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Lint names the traps of the configuration on the workload, and measures each by simulating it with it and without it,
// n times.
func (s *Site) Lint(ctx context.Context, n int, opt experiment.Options) ([]advise.Trap, error) {
	quick := *s.Scenario
	quick.Reference = false
	l := &linter{Site: s}
	l.collect()
	l.offSwitch()
	for i := range l.queues {
		q := &l.queues[i]
		l.oneMaster(q)
		l.waitingUsers(q)
		l.lowFactor(q)
		l.oneUserAtATime(q)
		l.noMaximum(q)
	}
	return l.traps, advise.MeasureTraps(ctx, &quick, s.Choice(), l.traps, n, opt)
}

// linter looks for traps.
type linter struct {
	*Site
	queues []usedQueue
	traps  []advise.Trap
}

// usedQueue is a leaf that jobs of the workload name.
type usedQueue struct {
	set     *settings.Queue
	names   []string       // by which jobs call it
	users   map[string]int // jobs of each
	largest int64          // MiB of the largest job
	master  int64          // MiB of the largest master
	offRack int            // containers without locality: reduces, and maps without input
}

func (l *linter) collect() {
	jobs := l.Scenario.Jobs(l.Scenario.Seed)
	for i := range jobs {
		j := &jobs[i]
		set := l.leafOf(j)
		at := slices.IndexFunc(l.queues, func(q usedQueue) bool { return q.set == set })
		if at < 0 {
			at = len(l.queues)
			l.queues = append(l.queues, usedQueue{set: set, users: map[string]int{}})
		}
		q := &l.queues[at]
		if !slices.Contains(q.names, j.Queue) {
			q.names = append(q.names, j.Queue)
		}
		q.users[j.User]++
		master, whole := l.masterOf(j).Memory, int64(0)
		for kind, need := range j.Need {
			whole += int64(need[0]) * int64(j.Tasks(model.Kind(kind)))
		}
		q.largest, q.master = max(q.largest, master+whole), max(q.master, master)
		q.offRack += int(j.Reduces)
		if j.Input == 0 {
			q.offRack += int(j.Maps)
		}
	}
}

// add adds a trap whose remedy is these properties, unless the release refuses them.
func (l *linter) add(t advise.Trap, properties map[string]string) {
	c, err := l.with(properties)
	if err != nil || len(l.edits(properties)) == 0 {
		return
	}
	choice := l.choice(c, t.Name+" "+t.Queue)
	t.Without, t.Edits, t.Source = &choice, l.edits(properties), "Hadoop 3.4.1"
	l.traps = append(l.traps, t)
}

// jobsOf returns the victims of a trap: the jobs of a queue.
func jobsOf(q *usedQueue) func(*metrics.Job) bool {
	return func(j *metrics.Job) bool { return slices.Contains(q.names, j.Queue) }
}

// mostJobs returns the most jobs that a user of the queue has in the workload.
func (q *usedQueue) mostJobs() (most int) {
	for _, n := range q.users {
		most = max(most, n)
	}
	return most
}

// oneMaster: the limit on masters lets one job of a user run at a time.
func (l *linter) oneMaster(q *usedQueue) {
	size := l.master
	size.Memory = max(size.Memory, q.master)
	if q.mostJobs() < 2 || l.masters(q.set.Path, true, size) > 1 {
		return
	}
	share := l.masterShare(q, min(q.mostJobs(), 10))
	l.add(advise.Trap{Name: "one-job-of-a-user", Queue: q.set.Path,
		Found:  fmt.Sprintf("maximum-am-resource-percent %.4g with masters of %d MiB lets one job of a user run, though users have up to %d", q.set.MasterShare, size.Memory, q.mostJobs()),
		Remedy: fmt.Sprintf("maximum-am-resource-percent %s", share), Victims: jobsOf(q), Group: "jobs of " + q.set.Path},
		map[string]string{prefix + q.set.Path + ".maximum-am-resource-percent": share})
}

// masterShare returns the least share, in twentieths, under which that many jobs of a user run.
func (l *linter) masterShare(q *usedQueue, jobs int) string {
	name := prefix + q.set.Path + ".maximum-am-resource-percent"
	size := l.master
	size.Memory = max(size.Memory, q.master)
	for twentieth := 1; twentieth < 20; twentieth++ {
		text := strconv.FormatFloat(float64(twentieth)/20, 'g', -1, 64)
		if float32(twentieth)/20 <= q.set.MasterShare {
			continue
		}
		c, err := l.with(map[string]string{name: text})
		if err != nil {
			break
		}
		changed := *l.Site
		if changed.Settings, err = c.Settings(); err == nil && changed.masters(q.set.Path, true, size) >= jobs {
			return text
		}
	}
	return "1"
}

// waitingUsers: a user with one job that runs and another that waits for its master counts as one who asks, so that the
// limit of all users is lower, and what that user does not take stays free.
func (l *linter) waitingUsers(q *usedQueue) {
	size := l.master
	size.Memory = max(size.Memory, q.master)
	one := l.masters(q.set.Path, true, size)
	if len(q.users) < 2 || q.mostJobs() <= one || one < 1 {
		return
	}
	l.add(advise.Trap{Name: "waiting-user-counts", Queue: q.set.Path,
		Found: fmt.Sprintf("%d users, of whom some have more jobs than the %d that run at a time: a job that waits for its master makes its user share the user limit with the others",
			len(q.users), one),
		Remedy: "maximum-am-resource-percent 1, so that no master waits", Victims: jobsOf(q), Group: "jobs of " + q.set.Path},
		map[string]string{prefix + q.set.Path + ".maximum-am-resource-percent": "1"})
}

// offSwitch: one container without locality in a heartbeat, and nodes that hold many.
func (l *linter) offSwitch() {
	if l.Settings.OffSwitch > 1 {
		return
	}
	per, at := int64(0), -1
	top := l.Scenario.Cluster.Topology()
	size := l.container().Memory
	for i := range l.queues {
		if l.queues[i].offRack > 0 {
			at = i
		}
	}
	for i := range top.Classes {
		per = max(per, handover.Resource(top.Classes[i].Room).Memory/max(size, 1))
	}
	if at < 0 || per < 4 {
		return
	}
	l.add(advise.Trap{Name: "one-off-switch", Queue: "root",
		Found:   fmt.Sprintf("a heartbeat is given one container without locality, and a node holds %d of %d MiB: to fill it takes as many heartbeats", per, size),
		Remedy:  fmt.Sprintf("per-node-heartbeat.maximum-offswitch-assignments %d", per),
		Victims: func(*metrics.Job) bool { return true }, Group: "all jobs"},
		map[string]string{prefix + "per-node-heartbeat.maximum-offswitch-assignments": fmt.Sprint(per)})
}

// lowFactor: a lone user cannot reach what the queue could, and has jobs that would use it.
func (l *linter) lowFactor(q *usedQueue) {
	size := l.container()
	alone := l.reach(q.set.Path, 1, size).Memory
	t := l.trial()
	var guarantee, maximum int64
	for i := range t.Tree().Queues {
		if x := &t.Tree().Queues[i]; x.Path == q.set.Path {
			guarantee, maximum = x.Min.Memory, x.Max.Memory
		}
	}
	if q.largest <= alone+size.Memory || maximum <= alone+size.Memory || guarantee == 0 {
		return
	}
	factor := strconv.FormatFloat(math.Ceil(100*float64(maximum)/float64(guarantee))/100, 'g', -1, 64)
	l.add(advise.Trap{Name: "low-user-limit-factor", Queue: q.set.Path,
		Found:   fmt.Sprintf("user-limit-factor %g holds a lone user at %d MiB, even while the cluster is idle; the queue may use %d, and a job wants %d", q.set.Users.Factor, alone, maximum, q.largest),
		Remedy:  "user-limit-factor " + factor,
		Victims: jobsOf(q), Group: "jobs of " + q.set.Path},
		map[string]string{prefix + q.set.Path + ".user-limit-factor": factor})
}

// oneUserAtATime: minimum-user-limit-percent 100 with several users.
func (l *linter) oneUserAtATime(q *usedQueue) {
	if len(q.users) < 2 || q.set.Users.Percent < 100 {
		return
	}
	percent := fmt.Sprint(max(25, (100+len(q.users)-1)/len(q.users)))
	l.add(advise.Trap{Name: "one-user-at-a-time", Queue: q.set.Path,
		Found:   fmt.Sprintf("minimum-user-limit-percent 100 with %d users: the first to ask may take the whole queue", len(q.users)),
		Remedy:  "minimum-user-limit-percent " + percent,
		Victims: jobsOf(q), Group: "jobs of " + q.set.Path},
		map[string]string{prefix + q.set.Path + ".minimum-user-limit-percent": percent})
}

// noMaximum: other leaves of the same parent may take room of this one, which gets it back only as their tasks end.
func (l *linter) noMaximum(q *usedQueue) {
	remedy := map[string]string{}
	var others []string
	for i := range l.queues {
		o := l.queues[i].set
		capacity, _ := strconv.ParseFloat(l.of(o.Path, "capacity", ""), 64)
		maximum, _ := strconv.ParseFloat(l.of(o.Path, "maximum-capacity", "100"), 64)
		if o != q.set && o.Parent == q.set.Parent && capacity > 0 && maximum > capacity {
			others = append(others, o.Path)
			remedy[prefix+o.Path+".maximum-capacity"] = l.of(o.Path, "capacity", "")
		}
	}
	if len(others) == 0 {
		return
	}
	l.add(advise.Trap{Name: "no-maximum", Queue: q.set.Path,
		Found:   fmt.Sprintf("%s may use more than the capacity, so that %s may wait for room of its own", strings.Join(others, ", "), q.set.Path),
		Remedy:  "maximum-capacity equal to the capacity for the others",
		Victims: jobsOf(q), Group: "jobs of " + q.set.Path}, remedy)
}
