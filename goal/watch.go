// SPDX-License-Identifier: Apache-2.0

package goal

import "github.com/yardmaster/yardmaster/model"

// Watch follows the jobs of a run: it keeps a Job for every job that it was told to follow and not to forget. Its memory
// follows these jobs.
type Watch struct {
	config Config
	jobs   []*Job
	over   []*Job // forgotten: the next ones use their memory
	spare  spare
}

// NewWatch returns a watch that follows no job yet.
func NewWatch(c Config) *Watch { return &Watch{config: c} }

// Job returns the estimate of a job, or nil if it is not followed.
func (w *Watch) Job(id model.JobID) *Job {
	if int(id) >= len(w.jobs) {
		return nil
	}
	return w.jobs[id]
}

// Follow begins to follow a job; see NewJob.
func (w *Watch) Follow(id model.JobID, now model.Time, tasks, room [model.Kinds]int32) *Job {
	w.jobs = grown(w.jobs, int(id))
	var j *Job
	if n := len(w.over); n > 0 {
		j, w.over = w.over[n-1], w.over[:n-1]
	} else {
		j = &Job{}
	}
	j.begin(w.config, now, tasks, room, &w.spare)
	w.jobs[id] = j
	return j
}

// grown returns the list with a place i.
func grown[T any](list []T, i int) []T {
	if i >= len(list) {
		list = append(list, make([]T, i+1-len(list))...)
	}
	return list
}

// Forget ends it. What Follow has returned must not be used afterwards.
func (w *Watch) Forget(id model.JobID) {
	j := w.jobs[id]
	for k := range j.kinds {
		w.spare.give(j.kinds[k].running)
	}
	w.over, w.jobs[id] = append(w.over, j), nil
}

// Started notes that a task of a job that is followed began to run on the node.
func (w *Watch) Started(now model.Time, t model.Task, node model.NodeID) {
	w.jobs[t.Job].Start(t.Kind, t.Index, node, now)
}

// Ended notes that it, having run since then, ended or, if not done, was killed.
func (w *Watch) Ended(now model.Time, t model.Task, node model.NodeID, since model.Time, done bool) {
	w.jobs[t.Job].End(t.Kind, t.Index, node, since, now, done)
}

// Room returns how many tasks of each kind fit into a cluster with this much room in all.
func Room(total [model.Dims]int64, need [model.Kinds]model.Room) (n [model.Kinds]int32) {
	for k := range need {
		fit := int64(1) << 30
		for d, v := range need[k] {
			if v > 0 {
				fit = min(fit, total[d]/int64(v))
			}
		}
		n[k] = int32(fit)
	}
	return n
}
