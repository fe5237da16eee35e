// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// A job of three maps and a reduce is given a map slot by chance before its turn: its first map runs from 10 to 20, the
// other two from 50, one until 60, the other until 65; its reduce runs from 22 to 80. Maps take 10..65, the reduce 22..80, and from 20 to 50 no map ran.
func TestPhasesOfADelayedJob(t *testing.T) {
	jobs := slotJobs(model.Job{Name: "j", Maps: 3, Reduces: 1})
	c := NewCollector(seriesTopology(model.Slots, model.Room{2, 2}), jobs)
	s := script{c}
	const m, r = model.Map, model.Reduce
	s.job(0, record.JobSubmitted, 0)
	s.job(0, record.JobAdmitted, 0)
	s.task(10, record.TaskStarted, m, 0, 0)
	s.task(20, record.TaskEnded, m, 0, 10)
	s.task(22, record.TaskStarted, r, 0, 0)
	s.task(50, record.TaskStarted, m, 1, 0)
	s.task(51, record.TaskStarted, m, 2, 0)
	s.task(60, record.TaskEnded, m, 1, 10)
	s.task(65, record.TaskEnded, m, 2, 14)
	s.task(65, record.TaskShuffling, r, 0, 0)
	s.task(70, record.TaskComputing, r, 0, 0)
	s.task(80, record.TaskEnded, r, 0, 15)
	s.job(80, record.JobEnded, 0)
	j := &c.Run(nil).Jobs[0]
	if j.MapTime() != 55*sec || j.ReduceTime() != 58*sec || j.MapGap != 30*sec {
		t.Errorf("maps took %v, reduces %v, no map ran for %v; want 55s, 58s and 30s", j.MapTime(), j.ReduceTime(), j.MapGap)
	}
}

// Of two jobs one had a reduce beside another's, and only one had no map running for more than ten seconds.
func TestReduceTimeAloneAndPaired(t *testing.T) {
	run := &Run{Jobs: []Job{
		{FirstReduce: 10 * sec, Finish: 40 * sec, Reduces: 1, MapGap: 10 * sec},
		{ID: 1, FirstReduce: 10 * sec, Finish: 80 * sec, Reduces: 1, Paired: 1, MapGap: 11 * sec},
		{ID: 2, FirstReduce: model.None, Finish: 5 * sec},
	}}
	for name, want := range map[string]float64{"reduce_time_alone": 30, "reduce_time_paired": 70, "delayed_maps": 1. / 3, "max_reduce_time": 70, "mean_map_gap": 7} {
		if got, ok := All(run, 0).Value(name); !ok || got != want {
			t.Errorf("%s is %g, %t; want %g", name, got, ok, want)
		}
	}
	if _, ok := All(&Run{Jobs: run.Jobs[:1]}, 0).Value("reduce_time_paired"); ok {
		t.Error("without a paired reduce there is a mean time of paired reduces")
	}
}
