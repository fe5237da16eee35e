// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/stats"
)

var queuesTemplate = template.Must(template.New("queues.html.tmpl").ParseFS(assets, "assets/queues.html.tmpl", "assets/tree.html.tmpl"))

// QueueTree is the queues of a configuration. Amounts are shares of the cluster's memory.
type QueueTree struct {
	Name   string      // of the configuration
	Width  float64     // seconds of one value of Use
	Queues []TreeQueue // a parent before its children
}

// TreeQueue is one queue.
type TreeQueue struct {
	Name               string
	Path               string // from the root, such as root.prod
	Depth              int
	Guarantee, Maximum float64
	Rules              string    // what else is set
	Use                []float64 // over time; nil where nothing ran
}

// QueuePage is a page about queues alone.
type QueuePage struct {
	Title, Subtitle, Version, Command string
	Facts                             [][2]string
	Caveats                           []string
	Trees                             []QueueTree
	Texts                             []TextTable
}

// WriteQueues writes the page. The bytes depend on p alone.
func WriteQueues(w io.Writer, p *QueuePage) error {
	return queuesTemplate.Execute(w, &struct {
		*QueuePage
		Style     template.CSS
		TreeViews []treeView
		Tables    []*textView
	}{p, styleSheet, treeViews(p.Trees, nil), newTextViews(p.Texts, nil)})
}

// treeView is a tree as the template shows it.
type treeView struct {
	Name, Span string
	Used       bool // something ran
	Rows       []treeRow
}

type treeRow struct {
	Name, Rules        string
	Indent             int // pixels
	Guarantee, Maximum string
	Mean, Peak         string
	Low, High, Bar     string // guarantee, maximum and mean use on a scale of 0 to 100
	Area               string // points of the use over time, 0 to 600 by 0 to 60
	LineLow, LineHigh  string // heights of guarantee and maximum on it
	Tip                string
	Class              string // colour of the queue; "" for none
}

// The size of a curve.
const treeWidth, treeHeight, treePoints = 600.0, 60.0, 150

func treeViews(trees []QueueTree, queues []string) (views []treeView) {
	for _, t := range trees {
		v := treeView{Name: t.Name}
		for i := range t.Queues {
			q := &t.Queues[i]
			v.Rows = append(v.Rows, newTreeRow(q, t.Width))
			v.Rows[i].Class = queueClass(queues, q.Path, q.Name)
			if q.Use != nil {
				v.Used, v.Span = true, Amount(t.Width*float64(len(q.Use)), "s")
			}
		}
		views = append(views, v)
	}
	return views
}

func newTreeRow(q *TreeQueue, width float64) treeRow {
	percent := func(v float64) string { return fmt.Sprintf("%.4g %%", 100*v) }
	number := func(v float64) string { return fmt.Sprintf("%.1f", v) }
	height := func(v float64) string { return number(treeHeight * (1 - min(v, 1))) }
	row := treeRow{Name: q.Name, Rules: q.Rules, Indent: 20 + 18*q.Depth, Guarantee: percent(q.Guarantee), Maximum: percent(q.Maximum),
		Low: number(100 * q.Guarantee), High: number(100 * q.Maximum), LineLow: height(q.Guarantee), LineHigh: height(q.Maximum)}
	if len(q.Use) == 0 {
		return row
	}
	mean, peak := stats.Mean(q.Use), slices.Max(q.Use)
	row.Mean, row.Peak, row.Bar = fmt.Sprintf("%.1f %%", 100*mean), fmt.Sprintf("%.1f %%", 100*peak), number(100*min(mean, 1))
	row.Tip = fmt.Sprintf("%s: %s of the cluster on average, %s at most, over %s", q.Name, row.Mean, row.Peak, Amount(width*float64(len(q.Use)), "s"))
	values := merge(q.Use, max((len(q.Use)+treePoints-1)/treePoints, 1))
	var b strings.Builder
	fmt.Fprintf(&b, "0,%s", number(treeHeight))
	for i, v := range values {
		left, right := treeWidth*float64(i)/float64(len(values)), treeWidth*float64(i+1)/float64(len(values))
		fmt.Fprintf(&b, " %s,%s %s,%s", number(left), height(v), number(right), height(v))
	}
	fmt.Fprintf(&b, " %s,%s", number(treeWidth), number(treeHeight))
	row.Area = b.String()
	return row
}
