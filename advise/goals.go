// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/scenario"
)

// GoalCheck says before a run which goals can be met. Times are in seconds.
type GoalCheck struct {
	Scenario  string         `json:"scenario"`
	Seed      uint64         `json:"seed"`
	Jobs      []GoalRow      `json:"jobs"`      // those with a goal, in order of submission
	Without   int            `json:"without"`   // jobs without a goal
	Conflicts []GoalConflict `json:"conflicts"` // no policy can meet all goals of one, worst first
	Crowded   []GoalCrowd    `json:"crowded"`   // spans in which the jobs' even paces do not fit together, by time
}

// GoalRow is one job with a goal.
type GoalRow struct {
	Job    string   `json:"job"`
	Class  string   `json:"class"`
	Submit *float64 `json:"submit"` // null if it depends on another job's end
	Goal   float64  `json:"goal"`   // after submission
	Alone  float64  `json:"alone"`  // run time alone in the empty cluster
	Slack  float64  `json:"slack"`  // goal - alone; below 0 the goal cannot be met even alone
	Pace   *float64 `json:"pace"`   // slots to hold from submission on; null if no number suffices
	Weight float64  `json:"weight"` // under a fair scheduler, as slack ratio

	id model.JobID
}

// GoalConflict is a span of time into which more work must fit than there is room for.
type GoalConflict struct {
	From float64  `json:"from"`
	To   float64  `json:"to"`
	Pool string   `json:"pool"` // of room
	Load float64  `json:"load"` // work over what fits
	Jobs []string `json:"jobs"` // all submitted and due in the span
}

// GoalCrowd is a span of time in which the even paces of the jobs add up to more than the room. Some
// jobs must then run ahead of their pace before it or fall behind and catch up after it.
type GoalCrowd struct {
	From float64  `json:"from"`
	To   float64  `json:"to"`
	Pace float64  `json:"pace"` // most slots that are needed at once
	Room int64    `json:"room"`
	Jobs []string `json:"jobs"`
}

// CheckGoals works out which goals of the seed's workload can be met.
func CheckGoals(ctx context.Context, s *scenario.Scenario, seed uint64) (*GoalCheck, error) {
	jobs, alone, err := experiment.Alone(ctx, s, seed)
	if err != nil {
		return nil, err
	}
	topology := s.Cluster.Topology()
	out := &GoalCheck{Scenario: s.Name, Seed: seed, Jobs: []GoalRow{}, Conflicts: []GoalConflict{}, Crowded: []GoalCrowd{}}
	goals := make([]model.Time, len(jobs))
	for i := range jobs {
		goals[i] = jobs[i].Goal
	}
	weights := goal.Weights(goals, alone)
	works := make([]jobWork, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		if j.Goal == 0 {
			out.Without++
			continue
		}
		works[i] = newJobWork(j, seed)
		row := GoalRow{Job: j.Name, Class: j.Class, Goal: j.Goal.Seconds(), Alone: alone[i].Seconds(), Slack: (j.Goal - alone[i]).Seconds(), Weight: weights[i], id: j.ID}
		if j.After == model.None {
			at := j.Submit.Seconds()
			row.Submit = &at
		}
		tasks := [model.Kinds]int32{j.Maps, j.Reduces}
		if pace := goal.Pace(tasks, works[i].mean, goal.Room(topology.Total(), j.Need), j.Goal); !math.IsInf(pace, 1) {
			row.Pace = &pace
		}
		out.Jobs = append(out.Jobs, row)
	}
	if len(out.Jobs) == 0 {
		return nil, &strict.InputError{Err: errors.New("no job of the scenario has a goal; allowed: goal, goal-at or goal-factor on jobs, classes or assign rules")}
	}
	out.findConflicts(topology, jobs, works)
	out.findCrowds(topology, jobs)
	return out, nil
}

// jobWork is what a job's tasks take, with the lengths that they have in the run.
type jobWork struct {
	room [model.Dims]float64 // room times seconds
	mean [model.Kinds]model.Time
}

func newJobWork(j *model.Job, seed uint64) (w jobWork) {
	lengths := rng.NewLengths(seed)
	for k := range model.Kind(model.Kinds) {
		sampler := lengths.Of(j, k)
		sum := model.Time(0)
		for i := range j.Tasks(k) {
			sum += sampler.Length(i, 0)
			if k == model.Reduce {
				sum += j.ShuffleTail
			}
		}
		if n := j.Tasks(k); n > 0 {
			w.mean[k] = sum / model.Time(n)
		}
		for d, need := range j.Need[k] {
			w.room[d] += sum.Seconds() * float64(need)
		}
	}
	return w
}

// mostConflicts is how many conflicts and crowded spans are listed.
const mostConflicts = 10

