// SPDX-License-Identifier: Apache-2.0

// Package sls reads the job traces and the node files of Hadoop's Scheduler Load Simulator (SLS):
// JSON objects in a row, or in one list.
//
// What a job's record takes from the trace, and what it does not:
//
//   - Submit is job.start.ms as it stands; the name is job.id, empty if there is none.
//   - With job.count above 1 the job is repeated under the names id_1 to id_n. (SLS itself drops the
//     id and lets the resource manager number the repetitions.) The records of one job share their
//     lists, which must not be changed.
//   - The length of a task is container.duration.ms, or duration.ms (its old name), or
//     container.end.ms - container.start.ms. When a task started in the traced run does not matter.
//   - container.type says what a task is; without it, container.priority does (5 and 20 map, 10
//     reduce), and without both it is a map.
//   - SLS knows no shuffle: the whole length of a reduce is its own work.
//   - A map's block lies at its container.host, the place that SLS asks for.
//   - am.memory-mb and am.vcores are the size of the application master's container, yarn.sls.am.type
//     or am.type is its kind, job.label.expression is the label of the nodes that it asks for.
//   - container.memory-mb (also container.memory, in MiB) and container.vcores are the size of a task's
//     container. Memory and VCores of the record are the largest of each kind; where containers differ,
//     or name a priority other than that of their kind or a container.request.delay (also
//     container.delay.ms), Asks has one entry per task.
//   - {"num.nodes": ...} describes a cluster.
//
// What is right but changes nothing is noted in the log: fields that are not modelled, and unknown ones.
package sls

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

var _ workload.Reader = Read

type job struct {
	jobFields
	unknown []string
}

type jobFields struct {
	Start    hadoop.Num  `json:"job.start.ms"`
	Queue    hadoop.Text `json:"job.queue.name"`
	ID       hadoop.Text `json:"job.id"`
	User     hadoop.Text `json:"job.user"`
	Count    hadoop.Num  `json:"job.count"`
	Label    hadoop.Text `json:"job.label.expression"`
	Type     hadoop.Text `json:"yarn.sls.am.type"`
	OldType  hadoop.Text `json:"am.type"`
	AMMemory hadoop.Num  `json:"am.memory-mb"`
	AMVCores hadoop.Num  `json:"am.vcores"`
	Tasks    []task      `json:"job.tasks"`
	Nodes    hadoop.Num  `json:"num.nodes"`
}

type task struct {
	taskFields
	unknown []string
}

type taskFields struct {
	Host        hadoop.Text `json:"container.host"`
	Start       hadoop.Num  `json:"container.start.ms"`
	End         hadoop.Num  `json:"container.end.ms"`
	Duration    hadoop.Num  `json:"container.duration.ms"`
	OldDuration hadoop.Num  `json:"duration.ms"`
	Priority    hadoop.Num  `json:"container.priority"`
	Type        hadoop.Text `json:"container.type"`
	Count       hadoop.Num  `json:"count"`
	MemoryMB    hadoop.Num  `json:"container.memory-mb"`
	Memory      hadoop.Num  `json:"container.memory"`
	VCores      hadoop.Num  `json:"container.vcores"`
	Delay       hadoop.Num  `json:"container.request.delay"`
	OldDelay    hadoop.Num  `json:"container.delay.ms"`
	Execution   hadoop.Text `json:"container.execution.type"`
	Allocation  hadoop.Num  `json:"container.allocation.id"`
}

// silent are fields that are known and say how a run went, not what to run.
var silent = []string{"job.end.ms", "num.racks"}

var (
	jobKeys  = append(members(jobFields{}), silent...)
	taskKeys = members(taskFields{})
)

// members returns the names of the fields of a JSON object.
func members(fields any) (names []string) {
	t := reflect.TypeOf(fields)
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("json"))
	}
	return names
}

// UnmarshalJSON reads the job and remembers fields that nobody knows.
func (j *job) UnmarshalJSON(b []byte) error {
	j.unknown = unknown(b, jobKeys)
	return json.Unmarshal(b, &j.jobFields)
}

// UnmarshalJSON reads the task and remembers fields that nobody knows.
func (t *task) UnmarshalJSON(b []byte) error {
	t.unknown = unknown(b, taskKeys)
	return json.Unmarshal(b, &t.taskFields)
}

