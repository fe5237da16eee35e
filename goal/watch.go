// SPDX-License-Identifier: Apache-2.0

package goal

import "github.com/yardmaster/yardmaster/model"

// Watch follows the jobs of a run: it keeps a Job for every job that it was told to follow and not to forget. Its memory
// follows these jobs.
type Watch struct {
	config Config
	reader Reader // nil if nobody reads
	jobs   []*Job
	over   []*Job // forgotten: the next ones use their memory
	spare  spare
}

// NewWatch returns a watch that follows no job yet.
func NewWatch(c Config) *Watch { return &Watch{config: c} }

// Reader reads the estimates of a watch that somebody else keeps.
type Reader interface {
	// Read hands it the watch, before the first job is followed. It reports whether it is going to read it.
	Read(w *Watch) bool
	// Follows tells that a job is followed from now on, and returns who listens to what happens to it.
	Follows(id model.JobID, j *Job, now model.Time) Listener
}

// Share lets a reader read the watch if it wants to.
func (w *Watch) Share(with Reader) {
	if with.Read(w) {
		w.reader = with
	}
}

// Like reports whether jobs are expected to end when they would be under that configuration.
func (w *Watch) Like(c Config) bool {
	return w.config.ReduceCost == c.ReduceCost && w.config.PerNode == c.PerNode
}

// Job returns the estimate of a job, or nil if it is not followed.
func (w *Watch) Job(id model.JobID) *Job {
	if int(id) >= len(w.jobs) {
		return nil
	}
	return w.jobs[id]
}

// Follow begins to follow a job; see NewJob. What happens to it is told to what Follow returns.
func (w *Watch) Follow(id model.JobID, now model.Time, tasks, room [model.Kinds]int32) *Job {
	w.jobs = grown(w.jobs, int(id))
	var j *Job
	if n := len(w.over); n > 0 {
		j, w.over = w.over[n-1], w.over[:n-1]
	} else {
		j = &Job{}
	}
	j.begin(w, now, tasks, room)
	if w.reader != nil {
		j.listener = w.reader.Follows(id, j, now)
	}
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
