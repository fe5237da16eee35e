// SPDX-License-Identifier: Apache-2.0

// Package rumen reads job traces that Hadoop's Rumen made of job histories: one JSON object per job,
// in a row or in one list.
//
// What a job's record takes from the trace:
//
//   - The name is jobID; the class is jobName, which runs of the same program share.
//   - Submit counts from the submitTime of the first job in the file that can be read, and keeps the
//     distances of the file. It is negative for a job that stands behind a later one.
//   - A task counts if one of its attempts succeeded; the last such attempt gives its times. Tasks that
//     failed or were killed, and setup and cleanup tasks (otherTasks), are left out, so Maps and
//     Reduces count the tasks that succeeded.
//   - Waited counts from submitTime to the start of the first successful attempt, Elapsed to the end of
//     the last one.
//   - A map's length is finishTime - startTime. A reduce's own length is finishTime - sortFinished;
//     before that it copies and sorts: ShuffleTail is the mean of sortFinished - max(startTime, end
//     of the last map), at least 0. Without sortFinished, shuffleFinished stands for it, and without
//     both the whole attempt is the reduce's own length.
//   - Input adds up inputBytes of the maps, or what their attempts read (hdfsBytesRead, else
//     mapInputBytes); Shuffle adds up reduceShuffleBytes, Output hdfsBytesWritten of the reduces, or
//     of the maps in a job without reduces.
//   - A map's block lies at the first of its preferredLocations, and at the others too. Where the attempt ran says nothing
//     about the block.
//   - jobMapMB and jobReduceMB are the memory of containers where they are above 0.
//
// Jobs that failed or were killed are kept with the tasks that succeeded, unlike in Mumak, which
// skips killed jobs and those without maps. A job without any successful task is a fault whose
// repair is to drop it. So is a successful job that lists fewer or more tasks than its totalMaps and
// totalReduces say; its repair is to take those that are listed.
package rumen

