// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/live/amshare"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
)

// Cluster is whom a bench asks.
type Cluster interface {
	Metrics(context.Context) (*rest.Metrics, error)
	Nodes(context.Context, ...string) ([]rest.Node, error)
	Apps(context.Context, rest.Filter) ([]rest.App, error)
}

// Bench runs batches.
type Bench struct {
	Cluster Cluster
	Hadoop  string // the command
	CPU     amshare.Meter
	Disk    amshare.Meter // nil: not measured
	Every   time.Duration // between two looks
	Batch   *Batch
	Series  *csv.Writer // gets a row for each look
}

// SeriesHead are the columns of Series.
var SeriesHead = []string{"run", "setting", "seconds", "waiting", "running", "memory_mib", "containers", "idle_cpu", "disk"}

// Outcome is a run of a batch.
type Outcome struct {
	Run      int
	Setting  string
	Makespan model.Time // from the first submission to the last end, on the ResourceManager's clock
	Mean     model.Time // of the jobs' elapsed times
	Apps     []rest.App
}

// Run submits the batch once and waits until every job has ended. A job that fails is an error, after all have ended.
func (b *Bench) Run(ctx context.Context, run int, setting string) (*Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends clients that still wait
	begin := time.Now()
	tag := fmt.Sprintf("yardmaster-bench-%d-%d", begin.UnixMilli(), run)
	ended := make(chan error, len(b.Batch.Jobs))
	order := slices.Clone(b.Batch.Jobs)
	slices.SortStableFunc(order, func(a, b Job) int { return int(min(max(a.At-b.At, -1), 1)) })
	tick := time.NewTicker(b.Every)
	defer tick.Stop()
	var errs []error
	for submitted, done := 0, 0; done < len(order); {
		for submitted < len(order) && time.Since(begin) >= time.Duration(order[submitted].At) {
			cmd := b.command(ctx, &order[submitted], tag, run)
			submitted++
			go func() { ended <- cmd() }()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err := <-ended:
			done++
			if err != nil {
				errs = append(errs, err)
			}
		case <-tick.C:
			if err := b.look(ctx, run, setting, time.Since(begin)); err != nil {
				return nil, err
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return b.outcome(ctx, run, setting, tag)
}

// command returns what submits a job and waits for its end.
func (b *Bench) command(ctx context.Context, j *Job, tag string, run int) func() error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, b.Hadoop, b.Batch.args(j, tag, run)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = os.Environ()
	if j.User != "" {
		cmd.Env = append(cmd.Env, "HADOOP_USER_NAME="+j.User)
	}
	return func() error {
		if err := cmd.Run(); err != nil {
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			return fmt.Errorf("job %s: %s: %w: %s", j.Name, strings.Join(cmd.Args, " "), err, strings.Join(lines[max(0, len(lines)-3):], "; "))
		}
		return nil
	}
}

// look writes a row of the series.
func (b *Bench) look(ctx context.Context, run int, setting string, at time.Duration) error {
	m, err := b.Cluster.Metrics(ctx)
	if err != nil {
		return err
	}
	nodes, err := b.Cluster.Nodes(ctx)
	if err != nil {
		return err
	}
	percent := func(meter amshare.Meter, of func(amshare.Load) (float64, bool)) string {
		if meter == nil {
			return ""
		}
		load, err := meter.Read(ctx, nodes)
		v, known := of(load)
		if err != nil || !known {
			return ""
		}
		return fmt.Sprintf("%.1f", v)
	}
	return b.Series.Write([]string{fmt.Sprint(run), setting, fmt.Sprintf("%.1f", at.Seconds()), fmt.Sprint(m.Pending), fmt.Sprint(m.Running),
		fmt.Sprint(int64(m.Allocated / model.MiB)), fmt.Sprint(m.Containers),
		percent(b.CPU, func(l amshare.Load) (float64, bool) { return l.Idle.Value, l.Idle.Known }),
		percent(b.Disk, func(l amshare.Load) (float64, bool) { return l.Disk.Value, l.Disk.Known })})
}

// outcome asks for the applications of a run.
func (b *Bench) outcome(ctx context.Context, run int, setting, tag string) (*Outcome, error) {
	apps, err := b.Cluster.Apps(ctx, rest.Filter{})
	if err != nil {
		return nil, err
	}
	o := &Outcome{Run: run, Setting: setting}
	for _, a := range apps {
		if slices.Contains(strings.Split(a.Tags, ","), tag) {
			o.Apps = append(o.Apps, a)
		}
	}
	if len(o.Apps) != len(b.Batch.Jobs) {
		return nil, fmt.Errorf("run %d: the ResourceManager knows %d applications with the tag %s, submitted were %d", run, len(o.Apps), tag, len(b.Batch.Jobs))
	}
	last := rest.Moment(0)
	for i := range o.Apps {
		a := &o.Apps[i]
		if a.FinalStatus != "SUCCEEDED" {
			return nil, fmt.Errorf("run %d: %s (%s) ended as %s: %s", run, a.ID, a.Name, a.FinalStatus, a.Diagnostics)
		}
		last = max(last, a.Finished)
		o.Mean += a.Finished.Since(a.Started) / model.Time(len(o.Apps))
	}
	o.Makespan = last.Since(o.Apps[0].Started)
	return o, nil
}

// JobsHead are the columns of what Write writes.
var JobsHead = []string{"run", "setting", "makespan", "application", "name", "user", "queue", "submitted", "launched", "finished"}

// Write writes one row for each application of the run, and flushes them.
func (o *Outcome) Write(out *csv.Writer) error {
	first := o.Apps[0].Started
	at := func(m rest.Moment) string { return fmt.Sprintf("%.3f", m.Since(first).Seconds()) }
	for i := range o.Apps {
		a := &o.Apps[i]
		_ = out.Write([]string{fmt.Sprint(o.Run), o.Setting, fmt.Sprintf("%.3f", o.Makespan.Seconds()), a.ID, csvtext.Guard(a.Name), csvtext.Guard(a.User), csvtext.Guard(a.Queue), at(a.Started), at(a.Launched), at(a.Finished)}) // Flush tells
	}
	out.Flush()
	return out.Error()
}
