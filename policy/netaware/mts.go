// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// mts is the map task scheduling of §3.2.3.
type mts struct {
	*Predictor
	params  *NASParams
	env     *policy.Env
	sharer  func(*cluster.Job) int32
	locals  locals
	running [][]*cluster.Job // by node: the jobs of the maps that run there
	least   model.Room       // what the smallest map seen so far needs
	most    model.Room       // what any task seen so far needs at most
	average float64          // predicted output of a map, over all jobs
	checked choosing
	rounds  rounds
	spaces  struct { // the space that was worked out last
		spaceOf
		space float64
	}
}

// mapOf is MTS: the user's next map, or none and when to ask again.
func (n *mts) mapOf(o *policy.Offer, u *nasUser, sharer int32) (*cluster.Job, int32, model.Time) {
	if u.mapping.empty() {
		return nil, 0, 0
	}
	if n.checked.congested && len(u.mapping[0]) == 0 { // nobody whom a congested rack may start
		return nil, 0, n.delayed(u)
	}
	if j := n.localMap(o, sharer); j != nil {
		u.maps.count = 0
		return j, n.indexOn(o, j), 0
	}
	if !u.maps.over(o.Now, n.params.MapSkips, n.params.MapWait) {
		if j := n.checked.first(u); j != nil {
			return nil, 0, n.refuse(o, refusal{j, model.LimitLocality, &u.maps, n.params.MapSkips, n.params.MapWait})
		}
		return nil, 0, n.delayed(u)
	}
	j := n.farMap(o, u, n.qualifying(o.Node, n.checked.congested))
	if j == nil { // none is qualified
		if j = n.locals.leastJob(o.Node, sharer, &n.checked); j == nil {
			j = n.leastMap(u)
		}
	}
	if j == nil {
		return nil, 0, n.delayed(u)
	}
	if n.params.Reset == "any" {
		u.maps.count = 0
	}
	return j, n.indexOn(o, j), 0
}

// localMap returns the user's job with a qualified local map: one that is not predicted first, then the closest to
// the space.
func (n *mts) localMap(o *policy.Offer, sharer int32) *cluster.Job {
	if n.vain(o, n.checked.congested) {
		return nil
	}
	space := n.qualifying(o.Node, n.checked.congested)
	for row := range 2 {
		if j := n.locals.closestJob(o.Node, sharer, row, space, &n.checked); j != nil {
			return j
		}
	}
	return nil
}

// vain reports whether it is known that nobody has a qualified local map. A job whose maps a congested rack stops no
// longer because its reduces may start is no news to the shelves.
func (n *mts) vain(o *policy.Offer, stopping bool) bool {
	return (!stopping || n.params.Stop != "early") && n.locals.vain(o.Node, stopping, n.qualifying(o.Node, stopping))
}

// qualifying returns what a map may make at most that is qualified on the node.
func (n *mts) qualifying(node model.NodeID, stopping bool) float64 {
	space := n.space(node)
	if stopping && n.params.Stop != "early" {
		space = min(space, float64(model.ShuffleLightBelow)) // heavier jobs are not looked at
	}
	return space
}

// mapsCome takes in a job that is admitted.
func (n *mts) mapsCome(j *cluster.Job) {
	n.shelve(j, *n.jobs.Of(j))
	for _, need := range j.Need {
		for d, v := range need {
			n.most[d] = max(n.most[d], v)
		}
	}
	for d, need := range j.Need[model.Map] {
		if n.least[d] == 0 || need < n.least[d] && need > 0 {
			n.least[d] = need
		}
	}
	if n.average == 0 { // it is the first
		n.average = n.total / float64(max(n.maps, 1))
	}
}

// mapStarted notes that a map of the job runs on the node.
func (n *mts) mapStarted(j *cluster.Job, node model.NodeID) {
	for int(node) >= len(n.running) {
		n.running = append(n.running, nil)
	}
	n.running[node] = append(n.running[node], j)
}

// mapEnded notes that it no longer does.
func (n *mts) mapEnded(j *cluster.Job, node model.NodeID) {
	list := n.running[node]
	if i := slices.Index(list, j); i >= 0 {
		n.running[node] = slices.Delete(list, i, i+1)
	}
}

