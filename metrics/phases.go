// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// firstMap takes in the start of the first map of a job.
func (c *Collector) firstMap(e *record.Event) {
	row := &c.rows[e.Task.Job]
	row.FirstMap = e.Time
	row.EarlyMap = c.turns.Before(row.Queue, e.Task.Job)
}

// MapTime is the time from the first map's start to the last one's end; 0 without maps.
func (j *Job) MapTime() model.Time { return j.LastMap - j.FirstMap }

// ReduceTime is the time from the first reduce's start to the end of the last one, which is that of the job; 0 without
// reduces.
func (j *Job) ReduceTime() model.Time {
	if j.FirstReduce == model.None || j.Reduces == 0 {
		return 0
	}
	return j.Finish - j.FirstReduce
}

// withMaps returns the share of the jobs with maps of which something is true.
func withMaps(is func(j *Job) bool) func(*Group) float64 {
	return func(g *Group) float64 {
		n, all := 0.0, 0.0
		for _, j := range g.Jobs {
			if is(j) {
				n++
			}
			if j.Maps > 0 {
				all++
			}
		}
		return ratio(n, all)
	}
}

// reduceTimeOf returns the mean reduce time of the jobs with reduces of which some, or none, ran beside one of another
// job; false if there is none.
func reduceTimeOf(paired bool) func(*Group, string) (float64, bool) {
	return func(g *Group, _ string) (float64, bool) {
		some := g.Where(func(j *Job) bool { return j.Reduces > 0 && (j.Paired > 0) == paired })
		return some.mean((*Job).ReduceTime), len(some.Jobs) > 0
	}
}

// pairedReduces is the share of reduces that ran beside one of another job.
func (g *Group) pairedReduces() float64 {
	n, all := 0.0, 0.0
	for _, j := range g.Jobs {
		n += float64(j.Paired)
		all += float64(j.Reduces)
	}
	return ratio(n, all)
}
