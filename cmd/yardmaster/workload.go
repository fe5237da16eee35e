// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/nodelist"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload/synth"
)

// workloadCmd holds the commands on workloads.
type workloadCmd struct {
	Describe describeCmd      `cmd:"" help:"Counts, totals, percentiles, load and burstiness of a trace."`
	Convert  convertCmd       `cmd:"" help:"Turn a trace of any format into Yardmaster's own CSV."`
	Generate generateCmd      `cmd:"" help:"Write the workload of a scenario as a trace."`
	Scale    scaleCmd         `cmd:"" help:"Scale the gaps between jobs to a target load, or by a factor."`
	Slice    sliceCmd         `cmd:"" help:"Keep the jobs of a span of time, or a share of them."`
	Measure  measure.Measure  `cmd:"" help:"Run each job of a trace alone on each kind of machine, and write how long its tasks take there."`
	Train    measure.Train    `cmd:"" help:"Train a classifier that tells jobs apart by the kind of machine on which they end first."`
	Classify measure.Classify `cmd:"" help:"Hold a classifier against a measured trace."`
	Nodes    nodelist.Command `cmd:"" help:"Turn a nodes file of SLS, or the nodes of a resource manager, into the cluster section of a scenario."`
	Facebook facebookCmd      `cmd:"" help:"Print the published marginals of the facebook preset beside those reached."`
}

// traceFlags are what all commands on a trace have in common.
type traceFlags struct {
	Trace  string `arg:"" help:"Trace file: SWIM TSV, SLS JSON, Rumen JSON, .jhist (a folder of them, too) or Yardmaster's own CSV; gzip is recognised."`
	Format string `name:"trace-format" aliases:"format" placeholder:"NAME" help:"Format of the trace (--format is the same); recognised by its content if left out."`
	Repair bool   `help:"Repair what can be repaired, and list it, instead of refusing the file."`
}

// load reads the trace and lists on stderr what was repaired.
func (f *traceFlags) load(w *world) (*scenario.Trace, error) {
	t, err := scenario.LoadTrace(f.Trace, f.Format, f.Repair)
	if err != nil {
		return nil, err
	}
	for _, r := range t.Repaired {
		fmt.Fprintf(w.err, "%s: %s\n", f.Trace, r)
	}
	for _, text := range t.Notes {
		fmt.Fprintln(w.err, "yardmaster: warning:", text)
	}
	return t, nil
}

// siteFlags say on which cluster and with which cost model a trace is looked at.
type siteFlags struct {
	On  string   `placeholder:"SCENARIO" help:"Scenario whose cluster, block size and cost model are used; the built-in one if left out."`
	Set []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of that scenario (repeatable)."`
}

func (f *siteFlags) load() (*scenario.Scenario, error) {
	settings, err := parseSettings(f.Set)
	if err != nil {
		return nil, err
	}
	s, _, err := scenario.LoadOrBuiltin(f.On, settings)
	return s, err
}

// outFlag says where a trace is written.
type outFlag struct {
	Out string `required:"" placeholder:"FILE" help:"File to write (Yardmaster's own CSV)."`
}

func (f *outFlag) write(w *world, t *scenario.Trace) error {
	b, err := t.CSV()
	if err != nil {
		return err
	}
	if err := result.WriteFile(f.Out, b); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%s written to %s\n", digits.Count(len(t.Records), "job"), f.Out)
	return nil
}

type describeCmd struct {
	traceFlags
	siteFlags
	HTML   string `name:"html" placeholder:"FILE" help:"Also draw the distributions into this page."`
	Output string `name:"output" enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (describeCmd) Help() string {
	return `Examples:
  yardmaster workload describe FB-2010.tsv
  yardmaster workload describe jobs.csv.gz --on my.yaml --html jobs.html
  yardmaster workload describe trace.json --set hdfs.block-size=256MiB --output json`
}

// Run implements the command.
func (c *describeCmd) Run(w *world) error {
	s, err := c.siteFlags.load()
	if err != nil {
		return err
	}
	t, err := c.traceFlags.load(w)
	if err != nil {
		return err
	}
	d, err := t.Describe(s)
	if err != nil {
		return err
	}
	if c.HTML != "" {
		var b bytes.Buffer
		page := &report.WorkloadPage{Title: t.Name, Subtitle: fmt.Sprintf("%s on the cluster of %s", digits.Count(d.Jobs, "job"), s.Name), Version: version.String(), Description: d,
			Facts: append(s.Facts()[:1:1], [2]string{"Span", report.Amount(d.Span, "s")}, [2]string{"Tasks", fmt.Sprintf("%s, %s", digits.Count(d.Maps, "map"), digits.Count(d.Reduces, "reduce"))})}
		if err := report.WriteWorkload(&b, page); err != nil {
			return err
		}
		if err := result.WriteFile(c.HTML, b.Bytes()); err != nil {
			return err
		}
	}
	if c.Output == "json" {
		return result.WriteJSON(w.out, d)
	}
	console.Description(w.out, t.Name, s.Name, d)
	return nil
}

type facebookCmd struct {
	Seeds int `default:"20" help:"Seeds to measure."`
}

// Run implements the command.
func (c *facebookCmd) Run(w *world) error {
	if c.Seeds < 1 || c.Seeds > 10000 {
		return &strict.InputError{Err: fmt.Errorf("--seeds %d: allowed: 1 to 10000", c.Seeds)}
	}
	m, err := experiment.FacebookMarginals(w.ctx, c.Seeds)
	if err != nil {
		return err
	}
	synth.WriteFacebookMarginals(w.out, m)
	return nil
}

type convertCmd struct {
	traceFlags
	outFlag
}

// Help implements kong's detailed help.
func (convertCmd) Help() string {
	return `Examples:
  yardmaster workload convert history.jhist --out jobs.csv
  yardmaster workload convert trace.tsv.gz --repair --out jobs.csv`
}

// Run implements the command.
func (c *convertCmd) Run(w *world) error {
	t, err := c.load(w)
	if err != nil {
		return err
	}
	return c.write(w, t)
}

type generateCmd struct {
	Scenario string   `arg:"" optional:"" help:"Scenario file; the built-in one if left out."`
	Set      []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario (repeatable)."`
	Seed     *uint64  `help:"Seed, instead of the scenario's."`
	outFlag
}

