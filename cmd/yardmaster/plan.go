// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policy/rackplan"
	"github.com/yardmaster/yardmaster/scenario"
)

type planCmd struct {
	Jobs   planJobsCmd        `cmd:"" help:"Print where and when recurring jobs are planned to run, and write the plan."`
	Hybrid measure.PlanHybrid `cmd:"" help:"Tell how many scale-out machines to replace by scale-up machines of the same price."`
}

type planJobsCmd struct {
	Scenario string   `arg:"" help:"Scenario file (YAML) with recurring jobs."`
	Policy   string   `help:"Policy that plans, instead of the scenario's: corral or jobpacker."`
	Set      []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario, such as cluster.racks=10 (repeatable)."`
	Seed     *uint64  `help:"Seed of the workload, instead of the scenario's."`
	Out      string   `placeholder:"FILE" help:"Write the plan to this file, which run --plan follows."`
	Format   string   `enum:"table,json" default:"table" help:"What to print: table or json (the plan as the file has it)."`
}

// Help implements kong's detailed help.
func (planJobsCmd) Help() string {
	return `Examples:
  yardmaster plan jobs my.yaml --policy jobpacker
  yardmaster plan jobs my.yaml --policy corral --out plan.json
  yardmaster run my.yaml --policy corral --plan plan.json

Jobs recur that have a period, such as by workload.assign: [{share: 50%, period: 1d}]. The plan is that of a
run with the same seed, with the errors that the section forecasts asks for.

  maps, reduces  racks in which tasks of the kind are to run, from 0
  start, end     as planned; the run takes what comes`
}

// Run implements the command.
func (c *planJobsCmd) Run(w *world) error {
	settings, err := parseSettings(c.Set)
	if err != nil {
		return err
	}
	if c.Policy != "" {
		settings = append([]strict.Setting{{Path: "policy", Value: c.Policy}}, settings...)
	}
	if c.Seed != nil {
		settings = append(settings, strict.Setting{Path: "seed", Value: fmt.Sprint(*c.Seed)})
	}
	s, _, err := scenario.LoadOrBuiltin(c.Scenario, settings)
	if err != nil {
		return err
	}
	plan, err := advise.PlanJobs(warned(w, s, nil), s.Seed)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := os.WriteFile(c.Out, plan.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		_, err = w.out.Write(plan.Bytes())
		return err
	}
	printPlan(w.out, plan)
	if c.Out != "" {
		fmt.Fprintf(w.out, "\nplan in %s\n", c.Out)
	}
	return nil
}

func printPlan(out io.Writer, plan *rackplan.File) {
	fmt.Fprintf(out, "%s plans %s on %s\n\n", plan.Planner, digits.Count(len(plan.Jobs), "job"), digits.Count(len(plan.Racks), "rack"))
	rows := [][]string{{"job", "shuffle", "maps", "reduces", "width", "start", "maps end", "end"}}
	for i := range plan.Jobs {
		j := &plan.Jobs[i]
		kind := "light"
		if j.Heavy {
			kind = "heavy"
		}
		rows = append(rows, []string{j.Name, kind, rackList(j.MapRacks), rackList(j.ReduceRacks), fmt.Sprintf("%d+%d", len(j.MapRacks), len(j.ReduceRacks)),
			console.InSeconds(j.Start.Seconds()), console.InSeconds(j.MapsEnd.Seconds()), console.InSeconds(j.End.Seconds())})
	}
	console.Columns(out, rows)
}

// rackList lists racks, neighbours as a range: 0-3,7.
func rackList(shares []rackplan.FileShare) string {
	var parts []string
	for i := 0; i < len(shares); {
		end := i
		for end+1 < len(shares) && shares[end+1].Rack == shares[end].Rack+1 {
			end++
		}
		text := fmt.Sprint(shares[i].Rack)
		if end > i {
			text += fmt.Sprintf("-%d", shares[end].Rack)
		}
		parts = append(parts, text)
		i = end + 1
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// followPlan makes the scenario's policy follow the plan of a file, if one is named.
func followPlan(s *scenario.Scenario, file string) error {
	if file == "" {
		return nil
	}
	src, err := scenario.ReadInput(file)
	if err != nil {
		return err
	}
	return advise.FollowPlan(s, file, src, s.Seed)
}
