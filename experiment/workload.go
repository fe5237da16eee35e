// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/formats"
	"github.com/yardmaster/yardmaster/workload/synth"
)

// Workload is where the jobs come from: exactly one of jobs, generate and trace is given.
type Workload struct {
	Jobs     []workload.JobConfig  `yaml:"jobs,omitempty" doc:"Jobs written one by one."`
	Generate *synth.Config         `yaml:"generate" doc:"A synthetic workload."`
	Trace    *workload.TraceConfig `yaml:"trace" doc:"A workload read from a file."`
	Cost     workload.Cost         `yaml:"cost" doc:"Turns the bytes of a trace into tasks and their lengths."`
	Needs    workload.Needs        `yaml:"needs" doc:"What the tasks of a trace take (room: yarn), where it does not say."`
	Stretch  float64               `yaml:"stretch" above:"0" doc:"Factor on the gaps between jobs, wherever they come from; 0.77 is 30 % more load."`
	Reduces  int32                 `yaml:"reduces,omitempty" min:"0" doc:"Number of reduces of every job that has any, with the same work in all; 0 leaves them."`
	Jitter   model.Time            `yaml:"jitter,omitempty" min:"0" doc:"Moves every submission by a random time between minus and plus this, uniformly, but not before 0s; think times stay."`
	Weights  string                `yaml:"weights" oneof:"own,slack" doc:"Weights of jobs under weighted policies: their own, or derived from their goals: the largest slack of all jobs over the job's own, slack being the goal minus the run time alone."`
	Assign   []workload.Rule       `yaml:"assign,omitempty" doc:"Rules that assign queues, users, classes, priorities, goals and recurrence."`
}

// trace is a file that was read.
type trace struct {
	file     string
	hash     string
	records  []workload.Record
	repaired []workload.Fault
}

func (w *Workload) validate() (problems []model.Problem) {
	given := 0
	for _, is := range []bool{len(w.Jobs) > 0, w.Generate != nil, w.Trace != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return []model.Problem{{Found: fmt.Sprintf("%d sources of jobs", given), Allowed: "exactly one of jobs (not empty), generate and trace"}}
	}
	under := func(path string, list []model.Problem) {
		for _, p := range list {
			p.Path = path + "." + p.Path
			problems = append(problems, p)
		}
	}
	if w.Generate != nil {
		under("generate", w.Generate.Validate())
	}
	if w.Trace != nil {
		under("trace", w.Trace.Validate())
	}
	under("cost.noise", w.Cost.Noise.Validate())
	for i := range w.Assign {
		under(fmt.Sprintf("assign[%d]", i), w.Assign[i].Validate())
	}
	return problems
}

// loadJobs reads the trace, if there is one.
func (s *Scenario) loadJobs() error {
	t := s.Workload.Trace
	if t == nil {
		return nil
	}
	if !filepath.IsAbs(t.File) {
		t.File = filepath.Join(filepath.Dir(s.file), t.File)
	}
	if full, err := filepath.Abs(t.File); err == nil {
		t.File = full
	}
	loaded, err := readTrace(t.File, t.Format, t.Repair)
	if err != nil {
		return err
	}
	s.trace = loaded
	return nil
}

// readTrace reads a trace file with its hash.
func readTrace(file, format string, mend bool) (*trace, error) {
	src, err := readInput(file)
	if err != nil {
		return nil, err
	}
	records, log, err := formats.ReadAll(file, bytes.NewReader(src), format, mend)
	if err != nil {
		return nil, &InputError{err}
	}
	return &trace{file: file, hash: Hash(src), records: records, repaired: log.Repaired}, nil
}

// validateJobs checks the jobs of the first seed, which stand for those of all: classes and needs
// do not change with the seed.
func (s *Scenario) validateJobs() (errs strict.Errors) {
	at := func(path string, problems ...model.Problem) {
		errs = append(errs, strict.Locate(s.node, path, problems)...)
	}
	jobs, problems := s.makeJobs(s.Seed)
	if len(problems) > 0 {
		at(s.jobsPath(), problems...)
		return errs
	}
	if s.Warmup >= len(jobs) {
		at("", model.Problem{Path: "warmup", Found: fmt.Sprintf("%d of %d jobs", s.Warmup, len(jobs)), Allowed: "fewer than there are jobs"})
	}
	problems = engine.ValidateJobs(s.Cluster.Topology(), jobs)
	switch {
	case s.Workload.Generate != nil:
		problems = s.generated(jobs, problems)
	case s.Workload.Trace != nil && len(problems) > 0:
		problems = s.traced(jobs, problems)
	}
	at(s.jobsPath(), problems...)
	if len(errs) == 0 {
		errs = append(errs, s.validatePolicies(jobs)...)
	}
	return errs
}

