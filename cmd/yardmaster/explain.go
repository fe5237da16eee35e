// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/result"
)

type explainCmd struct {
	Result string `arg:"" help:"Result folder of run or compare."`
	Job    string `arg:"" help:"Number or name of the job."`
	Policy string `help:"Which policy of a comparison; the first if left out."`
	WhatIf bool   `default:"true" negatable:"" help:"Also simulate what would have let the job start earlier."`
	Format string `enum:"table,json" default:"table" help:"What to print: table or json."`
	Out    string `placeholder:"FOLDER" help:"Also write a page and explanation.json to this folder."`
	Quiet  bool   `short:"q" help:"No progress."`
}

// Help implements kong's detailed help.
func (explainCmd) Help() string {
	return `Examples:
  yardmaster explain results/facebook-like 17
  yardmaster explain results/facebook-like-compare huge-431 --policy fair
  yardmaster explain results/facebook-like 17 --out results/job-17

The run is repeated from the manifest of the folder, which gives the same result, and the job is
watched: where its time went, which limit held it back when, which jobs used the room meanwhile,
and how it would have fared under other policies or with more nodes.`
}

// Run implements the command.
func (c *explainCmd) Run(w *world) error {
	if err := checkOut(c.Out); err != nil {
		return err
	}
	p := newProgress(w, c.Quiet)
	e, err := advise.Explain(w.ctx, c.Result, c.Job, c.Policy, c.WhatIf, experiment.Options{Progress: p.update})
	p.done()
	if err != nil {
		return err
	}
	if c.Out != "" {
		m, err := result.ReadManifest(c.Result)
		if err != nil {
			return err
		}
		m.Yardmaster, m.Kind, m.Command, m.Policies = version.String(), "explain", w.command(), []string{e.Policy}
		if err := answers.Write(c.Out, m, answers.Explain(e), result.ExplanationName, e); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return result.WriteJSON(w.out, e)
	}
	console.Explanation(w.out, e)
	return nil
}
