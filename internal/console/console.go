// SPDX-License-Identifier: Apache-2.0

// Package console prints answers as text for people at a terminal.
package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/printed"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/result"
)

// Columns prints rows of equal length in aligned columns. Cells may be texts that others chose.
func Columns(out io.Writer, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(printed.Line(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = printed.Line(cell)
			b.WriteString("  " + cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
		}
		fmt.Fprintln(out, strings.TrimRight(b.String(), " "))
	}
}

// Points shows the main metrics of each point.
func Points(out io.Writer, points []result.PointSummary, axes []experiment.Axis) {
	shown := []string{"mean_elapsed", "p95_elapsed", "mean_wait", "median_slowdown", "p95_slowdown", "makespan"}
	rows := [][]string{{}}
	for _, a := range axes {
		rows[0] = append(rows[0], a.Path)
	}
	rows[0] = append(rows[0], shown...)
	for _, p := range points {
		var row []string
		for _, a := range axes {
			row = append(row, p.Settings[a.Path])
		}
		for _, m := range shown {
			cell := "-"
			if v, ok := p.Metrics[m]; ok {
				cell = fmt.Sprintf("%.4g", v[0])
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	Columns(out, rows)
}

// Blame says where the time of the mean job went.
func Blame(out io.Writer, s *result.Summary) {
	total := 0.0
	for _, v := range s.Blame {
		total += v
	}
	if total == 0 {
		return
	}
	fmt.Fprintf(out, "\nwhere a job's time went, on average\n")
	for p := range metrics.Part(metrics.Parts) {
		if v := s.Blame[p.String()]; v > 0 {
			fmt.Fprintf(out, "  %-16s %9.1f s  %5.1f %%\n", p, v, 100*v/total)
		}
	}
}
