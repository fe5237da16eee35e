// SPDX-License-Identifier: Apache-2.0

// Package streaming runs the runs of a sweep or a search on a Hadoop cluster, by Hadoop Streaming and the user's own hadoop command.
//
// A run is a line of the job's input and a map of its own. The binary that submits is the one that is shipped, with the
// scenario and what it reads, so that a run gives the same bytes as at home. A result carries the number of its run,
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

// Task is what a map needs to know about a sweep or a search, beside its line.
type Task struct {
	Scenario string            `json:"scenario"` // beside the file of the task; empty for the built-in one
	Settings []strict.Setting  `json:"settings"`
	Axes     []experiment.Axis `json:"axes"`
	Seeds    int               `json:"seeds"`
	Check    bool              `json:"check"`
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
	file := ""
	if t.Scenario != "" {
		file = filepath.Join(filepath.Dir(c.Task), t.Scenario)
	}
	s, _, err := scenario.LoadOrBuiltin(file, t.Settings)
	if err != nil {
		return err
	}
	grid, err := experiment.NewGrid(s, t.Axes, t.Seeds)
	if err != nil {
		return err
	}
	if err := measures(grid, t.Measure); err != nil {
		return fmt.Errorf("%s: %w", c.Task, err)
	}
	if found := queries(grid); strings.Join(found, " ") != strings.Join(t.Queries, " ") {
		return fmt.Errorf("this binary measures %s; wanted %s", strings.Join(found, " "), strings.Join(t.Queries, " "))
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		run, err := strconv.Atoi(text)
		if err != nil || run < 0 || run >= grid.Runs() {
			return fmt.Errorf("found the line %q; allowed: a number of a run below %d", text, grid.Runs())
		}
		if err := measured(ctx, grid, run, t.Check, out); err != nil {
			return err
		}
	}
	return lines.Err()
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
func measured(ctx context.Context, g *experiment.Grid, run int, check bool, out io.Writer) error {
	l := line{Run: run}
	values, err := g.Measure(ctx, run, experiment.Options{Workers: 1, Check: check})
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

// harvest hands what maps have written to add, once for each run of the grid. A line that breaks off belongs to a task
// that will be, or was, tried again.
func harvest(output []byte, g *experiment.Grid, add func(run int, values []float64) error) error {
	seen := map[int]string{}
	for text := range strings.Lines(string(output)) {
		key, body, ok := strings.Cut(strings.TrimSpace(text), "\t")
		var l line
		if !ok || json.Unmarshal([]byte(strings.TrimSpace(body)), &l) != nil || key != strconv.Itoa(l.Run) || l.Run < 0 || l.Run >= g.Runs() {
			continue
		}
		if l.Error != "" {
			return errors.New(l.Error)
		}
		if len(l.Values) != len(g.Queries) {
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
