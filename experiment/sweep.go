// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Axis is one dimension of a grid: a path into the scenario and its values as YAML.
type Axis struct {
	Path   string   `json:"path"`
	Values []string `json:"values"`
}

// ParseAxis reads PATH=VALUE,VALUE. Commas inside brackets, braces or quotes do not separate.
func ParseAxis(text string) (Axis, error) {
	path, list, ok := strings.Cut(text, "=")
	if !ok || path == "" || list == "" {
		return Axis{}, &strict.InputError{Err: fmt.Errorf("--set %s: allowed: PATH=VALUE,VALUE such as cluster.racks=1,5,10", text)}
	}
	a := Axis{Path: path}
	depth, quote, start := 0, byte(0), 0
	for i := range len(list) {
		c := list[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			a.Values = append(a.Values, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	a.Values = append(a.Values, strings.TrimSpace(list[start:]))
	seen := map[string]bool{}
	for _, v := range a.Values {
		if v == "" || seen[v] {
			return Axis{}, &strict.InputError{Err: fmt.Errorf("--set %s: found an empty or repeated value; allowed: different values separated by commas", text)}
		}
		seen[v] = true
	}
	return a, nil
}

// Grid is the cartesian product of axes over the seeds of a scenario. The last axis runs fastest,
// the seed faster still. Its queries are the standard ones of all its points.
type Grid struct {
	Axes      []Axis
	Seeds     int
	Queries   []metrics.Query
	scenarios []*scenario.Scenario // by point
}

// maxRuns keeps a slip of the keyboard from filling a disk.
const maxRuns = 1_000_000

// NewGrid checks every point of the grid and returns it. All faults of all points come at once.
func NewGrid(s *scenario.Scenario, axes []Axis, seeds int) (*Grid, error) {
	g := &Grid{Axes: axes, Seeds: seeds}
	points := 1
	paths := map[string]bool{}
	for _, a := range axes {
		if paths[a.Path] {
			return nil, &strict.InputError{Err: fmt.Errorf("--set %s is given twice; allowed: one list of values for each path", a.Path)}
		}
		paths[a.Path] = true
		if points *= len(a.Values); points*seeds > maxRuns {
			return nil, &strict.InputError{Err: fmt.Errorf("the grid has more than %d runs", maxRuns)}
		}
	}
	var lists [][]metrics.Query // of the points
	var faults []string
	seen := map[string]bool{}
	for p := range points {
		point, err := s.With(g.settings(p))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !seen[line] {
					seen[line] = true
					faults = append(faults, line)
				}
			}
			continue
		}
		g.scenarios = append(g.scenarios, point)
		lists = append(lists, scenario.StandardQueries(point))
	}
	if len(faults) > 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("%s", strings.Join(faults, "\n"))}
	}
	g.Queries = metrics.Union(lists)
	return g, nil
}

// Points returns the number of points; Runs the number of runs.
func (g *Grid) Points() int { return len(g.scenarios) }

// Runs returns the number of runs.
func (g *Grid) Runs() int { return len(g.scenarios) * g.Seeds }

// settings returns the settings of point p.
func (g *Grid) settings(p int) []strict.Setting { return settingsAt(g.Axes, p) }

// settingsAt returns the settings of a point of the axes; the last axis runs fastest.
func settingsAt(axes []Axis, p int) []strict.Setting {
	out := make([]strict.Setting, len(axes))
	for i := len(axes) - 1; i >= 0; i-- {
		n := len(axes[i].Values)
		out[i] = strict.Setting{Path: axes[i].Path, Value: axes[i].Values[p%n]}
		p /= n
	}
	return out
}

// Combinations returns the settings of all points of the axes, the last of which runs fastest. It fails
// if there are more than a million; of and unit name them in the message: grid, points.
func Combinations(axes []Axis, of, unit string) ([][]strict.Setting, error) {
	count := 1
	for _, a := range axes {
		if count *= len(a.Values); count > maxRuns {
			return nil, &strict.InputError{Err: fmt.Errorf("the %s has more than %d %s", of, maxRuns, unit)}
		}
	}
	out := make([][]strict.Setting, count)
	for p := range out {
		out[p] = settingsAt(axes, p)
	}
	return out, nil
}

// Width returns how many numbers a run gives.
func (g *Grid) Width(int) int { return len(g.Queries) }

// Identity names the grid: two grids with the same identity have the same results.
func (g *Grid) Identity(version string) string {
	var b strings.Builder
	fmt.Fprintln(&b, version, g.Seeds)
	for _, s := range g.scenarios {
		b.Write(s.JSON())
	}
	for _, q := range g.Queries {
		fmt.Fprintln(&b, q)
	}
	return result.Hash([]byte(b.String()))
}

