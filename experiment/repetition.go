// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/scenario"
)

// Repetition is the workload of one seed, made once and shared by the policies that are compared.
type Repetition struct {
	Seed     uint64
	scenario *scenario.Scenario
	topology *model.Topology
	kept     *Kept // what other comparisons have worked out
	once     sync.Once
	jobs     []model.Job
	alone    func() ([]model.Time, error) // how long each job takes alone, worked out by who asks first
	err      error
}

// NewRepetition returns the workload of a seed; it is made when first needed.
func NewRepetition(s *scenario.Scenario, seed uint64) *Repetition {
	return &Repetition{Seed: seed, scenario: s, topology: s.Cluster.Topology()}
}

func (r *Repetition) prepare(ctx context.Context) error {
	r.once.Do(func() {
		if r.jobs, r.err = jobsOf(ctx, r.scenario, r.Seed); r.err != nil {
			return
		}
		r.alone = sync.OnceValues(func() (alone []model.Time, err error) {
			err = guarded("the runs of jobs alone", func() error {
				alone, err = references(ctx, r.scenario, r.jobs, r.Seed, r.kept)
				return err
			})
			return alone, err
		})
		r.err = settle(r.scenario, r.jobs, r.alone)
	})
	return r.err
}

// complete prepares all that policies will need.
func (r *Repetition) complete(ctx context.Context) error {
	err := r.prepare(ctx)
	if err == nil && r.scenario.Reference {
		_, err = r.alone()
	}
	return err
}

// ahead lets it be worked out how long jobs take alone while policies run, which need it at their end, if there is room for one more
// simulation beside theirs. It takes as long as one of them.
func (r *Repetition) ahead(beside chan struct{}) {
	if !r.scenario.Reference {
		return
	}
	select {
	case beside <- struct{}{}:
		go func() {
			_, _ = r.alone() // who needs it will see its error
			<-beside
		}()
	default:
	}
}

// withOneBeside returns the options for runs beside which one more simulation may run, if there is more than one worker.
func (opt Options) withOneBeside() Options {
	if opt.Workers > 1 || opt.Workers <= 0 && runtime.GOMAXPROCS(0) > 1 {
		opt.beside = make(chan struct{}, 1)
	}
	return opt
}

// Jobs returns the workload as it runs. It belongs to the repetition.
func (r *Repetition) Jobs(ctx context.Context) ([]model.Job, error) {
	err := r.prepare(ctx)
	return r.jobs, err
}

// references computes the run time of every job alone in the empty cluster: one run in which each
// job is submitted when the one before it has ended. Task lengths are those of the real run,
// because they are keyed by job and task.
func references(ctx context.Context, s *scenario.Scenario, jobs []model.Job, seed uint64, kept *Kept) ([]model.Time, error) {
	serial := make([]model.Job, len(jobs))
	copy(serial, jobs)
	for i := range serial {
		serial[i].Submit, serial[i].After = 0, model.JobID(i-1)
	}
	return kept.references(s, serial, seed, func() ([]model.Time, error) { return oneByOne(ctx, s, serial, seed) })
}

// oneByOne runs jobs of which each comes when the one before it has ended, and returns how long each takes.
func oneByOne(ctx context.Context, s *scenario.Scenario, serial []model.Job, seed uint64) ([]model.Time, error) {
	spans := &spanRecorder{start: make([]model.Time, len(serial)), span: make([]model.Time, len(serial))}
	entry, _ := policies.All.Find("fifo")
	in := input(ctx, s, s.Cluster.Topology(), serial, seed)
	in.Policy, in.Recorder = entry, spans
	in.Config.Faults.None()
	in.Config.Yarn = withoutTuner(in.Config.Yarn)
	if s.Durations == exec.Replay && s.Locality == (exec.Penalty{Rack: 1, Remote: 1}) {
		in.Replication = 0 // distance costs nothing, so need not be known
	}
	if _, err := engine.Run(in); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("reference runtimes: %w", err)
	}
	return spans.span, nil
}

// spanRecorder keeps the execution time of each job and nothing else.
type spanRecorder struct{ start, span []model.Time }

func (r *spanRecorder) Record(e *record.Event) {
	switch e.Kind {
	case record.JobSubmitted:
		r.start[e.Task.Job] = model.None
	case record.TaskStarted:
		if r.start[e.Task.Job] == model.None {
			r.start[e.Task.Job] = e.Time
		}
	case record.JobEnded:
		if r.start[e.Task.Job] != model.None {
			r.span[e.Task.Job] = e.Time - r.start[e.Task.Job]
		}
	}
}
