// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// capacityCmd holds the commands on settings of the Capacity Scheduler.
type capacityCmd struct {
	Explain capacityExplainCmd `cmd:"" help:"Print the effective limits of every queue and user on a cluster."`
	Lint    capacityLintCmd    `cmd:"" help:"Name settings that cost jobs time, with what they cost on a workload."`
	Search  capacitySearchCmd  `cmd:"" help:"Search the queue settings for the best, and write them as a file."`
}

// capacitySite says on which cluster, and for which workload, settings are looked at.
type capacitySite struct {
	File     string   `arg:"" help:"capacity-scheduler.xml of Hadoop 1 or YARN."`
	Workload string   `placeholder:"FILE" help:"Scenario, or trace or job history that runs on the cluster of --on."`
	On       string   `placeholder:"SCENARIO" help:"Scenario whose cluster is used; the built-in one if left out."`
	Set      []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario (repeatable)."`
}

// load reads the settings and the scenario.
func (c *capacitySite) load(w *world) (*scenario.Scenario, []byte, *advise.CapacityFile, error) {
	files, err := loadCapacity(w, c.File)
	settings, err2 := parseSettings(c.Set)
	if err := errors.Join(err, err2); err != nil {
		return nil, nil, nil, &strict.InputError{Err: err}
	}
	s, src, err := scenario.LoadSite(c.Workload, c.On, settings)
	if err != nil {
		return nil, nil, nil, err
	}
	return s, src, files[0], nil
}

