// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"testing"
	"unsafe"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/workload"
)

const sec = model.Second

// script feeds a collector, with times and lengths in seconds.
type script struct{ c *Collector }

func (s script) job(at model.Time, k record.Kind, job model.JobID) {
	s.c.Record(&record.Event{Time: at * sec, Kind: k, Task: model.Task{Job: job}})
}

func (s script) blocked(at model.Time, job model.JobID, l model.Limit) {
	s.c.Record(&record.Event{Time: at * sec, Kind: record.JobBlocked, Limit: l, Task: model.Task{Job: job}})
}

func (s script) task(at model.Time, k record.Kind, kind model.Kind, index int32, length model.Time) {
	s.c.Record(&record.Event{Time: at * sec, Kind: k, Since: (at - length) * sec, Length: length * sec, Locality: model.Locality(index % 3),
		Task: model.Task{Kind: kind, Index: index}})
}

func slotJobs(jobs ...model.Job) []model.Job {
	for i := range jobs {
		jobs[i].ID = model.JobID(i)
		jobs[i].Need = [model.Kinds]model.Room{{1, 0}, {0, 1}}
	}
	return jobs
}

// One job of three maps and two reduces, as it waits, starves and runs (seconds):
//
//	 0      submitted                                 0..10  not admitted 10 (room)
//	10      admitted, held by its queue's maximum    10..14  first container 4 (queue maximum)
//	14      map 0 starts; 2 pending, 1 runs          14..20  6/3 per map: starved 4 (room), running 2
//	20      map 1 starts; 1 pending, 2 run           20..26  6/3 per map: starved 2 (room), running 4
//	26      held by a user limit                     26..32  the same: starved 2 (user), running 4
//	32      map 0 ends (18), map 2 starts            32..34  none pending: running 2
//	34      reduce 0 starts and waits                34..40  running 6
//	40      map 1 ends (20)                          40..42  running 2
//	42      map 2 ends (10), reduce 0 copies         42..46  4/2 per reduce: starved 2 (room), shuffle 2
//	46      reduce 0 computes                        46..56  10/2: starved 5 (room), running 5
//	56      reduce 0 ends (14), reduce 1 copies      56..60  shuffle 4
//	60      reduce 1 computes                        60..70  running 10
//	70      reduce 1 ends (14), the job ends
//
// Parts: 10 + 4 + (4+2+2) + (2+4+4+2+6+2) + (2+4) + (2+5) + (5+10) = 70. Held back: 10 + 4 + 8 + 7 = 29, of
// which queue maximum 4, user 2, room 10+4+2+2+5 = 23. Sizes: 18 + 20 + 10 + 14 + 14 = 76. Room held: maps
// 18 + 20 + 10 = 48, reduces (56-34) + (70-56) = 36 slot-seconds.
func TestBlameByHand(t *testing.T) {
	jobs := slotJobs(model.Job{Name: "j", Queue: "q", User: "u", Class: "c", Maps: 3, Reduces: 2, Goal: 60 * sec}, model.Job{})
	c := NewCollector(seriesTopology(model.Slots, model.Room{1, 1}), jobs) // three nodes
	s := script{c}
	const m, r = model.Map, model.Reduce
	s.job(0, record.JobSubmitted, 0)
	s.job(5, record.JobSubmitted, 1) // a job without tasks, in between
	s.job(7, record.JobAdmitted, 1)
	s.job(7, record.JobEnded, 1)
	s.job(10, record.JobAdmitted, 0)
	s.blocked(10, 0, model.LimitQueueMax)
	s.task(14, record.TaskStarted, m, 0, 0)
	s.task(20, record.TaskStarted, m, 1, 0)
	s.blocked(26, 0, model.LimitUser)
	s.task(32, record.TaskEnded, m, 0, 18)
	s.task(32, record.TaskStarted, m, 2, 0)
	s.task(34, record.TaskStarted, r, 0, 0)
	s.task(40, record.TaskEnded, m, 1, 20)
	s.task(42, record.TaskEnded, m, 2, 10)
	s.task(42, record.TaskShuffling, r, 0, 0)
	s.task(46, record.TaskComputing, r, 0, 0)
	s.task(56, record.TaskEnded, r, 0, 14)
	s.task(56, record.TaskStarted, r, 1, 0)
	s.task(56, record.TaskShuffling, r, 1, 0)
	s.task(60, record.TaskComputing, r, 1, 0)
	s.task(70, record.TaskEnded, r, 1, 14)
	s.job(70, record.JobEnded, 0)
	run := c.Run([]model.Time{35 * sec, 0})

	if err := run.Check(); err != nil {
		t.Error(err)
	}
	want := Job{Name: "j", Queue: "q", User: "u", Class: "c", FirstStart: 14 * sec, Finish: 70 * sec, FirstMap: 14 * sec, LastMap: 42 * sec, FirstReduce: 34 * sec, Size: 76 * sec, Reference: 35 * sec,
		Maps: 3, Reduces: 2, Locality: [3]int32{1, 1, 1}, Goal: 60 * sec, MapsAtFirstReduce: 1,
		Blame: [Parts]model.Time{NotAdmitted: 10 * sec, FirstContainer: 4 * sec, MapsStarved: 8 * sec, MapsRunning: 20 * sec,
			ShuffleTail: 6 * sec, ReducesStarved: 7 * sec, ReducesRunning: 15 * sec},
		Limits: [model.Limits]model.Time{model.LimitRoom: 23 * sec, model.LimitQueueMax: 4 * sec, model.LimitUser: 2 * sec}}
	if want.Forecast = run.Jobs[0].Forecast; run.Jobs[0] != want {
		t.Errorf("row\n%+v, want\n%+v", run.Jobs[0], want)
	}
	empty := Job{ID: 1, Submit: 5 * sec, FirstStart: 7 * sec, Finish: 7 * sec, FirstMap: model.None, LastMap: model.None, FirstReduce: model.None, MapsAtFirstReduce: model.None,
		Blame: [Parts]model.Time{NotAdmitted: 2 * sec}, Limits: [model.Limits]model.Time{model.LimitRoom: 2 * sec}}
	if run.Jobs[1] != empty {
		t.Errorf("row of the empty job\n%+v, want\n%+v", run.Jobs[1], empty)
	}
	if run.Tasks != 5 || run.Killed != 0 || run.Events != 22 || run.Work[0] != 48 || run.Work[1] != 28 {
		t.Errorf("%d tasks, %d killed, %d events, work %v", run.Tasks, run.Killed, run.Events, run.Work)
	}
	g := All(run, 0)
	for name, want := range map[string]float64{ // of 3 map and 3 reduce slots over 70 s; submissions span 5 s
		"utilisation_map": 48.0 / 210, "utilisation_reduce": 36.0 / 210, "load_map": 48.0 / 15, "load_reduce": 28.0 / 15,
		"blame_maps_starved": 4, "limit_user_limit": 1, "max_slowdown": 2, "max_tardiness": 10,
		"held_hours_map": 48.0 / 3600, "free_hours_map": (210 - 48.0) / 3600, "max_goal_ratio": 70.0 / 60,
		// Maps wait from 10 s on: three beside three free slots, two beside two, one beside one until 32 s.
		"idle_hours_map": (3*4 + 2*6 + 1*12.0) / 3600,
		"slots_30_50":    (2 + 10 + 10 + 16) / 20.0, // map 0 to 32 s, map 1 to 40 s, map 2 to 42 s, reduce 0 from 34 s
	} {
		if got, ok := g.Value(name); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, %t; want %g", name, got, ok, want)
		}
	}
}

