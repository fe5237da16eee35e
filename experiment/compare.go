// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Comparison is what several policies did to the same workloads: every policy meets the same jobs,
// task lengths and block locations in each repetition.
type Comparison struct {
	Scenario *scenario.Scenario
	Policies []scenario.PolicyChoice
	Seeds    []uint64
	Queries  []metrics.Query
	// Values holds the answer to query q of policy p in repetition s as Values[p][q][s].
	Values [][][]float64
	// Shown is the run of the first seed under each policy; empty runs where only numbers are known (Options.Measured).
	Shown []*metrics.Run
	// Outlines holds what curves with bands need of the first seeds of each policy, as Outlines[p][s].
	Outlines [][]*report.Outline
	// Changed is how many of the policies ran on a changed scenario; they win nothing.
	Changed int
	// Prices says what the clusters cost that were compared, if not all the same.
	Prices string
	// Stopped is set when the comparison was cut short: Seeds are those that were finished.
	Stopped bool

	Course *report.RackChart // for the page: a plan beside what happened; nil without one

	changed map[int]bool // the policies that ran on a changed scenario
}

// Compare runs the policies over n seeds from the scenario's on. When ctx is cancelled, the seeds
// that every policy has finished are kept.
func Compare(ctx context.Context, s *scenario.Scenario, choices []scenario.PolicyChoice, n int, queries []metrics.Query, opt Options) (*Comparison, error) {
	variants := make([]Variant, len(choices))
	for i := range choices {
		variants[i] = Variant{Scenario: s, Policy: choices[i]}
	}
	return CompareVariants(ctx, s, variants, n, queries, opt)
}

// CompareVariants is Compare for policies that may each run on a changed scenario. All meet the same
// seeds. s is the scenario of the results.
func CompareVariants(ctx context.Context, s *scenario.Scenario, variants []Variant, n int, queries []metrics.Query, opt Options) (*Comparison, error) {
	return (&Contest{Scenario: s, Variants: variants, Seeds: n, Queries: queries}).Compare(ctx, opt)
}

// Compare runs the contest, or takes what opt.Measured says that its runs have measured.
func (k *Contest) Compare(ctx context.Context, opt Options) (*Comparison, error) {
	c := k.comparison()
	var err error
	if opt.Measured != nil {
		err = c.take(opt.Measured(k))
	} else {
		err = k.run(ctx, c, opt)
	}
	if err != nil {
		return nil, err
	}
	for q := range k.Queries {
		known := k.Queries[q].By == "size" || k.Queries[q].By == "shuffle" // a range of sizes may well be empty
		for p := range c.Policies {
			known = known || c.Mean(p, q).N > 0
		}
		if !known && answers(k.Scenario, k.Queries[q]) != nil { // else none of the jobs has ended
			return nil, &strict.InputError{Err: fmt.Errorf("%s: no such job, queue, class, user or pool in this scenario", k.Queries[q])}
		}
	}
	return c, nil
}

// comparison returns a comparison with room for what the runs find.
func (k *Contest) comparison() *Comparison {
	choices := PoliciesOf(k.Variants)
	c := &Comparison{Scenario: k.Scenario, Policies: choices, Queries: k.Queries, Shown: make([]*metrics.Run, len(choices)), Prices: Prices(k.Variants), changed: map[int]bool{}}
	for i := range k.Seeds {
		c.Seeds = append(c.Seeds, k.Scenario.Seed+uint64(i))
	}
	for i, v := range k.Variants {
		if v.Change != nil {
			c.Changed++
			c.changed[i] = true
		}
	}
	c.Values = make([][][]float64, len(choices))
	for p := range c.Values {
		c.Values[p] = make([][]float64, len(k.Queries))
		for q := range k.Queries {
			c.Values[p][q] = make([]float64, k.Seeds)
		}
	}
	for range choices {
		c.Outlines = append(c.Outlines, make([]*report.Outline, min(k.Seeds, report.MostOutlines)))
	}
	return c
}

// set notes what the run of policy p in repetition rep measured.
func (c *Comparison) set(p, rep int, values []float64) {
	for q, v := range values {
		c.Values[p][q][rep] = v
	}
}

// take fills the comparison with what runs have measured, by number; what needs whole runs is empty.
func (c *Comparison) take(values [][]float64, err error) error {
	for i := range values {
		c.set(i%len(c.Policies), i/len(c.Policies), values[i])
	}
	for p := range c.Shown {
		c.Shown[p] = &metrics.Run{}
	}
	c.Outlines = make([][]*report.Outline, len(c.Policies))
	return err
}

// run simulates all runs of the contest into its comparison.
func (k *Contest) run(ctx context.Context, c *Comparison, opt Options) error {
	choices, n := c.Policies, k.Seeds
	reps := newShared(len(choices), n, opt.Kept, func(v int) (*scenario.Scenario, uint64, string) {
		s := k.Variants[v].Scenario
		return s, k.Scenario.Seed, fmt.Sprintf("%p", s)
	})
	for i := range k.Runs() {
		reps.expect(i%len(choices), i/len(choices))
	}
	finished := make([]atomic.Int32, n) // policies, by seed
	name := func(int) string { return "" }
	if opt.Kept != nil {
		name = k.runNames()
	}
	progress := counted(opt.Progress, k.Runs())
	opt = opt.withOneBeside()
	err := each(ctx, k.Runs(), opt.Workers, func(ctx context.Context, i int) error {
		rep, p := i/len(choices), i%len(choices)
		one := opt
		one.Progress = progress.report
		extra := one.Events
		if opt.Record != nil {
			extra = opt.Record(p, rep)
		}
		what := name(i)
		run := opt.Kept.take(what)
		if extra != nil { // who hears events wants them all
			run = nil
		}
		if run == nil {
			if p == len(choices)-1 && rep+1 < n {
				_ = reps.of(0, rep+1).complete(ctx) // others run meanwhile, and would all wait for it later; they will see its error
			}
			var err error
			if run, err = reps.of(p, rep).Simulate(ctx, choices[p], one, extra); err != nil {
				return err
			}
			opt.Kept.put(what, run)
		}
		group := metrics.All(run, k.Scenario.Warmup)
		c.set(p, rep, found(k.Queries, group))
		if opt.Observe != nil {
			opt.Observe(p, rep, group)
		}
		if rep == 0 {
			c.Shown[p] = run
		}
		if n > 1 && rep < len(c.Outlines[p]) {
			c.Outlines[p][rep] = report.NewOutline(run)
		}
		finished[rep].Add(1)
		reps.done(p, rep)
		progress.done(choices[p].Label())
		return nil
	})
	if err == context.Canceled {
		err = c.cut(finished)
	}
	return err
}

