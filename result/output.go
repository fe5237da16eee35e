// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// groupMetrics are reported for every queue and class.
var groupMetrics = []string{"jobs", "mean_wait", "p95_wait", "mean_exec", "mean_elapsed", "median_elapsed", "p95_elapsed",
	"mean_slowdown", "median_slowdown", "p95_slowdown", "mean_response_ratio", "makespan", "node_local", "rack_local"}

// NewSummary computes the figures of a run without its first warmup jobs: the queries about all jobs,
// blame and limits, and those of each queue and class. What the run is called is for the caller to add:
// Scenario, Policy, Seed.
func NewSummary(run *metrics.Run, warmup int, queries []metrics.Query) *Summary {
	all := metrics.All(run, warmup)
	sum := &Summary{Jobs: len(run.Jobs), Tasks: run.Tasks, Killed: run.Killed,
		Flows: run.Activities, Ticks: run.Refreshes,
		Metrics: map[string]float64{}, Blame: map[string]float64{}, Limits: map[string]float64{},
		Queues: map[string]map[string]float64{}, Classes: map[string]map[string]float64{}}
	for _, q := range queries {
		if q.By == "" {
			sum.Metrics[q.Metric], _ = q.Of(all)
		}
	}
	for p := range metrics.Part(metrics.Parts) {
		sum.Blame[p.String()], _ = all.Value(p.Metric())
	}
	for l := range model.Limit(model.Limits) {
		if held, _ := all.Value(metrics.LimitMetric(l)); held != 0 || l <= model.LimitHandOver {
			sum.Limits[l.String()] = held
		}
	}
	by := func(out map[string]map[string]float64, key func(*metrics.Job) string) {
		for _, j := range all.Jobs {
			k := key(j)
			if _, done := out[k]; done || k == "" {
				continue
			}
			group := all.Where(func(j *metrics.Job) bool { return key(j) == k })
			out[k] = map[string]float64{}
			for _, m := range groupMetrics {
				out[k][m], _ = group.Value(m)
			}
		}
	}
	by(sum.Queues, func(j *metrics.Job) string { return j.Queue })
	by(sum.Classes, func(j *metrics.Job) string { return j.Class })
	return sum
}

// Columns are the columns of jobs.csv with their meaning, in order. Times and spans are in seconds.
var Columns = func() (columns [][2]string) {
	columns = [][2]string{
		{"id", "number of the job, in order of submission"}, {"name", "name"}, {"user", "who submitted it"},
		{"queue", "queue or pool"}, {"class", "job type"},
		{"submit", "time of submission"}, {"first_start", "start of its first task"}, {"finish", "end of its last task"},
		{"waiting", "first_start - submit"}, {"execution", "finish - first_start"}, {"elapsed", "finish - submit"},
		{"map_time", "time from the start of its first map to the end of its last"}, {"reduce_time", "time from the start of its first reduce to the end of its last"},
		{"size", "sum of the run times of its tasks"}, {"reference_runtime", "run time alone in the empty cluster; empty if not computed"},
		{"slowdown", "elapsed / reference_runtime"}, {"response_ratio", "elapsed / execution"},
		{"maps", "number of maps"}, {"reduces", "number of reduces"},
		{"node_local", "maps with their block on the node"}, {"rack_local", "maps with their block in the rack"}, {"remote", "maps that read from another rack"},
		{"goal", "time by which it should end; empty if none"}, {"met", "true if it ended by its goal, false if not; empty if none"},
	}
	for p := range metrics.Part(metrics.Parts) {
		columns = append(columns, [2]string{p.Metric(), "part of elapsed; the blame columns add up to it"})
	}
	for l := range model.LimitHandOver {
		columns = append(columns, [2]string{metrics.LimitMetric(l), "time held back by this; the limit columns add up to the waiting and starved parts"})
	}
	for p := range record.Purpose(record.Purposes) {
		columns = append(columns, [2]string{"link_bytes_" + p.String(), "bytes sent over links (durations: network, resources)"},
			[2]string{"cross_rack_" + p.String(), "of these, from one rack to another"})
	}
	return columns
}()

// LimitColumns are last columns of jobs.csv, each where its limit has held a job back.
var LimitColumns = func() (columns [][2]string) {
	for l := model.LimitHandOver; l < model.Limits; l++ {
		columns = append(columns, [2]string{metrics.LimitMetric(l), "a further limit column, where it has held jobs back: " + metrics.LimitChoices()[l].Text})
	}
	return columns
}()

// StolenColumn is the last column of jobs.csv where jobs were stolen.
var StolenColumn = [2]string{"stolen", "where jobs were stolen: true if machines of another kind took the job over before it started (hybrid)"}

// AllColumns returns the columns that jobs.csv always has, and those that it may have.
func AllColumns() [][2]string { return slices.Concat(Columns, LimitColumns, [][2]string{StolenColumn}) }

