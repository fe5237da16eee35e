// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/tune"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Options are what a command asks of its runs beside the scenario.
type Options struct {
	Workers  int  // runs at a time; 0 means one per core
	Check    bool // verify all invariants while running
	Progress func(Progress)
	// Measured returns what the runs of a comparison have measured elsewhere, by number; nil: they are run here.
	Measured func(*Contest) ([][]float64, error)
	// Kept has the runs that this comparison shares with others; nil for none.
	Kept *Kept
	// Observe sees the jobs of every run of a comparison: policy p in repetition rep. It is called from
	// several goroutines, once for each pair.
	Observe func(p, rep int, g *metrics.Group)
	// Record returns what hears the events of policy p in repetition rep of a comparison; nil for nothing.
	Record func(p, rep int) record.Recorder
	// Decisions hears what YARN's resource manager decides; for one run at a time.
	Decisions handover.Decisions
	// Held hears what YARN's resource manager holds jobs back for; for one run at a time.
	Held   func(now model.Time, job model.JobID, limit model.Limit, why string)
	Events record.Recorder // hears every event; for one run at a time
	Tuning tune.Recorder   // told what passes between a tuner and the cluster; for one run at a time

	beside chan struct{} // has room while one more simulation may run beside the workers; see Repetition.ahead
}

// Progress is how far a command has come.
type Progress struct {
	Done, Total int             // runs
	Run         engine.Progress // of the run that reported last
	Label       string
}

// input is what a run of the scenario's cluster and rules starts from, but for policy and recorder.
func input(ctx context.Context, s *scenario.Scenario, topology *model.Topology, jobs []model.Job, seed uint64) *engine.Input {
	return &engine.Input{
		Topology: topology, Jobs: jobs, Config: s.Config, Replication: s.HDFS.Replication, Seed: seed, Classifier: s.Classifier(),
		Progress: func(engine.Progress) bool { return ctx.Err() == nil },
	}
}

// Simulate runs one policy on the repetition. extra, if not nil, sees the events too.
func (r *Repetition) Simulate(ctx context.Context, choice scenario.PolicyChoice, opt Options, extra record.Recorder) (*metrics.Run, error) {
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if opt.beside == nil { // a run by itself
		opt = opt.withOneBeside()
	}
	r.ahead(opt.beside)
	collector := metrics.NewCollector(r.topology, r.jobs)
	in := input(ctx, r.scenario, r.topology, r.jobs, r.Seed)
	in.Policy, in.Params = choice.Entry()
	if err := choice.CheckQueues(r.scenario, r.jobs); err != nil {
		return nil, err
	}
	in.Config.Yarn = choice.Tuned(in.Config.Yarn)
	if choice.Yarn() != nil {
		in.Tuner = choice.Tuner
	}
	in.Tuning, in.Decisions, in.Held = opt.Tuning, opt.Decisions, opt.Held
	in.Recorder, in.Estimates = collector, collector.Estimates()
	if Beats(r.scenario, choice) {
		collector.Heartbeats(choice.Yarn() != nil)
	}
	if d, ok := in.Params.(policy.Divider); ok {
		if of := d.NodeParts(r.topology); of != nil {
			collector.Divide(of)
		}
	}
	if extra != nil {
		in.Recorder = record.Tee{collector, extra}
	}
	if opt.Check {
		in.Check = checkEvery(r.jobs)
	}
	if opt.Progress != nil {
		in.Progress = func(p engine.Progress) bool {
			opt.Progress(Progress{Run: p, Label: choice.Label()})
			return ctx.Err() == nil
		}
	}
	ended, err := engine.Run(in)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("seed %d: %w", r.Seed, err)
	}
	var alone []model.Time
	if r.scenario.Reference {
		if alone, err = r.alone(); err != nil {
			return nil, err
		}
	}
	run := collector.Run(alone)
	run.Activities, run.Refreshes, run.Traffic = ended.Activities, ended.Refreshes, ended.Traffic
	if opt.Check {
		if err := run.Check(); err != nil {
			return nil, fmt.Errorf("seed %d, policy %s: %w", r.Seed, choice.Label(), err)
		}
	}
	return run, nil
}

// Beats reports whether nodes ask for work at intervals.
func Beats(s *scenario.Scenario, choice scenario.PolicyChoice) bool {
	return choice.Yarn() != nil || s.Config.Heartbeat.Interval != engine.OnIdle
}

// Summarise returns summary.json of a run.
func Summarise(s *scenario.Scenario, run *metrics.Run, choice scenario.PolicyChoice, seed uint64) *result.Summary {
	sum := result.NewSummary(run, s.Warmup, scenario.StandardQueries(s, choice))
	sum.Scenario, sum.Policy, sum.Seed = s.Name, choice.Label(), seed
	return sum
}

// checkEvery spaces the checks so that they cost about as much as the run: a check goes through the
// whole state.
func checkEvery(jobs []model.Job) int64 {
	tasks := int64(0)
	for i := range jobs {
		tasks += int64(jobs[i].Maps + jobs[i].Reduces)
	}
	return max(tasks/2000, 1)
}

// each calls f(0) .. f(n-1) on several goroutines (0 workers: one per core) and returns the first
// error by index. After an error or a cancellation no further call starts; nil means that all ran.
func each(outer context.Context, n, workers int, f func(context.Context, int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				if errs[i] = guarded(fmt.Sprint("run ", i+1), func() error { return f(ctx, i) }); errs[i] != nil {
					cancel()
				}
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if err := firstError(errs); err != nil {
		return err
	}
	return outer.Err()
}

// guarded calls f; a panic in it becomes an error that says where it happened, so that the process ends as it does
// after any other fault and nothing is left half-written.
func guarded(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal fault in %s: %v\n%s", what, r, debug.Stack())
		}
	}()
	return f()
}

// firstError prefers a real fault over the cancellations that it caused.
func firstError(errs []error) error {
	var cancelled error
	for _, err := range errs {
		switch {
		case err == nil:
		case err == context.Canceled:
			cancelled = err
		default:
			return err
		}
	}
	return cancelled
}
