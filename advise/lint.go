// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// Trap is a setting of a capacity-scheduler.xml that costs jobs time on a workload, or stops them.
type Trap struct {
	Name   string               `json:"name"`
	Queue  string               `json:"queue,omitempty"`
	Found  string               `json:"found"`
	Remedy string               `json:"remedy"`
	Source string               `json:"source"` // where the trap is described
	Edits  []capacityxml.Change `json:"edits,omitempty"`
	Cost   *TrapCost            `json:"cost,omitempty"` // nil where it cannot be measured

	Without *scenario.PolicyChoice    `json:"-"` // the scheduler without the trap; nil: it cannot be measured
	Alter   func([]model.Job)         `json:"-"` // what the remedy does to jobs, nil for nothing
	Victims func(j *metrics.Job) bool `json:"-"` // jobs that pay for it
	Group   string                    `json:"-"` // the victims in words
}

// TrapCost is what the trap's victims take with it and without it, over the same repetitions.
type TrapCost struct {
	Victims string     `json:"victims"`
	Jobs    float64    `json:"jobs"` // mean number
	Waiting [2]float64 `json:"waiting"`
	Elapsed [2]float64 `json:"elapsed"`
	Ratio   [2]float64 `json:"response_ratio"`
	Others  [2]float64 `json:"others_elapsed"` // mean elapsed time of all other jobs
	Saved   [3]float64 `json:"saved"`          // seconds of elapsed time a victim saves without the trap: mean, low, high
	Sure    bool       `json:"sure"`           // the paired interval excludes zero
	Net     [3]float64 `json:"net"`            // seconds that all jobs together save without the trap: mean, low, high
	Verdict string     `json:"verdict"`
}

// The verdicts on a remedy: its victims surely gain and all jobs together do not lose; the victims gain less than others
// lose; the victims do not surely gain, or less than a hundredth of their time.
const (
	WorthIt    = "worth it"
	NotWorthIt = "not worth it"
	NoCost     = "no cost here"
)

// Bad reports whether a trap should be removed: it stops jobs, or its remedy is worth it.
func (t *Trap) Bad() bool { return t.Cost == nil || t.Cost.Verdict == WorthIt }

// Lint names the traps of a file on the scenario's cluster and workload, and measures each by
// simulating the workload with it and without it, n times.
func Lint(ctx context.Context, s *scenario.Scenario, f *CapacityFile, n int, opt experiment.Options) ([]Trap, error) {
	if _, err := CapacityChoices(s, []*CapacityFile{f}); err != nil {
		return nil, err
	}
	quick := *s
	quick.Reference = false
	l := &linter{s: &quick, f: f, jobs: s.Jobs(s.Seed), room: poolRoom(&s.Cluster)}
	l.stops()
	if len(l.traps) > 0 { // nothing would end
		return l.traps, nil
	}
	l.noMaximum()
	for i := range f.Config.Queues {
		q := &f.Config.Queues[i]
		l.oneUserAtATime(q)
		l.lowFactor(q)
		l.shortWithLong(q)
		l.nothingLeft(q)
	}
	return l.traps, MeasureTraps(ctx, l.s, CapacityChoice(&f.Config, f.Label), l.traps, n, opt)
}

// linter looks for traps.
type linter struct {
	s     *scenario.Scenario
	f     *CapacityFile
	jobs  []model.Job
	room  [model.Kinds]int64
	traps []Trap
}

// need returns the most room that a task of the kind takes in a queue.
func (l *linter) need(queue string, k model.Kind) int64 {
	need := int64(1)
	for i := range l.jobs {
		if l.jobs[i].Queue == queue {
			need = max(need, int64(l.jobs[i].Need[k][l.s.Cluster.RoomModel().Pool(k)]))
		}
	}
	return need
}

func (l *linter) add(t Trap, remedy func(c *capacityxml.Config)) {
	c := l.f.Config.Clone()
	if remedy != nil {
		remedy(&c)
		choice := CapacityChoice(&c, t.Name+" "+t.Queue)
		t.Without = &choice
		_, t.Edits = l.f.Edit(&c)
	}
	l.traps = append(l.traps, t)
}

// stops finds queues in which no user may hold a single slot, so that their jobs never end.
func (l *linter) stops() {
	for _, name := range scenario.Queues(l.jobs) {
		limits := limitsOf(&l.f.Config, name, l.room)
		for k := range model.Kind(model.Kinds) {
			pool, need := l.s.Cluster.RoomModel().Pool(k), l.need(name, k)
			if l.room[pool] > 0 && limits.UserLimit(pool, need, 0, 1) < need {
				l.add(Trap{Name: "users-stopped", Queue: name, Source: "Hadoop 0.20.203",
					Found:  fmt.Sprintf("user-limit-factor %g times %d %s leaves no room for a single task: no job of the queue ever starts", limits.UserLimitFactor, max(need, limits.Capacity[pool]), unit(&l.s.Cluster, pool)),
					Remedy: "a user-limit-factor of at least 1"}, nil)
				break
			}
		}
	}
}

