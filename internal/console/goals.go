// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
)

// Impossible counts the goals that cannot be met even alone.
func Impossible(check *advise.GoalCheck) (n int) {
	for _, r := range check.Jobs {
		if r.Slack < 0 {
			n++
		}
	}
	return n
}

// mostGoals is above how many jobs only those are listed whose goal cannot be met.
const mostGoals = 40

// Goals prints which goals can be met, and which stand in each other's way.
func Goals(out io.Writer, check *advise.GoalCheck) {
	bad := Impossible(check)
	fmt.Fprintf(out, "%s, seed %d: jobs with a goal %d, without %d; goals that cannot be met even alone %d, conflicts %d\n",
		check.Scenario, check.Seed, len(check.Jobs), check.Without, bad, len(check.Conflicts))
	rows := [][]string{{"job", "class", "submit", "goal", "alone", "slack", "pace", "weight", "verdict"}}
	for _, r := range check.Jobs {
		if len(check.Jobs) > mostGoals && r.Slack >= 0 {
			continue
		}
		submit, pace, verdict := "after another", "-", "can be met alone"
		if r.Submit != nil {
			submit = InSeconds(*r.Submit)
		}
		if r.Pace != nil {
			pace = fmt.Sprintf("%.1f", *r.Pace)
		}
		if r.Slack < 0 {
			verdict = fmt.Sprintf("cannot be met: %s short even alone", InSeconds(-r.Slack))
		}
		rows = append(rows, []string{r.Job, r.Class, submit, InSeconds(r.Goal), InSeconds(r.Alone), InSeconds(r.Slack), pace, fmt.Sprintf("%.3g", r.Weight), verdict})
	}
	if len(rows) > 1 {
		fmt.Fprintln(out)
		Columns(out, rows)
	}
	for _, f := range check.Conflicts {
		fmt.Fprintf(out, "\nconflict: from %s to %s these jobs need %.0f %% of the %s room, so one of them will be late under any policy:\n  %s\n",
			InSeconds(f.From), InSeconds(f.To), 100*f.Load, f.Pool, names(f.Jobs))
	}
	for _, f := range check.Crowded {
		fmt.Fprintf(out, "\ncrowded: from %s to %s the even paces of these jobs add up to %.0f of %d slots, so some must run ahead or catch up:\n  %s\n",
			InSeconds(f.From), InSeconds(f.To), f.Pace, f.Room, names(f.Jobs))
	}
}

// InSeconds prints a number of seconds.
func InSeconds(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + "s" }

// names lists the first few.
func names(list []string) string {
	const most = 20
	if len(list) > most {
		return fmt.Sprintf("%s and %d others", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
