// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"math/bits"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// ChancesParams configures Chances.
type ChancesParams struct {
	LocalityWaitFactor float64 `yaml:"locality-wait-factor" min:"0" doc:"mapreduce.job.locality.wait.factor: a job lets min(maps left, nodes) times this many chances pass before it reads from another rack; exactly 1 stands for min(1, hosts with its input / hosts)."`
	RackWaitFactor     float64 `yaml:"rack-wait-factor" min:"0" doc:"The extra level that capacity-2013 section 6.1.1 proposes: how many chances, as above, a job lets pass before it reads from another node of the rack; 0 is the release, which has no such level."`
}

// DefaultChancesParams returns the release's rule.
func DefaultChancesParams() ChancesParams { return ChancesParams{LocalityWaitFactor: 1} }

// Chances is the place role of Hadoop 1's Capacity Scheduler: maps on the node and in the rack count as
// equally local, and a job lets a number of chances pass, counted in offers, before it reads from another
// rack (capacity-2013 §6.1.1). A chance is counted each time that the job is asked for a map, and forgotten
// when a local one starts.
type Chances struct {
	*GreedyLocal
	cluster *cluster.State
	params  ChancesParams
	jobs    *policy.PerJob[chances]
	holds   []uint64 // which nodes hold some of the input of a job that is admitted, as bits
}

// chances is what the role keeps about a job.
type chances struct {
	since int32   // offers since the last local map
	wait  float64 // its locality wait factor
}

var (
	_ Place              = (*Chances)(nil)
	_ policy.JobObserver = (*Chances)(nil)
)

// NewChances returns the role for the environment.
func NewChances(env *policy.Env, p ChancesParams) *Chances {
	return &Chances{GreedyLocal: NewGreedyLocal(env), cluster: env.Cluster, params: p, jobs: policy.NewPerJob[chances](env)}
}

// JobAdmitted implements policy.JobObserver.
func (c *Chances) JobAdmitted(_ model.Time, j *cluster.Job) { c.jobs.Of(j).wait = c.waitFactor(j) }

// JobEnded implements policy.JobObserver.
func (c *Chances) JobEnded(model.Time, *cluster.Job) {}

// Choose implements Place.
func (c *Chances) Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	if k == model.Reduce || !j.Reads {
		return j.First(k), 0
	}
	job := c.jobs.Of(j)
	job.since++
	if t := c.OnNode(o, j); t >= 0 {
		job.since = 0
		return t, 0
	}
	patience := float64(min(j.Total[model.Map]-j.Done[model.Map], int32(len(c.cluster.Nodes))))
	if f := c.params.RackWaitFactor; f == 0 || patience*f < float64(job.since) {
		if t := c.InRack(o, j); t >= 0 {
			job.since = 0
			return t, 0
		}
	}
	if o.Beat.OffSwitch == 0 && patience*(job.wait+c.params.RackWaitFactor) < float64(job.since) {
		return j.First(k), 0
	}
	if o.Beat.Periodic {
		return model.None, 0
	}
	return model.None, o.Now + idleAgain // idle nodes must come back for their chances to be counted
}

// waitFactor is the locality wait factor of a job: if it is exactly 1, the share of nodes that hold
// some of its input.
func (c *Chances) waitFactor(j *cluster.Job) float64 {
	f := c.params.LocalityWaitFactor
	if f != 1 || !j.Reads || c.cluster.Topology.Racks == 1 { // in one rack nothing is off-switch
		return f
	}
	if words := (len(c.cluster.Nodes) + 63) / 64; len(c.holds) < words {
		c.holds = make([]uint64, words)
	}
	clear(c.holds)
	for _, node := range c.Blocks.Index(j.ID, j.Total[model.Map]).Holders() {
		c.holds[node>>6] |= 1 << (node & 63)
	}
	n := 0
	for _, word := range c.holds {
		n += bits.OnesCount64(word)
	}
	return float64(n) / float64(len(c.cluster.Nodes))
}
