// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Job 1 of two maps and a reduce is submitted at 2 s, while job 0 holds a container from 1 s to 8 s and job 2 holds two
// from 4 s to 7 s. Until its first task starts at 8 s, job 0 has held 6 container-seconds and job 2 as many.
//
//	 2  submitted; its master starts at 3 s and the job is admitted at 5 s
//	 6  its queue's maximum holds it back
//	 8  its first map starts: one runs, one is pending for want of room
//	10  the first map is killed: none runs
//	11  a map starts: one runs again, and the queue's maximum holds the other one back
//	14  the other one starts: all run
//	15  the first one ends, which changes nothing
//	17  the other one ends: the reduce is pending
//	18  the reduce starts, computes from 19 s, and ends with the job at 20 s
func TestTimelineByHand(t *testing.T) {
	jobs := slotJobs(model.Job{Maps: 1}, model.Job{Maps: 2, Reduces: 1}, model.Job{Maps: 2})
	line := NewTimeline(jobs, 1)
	event := func(at model.Time, k record.Kind, job model.JobID, kind model.Kind) {
		e := record.Event{Time: at * sec, Kind: k, Task: model.Task{Job: job, Kind: kind}}
		if k == record.JobBlocked || at == 11 {
			e.Limit = model.LimitQueueMax
		}
		line.Record(&e)
	}
	const m, r = model.Map, model.Reduce
	event(0, record.JobSubmitted, 0, m)
	event(1, record.TaskStarted, 0, m)
	event(2, record.JobSubmitted, 1, m)
	event(3, record.AMStarted, 1, m)
	event(4, record.TaskStarted, 2, m)
	event(4, record.TaskStarted, 2, m)
	event(5, record.JobAdmitted, 1, m)
	event(6, record.JobBlocked, 1, m)
	event(7, record.TaskEnded, 2, m)
	event(7, record.TaskKilled, 2, m)
	event(8, record.TaskEnded, 0, m)
	event(8, record.TaskStarted, 1, m)
	event(10, record.TaskKilled, 1, m)
	event(11, record.TaskStarted, 1, m)
	event(12, record.TaskStarted, 2, m) // after the job has started, others no longer matter
	event(14, record.TaskStarted, 1, m)
	event(15, record.TaskEnded, 1, m)
	event(17, record.TaskEnded, 1, m)
	event(18, record.TaskStarted, 1, r)
	event(19, record.TaskComputing, 1, r)
	event(20, record.TaskEnded, 1, r)
	event(20, record.JobEnded, 1, m)
	event(25, record.AMEnded, 1, m)
	const room, queue = model.LimitRoom, model.LimitQueueMax
	want := []Span{
		{2 * sec, 3 * sec, Submitted, NotStarved, true, room, 0, 3},
		{3 * sec, 5 * sec, StartingMaster, NotStarved, false, room, 0, 3},
		{5 * sec, 6 * sec, Admitted, NotStarved, true, room, 0, 3},
		{6 * sec, 8 * sec, Admitted, NotStarved, true, queue, 0, 3},
		{8 * sec, 10 * sec, Mapping, PartlyStarved, true, room, 1, 2},
		{10 * sec, 11 * sec, Mapping, WhollyStarved, true, room, 0, 3},
		{11 * sec, 14 * sec, Mapping, PartlyStarved, true, queue, 1, 2},
		{14 * sec, 17 * sec, Mapping, NotStarved, false, room, 1, 1},
		{17 * sec, 18 * sec, Reducing, WhollyStarved, true, room, 0, 1},
		{18 * sec, 20 * sec, Reducing, NotStarved, false, room, 1, 0},
	}
	if got := line.Spans(); !slices.Equal(got, want) {
		t.Errorf("spans\n%+v, want\n%+v", got, want)
	}
	if got := line.Others(); !slices.Equal(got, []Use{{0, 0.5}, {2, 0.5}}) {
		t.Errorf("others %+v", got)
	}
}

// A job without tasks waits until its end.
func TestTimelineWithoutTasks(t *testing.T) {
	line := NewTimeline(slotJobs(model.Job{}, model.Job{Maps: 1}), 0)
	for _, e := range []record.Event{{Time: 0, Kind: record.TaskStarted, Task: model.Task{Job: 1}}, {Time: 1 * sec, Kind: record.JobSubmitted},
		{Time: 1 * sec, Kind: record.JobAdmitted}, {Time: 3 * sec, Kind: record.JobEnded}, {Time: 9 * sec, Kind: record.TaskEnded, Task: model.Task{Job: 1}}} {
		line.Record(&e)
	}
	if got := line.Spans(); len(got) != 1 || got[0].Phase != Admitted || got[0].To != 3*sec {
		t.Errorf("spans %+v", got)
	}
	if line.holds[1].sum != float64(2*sec) {
		t.Errorf("the other job held %g ns", line.holds[1].sum)
	}
}
