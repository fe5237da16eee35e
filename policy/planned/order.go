// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// Rules say what is planned and how ad-hoc jobs are served.
type Rules struct {
	rackplan.Rules
	Site
	Circuits   bool        // plans reckon with circuits where there are some
	HeavyInput model.Bytes // input above which an ad-hoc job is taken to be heavy, so that heavy ones are kept apart; 0: all are alike
}

// On returns the cluster as these rules plan for it; circuits are nil where there are none.
func (r *Rules) On(t *model.Topology, circuits *policy.Circuits) *rackplan.Site {
	site := rackplan.SiteOf(t)
	site.Elephant = r.Elephant
	if circuits != nil {
		site.Elephant = circuits.Elephant
		if r.Circuits {
			site.Circuits = circuits.Rate
		}
	}
	return site
}

// Order is the order of jobs that follows a plan.
type Order struct {
	env   *policy.Env
	rules Rules
	plan  *rackplan.Plan
	ranks []int32 // of planned jobs by number, -1 for others
	known *policy.PerJob[known]

	// What the planned jobs could start now, by pool: entries of sequences, of each rack and of all. The entry of a
	// job's tasks of a kind is 2*rank+kind in every sequence.
	racks [model.Kinds][]*nodeset.Set
	all   [model.Kinds]*nodeset.Set
	dirty []*cluster.Job // planned jobs of which something has happened since the last offer

	adhoc []adhoc // light, heavy; a single one where all are alike
	heavy []int32 // running tasks of heavy ad-hoc jobs, by rack
	room  [model.Dims]int64
	lost  []bool // racks without any node

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

// known is what is kept about a job.
type known struct {
	dirty bool
	wants [model.Kinds]bool    // it has tasks of the kind to start
	taken [model.Kinds][]int32 // tasks that run or have ended in each of its racks
	moved bool                 // it was planned until a rack was lost

	aggregated bool // it was planned and heavy then
}

// adhoc is an order of ad-hoc jobs.
type adhoc struct {
	kit.Order
	tasks policy.TaskObserver // nil if it does not observe tasks
}

var (
	_ kit.Order             = (*Order)(nil)
	_ kit.Aimer             = (*Order)(nil)
	_ kit.Limiter           = (*Order)(nil)
	_ policy.Planner        = (*Order)(nil)
	_ policy.TaskObserver   = (*Order)(nil)
	_ policy.OutputObserver = (*Order)(nil)
)

// New returns the order for the environment. others returns an order of ad-hoc jobs; it is called once, or twice where
// heavy ones are kept apart.
func New(env *policy.Env, rules Rules, others func() kit.Order) *Order {
	o := &Order{env: env, rules: rules, plan: &rackplan.Plan{}, known: policy.NewPerJob[known](env), heavy: make([]int32, env.Cluster.Topology.Racks)}
	for range 1 + min(rules.HeavyInput, 1) {
		a := adhoc{Order: others()}
		a.tasks, _ = a.Order.(policy.TaskObserver)
		o.adhoc = append(o.adhoc, a)
	}
	o.prepare()
	return o
}

// Plan implements policy.Planner.
func (o *Order) Plan(forecasts []policy.Forecast) {
	if o.rules.given != nil {
		o.plan = o.rules.given.For(forecasts)
	} else {
		o.plan = rackplan.Make(o.rules.On(o.env.Cluster.Topology, o.env.Circuits), &o.rules.Rules, forecasts, o.env.Seed)
	}
	o.prepare()
}

// prepare makes room for the entries of the plan.
func (o *Order) prepare() {
	o.ranks = o.ranks[:0]
	for rank := range o.plan.Jobs {
		id := int(o.plan.Jobs[rank].Job)
		for id >= len(o.ranks) {
			o.ranks = append(o.ranks, -1)
		}
		o.ranks[id] = int32(rank)
	}
	for p := range o.racks {
		o.all[p] = nodeset.New(2 * len(o.plan.Jobs))
		o.racks[p] = make([]*nodeset.Set, len(o.heavy))
		for r := range o.racks[p] {
			o.racks[p][r] = nodeset.New(2 * len(o.plan.Jobs))
		}
	}
	o.room, o.lost = o.env.Cluster.Total, make([]bool, len(o.heavy))
}

// Planned returns the placement of a job that follows the plan, nil for any other.
func (o *Order) Planned(id model.JobID) *rackplan.Placement {
	if int(id) >= len(o.ranks) || o.ranks[id] < 0 {
		return nil
	}
	return &o.plan.Jobs[o.ranks[id]]
}

// Data returns the placement of blocks: first replicas in the racks of a planned job's maps.
func (o *Order) Data() hdfs.Placement {
	var racks []model.RackID
	return hdfs.NewPlanned(o.env.Cluster.Topology, func(job model.JobID) []model.RackID {
		racks = racks[:0]
		if p := o.Planned(job); p != nil {
			for _, s := range p.Racks[model.Map] {
				racks = append(racks, s.Rack)
			}
		}
		return racks
	})
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
	if placed := o.Planned(j.ID); placed != nil {
		o.take(j, placed, k, node, 1)
		return
	}
	o.weigh(j, node, 1)
	if a := o.adhoc[o.class(j)].tasks; a != nil {
		a.TaskStarted(now, j, k, node)
	}
}

// TaskEnded implements policy.TaskObserver.
func (o *Order) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	if placed := o.Planned(j.ID); placed != nil {
		by := int32(0)
		if !done {
			by = -1
		}
		o.take(j, placed, k, node, by)
		return
	}
	o.weigh(j, node, -1)
	if a := o.adhoc[o.class(j)].tasks; a != nil {
		a.TaskEnded(now, j, k, node, done)
	}
}

