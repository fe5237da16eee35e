// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"slices"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
)

// A shuffle has maps x reduces copies; as a rule none of them is an activity of its own. The output of a job's maps is
// added up by source, a host or a whole rack. Reduces of a job that start on a host at the same moment form
// a group and share their fate. When enough maps have ended their output is released: each group then has
// at most one activity under way for each source, which carries all copies that were released when it
// began, and its weight is the number of copies that would be under way. What is released meanwhile waits
// for it to end. So activities are at most groups x sources at a time, however many maps there are.
//
// With the source map nothing is added up: each copy is an activity, and a reduce has no more of them
// under way than parallel-copies. It shows, in small cases, what adding up costs in accuracy.

// shuffle is the map output of one job.
type shuffle struct {
	copy     float64 // bytes of one map's output for one reduce
	made     []int32 // maps that ended and were not released, by source
	released []int32 // maps that were released, by source
	waiting  int32   // sum of made
	batch    int32   // maps that make a release
	hosts    []int32 // where each map ran, with the source map
	groups   []int32
	over     []float64         // bytes for one reduce beyond its copies, by source (MRPERF); nil if there are none
	fetched  float64           // bytes that reduces have got or are getting
	beyond   float64           // bytes beyond their shares that were made for the reduces which have all (MRPERF)
	between  *network.Exchange // nil if nobody asks what goes from rack to rack
}

// shuffles carries the map output of all jobs to their reduces.
type shuffles struct {
	*ground
	*flows
	*works
	carriage
	groups
	full   bool
	single bool                // map output is not added up
	late   bool                // ends are taken that came before the event under way
	keeper *network.Gatekeeper // nil if nobody asks what goes from rack to rack
	// gathered lets a reduce go on that has all its data.
	gathered func(now model.Time, work int32)
	// catchUp takes ends that waited for the tick.
	catchUp func(now model.Time)
}

// of returns the shuffle of a job with reduces.
func (s *shuffles) of(w *jobWork) *shuffle {
	if w.shuffle == nil {
		j := w.spec
		sh := &shuffle{batch: max(1, s.Config.Shuffle.Release.CeilOf(j.Maps))}
		if j.Maps > 0 && j.Shuffle > 0 {
			n := map[string]int{"map": int(j.Maps), "node": s.Topology.Hosts, "rack": s.Topology.Racks}[s.Config.Shuffle.Source]
			if s.single {
				sh.hosts = make([]int32, n)
			}
			both := make([]int32, 2*n)
			sh.made, sh.released = both[:n:n], both[n:]
			sh.copy = float64(j.Shuffle) / float64(j.Maps) / float64(j.Reduces)
			if s.keeper != nil {
				sh.between = s.keeper.Exchange(w.job, sh.copy)
			}
		}
		w.shuffle = sh
	}
	return w.shuffle
}

// source returns the number of the source that a node's output counts for, or that of a map's.
func (s *shuffles) source(node model.NodeID, index int32) int32 {
	switch {
	case s.byRack:
		return int32(s.Topology.Nodes[node].Rack)
	case s.single:
		return index
	}
	return int32(s.Host(node))
}

// mapEnded adds the output of a map that ended on a node, and releases what has come together.
func (s *shuffles) mapEnded(now model.Time, w *jobWork, index int32, node model.NodeID) {
	if w.spec.Reduces == 0 {
		return
	}
	sh := s.of(w)
	if sh.copy == 0 {
		return
	}
	if s.single {
		sh.hosts[index] = int32(s.Host(node))
	}
	sh.made[s.source(node, index)]++
	if sh.waiting++; sh.waiting < sh.batch && !w.job.MapsDone() {
		return
	}
	s.catchUp(now)
	for i, n := range sh.made {
		if n > 0 {
			sh.released[i] += n
			sh.made[i] = 0
		}
	}
	sh.waiting = 0
	for _, g := range sh.groups {
		s.fetchAll(now, g, sh)
	}
	s.keeper.Stir(sh.between)
}

// exceed adds what a map has made on its node beyond its share of the job's output.
func (s *shuffles) exceed(w *work) {
	sh := s.of(w.job)
	if sh.over == nil {
		sh.over = make([]float64, len(sh.made))
	}
	sh.over[s.source(w.node, w.task.Index)] += w.over / float64(w.job.spec.Reduces)
	w.job.excess += w.over
}

