// SPDX-License-Identifier: Apache-2.0

// Package figures is the command reproduce: published figures regenerated, here or on a Hadoop cluster, and printed or
// written as pages.
package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/streaming"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/result"
)

// Command is the flags of the command.
type Command struct {
	Paper  string   `arg:"" optional:"" placeholder:"PAPER[/CHAPTER][/EXPERIMENT]" help:"Paper, or one chapter or experiment of it; all papers if left out."`
	Fast   bool     `name:"quick" help:"Fewer repetitions, and shorter traces where an experiment says so."`
	Seeds  *int     `placeholder:"N" help:"Repetitions, instead of the experiments' own."`
	Set    []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenarios, to look for a cause (repeatable)."`
	Bands  bool     `help:"Run PAPER in full and print its deviations.yaml anew, for a person to review; all findings go to stderr."`
	Out    string   `placeholder:"FOLDER" help:"Also write a page of findings and figures for each paper: FOLDER/PAPER/report.html."`
	Format string   `enum:"table,json" default:"table" help:"What to print: table or json."`
	Jobs   int      `short:"j" placeholder:"N" help:"Runs at a time; one per core if left out."`
	Check  bool     `help:"Verify all invariants while running (slower)."`
	Quiet  bool     `short:"q" help:"No progress."`

	streaming.Cluster `embed:""`
}

// Help implements kong's detailed help.
func (Command) Help() string {
	return `Examples:
  yardmaster reproduce                    every paper
  yardmaster reproduce queueing --quick
  yardmaster reproduce slowdown-2015 --out results/papers
  yardmaster reproduce queueing/mm1 --format json
  yardmaster reproduce diverse-2018/simulator/tick      an experiment of a chapter
  yardmaster reproduce marp-2019 --bands > papers/marp-2019/deviations.yaml
  yardmaster reproduce marp-2019/terasort --set tasks.start-up=4s

Each line is one published figure: the paper's value, ours with its 95 % interval, the deviation
and a verdict: within (our mean is inside the tolerance), holds (a stated order or trend is true of
ours, with a paired interval that excludes equality), undecided (our repetitions cannot tell),
deviates (with the cause), no-reference (ours alone). Of an order or trend, ours is the ratio of its
two sides, paired by repetition. Where an experiment's trace is not in the folder $YARDMASTER_TRACES, a
generator that its scenario states takes its place, and all its figures are no-reference.

What deviates is listed in the paper's deviations.yaml, each figure with the band that ours is to
stay in. Exit code 1 if a figure deviates that is not listed, if one no longer deviates, or if ours
left its band. With --set and --seeds the experiments are changed, to look for a cause, and nothing
is held against the bands. With --out, the page of a paper has its figures redrawn from our runs, to be laid
beside the paper.

With --on hadoop the runs of all experiments are maps of one Hadoop Streaming job, and what is printed is the same, byte
for byte. Traces of the folder $YARDMASTER_TRACES that are needed are shipped. Finished runs are kept in a folder
results/reproduce-... until the end: the same command goes on where it was stopped or killed. Pages are drawn from whole
runs, of which a map hands back only numbers, so --out is for runs here.`
}

// World is what the command may use of the world outside.
type World struct {
	Ctx      context.Context
	Out, Err io.Writer
	Line     string                    // the command line, for pages
	Progress func(experiment.Progress) // hears of progress
	Still    func()                    // ends the display of progress
}

// Reproduce carries out the command. The trial has the changes that --set and --seeds ask for.
func (c *Command) Reproduce(w *World, trial reproduce.Trial) error {
	names, err := reproduce.Papers(papers.Files)
	if err != nil {
		return err
	}
	if c.Paper != "" {
		if names, trial.Only, err = reproduce.Find(names, c.Paper); err != nil {
			return err
		}
	}
	trial.Quick = c.Fast
	if err := c.check(names, trial); err != nil {
		return err
	}
	opt := experiment.Options{Workers: c.Jobs, Check: c.Check, Progress: w.Progress}
	if c.On != "hadoop" {
		_, err := c.answer(w, names, trial, opt)
		return err
	}
	there := &streaming.Papers{Cluster: c.Cluster, Names: names, Trial: trial, Bands: c.Bands, Check: c.Check, Folder: "results", Version: version.String(), Log: w.Err}
	if opt.Measured, err = there.Run(w.Ctx); err != nil {
		return err
	}
	answered, err := c.answer(w, names, trial, opt)
	if answered {
		err = errors.Join(err, there.Done())
	}
	return err
}

