// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bufio"
	"io"
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/attempts"
	"github.com/yardmaster/yardmaster/model"
)

// TaskColumns are the columns of tasks.csv with their meaning, in order. Times are in seconds.
var TaskColumns = [][2]string{
	{"job", "number of the job"}, {"kind", "map or reduce"}, {"task", "number of the task among those of its kind"}, {"attempt", "number of the attempt, from 0 on"},
	{"node", "number of the node"}, {"rack", "number of its rack"}, {"start", "when it got room"}, {"end", "when it gave it back"},
	{"outcome", "done; killed: the task had to run again; dropped: another attempt ended first; running: the run ended before it"},
	{"locality", "how far a map's block was; empty for reduces"},
}

// WriteTasks writes tasks.csv: one row for each attempt, in the order in which they started.
func WriteTasks(w io.Writer, all []attempts.Attempt, t *model.Topology) error {
	out := bufio.NewWriter(w)
	b := appendHead(nil, TaskColumns)
	out.Write(b)
	for i := range all {
		a := &all[i]
		b = strconv.AppendInt(b[:0], int64(a.Task.Job), 10)
		b = append(append(append(b, ','), a.Task.Kind.String()...), ',')
		b = strconv.AppendInt(b, int64(a.Task.Index), 10)
		b = strconv.AppendUint(append(b, ','), uint64(a.Number), 10)
		b = strconv.AppendInt(append(b, ','), int64(a.Node), 10)
		b = strconv.AppendInt(append(b, ','), int64(t.Nodes[a.Node].Rack), 10)
		b = a.Start.AppendDecimal(append(b, ','))
		b = a.End.AppendDecimal(append(b, ','))
		b = append(append(append(b, ','), a.Outcome.String()...), ',')
		if a.Task.Kind == model.Map {
			b = append(b, a.Locality.String()...)
		}
		out.Write(append(b, '\n'))
	}
	return out.Flush()
}

// JobsHead is the head of a table of jobs with all limit columns.
func JobsHead() []byte { return appendHead(nil, append(slices.Clone(Columns), LimitColumns...)) }

// AppendJobs appends the rows of jobs, with all limit columns.
func AppendJobs(b []byte, jobs []*metrics.Job) []byte {
	for _, j := range jobs {
		b = appendJob(b, j)
		for _, held := range j.Limits[model.LimitHandOver:] {
			b = held.AppendDecimal(append(b, ','))
		}
		b = append(b, '\n')
	}
	return b
}

// AppendText appends a field of a CSV file, quoted where it must be.
func AppendText(b []byte, text string) []byte { return csvtext.Append(b, text) }
