// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// capacityBeat is what the current heartbeat has been given beside what the offer says.
type capacityBeat struct {
	sequence int64
	after    int32 // maps since the first one off-switch
	merge    capacityMerge
	again    model.Time
	here     bool // another node might get something
}

// Pick implements policy.Policy.
func (c *capacity) Pick(o *policy.Offer) policy.Decision {
	if c.room != c.cluster.Total { // nodes were lost or have returned
		c.setRoom()
	}
	c.tellWaiting(o)
	if c.beat.sequence != o.Beat.Sequence {
		c.beat.sequence, c.beat.after = o.Beat.Sequence, 0
	}
	if c.beatFull(o) {
		return policy.Nothing(policy.Here, 0)
	}
	c.sortQueues(o.Pool)
	c.beat.here, c.beat.again = false, 0
	for _, queue := range c.order[o.Pool] {
		if j, k, index := c.fromQueue(o, &c.queues[queue]); j != nil {
			if k == model.Map && o.Beat.OffSwitch > 0 {
				c.beat.after++
			}
			return policy.Start(j, k, index)
		}
	}
	if c.beat.here {
		return policy.Nothing(policy.Here, c.beat.again)
	}
	return policy.Nothing(policy.Everywhere, 0)
}

// beatFull reports whether the heartbeat may be given no more from this pool: at most one reduce;
// maps up to their number, and after one off-switch only so many more. A node that asks as soon as it
// has room has no heartbeats to limit.
func (c *capacity) beatFull(o *policy.Offer) bool {
	if !o.Beat.Periodic {
		return false
	}
	maps, reduces := o.Beat.Tasks[model.Map], o.Beat.Tasks[model.Reduce]
	stopReduces := reduces >= 1
	stopMaps := maps >= 1 && int(maps) >= c.params.MaximumTasksPerHeartbeat ||
		o.Beat.OffSwitch > 0 && int(c.beat.after) >= c.params.MaximumTasksAfterOffswitch
	if c.cluster.Topology.Model == model.Slots {
		return o.Pool == int(model.Map) && stopMaps || o.Pool == int(model.Reduce) && stopReduces
	}
	return stopMaps || stopReduces
}

// fromQueue returns the next task of the queue that suits the offer, or nil.
func (c *capacity) fromQueue(o *policy.Offer, q *capacityQueue) (*cluster.Job, model.Kind, int32) {
	p, l := &q.pools[o.Pool], &q.limits
	if p.users.Len() == 0 {
		return nil, 0, 0
	}
	slots, most := c.cluster.Topology.Model == model.Slots, l.Maximum[o.Pool]
	if slots && most > 0 && p.occupied+1 > most {
		c.tellQueue(o, q, model.LimitQueueMax)
		return nil, 0, 0
	}
	m := &c.beat.merge
	for j := m.first(c, q, o.Pool); j != nil; {
		account := m.at
		k, fits := c.kind(o, j)
		need := int64(j.Need[k][o.Pool])
		free := c.mapsFirst(j, k)
		held, limit := c.accounts[account].pools[o.Pool].occupied, l.UserLimit(o.Pool, need, p.occupied, p.active)
		alone := !slots && held == 0 // beside slots, a task larger than a limit may run alone
		switch {
		case !fits:
			c.beat.here = true
			j = m.next()
			continue
		case most > 0 && p.occupied+need > most && !free && !(alone && p.occupied == 0):
			o.Blocked(j, model.LimitQueueMax)
			j = m.next()
			continue
		case held+need > limit && !free && !alone:
			c.tellUser(o, account, model.LimitUser)
			if slots && need == 1 {
				j = m.nextUser() // all their jobs have the same limit
			} else {
				j = m.next()
			}
			continue
		}
		if index := c.choose(o, j, k); index >= 0 {
			return j, k, index
		}
		o.Blocked(j, model.LimitLocality)
		c.beat.here = true
		j = m.next()
	}
	return nil, 0, 0
}

// mapsFirst reports whether the task is free of limits: where maps and reduces share room, which
// Hadoop 1 does not know, reduces may hold all that a user or queue may have while they wait for maps;
// then one map of the job may run at a time in spite of the limits.
func (c *capacity) mapsFirst(j *cluster.Job, k model.Kind) bool {
	return c.cluster.Topology.Model != model.Slots && k == model.Map && j.Running[model.Reduce] > 0 && j.Running[model.Map] == 0
}

// kind returns the kind of task that the job would start from the offer's pool, and whether it fits.
// Where maps and reduces share room, eligible reduces go first.
func (c *capacity) kind(o *policy.Offer, j *cluster.Job) (model.Kind, bool) {
	if c.cluster.Topology.Model == model.Slots {
		k := model.Kind(o.Pool)
		return k, o.Free.Fits(j.Need[k])
	}
	maps := j.Wants(model.Map) > 0
	if j.Wants(model.Reduce) > 0 && o.Free.Fits(j.Need[model.Reduce]) && !(maps && c.mapsFirst(j, model.Map)) {
		return model.Reduce, true
	}
	if maps {
		return model.Map, o.Free.Fits(j.Need[model.Map])
	}
	return model.Reduce, false
}

// choose returns the task that the job starts on the offer's node, or model.None. A chance is counted
// each time that the job is asked for a map, and forgotten when a local one starts (§6.1.1).
func (c *capacity) choose(o *policy.Offer, j *cluster.Job, k model.Kind) int32 {
	if k == model.Reduce || j.Input == 0 {
		return j.First(k)
	}
	job := c.jobs.Of(j)
	job.chances++
	if t := c.place.OnNode(o, j); t >= 0 {
		job.chances = 0
		return t
	}
	patience := float64(min(j.Total[model.Map]-j.Done[model.Map], int32(len(c.cluster.Nodes))))
	if f := c.params.RackWaitFactor; f == 0 || patience*f < float64(job.chances) {
		if t := c.place.InRack(o, j); t >= 0 {
			job.chances = 0
			return t
		}
	}
	if o.Beat.OffSwitch == 0 && patience*(job.wait+c.params.RackWaitFactor) < float64(job.chances) {
		return j.First(k)
	}
	if !o.Beat.Periodic { // idle nodes must come back for their chances to be counted
		c.beat.again = o.Now + capacityAgain
	}
	return model.None
}

// capacityAgain is after what time idle nodes are offered again where there are no heartbeats.
const capacityAgain = model.Second

// waitFactor is the locality wait factor of a job: if it is exactly 1, the share of nodes that hold
// some of its input.
func (c *capacity) waitFactor(j *cluster.Job) float64 {
	f := c.params.LocalityWaitFactor
	if f != 1 || j.Input == 0 || c.cluster.Topology.Racks == 1 { // in one rack nothing is off-switch
		return f
	}
	holds, n := make([]bool, len(c.cluster.Nodes)), 0
	for _, node := range c.place.Blocks.Index(j.ID, j.Total[model.Map]).Holders() {
		if !holds[node] {
			holds[node] = true
			n++
		}
	}
	return float64(n) / float64(len(holds))
}
