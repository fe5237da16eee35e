// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/formats"
	"github.com/yardmaster/yardmaster/workload/jobcsv"
	"github.com/yardmaster/yardmaster/workload/synth"
)

// Workload is where the jobs come from: exactly one of jobs, generate and trace is given.
type Workload struct {
	Jobs     []workload.JobConfig  `yaml:"jobs,omitempty" doc:"Jobs written one by one."`
	Generate *synth.Config         `yaml:"generate" doc:"A synthetic workload."`
	Trace    *workload.TraceConfig `yaml:"trace" doc:"A workload read from a file."`
	Else     *synth.Config         `yaml:"else" doc:"A synthetic workload that takes the place of a trace given by its name where that is not found; fields as in generate. What trace says beside the name is about the file alone."`
	Cost     workload.Cost         `yaml:"cost" doc:"Turns the bytes of a trace, or of the preset fb-2010, into tasks and their lengths."`
	Needs    workload.Needs        `yaml:"needs" doc:"What the tasks of a trace take (room: yarn), where it does not say."`
	Sample   *workload.Sample      `yaml:"sample" doc:"Keeps some of the jobs, wherever they come from; all if left out."`
	Arrive   *workload.Arrive      `yaml:"arrive" doc:"When jobs are submitted, in place of what their source says."`
	Bytes    float64               `yaml:"bytes,omitempty" min:"0" doc:"Factor on what jobs read, move and write, while their tasks and the lengths of these stay; 0 means 1."`
	Lengths  float64               `yaml:"lengths,omitempty" min:"0" doc:"Factor on the lengths of all tasks; 0 means 1."`
	Stretch  float64               `yaml:"stretch" above:"0" doc:"Factor on the gaps between jobs, wherever they come from; 0.77 is 30 % more load."`
	Reduces  int32                 `yaml:"reduces,omitempty" min:"0" doc:"Number of reduces of every job that has any, with the same work in all; 0 leaves them."`
	Jitter   model.Time            `yaml:"jitter,omitempty" min:"0" doc:"Moves every submission by a random time between minus and plus this, uniformly, but not before 0s; think times stay."`
	Weights  string                `yaml:"weights" oneof:"own,slack" doc:"Weights of jobs under weighted policies: their own, or derived from their goals: the largest slack of all jobs over the job's own, slack being the goal minus the run time alone."`
	Assign   []workload.Rule       `yaml:"assign,omitempty" doc:"Rules that assign queues, users, classes, priorities, goals and recurrence."`

	Measure    string `yaml:"measure,omitempty" doc:"File of a scenario, relative to this one, whose classes of machines each job is run on alone before the run: it gets the lengths of its tasks by class, and as its class the one on which it ended first."`
	Classifier string `yaml:"classifier,omitempty" doc:"File of a classifier of jobs that workload train wrote, relative to the scenario, for policies that need one."`
}

// trace is a file that was read.
type trace struct {
	file     string
	hash     string
	records  []workload.Record
	repaired []workload.Fault
	notes    []string
}

func (w *Workload) validate() (problems []model.Problem) {
	given := 0
	for _, is := range []bool{len(w.Jobs) > 0, w.Generate != nil, w.Trace != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		problems = []model.Problem{{Found: fmt.Sprintf("%d sources of jobs", given), Allowed: "exactly one of jobs (not empty), generate and trace"}}
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
		if name := w.Trace.Name; name != "" && !fileName(name) {
			problems = append(problems, model.Problem{Path: "trace.name", Found: fmt.Sprintf("%q", name), Allowed: fileNameAllowed})
		}
	}
	if w.Else != nil {
		under("else", w.Else.Validate())
		if w.Trace == nil || w.Trace.Name == "" {
			problems = append(problems, model.Problem{Path: "else", Found: "else without the name of a trace", Allowed: "only beside trace.name"})
		}
	}
	under("cost.noise", w.Cost.Noise.Validate())
	for i := range w.Assign {
		under(fmt.Sprintf("assign[%d]", i), w.Assign[i].Validate())
	}
	return problems
}

// loadTrace reads the trace of the scenario, if it has one. The name of its file becomes absolute: a relative
// one begins at the folder.
func loadTrace(s *Scenario, folder string) (err error) {
	t := s.Workload.Trace
	switch {
	case t == nil:
		return nil
	case t.Name != "":
		return loadNamed(s)
	}
	if !filepath.IsAbs(t.File) {
		t.File = filepath.Join(folder, t.File)
	}
	if full, err := filepath.Abs(t.File); err == nil {
		t.File = full
	}
	s.trace, err = readTrace(t.File, t.Format, t.Repair)
	return err
}