// A reduce that waits for maps is killed and runs again: 0..2 its map runs, 2..5 the reduce is pending (starved 3),
// 5..9 it runs. The kill at 1 gives its room back: held 1 + 4.
func TestKilledReduce(t *testing.T) {
	c := NewCollector(seriesTopology(model.Slots, model.Room{1, 1}), slotJobs(model.Job{Maps: 1, Reduces: 1}))
	s := script{c}
	s.job(0, record.JobSubmitted, 0)
	s.job(0, record.JobAdmitted, 0)
	s.task(0, record.TaskStarted, model.Map, 0, 0)
	s.task(0, record.TaskStarted, model.Reduce, 0, 0)
	s.task(1, record.TaskKilled, model.Reduce, 0, 1)
	s.task(2, record.TaskEnded, model.Map, 0, 2)
	s.task(5, record.TaskStarted, model.Reduce, 0, 0)
	s.task(5, record.TaskComputing, model.Reduce, 0, 0)
	s.task(9, record.TaskEnded, model.Reduce, 0, 4)
	s.job(9, record.JobEnded, 0)
	run := c.Run(nil)
	want := [Parts]model.Time{MapsRunning: 2 * sec, ReducesStarved: 3 * sec, ReducesRunning: 4 * sec}
	if run.Jobs[0].Blame != want || run.Check() != nil || run.Killed != 1 || run.Tasks != 2 || run.Jobs[0].Size != 6*sec {
		t.Errorf("%+v, %v", run.Jobs[0], run.Check())
	}
	if v, _ := All(run, 0).Value("utilisation_reduce"); math.Abs(v-5.0/27) > 1e-9 { // of 3 slots over 9 s
		t.Errorf("reduce slots in use %g, want 5/27", v)
	}
}