// check refuses what does not go together, before anything is run.
func (c *Command) check(names []string, trial reproduce.Trial) error {
	if c.Bands && (len(names) != 1 || c.Fast || c.Out != "" || tries(trial)) {
		return &strict.InputError{Err: errors.New("reproduce --bands: allowed: one PAPER, or one PAPER/CHAPTER where it has chapters, or an experiment of it, and nothing that changes its runs")}
	}
	if c.Out == "" {
		return nil
	}
	if c.On == "hadoop" {
		return &strict.InputError{Err: errors.New("reproduce --out with --on hadoop: pages are drawn from whole runs, of which a map hands back only numbers; allowed: --out with runs here, or --on hadoop, which prints the findings")}
	}
	for _, name := range names {
		if err := result.CheckFolder(filepath.Join(c.Out, name)); err != nil {
			return err
		}
	}
	return nil
}

// tries reports whether the runs are changed, to look for a cause.
func tries(trial reproduce.Trial) bool { return len(trial.Set) > 0 || trial.Seeds > 0 }

// answer prints bands or findings, and reports whether it has, whatever they say.
func (c *Command) answer(w *World, names []string, trial reproduce.Trial, opt experiment.Options) (bool, error) {
	if c.Bands {
		findings, err := reproduce.WriteBands(w.Ctx, papers.Files, names[0], trial.Only, opt, w.Out)
		if w.Still(); err == nil {
			console.Findings(w.Err, findings)
		}
		return err == nil, err
	}
	var done []*reproduce.Reproduction
	findings := []reproduce.Finding{}
	for _, name := range names {
		r, err := paper(w, name, trial, opt)
		if err != nil {
			w.Still()
			return false, err
		}
		done, findings = append(done, r), append(findings, r.Findings...)
	}
	w.Still()
	for _, r := range done {
		if c.Out == "" {
			break
		}
		if err := c.write(w, r); err != nil {
			return false, err
		}
	}
	if c.Format == "json" {
		if err := result.WriteJSON(w.Out, findings); err != nil {
			return false, err
		}
	} else {
		console.Findings(w.Out, findings)
		for _, r := range done {
			if c.Out != "" {
				fmt.Fprintf(w.Out, "\npage in %s\n", filepath.Join(c.Out, r.Paper, "report.html"))
			}
		}
	}
	return true, reproduce.Changed(done)
}

// paper runs one paper, or one experiment of it.
func paper(w *World, name string, trial reproduce.Trial, opt experiment.Options) (*reproduce.Reproduction, error) {
	if tries(trial) {
		return reproduce.Try(w.Ctx, papers.Files, name, trial, opt)
	}
	return reproduce.Reproduce(w.Ctx, papers.Files, name, trial.Only, trial.Quick, opt)
}

// write makes the paper's folder: report.html and findings.json. Other papers' folders beside it are left alone.
func (c *Command) write(w *World, r *reproduce.Reproduction) error {
	folder, err := result.NewFolder(filepath.Join(c.Out, r.Paper))
	if err != nil {
		return err
	}
	defer folder.Discard()
	page := r.Page(version.String(), w.Line)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{result.ManifestName, result.JSON(&result.Manifest{Yardmaster: version.String(), Kind: "reproduce", Command: w.Line})},
		{result.PageName, func(out io.Writer) error { return report.WritePaper(out, page) }},
		{"findings.json", result.JSON(r.Findings)},
	} {
		if err := folder.Write(file.name, file.write); err != nil {
			return err
		}
	}
	return folder.Commit()
}