// readTrace reads a trace file with its hash, or a folder of job histories.
func readTrace(file, format string, mend bool) (*trace, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return readFolder(file, format, mend)
	}
	src, err := readInput(file, maxTrace)
	if err != nil {
		return nil, err
	}
	records, log, err := formats.ReadAll(file, bytes.NewReader(src), format, mend)
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	return &trace{file: file, hash: result.Hash(src), records: records, repaired: log.Repaired, notes: log.Notes()}, nil
}

// readFolder reads a folder of job histories. Its hash is that of what was read.
func readFolder(folder, format string, mend bool) (*trace, error) {
	if format != "" && format != "jhist" {
		return nil, &strict.InputError{Err: fmt.Errorf("%s: format: found %q for a folder; allowed: jhist, or nothing", folder, format)}
	}
	records, log, err := formats.ReadFolder(folder, os.DirFS(folder), mend)
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	var csv bytes.Buffer
	if err := jobcsv.Write(&csv, records); err != nil {
		return nil, &strict.InputError{Err: err}
	}
	return &trace{file: folder, hash: result.Hash(csv.Bytes()), records: records, repaired: log.Repaired, notes: log.Notes()}, nil
}

// validJobs returns the jobs of the first seed and what is wrong with them; nil where they cannot be made.
func validJobs(s *Scenario) ([]model.Job, strict.Errors) {
	jobs, problems := makeJobs(s, s.Seed)
	if len(problems) > 0 {
		return nil, strict.Locate(s.node, sourcePath(s), problems)
	}
	s.outline = outlineOf(jobs)
	errs, _ := s.ofJobs(jobs, cluster.ValidateJobs(s.Cluster.Topology(), jobs), "")
	return jobs, errs
}

// ofJobs takes the problems about single jobs, whose paths begin with the number of the job, out of a list, and places them
// where the scenario has these jobs: jobs of a class and of a trace with the same fault have it once. by names the policy
// whose problems they are; empty if they are nobody's.
func (s *Scenario) ofJobs(jobs []model.Job, problems []model.Problem, by string) (errs strict.Errors, rest []model.Problem) {
	seen := map[string]bool{}
	g, _ := generator(s)
	for _, p := range problems {
		i, field, ok := jobFault(p)
		if !ok {
			rest = append(rest, p)
			continue
		}
		key := field
		if field == "queue" {
			key += p.Found
		}
		switch {
		case g != nil:
			k := slices.IndexFunc(g.Classes, func(c synth.ClassConfig) bool { return c.Name == jobs[i].Class })
			if p.Path = ""; k >= 0 {
				p.Path = fmt.Sprintf("classes[%d].%s", k, field)
			}
			key += p.Path
		case s.Workload.Trace != nil:
			p.Path, p.Found = s.Workload.Trace.Given(), fmt.Sprintf("job %q with %s", jobs[i].Name, p.Found)
			if field == "queue" {
				p.Found = strings.Replace(p.Found, " with ", " with queue ", 1)
			}
		default:
			k := slices.IndexFunc(s.Workload.Jobs, func(c workload.JobConfig) bool { return c.Name == jobs[i].Name })
			p.Path, key = fmt.Sprintf("[%d].%s", k, field), jobs[i].Name+field
		}
		if by != "" {
			p.Allowed += ", under the policy " + by
		}
		if !seen[key] {
			seen[key] = true
			errs = append(errs, strict.Locate(s.node, sourcePath(s), []model.Problem{p})...)
		}
	}
	return errs, rest
}

// jobFault takes the path [12].maps apart.
func jobFault(p model.Problem) (job int, field string, ok bool) {
	_, err := fmt.Sscanf(p.Path, "[%d].%s", &job, &field)
	return job, field, err == nil
}

// sourcePath is where the scenario says what the jobs are.
func sourcePath(s *Scenario) string {
	g, path := generator(s)
	switch {
	case g != nil:
		return path
	case s.Workload.Trace != nil:
		return "workload.trace"
	}
	return "workload.jobs"
}

// siteOf is what jobs need to know of the scenario's cluster.
func siteOf(s *Scenario, seed uint64) workload.Site {
	t := s.Cluster.Topology()
	return workload.Site{Model: t.Model, Total: t.Total(), HDFS: s.HDFS, Seed: seed, Cost: &s.Workload.Cost, Hosts: workload.HostsOf(t)}
}

