// SPDX-License-Identifier: Apache-2.0

// Package course lays a plan of recurring jobs beside what happened: when the tasks of each job were to run in each rack, and
// when they did. It hears the events of a run, and gives a table and a chart.
package course

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/rackplan"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/report"
)

// Course is a plan and the run that follows it.
type Course struct {
	topology *model.Topology
	names    []string // of jobs by number
	rows     []row
	at       map[place]int // rows
}

var _ record.Recorder = (*Course)(nil)

// place is where tasks run.
type place struct {
	job  model.JobID
	kind model.Kind
	rack model.RackID
}

// row is the tasks of a job of one kind in one rack.
type row struct {
	place
	booked      int32 // containers, 0 where it was not planned
	from, to    model.Time
	ran         int32 // attempts that started, 0 if none did
	first, last model.Time
}

// New returns a course for the jobs of a run. The plan names some of them.
func New(plan *rackplan.File, topology *model.Topology, jobs []model.Job) *Course {
	c := &Course{topology: topology, at: map[place]int{}}
	numbers := map[string]model.JobID{}
	for i := range jobs {
		c.names = append(c.names, jobs[i].Name)
		if jobs[i].Period > 0 {
			numbers[jobs[i].Name] = jobs[i].ID
		}
	}
	for i := range plan.Jobs {
		p := &plan.Jobs[i]
		id, is := numbers[p.Name]
		if !is {
			continue
		}
		for k, shares := range [][]rackplan.FileShare{p.MapRacks, p.ReduceRacks} {
			from, to := p.Start, p.MapsEnd
			if model.Kind(k) == model.Reduce {
				from, to = p.MapsEnd, p.End
			}
			for _, s := range shares {
				r := c.row(place{id, model.Kind(k), model.RackID(s.Rack)})
				r.booked, r.from, r.to = s.Tasks, from, to
			}
		}
	}
	return c
}

// row finds or makes the row of a place.
func (c *Course) row(at place) *row {
	i, is := c.at[at]
	if !is {
		i = len(c.rows)
		c.at[at] = i
		c.rows = append(c.rows, row{place: at})
	}
	return &c.rows[i]
}

// Record implements record.Recorder.
func (c *Course) Record(e *record.Event) {
	switch e.Kind {
	case record.TaskStarted, record.TaskEnded, record.TaskKilled, record.TaskDropped:
		if e.Node == model.None {
			return
		}
	default:
		return
	}
	r := c.row(place{e.Task.Job, e.Task.Kind, c.topology.Nodes[e.Node].Rack})
	if e.Kind == record.TaskStarted {
		if r.ran == 0 {
			r.first = e.Time
		}
		r.ran++
	}
	r.last = e.Time
}

// sorted returns the rows by rack, then by when they were to start or did, then by job.
func (c *Course) sorted() []row {
	list := slices.Clone(c.rows)
	begin := func(r *row) model.Time {
		if r.booked > 0 {
			return r.from
		}
		return r.first
	}
	slices.SortFunc(list, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.rack, b.rack), cmp.Compare(begin(&a), begin(&b)), cmp.Compare(a.job, b.job), cmp.Compare(a.kind, b.kind))
	})
	return list
}

// Columns are the columns of the table with their meaning, in order. Times are in seconds.
var Columns = [][2]string{
	{"rack", "number of the rack, from 0"}, {"job", "name of the job"}, {"kind", "map or reduce"},
	{"booked", "containers that the plan books there, 0 if the tasks were not planned for the rack"},
	{"planned_start", "when the job's tasks of the kind were to start; empty without a plan"}, {"planned_end", "when the last of them was to end"},
	{"started", "tasks that started there, those that were started again among them"},
	{"first_start", "when the first of them started; empty if none did"}, {"last_end", "when the last of them ended"},
}

// CSV returns the table.
func (c *Course) CSV() []byte {
	var b bytes.Buffer
	for i, col := range Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(col[0])
	}
	b.WriteByte('\n')
	times := func(there bool, list ...model.Time) {
		for _, t := range list {
			b.WriteByte(',')
			if there {
				b.Write(t.AppendDecimal(nil))
			}
		}
	}
	rows := c.sorted()
	for i := range rows {
		r := &rows[i]
		b.WriteString(strconv.Itoa(int(r.rack)) + "," + string(csvtext.Append(nil, c.names[r.job])) + "," + r.kind.String() + "," + strconv.Itoa(int(r.booked)))
		times(r.booked > 0, r.from, r.to)
		b.WriteString("," + strconv.Itoa(int(r.ran)))
		times(r.ran > 0, r.first, r.last)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Chart returns what the report draws.
func (c *Course) Chart() *report.RackChart {
	chart := &report.RackChart{Racks: c.topology.Racks}
	rows := c.sorted()
	for i := range rows {
		r := &rows[i]
		name := c.names[r.job] + ", " + r.kind.String() + "s"
		if r.booked > 0 {
			chart.Bars = append(chart.Bars, report.RackBar{Rack: int(r.rack), Name: name, Reduces: r.kind == model.Reduce, Planned: true, From: r.from.Seconds(), To: r.to.Seconds()})
		}
		if r.ran > 0 {
			chart.Bars = append(chart.Bars, report.RackBar{Rack: int(r.rack), Name: name, Reduces: r.kind == model.Reduce, From: r.first.Seconds(), To: r.last.Seconds()})
		}
	}
	return chart
}
