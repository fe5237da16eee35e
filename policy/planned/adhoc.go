// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/rackplan"
	"github.com/yardmaster/yardmaster/rng"
)

// narrow keeps ad-hoc jobs to few racks, so that their flows are larger (§4.2.5): as many for each task as planned jobs
// have on average. The first replicas of a job's blocks lie in racks drawn at random, where its maps run; its reduces run in
// the racks with the most free room when it comes.
type narrow struct {
	env    *policy.Env
	draws  *rng.Stream
	ratios [model.Kinds]float64 // racks for each task
	jobs   *policy.PerJob[narrowed]
	data   map[model.JobID][]model.RackID // where the input of jobs lies, which stays when they have gone
}

// narrowed is the racks of an ad-hoc job.
type narrowed struct {
	racks [model.Kinds][]bool // nil: all
}

// learn takes the ratios of a plan: racks for each task, not for each container that is booked, on average over its jobs.
func (n *narrow) learn(plan *rackplan.Plan, forecasts []policy.Forecast) {
	tasks := map[model.JobID][model.Kinds]int32{}
	for i := range forecasts {
		tasks[forecasts[i].Job] = forecasts[i].Tasks
	}
	n.ratios = [model.Kinds]float64{}
	for k := range n.ratios {
		jobs := 0.0
		for i := range plan.Jobs {
			if p := &plan.Jobs[i]; tasks[p.Job][k] > 0 {
				n.ratios[k] += float64(len(p.Racks[k])) / float64(tasks[p.Job][k])
				jobs++
			}
		}
		n.ratios[k] /= max(jobs, 1)
	}
}

// width returns how many of the racks the tasks of a kind get.
func (n *narrow) width(j *cluster.Job, k model.Kind, racks int) int {
	return min(int(math.Ceil(n.ratios[k]*float64(j.Total[k]))), racks)
}

// usable returns the racks with nodes that a task of the job fits, and how many fit what is free now.
func (n *narrow) usable(j *cluster.Job, k model.Kind) (racks []model.RackID, free []int) {
	state := n.env.Cluster
	free, fits := make([]int, state.Topology.Racks), make([]bool, state.Topology.Racks)
	for i := range state.Nodes {
		node := &state.Nodes[i]
		free[node.Rack] += node.Free.Times(j.Need[k])
		fits[node.Rack] = fits[node.Rack] || state.Topology.Classes[state.Topology.Nodes[i].Class].Room.Fits(j.Need[k])
	}
	for r, is := range fits {
		if is {
			racks = append(racks, model.RackID(r))
		}
	}
	return racks, free
}

// mapRacks returns the racks of an ad-hoc job's maps, drawn when they are first asked for. If another job reads its file
// before it is there, the file lies anywhere, and stays there.
func (n *narrow) mapRacks(id model.JobID) []model.RackID {
	j := n.env.Cluster.Job(id)
	if racks, drawn := n.data[id]; drawn || j == nil {
		n.data[id] = racks
		return racks
	}
	racks, _ := n.usable(j, model.Map)
	chosen := make([]model.RackID, 0, len(racks))
	for _, i := range n.draws.At(uint64(id), 0, 0).Perm(len(racks))[:n.width(j, model.Map, len(racks))] {
		chosen = append(chosen, racks[i])
	}
	n.data[id] = chosen
	return chosen
}

// come chooses the racks of an ad-hoc job.
func (n *narrow) come(j *cluster.Job) {
	own := n.jobs.Of(j)
	if racks := n.mapRacks(j.ID); len(racks) > 0 && j.Reads {
		own.racks[model.Map] = n.set(racks)
	}
	racks, free := n.usable(j, model.Reduce)
	slices.SortStableFunc(racks, func(a, b model.RackID) int { return cmp.Compare(free[b], free[a]) })
	if width := n.width(j, model.Reduce, len(racks)); width > 0 {
		own.racks[model.Reduce] = n.set(racks[:width])
	}
}

func (n *narrow) set(racks []model.RackID) []bool {
	in := make([]bool, n.env.Cluster.Topology.Racks)
	for _, r := range racks {
		in[r] = true
	}
	return in
}

// allows reports whether a job may run a task of a kind in the rack. Where nodes of the cluster are lost, any rack will do,
// and any will do for maps for which reduces wait, whose room they may be given.
func (n *narrow) allows(j *cluster.Job, k model.Kind, rack model.RackID) bool {
	in := n.jobs.Of(j).racks[k]
	return in == nil || in[rack] || k == model.Map && j.Running[model.Reduce] > 0 || n.env.Cluster.Total != n.env.Cluster.Topology.Total()
}