// farMap returns the job with a qualified map in the order of algorithm 2, lines 8 to 12: small input before
// large, not predicted before predicted; then the least cost of the transfer, then the closest to the space.
func (n *mts) farMap(o *policy.Offer, u *nasUser, space float64) (best *cluster.Job) {
	var least listing
	for _, jobs := range looked(&n.checked, u.far[:]) {
		for _, e := range jobs {
			if best != nil && cmp.Or(cmp.Compare(e.order, least.order), cmp.Compare(e.cost, least.cost)) > 0 {
				break // it and all behind it cost more
			}
			if e.each > space || !n.checked.wants(e.job) {
				continue
			}
			atLeast := e.cost
			e.cost = n.cost(o, e.job)
			if best == nil || e.compare(least) < 0 {
				best, least = e.job, e
			}
			if e.cost <= atLeast {
				break // nobody behind it costs less, or is closer at the same cost
			}
		}
	}
	return best
}

// compare is the order of maps from afar.
func (e listing) compare(than listing) int {
	return cmp.Or(cmp.Compare(e.order, than.order), cmp.Compare(e.cost, than.cost), cmp.Compare(than.each, e.each), cmp.Compare(e.id, than.id))
}

// category is the place of a job's maps in algorithm 2, lines 9 to 12; without MTS all are alike.
func (n *mts) category(j *cluster.Job) int {
	if !n.params.MTS {
		return 0
	}
	c := row(n.jobs.Of(j).predicted)
	if j.Input >= n.params.Small {
		c += 2
	}
	return c
}

// leastCost is what it takes at least to bring the input of a map of the job to a node that has none of it.
func (n *mts) leastCost(j *cluster.Job) float64 {
	if !n.placed(j) {
		return 0
	}
	return float64(j.Input) / float64(j.Total[model.Map])
}

// cost is what it takes to bring the input of the job's next map to the node: nothing, its size from the rack,
// twice that from afar.
func (n *mts) cost(o *policy.Offer, j *cluster.Job) float64 {
	if !n.placed(j) {
		return 0
	}
	size := float64(j.Input) / float64(j.Total[model.Map])
	index := n.env.Blocks.Index(j.ID, j.Total[model.Map])
	switch {
	case index.OnNode(o.Node, j.Started(model.Map)) >= 0:
		return 0
	case index.InRack(o.Rack, j.Started(model.Map)) >= 0:
		return size
	}
	return 2 * size
}

// leastMap returns the job whose maps make least.
func (n *mts) leastMap(u *nasUser) *cluster.Job {
	var best local
	for _, jobs := range looked(&n.checked, u.mapping[:]) {
		for _, l := range jobs {
			if e := (local{l.each, l.job}); (best.job == nil || e.compare(best) < 0) && n.checked.wants(l.job) {
				best = e
			}
		}
	}
	return best.job
}

// placed reports whether the job's input lies somewhere; otherwise every node is as good as any other.
func (n *mts) placed(j *cluster.Job) bool { return j.Reads && n.env.Blocks.Replicated() }

// indexOn returns the pending map of the job that is nearest to the node of the offer.
func (n *mts) indexOn(o *policy.Offer, j *cluster.Job) int32 {
	if n.placed(j) {
		index := n.env.Blocks.Index(j.ID, j.Total[model.Map])
		if i := index.OnNode(o.Node, j.Started(model.Map)); i >= 0 {
			return i
		}
		if i := index.InRack(o.Rack, j.Started(model.Map)); i >= 0 {
			return i
		}
	}
	return j.First(model.Map)
}

// space is what the maps of a node may still make: TrafficThreshold (eq. 3.3) less what those that run there
// are predicted to make.
func (n *mts) space(node model.NodeID) float64 {
	if !n.params.MTS || !n.params.Traffic {
		return math.Inf(1)
	}
	if of := (spaceOf{n.stamp(), node, n.average}); of != n.spaces.spaceOf {
		n.spaces.spaceOf, n.spaces.space = of, n.measure(node)
	}
	return n.spaces.space
}

// spaceOf is what the space of a node depends on.
type spaceOf struct {
	stamp
	node    model.NodeID
	average float64
}

// measure works the space of a node out.
func (n *mts) measure(node model.NodeID) float64 {
	space := float64(n.params.Limit)
	if space == 0 {
		space = n.containers(node) * n.average
	}
	if int(node) < len(n.running) {
		for _, j := range n.running[node] {
			space -= n.jobs.Of(j).each
		}
	}
	return max(space, 0)
}