// makeJobs makes the workload of a seed.
func makeJobs(s *Scenario, seed uint64) (jobs []model.Job, problems []model.Problem) {
	w, site := &s.Workload, siteOf(s, seed)
	switch g, _ := generator(s); {
	case g != nil:
		jobs = synth.Generate(g, site)
	case w.Trace != nil:
		var err error
		if jobs, err = workload.FromRecords(s.trace.records, w.Trace, &w.Cost, w.Needs, site); err != nil {
			return nil, []model.Problem{{Path: w.Trace.Given(), Found: filepath.Base(s.trace.file), Allowed: "jobs to run: " + err.Error()}}
		}
	default:
		jobs, problems = workload.Jobs(w.Jobs, site)
	}
	if w.Sample != nil {
		jobs = w.Sample.Keep(jobs)
	}
	workload.Assign(jobs, w.Assign, seed)
	if w.Stretch != 1 {
		workload.Stretch(jobs, w.Stretch)
	}
	if w.Reduces > 0 {
		workload.SetReduces(jobs, w.Reduces)
	}
	if w.Arrive != nil {
		w.Arrive.Apply(jobs, seed)
	}
	if w.Bytes > 0 {
		workload.ScaleBytes(jobs, w.Bytes)
	}
	if w.Lengths > 0 {
		workload.ScaleLengths(jobs, w.Lengths)
	}
	workload.Jitter(jobs, w.Jitter, seed)
	if s.Yarn != nil && s.Cluster.RoomModel() == model.Yarn {
		s.Yarn.RoundJobs(jobs)
	}
	return jobs, problems
}

// Jobs returns the workload of the repetition with this seed, which the caller may change. Goals that
// are given as a factor of the run time alone and weights that follow from slack are as they are
// written: to work them out takes a run.
func (s *Scenario) Jobs(seed uint64) []model.Job {
	if s.jobs != nil {
		return s.jobs(seed)
	}
	jobs, _ := makeJobs(s, seed)
	return jobs
}

// WithJobs returns the scenario with other jobs than its workload describes: those that jobs returns
// for a seed, fresh ones at each call. Nothing is validated again.
func WithJobs(s *Scenario, jobs func(seed uint64) []model.Job) *Scenario {
	out := *s
	out.jobs = jobs
	return &out
}

// Queues returns the queues of the jobs in order of first use.
func Queues(jobs []model.Job) (queues []string) {
	seen := map[string]bool{}
	for i := range jobs {
		if q := jobs[i].Queue; !seen[q] {
			seen[q] = true
			queues = append(queues, q)
		}
	}
	return queues
}

// Outline is what tables need to know of the jobs of the first seed.
type Outline struct {
	Queues []string // in order of first use
	Goals  bool     // there is a job with one
}

// OutlineOf returns the outline of the scenario's jobs. Those of the workload are not made for it again.
func OutlineOf(s *Scenario) Outline {
	if s.jobs != nil {
		return outlineOf(s.jobs(s.Seed))
	}
	return s.outline
}

func outlineOf(jobs []model.Job) Outline {
	return Outline{Queues(jobs), slices.ContainsFunc(jobs, func(j model.Job) bool { return j.Goal > 0 || j.GoalFactor > 0 })}
}

// Inputs returns the hash of every file that the scenario read beside itself.
func (s *Scenario) Inputs() map[string]string {
	inputs := map[string]string{}
	if s.trace != nil {
		inputs[s.trace.file] = s.trace.hash
	}
	if s.classifier != nil {
		inputs[s.Workload.Classifier] = s.classifierHash
	}
	if len(inputs) == 0 {
		return nil
	}
	return inputs
}

// Records returns the jobs of the trace as its file has them, nil without a trace.
func (s *Scenario) Records() []workload.Record {
	if s.trace == nil {
		return nil
	}
	return s.trace.records
}

// Where returns where the queue of a job of the scenario is written down: position and path.
func (s *Scenario) Where(j *model.Job) (strict.Pos, string) {
	if s.trace != nil {
		if i := slices.IndexFunc(s.trace.records, func(r workload.Record) bool { return r.Name == j.Name }); i >= 0 {
			where := s.trace.records[i].Where
			var line int
			if _, err := fmt.Sscanf(where, "line %d", &line); err == nil {
				return strict.Pos{File: s.trace.file, Line: line, Col: 1}, "queue"
			}
			return strict.Pos{File: s.trace.file}, where + ": queue"
		}
	}
	path := queuePath(s, j)
	pos, _ := s.node.Find(path)
	return pos, path
}

// queuePath is where the scenario has the queue of a job, or, of one that it does not name, its jobs.
func queuePath(s *Scenario, j *model.Job) string {
	if i := slices.IndexFunc(s.Workload.Jobs, func(c workload.JobConfig) bool { return c.Name == j.Name }); i >= 0 {
		return fmt.Sprintf("workload.jobs[%d].queue", i)
	}
	if g, path := generator(s); g != nil {
		if i := slices.IndexFunc(g.Classes, func(c synth.ClassConfig) bool { return c.Name == j.Class }); i >= 0 {
			return fmt.Sprintf("%s.classes[%d].queue", path, i)
		}
	}
	return sourcePath(s)
}

// Repairs lists what was repaired in the trace.
func (s *Scenario) Repairs() []workload.Fault {
	if s.trace == nil {
		return nil
	}
	return s.trace.repaired
}