// Help implements kong's detailed help.
func (generateCmd) Help() string {
	return `Examples:
  yardmaster workload generate --out jobs.csv              the built-in workload
  yardmaster workload generate my.yaml --seed 7 --out jobs.csv

Every task's length is written down, so that running the file gives the same results.`
}

// Run implements the command.
func (c *generateCmd) Run(w *world) error {
	site := siteFlags{On: c.Scenario, Set: c.Set}
	s, err := site.load()
	if err != nil {
		return err
	}
	seed := s.Seed
	if c.Seed != nil {
		seed = *c.Seed
	}
	t, err := experiment.GeneratedTrace(w.ctx, s, seed)
	if err != nil {
		return err
	}
	return c.write(w, t)
}

type scaleCmd struct {
	traceFlags
	siteFlags
	outFlag
	Load   string  `placeholder:"SHARE" help:"Target load of the busiest pool of room, such as 70%."`
	Factor float64 `default:"1" help:"Factor on the gaps, instead of a load."`
}

// Help implements kong's detailed help.
func (scaleCmd) Help() string {
	return `Examples:
  yardmaster workload scale trace.tsv --on my.yaml --load 90% --out busy.csv
  yardmaster workload scale trace.tsv --factor 0.77 --out more.csv     30 % more load`
}

// Run implements the command.
func (c *scaleCmd) Run(w *world) error {
	var load model.Fraction
	if c.Load != "" {
		if err := load.UnmarshalText([]byte(c.Load)); err != nil || load <= 0 {
			return &strict.InputError{Err: fmt.Errorf("--load %s: allowed: %s, above 0", c.Load, load.Allowed())}
		}
	}
	if !(c.Factor > 0) || math.IsInf(c.Factor, 1) || load > 0 && c.Factor != 1 {
		return &strict.InputError{Err: fmt.Errorf("--factor %g: allowed: a number above 0, without --load", c.Factor)}
	}
	s, err := c.siteFlags.load()
	if err != nil {
		return err
	}
	t, err := c.traceFlags.load(w)
	if err != nil {
		return err
	}
	factor, err := t.Scale(s, float64(load), c.Factor)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "gaps multiplied by %.4g\n", factor)
	return c.write(w, t)
}

type sliceCmd struct {
	traceFlags
	outFlag
	From string `default:"0s" placeholder:"TIME" help:"Leave out jobs submitted before this time of the trace."`
	To   string `default:"0s" placeholder:"TIME" help:"Leave out jobs submitted at or after this time; 0s means the end."`
	Thin string `default:"100%" placeholder:"SHARE" help:"Keep this share of the jobs."`
}

// Help implements kong's detailed help.
func (sliceCmd) Help() string {
	return `Examples:
  yardmaster workload slice trace.tsv --from 2h --to 3h --out hour.csv
  yardmaster workload slice trace.tsv --thin 10% --out tenth.csv`
}

// Run implements the command.
func (c *sliceCmd) Run(w *world) error {
	var from, to model.Time
	var share model.Fraction
	for _, f := range []struct {
		name, text string
		into       interface {
			UnmarshalText([]byte) error
			Allowed() string
		}
	}{{"--from", c.From, &from}, {"--to", c.To, &to}, {"--thin", c.Thin, &share}} {
		if err := f.into.UnmarshalText([]byte(f.text)); err != nil {
			return &strict.InputError{Err: fmt.Errorf("%s %s: %w; allowed: %s", f.name, f.text, err, f.into.Allowed())}
		}
	}
	if share <= 0 || share > 1 || from < 0 || to < 0 || to != 0 && to <= from {
		return &strict.InputError{Err: fmt.Errorf("--from %s --to %s --thin %s: allowed: from before to, a share above 0 and at most 100%%", c.From, c.To, c.Thin)}
	}
	t, err := c.load(w)
	if err != nil {
		return err
	}
	if err := t.Slice(from, to, float64(share)); err != nil {
		return err
	}
	return c.write(w, t)
}
