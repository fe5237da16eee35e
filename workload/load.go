// SPDX-License-Identifier: Apache-2.0

package workload

import "github.com/yardmaster/yardmaster/model"

// Work returns the mean work that the jobs offer to each pool of room, and under yarn to memory and vcores, in units of
// room times seconds: tasks times their mean length times what they take.
func Work(jobs []model.Job, m model.RoomModel) []float64 {
	work := make([]float64, m.Measures())
	for i := range jobs {
		j := &jobs[i]
		for k := range model.Kind(model.Kinds) {
			p := m.Pool(k)
			length := j.Lengths(k).Average().Seconds()
			if k == model.Reduce {
				length += j.ShuffleTail.Seconds()
			}
			work[p] += float64(j.Tasks(k)) * length * float64(j.Need[k][p])
			if m == model.Yarn {
				work[1] += float64(j.Tasks(k)) * length * float64(j.Need[k][1])
			}
		}
	}
	return work
}

// Span returns the time over which the jobs must arrive for the busiest pool, or of memory and vcores the busier one, to have the given load,
// where load = work offered / (room x time span).
func Span(jobs []model.Job, site Site, load float64) model.Time {
	span := 0.0
	for p, work := range Work(jobs, site.Model) {
		if site.Total[p] > 0 {
			span = max(span, work/(float64(site.Total[p])*load))
		}
	}
	return model.Seconds(span)
}

// submissions returns when the first and the last job are submitted of those that wait for no other.
func submissions(jobs []model.Job) (first, last model.Time) {
	first = model.Forever
	for i := range jobs {
		if jobs[i].After == model.None {
			first, last = min(first, jobs[i].Submit), max(last, jobs[i].Submit)
		}
	}
	return first, last
}

// SpanOfAll is Span for a load of all pools together: the work of all tasks over all room.
func SpanOfAll(jobs []model.Job, site Site, load float64) model.Time {
	work, room := 0.0, 0.0
	for p, w := range Work(jobs, site.Model)[:site.Model.Pools()] {
		work, room = work+w, room+float64(site.Total[p])
	}
	if room == 0 {
		return 0
	}
	return model.Seconds(work / (room * load))
}
