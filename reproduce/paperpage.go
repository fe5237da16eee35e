// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"

	"github.com/yardmaster/yardmaster/report"
)

// Page returns the page about the paper.
func (r *Reproduction) Page(version, command string) *report.PaperPage {
	p := &report.PaperPage{Title: r.Paper, Subtitle: r.Title, Version: version, Command: command, Charts: r.Charts, Statements: r.Statements}
	if r.Quick {
		p.Notes = append(p.Notes, "Made with few repetitions (--quick): intervals are wide, so more relations are undecided than in a full run.")
	}
	p.Notes = append(p.Notes, "Intervals are 95 % confidence intervals of means over repetitions; ratios of two policies are paired by repetition. Bands and whiskers of the figures are the same intervals. Scatter plots show the first repetition.")
	for i := range r.Findings {
		p.Findings = append(p.Findings, r.Findings[i].row())
	}
	for i := range r.Readings {
		p.Readings = append(p.Readings, r.Readings[i].table())
	}
	return p
}

// row is the finding as text.
func (f *Finding) row() report.FindingRow {
	row := report.FindingRow{Experiment: f.Experiment, Figure: f.Figure, Source: f.Source, Ours: fmt.Sprintf("%.4g", f.Ours), Verdict: f.Verdict, Cause: f.Cause}
	if f.PaperValue != nil {
		row.Paper = fmt.Sprintf("%.4g", *f.PaperValue)
	}
	if f.Low < f.High {
		row.Interval = fmt.Sprintf("%.4g .. %.4g", f.Low, f.High)
	}
	if f.Deviation != nil {
		row.Deviates = fmt.Sprintf("%+.1f %%", 100**f.Deviation)
	}
	return row
}
