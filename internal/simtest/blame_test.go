// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// blameTwin computes where a job's time went from the events alone: after every event of the run it
// counts the job's tasks by state, and shares the time until the next event among them in exact
// fractions.
type blameTwin struct {
	spec                        *model.Job
	submitted, admitted, master bool
	started, ended, refused     bool
	submit, first, last         model.Time
	size                        model.Time
	limit                       model.Limit
	state                       map[model.Task]taskPhase
	parts                       [metrics.Parts]*big.Rat
	limits                      [model.Limits]*big.Rat
	locality                    [model.Localities]int32
	mapsDone, atFirst           int32
}

func newBlameTwin(spec *model.Job) *blameTwin {
	b := &blameTwin{spec: spec, state: map[model.Task]taskPhase{}, atFirst: model.None}
	for i := range b.parts {
		b.parts[i] = new(big.Rat)
	}
	for i := range b.limits {
		b.limits[i] = new(big.Rat)
	}
	return b
}

// count returns how many tasks of the kind are in each phase.
func (b *blameTwin) count(k model.Kind) (n [isDone + 1]int64) {
	for i := range b.spec.Tasks(k) {
		n[b.state[model.Task{Job: b.spec.ID, Kind: k, Index: i}]]++
	}
	return n
}

// spend attributes a span of time.
func (b *blameTwin) spend(span model.Time) {
	if !b.submitted || b.ended || span == 0 {
		return
	}
	add := func(p metrics.Part, tasks, of int64, held bool) {
		r := new(big.Rat).Mul(big.NewRat(int64(span), 1), big.NewRat(tasks, of))
		b.parts[p].Add(b.parts[p], r)
		if held {
			b.limits[b.limit].Add(b.limits[b.limit], r)
		}
	}
	switch {
	case !b.admitted && b.master:
		add(metrics.AMStarting, 1, 1, false)
		return
	case !b.admitted:
		add(metrics.NotAdmitted, 1, 1, true)
		return
	case !b.started:
		add(metrics.FirstContainer, 1, 1, true)
		return
	}
	maps := b.count(model.Map)
	if open := maps[isPending] + maps[isWorking]; open > 0 {
		add(metrics.MapsStarved, maps[isPending], open, true)
		add(metrics.MapsRunning, maps[isWorking], open, false)
		return
	}
	reduces := b.count(model.Reduce)
	open := int64(b.spec.Reduces) - reduces[isDone]
	add(metrics.ReducesStarved, reduces[isPending], open, true)
	add(metrics.ShuffleTail, reduces[isWorking]+reduces[isCopying], open, false)
	add(metrics.ReducesRunning, reduces[isReducing], open, false)
}

func (b *blameTwin) event(e *record.Event) {
	switch e.Kind {
	case record.JobSubmitted:
		b.submitted, b.submit = true, e.Time
	case record.AMStarted:
		b.master, b.limit = true, model.LimitRoom
	case record.JobAdmitted:
		b.admitted, b.limit = true, model.LimitRoom
	case record.JobBlocked:
		b.limit = e.Limit
	case record.TaskStarted:
		if !b.started {
			b.started, b.first = true, e.Time
		}
		b.limit = e.Limit
		b.state[e.Task] = isWorking
		if e.Locality != model.NoInput {
			b.locality[e.Locality]++
		}
		if e.Task.Kind == model.Reduce && b.atFirst == model.None {
			b.atFirst = b.mapsDone
		}
	case record.TaskShuffling:
		b.state[e.Task] = isCopying
	case record.TaskComputing:
		b.state[e.Task] = isReducing
	case record.TaskKilled:
		b.state[e.Task] = isPending
	case record.TaskEnded:
		b.state[e.Task] = isDone
		b.size += e.Length
		if e.Task.Kind == model.Map {
			b.mapsDone++
		}
	case record.JobRefused:
		b.ended, b.refused = true, true
	case record.JobEnded:
		b.ended, b.last = true, e.Time
		if !b.started {
			b.first = e.Time
		}
	}
}

// compareBlame computes blame by the twin and compares it and the time-lines with the rows of the run.
func compareBlame(c *Case, run *metrics.Run, events []record.Event) error {
	twins := make([]*blameTwin, len(c.Jobs))
	for i := range twins {
		twins[i] = newBlameTwin(&c.Jobs[i])
	}
	now := model.Time(0)
	for i := range events {
		e := &events[i]
		if e.Time > now {
			for _, b := range twins {
				b.spend(e.Time - now)
			}
			now = e.Time
		}
		if e.Task.Job != model.None {
			twins[e.Task.Job].event(e)
		}
	}
	all := len(twins)
	twins = slices.DeleteFunc(twins, func(b *blameTwin) bool { return b.refused }) // they have no row
	if len(run.Jobs) != len(twins) || run.Refused != all-len(twins) {
		return fmt.Errorf("%d rows for %d jobs, %d refused", len(run.Jobs), all, run.Refused)
	}
	var errs []error
	for i, b := range twins {
		if err := b.compare(&run.Jobs[i]); err != nil {
			errs = append(errs, fmt.Errorf("job %d: %w", b.spec.ID, err))
		}
		if err := compareTimeline(c, &run.Jobs[i], events); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (b *blameTwin) compare(row *metrics.Job) error {
	if row.Submit != b.submit || row.FirstStart != b.first || row.Finish != b.last || row.Size != b.size || row.Locality != b.locality || row.MapsAtFirstReduce != b.atFirst {
		return fmt.Errorf("the row says submit %v, first start %v, finish %v, size %v, locality %v, maps at first reduce %d; the events say %v, %v, %v, %v, %v, %d",
			row.Submit, row.FirstStart, row.Finish, row.Size, row.Locality, row.MapsAtFirstReduce, b.submit, b.first, b.last, b.size, b.locality, b.atFirst)
	}
	for p, exact := range b.parts {
		if !near(row.Blame[p], exact) {
			return fmt.Errorf("%v: the row says %v, the twin %s ns", metrics.Part(p), row.Blame[p], exact.FloatString(3))
		}
	}
	for l, exact := range b.limits {
		if !near(row.Limits[l], exact) {
			return fmt.Errorf("limit %v: the row says %v, the twin %s ns", model.Limit(l), row.Limits[l], exact.FloatString(3))
		}
	}
	return nil
}

// near allows the rounding of a part and what the largest part takes over from the others.
func near(t model.Time, exact *big.Rat) bool {
	diff := new(big.Rat).Sub(big.NewRat(int64(t), 1), exact)
	return diff.Abs(diff).Cmp(big.NewRat(int64(metrics.Parts), 1)) <= 0
}
