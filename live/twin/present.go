// SPDX-License-Identifier: Apache-2.0

package twin

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// present returns the applications that wait or run as jobs with what they have yet to do, in the order of their
// submission. A ResourceManager does not know how much that is; the newest ended job of the same name and user tells,
// otherwise the newest of the same name, otherwise the job of the past with the median work. Of one that runs, its
// progress says how much is left. Applications whose masters have containers come first.
func (t *Twin) present(apps []rest.App) []workload.Record {
	var out []workload.Record
	order := slices.Clone(apps)
	slices.SortStableFunc(order, func(a, b rest.App) int { return cmp.Compare(min(b.Launched, 1), min(a.Launched, 1)) })
	for i := range order {
		a := &order[i]
		like, how := t.like(a)
		if like == nil {
			t.note("%s (%s): %s", a.ID, a.Name, how)
			continue
		}
		if how != "" {
			t.note("%s (%s): %s", a.ID, a.Name, how)
		}
		r := *like
		r.Name, r.Class, r.User, r.Queue = a.ID, a.Name, a.User, a.Queue
		r.Waited, r.Elapsed, r.Past, r.Where = 0, 0, nil, a.ID
		r.Submit = model.Time(len(out)) * model.Millisecond // only the order counts
		start := cmp.Or(r.Master.Start, t.Masters.Start)
		switch {
		case a.State == rest.StateRunning: // its master is at work
			start = model.Millisecond
			left(&r, a.Progress/100)
		case a.Launched == 0: // it has no container for its master yet
			start += t.Masters.Launch
		}
		r.Master.Start = start
		if len(a.Requests) > 0 && a.Launched == 0 {
			r.Master.Need = model.Room{int32(a.Requests[0].Each.Memory / model.MiB), int32(a.Requests[0].Each.VCores)}
		}
		out = append(out, r)
	}
	return out
}

// like returns a job of the past that an application is likely to resemble, and what was assumed; nil if there is none.
func (t *Twin) like(a *rest.App) (*workload.Record, string) {
	var same *workload.Record
	for i := range t.Past {
		r := &t.Past[i]
		if r.Class == a.Name && (same == nil || r.User == a.User || same.User != a.User) {
			same = r
		}
	}
	if same != nil {
		return same, ""
	}
	if len(t.Past) == 0 {
		return nil, "left out: no job has ended from which its length could be told"
	}
	order := make([]*workload.Record, len(t.Past))
	for i := range t.Past {
		order[i] = &t.Past[i]
	}
	slices.SortStableFunc(order, func(a, b *workload.Record) int { return cmp.Compare(work(a), work(b)) })
	median := order[len(order)/2]
	return median, "no ended job has this name: taken to be as long as " + median.Name + ", the median of the history"
}

// work is the time of a job's tasks together.
func work(r *workload.Record) (sum model.Time) {
	for _, list := range [][]model.Time{r.MapLengths, r.ReduceLengths} {
		for _, d := range list {
			sum += d
		}
	}
	return sum
}

// left takes away the tasks that a progress from 0 to 1 says are done: those of both kinds count alike, maps end first.
func left(r *workload.Record, progress float64) {
	total := len(r.MapLengths) + len(r.ReduceLengths)
	done := min(int(math.Floor(progress*float64(total))), total-1)
	maps := min(done, len(r.MapLengths))
	if maps == len(r.MapLengths) && len(r.ReduceLengths) == 0 {
		maps--
	}
	reduces := min(done-maps, max(len(r.ReduceLengths)-1, 0))
	r.MapLengths, r.ReduceLengths = r.MapLengths[maps:], r.ReduceLengths[max(reduces, 0):]
	if len(r.MapHosts) > 0 {
		r.MapHosts = r.MapHosts[maps:]
	}
	if len(r.OtherHosts) > 0 {
		r.OtherHosts = r.OtherHosts[maps:]
	}
	for k := range r.Asks {
		if len(r.Asks[k]) > 0 {
			r.Asks[k] = r.Asks[k][[]int{maps, max(reduces, 0)}[k]:]
		}
	}
	r.Maps, r.Reduces = int32(len(r.MapLengths)), int32(len(r.ReduceLengths))
}
