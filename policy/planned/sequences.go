// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// sequences is a plan and what its jobs could start now, rack by rack.
type sequences struct {
	env   *policy.Env
	plan  *rackplan.Plan
	ranks []int32 // of planned jobs by number, -1 for others
	known *policy.PerJob[known]

	// Entries of what could start, by pool: in each rack and in all. The entry of a job's tasks of a kind is
	// 2*rank+kind in every sequence.
	racks [model.Kinds][]*nodeset.Set
	all   [model.Kinds]*nodeset.Set
	dirty []*cluster.Job // planned jobs of which something has happened since the last offer
}

// known is what is kept about a job.
type known struct {
	dirty bool
	wants [model.Kinds]bool    // it has tasks of the kind to start
	taken [model.Kinds][]int32 // tasks that run or have ended in each of its racks
	moved bool                 // it was planned until a rack was lost
	left  bool                 // it was planned until another order took it
	homes []home               // its maps by rack, nil if they are shared out evenly
	came  []model.Time         // when the last of its reduces started, by their racks
	over  model.Time           // when its gate was first asked after its maps had ended; 0 until then

	aggregated bool // it was planned and heavy then
}

// follow makes room for the entries of a plan.
func (s *sequences) follow(plan *rackplan.Plan) {
	s.plan, s.ranks = plan, s.ranks[:0]
	for rank := range plan.Jobs {
		id := int(plan.Jobs[rank].Job)
		for id >= len(s.ranks) {
			s.ranks = append(s.ranks, -1)
		}
		s.ranks[id] = int32(rank)
	}
	for p := range s.racks {
		s.all[p] = nodeset.New(2 * len(plan.Jobs))
		s.racks[p] = make([]*nodeset.Set, s.env.Cluster.Topology.Racks)
		for r := range s.racks[p] {
			s.racks[p][r] = nodeset.New(2 * len(plan.Jobs))
		}
	}
}

// Planned returns the placement of a job that follows the plan, nil for any other.
func (s *sequences) Planned(id model.JobID) *rackplan.Placement {
	if int(id) >= len(s.ranks) || s.ranks[id] < 0 {
		return nil
	}
	return &s.plan.Jobs[s.ranks[id]]
}

// touch notes that what a planned job could start may have changed. It is looked at when room is offered: a job's
// reduces become eligible after their order is told that a map has ended.
func (s *sequences) touch(j *cluster.Job) {
	if own := s.known.Of(j); !own.dirty {
		own.dirty = true
		s.dirty = append(s.dirty, j)
	}
}

// settle brings the sets up to date.
func (s *sequences) settle() {
	for _, j := range s.dirty {
		if placed := s.Planned(j.ID); placed != nil && s.env.Cluster.Job(j.ID) == j { // it has not gone
			s.known.Of(j).dirty = false
			s.update(j, placed)
		}
	}
	s.dirty = s.dirty[:0]
}

// update puts the entries of a planned job into the sets, or takes them out.
func (s *sequences) update(j *cluster.Job, placed *rackplan.Placement) {
	own := s.known.Of(j)
	if own.taken[model.Map] == nil && placed.Heavy {
		own.taken[model.Map] = make([]int32, len(placed.Racks[model.Map]))
		own.homes = s.homesOf(j, placed)
	}
	for k := range model.Kind(model.Kinds) {
		if wants := j.Phase == cluster.Admitted && j.Wants(k) > 0; wants != own.wants[k] {
			own.wants[k] = wants
			s.mark(s.all[s.pool(k)], j, k, wants)
			for i := range placed.Racks[k] {
				s.markRack(j, placed, k, i)
			}
		}
	}
}

// take counts a task that starts in a rack of a planned job, or that is to start again.
func (s *sequences) take(j *cluster.Job, placed *rackplan.Placement, k model.Kind, node model.NodeID, by int32) {
	s.touch(j)
	own := s.known.Of(j)
	if own.taken[k] == nil {
		own.taken[k] = make([]int32, len(placed.Racks[k]))
	}
	if i, is := placed.At(k, s.env.Cluster.Nodes[node].Rack); is && by != 0 {
		own.taken[k][i] += by
		if by < 0 && k == model.Map && own.homes != nil {
			own.homes[i].from = 0 // it is pending again
		}
		s.markRack(j, placed, k, i)
	}
}

// markRack puts the entry of the job's tasks of a kind into the set of its i-th rack if it has some to start and the rack
// has not had its share of them, or else takes it out. The maps of a heavy job run where their blocks were put, its other
// tasks are shared evenly, so that no rack sends or gets more than others (§4.1.3); tasks of other jobs are not shared out.
func (s *sequences) markRack(j *cluster.Job, placed *rackplan.Placement, k model.Kind, i int) {
	own, racks := s.known.Of(j), placed.Racks[k]
	wants := own.wants[k]
	if wants && placed.Heavy && own.taken[k] != nil {
		most := share(j, k, placed)
		if k == model.Map && own.homes != nil {
			most = own.homes[i].count
		}
		wants = own.taken[k][i] < most
	}
	s.mark(s.racks[s.pool(k)][racks[i].Rack], j, k, wants)
}

// share returns how many tasks of a kind each rack gets where they are shared evenly.
func share(j *cluster.Job, k model.Kind, placed *rackplan.Placement) int32 {
	n := int32(len(placed.Racks[k]))
	return (j.Total[k] + n - 1) / n
}

// note keeps when the last reduce of a planned job started in a rack.
func (s *sequences) note(now model.Time, j *cluster.Job, placed *rackplan.Placement, node model.NodeID) {
	own := s.known.Of(j)
	if own.came == nil {
		own.came = make([]model.Time, len(placed.Racks[model.Reduce]))
	}
	if i, is := placed.At(model.Reduce, s.env.Cluster.Nodes[node].Rack); is {
		own.came[i] = now
	}
}

// mark puts the entry of the job's tasks of a kind into a set, or takes it out.
func (s *sequences) mark(set *nodeset.Set, j *cluster.Job, k model.Kind, wants bool) {
	entry := 2*int(s.ranks[j.ID]) + int(k)
	if wants {
		set.Add(entry)
	} else {
		set.Remove(entry)
	}
}

// pool returns the pool of tasks of a kind.
func (s *sequences) pool(k model.Kind) int { return s.env.Cluster.Topology.Model.Pool(k) }

// drop takes a job out of all sequences for good.
func (s *sequences) drop(j *cluster.Job, p *rackplan.Placement) {
	for k := range model.Kind(model.Kinds) {
		s.mark(s.all[s.pool(k)], j, k, false)
		for _, share := range p.Racks[k] {
			s.mark(s.racks[s.pool(k)][share.Rack], j, k, false)
		}
	}
	s.ranks[p.Job] = -1
}
