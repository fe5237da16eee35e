// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/plot"
)

var answerTemplate = template.Must(template.New("answer.html.tmpl").ParseFS(assets, "assets/answer.html.tmpl", "assets/tree.html.tmpl"))

// Answer is the page of a command that answers a question: charts, time-lines, maps and tables, one behind the other.
// Each can be saved as SVG, where it is drawn, and as CSV.
type Answer struct {
	Title, Subtitle  string
	Version, Command string
	Facts            [][2]string
	Notes            []string
	Parts            []Part
}

// Part is one figure of an answer: the one of its fields that is set.
type Part struct {
	Chart *plot.Chart
	Strip *Strip
	Heat  *Heat
	Table *TextTable
}

// Strip is what went on over time: rows of spans, each in the colour of what it means.
type Strip struct {
	Name, Title, Text string
	Kinds             []string // what spans mean, in the order of their colours
	Limits            bool     // kinds after the first are limits, in the colours that these have on all pages
	Rows              []StripRow
}

// StripRow is one row of a strip.
type StripRow struct {
	Name  string
	Spans []StripSpan
}

// StripSpan is a span of time in seconds; Kind is its position in Kinds.
type StripSpan struct {
	From, To float64
	Kind     int
	Pale     bool // nothing held it back
	Tip      string
}

// Heat is a map of values over two axes: rows of columns, NaN where there is none. The stronger the colour, the more.
type Heat struct {
	Name, Title, Text  string
	RowLabel, ColLabel string
	Rows, Cols         []string
	Values             [][]float64
	Unit               string // as of Row
	Best               [2]int // row and column that is marked; -1 for none
}

type answerView struct {
	*Answer
	Style   template.CSS
	Script  template.JS
	Colours [plot.Colours]struct{}
	Keys    [stripColours]struct{}
	Limits  []metrics.Choice
	Figures []figureView
}

// figureView is one part laid out.
type figureView struct {
	ID, Title, Text string
	CSV             string
	Plot            *plot.View
	Strip           *stripView
	Heat            *heatView
	Table           *textView
}

// WriteAnswer writes the page. The bytes depend on a alone.
func WriteAnswer(w io.Writer, a *Answer) error {
	v := &answerView{Answer: a, Style: styleSheet, Limits: metrics.LimitChoices(), Script: template.JS("(() => {\n\"use strict\";\n" + asset("save.js") + "})();\n")}
	for i := range a.Parts {
		f, err := newFigure(&a.Parts[i])
		if err != nil {
			return err
		}
		f.ID = fmt.Sprintf("figure-%d", i+1)
		v.Figures = append(v.Figures, f)
	}
	return answerTemplate.Execute(w, v)
}

func newFigure(p *Part) (f figureView, err error) {
	var rows [][]string
	switch {
	case p.Chart != nil:
		v := plot.NewView(p.Chart)
		if len(p.Chart.Categories) > 1 {
			stagger(v.XTicks)
		}
		f.Title, f.Text, f.Plot, rows = p.Chart.Title, p.Chart.Text, &v, chartRows(p.Chart)
	case p.Strip != nil:
		f.Title, f.Text, f.Strip, rows = p.Strip.Title, p.Strip.Text, newStripView(p.Strip), p.Strip.rows()
	case p.Heat != nil:
		f.Title, f.Text, f.Heat, rows = p.Heat.Title, p.Heat.Text, newHeatView(p.Heat), p.Heat.rows()
	case p.Table != nil:
		f.Title, f.Text, f.Table, rows = p.Table.Title, p.Table.Note, newTextView(p.Table, nil), append([][]string{p.Table.Head}, p.Table.Rows...)
	default:
		return f, fmt.Errorf("report: a part of an answer is empty")
	}
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	out.WriteAll(rows) // a buffer takes everything
	f.CSV = b.String()
	return f, nil
}

// letter is the width of a letter of a label, in units of the drawing.
const letter = 6.6

// stagger lowers every other label where they would touch, and cuts those that are still too long.
func stagger(ticks []plot.Tick) {
	step, longest := ticks[1].At-ticks[0].At, 0
	for _, t := range ticks {
		longest = max(longest, len([]rune(t.Text)))
	}
	if letter*float64(longest) < step {
		return
	}
	for i := range ticks {
		ticks[i].Down = i%2 == 1
		if r := []rune(ticks[i].Text); letter*float64(len(r)) > 2*step {
			ticks[i].Text = string(r[:max(int(2*step/letter)-1, 1)]) + "…"
		}
	}
}

// exact writes a number for a file, nothing where there is none.
func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// chartRows are the values of a chart as a table.
func chartRows(c *plot.Chart) [][]string {
	rows := [][]string{{"series", "x", "y", "low", "high"}}
	for _, s := range c.Series {
		for _, p := range s.Points {
			x := exact(p.X)
			if i := int(p.X); len(c.Categories) > 0 && i >= 0 && i < len(c.Categories) {
				x = c.Categories[i]
			}
			rows = append(rows, []string{s.Name, x, exact(p.Y), exact(p.Low), exact(p.High)})
		}
	}
	return rows
}

func (s *Strip) rows() [][]string {
	rows := [][]string{{"row", "from", "to", "kind", "text"}}
	for _, r := range s.Rows {
		for _, p := range r.Spans {
			rows = append(rows, []string{r.Name, exact(p.From), exact(p.To), s.Kinds[p.Kind], p.Tip})
		}
	}
	return rows
}

func (h *Heat) rows() [][]string {
	rows := [][]string{{h.RowLabel, h.ColLabel, "value"}}
	for i, r := range h.Rows {
		for j, c := range h.Cols {
			rows = append(rows, []string{r, c, exact(h.Values[i][j])})
		}
	}
	return rows
}
