// SPDX-License-Identifier: Apache-2.0

package twin

import (
	"context"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// jobsOf asks a JobHistoryServer for its newest jobs. It asks once for each task that succeeded; where blocks lie the
// server does not tell.
func jobsOf(ctx context.Context, from Sources) ([]workload.Record, *workload.Log, error) {
	log := &workload.Log{File: "JobHistoryServer", Mend: true}
	jobs, err := from.History.Jobs(ctx, from.Since, from.Most)
	if err != nil {
		return nil, log, err
	}
	var records []workload.Record
	var origin hadoop.Origin
	for i := range jobs {
		if len(from.Only) > 0 && !slices.Contains(from.Only, "application_"+strings.TrimPrefix(jobs[i].ID, "job_")) {
			continue
		}
		r, err := record(ctx, from.History, &jobs[i], &hadoop.Check{Log: log, At: func() string { return jobs[i].ID }}, &origin)
		if err != nil {
			return nil, log, err
		}
		if r != nil {
			records = append(records, *r)
		}
	}
	if len(records) > 0 { // the first job may have been dropped
		first := records[0].Submit
		for i := range records {
			records[i].Submit -= first
		}
	}
	return records, log, nil
}

// record asks for everything about one job; nil if nothing of it succeeded.
func record(ctx context.Context, server *rest.History, j *rest.Job, c *hadoop.Check, origin *hadoop.Origin) (*workload.Record, error) {
	h := &hadoop.History{ID: j.ID, Name: j.Name, User: j.User, Queue: j.Queue, Outcome: j.State, Priority: model.Normal, Submit: int64(j.Submitted),
		Whole: true, MasterStart: workload.Unknown, Inited: int64(j.Started), Ended: int64(j.Finished)}
	masters, err := server.Masters(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	if n := len(masters); n > 0 {
		h.MasterStart, h.MasterHost = int64(masters[n-1].Started), host(masters[n-1].Node)
	}
	tasks, err := server.Tasks(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	for i := range tasks {
		t := &tasks[i]
		if t.Successful == "" {
			continue
		}
		runs, err := server.TaskRuns(ctx, j.ID, t.ID)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(runs, func(r rest.TaskRun) bool { return r.ID == t.Successful })
		if at < 0 {
			c.Log.Note(j.ID, t.ID, "its successful attempt is not listed: it is left out")
			continue
		}
		kind := model.Map
		if t.Type == "REDUCE" {
			kind = model.Reduce
		}
		h.Done[kind] = append(h.Done[kind], done(t, &runs[at], kind))
	}
	if j.Uber {
		c.Log.Note(j.ID, "uberized", "the tasks ran inside the master's container; here they get containers of their own")
	}
	r := h.Record(c, origin, j.ID)
	if r == nil {
		return nil, nil
	}
	counters, err := server.Counters(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	count(r, counters)
	p, err := server.JobConf(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	hadoop.Configure(r, p, c.Log)
	return r, nil
}

// done is a task as its successful attempt ran. Instants of clocks that differ are put in order.
func done(t *rest.Task, run *rest.TaskRun, kind model.Kind) hadoop.Done {
	d := hadoop.Done{Start: int64(run.Started), Finish: int64(max(run.Finished, run.Started)), Asked: int64(t.Started), Ran: hadoop.Path(run.Rack, host(run.Node)),
		Input: workload.Unknown, Shuffle: workload.Unknown, Output: workload.Unknown}
	if kind == model.Reduce {
		d.Ready = min(max(int64(max(run.Merged, run.Shuffled)), d.Start), d.Finish)
	}
	return d
}

// count takes the bytes of a job from its counters.
func count(r *workload.Record, all rest.Counters) {
	r.Input = model.Bytes(all["HDFS_BYTES_READ"].Maps)
	r.Output = model.Bytes(all["HDFS_BYTES_WRITTEN"].Reduces)
	if r.Reduces == 0 {
		r.Output = model.Bytes(all["HDFS_BYTES_WRITTEN"].Maps)
	} else {
		r.Shuffle = model.Bytes(all["REDUCE_SHUFFLE_BYTES"].Reduces)
	}
}

// host is the name before a port.
func host(address string) string {
	name, _, _ := strings.Cut(address, ":")
	return name
}
