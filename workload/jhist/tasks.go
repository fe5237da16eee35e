// SPDX-License-Identifier: Apache-2.0

package jhist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// task returns the task that an event is about, new if it is the first; nil after a fault.
func (j *job) task(c *hadoop.Check, b *body, kind model.Kind) *task {
	id := c.Str(b.TaskID, "taskid")
	if !b.TaskID.Given {
		c.Refuse("taskid", "nothing", "the ID of a task")
	}
	if c.Bad {
		return nil
	}
	if t := j.tasks[id]; t != nil {
		return t
	}
	if len(j.order) >= hadoop.MaxTasks {
		c.Refuse("taskid", fmt.Sprintf("task %d of a job", len(j.order)+1), fmt.Sprintf("at most %d", hadoop.MaxTasks))
		return nil
	}
	t := &task{kind: kind, asked: workload.Unknown, begun: map[string]int64{}}
	j.tasks[strings.Clone(id)] = t
	j.order = append(j.order, t)
	return t
}

// taskEvent takes TASK_STARTED, TASK_FINISHED and TASK_FAILED.
func (j *job) taskEvent(c *hadoop.Check, event string, b *body) {
	kind, ok := kindOf(c.Str(b.TaskType, "taskType"))
	if !b.TaskType.Given {
		c.Refuse("taskType", "nothing", "MAP, REDUCE or the type of another task")
	}
	if !ok {
		return
	}
	t := j.task(c, b, kind)
	if t == nil {
		return
	}
	switch event {
	case "TASK_STARTED":
		t.splits, t.asked = c.Str(b.Splits, "splitLocations"), instant(b.Start)
	case "TASK_FAILED":
		t.done = nil
	case "TASK_FINISHED":
		id := c.Str(b.Successful, "successfulAttemptId")
		if i := slices.IndexFunc(t.done, func(a attempt) bool { return a.id == id }); i >= 0 {
			t.done = t.done[i : i+1]
		}
	}
}

// attemptEvent takes MAP_ATTEMPT_* and REDUCE_ATTEMPT_*, and passes over all others.
func (j *job) attemptEvent(c *hadoop.Check, event string, b *body) {
	prefix, what, found := strings.Cut(event, "_ATTEMPT_")
	kind, ok := kindOf(prefix)
	if !found || !ok {
		return
	}
	t := j.task(c, b, kind)
	id := c.Str(b.AttemptID, "attemptId")
	if !b.AttemptID.Given {
		c.Refuse("attemptId", "nothing", "the ID of an attempt")
	}
	if host, rack := c.Str(b.Host, "hostname"), c.Str(b.Rack, "rackname"); host != "" && rack != "" {
		j.racks[host] = rack
	}
	if c.Bad {
		return
	}
	switch what {
	case "STARTED":
		t.begun[id] = c.Millis(b.Start, "startTime")
	case "FAILED", "KILLED":
		delete(t.begun, id)
		t.done = slices.DeleteFunc(t.done, func(a attempt) bool { return a.id == id })
	case "FINISHED":
		t.finish(c, id, b)
	}
}

// finish takes the end of a successful attempt.
func (t *task) finish(c *hadoop.Check, id string, b *body) {
	start, begun := t.begun[id]
	if !begun {
		c.Refuse("attemptId", hadoop.Quote(id)+", which has not started", "an attempt that started on a line before")
		return
	}
	delete(t.begun, id)
	d := hadoop.Done{Start: start, Finish: c.Millis(b.Finish, "finishTime"), Shuffle: workload.Unknown, Input: workload.Unknown}
	if c.Bad {
		return
	}
	d.Finish = start + c.Span(start, d.Finish, "finishTime", "startTime")
	d.Ran = hadoop.Path(b.Rack.S, b.Host.S)
	d.Output = b.Counters.value(c, "HDFS_BYTES_WRITTEN")
	if t.kind == model.Map {
		d.Input = b.Counters.value(c, "HDFS_BYTES_READ")
	} else {
		d.Shuffle = b.Counters.value(c, "REDUCE_SHUFFLE_BYTES")
		d.Ready = c.Ready(d, b.Sorted, "sortFinishTime", b.Shuffled, "shuffleFinishTime")
	}
	t.done = append(t.done, attempt{id, d})
}

// history returns the job at the end of its events. It is of no use if c.Bad is set.
func (j *job) history(c *hadoop.Check) *hadoop.History {
	if !j.submitted {
		c.Refuse("event", "no JOB_SUBMITTED", "one per job")
		return nil
	}
	if j.h.Outcome == "" {
		c.Mend("event", "none that ends the job", "JOB_FINISHED, JOB_FAILED or JOB_KILLED", "the tasks that have succeeded are taken")
	}
	var listed [model.Kinds]int
	for _, t := range j.order {
		listed[t.kind]++
		if len(t.done) == 0 {
			continue
		}
		d := t.done[len(t.done)-1].Done
		if t.kind == model.Map {
			d.Host, d.Others = j.place(t.splits)
		}
		d.Asked = t.asked
		j.h.Done[t.kind] = append(j.h.Done[t.kind], d)
	}
	if j.h.Outcome == "FINISHED" && j.total[model.Map] != workload.Unknown {
		c.Counts("totalMaps", j.total[model.Map], listed[model.Map])
		c.Counts("totalReduces", j.total[model.Reduce], listed[model.Reduce])
	}
	return &j.h
}

// place returns where the first of the locations of a split lies, and the others with commas between them; empty if
// there is none.
func (j *job) place(splits string) (first, others string) {
	var list []string
	for host := range strings.SplitSeq(splits, ",") {
		host = strings.TrimSpace(host)
		if strings.HasPrefix(host, "/") {
			host = hadoop.Path("", host)
		} else {
			host = hadoop.Path(j.racks[host], host)
		}
		list = append(list, host)
	}
	more := slices.DeleteFunc(list[1:], func(host string) bool { return host == "" })
	return list[0], strings.Join(more, ",")
}
