// SPDX-License-Identifier: Apache-2.0

package jhist

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// event is one line: its type, and its fields under the name of their Avro record.
type event struct {
	Type  hadoop.Text     `json:"type"`
	Event map[string]body `json:"event"`
}

// body holds the fields of all the events that matter.
type body struct {
	JobID    hadoop.Text `json:"jobid"`
	JobName  hadoop.Text `json:"jobName"`
	User     hadoop.Text `json:"userName"`
	Queue    hadoop.Text `json:"jobQueueName"`
	Priority hadoop.Text `json:"priority"`
	Submit   hadoop.Num  `json:"submitTime"`
	Maps     hadoop.Num  `json:"totalMaps"`
	Reduces  hadoop.Num  `json:"totalReduces"`
	Memory   hadoop.Num  `json:"memory"`

	TaskID     hadoop.Text `json:"taskid"`
	TaskType   hadoop.Text `json:"taskType"`
	AttemptID  hadoop.Text `json:"attemptId"`
	Successful hadoop.Text `json:"successfulAttemptId"`
	Splits     hadoop.Text `json:"splitLocations"`
	Host       hadoop.Text `json:"hostname"`
	Rack       hadoop.Text `json:"rackname"`
	Start      hadoop.Num  `json:"startTime"`
	Finish     hadoop.Num  `json:"finishTime"`
	Shuffled   hadoop.Num  `json:"shuffleFinishTime"`
	Sorted     hadoop.Num  `json:"sortFinishTime"`
	Counters   counters    `json:"counters"`

	Launch  hadoop.Num  `json:"launchTime"`
	Manager hadoop.Text `json:"nodeManagerHost"`
	Uber    flag        `json:"uberized"`
}

// flag is true or false; whatever else counts as false.
type flag bool

// UnmarshalJSON reads the value. It never fails.
func (f *flag) UnmarshalJSON(b []byte) error {
	*f = string(b) == "true"
	return nil
}

// counters is plain, or wrapped as a branch of a union.
type counters struct {
	Groups  []group   `json:"groups"`
	Wrapped *counters `json:"org.apache.hadoop.mapreduce.jobhistory.JhCounters"`
}

type group struct {
	Counts []count `json:"counts"`
}

type count struct {
	Name  hadoop.Text `json:"name"`
	Value hadoop.Num  `json:"value"`
}

// value returns a counter, Unknown if it is not there. Names of these counters are the same in all
// versions of Hadoop, those of their groups are not.
func (k *counters) value(c *hadoop.Check, name string) int64 {
	for ; k != nil; k = k.Wrapped {
		for _, g := range k.Groups {
			for _, n := range g.Counts {
				if n.Name.S != name {
					continue
				}
				if v, given := c.Amount(n.Value, "counter "+name, 1<<63-1); given {
					return v
				}
			}
		}
	}
	return workload.Unknown
}

// job is what the events of one history have told so far.
type job struct {
	where string
	bad   bool

	submitted bool
	h         hadoop.History
	total     [model.Kinds]int64 // Unknown before JOB_INITED
	tasks     map[string]*task
	order     []*task
	racks     map[string]string // of hosts
}

type task struct {
	kind   model.Kind
	splits string
	asked  int64            // when the master wanted it; Unknown if not said
	begun  map[string]int64 // start of the attempts that run
	done   []attempt        // that finished and were not lost
}

type attempt struct {
	id string
	hadoop.Done
}

func newJob(where string) *job {
	return &job{where: where, total: [model.Kinds]int64{workload.Unknown, workload.Unknown},
		h:     hadoop.History{Priority: model.Normal, MasterStart: workload.Unknown, Inited: workload.Unknown, Ended: workload.Unknown, Whole: true},
		tasks: map[string]*task{}, racks: map[string]string{}}
}

// take takes one event. Types that do not matter are passed over, whatever they hold.
func (j *job) take(c *hadoop.Check, e *event) {
	kind := c.Str(e.Type, "type")
	if !e.Type.Given {
		c.Refuse("type", "nothing", "the type of an event")
		return
	}
	var b body
	for _, b = range e.Event {
		break
	}
	if len(e.Event) != 1 {
		c.Refuse("event", fmt.Sprintf("%d records", len(e.Event)), "one, under the name of its type")
		return
	}
	switch kind {
	case "JOB_SUBMITTED":
		j.submit(c, &b)
	case "JOB_INITED":
		j.inited(c, &b)
	case "JOB_PRIORITY_CHANGED":
		j.h.Priority = c.Priority(b.Priority, "priority")
	case "JOB_QUEUE_CHANGED":
		j.h.Queue = c.Str(b.Queue, "jobQueueName")
	case "JOB_FINISHED", "JOB_FAILED", "JOB_KILLED", "JOB_ERROR":
		j.h.Outcome = strings.TrimPrefix(kind, "JOB_")
		j.h.Ended = instant(b.Finish)
	case "AM_STARTED":
		j.h.MasterStart, j.h.MasterHost = instant(b.Start), b.Manager.S
	case "NORMALIZED_RESOURCE":
		j.resource(c, &b)
	case "TASK_STARTED", "TASK_FINISHED", "TASK_FAILED":
		j.taskEvent(c, kind, &b)
	default:
		j.attemptEvent(c, kind, &b)
	}
}

// instant returns milliseconds since the epoch that nothing depends on: Unknown if there is no such number.
func instant(n hadoop.Num) int64 {
	if !n.Whole() || n.V < 0 || n.V > hadoop.MaxMillis {
		return workload.Unknown
	}
	return n.V
}

func (j *job) submit(c *hadoop.Check, b *body) {
	if id := b.JobID.S; j.submitted && id != j.h.ID {
		c.Refuse("jobid", hadoop.Quote(id)+" behind "+hadoop.Quote(j.h.ID), "one job behind each line "+header)
		return
	}
	j.submitted = true
	j.h.ID, j.h.Name = c.Str(b.JobID, "jobid"), c.Str(b.JobName, "jobName")
	j.h.User, j.h.Queue = c.Str(b.User, "userName"), c.Str(b.Queue, "jobQueueName")
	j.h.Submit = c.Millis(b.Submit, "submitTime")
	if !b.JobID.Given {
		c.Refuse("jobid", "nothing", "the ID of a job")
	}
}

func (j *job) inited(c *hadoop.Check, b *body) {
	j.h.Inited = instant(b.Launch)
	if b.Uber {
		c.Log.Note(c.At(), "uberized", "the tasks ran inside the master's container; here they get containers of their own")
	}
	j.total[model.Map] = c.Need(b.Maps, "totalMaps", 0, hadoop.MaxTasks)
	j.total[model.Reduce] = c.Need(b.Reduces, "totalReduces", 0, hadoop.MaxTasks)
}

func (j *job) resource(c *hadoop.Check, b *body) {
	if kind, ok := kindOf(c.Str(b.TaskType, "taskType")); ok {
		mb := c.Need(b.Memory, "memory", 0, hadoop.MaxMiB)
		j.h.Memory[kind] = model.Bytes(mb) * model.MiB
	}
}

// kindOf returns the kind of a task type; setup and cleanup tasks have none.
func kindOf(taskType string) (model.Kind, bool) {
	switch taskType {
	case "MAP":
		return model.Map, true
	case "REDUCE":
		return model.Reduce, true
	}
	return 0, false
}
