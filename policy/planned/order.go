// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/rackplan"
	"github.com/yardmaster/yardmaster/rng"
)

// Rules say what is planned and how ad-hoc jobs are served.
type Rules struct {
	rackplan.Rules
	Site
	Racks      []model.RackID // in which jobs are planned, in ascending order; nil for all
	Circuits   bool           // plans reckon with circuits where there are some
	Aggregate  bool           // ad-hoc jobs are kept to few racks
	Patience   model.Time     // how long JobPacker's gate waits for another reduce in a rack once the maps have ended
	HeavyInput model.Bytes    // input above which an ad-hoc job is taken to be heavy, so that heavy ones are kept apart; 0: all are alike
}

// On returns the cluster, or the racks of it, as these rules plan for it; circuits are nil where there are none.
func (r *Rules) On(t *model.Topology, circuits *policy.Circuits, forecasts []policy.Forecast) *rackplan.Site {
	if r.Racks != nil {
		t = rackplan.Part(t, r.Racks)
	}
	site := rackplan.SiteOf(t, forecasts)
	site.Elephant = r.elephant(circuits)
	if circuits != nil && r.Circuits {
		site.Circuits = circuits.Rate
	}
	return site
}

// elephant is the shuffle data from which on a job is heavy; where there are circuits, what is enough for one.
func (r *Rules) elephant(circuits *policy.Circuits) model.Bytes {
	if circuits != nil {
		return circuits.Elephant
	}
	return r.Elephant
}

// Order is the order of jobs that follows a plan.
type Order struct {
	sequences
	rules Rules

	narrow *narrow      // nil unless ad-hoc jobs are kept to few racks
	adhoc  []kit.Inside // light, heavy; a single one where all are alike
	heavy  []int32      // running tasks of heavy jobs, planned or not, by rack; only where heavy ad-hoc jobs are kept apart
	room   [model.Dims]int64
	lost   []bool // racks without any node

	mapRacks []model.RackID // scratch

	iteration
}

// iteration is where an offer stands: in the sequence of the rack, then in the orders of ad-hoc jobs.
type iteration struct {
	rack  model.RackID // model.None for all
	entry int          // of the sequence; -1 when it is over
	kind  model.Kind   // of the entry
	turn  int          // of the ad-hoc orders
	turns [2]int       // their order
	begun bool         // the order of this turn
}

var (
	_ kit.Order             = (*Order)(nil)
	_ kit.Aimer             = (*Order)(nil)
	_ kit.Limiter           = (*Order)(nil)
	_ kit.Passer            = (*Order)(nil)
	_ kit.Leaver            = (*Order)(nil)
	_ policy.JobObserver    = (*Order)(nil)
	_ policy.Planner        = (*Order)(nil)
	_ policy.TaskObserver   = (*Order)(nil)
	_ policy.OutputObserver = (*Order)(nil)
)

// New returns the order for the environment. others returns an order of ad-hoc jobs; it is called once, or twice where
// heavy ones are kept apart.
func New(env *policy.Env, rules Rules, others func() kit.Order) *Order {
	racks := env.Cluster.Topology.Racks
	o := &Order{sequences: sequences{env: env, known: policy.NewPerJob[known](env)}, rules: rules,
		heavy: make([]int32, racks), room: env.Cluster.Total, lost: make([]bool, racks)}
	for range 1 + min(rules.HeavyInput, 1) {
		o.adhoc = append(o.adhoc, kit.NewInside(others()))
	}
	if rules.Aggregate {
		o.narrow = &narrow{env: env, draws: rng.New(env.Seed, rng.PlannedBlocks), jobs: policy.NewPerJob[narrowed](env), data: map[model.JobID][]model.RackID{}}
	}
	o.follow(&rackplan.Plan{})
	return o
}

// Plan implements policy.Planner.
func (o *Order) Plan(forecasts []policy.Forecast) {
	if o.rules.given != nil {
		o.follow(o.rules.given.For(forecasts))
	} else {
		site := o.rules.On(o.env.Cluster.Topology, o.env.Circuits, forecasts)
		plan := rackplan.Make(site, &o.rules.Rules, forecasts, o.env.Seed)
		if o.rules.Racks != nil {
			plan.MoveTo(o.rules.Racks)
		}
		o.follow(plan)
	}
	if o.narrow != nil {
		o.narrow.learn(o.plan, forecasts)
	}
}