// noMaximum: queues of unequal capacity without a maximum take each other's room: small ones that of
// large ones (capacity-2013 §6.2.2, §6.5.1), those of long jobs that of short ones (§6.4.2, §6.5.3).
func (l *linter) noMaximum() {
	var open []string
	unequal := false
	for i := range l.f.Config.Queues {
		q := &l.f.Config.Queues[i]
		unequal = unequal || q.Capacity != l.f.Config.Queues[0].Capacity
		if (q.MaximumCapacity == capacityxml.Unlimited || q.MaximumCapacity >= 100) && q.Capacity > 0 && q.Capacity < 100 {
			open = append(open, q.Name)
		}
	}
	used := scenario.Queues(l.jobs)
	for i := range l.f.Config.Queues {
		name := l.f.Config.Queues[i].Name
		others := slices.DeleteFunc(slices.Clone(open), func(q string) bool { return q == name || !slices.Contains(used, q) })
		if !unequal || len(others) == 0 || !slices.Contains(used, name) {
			continue
		}
		l.add(Trap{Name: "no-maximum", Queue: name, Source: "capacity-2013 §6.2.2, §6.4.2, §6.5",
			Found:   fmt.Sprintf("queues of unequal capacity, and no maximum-capacity for %s, so that %s may lose room of its own", list(others), name),
			Remedy:  "maximum-capacity equal to the capacity for " + list(others),
			Victims: func(j *metrics.Job) bool { return j.Queue == name }, Group: "jobs of " + name},
			func(c *capacityxml.Config) {
				for _, other := range others {
					c.Find(other).MaximumCapacity = c.Find(other).Capacity
				}
			})
	}
}

// oneUserAtATime: minimum-user-limit-percent 100 with several users (capacity-2013 §6.1.2, §6.5.1).
func (l *linter) oneUserAtATime(q *capacityxml.Queue) {
	users := map[string]bool{}
	for i := range l.jobs {
		if l.jobs[i].Queue == q.Name {
			users[l.jobs[i].User] = true
		}
	}
	if q.MinimumUserLimitPercent < 100 || len(users) < 2 {
		return
	}
	percent := max(25, (100+len(users)-1)/len(users)) // the thesis's 25, or equal shares of fewer users
	l.add(Trap{Name: "one-user-at-a-time", Queue: q.Name, Source: "capacity-2013 §6.1.2, §6.5.1",
		Found:   fmt.Sprintf("minimum-user-limit-percent 100 with %d users: the jobs of one wait for those of another", len(users)),
		Remedy:  fmt.Sprintf("minimum-user-limit-percent %d", percent),
		Victims: func(j *metrics.Job) bool { return j.Queue == q.Name }, Group: "jobs of " + q.Name},
		func(c *capacityxml.Config) { c.Find(q.Name).MinimumUserLimitPercent = percent })
}

// lowFactor: user-limit-factor below what a job can use (capacity-2013 §5.1.1, figure 5.4).
func (l *linter) lowFactor(q *capacityxml.Queue) {
	limits := limitsOf(&l.f.Config, q.Name, l.room)
	var limit [model.Kinds]int64
	factor := q.UserLimitFactor
	for pool := range pools(&l.s.Cluster) {
		limit[pool] = limits.UserLimit(pool, 1, 0, 1)
		reach := l.room[pool]
		if limits.Maximum[pool] > 0 {
			reach = limits.Maximum[pool]
		}
		if reach > limit[pool] && limits.Capacity[pool] > 0 {
			factor = max(factor, float64(reach)/float64(limits.Capacity[pool]))
		} else {
			limit[pool] = math.MaxInt64
		}
	}
	var tasks [model.Kinds]int64
	for k := range model.Kind(model.Kinds) {
		tasks[k] = limit[l.s.Cluster.RoomModel().Pool(k)] / l.need(q.Name, k)
	}
	over := func(maps, reduces int32) bool {
		return int64(maps) > tasks[model.Map] || int64(reduces) > tasks[model.Reduce]
	}
	n := 0
	for i := range l.jobs {
		if l.jobs[i].Queue == q.Name && over(l.jobs[i].Maps, l.jobs[i].Reduces) {
			n++
		}
	}
	if n == 0 || factor <= q.UserLimitFactor {
		return
	}
	factor = math.Ceil(factor*100) / 100
	l.add(Trap{Name: "low-user-limit-factor", Queue: q.Name, Source: "capacity-2013 §5.1.1, figure 5.4",
		Found:   fmt.Sprintf("user-limit-factor %g holds a user at %s, less than %d jobs could use, even while the rest of the cluster is idle", q.UserLimitFactor, slotsText(&l.s.Cluster, limit), n),
		Remedy:  fmt.Sprintf("user-limit-factor %g", factor),
		Victims: func(j *metrics.Job) bool { return j.Queue == q.Name && over(j.Maps, j.Reduces) }, Group: "jobs of " + q.Name + " with more tasks than that"},
		func(c *capacityxml.Config) { c.Find(q.Name).UserLimitFactor = factor })
}

