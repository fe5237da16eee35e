// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/result"
)

type reproduceCmd struct {
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
}

// Help implements kong's detailed help.
func (reproduceCmd) Help() string {
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
beside the paper.`
}

// Run implements the command.
func (c *reproduceCmd) Run(w *world) error {
	names, err := reproduce.Papers(papers.Files)
	if err != nil {
		return err
	}
	only := ""
	if c.Paper != "" {
		if names, only, err = reproduce.Find(names, c.Paper); err != nil {
			return err
		}
	}
	for _, name := range names {
		if c.Out == "" {
			break
		}
		if err := result.CheckFolder(filepath.Join(c.Out, name)); err != nil {
			return err
		}
	}
	p := newProgress(w, c.Quiet)
	defer p.done()
	opt := experiment.Options{Workers: c.Jobs, Check: c.Check, Progress: p.update}
	if c.Bands {
		if len(names) != 1 || c.Fast || c.Out != "" || c.tries() {
			return &strict.InputError{Err: errors.New("reproduce --bands: allowed: one PAPER, or one PAPER/CHAPTER where it has chapters, or an experiment of it, and nothing that changes its runs")}
		}
		findings, err := reproduce.WriteBands(w.ctx, papers.Files, names[0], only, opt, w.out)
		if p.done(); err == nil {
			console.Findings(w.err, findings)
		}
		return err
	}
	var done []*reproduce.Reproduction
	findings := []reproduce.Finding{}
	for _, name := range names {
		r, err := c.paper(w, name, only, opt)
		if err != nil {
			p.done()
			return err
		}
		done, findings = append(done, r), append(findings, r.Findings...)
	}
	p.done()
	for _, r := range done {
		if c.Out == "" {
			break
		}
		if err := c.write(w, r); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		if err := result.WriteJSON(w.out, findings); err != nil {
			return err
		}
	} else {
		console.Findings(w.out, findings)
		for _, r := range done {
			if c.Out != "" {
				fmt.Fprintf(w.out, "\npage in %s\n", filepath.Join(c.Out, r.Paper, "report.html"))
			}
		}
	}
	return reproduce.Changed(done)
}

// tries reports whether the runs are changed, to look for a cause.
func (c *reproduceCmd) tries() bool { return len(c.Set) > 0 || c.Seeds != nil }

// paper runs one paper, or one experiment of it.
func (c *reproduceCmd) paper(w *world, name, only string, opt experiment.Options) (*reproduce.Reproduction, error) {
	if !c.tries() {
		return reproduce.Reproduce(w.ctx, papers.Files, name, only, c.Fast, opt)
	}
	settings, err := parseSettings(c.Set)
	if err != nil {
		return nil, err
	}
	seeds, err := seedsOr(c.Seeds, 0)
	if err != nil {
		return nil, err
	}
	return reproduce.Try(w.ctx, papers.Files, name, reproduce.Trial{Only: only, Quick: c.Fast, Set: settings, Seeds: seeds}, opt)
}

// write makes the paper's folder: report.html and findings.json. Other papers' folders beside it are left alone.
func (c *reproduceCmd) write(w *world, r *reproduce.Reproduction) error {
	folder, err := result.NewFolder(filepath.Join(c.Out, r.Paper))
	if err != nil {
		return err
	}
	defer folder.Discard()
	page := r.Page(version.String(), w.command())
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{result.ManifestName, writeJSON(&result.Manifest{Yardmaster: version.String(), Kind: "reproduce", Command: w.command()})},
		{result.PageName, func(out io.Writer) error { return report.WritePaper(out, page) }},
		{"findings.json", writeJSON(r.Findings)},
	} {
		if err := folder.Write(file.name, file.write); err != nil {
			return err
		}
	}
	return folder.Commit()
}
