// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/attempts"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report"
)

// What nodes.html draws at most, so that it stays within what a page may hold.
const (
	mostBars    = 4000 // attempts in the rows of nodes
	mostLanes   = 160
	mostMapRows = 40
	mapColumns  = 96
)

// nodesPage shows the nodes over time: tasks by node and slot, and how busy nodes and racks were.
func nodesPage(policy string, all []attempts.Attempt, run *metrics.Run, t *model.Topology) *report.Answer {
	end := model.Time(1)
	for i := range all {
		end = max(end, all[i].End)
	}
	a := &report.Answer{Title: "Nodes over time", Subtitle: "under " + policy, Facts: [][2]string{{"nodes", fmt.Sprint(len(t.Nodes))}, {"racks", fmt.Sprint(t.Racks)}, {"attempts", fmt.Sprint(len(all))}}}
	rackOf := func(n model.NodeID) int { return int(t.Nodes[n].Rack) }
	nodeOf := func(n model.NodeID) int { return int(n) }
	if t.Racks > 1 {
		a.Parts = append(a.Parts, report.Part{Heat: useMap("Use of racks", "rack", t.Racks, all, rackOf, end)})
	}
	a.Parts = append(a.Parts, report.Part{Heat: useMap("Use of nodes", "node", len(t.Nodes), all, nodeOf, end)}, report.Part{Strip: lanes(all, run, len(t.Nodes))})
	return a
}

// useMap is the mean number of running attempts of each node or rack over time.
func useMap(title, what string, n int, all []attempts.Attempt, row func(model.NodeID) int, end model.Time) *report.Heat {
	every := (n + mostMapRows - 1) / mostMapRows
	h := &report.Heat{Title: title, Text: "The mean number of tasks that ran there: the stronger the colour, the more.", RowLabel: what, ColLabel: "time", Best: [2]int{-1, -1}}
	if every > 1 {
		h.Text += fmt.Sprintf(" One %s in %d is drawn.", what, every)
	}
	width, column := float64(end)/mapColumns, end.Seconds()/mapColumns
	for c := range mapColumns {
		h.Cols = append(h.Cols, clock(float64(c)*column, column))
	}
	for r := 0; r < n; r += every {
		h.Rows = append(h.Rows, fmt.Sprint(what, " ", r))
		h.Values = append(h.Values, make([]float64, mapColumns))
	}
	for i := range all {
		r := row(all[i].Node)
		if r%every != 0 {
			continue
		}
		from, to := float64(all[i].Start)/width, float64(all[i].End)/width
		for c := int(from); c < mapColumns && float64(c) < to; c++ {
			h.Values[r/every][c] += min(to, float64(c+1)) - max(from, float64(c))
		}
	}
	for _, line := range h.Values {
		for c := range line {
			line[c] = math.Round(100*line[c]) / 100
		}
	}
	return h
}

// clock writes the second at which a column of that many seconds begins. All columns have one unit, and as many decimals as
// tell neighbours apart: what is written is at most half a column off.
func clock(s, column float64) string {
	unit, per := "s", 1.0
	switch end := column * mapColumns; {
	case end >= 2*3600:
		unit, per = "h", 3600
	case end >= 600:
		unit, per = "min", 60
	}
	return strconv.FormatFloat(s/per, 'f', max(0, int(math.Ceil(-math.Log10(column/per)))), 64) + " " + unit
}

// lanes draws attempts by node and slot, a colour for each queue, for as many nodes as the budget has room for.
func lanes(all []attempts.Attempt, run *metrics.Run, nodes int) *report.Strip {
	s := &report.Strip{Title: "Tasks by node", Text: "One row is one slot of a node: each bar is an attempt of a task in the colour of its queue, pale if it was killed or dropped."}
	queue := map[model.JobID]string{}
	name := map[model.JobID]string{}
	for i := range run.Jobs {
		queue[run.Jobs[i].ID], name[run.Jobs[i].ID] = run.Jobs[i].Queue, run.Jobs[i].Name
	}
	for _, q := range queue {
		if !slices.Contains(s.Kinds, cmp.Or(q, "(no queue)")) {
			s.Kinds = append(s.Kinds, cmp.Or(q, "(no queue)"))
		}
	}
	slices.Sort(s.Kinds)
	by := make([][]int, nodes)
	for i := range all {
		by[all[i].Node] = append(by[all[i].Node], i)
	}
	every := max(1, (len(all)+mostBars-1)/mostBars)
	drawn := 0
	for n := 0; n < nodes && len(s.Rows) < mostLanes; n += every {
		drawn++
		var free []model.Time // when each slot of the node is free again
		first := len(s.Rows)
		for _, i := range by[n] {
			t := &all[i]
			lane := slices.IndexFunc(free, func(at model.Time) bool { return at <= t.Start })
			if lane < 0 {
				lane = len(free)
				free = append(free, 0)
				s.Rows = append(s.Rows, report.StripRow{Name: fmt.Sprintf("node %d, slot %d", n, lane)})
			}
			free[lane] = t.End
			q, _ := slices.BinarySearch(s.Kinds, cmp.Or(queue[t.Task.Job], "(no queue)"))
			s.Rows[first+lane].Spans = append(s.Rows[first+lane].Spans, report.StripSpan{From: t.Start.Seconds(), To: t.End.Seconds(), Kind: min(q, len(s.Kinds)-1), Pale: t.Outcome != attempts.Done,
				Tip: fmt.Sprintf("%s, %s %d: %s", name[t.Task.Job], t.Task.Kind, t.Task.Index, t.Outcome)})
		}
	}
	if drawn < nodes {
		s.Text += fmt.Sprintf(" %d of %d nodes are drawn; tasks.csv has all.", drawn, nodes)
	}
	if len(s.Kinds) == 0 {
		s.Kinds = []string{"tasks"}
	}
	return s
}
