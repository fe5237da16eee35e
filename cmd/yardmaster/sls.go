// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/slsrun"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
)

type slsCmd struct {
	TraceType string   `name:"tracetype" required:"" enum:"SLS,RUMEN,SYNTH" help:"Format of the trace: ${enum}."`
	Trace     string   `name:"tracelocation" required:"" placeholder:"FILE" help:"The trace."`
	Nodes     string   `required:"" placeholder:"FILE" help:"Racks and nodes, in SLS's format."`
	Conf      string   `required:"" placeholder:"DIR" help:"Folder with yarn-site.xml, capacity-scheduler.xml and sls-runner.xml."`
	Output    string   `required:"" aliases:"output-dir" placeholder:"DIR" help:"Folder for the outputs."`
	Seed      uint64   `default:"1" help:"Seed of the moments at which nodes send their heartbeats."`
	TrackJobs []string `name:"track-jobs" placeholder:"ID,…" help:"Taken for the sake of slsrun.sh: all jobs are tracked."`
	Repair    bool     `help:"Repair what can be repaired of the trace and the nodes instead of refusing them; every repair is said."`
	Print     bool     `name:"print-simulation" help:"Print the inputs and what became of the jobs."`
}

// slsFormats are the formats of traces by SLS's names.
var slsFormats = map[string]string{"SLS": "sls", "RUMEN": "rumen", "SYNTH": "sls-synth"}

// Help implements kong's detailed help.
func (slsCmd) Help() string {
	return `Does what Hadoop's Scheduler Load Simulator does, with its inputs, its configuration and its own master, in simulated time:
  slsrun.sh     --tracetype=SLS --tracelocation=jobs.json --nodes=nodes.json --output-dir=out
  yardmaster sls --tracetype=SLS --tracelocation=jobs.json --nodes=nodes.json --output-dir=out --conf=etc/hadoop

Outputs: jobruntime.csv (one row for each job, milliseconds since the start, and the trace's job id as a sixth column),
realtimetrack.json (a look at the cluster for each second), apps.csv and containers.csv (when each step came, in seconds).
docs/yarn.md says how near they are to those of SLS.`
}

// Run implements the command.
func (c *slsCmd) Run(w *world) error {
	sites, err := loadYarn(w, c.Conf)
	if err != nil {
		return err
	}
	trace, err := os.Open(c.Trace)
	if err != nil {
		return &strict.InputError{Err: err}
	}
	defer trace.Close()
	nodes, err := os.Open(c.Nodes)
	if err != nil {
		return &strict.InputError{Err: err}
	}
	defer nodes.Close()
	out, err := slsrun.Run(slsrun.Input{Format: slsFormats[c.TraceType], Trace: slsrun.File{Name: c.Trace, Reader: trace},
		Nodes: slsrun.File{Name: c.Nodes, Reader: nodes}, Conf: sites[0].Properties, At: sites[0].At, Seed: c.Seed, Repair: c.Repair})
	if err != nil {
		return ofInput(err)
	}
	for _, text := range out.Notes {
		fmt.Fprintln(w.err, "yardmaster: warning:", text)
	}
	if err := os.MkdirAll(c.Output, 0o777); err != nil {
		return err
	}
	for _, f := range slsrun.Files {
		if err := c.write(out, f.Name, f.Write); err != nil {
			return err
		}
	}
	if c.Print {
		out.Print(w.out)
	}
	return nil
}

func (c *slsCmd) write(out *slsrun.Outcome, name string, write func(*slsrun.Outcome, io.Writer) error) error {
	f, err := os.Create(filepath.Join(c.Output, name))
	if err != nil {
		return err
	}
	if err := write(out, f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// ofInput marks what is the input's fault: a trace, a file of nodes or a setting that is refused.
func ofInput(err error) error {
	var faults strict.Errors
	var trace *workload.TraceError
	if errors.As(err, &faults) || errors.As(err, &trace) {
		return &strict.InputError{Err: err}
	}
	return err
}

// loadYarn reads configurations of YARN and says on stderr what in them is not modelled.
func loadYarn(w *world, paths ...string) ([]*advise.YarnSite, error) {
	sites, err := advise.LoadYarn(paths...)
	warnYarn(w, sites)
	return sites, err
}

// yarnChoices returns the resource manager with each configuration, and warns of nodes of other sizes.
func yarnChoices(w *world, s *scenario.Scenario, sites []*advise.YarnSite) ([]scenario.PolicyChoice, error) {
	choices, err := advise.YarnChoices(s, sites)
	for _, y := range sites {
		for _, text := range y.Sizes {
			fmt.Fprintln(w.err, "yardmaster: warning:", text)
		}
	}
	return choices, err
}

// warnYarn prints what configurations say in vain.
func warnYarn(w *world, sites []*advise.YarnSite) {
	for _, y := range sites {
		for _, text := range y.Warnings() {
			fmt.Fprintln(w.err, "yardmaster: warning:", text)
		}
	}
}
