// SPDX-License-Identifier: Apache-2.0

package metrics

import "github.com/yardmaster/yardmaster/model"

// mapsRun takes in that a map starts while none runs. If one has run before, the last one stopped at since.
func (j *Job) mapsRun(now, since model.Time) {
	if j.FirstMap == model.None {
		j.FirstMap = now
	} else {
		j.MapGap = max(j.MapGap, now-since)
	}
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

// delayedAfter is how long none of a job's maps runs before its maps count as delayed: longer than nodes take to ask
// for work and maps take to be handed out.
const delayedAfter = 10 * model.Second

// delayedMaps is the share of jobs with delayed map execution (capacity-2013, section 4.2.2).
func (g *Group) delayedMaps() float64 {
	n := 0.0
	for _, j := range g.Jobs {
		if j.MapGap > delayedAfter {
			n++
		}
	}
	return ratio(n, float64(len(g.Jobs)))
}

// reduceTimeOf returns the mean reduce time of the jobs with reduces of which some, or none, ran beside one of another
// job; false if there is none.
func reduceTimeOf(paired bool) func(*Group, string) (float64, bool) {
	return func(g *Group, _ string) (float64, bool) {
		some := g.Where(func(j *Job) bool { return j.Reduces > 0 && (j.Paired > 0) == paired })
		return some.mean((*Job).ReduceTime), len(some.Jobs) > 0
	}
}
