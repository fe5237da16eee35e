// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/printed"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report"
)

// Explanation prints where the time of a job went and what would have changed it.
func Explanation(out io.Writer, e *advise.Explanation) {
	j := &e.Job
	fmt.Fprintf(out, "job %d %q under %s: submitted at %s, waited %s, ran %s", j.ID, j.Name, e.Policy,
		report.Span(j.Submit.Seconds()), report.Span(j.Waiting().Seconds()), report.Span(j.Execution().Seconds()))
	if j.Reference > 0 {
		fmt.Fprintf(out, "; alone it takes %s (slowdown %.2f)", report.Span(j.Reference.Seconds()), j.Slowdown())
	}
	fmt.Fprintf(out, "\n\nwhere its time went\n")
	for p, t := range j.Blame {
		if t > 0 {
			fmt.Fprintf(out, "  %-16s %12s  %5.1f %%\n", metrics.Part(p), report.Span(t.Seconds()), 100*float64(t)/float64(j.Elapsed()))
		}
	}
	fmt.Fprintf(out, "\nwhat held it back\n")
	held := false
	for l, t := range j.Limits {
		if t > 0 {
			held = true
			fmt.Fprintf(out, "  %-16s %12s\n", model.Limit(l), report.Span(t.Seconds()))
		}
	}
	if !held {
		fmt.Fprintf(out, "  nothing\n")
	}
	for _, d := range e.Said {
		fmt.Fprintf(out, "\n%s, from %.1f s to %.1f s\n  %s\n", d.Limit, d.From, d.To, d.Text)
	}
	fmt.Fprintf(out, "\ntime-line (seconds since the start of the run)\n")
	printStages(out, e.Stages)
	if len(e.Holders) > 0 && j.Waiting() > 0 {
		fmt.Fprintf(out, "\nwho used the room while it waited\n")
		for _, h := range e.Holders {
			fmt.Fprintf(out, "  %5.1f %%  %s\n", 100*h.Share, printed.Line(h.Name))
		}
	}
	if len(e.WhatIf) > 0 {
		fmt.Fprintf(out, "\nwhat would have changed it (+ it ends sooner, - later, = within 1 %%; settings that held it are marked *)\n")
		rows := [][]string{{"  change", "waiting", "elapsed", "mean elapsed of other jobs"},
			{"  as it was", report.Span(j.Waiting().Seconds()), report.Span(j.Elapsed().Seconds()), report.Span(e.Others)}}
		for _, a := range e.WhatIf {
			mark := map[advise.Verdict]string{advise.Sooner: "+", advise.Later: "-", advise.Same: "="}[a.Verdict]
			change := mark + " " + a.Change
			if a.Held != "" {
				change += " *"
			}
			rows = append(rows, []string{change, report.Span(a.Waiting), report.Span(a.Elapsed), report.Span(a.Others)})
		}
		Columns(out, rows)
	}
}

// printStages prints the time-line; a very long one is cut in the middle.
func printStages(out io.Writer, stages []advise.Stage) {
	const most = 60
	for i, s := range stages {
		if len(stages) > most && i == most/2 {
			fmt.Fprintf(out, "  ... %d more spans (--format json prints all)\n", len(stages)-most)
		}
		if len(stages) > most && i >= most/2 && i < len(stages)-most/2 {
			continue
		}
		line := fmt.Sprintf("  %10.1f - %10.1f  %-32s %5d running %5d pending", s.From, s.To, s.State, s.Running, s.Pending)
		if s.Limit != "" {
			line += "  held by " + s.Limit
		}
		fmt.Fprintln(out, line)
	}
}
