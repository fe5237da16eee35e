// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type goalsCmd struct {
	Scenario string   `arg:"" help:"Scenario file (YAML)."`
	Set      []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario, such as cluster.racks=10 (repeatable)."`
	Seed     *uint64  `help:"Seed of the workload, instead of the scenario's."`
	Fail     bool     `help:"Exit code 1 if a goal cannot be met or goals conflict."`
	Out      string   `placeholder:"FOLDER" help:"Also write a page and goals.json to this folder."`
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
	if err := checkOut(c.Out); err != nil {
		return err
	}
	s, src, err := scenario.LoadOrBuiltin(c.Scenario, settings)
	if err != nil {
		return err
	}
	check, err := advise.CheckGoals(w.ctx, s, s.Seed)
	if err != nil {
		return err
	}
	if c.Out != "" {
		m := manifestOf(w, "goals", s, src, c.Scenario, []uint64{s.Seed})
		if err := answers.Write(c.Out, m, answers.Goals(check), result.GoalsName, check); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		err = result.WriteJSON(w.out, check)
	} else {
		console.Goals(w.out, check)
	}
	if err == nil && c.Fail && (console.Impossible(check) > 0 || len(check.Conflicts) > 0) {
		err = errors.New("not all goals can be met")
	}
	return err
}
