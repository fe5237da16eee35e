// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Starts and ends of tasks are most of what happens, and mostly one part of a policy observes them: it is called without a loop.

// tasksToBoth tells two observers of tasks, one after the other.
type tasksToBoth struct{ first, then TaskObserver }

// bothTasks adds an observer behind the first, which may be nil.
func bothTasks(first, then TaskObserver) TaskObserver {
	if first == nil {
		return then
	}
	return tasksToBoth{first, then}
}

func (b tasksToBoth) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	b.first.TaskStarted(now, j, k, node)
	b.then.TaskStarted(now, j, k, node)
}

func (b tasksToBoth) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	b.first.TaskEnded(now, j, k, node, done)
	b.then.TaskEnded(now, j, k, node, done)
}

// attemptsToBoth is tasksToBoth for attempts.
type attemptsToBoth struct{ first, then AttemptObserver }

func bothAttempts(first, then AttemptObserver) AttemptObserver {
	if first == nil {
		return then
	}
	return attemptsToBoth{first, then}
}

func (b attemptsToBoth) AttemptStarted(now model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	b.first.AttemptStarted(now, j, t, node)
	b.then.AttemptStarted(now, j, t, node)
}

func (b attemptsToBoth) AttemptEnded(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, since model.Time, done bool) {
	b.first.AttemptEnded(now, j, t, node, since, done)
	b.then.AttemptEnded(now, j, t, node, since, done)
}