// shortWithLong: short and long jobs in one queue (capacity-2013 §6.4, §6.5.3). Short jobs have at most a
// tenth of the maps that the queue's capacity has room for, long jobs more than all of them.
func (l *linter) shortWithLong(q *capacityxml.Queue) {
	slots := max(1, limitsOf(&l.f.Config, q.Name, l.room).Capacity[0]/l.need(q.Name, model.Map))
	most := int32(max(1, min(slots/10, math.MaxInt32)))
	short, long := 0, 0
	for i := range l.jobs {
		switch j := &l.jobs[i]; {
		case j.Queue != q.Name:
		case j.Maps <= most:
			short++
		case int64(j.Maps) > slots:
			long++
		}
	}
	if short == 0 || long == 0 || q.Capacity == 0 {
		return
	}
	apart := q.Name + "-short"
	for l.f.Config.Find(apart) != nil {
		apart += "-short"
	}
	l.add(Trap{Name: "short-with-long", Queue: q.Name, Source: "capacity-2013 §6.4, §6.5.3",
		Found:   fmt.Sprintf("%d short jobs (at most %d maps) share the queue with %d long ones (more than the %d maps that it has room for)", short, most, long, slots),
		Remedy:  fmt.Sprintf("a queue %s of its own for short jobs, with a fifth of the capacity, and the capacity as maximum of both", apart),
		Victims: func(j *metrics.Job) bool { return (j.Queue == q.Name || j.Queue == apart) && j.Maps <= most }, Group: "short jobs of " + q.Name,
		Alter: func(jobs []model.Job) {
			for i := range jobs {
				if jobs[i].Queue == q.Name && jobs[i].Maps <= most {
					jobs[i].Queue = apart
				}
			}
		}},
		func(c *capacityxml.Config) { split(c, q.Name, apart) })
	l.traps[len(l.traps)-1].Edits = nil // a new queue also needs jobs to be sent there
}

// split gives the queue apart a fifth of the capacity of the queue name, which the thesis's short jobs
// have (§4.4.3).
func split(c *capacityxml.Config, name, apart string) {
	q := c.Find(name)
	other := *q
	other.Name = apart
	other.Capacity = q.Capacity / 5
	q.Capacity -= other.Capacity
	q.MaximumCapacity, other.MaximumCapacity = q.Capacity, other.Capacity
	c.Queues = append(c.Queues, other)
}

// nothingLeft names percentages that truncate to no slot.
func (l *linter) nothingLeft(q *capacityxml.Queue) {
	limits := limitsOf(&l.f.Config, q.Name, l.room)
	var capacity, maximum []string
	least := 0.0 // percent that leave a slot
	for pool := range pools(&l.s.Cluster) {
		if l.room[pool] == 0 {
			continue
		}
		text := fmt.Sprintf("%d %s", l.room[pool], unit(&l.s.Cluster, pool))
		if q.Capacity > 0 && limits.Capacity[pool] == 0 {
			capacity = append(capacity, text)
			least = max(least, math.Ceil(1e4/float64(l.room[pool]))/100)
		}
		if q.MaximumCapacity > 0 && limits.Maximum[pool] == 0 {
			maximum = append(maximum, text)
			least = max(least, math.Ceil(1e4/float64(l.room[pool]))/100)
		}
	}
	if len(capacity) > 0 {
		l.add(Trap{Name: "no-slot-left", Queue: q.Name, Source: "Hadoop 0.20.203",
			Found:  fmt.Sprintf("capacity %g %% of %s is nothing: the queue counts as full and is served last", q.Capacity, list(capacity)),
			Remedy: fmt.Sprintf("a capacity of at least %.4g", least)}, nil)
	}
	if len(maximum) > 0 {
		l.add(Trap{Name: "maximum-without-effect", Queue: q.Name, Source: "Hadoop 0.20.203",
			Found:  fmt.Sprintf("maximum-capacity %g %% of %s is nothing, which counts as no limit", q.MaximumCapacity, list(maximum)),
			Remedy: fmt.Sprintf("a maximum-capacity of at least %.4g", least)}, nil)
	}
}

func slotsText(c *cluster.Config, limit [model.Kinds]int64) string {
	var parts []string
	for pool := range pools(c) {
		if limit[pool] != math.MaxInt64 {
			parts = append(parts, fmt.Sprintf("%d %s", limit[pool], unit(c, pool)))
		}
	}
	return list(parts)
}

// list joins words for people.
func list(words []string) string {
	text := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			text += " and "
		default:
			text += ", "
		}
		text += w
	}
	return text
}
