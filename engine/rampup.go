// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Where maps and reduces share room, jobs could fill a cluster with reduces that wait for maps
// which find no room: a deadlock. Two rules of the MapReduce application master prevent it. The
// ramp-up limit keeps a job's reduces to a share of the room it can get while maps are pending;
// pre-emption kills waiting reduces when the job's maps have found no room for a while, and starts
// no others until every map has room.

// ramp sets how many reduces of the job may have been started by now.
func (s *sim) ramp(j *cluster.Job) {
	if j.Total[model.Reduce] == 0 || s.jobs[j.ID].slowed {
		return
	}
	eligible := s.eligible(j)
	if eligible > j.Eligible[model.Reduce] && s.model != model.Slots {
		s.ramped = true // other nodes than the one in hand may have room for them
	}
	j.Eligible[model.Reduce] = eligible
}

// eligible returns how many reduces of the job may have been started by now: all, or, while maps
// are pending in shared room, those within the ramp-up limit. The limit grows with the maps that
// have ended and never takes back what runs.
func (s *sim) eligible(j *cluster.Job) int32 {
	total, limit := j.Total[model.Reduce], float64(s.in.Config.Jobs.RampUp)
	if s.model == model.Slots || j.Pending(model.Map) == 0 {
		return total
	}
	running := j.Running[model.Reduce] - j.Doubled[model.Reduce] // second attempts come on top of what is eligible
	if s.jobs[j.ID].yielding {
		return j.Done[model.Reduce] + running
	}
	if limit == 1 {
		return total
	}
	share := min(limit, float64(j.Done[model.Map])/float64(j.Total[model.Map]))
	reach := s.state.Free()
	for d, used := range j.Used() {
		reach[d] += used
	}
	allowed := int64(total)
	for d, need := range j.Need[model.Reduce] {
		if need > 0 {
			allowed = min(allowed, int64(share*float64(reach[d]))/int64(need))
		}
	}
	return min(total, j.Done[model.Reduce]+max(int32(allowed)-j.Doubled[model.Reduce], running))
}

// stale reports whether a decision to start a reduce rests on an eligibility that other jobs' tasks
// have used up since it was worked out. If so it is corrected, and the policy must be asked again.
func (s *sim) stale(now model.Time, t model.Task) bool {
	if s.model == model.Slots || t.Kind != model.Reduce {
		return false
	}
	j := s.state.Job(t.Job)
	if j == nil || j.Phase != cluster.Admitted || j.Pending(model.Map) == 0 || j.Wants(model.Reduce) <= 0 {
		return false
	}
	s.ramp(j)
	if j.Wants(model.Reduce) > 0 {
		return false
	}
	s.updateWants(now, j, model.Reduce)
	return true
}

// watchMaps plans a look at a job whose maps have no room while its reduces hold some.
func (s *sim) watchMaps(now model.Time, j *cluster.Job) {
	r := &s.jobs[j.ID]
	if s.model == model.Slots || !s.in.Config.Jobs.Preempt || r.watched || !starved(j, r) {
		return
	}
	r.watched = true
	s.queue.Push(now+max(s.in.Config.Jobs.PreemptAfter, model.Millisecond), event{kind: preempt, job: j.ID})
}

// starved reports whether no map of the job runs, some are pending, and reduces wait for them.
func starved(j *cluster.Job, r *jobRun) bool {
	return len(r.held) > 0 && j.Running[model.Map] == 0 && j.Pending(model.Map) > 0
}

// preempt kills the youngest waiting reduces of a starved job, on one node, until a map fits there.
func (s *sim) preempt(now model.Time, id model.JobID) {
	j, r := s.state.Job(id), &s.jobs[id]
	if j == nil || !r.watched || j.Phase != cluster.Admitted {
		return
	}
	r.watched = false
	if !starved(j, r) {
		return
	}
	r.yielding = true
	node := r.held[len(r.held)-1].node
	for i := len(r.held) - 1; i >= 0 && !s.state.Nodes[node].Free.Fits(j.Need[model.Map]); i-- {
		if h := r.held[i]; h.node == node {
			r.held = append(r.held[:i], r.held[i+1:]...)
			s.killRunner(now, &runner{task: model.Task{Job: id, Kind: model.Reduce, Index: h.index}, node: h.node, number: h.attempt, stage: record.Waiting, slot: h.slot})
		}
	}
	s.ramp(j)
	s.updateWants(now, j, model.Map)
	s.watchMaps(now, j)
	s.freed(now, node, 0)
}
