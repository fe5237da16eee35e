// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/digits"
)

// Traps prints what lint found in a file for a workload.
func Traps(out io.Writer, file, workload string, traps []advise.Trap, seeds int) {
	if len(traps) == 0 {
		fmt.Fprintf(out, "%s: no trap found for %s\n", file, workload)
		return
	}
	for i := range traps {
		t := &traps[i]
		fmt.Fprintf(out, "%s, queue %s (%s)\n  found:  %s\n  remedy: %s\n", t.Name, t.Queue, t.Source, t.Found, t.Remedy)
		for _, e := range t.Edits {
			old := e.Old
			if old == "" {
				old = "not set"
			}
			fmt.Fprintf(out, "          %s: %s -> %s\n", e.Property, old, e.New)
		}
		if k := t.Cost; k != nil {
			fmt.Fprintf(out, "  cost:   %s\n", costText(k))
			rows := [][]string{{"", "waiting", "elapsed", "response ratio", "elapsed of all other jobs"}}
			for side, name := range []string{"with it", "without it"} {
				rows = append(rows, []string{"        " + name, fmt.Sprintf("%.1f s", k.Waiting[side]), fmt.Sprintf("%.1f s", k.Elapsed[side]), fmt.Sprintf("%.2f", k.Ratio[side]), fmt.Sprintf("%.1f s", k.Others[side])})
			}
			Columns(out, rows)
			fmt.Fprintf(out, "  verdict: %s\n", verdictText(k))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "costs are means over %s of %s, paired, with 95 %% intervals\n", digits.Count(seeds, "repetition"), workload)
}

// verdictText says whether the remedy is worth what it costs others.
func verdictText(k *advise.TrapCost) string {
	how := "save"
	net, low, high := k.Net[0], k.Net[1], k.Net[2]
	if net < 0 {
		how, net, low, high = "lose", -net, -high, -low
	}
	return fmt.Sprintf("%s: without it all jobs together %s %.1f s (%.1f to %.1f s)", k.Verdict, how, net, low, high)
}

// costText says what a trap costs its victims.
func costText(k *advise.TrapCost) string {
	who := fmt.Sprintf("%s (%.0f)", k.Victims, k.Jobs)
	interval := fmt.Sprintf("(%.1f to %.1f s)", k.Saved[1], k.Saved[2])
	switch {
	case k.Jobs == 0:
		return "no job pays for it in these repetitions"
	case !k.Sure:
		return fmt.Sprintf("none that could be measured for %s: %+.1f s %s", who, k.Saved[0], interval)
	case k.Saved[0] > 0:
		return fmt.Sprintf("%s take %.1f s longer %s", who, k.Saved[0], interval)
	}
	return fmt.Sprintf("none here: %s take %.1f s less with it %s", who, -k.Saved[0], fmt.Sprintf("(%.1f to %.1f s)", -k.Saved[2], -k.Saved[1]))
}

// CapacitySearch prints what a search over the settings of a file found; written is the file with the best ones, if any.
func CapacitySearch(out io.Writer, file, workload string, r *advise.CapacitySearch, written string) {
	fmt.Fprintf(out, "%s on %s: %s\n\n", file, workload, r.Objective.String())
	for i, rung := range r.Rungs {
		fmt.Fprintf(out, "  step %d: %s with %s\n", i+1, digits.Count(rung.Candidates, "candidate"), digits.Count(rung.Seeds, "repetition"))
	}
	if r.Skipped > 0 {
		fmt.Fprintf(out, "  %d combinations left out, which the scheduler refuses\n", r.Skipped)
	}
	rows := [][]string{append(append([]string{"settings"}, r.Objective.Names()...), "against the best", "rules")}
	row := func(name string, m *experiment.Measured, note string) {
		cells := []string{name}
		for _, v := range m.Intervals {
			cells = append(cells, fmt.Sprintf("%.4g (%.4g .. %.4g)", v.Mean, v.Low, v.High))
		}
		rows = append(rows, append(cells, note, map[bool]string{true: "kept", false: "broken"}[m.Feasible]))
	}
	against := func(m *experiment.Measured) string {
		return fmt.Sprintf("%+.1f %% (%+.1f .. %+.1f)", 100*m.Difference.Mean, 100*m.Difference.Low, 100*m.Difference.High)
	}
	row("best: "+advise.CapacitySettingsText(r.Best.Point.Settings), &r.Best, "")
	row("the file as it is", &r.Old, against(&r.Old))
	for i := range r.Neighbours {
		row(advise.CapacitySettingsText(r.Neighbours[i].Point.Settings), &r.Neighbours[i], against(&r.Neighbours[i]))
	}
	fmt.Fprintln(out)
	Columns(out, rows)
	fmt.Fprintf(out, "\nmeans over %s that the choice did not see, with 95 %% intervals\n", digits.Count(len(r.Seeds), "repetition"))
	switch {
	case len(r.Edits) == 0:
		fmt.Fprintf(out, "\nnothing beats the file as it is; no file is written\n")
		return
	case !r.Old.Difference.ExcludesZero():
		fmt.Fprintf(out, "\nthe gain over the file as it is may be chance: its interval includes zero\n")
	}
	fmt.Fprintf(out, "\nchanges\n")
	for _, e := range r.Edits {
		if e.Old != "" {
			fmt.Fprintf(out, "  - %s = %s\n", e.Property, e.Old)
		}
		fmt.Fprintf(out, "  + %s = %s\n", e.Property, e.New)
	}
	if written != "" {
		fmt.Fprintf(out, "\nwritten to %s\n", written)
	}
}
