// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/reproduce"
)

// Findings prints a table: one line per figure, then the causes.
func Findings(out io.Writer, findings []reproduce.Finding) {
	rows := [][]string{{"experiment", "figure", "source", "paper", "ours", "95 % interval", "deviation", "verdict"}}
	for _, f := range findings {
		paper, deviation := "-", "-"
		if f.PaperValue != nil {
			paper = fmt.Sprintf("%.4g", *f.PaperValue)
		}
		if f.Deviation != nil {
			deviation = fmt.Sprintf("%+.1f %%", 100**f.Deviation)
		}
		rows = append(rows, []string{f.Paper + "/" + f.Experiment, f.Figure, f.Source, paper, fmt.Sprintf("%.4g", f.Ours),
			fmt.Sprintf("%.4g .. %.4g", f.Low, f.High), deviation, f.Verdict})
	}
	Columns(out, rows)
	printFindingCauses(out, findings)
}

// printFindingCauses prints each cause once, behind the first of the figures that it is about.
func printFindingCauses(out io.Writer, findings []reproduce.Finding) {
	type key struct{ paper, experiment, cause string }
	count := map[key]int{}
	of := func(f *reproduce.Finding) key { return key{f.Paper, f.Experiment, f.Cause} }
	for i := range findings {
		count[of(&findings[i])]++
	}
	for i := range findings {
		f := &findings[i]
		if f.Cause == "" || count[of(f)] == 0 {
			continue
		}
		more := ""
		if n := count[of(f)]; n > 1 {
			more = fmt.Sprintf(" and %d more", n-1)
		}
		fmt.Fprintf(out, "%s/%s, %s%s: %s\n", f.Paper, f.Experiment, f.Figure, more, f.Cause)
		count[of(f)] = 0
	}
}
