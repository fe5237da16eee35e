// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"
	"slices"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/workload"
)

// Description prints what a workload is.
func Description(out io.Writer, name, site string, d *workload.Description) {
	fmt.Fprintf(out, "%s: %s, %s, %s over %s; %s, %s\n\n", name, digits.Count(d.Jobs, "job"), digits.Count(d.Maps, "map"), digits.Count(d.Reduces, "reduce"),
		report.Amount(d.Span, "s"), digits.Count(d.Users, "user"), digits.Count(len(d.Queues), "queue"))
	rows := [][]string{{"quantity", "total", "mean", "scv", "min", "p10", "median", "p90", "p95", "p99", "max"}}
	for _, q := range d.Quantities {
		row := []string{q.Name, report.Amount(q.Total, q.Unit), report.Amount(q.Mean, q.Unit), fmt.Sprintf("%.2f", q.SCV)}
		for _, v := range []float64{q.Percentiles[0], q.Percentiles[1], q.Percentiles[5], q.Percentiles[9], q.P95, q.P99, q.Percentiles[10]} {
			row = append(row, report.Amount(v, q.Unit))
		}
		rows = append(rows, row)
	}
	Columns(out, rows)
	fmt.Fprintln(out)
	for _, s := range d.Shares {
		fmt.Fprintf(out, "  %6.2f %%  %s\n", 100*s.Share, s.What)
	}
	fmt.Fprintf(out, "\narrivals: mean gap %.2f s, scv of gaps %.2f (1 is Poisson), busiest hour %.1f times and busiest minute %.1f times the mean\n",
		d.Burst.MeanGap, d.Burst.GapSCV, d.Burst.PeakHour, d.Burst.PeakMinute)
	pools := make([]string, 0, len(d.Load))
	for p := range d.Load {
		pools = append(pools, p)
	}
	slices.Sort(pools)
	for _, p := range pools {
		fmt.Fprintf(out, "system load on %s, %s room: %.1f %%\n", site, p, 100*d.Load[p])
	}
}

// Tables prints the tables of what changed; a backtest is printed before everything else.
func Tables(out io.Writer, tables []report.TextTable) {
	for _, t := range tables {
		if t.Title == BacktestTitle {
			continue
		}
		fmt.Fprintf(out, "\n%s\n", t.Title)
		Columns(out, append([][]string{t.Head}, t.Rows...))
	}
	if len(tables) > 0 && tables[len(tables)-1].Title != BacktestTitle {
		fmt.Fprintf(out, "\n%s\n", tables[len(tables)-1].Note)
	}
}
