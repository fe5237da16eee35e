// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Explanation is what is known about one job of a result.
type Explanation struct {
	Policy  string        `json:"policy"`
	Job     metrics.Job   `json:"-"`
	Row     JobRow        `json:"job"`
	Stages  []Stage       `json:"stages"`
	Holders []Holder      `json:"holders"`
	Said    []Diagnosis   `json:"diagnostics,omitempty"` // by YARN's resource manager: for each limit, what it said longest
	Others  float64       `json:"others_elapsed"`        // mean elapsed time of all other jobs
	WhatIf  []Alternative `json:"what_if"`
}

// JobRow is the part of the job's row that an explanation repeats, in seconds.
type JobRow struct {
	ID        model.JobID        `json:"id"`
	Name      string             `json:"name"`
	Submit    float64            `json:"submit"`
	Waiting   float64            `json:"waiting"`
	Execution float64            `json:"execution"`
	Slowdown  float64            `json:"slowdown"`
	Blame     map[string]float64 `json:"blame"`
	Limits    map[string]float64 `json:"limits"`
}

// Stage is a span in which the job was in one state, held back by one limit.
type Stage struct {
	From    float64 `json:"from"` // seconds
	To      float64 `json:"to"`
	State   string  `json:"state"`
	Limit   string  `json:"limit,omitempty"`
	Running int32   `json:"running"` // tasks at the end of the span
	Pending int32   `json:"pending"`
}

// Holder is another job that used room while this one waited for its first task.
type Holder struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of the room that was in use
}

// Diagnosis is what the resource manager would have said of the job while a limit held it, for as long as it said the
// same.
type Diagnosis struct {
	Limit string  `json:"limit"`
	From  float64 `json:"from"` // seconds
	To    float64 `json:"to"`
	Text  string  `json:"text"`
}

// Explain repeats the run of a result folder and watches one job, named by number or name. label
// chooses the policy of a comparison; empty means the first. With whatIf it also simulates changes.
func Explain(ctx context.Context, folder, job, label string, whatIf bool, opt experiment.Options) (*Explanation, error) {
	m, err := result.ReadManifest(folder)
	if err != nil {
		return nil, err
	}
	if m.Kind == "sweep" {
		return nil, &strict.InputError{Err: fmt.Errorf("%s is a sweep, which keeps no jobs; run the point that you want to explain", folder)}
	}
	if m.Kind != "run" && len(m.Policies) == 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("%s is a result of %s, which keeps no jobs; allowed: one of run or compare", folder, m.Kind)}
	}
	s, err := scenario.Parse(filepath.Join(folder, result.ManifestName), m.Scenario, nil)
	if err != nil {
		return nil, err
	}
	s, choice, sub, err := explained(s, m, label)
	if err != nil {
		return nil, err
	}
	rep := experiment.NewRepetition(s, m.Seeds[0])
	jobs, err := rep.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	id, err := findJob(jobs, job)
	if err != nil {
		return nil, err
	}
	watch := metrics.NewTimeline(jobs, id)
	if experiment.Beats(s, choice) {
		watch.Heartbeats(s.Cluster.Topology(), choice.Yarn() != nil)
	}
	said := &diagnoses{job: id}
	opt.Held = said.held
	run, err := rep.Simulate(ctx, choice, opt, watch)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Policy: choice.Label()}
	for i := range run.Jobs {
		if run.Jobs[i].ID == id {
			e.Job = run.Jobs[i]
		}
	}
	if err := sameAsStored(filepath.Join(folder, sub, "jobs.csv"), &e.Job); err != nil {
		return nil, err
	}
	e.Row, e.Stages, e.Holders = rowOf(&e.Job), stagesOf(watch.Spans()), holdersOf(watch.Others(), jobs)
	e.Said, e.Others = said.list(e.Job.Finish), othersElapsed(run, id)
	if whatIf {
		e.WhatIf, err = alternatives(ctx, s, choice, &e.Job, m.Seeds[0], opt)
	}
	return e, err
}

// explained returns the policy to explain, the scenario that it ran on and the folder of its files.
func explained(s *scenario.Scenario, m *result.Manifest, label string) (*scenario.Scenario, scenario.PolicyChoice, string, error) {
	if m.Kind == "run" {
		if label != "" && label != s.Policy.Label() {
			return nil, scenario.PolicyChoice{}, "", &strict.InputError{Err: fmt.Errorf("policy %q is not that of the run; allowed: %s", label, s.Policy.Label())}
		}
		return s, s.Policy, "", nil
	}
	if label == "" {
		label = m.Policies[0]
	}
	if !slices.Contains(m.Policies, label) {
		return nil, scenario.PolicyChoice{}, "", &strict.InputError{Err: fmt.Errorf("policy %q is not in this comparison; allowed: %s", label, strings.Join(m.Policies, ", "))}
	}
	choice, err := s.Choice(label)
	if changed := m.Changes[label]; changed != nil && err == nil {
		s, err = (&scenario.Change{Settings: changed}).Scenario(s)
	}
	return s, choice, label, err
}