// generated turns the faults of generated jobs into faults of their classes, one each.
func (s *Scenario) generated(jobs []model.Job, problems []model.Problem) (out []model.Problem) {
	seen := map[string]bool{}
	for _, p := range problems {
		i, field, ok := jobFault(p)
		if !ok {
			continue
		}
		path := ""
		for k := range s.Workload.Generate.Classes {
			if s.Workload.Generate.Classes[k].Name == jobs[i].Class {
				path = fmt.Sprintf("classes[%d].%s", k, field)
			}
		}
		if !seen[path+field] {
			seen[path+field] = true
			p.Path = path
			out = append(out, p)
		}
	}
	return out
}

// traced turns the faults of a trace's jobs into faults of the trace, the first of each kind.
func (s *Scenario) traced(jobs []model.Job, problems []model.Problem) (out []model.Problem) {
	seen := map[string]bool{}
	for _, p := range problems {
		i, field, ok := jobFault(p)
		if ok && !seen[field] {
			seen[field] = true
			out = append(out, model.Problem{Path: "file", Found: fmt.Sprintf("job %q with %s", jobs[i].Name, p.Found), Allowed: p.Allowed})
		}
	}
	return out
}

// jobFault takes the path [12].maps apart.
func jobFault(p model.Problem) (job int, field string, ok bool) {
	_, err := fmt.Sscanf(p.Path, "[%d].%s", &job, &field)
	return job, field, err == nil
}

func (s *Scenario) jobsPath() string {
	switch {
	case s.Workload.Generate != nil:
		return "workload.generate"
	case s.Workload.Trace != nil:
		return "workload.trace"
	}
	return "workload.jobs"
}

func (s *Scenario) site(seed uint64) workload.Site {
	return workload.Site{Model: s.Cluster.RoomModel(), Total: s.Cluster.Topology().Total(), HDFS: s.HDFS, Seed: seed}
}

// makeJobs makes the workload of a seed.
func (s *Scenario) makeJobs(seed uint64) (jobs []model.Job, problems []model.Problem) {
	if s.jobsOf != nil {
		base := *s.jobsOf
		base.Workload.Stretch, base.Workload.Reduces = s.Workload.Stretch, s.Workload.Reduces
		return base.makeJobs(seed)
	}
	w, site := &s.Workload, s.site(seed)
	switch {
	case w.Generate != nil:
		jobs = synth.Generate(w.Generate, site)
	case w.Trace != nil:
		var err error
		if jobs, err = workload.FromRecords(s.trace.records, w.Trace, &w.Cost, w.Needs, site); err != nil {
			return nil, []model.Problem{{Path: "file", Found: filepath.Base(w.Trace.File), Allowed: "jobs to run: " + err.Error()}}
		}
	default:
		jobs, problems = workload.Jobs(w.Jobs, site)
	}
	workload.Assign(jobs, w.Assign)
	if w.Stretch != 1 {
		workload.Stretch(jobs, w.Stretch)
	}
	if w.Reduces > 0 {
		workload.SetReduces(jobs, w.Reduces)
	}
	workload.Jitter(jobs, w.Jitter, seed)
	if s.Yarn != nil && s.Cluster.RoomModel() == model.Yarn {
		s.Yarn.RoundJobs(jobs)
	}
	return jobs, problems
}

// Jobs returns the workload of the repetition with this seed.
func (s *Scenario) Jobs(seed uint64) []model.Job {
	jobs := s.unsettled(seed)
	_, _ = s.settle(context.Background(), jobs, seed, false) // an error will stop the run itself
	return jobs
}

// unsettled returns the workload before what depends on run times alone is worked out. The caller
// may change it.
func (s *Scenario) unsettled(seed uint64) []model.Job {
	if s.fixed != nil {
		return slices.Clone(s.fixed)
	}
	jobs, _ := s.makeJobs(seed)
	if s.alter != nil {
		s.alter(jobs)
	}
	return jobs
}

// Inputs returns the hash of every file that the scenario read beside itself.
func (s *Scenario) Inputs() map[string]string {
	if s.trace == nil {
		return nil
	}
	return map[string]string{s.trace.file: s.trace.hash}
}

// Repairs lists what was repaired in the trace.
func (s *Scenario) Repairs() []workload.Fault {
	if s.trace == nil {
		return nil
	}
	return s.trace.repaired
}
