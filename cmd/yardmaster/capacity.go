// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/changed"
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
	Write   changed.Command    `cmd:"" help:"Write the file of settings that a what-if tried."`
}

// capacitySite says on which cluster, and for which workload, settings are looked at.
type capacitySite struct {
	File     string   `arg:"" help:"capacity-scheduler.xml of Hadoop 1 or YARN, or a configuration folder of YARN 3."`
	Hadoop1  bool     `name:"hadoop1" help:"Judge a file of YARN by the rules of Hadoop 1's scheduler."`
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
	Out    string `placeholder:"FILE.html" help:"Write a page with the tree of queues too (YARN 3)."`
	Format string `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (capacityExplainCmd) Help() string {
	return `Examples:
  yardmaster capacity explain capacity-scheduler.xml --on my.yaml
  yardmaster capacity explain capacity-scheduler.xml --on my.yaml --workload history.jhist
  yardmaster capacity explain capacity-scheduler.xml --set cluster.classes[0].nodes=40 --format json
  yardmaster capacity explain etc/hadoop --on yarn.yaml

Percentages become slots as the scheduler makes them: truncated, maps and reduces apart. A user's limit
depends on how many users want room; it is shown for 1, 2, 3 … users of a queue that is at its capacity.
With --workload every user of the workload is listed with their jobs and the limit that they meet alone
and beside all other users of the queue.

A file of YARN, or a configuration folder, is explained by YARN's rules on a cluster with cluster.room: yarn:
guarantee and maximum of every queue of the tree, what a lone user and several can reach, and how many jobs
of one user and of many run at a time. The scheduler itself is asked, with users that want everything.`
}

// Run implements the command.
func (c *capacityExplainCmd) Run(w *world) error {
	if site, err := c.yarn(w); err != nil || site != nil {
		if err != nil {
			return err
		}
		return c.explainYarn(w, site)
	}
	if c.Out != "" {
		return &strict.InputError{Err: fmt.Errorf("--out %s: allowed only for YARN's rules", c.Out)}
	}
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
	Strict bool   `help:"Exit with 1 if removing a trap is worth it, or one stops jobs."`
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
numbers. A trap that costs nothing here is said to. The verdict weighs what its victims gain without it
against what all other jobs lose.

A file of YARN, or a configuration folder, is judged by YARN's rules on a cluster with cluster.room: yarn,
with further traps: a limit on masters that lets one job of a user run, a user who waits for a master and
counts in everybody's limit, one container without locality in a heartbeat.`
}

// Run implements the command.
func (c *capacityLintCmd) Run(w *world) error {
	if c.Workload == "" {
		return &strict.InputError{Err: errors.New("missing --workload; allowed: a scenario, trace or job history")}
	}
	if err := checkOut(c.Out); err != nil {
		return err
	}
	s, lint, read, err := c.linter(w)
	if err != nil {
		return err
	}
	seeds, err := seedsOr(c.Seeds, s.Seeds)
	if err != nil {
		return err
	}
	p := newProgress(w, c.Quiet)
	past := newPast(s, seeds)
	traps, err := lint(w.ctx, seeds, experiment.Options{Workers: c.Jobs, Progress: p.update, Observe: past.observe})
	p.done()
	if err != nil {
		return err
	}
	if c.Out != "" {
		m := manifestOf(w, "lint", s, read.source, c.Workload, []uint64{s.Seed})
		maps.Copy(m.Inputs, read.hashes)
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
		console.Traps(w.out, c.File, s.Name, traps, seeds)
	}
	if err != nil {
		return err
	}
	return c.judge(traps)
}

// linted is what a check has read: the source of the workload's scenario, and the hashes of the configuration's files.
type linted struct {
	source []byte
	hashes map[string]string
}

// linter returns the workload, what names and measures traps on it, and what was read.
func (c *capacityLintCmd) linter(w *world) (*scenario.Scenario, func(context.Context, int, experiment.Options) ([]advise.Trap, error), linted, error) {
	site, err := c.yarn(w)
	if err != nil {
		return nil, nil, linted{}, err
	}
	if site != nil {
		return site.Scenario, site.Lint, linted{hashes: site.Conf.Hashes}, nil
	}
	s, src, f, err := c.load(w)
	if err != nil {
		return nil, nil, linted{}, err
	}
	return s, func(ctx context.Context, n int, opt experiment.Options) ([]advise.Trap, error) {
		return advise.Lint(ctx, s, f, n, opt)
	}, linted{src, map[string]string{f.Name: f.Hash}}, nil
}

func (c *capacityLintCmd) judge(traps []advise.Trap) error {
	bad := 0
	for i := range traps {
		if traps[i].Bad() {
			bad++
		}
	}
	if c.Strict && bad > 0 {
		return fmt.Errorf("%s: %d of %d traps cost time on %s or stop jobs", c.File, bad, len(traps), c.Workload)
	}
	return nil
}