// findConflicts looks at every span from a submission to a goal: the work of the jobs that are both
// submitted and due in it must fit into the room, or one of them will be late under any policy. Of
// the spans that begin with a job, the worst is kept; they are listed worst first, each with a job
// that is in no worse one. Jobs that cannot be in time even alone are left out, and so are those
// whose submission depends on another job.
func (c *GoalCheck) findConflicts(t *model.Topology, jobs []model.Job, works []jobWork) {
	var due []model.JobID
	for _, row := range c.Jobs {
		if row.Slack >= 0 && row.Submit != nil {
			due = append(due, row.id)
		}
	}
	end := func(id model.JobID) model.Time { return jobs[id].Submit + jobs[id].Goal }
	slices.SortStableFunc(due, func(a, b model.JobID) int { return cmp.Compare(end(a), end(b)) })
	var spans []overload
	speed := capacity(t)
	for d := range model.Dims {
		for _, first := range due {
			worst, work := overload{from: jobs[first].Submit, dim: d, load: 1}, 0.0
			for _, id := range due {
				if jobs[id].Submit < worst.from {
					continue
				}
				work += works[id].room[d]
				if load := work / (speed[d] * (end(id) - worst.from).Seconds()); load > worst.load {
					worst.load, worst.to = load, end(id)
				}
			}
			if worst.to > 0 {
				spans = append(spans, worst)
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b overload) int { return cmp.Compare(b.load, a.load) })
	told := make([]bool, len(jobs))
	for _, o := range spans {
		found := GoalConflict{From: o.from.Seconds(), To: o.to.Seconds(), Pool: dimName(t.Model, o.dim), Load: o.load}
		fresh := false
		for _, row := range c.Jobs {
			if id := row.id; row.Slack >= 0 && row.Submit != nil && jobs[id].Submit >= o.from && end(id) <= o.to && works[id].room[o.dim] > 0 {
				found.Jobs = append(found.Jobs, row.Job)
				fresh = fresh || !told[id]
				told[id] = true
			}
		}
		if fresh {
			c.Conflicts = append(c.Conflicts, found)
		}
		if len(c.Conflicts) == mostConflicts {
			return
		}
	}
}

// overload is a span into which more must fit than does.
type overload struct {
	from, to model.Time
	dim      int
	load     float64 // work over what fits
}

// capacity is the room of the cluster, counted by how much work it does per second.
func capacity(t *model.Topology) (speed [model.Dims]float64) {
	for i := range t.Nodes {
		class := &t.Classes[t.Nodes[i].Class]
		for d, v := range class.Room {
			speed[d] += float64(v) * class.Speed
		}
	}
	return speed
}

func dimName(m model.RoomModel, d int) string {
	if m == model.Yarn {
		return []string{"memory", "vcores"}[d]
	}
	return m.PoolName(d)
}

// findCrowds adds up the paces of the jobs with maps between their submission and their goal
// (deadline-2010, equation 4), where maps have slots or containers. It lists the most crowded spans
// in order of time.
func (c *GoalCheck) findCrowds(t *model.Topology, jobs []model.Job) {
	if t.Model == model.Yarn {
		return
	}
	type step struct {
		at model.Time
		by float64
	}
	var steps []step
	var rows []*GoalRow
	for i := range c.Jobs {
		r := &c.Jobs[i]
		if j := &jobs[r.id]; r.Submit != nil && r.Pace != nil && r.Slack >= 0 && j.Maps > 0 {
			rows = append(rows, r)
			steps = append(steps, step{j.Submit, *r.Pace}, step{j.Submit + j.Goal, -*r.Pace})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	room, pace := t.Total()[0], 0.0
	crowded := func() bool { return pace > float64(room)+1e-9 } // what comes and goes adds up to rounding
	for i, s := range steps {
		pace += s.by
		if i+1 < len(steps) && steps[i+1].at == s.at {
			continue
		}
		n := len(c.Crowded) - 1
		open := n >= 0 && c.Crowded[n].To == 0
		switch {
		case crowded() && open:
			c.Crowded[n].Pace = max(c.Crowded[n].Pace, pace)
		case crowded():
			c.Crowded = append(c.Crowded, GoalCrowd{From: s.at.Seconds(), Pace: pace, Room: room})
		case open:
			c.Crowded[n].To = s.at.Seconds()
		}
	}
	slices.SortStableFunc(c.Crowded, func(a, b GoalCrowd) int { return cmp.Compare(b.Pace, a.Pace) })
	c.Crowded = c.Crowded[:min(len(c.Crowded), mostConflicts)]
	slices.SortStableFunc(c.Crowded, func(a, b GoalCrowd) int { return cmp.Compare(a.From, b.From) })
	for i := range c.Crowded {
		span := &c.Crowded[i]
		for _, r := range rows {
			if *r.Submit < span.To && *r.Submit+r.Goal > span.From {
				span.Jobs = append(span.Jobs, r.Job)
			}
		}
	}
}