func unknown(object []byte, known []string) []string {
	return slices.DeleteFunc(hadoop.Keys(object), func(key string) bool { return slices.Contains(known, key) })
}

// Read reads a job trace. It is a workload.Reader.
func Read(r io.Reader, log *workload.Log, yield workload.Yield) error {
	rows := hadoop.NewRows[job](r, log, "job")
	for {
		j, ok := rows.Next()
		if !ok {
			return rows.Err()
		}
		if j.Nodes.Given && j.Tasks == nil {
			rows.Uncount()
			log.Note("num.nodes", "cluster", "passed over: the nodes are those of the scenario")
			continue
		}
		where := rows.Where()
		c := &hadoop.Check{Log: log, At: func() string { return where }}
		rec, count := j.record(c, where)
		if c.Bad {
			continue
		}
		if err := repeat(rec, count, yield); err != nil {
			return err
		}
	}
}

// repeat yields the record as often as job.count says.
func repeat(rec *workload.Record, count int64, yield workload.Yield) error {
	if count == 1 {
		return yield(rec)
	}
	for i := range count {
		again := *rec
		if rec.Name != "" {
			again.Name = rec.Name + "_" + strconv.FormatInt(i+1, 10)
		}
		if err := yield(&again); err != nil {
			return err
		}
	}
	return nil
}

// record returns the job as a record and how often it is run. It is of no use if c.Bad is set.
func (j *job) record(c *hadoop.Check, where string) (*workload.Record, int64) {
	r := workload.NewRecord(where)
	j.application(c, &r)
	r.Submit = model.Time(c.Need(j.Start, "job.start.ms", 0, hadoop.MaxMillis)) * model.Millisecond
	r.Name, r.Queue, r.User = c.Str(j.ID, "job.id"), c.Str(j.Queue, "job.queue.name"), c.Str(j.User, "job.user")
	if !j.User.Given {
		r.User = "default"
	}
	count := repetitions(c, j.Count, "job.count")
	if len(j.Tasks) == 0 {
		c.Refuse("job.tasks", "nothing", "at least one task")
	}
	tasks := make([]item, len(j.Tasks))
	total := int64(0)
	for i := range j.Tasks {
		tc := &hadoop.Check{Log: c.Log, At: func() string { return fmt.Sprintf("%s, job.tasks[%d]", where, i) }}
		tasks[i] = j.Tasks[i].item(tc)
		j.Tasks[i].note(tc, tasks[i].kind)
		c.Bad = c.Bad || tc.Bad
		total += tasks[i].count
	}
	if total > hadoop.MaxTasks {
		c.Refuse("job.tasks", fmt.Sprintf("%d tasks", total), fmt.Sprintf("at most %d", hadoop.MaxTasks))
	}
	if !c.Bad {
		fill(&r, tasks)
		c.Log.NoteAsks(&r)
	}
	return &r, count
}

// item is one checked element of job.tasks.
type item struct {
	kind   model.Kind
	length model.Time
	count  int64
	host   string
	memory model.Bytes
	vcores int32
	ask    model.Ask
}

func (t *task) item(c *hadoop.Check) item {
	it := item{kind: t.kind(c), count: repetitions(c, t.Count, "count"), host: place(c, t.Host)}
	it.length = model.Time(t.length(c)) * model.Millisecond
	memory, given := c.Int(t.MemoryMB, "container.memory-mb", 1, hadoop.MaxMiB)
	if !given {
		memory, _ = c.Int(t.Memory, "container.memory", 1, hadoop.MaxMiB)
	}
	vcores, _ := c.Int(t.VCores, "container.vcores", 0, 1<<31-1)
	it.memory, it.vcores = model.Bytes(memory)*model.MiB, int32(vcores)
	it.ask = model.Ask{Need: room(memory, vcores), Priority: t.priority(c, it.kind), Delay: model.Time(t.delay(c)) * model.Millisecond}
	return it
}

// room returns the size of a container; 0 is what the trace does not say.
func room(memory, vcores int64) model.Room {
	return model.Room{int32(min(memory, 1<<30)), int32(vcores)}
}

// priority returns that of the request, 0 if it is that of the task's kind.
func (t *task) priority(c *hadoop.Check, kind model.Kind) int32 {
	priority, given := c.Int(t.Priority, "container.priority", 0, 1<<31-1)
	if !given || priority == [model.Kinds]int64{20, 10}[kind] {
		return 0
	}
	return int32(priority)
}

