// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type goalsCmd struct {
	Scenario string   `arg:"" help:"Scenario file (YAML)."`
	Set      []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario, such as cluster.racks=10 (repeatable)."`
	Seed     *uint64  `help:"Seed of the workload, instead of the scenario's."`
	Fail     bool     `help:"Exit code 1 if a goal cannot be met or goals conflict."`
	Format   string   `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (goalsCmd) Help() string {
	return `Examples:
  yardmaster goals my.yaml
  yardmaster goals my.yaml --set 'workload.jobs[0].goal=20min'
  yardmaster goals my.yaml --fail --format json | jq .conflicts

Says before the run which completion-time goals cannot be met even by a job alone in the empty
cluster, and by how much; which goals conflict, so that no scheduler can meet all of them; and when
jobs that each keep an even pace towards their goal do not fit together.

  slack   goal minus run time alone
  pace    slots to hold from submission to goal (deadline-2010, equation 3, with known task lengths)
  weight  weight under a fair scheduler: the largest slack of all jobs over the job's own`
}

// Run implements the command.
func (c *goalsCmd) Run(w *world) error {
	settings, err := parseSettings(c.Set)
	if err != nil {
		return err
	}
	if c.Seed != nil {
		settings = append(settings, strict.Setting{Path: "seed", Value: fmt.Sprint(*c.Seed)})
	}
	s, _, err := scenario.LoadOrBuiltin(c.Scenario, settings)
	if err != nil {
		return err
	}
	check, err := advise.CheckGoals(w.ctx, s, s.Seed)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		err = result.WriteJSON(w.out, check)
	} else {
		printGoals(w.out, check)
	}
	if err == nil && c.Fail && (impossible(check) > 0 || len(check.Conflicts) > 0) {
		err = errors.New("not all goals can be met")
	}
	return err
}

// impossible counts the goals that cannot be met even alone.
func impossible(check *advise.GoalCheck) (n int) {
	for _, r := range check.Jobs {
		if r.Slack < 0 {
			n++
		}
	}
	return n
}

// mostGoals is above how many jobs only those are listed whose goal cannot be met.
const mostGoals = 40

func printGoals(out io.Writer, check *advise.GoalCheck) {
	bad := impossible(check)
	fmt.Fprintf(out, "%s, seed %d: jobs with a goal %d, without %d; goals that cannot be met even alone %d, conflicts %d\n",
		check.Scenario, check.Seed, len(check.Jobs), check.Without, bad, len(check.Conflicts))
	rows := [][]string{{"job", "class", "submit", "goal", "alone", "slack", "pace", "weight", "verdict"}}
	for _, r := range check.Jobs {
		if len(check.Jobs) > mostGoals && r.Slack >= 0 {
			continue
		}
		submit, pace, verdict := "after another", "-", "can be met alone"
		if r.Submit != nil {
			submit = inSeconds(*r.Submit)
		}
		if r.Pace != nil {
			pace = fmt.Sprintf("%.1f", *r.Pace)
		}
		if r.Slack < 0 {
			verdict = fmt.Sprintf("cannot be met: %s short even alone", inSeconds(-r.Slack))
		}
		rows = append(rows, []string{r.Job, r.Class, submit, inSeconds(r.Goal), inSeconds(r.Alone), inSeconds(r.Slack), pace, fmt.Sprintf("%.3g", r.Weight), verdict})
	}
	if len(rows) > 1 {
		fmt.Fprintln(out)
		printColumns(out, rows)
	}
	for _, f := range check.Conflicts {
		fmt.Fprintf(out, "\nconflict: from %s to %s these jobs need %.0f %% of the %s room, so one of them will be late under any policy:\n  %s\n",
			inSeconds(f.From), inSeconds(f.To), 100*f.Load, f.Pool, names(f.Jobs))
	}
	for _, f := range check.Crowded {
		fmt.Fprintf(out, "\ncrowded: from %s to %s the even paces of these jobs add up to %.0f of %d slots, so some must run ahead or catch up:\n  %s\n",
			inSeconds(f.From), inSeconds(f.To), f.Pace, f.Room, names(f.Jobs))
	}
}

func inSeconds(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + "s" }

// names lists the first few.
func names(list []string) string {
	const most = 20
	if len(list) > most {
		return fmt.Sprintf("%s and %d others", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
