// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Comparer is an order that can tell where jobs stand which it does not hold at the moment.
type Comparer interface {
	// Before reports whether a would come before b if both wanted room of the pool.
	Before(pool int, a, b *cluster.Job) bool
}

// parked keeps jobs out of the order that wait for their data by time alone: until then they accept the nodes or
// racks that hold it and no others, so an offer need not ask them one by one. What is decided is what asking
// all of them in order would decide. Limits by a number of offers bound by themselves how often a job is asked.
//
// It serves maps of clusters with slots, where each job that wants room of the pool wants maps.
type parked struct {
	order   Order
	compare Comparer
	delay   *Delay
	cluster *cluster.State
	stamps  []int64      // by slot: when the job was parked, counted in parkings; 0 if it is not
	count   int64        // of parkings
	untils  JobHeap      // parked jobs by the time until which they wait
	nodes   []parkedList // by node: jobs that accept it
	racks   []parkedList // by rack
	resumed int64        // value of hdfs.Store.Restored up to which nodes and racks know of pending maps
	late    []parkedJob  // of the offer: jobs to park
}

// parkedList is the jobs that would accept a node or rack, with entries of jobs that are no longer parked.
type parkedList struct {
	entries []parkedEntry
	sweep   int // length at which such entries are taken out
}

type parkedEntry struct {
	slot  int32
	stamp int64
}

type parkedJob struct {
	job   *cluster.Job
	until model.Time
}

var (
	_ policy.WantObserver = (*parked)(nil)
	_ policy.TaskObserver = (*parked)(nil)
)

// newParked returns what keeps jobs that decline out of the order, nil if the roles do not allow it.
func newParked(env *policy.Env, r Roles) *parked {
	delay, ok := r.Place.(*Delay)
	compare, can := r.Order.(Comparer)
	t := env.Cluster.Topology
	if !ok || !can || !(delay.byTime(model.NodeLocal) || delay.byTime(model.RackLocal)) || t.Model != model.Slots || r.Partition != nil {
		return nil
	}
	return &parked{order: r.Order, compare: compare, delay: delay, cluster: env.Cluster, untils: JobHeap{Cluster: env.Cluster},
		nodes: make([]parkedList, len(t.Nodes)), racks: make([]parkedList, t.Racks)}
}

// pick is the fill loop with parked jobs.
func (p *parked) pick(o *policy.Offer) policy.Decision {
	p.release(o)
	one := model.Room{1, 0}
	best, scope, again := p.local(o), policy.Everywhere, model.Time(0)
	decision, served := policy.Decision{}, false
	for j := p.order.First(o.Pool); j != nil && !(best != nil && p.compare.Before(o.Pool, best, j)); j = p.order.Next(o.Pool) {
		if !o.Free.Fits(j.Need[model.Map]) {
			scope = policy.Here
			continue
		}
		index, t := p.delay.Choose(o, j, model.Map)
		if index >= 0 {
			decision, served = policy.Start(j, model.Map, index), true
			break
		}
		o.Blocked(j, model.LimitLocality)
		scope = policy.Here
		again = sooner(again, t)
		if j.Need[model.Map] == one && p.delay.parks(j) {
			p.late = append(p.late, parkedJob{j, t})
		}
	}
	for _, l := range p.late {
		p.park(o.Now, l.job, l.until)
	}
	p.late = p.late[:0]
	switch {
	case served:
		return decision
	case best != nil:
		p.unpark(o.Now, best)
		index, _ := p.delay.Choose(o, best, model.Map)
		return policy.Start(best, model.Map, index)
	case p.untils.Len() > 0:
		scope = policy.Here
		if o.Free.Fits(one) {
			_, until := p.untils.Top()
			again = sooner(again, model.Time(until.Major))
		}
	}
	return policy.Nothing(scope, again)
}

