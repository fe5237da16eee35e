// SPDX-License-Identifier: Apache-2.0

// Package tables writes the result folders of run and compare: the page, the summaries and the tables that analysts load.
package tables

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/attempts"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/result/parquet"
)

// Flags are the tables that a command writes on request.
type Flags struct {
	Tasks   bool `help:"Also write tasks.csv, every attempt of every task, and nodes.html, the nodes over time."`
	Parquet bool `help:"Also write every table as Parquet, beside the CSV."`
}

// Writer collects what the tables on request need while runs go on, and writes the folder.
type Writer struct {
	Flags
	AllSeeds bool // jobs.csv of all policies and seeds together

	mu   sync.Mutex
	logs map[int]*attempts.Log // by policy
	jobs map[[2]int][]byte     // rows by policy and repetition
}

// Watch makes the runs of a command report to the writer.
func (w *Writer) Watch(opt *experiment.Options) {
	w.logs, w.jobs = map[int]*attempts.Log{}, map[[2]int][]byte{}
	if w.Tasks {
		opt.Record = func(p, rep int) record.Recorder {
			if rep > 0 {
				return nil // charts and tables of tasks show the first seed
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.logs[p] = attempts.New()
			return w.logs[p]
		}
	}
	if w.AllSeeds {
		next := opt.Observe
		opt.Observe = func(p, rep int, g *metrics.Group) {
			rows := result.AppendJobs(nil, g.Jobs)
			w.mu.Lock()
			w.jobs[[2]int{p, rep}] = rows
			w.mu.Unlock()
			if next != nil {
				next(p, rep, g)
			}
		}
	}
}

// Content is what a folder holds beside the tables.
type Content struct {
	Manifest *result.Manifest
	Page     *report.Page
	Files    map[string]any // bytes as they are, others as JSON
	Folders  []string       // of the policies; "" is the result folder itself
}

// Write writes a result folder: manifest, report, the files, and jobs.csv and series.csv of the shown run of each policy below
// its folder, with links.csv and traffic.csv where data went from rack to rack, and circuits.csv where circuits carried some.
func (w *Writer) Write(path string, compared *experiment.Comparison, c *Content) error {
	f, err := result.NewFolder(path)
	if err != nil {
		return err
	}
	defer f.Discard() // nothing is left of it after Commit
	o := &out{folder: f, parquet: w.Parquet}
	o.write(result.ManifestName, result.JSON(c.Manifest))
	for name, v := range c.Files {
		if raw, ok := v.([]byte); ok {
			o.write(name, func(out io.Writer) error { _, err := out.Write(raw); return err })
			continue
		}
		o.write(name, result.JSON(v))
	}
	for p, folder := range c.Folders {
		o.run(folder, compared.Shown[p])
		if log := w.logs[p]; log != nil {
			topology := compared.Scenario.Cluster.Topology()
			o.write(filepath.Join(folder, result.TasksName), func(out io.Writer) error { return result.WriteTasks(out, log.All(), topology) })
			o.write(filepath.Join(folder, result.NodesName), func(out io.Writer) error {
				page := nodesPage(compared.Labels()[p], log.All(), compared.Shown[p], topology)
				page.Version, page.Command = c.Manifest.Yardmaster, c.Manifest.Command
				return report.WriteAnswer(out, page)
			})
		}
	}
	if w.AllSeeds {
		o.write(result.JobsName, func(out io.Writer) error { return w.writeAll(out, compared) })
	}
	o.write(result.PageName, func(out io.Writer) error { return report.Write(out, c.Page) })
	if o.err != nil {
		return o.err
	}
	return f.Commit()
}

// writeAll writes the jobs of all policies and seeds, one after the other.
func (w *Writer) writeAll(out io.Writer, compared *experiment.Comparison) error {
	if _, err := fmt.Fprintf(out, "policy,seed,%s", result.JobsHead()); err != nil {
		return err
	}
	for p, label := range compared.Labels() {
		for rep, seed := range compared.Seeds {
			prefix := fmt.Appendf(result.AppendText(nil, label), ",%d,", seed)
			for row := range bytes.Lines(w.jobs[[2]int{p, rep}]) {
				if _, err := out.Write(append(prefix[:len(prefix):len(prefix)], row...)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// out writes files until one fails.
type out struct {
	folder  *result.Folder
	parquet bool
	err     error
}

func (o *out) write(name string, content func(io.Writer) error) {
	if o.err != nil {
		return
	}
	if o.err = o.folder.Write(name, content); o.err != nil || !o.parquet || !strings.HasSuffix(name, ".csv") {
		return
	}
	var texts []string
	if name == result.PlanName {
		texts = []string{"job"} // its name, where other tables have its number
	}
	var b bytes.Buffer
	if o.err = content(&b); o.err == nil {
		o.err = o.folder.Write(strings.TrimSuffix(name, ".csv")+".parquet", func(w io.Writer) error { return parquet.FromCSV(w, b.Bytes(), texts...) })
	}
}

// run writes the tables of one run.
func (o *out) run(folder string, run *metrics.Run) {
	o.write(filepath.Join(folder, result.JobsName), func(out io.Writer) error { return result.WriteJobs(out, run) })
	o.write(filepath.Join(folder, result.SeriesName), func(out io.Writer) error { return result.WriteSeries(out, &run.Series) })
	if len(run.Links.Links) > 0 {
		o.write(filepath.Join(folder, result.LinksName), func(out io.Writer) error { return result.WriteLinks(out, &run.Links) })
	}
	if len(run.Links.Links) > 0 || run.Circuits != nil {
		o.write(filepath.Join(folder, result.TrafficName), func(out io.Writer) error { return result.WriteTraffic(out, run.Traffic) })
	}
	if run.Circuits != nil {
		o.write(filepath.Join(folder, result.CircuitsName), func(out io.Writer) error { return result.WriteCircuits(out, run.Circuits) })
	}
}