// cut keeps the seeds up to the first that was not finished.
func (c *Comparison) cut(finished []atomic.Int32) error {
	kept := 0
	for kept < len(finished) && int(finished[kept].Load()) == len(c.Policies) {
		kept++
	}
	if kept == 0 {
		return context.Canceled
	}
	c.Stopped = true
	c.Seeds = c.Seeds[:kept]
	for p := range c.Values {
		c.Outlines[p] = c.Outlines[p][:min(kept, len(c.Outlines[p]))]
		for q := range c.Values[p] {
			c.Values[p][q] = c.Values[p][q][:kept]
		}
	}
	return nil
}

// counter turns the progress of single runs into that of all.
type counter struct {
	mu     sync.Mutex
	total  int
	count  int
	notify func(Progress)
}

func counted(notify func(Progress), total int) *counter {
	return &counter{notify: notify, total: total}
}

func (c *counter) report(p Progress) {
	if c.notify == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p.Done, p.Total = c.count, c.total
	c.notify(p)
}

func (c *counter) done(label string) {
	c.mu.Lock()
	c.count++
	c.mu.Unlock()
	c.report(Progress{Label: label})
}

// Find returns the index of the policy with this label; empty means the first.
func (c *Comparison) Find(label string) (int, error) {
	if label == "" {
		return 0, nil
	}
	if i := slices.Index(c.Labels(), label); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("policy %q is not among those of the experiment: %s", label, strings.Join(c.Labels(), ", "))
}

// Mean returns the interval of query q under policy p.
func (c *Comparison) Mean(p, q int) stats.Interval { return stats.Confidence(c.Values[p][q]) }

// Difference returns the paired interval of query q under policy p against policy base, as a share
// of base's mean. The second result is false where base's mean is zero.
func (c *Comparison) Difference(base, p, q int) (stats.Interval, bool) {
	return stats.PairedShare(c.Values[base][q], c.Values[p][q])
}

// Winner returns the policy that is best by query q, if its paired interval against every other
// one excludes zero. Only policies on the scenario as it is can win, nobody by a metric of which
// neither direction is better, and nobody where policies have turned away or lost different numbers of jobs: what
// the others say is about other jobs.
func (c *Comparison) Winner(q int) (int, bool) {
	m, _ := metrics.Describe(c.Queries[q].Metric)
	if m.Better == metrics.Neither || c.unlike() && !c.Queries[q].Losses() {
		return 0, false
	}
	best, n := -1, 0
	for p := range c.Policies {
		if c.changed[p] {
			continue
		}
		n++
		if best < 0 {
			best = p
		}
		a, b := c.Mean(p, q).Mean, c.Mean(best, q).Mean
		if lower := m.Better == metrics.Lower; lower && a < b || !lower && a > b {
			best = p
		}
	}
	for p := range c.Policies {
		if p == best || c.changed[p] {
			continue
		}
		d, ok := c.Difference(p, best, q)
		if !ok { // nothing to take a share of
			d = stats.Paired(c.Values[p][q], c.Values[best][q])
		}
		if !d.ExcludesZero() {
			return 0, false
		}
	}
	return best, n > 1
}

// unlike reports whether the policies on the scenario as it is have turned away or lost different numbers of jobs.
func (c *Comparison) unlike() bool {
	for q := range c.Queries {
		if !c.Queries[q].Losses() {
			continue
		}
		first := -1
		for p := range c.Policies {
			switch {
			case c.changed[p]:
			case first < 0:
				first = p
			case !slices.Equal(c.Values[p][q], c.Values[first][q]):
				return true
			}
		}
	}
	return false
}

// Summary returns what the comparison found.
func (c *Comparison) Summary() *result.ComparisonSummary {
	out := &result.ComparisonSummary{Scenario: c.Scenario.Name, Policies: c.Labels(), Seeds: c.Seeds,
		Metrics: map[string][]result.ComparisonInterval{}, Winners: map[string]string{}, Prices: c.Prices}
	for q, query := range c.Queries {
		for p := range c.Policies {
			i := c.Mean(p, q)
			if i.N == 0 { // none of its jobs has ended
				continue
			}
			row := result.ComparisonInterval{Policy: c.Policies[p].Label(), Mean: i.Mean, Low: i.Low, High: i.High}
			for _, v := range c.Values[p][q] {
				if !math.IsNaN(v) {
					row.Values = append(row.Values, v)
				}
			}
			if d, ok := c.Difference(0, p, q); ok && p > 0 {
				row.Difference = &[3]float64{d.Mean, d.Low, d.High}
			}
			out.Metrics[query.String()] = append(out.Metrics[query.String()], row)
		}
		if w, ok := c.Winner(q); ok {
			out.Winners[query.String()] = c.Policies[w].Label()
		}
	}
	return out
}
