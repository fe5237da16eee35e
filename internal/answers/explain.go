// SPDX-License-Identifier: Apache-2.0

// Package answers turns what commands found into pages: which figures an answer has, and how to read them. To give a
// command a page, write a function here that returns a report.Answer, and hand it to Write.
package answers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/report/plot"
)

// mostRows is how many rows a table of a page has at most; summary.json has all.
const mostRows = 200

// Explain is the page about one job.
func Explain(e *advise.Explanation) *report.Answer {
	j := &e.Row
	elapsed := j.Waiting + j.Execution
	a := &report.Answer{Title: fmt.Sprintf("Job %d: %s", j.ID, j.Name), Subtitle: "under " + e.Policy, Facts: [][2]string{
		{"submitted", report.Span(j.Submit)}, {"waited", report.Span(j.Waiting)}, {"ran", report.Span(j.Execution)}, {"elapsed", report.Span(elapsed)}}}
	if j.Slowdown > 0 {
		a.Facts = append(a.Facts, [2]string{"slowdown", fmt.Sprintf("%.2f", j.Slowdown)})
	}
	a.Parts = append(a.Parts, report.Part{Strip: timeline(e)}, report.Part{Chart: amounts("Where its time went", "The parts add up to the elapsed time.", "s", partNames(), j.Blame)},
		report.Part{Chart: amounts("What held it back", "The time that each limit held it back; they add up to the waiting and starved parts.", "s", limitNames(), j.Limits)})
	if len(e.Holders) > 0 && j.Waiting > 0 {
		shares, names := map[string]float64{}, []string{}
		for _, h := range e.Holders {
			if _, known := shares[h.Name]; !known {
				names = append(names, h.Name)
			}
			shares[h.Name] += 100 * h.Share
		}
		a.Parts = append(a.Parts, report.Part{Chart: amounts("Who used the room while it waited", "The share of the room in use, in percent, of the jobs that had most.", "%", names, shares)})
	}
	if len(e.WhatIf) > 0 {
		a.Parts = append(a.Parts, whatIfs(e, elapsed)...)
	}
	a.Parts = append(a.Parts, report.Part{Table: stageTable(e)})
	return a
}

// timeline draws the spans of the job by state and limit.
func timeline(e *advise.Explanation) *report.Strip {
	s := &report.Strip{Name: "timeline", Title: "Time-line", Text: "Seconds since the start of the run. Each row is a state of the job; the colour is the limit that held it back, pale where none did.", Kinds: []string{"nothing"}, Limits: true}
	kind, row := map[string]int{"": 0}, map[string]int{}
	for _, p := range e.Stages {
		if _, ok := kind[p.Limit]; !ok {
			kind[p.Limit] = len(s.Kinds)
			s.Kinds = append(s.Kinds, p.Limit)
		}
		if _, ok := row[p.State]; !ok {
			row[p.State] = len(s.Rows)
			s.Rows = append(s.Rows, report.StripRow{Name: p.State})
		}
		tip := fmt.Sprintf("%s to %s: %s, %d running, %d pending", report.Span(p.From), report.Span(p.To), p.State, p.Running, p.Pending)
		if p.Limit != "" {
			tip += ", held by " + p.Limit
		}
		r := &s.Rows[row[p.State]]
		last := len(r.Spans) - 1
		if last >= 0 && r.Spans[last].Kind == kind[p.Limit] && p.From-r.Spans[last].To < 1e-9 {
			r.Spans[last].To = p.To // one bar for what looks alike
			continue
		}
		r.Spans = append(r.Spans, report.StripSpan{From: p.From, To: p.To, Kind: kind[p.Limit], Pale: p.Limit == "", Tip: tip})
	}
	return s
}

// whatIfs shows what else could have been: elapsed time under each change, beside what it was.
func whatIfs(e *advise.Explanation, elapsed float64) []report.Part {
	c := &plot.Chart{Name: "what-if", Title: "What would have changed it", Text: "Waiting and elapsed time of this job under other decisions; the line is its elapsed time as it was.", Y: plot.Axis{Label: "seconds"},
		Levels: []plot.Level{{Name: "elapsed as it was", Y: elapsed}}}
	wait, all := plot.Series{Name: "waiting", Mark: plot.Bars}, plot.Series{Name: "elapsed", Mark: plot.Bars}
	t := &report.TextTable{Title: "What-ifs", Note: "Each is a simulation of the whole run with this change; judge it by the elapsed time.", Head: []string{"change", "waiting", "elapsed", "elapsed against now"}}
	for i, w := range e.WhatIf {
		if i < 12 {
			c.Categories = append(c.Categories, fmt.Sprint(i+1))
			wait.Points = append(wait.Points, point(i, w.Waiting, w.Change+": waits "+report.Span(w.Waiting)))
			all.Points = append(all.Points, point(i, w.Elapsed, w.Change+": takes "+report.Span(w.Elapsed)))
		}
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%d. %s", i+1, w.Change), report.Span(w.Waiting), report.Span(w.Elapsed), signed(w.Elapsed-elapsed) + " s"})
	}
	c.X.Label = "number of the what-if below"
	c.Series = []plot.Series{wait, all}
	return []report.Part{{Chart: c}, {Table: t}}
}

func stageTable(e *advise.Explanation) *report.TextTable {
	t := &report.TextTable{Title: "Spans", Head: []string{"from", "to", "state", "held by", "running", "pending"}}
	for i, p := range e.Stages {
		if i == mostRows {
			t.Note = fmt.Sprintf("%d more are in explanation.json.", len(e.Stages)-i)
			break
		}
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%.1f s", p.From), fmt.Sprintf("%.1f s", p.To), p.State, p.Limit, fmt.Sprint(p.Running), fmt.Sprint(p.Pending)})
	}
	return t
}

// amounts draws named amounts as bars, those that are there, in the order of the names and then any others.
func amounts(title, text, unit string, names []string, values map[string]float64) *plot.Chart {
	c := &plot.Chart{Title: title, Text: text, Y: plot.Axis{Label: unit}}
	s := plot.Series{Name: title, Mark: plot.Bars}
	for _, more := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, more) {
			names = append(names, more)
		}
	}
	for _, name := range names {
		if v := values[name]; v > 0 {
			s.Points = append(s.Points, point(len(c.Categories), v, fmt.Sprintf("%s: %.4g %s", name, v, unit)))
			c.Categories = append(c.Categories, name)
		}
	}
	c.Series = []plot.Series{s}
	return c
}

func point(x int, y float64, tip string) plot.Point {
	return plot.Point{X: float64(x), Y: y, Low: y, High: y, Tip: tip}
}

func partNames() (names []string) {
	for p := range metrics.Part(metrics.Parts) {
		names = append(names, p.String())
	}
	return names
}

func limitNames() (names []string) {
	for l := range model.Limit(model.Limits) {
		names = append(names, l.String())
	}
	return names
}

func signed(v float64) string { return fmt.Sprintf("%+.1f", v) }
