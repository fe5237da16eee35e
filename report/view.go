// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/metrics"
)

// view is what the template shows: text that is formatted already.
type view struct {
	*Page
	Style     template.CSS
	Script    template.JS
	Data      template.JS
	Baseline  string
	Heads     []headView
	Rows      []rowView
	Verdicts  []verdict
	TreeViews []treeView
	Tables    []*textView
	Goals     bool      // there are estimates of completion to draw
	Network   bool      // something went from rack to rack over links
	Circuits  bool      // something went over circuits
	Planned   *rackView // nil without a plan
	Kinds     *mapsView // nil without maps of jobs
	Single    bool      // one policy only: there is nothing to compare
	Slowdown  string    // why no slowdown is drawn; "" where it is
}

type headView struct {
	Name   string
	Swatch string // classes of the style sheet
	Jobs   string
}

type rowView struct {
	Metric, Doc, Sense string
	Queue              string // class with the colour of the queue that it is about; "" for none
	Cells              []cellView
}

type cellView struct {
	Name          string // of the policy
	Swatch        string
	Value, Half   string // Half is empty without an interval
	Diff, Range   string // Diff is empty without a difference
	Class, Mark   string // better, worse or nothing
	Tip           string
	Low, Mid, Top string // the interval of the difference on the row's whisker, 0..100
	Whisker       bool
}

// verdict counts, for a policy that is not the baseline, the metrics on which it differs.
type verdict struct {
	Name, Text string
	Swatch     string
}

func newView(p *Page) (*view, error) {
	queues := colouredQueues(p.Policies)
	js, err := embedJSON(newData(p.Policies, queues))
	if err != nil {
		return nil, err
	}
	if n := len(p.Policies); n > sharing {
		b := boundsFor(n)
		own := *p
		own.Notes = append(slices.Clip(p.Notes), fmt.Sprintf("%d policies share what a page may hold: for each, charts draw at most %d jobs as dots, %d as bars, and %d points of a distribution.", n, b.scatter, b.gantt, b.cdf))
		p = &own
	}
	v := &view{Page: p, Style: styleSheet, Script: script, Data: js, Goals: hasForecasts(p.Policies), Network: hasNetwork(p.Policies), Circuits: hasCircuits(p.Policies), Planned: newRackView(p.Course), Kinds: newMapsView(p.Maps), Single: len(p.Policies) < 2, Slowdown: lacksSlowdown(p.Policies)}
	for i, q := range p.Policies {
		v.Heads = append(v.Heads, headView{Name: q.Name, Swatch: policySwatch(i), Jobs: plural(len(q.Run.Jobs), "job")})
	}
	if len(p.Policies) > 0 {
		v.Baseline = p.Policies[0].Name
	}
	for i := range p.Table {
		v.Rows = append(v.Rows, newRow(p, &p.Table[i], queues))
	}
	v.Verdicts, v.TreeViews, v.Tables = verdicts(p), treeViews(p.Trees, queues), newTextViews(p.Texts, queues)
	return v, nil
}

// lacksSlowdown says why there is no slowdown to draw, if there is none.
func lacksSlowdown(policies []PolicyRun) string {
	finished := false
	for _, p := range policies {
		for i := range p.Run.Jobs {
			if p.Run.Jobs[i].Reference > 0 {
				return ""
			}
			finished = true
		}
	}
	if !finished {
		return "No job finished, so there is no slowdown to draw."
	}
	return "Slowdown is left out: the run time of the jobs alone in the empty cluster was not computed."
}

// senses say which direction is the better one.
var senses = [...]string{metrics.Neither: "neither direction is better", metrics.Lower: "lower is better", metrics.Higher: "higher is better"}

func newRow(p *Page, r *Row, queues []string) rowView {
	s := scaleOf(r)
	row := rowView{Metric: r.Metric, Doc: r.Doc, Sense: senses[r.Better], Queue: queueClass(queues, queueOfMetric(r.Metric))}
	reach := 0.0
	for _, c := range r.Cells {
		if c.HasDiff {
			for _, d := range []float64{c.Diff, c.DiffLow, c.DiffHigh} {
				if a := math.Abs(d); !math.IsNaN(a) && !math.IsInf(a, 0) {
					reach = max(reach, a)
				}
			}
		}
	}
	for i, c := range r.Cells {
		row.Cells = append(row.Cells, newCell(p, r, s, i, c, reach))
	}
	return row
}

func newCell(p *Page, r *Row, s scale, i int, c Cell, reach float64) cellView {
	n := decimals(c.Mean / s.div)
	v := cellView{Name: p.Policies[i].Name, Swatch: policySwatch(i), Value: s.mean(c.Mean)}
	if c.Empty {
		v.Value = "-"
	}
	var tip strings.Builder
	tip.WriteString(p.Policies[i].Name + ": " + r.Metric + " " + v.Value)
	if c.HasInterval {
		v.Half = "± " + s.half(c.Mean, (c.High-c.Low)/2)
		tip.WriteString("\n95 % interval: " + number(c.Low/s.div, n) + " to " + s.unit(number(c.High/s.div, n)))
	}
	if c.HasDiff {
		v.Diff = percent(c.Diff)
		v.Range = strings.TrimSuffix(percent(c.DiffLow), " %") + " … " + strings.TrimSuffix(percent(c.DiffHigh), " %")
		tip.WriteString("\nagainst " + p.Policies[0].Name + ": " + v.Diff + " (95 % interval " + percent(c.DiffLow) + " to " + percent(c.DiffHigh) + ")")
		switch {
		case c.Better > 0:
			v.Class, v.Mark = "better", "better"
			tip.WriteString("\nbetter: the interval excludes zero")
		case c.Better < 0:
			v.Class, v.Mark = "worse", "worse"
			tip.WriteString("\nworse: the interval excludes zero")
		default:
			tip.WriteString("\nundecided: the interval includes zero")
		}
		if reach > 0 {
			v.Whisker = true
			v.Low, v.Mid, v.Top = onWhisker(c.DiffLow, reach), onWhisker(c.Diff, reach), onWhisker(c.DiffHigh, reach)
		}
	}
	v.Tip = tip.String()
	return v
}

// onWhisker maps -reach..reach to 4..96.
func onWhisker(d, reach float64) string {
	if math.IsNaN(d) {
		d = 0
	}
	x := 50 + 46*min(max(d/reach, -1), 1)
	return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64)
}

func verdicts(p *Page) []verdict {
	var list []verdict
	for i := 1; i < len(p.Policies); i++ {
		var better, worse, open int
		for _, r := range p.Table {
			switch c := r.Cells[i]; {
			case !c.HasDiff:
			case c.Better > 0:
				better++
			case c.Better < 0:
				worse++
			default:
				open++
			}
		}
		if better+worse+open == 0 {
			continue
		}
		var parts []string
		for _, t := range []struct {
			n    int
			word string
		}{{better, "better on "}, {worse, "worse on "}, {open, "undecided on "}} {
			if t.n > 0 {
				parts = append(parts, t.word+strconv.Itoa(t.n))
			}
		}
		list = append(list, verdict{p.Policies[i].Name, strings.Join(parts, ", "), policySwatch(i)})
	}
	return list
}