// release puts the jobs back into the order that have waited long enough, or all of them if maps that had started
// are pending again: their nodes are not known.
func (p *parked) release(o *policy.Offer) {
	if restored := p.delay.Blocks.Restored(); restored != p.resumed {
		p.resumed = restored
		p.unparkAll(o.Now)
	}
	for p.untils.Len() > 0 {
		if _, until := p.untils.Top(); until.Major > int64(o.Now) {
			return
		}
		p.unpark(o.Now, p.untils.Head())
	}
}

func (p *parked) unparkAll(now model.Time) {
	for p.untils.Len() > 0 {
		p.unpark(now, p.untils.Head())
	}
}

// local returns the first parked job in order that accepts the node, or nil.
func (p *parked) local(o *policy.Offer) (best *cluster.Job) {
	if p.untils.Len() == 0 || int(o.Node) >= len(p.nodes) || !o.Free.Fits(model.Room{1, 0}) {
		return nil
	}
	for _, list := range []*parkedList{&p.nodes[o.Node], &p.racks[o.Rack]} {
		p.clean(list)
		for _, e := range list.entries {
			j := p.cluster.At(e.slot)
			if j != best && (best == nil || p.compare.Before(o.Pool, j, best)) && p.delay.accepts(o, j) {
				best = j
			}
		}
	}
	return best
}

// clean takes out entries of jobs that are no longer parked.
func (p *parked) clean(list *parkedList) {
	list.entries = slices.DeleteFunc(list.entries, func(e parkedEntry) bool { return p.stamps[e.slot] != e.stamp })
	list.sweep = 2*len(list.entries) + 64
}

// park takes a job out of the order until it may accept more nodes than those that hold its data.
func (p *parked) park(now model.Time, j *cluster.Job, until model.Time) {
	for int(j.Slot) >= len(p.stamps) {
		p.stamps = append(p.stamps, 0)
	}
	p.order.Wants(now, j, int(model.Map), false)
	p.count++
	p.stamps[j.Slot] = p.count
	p.untils.Set(j, keyed.Key{Major: int64(until)})
	index, started := p.delay.Blocks.Index(j.ID, j.Total[model.Map]), j.Started(model.Map)
	wide := p.delay.waits.Of(j).level >= model.RackLocal
	for b := j.First(model.Map); b >= 0 && b < j.Total[model.Map]; b++ {
		if started[b>>6]>>(b&63)&1 != 0 {
			continue
		}
		for _, node := range index.Block(b) {
			if wide {
				p.add(&p.racks[p.cluster.Nodes[node].Rack], j)
			} else {
				p.add(&p.nodes[node], j)
			}
		}
	}
}

// add makes the job known to a node or rack that it accepts, once.
func (p *parked) add(list *parkedList, j *cluster.Job) {
	entry := parkedEntry{j.Slot, p.count}
	if n := len(list.entries); n > 0 && list.entries[n-1] == entry {
		return
	}
	if len(list.entries) >= max(list.sweep, 64) {
		p.clean(list)
	}
	list.entries = append(list.entries, entry)
}

// unpark puts the job back into the order.
func (p *parked) unpark(now model.Time, j *cluster.Job) {
	p.forget(j)
	p.order.Wants(now, j, int(model.Map), true)
}

func (p *parked) forget(j *cluster.Job) {
	p.stamps[j.Slot] = 0
	p.untils.Remove(j)
}

// Wants implements policy.WantObserver: what ceases to want room is no longer parked.
func (p *parked) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	if !wants && pool == int(model.Map) && p.has(j) {
		p.forget(j)
	}
}

// TaskStarted implements policy.TaskObserver: after a start, such as that of a reduce, the driver must hear again
// what holds the job back.
func (p *parked) TaskStarted(now model.Time, j *cluster.Job, _ model.Kind, _ model.NodeID) {
	if p.has(j) {
		p.unpark(now, j)
	}
}

// TaskEnded implements policy.TaskObserver.
func (p *parked) TaskEnded(model.Time, *cluster.Job, model.Kind, model.NodeID, bool) {}

func (p *parked) has(j *cluster.Job) bool {
	return int(j.Slot) < len(p.stamps) && p.stamps[j.Slot] != 0
}
