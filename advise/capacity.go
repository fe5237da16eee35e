// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// CapacityFile is a capacity-scheduler.xml that was read.
type CapacityFile struct {
	*capacityxml.File
	Label string // its name in results
	Hash  string
}

// LoadCapacity reads capacity-scheduler.xml files; the faults of all come at once.
func LoadCapacity(paths ...string) ([]*CapacityFile, error) {
	var files []*CapacityFile
	var faults strict.Errors
	var errs []error
	for _, path := range paths {
		src, err := scenario.ReadInput(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f, err := capacityxml.Read(path, src)
		var bad strict.Errors
		if errors.As(err, &bad) {
			faults = append(faults, bad...)
			continue
		}
		files = append(files, &CapacityFile{File: f, Label: scenario.Label(filepath.Base(path)), Hash: result.Hash(src)})
	}
	if len(errs) == 0 && len(faults) > 0 {
		return nil, &strict.InputError{Err: faults}
	}
	if err := errors.Join(append(errs, faults.Err())...); err != nil {
		return nil, &strict.InputError{Err: err}
	}
	for i, f := range files {
		for _, other := range files[:i] {
			if f.Label == other.Label { // old/capacity-scheduler.xml and new/capacity-scheduler.xml
				f.Label, other.Label = folderLabel(f.Name), folderLabel(other.Name)
			}
		}
	}
	for i, f := range files {
		for _, other := range files[:i] {
			if f.Label == other.Label {
				return nil, &strict.InputError{Err: fmt.Errorf("%s and %s have the same name in results, %q; allowed: files of different names", other.Name, f.Name, f.Label)}
			}
		}
	}
	return files, nil
}

func folderLabel(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return scenario.Label(filepath.Base(filepath.Dir(path)) + "-" + filepath.Base(path))
}

// CapacityChoice returns the policy capacity with the settings of a file.
func CapacityChoice(c *capacityxml.Config, label string) scenario.PolicyChoice {
	p := hadoop1.DefaultParams()
	p.MaximumSystemJobs = c.MaximumSystemJobs
	p.InitPollInterval = model.Time(c.InitPollInterval) * model.Millisecond
	p.InitWorkerThreads = c.InitWorkerThreads
	p.MaximumTasksPerHeartbeat = c.MaximumTasksPerHeartbeat
	p.MaximumTasksAfterOffswitch = c.MaximumTasksAfterOffswitch
	for _, q := range c.Queues {
		p.Queues = append(p.Queues, hadoop1.Queue{Name: q.Name, Capacity: q.Capacity, MaximumCapacity: q.MaximumCapacity,
			SupportsPriority: &q.SupportsPriority, MinimumUserLimitPercent: &q.MinimumUserLimitPercent, UserLimitFactor: &q.UserLimitFactor,
			MaximumInitializedActiveTasks: &q.MaximumInitializedActiveTasks, MaximumInitializedActiveTasksOf: &q.MaximumInitializedActiveTasksPerUser,
			InitAcceptJobsFactor: &q.InitAcceptJobsFactor})
	}
	choice := scenario.Named("capacity", &p)
	choice.As = label
	return choice
}

// CapacityChoices returns the policy with the settings of each file, after a check that every job's
// queue is in every file.
func CapacityChoices(s *scenario.Scenario, files []*CapacityFile) ([]scenario.PolicyChoice, error) {
	var choices []scenario.PolicyChoice
	var faults strict.Errors
	jobs := s.Jobs(s.Seed)
	for _, f := range files {
		f.name(jobs)
		faults = append(faults, unknownQueues(s, f, jobs)...)
		choices = append(choices, CapacityChoice(&f.Config, f.Label))
	}
	if len(faults) > 0 {
		return nil, &strict.InputError{Err: faults}
	}
	return choices, nil
}

// name calls queues of YARN by their whole path where the jobs do: root.prod instead of prod.
func (f *CapacityFile) name(jobs []model.Job) {
	used := scenario.Queues(jobs)
	for i := range f.Config.Queues {
		if q := &f.Config.Queues[i]; q.Path() != "" && slices.Contains(used, q.Path()) && !slices.Contains(used, q.Name) {
			q.Name = q.Path()
		}
	}
}

// unknownQueues finds the jobs whose queue is not in the file, the first of each queue, and those that
// have more tasks than the file lets a user have, which the scheduler turns away.
func unknownQueues(s *scenario.Scenario, f *CapacityFile, jobs []model.Job) (faults strict.Errors) {
	known := f.Config.Names()
	seen := map[string]int{}
	first := map[string]*model.Job{}
	for i := range jobs {
		j := &jobs[i]
		q := f.Config.Find(j.Queue)
		switch {
		case q == nil:
			if seen[j.Queue]++; seen[j.Queue] == 1 {
				first[j.Queue] = j
			}
		case int(j.Maps)+int(j.Reduces) > q.MaximumInitializedActiveTasksPerUser:
			pos, path := s.Where(j)
			faults = append(faults, strict.Error{Pos: pos, Path: strings.Replace(path, "queue", "maps", 1), Problem: "the job is turned away",
				Found:   fmt.Sprintf("%d tasks of job %q in queue %s", int(j.Maps)+int(j.Reduces), j.Name, q.Name),
				Allowed: fmt.Sprintf("at most %d, the maximum-initialized-active-tasks-per-user of %s", q.MaximumInitializedActiveTasksPerUser, f.Name)})
		}
	}
	for _, q := range slices.Sorted(maps.Keys(seen)) {
		pos, path := s.Where(first[q])
		found := strconv.Quote(q) + " of job " + strconv.Quote(first[q].Name)
		if seen[q] > 1 {
			found += fmt.Sprintf(" and %d more", seen[q]-1)
		}
		faults = append(faults, strict.Error{Pos: pos, Path: path, Problem: "unknown queue", Found: found,
			Allowed: fmt.Sprintf("the queues of %s: %s", f.Name, strings.Join(known, ", ")), Hint: strict.Nearest(q, known)})
	}
	return faults
}
