// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/result"
)

type reproduceCmd struct {
	Paper  string `arg:"" optional:"" placeholder:"PAPER[/EXPERIMENT]" help:"Paper, or one experiment of it; all papers if left out."`
	Fast   bool   `name:"quick" help:"Fewer repetitions."`
	Out    string `placeholder:"FOLDER" help:"Also write a page of findings and figures for each paper: FOLDER/PAPER/report.html."`
	Format string `enum:"table,json" default:"table" help:"What to print: table or json."`
	Jobs   int    `short:"j" placeholder:"N" help:"Runs at a time; one a core if left out."`
	Check  bool   `help:"Verify all invariants while running (slower)."`
	Quiet  bool   `short:"q" help:"No progress."`
}

// Help implements kong's detailed help.
func (reproduceCmd) Help() string {
	return `Examples:
  yardmaster reproduce                    every paper
  yardmaster reproduce queueing --quick
  yardmaster reproduce slowdown-2015 --out results/papers
  yardmaster reproduce queueing/mm1 --format json

Each line is one published figure: the paper's value, ours with its 95 % interval, the deviation
and a verdict: within (inside its tolerance), holds (a stated order or trend is true of ours),
deviates (with the cause), no-reference (ours alone). Of an order or trend, ours is the ratio of its
two sides, paired by repetition. Exit code 1 if a deviation has no cause. With --out, the page of a
paper has its figures redrawn from our runs, to be laid beside the paper.`
}

// Run implements the command.
func (c *reproduceCmd) Run(w *world) error {
	names, err := reproduce.Papers(papers.Files)
	if err != nil {
		return err
	}
	only := ""
	if c.Paper != "" {
		paper, rest, cut := strings.Cut(c.Paper, "/")
		if err := known(paper, names); err != nil {
			return err
		}
		if cut && rest == "" {
			return &strict.InputError{Err: fmt.Errorf("reproduce %s: allowed: PAPER or PAPER/EXPERIMENT", c.Paper)}
		}
		names, only = []string{paper}, rest
	}
	if c.Out != "" {
		if err := result.CheckFolder(c.Out); err != nil {
			return err
		}
	}
	p := newProgress(w, c.Quiet)
	defer p.done()
	var done []*reproduce.Reproduction
	findings := []reproduce.Finding{}
	for _, name := range names {
		r, err := reproduce.Reproduce(w.ctx, papers.Files, name, only, c.Fast, experiment.Options{Workers: c.Jobs, Check: c.Check, Progress: p.update})
		if err != nil {
			p.done()
			return err
		}
		done, findings = append(done, r), append(findings, r.Findings...)
	}
	p.done()
	if c.Out != "" {
		if err := c.write(w, done); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		if err := result.WriteJSON(w.out, findings); err != nil {
			return err
		}
	} else {
		printFindings(w.out, findings)
		for _, r := range done {
			if c.Out != "" {
				fmt.Fprintf(w.out, "\npage in %s\n", filepath.Join(c.Out, r.Paper, "report.html"))
			}
		}
	}
	for _, f := range findings {
		if f.Verdict == reproduce.Deviates && f.Cause == "" {
			return fmt.Errorf("%s/%s: %q deviates and no cause is known", f.Paper, f.Experiment, f.Figure)
		}
	}
	return nil
}

// write makes the folder of pages: report.html and findings.json for each paper.
func (c *reproduceCmd) write(w *world, done []*reproduce.Reproduction) error {
	folder, err := result.NewFolder(c.Out)
	if err != nil {
		return err
	}
	defer folder.Discard()
	files := map[string]func(io.Writer) error{
		result.ManifestName: writeJSON(&result.Manifest{Yardmaster: version(), Kind: "reproduce", Command: w.command()}),
	}
	for _, r := range done {
		page := r.Page(version(), w.command())
		files[filepath.Join(r.Paper, "report.html")] = func(out io.Writer) error { return report.WritePaper(out, page) }
		files[filepath.Join(r.Paper, "findings.json")] = writeJSON(r.Findings)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := folder.Write(name, files[name]); err != nil {
			return err
		}
	}
	return folder.Commit()
}

func known(name string, names []string) error {
	for _, n := range names {
		if n == name {
			return nil
		}
	}
	msg := fmt.Sprintf("unknown paper %q; allowed: %s", name, strings.Join(names, ", "))
	if near := strict.Nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return &strict.InputError{Err: fmt.Errorf("%s", msg)}
}

// printFindings prints a table: one line a figure.
func printFindings(out io.Writer, findings []reproduce.Finding) {
	rows := [][]string{{"experiment", "figure", "source", "paper", "ours", "95 % interval", "deviation", "verdict"}}
	for _, f := range findings {
		paper, deviation := "-", "-"
		if f.PaperValue != nil {
			paper = fmt.Sprintf("%.4g", *f.PaperValue)
		}
		if f.Deviation != nil {
			deviation = fmt.Sprintf("%+.1f %%", 100**f.Deviation)
		}
		rows = append(rows, []string{f.Paper + "/" + f.Experiment, f.Figure, f.Source, paper, fmt.Sprintf("%.4g", f.Ours),
			fmt.Sprintf("%.4g .. %.4g", f.Low, f.High), deviation, f.Verdict})
	}
	printColumns(out, rows)
	for _, f := range findings {
		if f.Verdict == reproduce.Deviates && f.Cause != "" {
			fmt.Fprintf(out, "%s/%s, %s: %s\n", f.Paper, f.Experiment, f.Figure, f.Cause)
		}
	}
}