// Data returns the placement of blocks: first replicas in the racks of a planned job's maps.
func (o *Order) Data() hdfs.Placement {
	return hdfs.NewPlanned(o.env.Cluster.Topology, o.MapRacks)
}

// MapRacks returns the racks that were chosen for the maps of a job, none if they may run anywhere. They are valid until
// the next call.
func (o *Order) MapRacks(job model.JobID) []model.RackID {
	o.mapRacks = o.mapRacks[:0]
	if p := o.Planned(job); p != nil {
		for _, s := range p.Racks[model.Map] {
			o.mapRacks = append(o.mapRacks, s.Rack)
		}
	} else if o.narrow != nil {
		return o.narrow.mapRacks(job)
	}
	return o.mapRacks
}

// JobAdmitted implements policy.JobObserver.
func (o *Order) JobAdmitted(now model.Time, j *cluster.Job) {
	if o.Planned(j.ID) != nil {
		return
	}
	if o.narrow != nil {
		o.narrow.come(j)
	}
	o.adhoc[o.class(j)].JobAdmitted(now, j)
}

// JobEnded implements policy.JobObserver.
func (o *Order) JobEnded(now model.Time, j *cluster.Job) {
	if o.Planned(j.ID) == nil && !o.known.Of(j).left {
		o.adhoc[o.class(j)].JobEnded(now, j)
	}
}

// Leave implements kit.Leaver: a planned job that another order serves has no place in the sequences.
func (o *Order) Leave(j *cluster.Job) bool {
	placed := o.Planned(j.ID)
	if placed == nil {
		return false
	}
	o.drop(j, placed)
	o.known.Of(j).left = true
	return true
}

// Passed implements kit.Passer.
func (o *Order) Passed(offer *policy.Offer, chosen *cluster.Job, k model.Kind) {
	if o.Planned(chosen.ID) == nil {
		o.adhoc[o.class(chosen)].Passed(offer, chosen, k)
	}
}

// Wants implements policy.WantObserver.
func (o *Order) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	if placed := o.Planned(j.ID); placed != nil {
		o.touch(j)
		if !wants {
			o.update(j, placed) // it may be gone before the next offer
		}
		return
	}
	o.adhoc[o.class(j)].Wants(now, j, pool, wants)
}

// class returns which order of ad-hoc jobs a job belongs to.
func (o *Order) class(j *cluster.Job) int {
	if len(o.adhoc) > 1 && j.Input > o.rules.HeavyInput {
		return 1
	}
	return 0
}

// TaskStarted implements policy.TaskObserver.
func (o *Order) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	o.weigh(j, node, 1)
	if placed := o.Planned(j.ID); placed != nil {
		if o.take(j, placed, k, node, 1); k == model.Reduce {
			o.note(now, j, placed, node)
		}
		return
	}
	o.adhoc[o.class(j)].TaskStarted(now, j, k, node)
}

// TaskEnded implements policy.TaskObserver.
func (o *Order) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	o.weigh(j, node, -1)
	if placed := o.Planned(j.ID); placed != nil {
		by := int32(0)
		if !done {
			by = -1
		}
		o.take(j, placed, k, node, by)
		return
	}
	o.adhoc[o.class(j)].TaskEnded(now, j, k, node, done)
}

// MapMade implements policy.OutputObserver.
func (o *Order) MapMade(model.Time, *cluster.Job, int32, model.NodeID, model.Bytes) {}

// MapLost implements policy.OutputObserver: the map is to run again.
func (o *Order) MapLost(_ model.Time, j *cluster.Job, _ int32, node model.NodeID, _ model.Bytes) {
	if placed := o.Planned(j.ID); placed != nil {
		o.take(j, placed, model.Map, node, -1)
	}
}

// weigh counts the running tasks of heavy jobs in a rack.
func (o *Order) weigh(j *cluster.Job, node model.NodeID, by int32) {
	if len(o.adhoc) > 1 && o.isHeavy(j) {
		o.heavy[o.env.Cluster.Nodes[node].Rack] += by
	}
}

// isHeavy reports whether a job is shuffle-heavy: as it was planned, or by its input. It stays so, also when a rack of it is lost.
func (o *Order) isHeavy(j *cluster.Job) bool {
	if placed := o.Planned(j.ID); placed != nil {
		return placed.Heavy
	}
	if own := o.known.Of(j); own.moved {
		return own.aggregated
	}
	return o.class(j) > 0
}