// containers returns how many maps fit on a node.
func (n *mts) containers(node model.NodeID) float64 {
	most := math.Inf(1)
	for d, need := range n.least {
		if need > 0 {
			most = min(most, float64(n.env.Cluster.Nodes[node].Room[d])/float64(need))
		}
	}
	return math.Floor(most)
}

// shelve puts a job on the shelves of the nodes that hold its data, where the forecast says.
func (n *mts) shelve(j *cluster.Job, f forecast) {
	for _, node := range n.holders(j) {
		n.locals.put(node, n.sharer(j), f.predicted, local{f.each, j})
	}
}

// unshelve takes it from there.
func (n *mts) unshelve(j *cluster.Job, f forecast) {
	for _, node := range n.holders(j) {
		n.locals.take(node, n.sharer(j), f.predicted, local{f.each, j})
	}
}

// reshelve puts the job on the shelves of the nodes that hold one of its blocks, or of all.
func (n *mts) reshelve(j *cluster.Job, block int32) {
	nodes := n.holders(j)
	if nodes[0] >= 0 {
		nodes = n.env.Blocks.Index(j.ID, j.Total[model.Map]).Block(block)
	}
	f := n.jobs.Of(j)
	for _, node := range nodes {
		n.locals.put(node, n.sharer(j), f.predicted, local{f.each, j})
	}
}

// holders returns the nodes that hold data of the job, each at least once, or what stands in their place.
func (n *mts) holders(j *cluster.Job) []model.NodeID {
	if !n.placed(j) {
		return nodesAnywhere
	}
	index := n.env.Blocks.Index(j.ID, j.Total[model.Map])
	if index.Everywhere() {
		return nodesEverywhere
	}
	return index.Holders()
}

// choosing answers what a shelf asks about its jobs, for the offer in hand.
type choosing struct {
	local, wide, anywhere func(*cluster.Job) (ok, stale bool)
	wanted, allowed       func(*cluster.Job) bool // by wants, and by may alone
	stops                 func(*cluster.Job) bool // in a congested rack

	offer     *policy.Offer
	congested bool
	may       func(*cluster.Job, model.Kind) bool
}

func (c *choosing) of(n *mts, stops func(*cluster.Job) bool) {
	c.stops = stops
	gone := func(j *cluster.Job) bool { return j.Phase != cluster.Admitted || j.Pending(model.Map) == 0 }
	here := func(j *cluster.Job) bool {
		return n.env.Blocks.Index(j.ID, j.Total[model.Map]).OnNode(c.offer.Node, j.Started(model.Map)) >= 0
	}
	c.local = func(j *cluster.Job) (ok, stale bool) {
		if gone(j) || !here(j) {
			return false, true
		}
		return c.wants(j), false
	}
	c.wide = func(j *cluster.Job) (ok, stale bool) {
		if gone(j) {
			return false, true
		}
		return c.wants(j) && here(j), false
	}
	c.anywhere = func(j *cluster.Job) (ok, stale bool) {
		return c.wants(j), gone(j)
	}
	c.wanted = c.wants
	c.allowed = func(j *cluster.Job) bool { return c.may(j, model.Map) }
}

// wants reports whether the job may start a map from the offer: in a congested rack only if it is not stopped.
func (c *choosing) wants(j *cluster.Job) bool {
	return j.Wants(model.Map) > 0 && c.may(j, model.Map) && (!c.congested || !c.stops(j))
}

// looked returns those of a user's two lists that are looked at: in a congested rack the jobs that are not stopped.
func looked(c *choosing, lists [][]listing) [][]listing {
	if c.congested {
		return lists[:1]
	}
	return lists
}

// first returns the user's first job that may start a map, or nil.
func (c *choosing) first(u *nasUser) *cluster.Job {
	if c.congested {
		return first(u.mapping[0], c.wanted)
	}
	return u.mapping.first(c.wanted)
}

// delayed tells the offer that the user's maps wait for the rack to be relieved, if that is why, and returns when to ask
// again if the user is not skipped for ever.
func (n *mts) delayed(u *nasUser) (again model.Time) {
	c := &n.checked
	if !c.congested {
		return 0
	}
	j := first(u.mapping[1], c.allowed)
	if j == nil {
		return 0
	}
	r := refusal{job: j, limit: model.LimitCongestion}
	if n.params.Stop == "skips" {
		r.skips, r.count, r.wait = &u.maps, n.params.MapSkips, n.params.MapWait
	}
	return n.refuse(c.offer, r)
}
