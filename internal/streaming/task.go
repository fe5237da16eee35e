// SPDX-License-Identifier: Apache-2.0

// Package streaming runs the runs of a sweep, a search or a reproduction on a Hadoop cluster, by Hadoop Streaming and the
// user's own hadoop command.
//
// A run is a line of the job's input and a map of its own. The binary that submits is the one that is shipped, with the
// scenario and what it reads, so that a run gives the same bytes as at home. Papers come with the binary. A result carries the number of its run,
// because maps end, and are numbered, in any order. What a task that failed has left undone Hadoop tries again; what is
// missing when the job has ended is run by another job.
package streaming

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// Task is what a map needs to know about a sweep, a search or a reproduction, beside its line.
type Task struct {
	Check bool   `json:"check"`
	Study *study `json:"study,omitempty"` // of a reproduction, which has nothing of what follows

	Scenario string            `json:"scenario"` // beside the file of the task; empty for the built-in one
	Settings []strict.Setting  `json:"settings"`
	Axes     []experiment.Axis `json:"axes"`
	Seeds    int               `json:"seeds"`
	Measure  []string          `json:"measure,omitempty"` // what is measured in place of a sweep's queries
	Queries  []string          `json:"queries"`           // what is measured, to see that both sides mean the same
}

// line is the result of a run.
type line struct {
	Run    int        `json:"run"`
	Values []*float64 `json:"values,omitempty"` // null where there was nothing to measure
	Error  string     `json:"error,omitempty"`  // why the run failed, which it would again
}

// Map is the hidden command that Hadoop starts for each map.
type Map struct {
	Task string `arg:"" help:"File of the task."`
}

// Run implements the command: numbers of runs in, results out.
func (c *Map) Run(sh *measure.Shell) error { return c.run(sh.Ctx, os.Stdin, sh.Out) }

func (c *Map) run(ctx context.Context, in io.Reader, out io.Writer) error {
	src, err := os.ReadFile(c.Task)
	if err != nil {
		return err
	}
	var t Task
	if err := json.Unmarshal(src, &t); err != nil {
		return fmt.Errorf("%s: %w", c.Task, err)
	}
	dir := filepath.Dir(c.Task)
	if err := os.Setenv(scenario.TracesVariable, filepath.Join(dir, tracesFolder)); err != nil {
		return err
	}
	runs, find, err := t.runs(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Task, err)
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		run, err := strconv.Atoi(text)
		if err != nil || run < 0 || run >= runs {
			return fmt.Errorf("found the line %q; allowed: a number of a run below %d", text, runs)
		}
		measure, err := find(run)
		if err != nil {
			return err
		}
		if err := measured(ctx, run, measure, t.Check, out); err != nil {
			return err
		}
	}
	return lines.Err()
}

// finder finds a run by its number. An error is none of the run: the shipped binary or its inputs are not the right ones.
type finder func(run int) (measurer, error)

// measurer simulates a run.
type measurer func(context.Context, experiment.Options) ([]float64, error)

// runs returns how many runs there are, and what finds them. The files of the task are in dir.
func (t *Task) runs(dir string) (int, finder, error) {
	if t.Study != nil {
		return t.Study.Runs(), t.Study.find, nil
	}
	grid, err := t.grid(dir)
	if err != nil {
		return 0, nil, err
	}
	return grid.Runs(), func(run int) (measurer, error) {
		return func(ctx context.Context, opt experiment.Options) ([]float64, error) {
			return grid.Measure(ctx, run, opt)
		}, nil
	}, nil
}

// grid returns the grid of a sweep or a search.
func (t *Task) grid(dir string) (*experiment.Grid, error) {
	file := ""
	if t.Scenario != "" {
		file = filepath.Join(dir, t.Scenario)
	}
	s, _, err := scenario.LoadOrBuiltin(file, t.Settings)
	if err != nil {
		return nil, err
	}
	grid, err := experiment.NewGrid(s, t.Axes, t.Seeds)
	if err != nil {
		return nil, err
	}
	if err := measures(grid, t.Measure); err != nil {
		return nil, err
	}
	if found := queries(grid); strings.Join(found, " ") != strings.Join(t.Queries, " ") {
		return nil, fmt.Errorf("this binary measures %s; wanted %s", strings.Join(found, " "), strings.Join(t.Queries, " "))
	}
	return grid, nil
}

// measures lets a grid answer other queries than its own, if there are any.
func measures(g *experiment.Grid, names []string) error {
	if len(names) == 0 {
		return nil
	}
	g.Queries = nil
	for _, name := range names {
		q, err := metrics.ParseQuery(name)
		if err != nil {
			return err
		}
		g.Queries = append(g.Queries, q)
	}
	return nil
}

func queries(g *experiment.Grid) (names []string) {
	for _, q := range g.Queries {
		names = append(names, q.String())
	}
	return names
}

// measured writes the result of a run. A run that fails would fail again, so that is a result as well.
func measured(ctx context.Context, run int, measure measurer, check bool, out io.Writer) error {
	l := line{Run: run}
	values, err := measure(ctx, experiment.Options{Workers: 1, Check: check})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		l.Error = err.Error()
	}
	for i := range values {
		if math.IsNaN(values[i]) {
			l.Values = append(l.Values, nil)
		} else {
			l.Values = append(l.Values, &values[i])
		}
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d\t%s\n", run, b)
	return err
}

// harvest hands what maps have written to add, once for each run of the batch. A line that breaks off belongs to a task
// that will be, or was, tried again.
func harvest(output []byte, b experiment.Batch, add func(run int, values []float64) error) error {
	seen := map[int]string{}
	for text := range strings.Lines(string(output)) {
		key, body, ok := strings.Cut(strings.TrimSpace(text), "\t")
		var l line
		if !ok || json.Unmarshal([]byte(strings.TrimSpace(body)), &l) != nil || key != strconv.Itoa(l.Run) || l.Run < 0 || l.Run >= b.Runs() {
			continue
		}
		if l.Error != "" {
			return errors.New(l.Error)
		}
		if len(l.Values) != b.Width(l.Run) {
			continue
		}
		if before, twice := seen[l.Run]; twice {
			if before != body {
				return fmt.Errorf("run %d was run twice with different results: a machine of the cluster computes wrongly", l.Run)
			}
			continue
		}
		seen[l.Run] = body
		values := make([]float64, len(l.Values))
		for i, v := range l.Values {
			values[i] = math.NaN()
			if v != nil {
				values[i] = *v
			}
		}
		if err := add(l.Run, values); err != nil {
			return err
		}
	}
	return nil
}
