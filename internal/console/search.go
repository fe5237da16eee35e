// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/digits"
)

// Search shows what a search found, whose results are in a folder.
func Search(out io.Writer, name string, r *experiment.SearchResult, path string) {
	fmt.Fprintf(out, "%s: %s\n\n", name, r.Objective.String())
	for i, rung := range r.Rungs {
		fmt.Fprintf(out, "  step %d: %s with %s\n", i+1, digits.Count(rung.Candidates, "candidate"), digits.Count(rung.Seeds, "repetition"))
	}
	fmt.Fprintf(out, "\nbest: %s\n\n", experiment.SettingsText(r.Best.Point.Settings))
	names := r.Objective.Names()
	rows := [][]string{append(append([]string{"setting"}, names...), "against the best", "rules")}
	row := func(m *experiment.Measured, note string) {
		cells := []string{experiment.SettingsText(m.Point.Settings)}
		for _, v := range m.Intervals {
			cells = append(cells, fmt.Sprintf("%.4g (%.4g .. %.4g)", v.Mean, v.Low, v.High))
		}
		kept := "kept"
		if !m.Feasible {
			kept = "broken"
		}
		rows = append(rows, append(cells, note, kept))
	}
	row(&r.Best, "")
	for i := range r.Neighbours {
		d := r.Neighbours[i].Difference
		row(&r.Neighbours[i], fmt.Sprintf("%+.1f %% (%+.1f .. %+.1f)", 100*d.Mean, 100*d.Low, 100*d.High))
	}
	Columns(out, rows)
	fmt.Fprintf(out, "\nmeans over %s that the choice did not see, with 95 %% intervals; results in %s\n", digits.Count(len(r.Seeds), "repetition"), path)
}