// fetchAll queues a fetch from every source that has something for the group.
func (s *shuffles) fetchAll(now model.Time, id int32, sh *shuffle) {
	g := s.group(id)
	limit := s.Config.Shuffle.Copies
	for source := range g.fetches {
		if s.single && limit > 0 && g.open >= limit {
			return
		}
		f := &g.fetches[source]
		if sh.released[source] > f.taken && f.handle == 0 && !f.queued && !f.held {
			f.queued = true
			g.open++
			s.queue(now, fetchTag(id, int32(source)))
		}
	}
}

// join puts a reduce into the group of those that start now on its host, and makes one if there is none.
func (s *shuffles) join(now model.Time, i int32) {
	w := &s.list[i]
	host := s.Host(w.node)
	j, sh := w.job, s.of(w.job)
	id := s.open[host]
	if id == none || s.group(id).job != j || !s.group(id).fresh || s.single {
		id = s.groups.add(j, host, len(sh.released))
		sh.groups = append(sh.groups, id)
		if sh.copy > 0 {
			s.fetchAll(now, id, sh)
		}
	}
	g := s.group(id)
	g.members = append(g.members, i)
	w.group = id
	if j.job.MapsDone() {
		s.shuffling(now, w.id)
		s.gatherIfDone(now, id)
	}
}

// drop forgets a group that has no members.
func (s *shuffles) drop(id int32) {
	sh := s.group(id).job.shuffle
	at := slices.Index(sh.groups, id)
	last := len(sh.groups) - 1
	sh.groups[at] = sh.groups[last]
	sh.groups = sh.groups[:last]
	s.groups.remove(id)
}

// mapsOver begins the tail of the shuffle: the job's last map has ended.
func (s *shuffles) mapsOver(now model.Time, w *jobWork) {
	if w.spec.Reduces == 0 {
		return
	}
	sh := s.of(w)
	s.solver.Hush.Off = true // what a group fetches may be its last from now on
	s.keeper.Stir(sh.between)
	for _, id := range sh.groups {
		for _, i := range s.group(id).members {
			s.shuffling(now, s.list[i].id)
		}
	}
	for _, id := range slices.Clone(sh.groups) {
		s.gatherIfDone(now, id)
	}
}

// gatherIfDone lets the reduces of a group go on if they are busy with nothing and no map is left.
func (s *shuffles) gatherIfDone(now model.Time, id int32) {
	if g := s.group(id); !g.busy() && g.job.job.MapsDone() {
		s.gather(now, id)
	}
}

// gather lets the reduces of a group go on: they have all their data.
func (s *shuffles) gather(now model.Time, id int32) {
	g := s.group(id)
	members := slices.Clone(g.members)
	held, over := g.held/float64(len(members)), g.job.excess/float64(g.job.spec.Reduces)
	g.job.shuffle.beyond += over * float64(len(members))
	s.drop(id)
	for _, i := range members {
		if s.flows.err != nil {
			return
		}
		s.list[i].held, s.list[i].over = held, over
		s.gathered(now, i)
	}
}

// begin begins to carry to a group what a source has for it.
func (s *shuffles) begin(now model.Time, t tag) {
	id, source := t.fetch()
	if source == ownDisk {
		beginWrite(s, now, t)
		return
	}
	g := s.group(id)
	f, w := &g.fetches[source], g.job
	sh := w.shuffle
	f.queued = false
	from, to := s.rackOf(sh, source), s.Fabric.Rack(int(g.host))
	if f.held = !g.sends(source) && sh.between != nil && s.keeper.Holds(now, sh.between, from, to); f.held {
		return
	}
	g.fresh = false
	var amount float64
	if g.sends(source) {
		amount = g.acts[source].bytes
	} else if amount = sh.claim(g, source); s.apart && readFirst(s, now, t, amount) {
		return
	}
	spec := fluid.Spec{Work: amount, Weight: s.copies(g, f) * float64(len(g.members)), Streams: 1, Kind: s.note(g.host, source)}
	spec.Sole = !s.single && !s.full && s.optics == nil // else others may use the same links, or the same fetch other ones
	s.Needs.Reset()
	f.large = s.optics != nil && from != to && (f.large || s.optics.circuits.Elephant(sh.between, from, to)) // a map's output may be made anew in another rack
	linked, cross := s.usePathFrom(sh, source, g.host, f.large)
	spec.Work *= linked
	switch {
	case s.apart:
		spec.Cap = costs.ConnectionRate * spec.Weight
	case s.full:
		s.useDisks(sh, source, g, linked)
		spec.Work = amount
	}
	spec.Uses = s.Uses
	if spec.Work == 0 || len(spec.Uses) == 0 {
		s.ended(now, now, id, source)
		return
	}
	s.send(w, from, to, amount*linked, cross, f.large)
	f.handle, f.work = s.flows.begin(now, t, spec), spec.Work
	if f.large {
		s.optics.circuits.Begin(now, from, to, f.handle, amount)
	}
}