// delay returns milliseconds.
func (t *task) delay(c *hadoop.Check) int64 {
	ms, given := c.Int(t.Delay, "container.request.delay", 0, hadoop.MaxMillis)
	if !given {
		ms, _ = c.Int(t.OldDelay, "container.delay.ms", 0, hadoop.MaxMillis)
	}
	return ms
}

func (t *task) kind(c *hadoop.Check) model.Kind {
	kind := c.Str(t.Type, "container.type")
	priority, given := c.Int(t.Priority, "container.priority", 0, 1<<31-1)
	switch {
	case kind == "map", !t.Type.Given && (!given || priority == 5 || priority == 20):
		return model.Map
	case kind == "reduce", !t.Type.Given && priority == 10:
		return model.Reduce
	case !t.Type.Given:
		c.Refuse("container.priority", strconv.FormatInt(priority, 10), "5 or 20 (map), 10 (reduce), or any beside container.type")
	case kind != "" || !c.Bad:
		c.Refuse("container.type", hadoop.Quote(kind), "map or reduce")
	}
	return model.Map
}

// length returns milliseconds.
func (t *task) length(c *hadoop.Check) int64 {
	if ms, given := c.Int(t.Duration, "container.duration.ms", 0, hadoop.MaxMillis); given || t.Duration.Given {
		return ms
	}
	if ms, given := c.Int(t.OldDuration, "duration.ms", 0, hadoop.MaxMillis); given || t.OldDuration.Given {
		return ms
	}
	start := c.Need(t.Start, "container.start.ms", 0, hadoop.MaxMillis)
	end := c.Need(t.End, "container.end.ms", 0, hadoop.MaxMillis)
	if c.Bad {
		return 0
	}
	return c.Span(start, end, "container.end.ms", "container.start.ms")
}

// repetitions returns how often a task or job is run; SLS takes less than 1 as 1.
func repetitions(c *hadoop.Check, n hadoop.Num, field string) int64 {
	if n.Whole() && n.V < 1 {
		c.Mend(field, strconv.FormatInt(n.V, 10), fmt.Sprintf("a whole number from 1 to %d", hadoop.MaxTasks), "taken as 1, as SLS does")
		return 1
	}
	v, _ := c.Int(n, field, 1, hadoop.MaxTasks)
	return max(v, 1)
}

// place returns the host of a task as "/rack/host".
func place(c *hadoop.Check, t hadoop.Text) string {
	host := c.Str(t, "container.host")
	path := hadoop.Path("", host)
	if host != "" && path != host && !strings.HasPrefix(host, "/") {
		c.Mend("container.host", hadoop.Quote(host), "/rack/node", "taken as "+path)
	}
	return path
}

// fill puts the tasks into the record.
func fill(r *workload.Record, tasks []item) {
	var count [model.Kinds]int64
	var first [model.Kinds]*item
	var differ [model.Kinds]bool
	placed := false
	for i := range tasks {
		t := &tasks[i]
		count[t.kind] += t.count
		placed = placed || t.kind == model.Map && t.host != ""
		r.Memory[t.kind] = max(r.Memory[t.kind], t.memory)
		r.VCores[t.kind] = max(r.VCores[t.kind], t.vcores)
		if first[t.kind] == nil {
			first[t.kind] = t
		}
		differ[t.kind] = differ[t.kind] || t.ask != first[t.kind].ask || t.ask.Priority != 0 || t.ask.Delay != 0
	}
	r.Maps, r.Reduces = int32(count[model.Map]), int32(count[model.Reduce])
	r.MapLengths = make([]model.Time, 0, count[model.Map])
	r.ReduceLengths = make([]model.Time, 0, count[model.Reduce])
	if placed {
		r.MapHosts = make([]string, 0, count[model.Map])
	}
	for _, t := range tasks {
		for range t.count {
			if differ[t.kind] {
				r.Asks[t.kind] = append(r.Asks[t.kind], t.ask)
			}
			if t.kind == model.Reduce {
				r.ReduceLengths = append(r.ReduceLengths, t.length)
				continue
			}
			r.MapLengths = append(r.MapLengths, t.length)
			if placed {
				r.MapHosts = append(r.MapHosts, t.host)
			}
		}
	}
}