// record.TaskKilled may befall any running task. Here a reduce that begins its work at 2 is killed at 3 and starts
// again at 5: starved 2. Whether it was copying or computing until 3 decides where that second goes.
func killedAtThree(kind record.Kind) *Run {
	c := NewCollector(seriesTopology(model.Slots, model.Room{1, 1}), slotJobs(model.Job{Maps: 1, Reduces: 1}))
	s := script{c}
	s.job(0, record.JobSubmitted, 0)
	s.job(0, record.JobAdmitted, 0)
	s.task(0, record.TaskStarted, model.Map, 0, 0)
	s.task(2, record.TaskEnded, model.Map, 0, 2)
	s.task(2, record.TaskStarted, model.Reduce, 0, 0)
	s.task(2, kind, model.Reduce, 0, 0)
	stage := map[record.Kind]record.Stage{record.TaskShuffling: record.Shuffling, record.TaskComputing: record.Computing}[kind]
	c.Record(&record.Event{Time: 3 * sec, Kind: record.TaskKilled, Length: sec, Stage: stage, Task: model.Task{Kind: model.Reduce}})
	s.task(5, record.TaskStarted, model.Reduce, 0, 0)
	s.task(5, record.TaskComputing, model.Reduce, 0, 0)
	s.task(8, record.TaskEnded, model.Reduce, 0, 3)
	s.job(8, record.JobEnded, 0)
	return c.Run(nil)
}

func TestKilledWhileShuffling(t *testing.T) {
	run := killedAtThree(record.TaskShuffling)
	want := [Parts]model.Time{MapsRunning: 2 * sec, ShuffleTail: 1 * sec, ReducesStarved: 2 * sec, ReducesRunning: 3 * sec}
	if got := run.Jobs[0].Blame; got != want || run.Check() != nil {
		t.Errorf("blame %v, want %v; %v", got, want, run.Check())
	}
}

func TestKilledWhileComputing(t *testing.T) {
	run := killedAtThree(record.TaskComputing)
	want := [Parts]model.Time{MapsRunning: 2 * sec, ReducesStarved: 2 * sec, ReducesRunning: 4 * sec}
	if got := run.Jobs[0].Blame; got != want || run.Check() != nil {
		t.Errorf("blame %v, want %v; %v", got, want, run.Check())
	}
}

