// SPDX-License-Identifier: Apache-2.0

package report

import (
	"html/template"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/report/plot"
)

var paperTemplate = template.Must(template.New("paper.html.tmpl").Funcs(template.FuncMap{"pieces": pieces}).ParseFS(assets, "assets/paper.html.tmpl", "assets/drawing.html.tmpl"))

// PaperPage is what the page about a reproduced paper shows: what was found, beside what was
// published, and charts to lay beside the paper's.
type PaperPage struct {
	Title, Subtitle  string
	Version, Command string
	Facts            [][2]string
	Notes            []string
	Statements       [][]string // what became of each statement of the paper, head first; texts with `code` in them
	Findings         []FindingRow
	Charts           []plot.Chart
	Readings         []ReadingTable
}

// ReadingTable shows figures under several readings of the paper's text side by side.
type ReadingTable struct {
	Name, Title, Source, Text string
	Choices                   [][2]string  // name and text of each reading
	Counts                    []ReadingRow // how many statements are true under each, by experiment
	Rows                      []ReadingRow
}

// ReadingRow is one figure with a cell for each reading.
type ReadingRow struct {
	Experiment, Figure, Source, Paper, Range string
	Cells                                    []ReadingCell
}

// ReadingCell is what came out under one reading.
type ReadingCell struct {
	Ours, Interval, Verdict string
	Against                 bool // the mean is not as the paper has it
}

// FindingRow is one published figure and what became of it, as text. Rows of one source stand
// together.
type FindingRow struct {
	Experiment, Figure, Source      string
	Paper, Ours, Interval, Deviates string
	Verdict, Cause                  string
}

type paperView struct {
	*PaperPage
	Style    template.CSS
	Verdicts []verdictCount
	Referred []FindingRow // with a published value or statement
	Alone    []FindingRow // ours alone
	Drawings []plot.View
	Colours  [plot.Colours]struct{}
}

type verdictCount struct {
	Verdict string
	Count   int
}

// WritePaper writes the page. The bytes depend on p alone.
func WritePaper(w io.Writer, p *PaperPage) error {
	v := &paperView{PaperPage: p, Style: styleSheet}
	for _, row := range p.Findings {
		v.count(row.Verdict)
		if row.Verdict == "no-reference" {
			v.Alone = append(v.Alone, row)
		} else {
			v.Referred = append(v.Referred, row)
		}
	}
	for i := range p.Charts {
		v.Drawings = append(v.Drawings, plot.NewView(&p.Charts[i]))
	}
	return paperTemplate.Execute(w, v)
}

// piece is a part of a text: code or not.
type piece struct {
	Text string
	Code bool
}

// pieces splits a text at its backquotes: every second piece is code.
func pieces(text string) (out []piece) {
	for i, part := range strings.Split(text, "`") {
		out = append(out, piece{part, i%2 == 1})
	}
	return out
}

func (v *paperView) count(verdict string) {
	for i := range v.Verdicts {
		if v.Verdicts[i].Verdict == verdict {
			v.Verdicts[i].Count++
			return
		}
	}
	v.Verdicts = append(v.Verdicts, verdictCount{verdict, 1})
}