// claim takes for a group what a source has for it and nobody carries yet, and returns the bytes.
func (sh *shuffle) claim(g *group, source int32) (bytes float64) {
	f, reduces := &g.fetches[source], float64(len(g.members))
	n := sh.released[source] - f.taken
	f.taken += n
	had := min(n, g.credit)
	g.credit -= had
	n -= had
	f.flying += n // beside those that carry stands for
	g.flying += f.flying
	bytes = f.carry + float64(n)*sh.copy*reduces
	f.carry = 0
	if sh.over != nil {
		bytes += g.claimOver(source, sh.over[source]) * reduces
	}
	sh.fetched += bytes
	return bytes
}

// copies returns how many of a fetch's copies one reduce has under way at a time.
func (s *shuffles) copies(g *group, f *fetch) float64 {
	n := float64(max(f.flying, 1))
	if s.single {
		return 1
	}
	if limit := float64(s.Config.Shuffle.Copies); limit > 0 && float64(g.flying) > limit {
		n *= limit / float64(g.flying)
	}
	return n
}

// quiet reports whether the end of an activity can wait for the tick: it is a fetch, and its group has others to wait for, or
// maps. It is asked in order of the ends when these are certain.
func (s *shuffles) quiet(tagged uint64) bool {
	t := tag(tagged)
	if !t.isFetch() || len(s.flows.done) > 0 {
		return false
	}
	id, _ := t.fetch()
	g := s.group(id)
	if !g.job.job.MapsDone() {
		return true
	}
	if g.round != s.refreshes {
		g.round, g.ending = s.refreshes, 0
	}
	g.ending++
	return g.ending < g.open
}

// done is called when the activity of a fetch has ended: at a time that may be before now, if it waited to be taken.
func (s *shuffles) done(now, at model.Time, t tag, h fluid.Handle) {
	id, source := t.fetch()
	if source == ownDisk {
		written(s, now, id, h)
		return
	}
	g, f := s.group(id), s.fetch(t) // another group may have its place since, if it was dropped at this moment
	if g.job == nil || f == nil || f.handle != h {
		return
	}
	if s.apart && !g.acts[source].read {
		f.handle, f.queued, g.acts[source].read = 0, true, true
		s.queue(now, t)
		return
	}
	s.ended(now, at, id, source)
}

// ended goes on with what was released meanwhile; a group that has everything goes on to compute.
func (s *shuffles) ended(now, at model.Time, id, source int32) {
	g := s.group(id)
	f := &g.fetches[source]
	sh := g.job.shuffle
	if f.large && f.handle != 0 {
		s.optics.circuits.End(now, s.rackOf(sh, source), s.Fabric.Rack(int(g.host)), 0)
	}
	g.flying -= f.flying
	f.handle, f.flying = 0, 0
	g.open--
	if s.apart {
		g.acts[source].read, g.acts[source].coming = false, 0
		hold(s, now, id, g.acts[source].bytes)
	}
	if s.single {
		s.fetchAll(at, id, sh)
	} else if sh.released[source] > f.taken {
		f.queued = true
		g.open++
		s.queue(at, fetchTag(id, source))
	}
	if !s.late { // else the maps were not over then
		s.gatherIfDone(now, id)
	}
}