// Unfinished jobs are left out.
func TestUnfinishedJobsAreAbsent(t *testing.T) {
	c := NewCollector(seriesTopology(model.Slots, model.Room{1, 1}), slotJobs(model.Job{Maps: 1}, model.Job{}))
	s := script{c}
	s.job(0, record.JobSubmitted, 0)
	s.job(1, record.JobSubmitted, 1)
	s.job(1, record.JobAdmitted, 1)
	s.job(1, record.JobEnded, 1)
	if run := c.Run(nil); len(run.Jobs) != 1 || run.Jobs[0].ID != 1 {
		t.Errorf("rows %+v", run.Jobs)
	}
}

// System load = work offered / (room x time span). One node of 1000 MiB; two jobs, 10 s apart, of one map each
// that holds 500 MiB for 10 s: 2 x 10 x 500 / (1000 x 10) = 1.
func TestLoadOfYarn(t *testing.T) {
	need := [model.Kinds]model.Room{{500, 1}, {500, 1}}
	jobs := []model.Job{
		{ID: 0, Maps: 1, Need: need, MapLength: model.Lengths{Mean: 10 * sec}},
		{ID: 1, Maps: 1, Need: need, MapLength: model.Lengths{Mean: 10 * sec}, Submit: 10 * sec},
	}
	top := seriesTopology(model.Yarn, model.Room{1000, 4})
	top.Nodes = top.Nodes[:1]
	c := NewCollector(top, jobs)
	for id := range model.JobID(2) {
		at := model.Time(id) * 10 * sec
		task := model.Task{Job: id}
		for _, e := range []record.Event{{Time: at, Kind: record.JobSubmitted}, {Time: at, Kind: record.JobAdmitted}, {Time: at, Kind: record.TaskStarted},
			{Time: at + 10*sec, Kind: record.TaskEnded, Length: 10 * sec}, {Time: at + 10*sec, Kind: record.JobEnded}} {
			e.Task = task
			c.Record(&e)
		}
	}
	run := c.Run(nil)
	offered := workload.Work(jobs, model.Yarn)[0] / (1000 * 10)
	if got, _ := All(run, 0).Value("load_memory"); math.Abs(got-1) > 1e-9 {
		t.Errorf("load_memory is %g, want 1; workload.Work says %g", got, offered)
	}
	// Of 4 vcores: 2 x 10 x 1 / (4 x 10) = 0.5, and over the makespan of 20 s half of that.
	for name, want := range map[string]float64{"load_vcores": 0.5, "utilisation_vcores": 0.25, "utilisation_memory": 0.5} {
		if got, ok := All(run, 0).Value(name); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
}

// Whichever limits hold a job back, in whichever order, each has what was attributed to it.
func TestLimitsOfAJob(t *testing.T) {
	for _, limits := range [][]model.Limit{
		{model.LimitRoom},
		{model.LimitUser},
		{model.LimitRoom, model.LimitLocality, model.LimitRoom, model.LimitLocality},
		{model.LimitUser, model.LimitLocality, model.LimitUser, model.LimitRoom, model.LimitQueueMax, model.LimitUser},
	} {
		l, now := live{life: life{phase: Admitted}}, model.Time(0)
		var want [model.Limits]float64
		for i, limit := range limits {
			d := model.Time(1) << i
			l.limit, now = limit, now+d
			l.account(now)
			want[limit] += float64(d)
		}
		for limit := range model.Limit(model.Limits) {
			if got := *l.of(limit); got != want[limit] {
				t.Errorf("held back by %v: %v has %g, want %g", limits, limit, got, want[limit])
			}
		}
	}
}

// What the start or the end of a map touches of its job lies in two lines of memory.
func TestLiveIsLines(t *testing.T) {
	if hot, size := unsafe.Offsetof(live{}.parts), unsafe.Sizeof(live{}); hot != 128 || size%64 != 0 {
		t.Errorf("maps touch the first %d of %d bytes", hot, size)
	}
}