import (
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

var _ workload.Reader = Read

type job struct {
	ID           hadoop.Text `json:"jobID"`
	Name         hadoop.Text `json:"jobName"`
	User         hadoop.Text `json:"user"`
	Queue        hadoop.Text `json:"queue"`
	Priority     hadoop.Text `json:"priority"`
	Outcome      hadoop.Text `json:"outcome"`
	Submit       hadoop.Num  `json:"submitTime"`
	TotalMaps    hadoop.Num  `json:"totalMaps"`
	TotalReduces hadoop.Num  `json:"totalReduces"`
	MapMB        hadoop.Num  `json:"jobMapMB"`
	ReduceMB     hadoop.Num  `json:"jobReduceMB"`
	Maps         []task      `json:"mapTasks"`
	Reduces      []task      `json:"reduceTasks"`
}

type task struct {
	InputBytes hadoop.Num `json:"inputBytes"`
	Locations  []location `json:"preferredLocations"`
	Attempts   []attempt  `json:"attempts"`
}

type location struct {
	Layers []hadoop.Text `json:"layers"`
}

type attempt struct {
	Result          hadoop.Text `json:"result"`
	Start           hadoop.Num  `json:"startTime"`
	Finish          hadoop.Num  `json:"finishTime"`
	ShuffleFinished hadoop.Num  `json:"shuffleFinished"`
	SortFinished    hadoop.Num  `json:"sortFinished"`
	Read            hadoop.Num  `json:"hdfsBytesRead"`
	Written         hadoop.Num  `json:"hdfsBytesWritten"`
	MapInput        hadoop.Num  `json:"mapInputBytes"`
	Shuffled        hadoop.Num  `json:"reduceShuffleBytes"`
}

// Read reads a trace. It is a workload.Reader.
func Read(r io.Reader, log *workload.Log, yield workload.Yield) error {
	rows := hadoop.NewRows[job](r, log, "job")
	var origin hadoop.Origin
	for {
		j, ok := rows.Next()
		if !ok {
			return rows.Err()
		}
		where := rows.Where()
		c := &hadoop.Check{Log: log, At: func() string { return where }}
		h := j.history(c, where)
		if c.Bad {
			continue
		}
		rec := h.Record(c, &origin, where)
		if rec == nil {
			continue
		}
		if err := yield(rec); err != nil {
			return err
		}
	}
}

// history returns the checked job. It is of no use if c.Bad is set.
func (j *job) history(c *hadoop.Check, where string) *hadoop.History {
	h := &hadoop.History{ID: c.Str(j.ID, "jobID"), Name: c.Str(j.Name, "jobName"), User: c.Str(j.User, "user"),
		Queue: c.Str(j.Queue, "queue"), Outcome: c.Str(j.Outcome, "outcome"), Priority: c.Priority(j.Priority, "priority"),
		Submit: c.Millis(j.Submit, "submitTime")}
	if !j.ID.Given {
		c.Refuse("jobID", "nothing", "the ID of a job")
	}
	if n := len(j.Maps) + len(j.Reduces); n > hadoop.MaxTasks {
		c.Refuse("mapTasks and reduceTasks", fmt.Sprintf("%d tasks", n), fmt.Sprintf("at most %d", hadoop.MaxTasks))
		return h
	}
	for kind, part := range [model.Kinds]struct {
		list, total, memory string
		tasks               []task
		said, mb            hadoop.Num
	}{
		model.Map:    {"mapTasks", "totalMaps", "jobMapMB", j.Maps, j.TotalMaps, j.MapMB},
		model.Reduce: {"reduceTasks", "totalReduces", "jobReduceMB", j.Reduces, j.TotalReduces, j.ReduceMB},
	} {
		mb, _ := c.Amount(part.mb, part.memory, hadoop.MaxMiB)
		h.Memory[kind] = model.Bytes(mb) * model.MiB
		said, given := c.Amount(part.said, part.total, hadoop.MaxTasks)
		if given && succeeded(h.Outcome) {
			c.Counts(part.total, said, len(part.tasks))
		}
		for i := range part.tasks {
			tc := &hadoop.Check{Log: c.Log, At: func() string { return fmt.Sprintf("%s, %s[%d]", where, part.list, i) }}
			if d, ok := part.tasks[i].done(tc, model.Kind(kind)); ok {
				h.Done[kind] = append(h.Done[kind], d)
			}
			c.Bad = c.Bad || tc.Bad
		}
	}
	return h
}

// succeeded tells whether a word of Rumen or of the job history means success.
func succeeded(result string) bool { return result == "SUCCESS" || result == "SUCCEEDED" }

// done returns the task as its last successful attempt ran, and whether there is one.
func (t *task) done(c *hadoop.Check, kind model.Kind) (hadoop.Done, bool) {
	for i := len(t.Attempts) - 1; i >= 0; i-- {
		ac := &hadoop.Check{Log: c.Log, At: func() string { return fmt.Sprintf("%s.attempts[%d]", c.At(), i) }}
		if !succeeded(ac.Str(t.Attempts[i].Result, "result")) {
			c.Bad = c.Bad || ac.Bad
			continue
		}
		d := t.Attempts[i].done(ac, kind)
		if kind == model.Map {
			if bytes, given := c.Amount(t.InputBytes, "inputBytes", 1<<63-1); given {
				d.Input = bytes
			}
			d.Host, d.Others = t.hosts(c)
		}
		c.Bad = c.Bad || ac.Bad
		return d, true
	}
	return hadoop.Done{}, false
}

func (a *attempt) done(c *hadoop.Check, kind model.Kind) hadoop.Done {
	d := hadoop.Done{Start: c.Millis(a.Start, "startTime"), Finish: c.Millis(a.Finish, "finishTime")}
	d.Output = amount(c, a.Written, "hdfsBytesWritten")
	d.Shuffle, d.Input = workload.Unknown, workload.Unknown
	if c.Bad {
		return d
	}
	d.Finish = d.Start + c.Span(d.Start, d.Finish, "finishTime", "startTime")
	if kind == model.Map {
		if d.Input = amount(c, a.Read, "hdfsBytesRead"); d.Input == workload.Unknown {
			d.Input = amount(c, a.MapInput, "mapInputBytes")
		}
		return d
	}
	d.Shuffle = amount(c, a.Shuffled, "reduceShuffleBytes")
	d.Ready = c.Ready(d, a.SortFinished, "sortFinished", a.ShuffleFinished, "shuffleFinished")
	return d
}

func amount(c *hadoop.Check, n hadoop.Num, field string) int64 {
	if bytes, given := c.Amount(n, field, 1<<63-1); given {
		return bytes
	}
	return workload.Unknown
}

// hosts returns the first preferred location that is one, and the others with commas between them; the last two layers
// are rack and host.
func (t *task) hosts(c *hadoop.Check) (first, others string) {
	var list []string
	for _, l := range t.Locations {
		rack, host := "", ""
		for _, layer := range l.Layers {
			rack, host = host, c.Str(layer, "preferredLocations")
		}
		if path := hadoop.Path(rack, host); path != "" {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return "", ""
	}
	return list[0], strings.Join(list[1:], ",")
}
