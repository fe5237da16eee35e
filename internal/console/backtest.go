// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
)

// BacktestTitle is the title of a backtest.
const BacktestTitle = "Backtest: predicted against what happened"

// BacktestTable shows what was predicted beside what happened.
func BacktestTable(rows []result.BacktestRow) report.TextTable {
	t := report.TextTable{Title: BacktestTitle, Note: advise.Trust(rows),
		Head: []string{"queue", "jobs", "time", "actual", "predicted", "median error", "mean absolute error", "rank correlation"}}
	for _, r := range rows {
		name, jobs := r.Queue, fmt.Sprint(r.Jobs)
		if name == "" {
			name = "all"
		}
		for _, a := range []struct {
			title string
			result.Accuracy
		}{{"waiting", r.Waiting}, {"elapsed", r.Elapsed}} {
			t.Rows = append(t.Rows, []string{name, jobs, a.title, fmt.Sprintf("%.1f s", a.Actual), fmt.Sprintf("%.1f s", a.Predicted),
				fmt.Sprintf("%+.1f s", a.Median), fmt.Sprintf("%.1f s", a.Absolute), fmt.Sprintf("%.2f", a.Order)})
			name, jobs = "", ""
		}
	}
	return t
}

// Backtest prints a backtest and how far to trust it, and an empty line; nothing if there is none.
func Backtest(out io.Writer, rows []result.BacktestRow) {
	if len(rows) == 0 {
		return
	}
	t := BacktestTable(rows)
	fmt.Fprintln(out, t.Title)
	Columns(out, append([][]string{t.Head}, t.Rows...))
	fmt.Fprintf(out, "%s\n\n", t.Note)
}