// findJob finds a job by number or name.
func findJob(jobs []model.Job, text string) (model.JobID, error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < len(jobs) {
		return model.JobID(n), nil
	}
	names := make([]string, len(jobs))
	for i := range jobs {
		if jobs[i].Name == text || jobs[i].Name == csvtext.Bare(text) {
			return model.JobID(i), nil
		}
		names[i] = jobs[i].Name
	}
	msg := fmt.Sprintf("no job %q; allowed: a number from 0 to %d, or a name of jobs.csv", text, len(jobs)-1)
	if near := strict.Nearest(text, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return 0, &strict.InputError{Err: fmt.Errorf("%s", msg)}
}

// sameAsStored makes sure that the repeated run is the one whose results are in the folder.
func sameAsStored(file string, j *metrics.Job) error {
	f, err := os.Open(file)
	if err != nil {
		return &strict.InputError{Err: err}
	}
	defer f.Close()
	r := csv.NewReader(f)
	head, err := r.Read()
	if err != nil {
		return &strict.InputError{Err: fmt.Errorf("%s: %w", file, err)}
	}
	id, finish := slices.Index(head, "id"), slices.Index(head, "finish")
	for id >= 0 && finish >= 0 {
		row, err := r.Read()
		if err != nil {
			break
		}
		if row[id] == strconv.Itoa(int(j.ID)) {
			if row[finish] == j.Finish.Decimal() {
				return nil
			}
			return fmt.Errorf("%s says that job %d finished at %s, the repeated run says %s: the folder was made by another version", file, j.ID, row[finish], j.Finish.Decimal())
		}
	}
	return &strict.InputError{Err: fmt.Errorf("%s has no job %d", file, j.ID)}
}

func rowOf(j *metrics.Job) JobRow {
	row := JobRow{ID: j.ID, Name: j.Name, Submit: j.Submit.Seconds(), Waiting: j.Waiting().Seconds(), Execution: j.Execution().Seconds(),
		Slowdown: j.Slowdown(), Blame: map[string]float64{}, Limits: map[string]float64{}}
	for p, t := range j.Blame {
		if t > 0 {
			row.Blame[metrics.Part(p).String()] = t.Seconds()
		}
	}
	for l, t := range j.Limits {
		if t > 0 {
			row.Limits[model.Limit(l).String()] = t.Seconds()
		}
	}
	return row
}

// stagesOf words the time-line.
func stagesOf(spans []metrics.Span) (stages []Stage) {
	for _, s := range spans {
		stage := Stage{From: s.From.Seconds(), To: s.To.Seconds(), State: stateOf(&s), Running: s.Running, Pending: s.Pending}
		if s.Held {
			stage.Limit = s.Limit.String()
		}
		stages = append(stages, stage)
	}
	return stages
}

// stateOf names the state that the job is in.
func stateOf(s *metrics.Span) string {
	tasks := "maps"
	switch s.Phase {
	case metrics.Submitted:
		return "waiting for admission"
	case metrics.StartingMaster:
		return "its application master starts"
	case metrics.Admitted:
		return "waiting for its first container"
	case metrics.Reducing:
		tasks = "reduces"
	}
	switch s.Starved {
	case metrics.WhollyStarved:
		return tasks + " starved: none runs"
	case metrics.PartlyStarved:
		return tasks + " partly starved"
	}
	return "all " + tasks + " running"
}

// holdersOf names the jobs that used most of the room while the explained one waited.
func holdersOf(uses []metrics.Use, jobs []model.Job) (out []Holder) {
	for _, u := range uses[:min(len(uses), 8)] {
		out = append(out, Holder{jobs[u.Job].Name, u.Share})
	}
	return out
}

// diagnoses keeps what the resource manager says of a job: for each limit what it says longest.
type diagnoses struct {
	job   model.JobID
	now   Diagnosis
	limit model.Limit
	best  [model.Limits]Diagnosis
}

// held is for Options.Held.
func (d *diagnoses) held(now model.Time, job model.JobID, limit model.Limit, why string) {
	if job != d.job || d.limit == limit && d.now.Text == why {
		return
	}
	d.end(now)
	d.limit, d.now = limit, Diagnosis{Limit: limit.String(), From: now.Seconds(), Text: why}
}

func (d *diagnoses) end(now model.Time) {
	d.now.To = now.Seconds()
	if best := &d.best[d.limit]; d.now.Text != "" && d.now.To-d.now.From > best.To-best.From {
		*best = d.now
	}
}

func (d *diagnoses) list(end model.Time) (out []Diagnosis) {
	d.end(end)
	for _, said := range d.best {
		if said.Text != "" {
			out = append(out, said)
		}
	}
	return out
}