type capacityExplainCmd struct {
	capacitySite
	Format string `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (capacityExplainCmd) Help() string {
	return `Examples:
  yardmaster capacity explain capacity-scheduler.xml --on my.yaml
  yardmaster capacity explain capacity-scheduler.xml --on my.yaml --workload history.jhist
  yardmaster capacity explain capacity-scheduler.xml --set cluster.classes[0].nodes=40 --format json

Percentages become slots as the scheduler makes them: truncated, maps and reduces apart. A user's limit
depends on how many users want room; it is shown for 1, 2, 3 … users of a queue that is at its capacity.
With --workload every user of the workload is listed with their jobs and the limit that they meet alone
and beside all other users of the queue.`
}

// Run implements the command.
func (c *capacityExplainCmd) Run(w *world) error {
	s, _, f, err := c.load(w)
	if err != nil {
		return err
	}
	e, err := advise.ExplainCapacity(s, f, c.Workload != "")
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return result.WriteJSON(w.out, e)
	}
	fmt.Fprintf(w.out, "%s (%s) on %s\n\n", c.File, f.Dialect, e.Cluster)
	console.Columns(w.out, e.QueueTable())
	fmt.Fprintf(w.out, "\nroom that one user may hold, by how many users of a full queue want room\n")
	console.Columns(w.out, e.UserTable())
	fmt.Fprintf(w.out, "\njobs\n")
	console.Columns(w.out, e.JobTable())
	fmt.Fprintf(w.out, "\n%s\n", e.Start)
	if len(e.Users) > 0 {
		fmt.Fprintf(w.out, "\nusers of %s\n", s.Name)
		console.Columns(w.out, e.NamedTable())
	}
	return nil
}

type capacityLintCmd struct {
	capacitySite
	Seeds  *int   `placeholder:"N" help:"Repetitions, instead of the scenario's."`
	Jobs   int    `short:"j" placeholder:"N" help:"Runs at a time; one per core if left out."`
	Quiet  bool   `short:"q" help:"No progress."`
	Strict bool   `help:"Exit with 1 if a trap surely costs time, or stops jobs."`
	Out    string `placeholder:"FOLDER" help:"Also write a page and lint.json to this folder."`
	Format string `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (capacityLintCmd) Help() string {
	return `Examples:
  yardmaster capacity lint capacity-scheduler.xml --workload my.yaml
  yardmaster capacity lint capacity-scheduler.xml --workload history.jhist --on my.yaml --seeds 10
  yardmaster capacity lint capacity-scheduler.xml --workload my.yaml --strict --format json

The traps are those of capacity-2013 chapters 5 and 6: no maximum with queues of unequal capacity,
minimum-user-limit-percent 100 with several users, a user-limit-factor below what a job can use, short
and long jobs in one queue; and percentages that leave no slot. The cost of each is measured by
simulating the workload with the file as it is and with the trap removed, on the same jobs and random
numbers. A trap that costs nothing here is said to.`
}

// Run implements the command.
func (c *capacityLintCmd) Run(w *world) error {
	if c.Workload == "" {
		return &strict.InputError{Err: errors.New("missing --workload; allowed: a scenario, trace or job history")}
	}
	if err := checkOut(c.Out); err != nil {
		return err
	}
	s, src, f, err := c.load(w)
	if err != nil {
		return err
	}
	seeds, err := seedsOr(c.Seeds, s.Seeds)
	if err != nil {
		return err
	}
	p := newProgress(w, c.Quiet)
	past := newPast(s, seeds)
	traps, err := advise.Lint(w.ctx, s, f, seeds, experiment.Options{Workers: c.Jobs, Progress: p.update, Observe: past.observe})
	p.done()
	if err != nil {
		return err
	}
	if c.Out != "" {
		m := manifestOf(w, "lint", s, src, c.Workload, []uint64{s.Seed})
		m.Inputs[f.Name] = f.Hash
		if err := answers.Write(c.Out, m, answers.Lint(c.File, s.Name, traps, seeds), result.LintName, traps); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		if traps == nil {
			traps = []advise.Trap{}
		}
		err = result.WriteJSON(w.out, traps)
	} else {
		past.print(w)
		c.print(w, s, traps, seeds)
	}
	if err != nil {
		return err
	}
	return c.judge(traps)
}

func (c *capacityLintCmd) judge(traps []advise.Trap) error {
	bad := 0
	for i := range traps {
		if cost := traps[i].Cost; cost == nil || cost.Sure && cost.Saved[0] > 0 {
			bad++
		}
	}
	if c.Strict && bad > 0 {
		return fmt.Errorf("%s: %d of %d traps cost time on %s or stop jobs", c.File, bad, len(traps), c.Workload)
	}
	return nil
}

func (c *capacityLintCmd) print(w *world, s *scenario.Scenario, traps []advise.Trap, seeds int) {
	if len(traps) == 0 {
		fmt.Fprintf(w.out, "%s: no trap found for %s\n", c.File, s.Name)
		return
	}
	for i := range traps {
		t := &traps[i]
		fmt.Fprintf(w.out, "%s, queue %s (%s)\n  found:  %s\n  remedy: %s\n", t.Name, t.Queue, t.Source, t.Found, t.Remedy)
		for _, e := range t.Edits {
			old := e.Old
			if old == "" {
				old = "not set"
			}
			fmt.Fprintf(w.out, "          %s: %s -> %s\n", e.Property, old, e.New)
		}
		if k := t.Cost; k != nil {
			fmt.Fprintf(w.out, "  cost:   %s\n", costText(k))
			rows := [][]string{{"", "waiting", "elapsed", "response ratio", "elapsed of all other jobs"}}
			for side, name := range []string{"with it", "without it"} {
				rows = append(rows, []string{"        " + name, fmt.Sprintf("%.1f s", k.Waiting[side]), fmt.Sprintf("%.1f s", k.Elapsed[side]), fmt.Sprintf("%.2f", k.Ratio[side]), fmt.Sprintf("%.1f s", k.Others[side])})
			}
			console.Columns(w.out, rows)
		}
		fmt.Fprintln(w.out)
	}
	fmt.Fprintf(w.out, "costs are means over %d repetitions of %s, paired, with 95 %% intervals\n", seeds, s.Name)
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