// WriteJobs writes jobs.csv.
func WriteJobs(w io.Writer, run *metrics.Run) error {
	out := bufio.NewWriter(w)
	columns := Columns
	var more []model.Limit
	for i, column := range LimitColumns {
		l := model.LimitHandOver + model.Limit(i)
		if slices.ContainsFunc(run.Jobs, func(j metrics.Job) bool { return j.Limits[l] > 0 }) {
			more = append(more, l)
			columns = append(slices.Clone(columns), column)
		}
	}
	stolen := slices.ContainsFunc(run.Jobs, func(j metrics.Job) bool { return j.Stolen })
	if stolen {
		columns = append(slices.Clone(columns), StolenColumn)
	}
	line := appendHead(nil, columns)
	out.Write(line)
	for i := range run.Jobs {
		line = appendJob(line[:0], &run.Jobs[i])
		for _, l := range more {
			line = run.Jobs[i].Limits[l].AppendDecimal(append(line, ','))
		}
		if stolen {
			line = strconv.AppendBool(append(line, ','), run.Jobs[i].Stolen)
		}
		line = append(line, '\n')
		out.Write(line)
	}
	return out.Flush()
}

func appendJob(b []byte, j *metrics.Job) []byte {
	b = strconv.AppendInt(b, int64(j.ID), 10)
	for _, text := range []string{j.Name, j.User, j.Queue, j.Class} {
		b = csvtext.Append(append(b, ','), text)
	}
	for _, t := range []model.Time{j.Submit, j.FirstStart, j.Finish, j.Waiting(), j.Execution(), j.Elapsed(), j.MapTime(), j.ReduceTime(), j.Size} {
		b = t.AppendDecimal(append(b, ','))
	}
	if j.Reference > 0 {
		b = j.Reference.AppendDecimal(append(b, ','))
		b = strconv.AppendFloat(append(b, ','), j.Slowdown(), 'g', -1, 64)
	} else {
		b = append(b, ",,"...)
	}
	b = strconv.AppendFloat(append(b, ','), j.ResponseRatio(), 'g', -1, 64)
	for _, n := range []int32{j.Maps, j.Reduces, j.Locality[0], j.Locality[1], j.Locality[2]} {
		b = strconv.AppendInt(append(b, ','), int64(n), 10)
	}
	if j.Goal > 0 {
		b = j.Goal.AppendDecimal(append(b, ','))
		b = strconv.AppendBool(append(b, ','), j.Met())
	} else {
		b = append(b, ",,"...)
	}
	for _, t := range j.Blame {
		b = t.AppendDecimal(append(b, ','))
	}
	for _, t := range j.Limits[:model.LimitHandOver] {
		b = t.AppendDecimal(append(b, ','))
	}
	for _, m := range j.Moved {
		b = strconv.AppendInt(append(b, ','), int64(m.Bytes), 10)
		b = strconv.AppendInt(append(b, ','), int64(m.Cross), 10)
	}
	return b
}

// WriteSeries writes series.csv: time (start of the bucket, seconds), series, key, value (mean over
// the bucket).
func WriteSeries(w io.Writer, s *metrics.Series) error {
	out := bufio.NewWriter(w)
	out.WriteString("time,series,key,value\n")
	var b []byte
	for _, line := range s.Lines {
		for i, v := range line.Values {
			if math.IsNaN(v) {
				continue // nothing is known then
			}
			b = (model.Time(i) * s.Width).AppendDecimal(b[:0])
			b = append(append(append(b, ','), line.Name...), ',')
			b = csvtext.Append(b, line.Key)
			b = strconv.AppendFloat(append(b, ','), v, 'g', 6, 64)
			out.Write(append(b, '\n'))
		}
	}
	return out.Flush()
}

// SweepRow is one run of a sweep: where it is in the grid and what it measured, NaN where there was
// nothing to measure.
type SweepRow struct {
	Settings []string // one for each axis
	Seed     uint64
	Values   []float64 // one for each query
}

// WriteSweep writes sweep.csv: one row for each run, in the order given: settings, seed, metrics.
func WriteSweep(w io.Writer, axes []string, queries []metrics.Query, rows []SweepRow) error {
	out := bufio.NewWriter(w)
	var b []byte
	for _, path := range axes {
		b = append(csvtext.Append(b, path), ',')
	}
	b = append(b, "seed"...)
	for _, q := range queries {
		b = csvtext.Append(append(b, ','), q.String())
	}
	out.Write(append(b, '\n'))
	for _, row := range rows {
		b = b[:0]
		for _, value := range row.Settings {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				b = append(append(b, value...), ',') // its sign is no formula
				continue
			}
			b = append(csvtext.Append(b, value), ',')
		}
		b = strconv.AppendUint(b, row.Seed, 10)
		for _, v := range row.Values {
			b = append(b, ',')
			if !math.IsNaN(v) {
				b = strconv.AppendFloat(b, v, 'g', -1, 64)
			}
		}
		out.Write(append(b, '\n'))
	}
	return out.Flush()
}

// WriteJSON writes v as indented JSON with a final newline. Maps come in order of their keys.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encoding JSON: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// JSON returns what writes a value by WriteJSON.
func JSON(v any) func(io.Writer) error {
	return func(out io.Writer) error { return WriteJSON(out, v) }
}