// MapMade implements policy.OutputObserver.
func (o *Order) MapMade(model.Time, *cluster.Job, int32, model.NodeID, model.Bytes) {}

// MapLost implements policy.OutputObserver: the map is to run again.
func (o *Order) MapLost(_ model.Time, j *cluster.Job, _ int32, node model.NodeID, _ model.Bytes) {
	if placed := o.Planned(j.ID); placed != nil {
		o.take(j, placed, model.Map, node, -1)
	}
}

// weigh counts the running tasks of heavy ad-hoc jobs in a rack.
func (o *Order) weigh(j *cluster.Job, node model.NodeID, by int32) {
	if o.class(j) > 0 && !o.known.Of(j).moved {
		o.heavy[o.env.Cluster.Nodes[node].Rack] += by
	}
}

// touch notes that what a planned job could start may have changed. It is looked at when room is offered: a job's
// reduces become eligible after their order is told that a map has ended.
func (o *Order) touch(j *cluster.Job) {
	if own := o.known.Of(j); !own.dirty {
		own.dirty = true
		o.dirty = append(o.dirty, j)
	}
}

// settle brings the sets up to date.
func (o *Order) settle(now model.Time) {
	for _, j := range o.dirty {
		if placed := o.Planned(j.ID); placed != nil && o.env.Cluster.Job(j.ID) == j { // it has not gone
			o.known.Of(j).dirty = false
			o.update(j, placed)
		}
	}
	o.dirty = o.dirty[:0]
	if o.room != o.env.Cluster.Total {
		o.count(now)
	}
}

// update puts the entries of a planned job into the sets, or takes them out.
func (o *Order) update(j *cluster.Job, placed *rackplan.Placement) {
	own := o.known.Of(j)
	for k := range model.Kind(model.Kinds) {
		if wants := j.Phase == cluster.Admitted && j.Wants(k) > 0; wants != own.wants[k] {
			own.wants[k] = wants
			o.mark(o.all[o.pool(k)], j, k, wants)
			for i := range placed.Racks[k] {
				o.markRack(j, placed, k, i)
			}
		}
	}
}

// take counts a task that starts in a rack of a planned job, or that is to start again.
func (o *Order) take(j *cluster.Job, placed *rackplan.Placement, k model.Kind, node model.NodeID, by int32) {
	o.touch(j)
	own := o.known.Of(j)
	if own.taken[k] == nil {
		own.taken[k] = make([]int32, len(placed.Racks[k]))
	}
	if i, is := placed.At(k, o.env.Cluster.Nodes[node].Rack); is && by != 0 {
		own.taken[k][i] += by
		o.markRack(j, placed, k, i)
	}
}

// markRack puts the entry of the job's tasks of a kind into the set of its i-th rack if it has some to start and the rack
// has not had its share of them, or else takes it out. The tasks of a heavy job are shared evenly, so that no rack sends or
// gets more than others (§4.1.3); those of other jobs are not shared out.
func (o *Order) markRack(j *cluster.Job, placed *rackplan.Placement, k model.Kind, i int) {
	own, racks := o.known.Of(j), placed.Racks[k]
	wants := own.wants[k]
	if n := int32(len(racks)); wants && placed.Heavy && own.taken[k] != nil {
		wants = own.taken[k][i] < (j.Total[k]+n-1)/n
	}
	o.mark(o.racks[o.pool(k)][racks[i].Rack], j, k, wants)
}

// mark puts the entry of the job's tasks of a kind into a set, or takes it out.
func (o *Order) mark(set *nodeset.Set, j *cluster.Job, k model.Kind, wants bool) {
	entry := 2*int(o.ranks[j.ID]) + int(k)
	if wants {
		set.Add(entry)
	} else {
		set.Remove(entry)
	}
}

// pool returns the pool of tasks of a kind.
func (o *Order) pool(k model.Kind) int { return o.env.Cluster.Topology.Model.Pool(k) }
