// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/metrics/expected"
	"github.com/yardmaster/yardmaster/metrics/fold"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Part is one of the exclusive states in which a job spends its elapsed time.
type Part uint8

// The parts of a job's elapsed time. They add up to it to the nanosecond.
const (
	NotAdmitted    Part = iota // submitted, not yet allowed to run
	AMStarting                 // its application master is starting
	FirstContainer             // may run, no task has started yet
	MapsStarved                // share of maps without room, while maps are unfinished
	MapsRunning                // share of maps at work, while maps are unfinished
	ShuffleTail                // share of reduces still copying, after the last map
	ReducesStarved             // share of reduces without room, after the last map
	ReducesRunning             // share of reduces at work, after the last map
	Parts          = 8
)

// Job is what a run says about one job: one row of jobs.csv. Times are since the start of the
// run, spans are in nanoseconds.
type Job struct {
	ID                       model.JobID
	Name, User, Queue, Class string

	Submit, FirstStart, Finish model.Time
	FirstMap, LastMap          model.Time // start of the first and end of the last map; None without maps
	FirstReduce                model.Time // start of the first reduce; None without reduces
	EarlyMap                   bool       // its first map started while maps of an earlier job of its queue had not
	Straggler                  bool       // one of its maps took more than 1.5 times the mean of them
	Size                       model.Time // sum of the run times of its tasks
	Reference                  model.Time // run time alone in the empty cluster, 0 if not computed

	Maps, Reduces  int32
	Input, Shuffle model.Bytes             // what its maps read and made, wherever that went
	Locality       [model.Localities]int32 // maps started node-local, rack-local, remote

	Goal              model.Time        // absolute; 0 if none
	Forecast          *expected.Quality // how good the estimates of its end were; nil without a goal or an estimate
	MapsAtFirstReduce int32             // maps finished when the first reduce started
	Paired            int32             // reduces that ran beside one of another job on their node
	Stolen            bool              // machines of another kind took it over before it started

	Moved [record.Purposes]Moved // over links

	Blame  [Parts]model.Time        // adds up to Elapsed
	Limits [model.Limits]model.Time // what held the job back; adds up to the waiting and starved parts
}

// Waiting is the time from submission to the start of the first task.
func (j *Job) Waiting() model.Time { return j.FirstStart - j.Submit }

// Execution is the time from the first task's start to the last one's end.
func (j *Job) Execution() model.Time { return j.Finish - j.FirstStart }

// Elapsed is waiting plus execution.
func (j *Job) Elapsed() model.Time { return j.Finish - j.Submit }

// Slowdown is elapsed over reference runtime; 0 if the reference is not known.
func (j *Job) Slowdown() float64 {
	if j.Reference <= 0 {
		return 0
	}
	return float64(j.Elapsed()) / float64(j.Reference)
}

// ResponseRatio is elapsed over execution; 1 for a job that took no time at all.
func (j *Job) ResponseRatio() float64 {
	if j.Execution() <= 0 {
		return 1
	}
	return float64(j.Elapsed()) / float64(j.Execution())
}

// Met reports whether the job has a goal and met it.
func (j *Job) Met() bool { return j.Goal > 0 && j.Finish <= j.Goal }

// Tardiness is how much later than its goal the job ended.
func (j *Job) Tardiness() model.Time {
	if j.Goal <= 0 || j.Finish <= j.Goal {
		return 0
	}
	return j.Finish - j.Goal
}

// GoalRatio is elapsed over the goal, both counted from submission; 0 if it has no goal.
func (j *Job) GoalRatio() float64 {
	if j.Goal <= j.Submit {
		return 0
	}
	return float64(j.Elapsed()) / float64(j.Goal-j.Submit)
}

// Line is one curve of a Series: its value in each bucket, averaged over the bucket.
type Line struct {
	Name   string // of LineKinds
	Key    string // pool, state, queue name, job name
	Values []float64
}

// Series is how a run went over time, in buckets of equal width.
type Series struct {
	Width model.Time // width of a bucket
	Lines []Line
}

// Run is everything that one run produced.
type Run struct {
	Jobs     []Job // in order of ID; jobs that did not finish are absent
	Series   Series
	Pools    []string
	Capacity []int64             // by pool: room of the whole cluster
	Work     []float64           // by pool: work offered, as room times seconds
	Idle     []float64           // by pool: room that was free while tasks waited that may start, times seconds
	Stays    [model.Dims]float64 // by pool: room that masters held after the last job's end, times seconds
	Parts    []fold.PartUse      // of a divided cluster
	Tasks    int64
	Refused  int // jobs that the scheduler turned away; they are not among Jobs
	Failed   int // jobs whose application master was lost for good; they are not among Jobs
	Killed   int64
	Events   int64
	Network  Network
	Stored   Stored // on disks, with yarn
	Speeds   Speeds // of applications, with yarn
	Links    RackLinks
	Circuits *circuits.Run // nil without circuits, and where none was needed

	Activities int64           // of shared resources; 0 under replay
	Refreshes  int64           // of rates on a tick
	Traffic    *record.Traffic // over links, from rack to rack; nil where they are not modelled and in a single rack
}
