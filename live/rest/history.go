// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/yarn/conf"
)

// History asks a JobHistoryServer, which knows the MapReduce jobs that have ended.
type History struct{ t *transport }

// NewHistory returns a client of the JobHistoryServer at the configuration's addresses. It asks nothing yet.
func NewHistory(c Config) (*History, error) {
	t, err := newTransport(c, "/ws/v1/history/mapreduce/jobs")
	if err != nil {
		return nil, fmt.Errorf("JobHistoryServer: %w", err)
	}
	return &History{t}, nil
}

// Job is a job that has ended.
type Job struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	User      string `json:"user"`
	Queue     string `json:"queue"`
	State     string `json:"state"` // SUCCEEDED, FAILED, KILLED, …
	Submitted Moment `json:"submitTime"`
	Started   Moment `json:"startTime"` // its master had set it up
	Finished  Moment `json:"finishTime"`
	Maps      int    `json:"mapsTotal"`
	Reduces   int    `json:"reducesTotal"`
	Uber      bool   `json:"uberized"` // its tasks ran in its master's container
}

// Jobs returns the newest jobs that ended at since or later, at most that many, in the order of their submission.
func (h *History) Jobs(ctx context.Context, since Moment, most int) ([]Job, error) {
	q := url.Values{}
	if since > 0 {
		q.Set("finishedTimeBegin", strconv.FormatInt(int64(since), 10))
	}
	var out struct {
		Jobs *struct{ Job list[Job] }
	}
	if err := h.t.get(ctx, query(q), &out); err != nil || out.Jobs == nil {
		return nil, err
	}
	jobs := out.Jobs.Job
	slices.SortFunc(jobs, func(a, b Job) int { return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), strings.Compare(a.ID, b.ID)) })
	return jobs[max(0, len(jobs)-most):], nil
}

// JobConf returns the configuration that a job ran with.
func (h *History) JobConf(ctx context.Context, id string) (conf.Properties, error) {
	var out struct{ Conf *properties }
	err := h.t.get(ctx, "/"+url.PathEscape(id)+"/conf", &out)
	p, err := found(out.Conf, err, "conf")
	if err != nil {
		return nil, err
	}
	return p.read(), nil
}

// MasterRun is one life of a job's master.
type MasterRun struct {
	Container string `json:"containerId"`
	Node      string `json:"nodeId"`
	Started   Moment `json:"startTime"`
}

// Masters returns the lives of a job's master.
func (h *History) Masters(ctx context.Context, id string) ([]MasterRun, error) {
	var out struct {
		JobAttempts *struct{ JobAttempt list[MasterRun] }
	}
	if err := h.t.get(ctx, "/"+url.PathEscape(id)+"/jobattempts", &out); err != nil || out.JobAttempts == nil {
		return nil, err
	}
	return out.JobAttempts.JobAttempt, nil
}

// Task is a task of a job.
type Task struct {
	ID         string `json:"id"`
	Type       string `json:"type"` // MAP or REDUCE
	State      string `json:"state"`
	Successful string `json:"successfulAttempt"`
	Started    Moment `json:"startTime"` // its master first wanted it
	Finished   Moment `json:"finishTime"`
}

// Tasks returns the tasks of a job, by their IDs.
func (h *History) Tasks(ctx context.Context, job string) ([]Task, error) {
	var out struct {
		Tasks *struct{ Task list[Task] }
	}
	if err := h.t.get(ctx, "/"+url.PathEscape(job)+"/tasks", &out); err != nil || out.Tasks == nil {
		return nil, err
	}
	tasks := out.Tasks.Task
	slices.SortFunc(tasks, func(a, b Task) int { return strings.Compare(a.ID, b.ID) })
	return tasks, nil
}

// TaskRun is an attempt of a task.
type TaskRun struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Started   Moment `json:"startTime"`
	Finished  Moment `json:"finishTime"`
	Rack      string `json:"rack"`
	Node      string `json:"nodeHttpAddress"`
	Container string `json:"assignedContainerId"`
	Shuffled  Moment `json:"shuffleFinishTime"` // of a reduce
	Merged    Moment `json:"mergeFinishTime"`
}

// TaskRuns returns the attempts of a task.
func (h *History) TaskRuns(ctx context.Context, job, task string) ([]TaskRun, error) {
	var out struct {
		TaskAttempts *struct{ TaskAttempt list[TaskRun] }
	}
	if err := h.t.get(ctx, "/"+url.PathEscape(job)+"/tasks/"+url.PathEscape(task)+"/attempts", &out); err != nil || out.TaskAttempts == nil {
		return nil, err
	}
	return out.TaskAttempts.TaskAttempt, nil
}

// Counters are sums over a job's tasks by name, such as HDFS_BYTES_READ.
type Counters map[string]Counter

// Counter is a sum over the maps and one over the reduces.
type Counter struct {
	Maps    int64 `json:"mapCounterValue"`
	Reduces int64 `json:"reduceCounterValue"`
}

// Counters returns the counters of a job.
func (h *History) Counters(ctx context.Context, job string) (Counters, error) {
	type named struct {
		Name string `json:"name"`
		Counter
	}
	var out struct {
		JobCounters *struct {
			CounterGroup list[struct{ Counter list[named] }]
		}
	}
	if err := h.t.get(ctx, "/"+url.PathEscape(job)+"/counters", &out); err != nil || out.JobCounters == nil {
		return nil, err
	}
	all := Counters{}
	for _, g := range out.JobCounters.CounterGroup {
		for _, c := range g.Counter {
			all[c.Name] = c.Counter
		}
	}
	return all, nil
}