// Missing lists the runs that the journal does not hold yet.
func (g *Grid) Missing(j *Journal) (missing []int) {
	for i := range g.Runs() {
		if j.Values(i) == nil {
			missing = append(missing, i)
		}
	}
	return missing
}

// Scenario returns the scenario of a point.
func (g *Grid) Scenario(p int) *scenario.Scenario { return g.scenarios[p] }

// Measure simulates one run and returns what the queries find, NaN where there is nothing to measure or the point does
// not compute it.
func (g *Grid) Measure(ctx context.Context, i int, opt Options) ([]float64, error) {
	s := g.scenarios[i/g.Seeds]
	return g.measure(ctx, i, NewRepetition(s, s.Seed+uint64(i%g.Seeds)), opt)
}

// measure is Measure where the repetition of the run is known.
func (g *Grid) measure(ctx context.Context, i int, rep *Repetition, opt Options) ([]float64, error) {
	s := g.scenarios[i/g.Seeds]
	jobs, err := rep.Jobs(ctx)
	if err == nil {
		err = s.Policy.CheckQueues(s, jobs) // the repetition may be that of another point, with another policy
	}
	if err != nil {
		return nil, err
	}
	run, err := rep.Simulate(ctx, s.Policy, opt, nil)
	if err != nil {
		return nil, err
	}
	values := found(g.Queries, metrics.All(run, s.Warmup))
	for q := range values {
		if !computes(s, g.Queries[q]) {
			values[q] = math.NaN()
		}
	}
	return values, nil
}

// shared returns the repetitions of the points: those that differ by policy alone have them in common.
func (g *Grid) shared() *shared {
	return newShared(g.Points(), g.Seeds, nil, func(p int) (*scenario.Scenario, uint64, string) {
		s := g.scenarios[p]
		return s, s.Seed, result.Hash(fmt.Appendln(nil, s.Seed, describe(s.Bare())))
	})
}

// Sweep runs what the journal does not hold yet. It returns the values of all runs in grid order;
// when ctx is cancelled, what was finished is in the journal.
func Sweep(ctx context.Context, g *Grid, j *Journal, opt Options) ([][]float64, error) {
	missing := g.Missing(j)
	progress := counted(opt.Progress, g.Runs())
	progress.count = g.Runs() - len(missing)
	reps := g.shared()
	for _, i := range missing {
		reps.expect(i/g.Seeds, i%g.Seeds)
	}
	slices.SortStableFunc(missing, func(a, b int) int { // who shares a repetition runs one after the other, so that few are kept
		return cmp.Or(cmp.Compare(reps.lot[a/g.Seeds], reps.lot[b/g.Seeds]), cmp.Compare(a%g.Seeds, b%g.Seeds))
	})
	opt = opt.withOneBeside()
	err := each(ctx, len(missing), opt.Workers, func(ctx context.Context, k int) error {
		one := opt
		one.Progress = progress.report
		p, rep := missing[k]/g.Seeds, missing[k]%g.Seeds
		values, err := g.measure(ctx, missing[k], reps.of(p, rep), one)
		if err != nil {
			return err
		}
		reps.done(p, rep)
		if err := j.Add(missing[k], values); err != nil {
			return err
		}
		progress.done(g.scenarios[p].Policy.Label())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g.All(j), nil
}

// All returns the values of all runs in grid order, nil for those that the journal does not hold.
func (g *Grid) All(j *Journal) [][]float64 {
	all := make([][]float64, g.Runs())
	for i := range all {
		all[i] = j.Values(i)
	}
	return all
}

// WriteCSV writes sweep.csv of the values of all runs.
func (g *Grid) WriteCSV(w io.Writer, values [][]float64) error {
	var paths []string
	for _, a := range g.Axes {
		paths = append(paths, a.Path)
	}
	rows := make([]result.SweepRow, len(values))
	for i := range rows {
		rows[i] = result.SweepRow{Seed: g.scenarios[i/g.Seeds].Seed + uint64(i%g.Seeds), Values: values[i]}
		for _, set := range g.settings(i / g.Seeds) {
			rows[i].Settings = append(rows[i].Settings, set.Value)
		}
	}
	return result.WriteSweep(w, paths, g.Queries, rows)
}

// Summary returns the points in grid order.
func (g *Grid) Summary(values [][]float64) []result.PointSummary {
	out := make([]result.PointSummary, g.Points())
	for p := range out {
		out[p] = result.PointSummary{Settings: map[string]string{}, Metrics: map[string][3]float64{}}
		for _, set := range g.settings(p) {
			out[p].Settings[set.Path] = set.Value
		}
		for q, query := range g.Queries {
			samples := make([]float64, g.Seeds)
			for k := range samples {
				samples[k] = values[p*g.Seeds+k][q]
			}
			if i := stats.Confidence(samples); i.N > 0 {
				out[p].Metrics[query.String()] = [3]float64{i.Mean, i.Low, i.High}
			}
		}
	}
	return out
}
