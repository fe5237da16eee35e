// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Service tells how much service each job has received: the run time of its finished tasks plus the
// elapsed time of its running ones. A reduce that merely holds its room while maps run receives
// none; it works from the end of the last map on. The time of a killed attempt counts until it was
// killed.
//
// Where somebody measures the service of jobs, what they measure counts.
//
// It is a policy.TaskObserver: who uses it passes on both calls. An event costs O(1).
type Service struct {
	jobs     *policy.PerJob[served]
	measured policy.Served // nil if nobody measures
}

// served is a job's service up to since; from then on it grows by working for each unit of time.
type served struct {
	sum, since model.Time
	working    int32 // tasks at work
}

var _ policy.TaskObserver = (*Service)(nil)

// NewService returns the accounts of all jobs of the environment.
func NewService(env *policy.Env) *Service { return &Service{policy.NewPerJob[served](env), env.Served} }

// Received returns the service that the job has received until now.
func (s *Service) Received(now model.Time, j *cluster.Job) model.Time {
	if s.measured != nil {
		return s.measured.Received(now, j.ID)
	}
	return s.jobs.Of(j).at(now)
}

func (v *served) at(now model.Time) model.Time { return v.sum + model.Time(v.working)*(now-v.since) }

// TaskStarted implements policy.TaskObserver.
func (s *Service) TaskStarted(now model.Time, j *cluster.Job, _ model.Kind, _ model.NodeID) {
	s.update(now, j)
}

// TaskEnded implements policy.TaskObserver.
func (s *Service) TaskEnded(now model.Time, j *cluster.Job, _ model.Kind, _ model.NodeID, _ bool) {
	s.update(now, j)
}

func (s *Service) update(now model.Time, j *cluster.Job) {
	v := s.jobs.Of(j)
	v.sum, v.since = v.at(now), now
	v.working = j.Running[model.Map]
	if j.MapsDone() {
		v.working += j.Running[model.Reduce]
	}
}
