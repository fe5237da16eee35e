// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
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
	fetched  float64 // bytes that reduces have got or are getting
}

// group is reduces of one job on one host that fetch together.
type group struct {
	job     model.JobID
	host    int32
	members []int32 // slots of the reduces
	fresh   bool    // nothing has been fetched: others may join
	open    int32   // fetches queued or under way
	flying  int32   // copies under way, of one reduce
	credit  int32   // copies that it has of output that was lost since
	fetches []fetch // by source
}

// fetch is what a group gets from one source.
type fetch struct {
	handle fluid.Handle // 0 if none is under way
	taken  int32        // maps whose output has been taken or is under way
	flying int32        // of these, under way or to be carried
	queued bool
	carry  float64 // bytes of an earlier activity that was stopped
	work   float64 // of the activity under way
}

// newShuffle prepares the shuffle of a job that is admitted.
func (s *sim) newShuffle(j *model.Job) *shuffle {
	sh := &shuffle{batch: max(1, ceilShare(float64(s.in.Config.Shuffle.Release), j.Maps))}
	if j.Maps > 0 && j.Shuffle > 0 {
		n := map[string]int{"map": int(j.Maps), "node": s.in.Topology.Hosts, "rack": s.in.Topology.Racks}[s.in.Config.Shuffle.Source]
		if s.phys.single {
			sh.hosts = make([]int32, n)
		}
		both := make([]int32, 2*n)
		sh.made, sh.released = both[:n:n], both[n:]
		sh.copy = float64(j.Shuffle) / float64(j.Maps) / float64(j.Reduces)
	}
	return sh
}

// mapMade adds the output of a map that ended on a node, and releases what has come together.
func (s *sim) mapMade(j *cluster.Job, index int32, node model.NodeID) {
	sh := s.jobs[j.ID].shuffle
	if sh == nil || sh.copy == 0 {
		return
	}
	source := s.host(node)
	if s.phys.byRack {
		source = int(s.in.Topology.Nodes[node].Rack)
	} else if s.phys.single {
		sh.hosts[index] = int32(source)
		source = int(index)
	}
	sh.made[source]++
	if sh.waiting++; sh.waiting < sh.batch && !j.MapsDone() {
		return
	}
	for i, n := range sh.made {
		if n > 0 {
			sh.released[i] += n
			sh.made[i] = 0
		}
	}
	sh.waiting = 0
	for _, g := range sh.groups {
		s.fetchAll(g, sh)
	}
}

// fetchAll queues a fetch from every source that has something for the group.
func (s *sim) fetchAll(id int32, sh *shuffle) {
	g := &s.phys.groups[id]
	limit := s.in.Config.Shuffle.Copies
	for source := range g.fetches {
		if s.phys.single && limit > 0 && g.open >= limit {
			return
		}
		f := &g.fetches[source]
		if sh.released[source] > f.taken && f.handle == 0 && !f.queued {
			f.queued = true
			g.open++
			s.phys.queue(fetchTag(id, int32(source)))
		}
	}
}

// join puts a reduce into the group of those that start now on its host, and makes one if there is none.
func (s *sim) join(now model.Time, slot int32) {
	p := s.phys
	a := &p.attempts[slot]
	host := s.host(a.node)
	j, sh := s.state.Job(a.task.Job), s.jobs[a.task.Job].shuffle
	id := p.open[host]
	if id == model.None || p.groups[id].job != j.ID || !p.groups[id].fresh || p.single {
		id = p.newGroup(j.ID, host, len(sh.released))
		sh.groups = append(sh.groups, id)
		p.open[host] = id
		if sh.copy > 0 {
			s.fetchAll(id, sh)
		}
	}
	p.groups[id].members = append(p.groups[id].members, slot)
	a.group = id
	if j.MapsDone() {
		s.shuffling(now, slot)
		if p.groups[id].open == 0 {
			s.gathered(now, id)
		}
	}
}

func (p *physical) newGroup(job model.JobID, host, sources int) int32 {
	var id int32
	if n := len(p.spare); n > 0 {
		id = p.spare[n-1]
		p.spare = p.spare[:n-1]
	} else {
		id = int32(len(p.groups))
		p.groups = append(p.groups, group{})
	}
	g := &p.groups[id]
	fetches := g.fetches
	if cap(fetches) < sources {
		fetches = make([]fetch, sources)
	}
	fetches = fetches[:sources]
	clear(fetches)
	*g = group{job: job, host: int32(host), members: g.members[:0], fresh: true, fetches: fetches}
	return id
}

// dropGroup forgets a group that has no members.
func (s *sim) dropGroup(id int32) {
	p := s.phys
	g := &p.groups[id]
	sh := s.jobs[g.job].shuffle
	at := slices.Index(sh.groups, id)
	last := len(sh.groups) - 1
	sh.groups[at] = sh.groups[last]
	sh.groups = sh.groups[:last]
	if p.open[g.host] == id {
		p.open[g.host] = model.None
	}
	g.job, g.fresh = model.None, false
	p.spare = append(p.spare, id)
}

// shuffling records that a reduce has nothing to wait for but its data.
func (s *sim) shuffling(now model.Time, slot int32) {
	a := &s.phys.attempts[slot]
	a.since = now
	s.record(now, record.TaskShuffling, a.task, a.node, a.number)
}

// mapsOver begins the tail of the shuffle: the job's last map has ended.
func (s *sim) mapsOver(now model.Time, j *cluster.Job) {
	p, sh := s.phys, s.jobs[j.ID].shuffle
	if sh == nil {
		return
	}
	for _, id := range sh.groups {
		for _, slot := range p.groups[id].members {
			s.shuffling(now, slot)
		}
	}
	for _, id := range slices.Clone(sh.groups) {
		if p.groups[id].open == 0 {
			s.gathered(now, id)
		}
	}
}

// gathered lets the reduces of a group go on: they have all their data.
func (s *sim) gathered(now model.Time, id int32) {
	p := s.phys
	members := slices.Clone(p.groups[id].members)
	s.dropGroup(id)
	for _, slot := range members {
		if s.failed != nil {
			return
		}
		a := &p.attempts[slot]
		a.group = model.None
		s.jobs[a.task.Job].computing++
		s.record(now, record.TaskComputing, a.task, a.node, a.number)
		s.proceed(now, slot)
	}
}

// fetch begins to carry to a group what a source has for it.
func (s *sim) fetch(now model.Time, tag uint64) {
	id, source := fetchOf(tag)
	p := s.phys
	g := &p.groups[id]
	f := &g.fetches[source]
	r := &s.jobs[g.job]
	sh := r.shuffle
	f.queued, g.fresh = false, false
	n := sh.released[source] - f.taken
	f.taken += n
	had := min(n, g.credit)
	g.credit -= had
	n -= had
	f.flying += n // beside those that carry stands for
	g.flying += f.flying
	reduces := float64(len(g.members))
	work := f.carry + float64(n)*sh.copy*reduces
	f.carry = 0
	sh.fetched += work
	spec := fluid.Spec{Tag: tag, Work: work, Weight: s.copies(g, f) * reduces, Streams: 1}
	p.uses = p.uses[:0]
	linked, cross := s.usePathFrom(sh, source, g.host)
	spec.Work *= linked
	if p.full {
		s.useShuffleDisks(sh, source, g, float64(s.in.Jobs[g.job].Shuffle)/float64(s.in.Jobs[g.job].Reduces), linked)
		spec.Work = work
	}
	spec.Uses = p.uses
	if spec.Work == 0 || len(spec.Uses) == 0 {
		s.ended(now, id, source)
		return
	}
	r.account(record.Shuffle, work*linked, work*linked*cross)
	f.handle, f.work = s.begin(now, spec), spec.Work
}

// copies returns how many of a fetch's copies one reduce has under way at a time.
func (s *sim) copies(g *group, f *fetch) float64 {
	n := float64(max(f.flying, 1))
	if s.phys.single {
		return 1
	}
	if limit := float64(s.in.Config.Shuffle.Copies); limit > 0 && float64(g.flying) > limit {
		n *= limit / float64(g.flying)
	}
	return n
}

// usePathFrom adds the links from a source to a host. It returns the share of the bytes that use them,
// and 1 if they cross racks: a rack's output is spread evenly over its hosts, so the receiving host has
// its part of its own rack's already.
func (s *sim) usePathFrom(sh *shuffle, source, host int32) (linked, cross float64) {
	p := s.phys
	rack := p.fabric.Rack(int(host))
	if !p.byRack {
		source = sh.host(source)
		if source == host {
			return 0, 0
		}
		p.uses = p.fabric.Path(p.uses, int(source), int(host))
		if p.fabric.Rack(int(source)) != rack {
			cross = 1
		}
		return 1, cross
	}
	if int(source) != rack {
		p.uses = p.fabric.FromRack(p.uses, int(source), int(host))
		return 1, 1
	}
	if p.inRack[rack] == 1 {
		return 0, 0
	}
	p.uses = p.fabric.FromRack(p.uses, int(source), int(host))
	return 1 - 1/float64(p.inRack[rack]), 0
}

// host returns the host of a source that is no rack.
func (sh *shuffle) host(source int32) int32 {
	if sh.hosts != nil {
		return sh.hosts[source]
	}
	return source
}

// useShuffleDisks adds the disks: where output was made, unless it is still in memory or made all over a
// rack, and where it goes, if the reduce's memory does not hold it. The links, added before, carry only
// the linked share of the bytes.
func (s *sim) useShuffleDisks(sh *shuffle, source int32, g *group, data, linked float64) {
	p, c := s.phys, &s.in.Config.Tasks
	for i := range p.uses {
		p.uses[i].Coefficient *= linked
	}
	if !p.byRack && (c.FileCache || !c.CachedOutput) {
		s.useDisk(int(sh.host(source)), s.rereads(int(sh.host(source))))
	}
	if data > float64(c.ReduceBuffer) {
		s.useDisk(int(g.host), 1)
	}
}

// fetched is called when a fetch has ended.
func (s *sim) fetched(now model.Time, d fluid.Done) {
	id, source := fetchOf(d.Tag)
	g := &s.phys.groups[id] // another group may have its place since, if it was dropped at this moment
	if g.job != model.None && int(source) < len(g.fetches) && g.fetches[source].handle == d.Handle {
		s.ended(now, id, source)
	}
}

// ended goes on with what was released meanwhile; a group that has everything goes on to compute.
func (s *sim) ended(now model.Time, id, source int32) {
	g := &s.phys.groups[id]
	f := &g.fetches[source]
	g.flying -= f.flying
	f.handle, f.flying = 0, 0
	g.open--
	sh := s.jobs[g.job].shuffle
	if s.phys.single {
		s.fetchAll(id, sh)
	} else if sh.released[source] > f.taken {
		f.queued = true
		g.open++
		s.phys.queue(fetchTag(id, source))
	}
	if g.open == 0 && s.state.Job(g.job).MapsDone() {
		s.gathered(now, id)
	}
}

// leave takes a killed reduce out of its group. The others go on with their part of what is under way.
func (s *sim) leave(now model.Time, slot int32) {
	p := s.phys
	id := p.attempts[slot].group
	g := &p.groups[id]
	before := float64(len(g.members))
	g.members = slices.DeleteFunc(g.members, func(m int32) bool { return m == slot })
	for source := range g.fetches {
		f := &g.fetches[source]
		if f.handle != 0 {
			s.stopFetch(now, id, int32(source))
			f.carry *= (before - 1) / before
			f.queued = true
			p.queue(fetchTag(id, int32(source)))
		}
	}
	if len(g.members) > 0 {
		return
	}
	for source := range g.fetches {
		if g.fetches[source].queued {
			p.unqueue(fetchTag(id, int32(source)))
		}
	}
	s.dropGroup(id)
}

// stopFetch stops what is under way from a source and keeps what was left of it.
func (s *sim) stopFetch(now model.Time, id, source int32) {
	p := s.phys
	g := &p.groups[id]
	f := &g.fetches[source]
	left := s.cancel(now, f.handle)
	p.uses = p.uses[:0]
	linked, cross := s.usePathFrom(s.jobs[g.job].shuffle, source, g.host)
	if p.full { // its work counts all bytes, also those that need no link
		s.jobs[g.job].account(record.Shuffle, -left*linked, -left*linked*cross)
	} else {
		s.jobs[g.job].account(record.Shuffle, -left, -left*cross)
		left /= linked
	}
	s.jobs[g.job].shuffle.fetched -= left
	g.flying -= f.flying
	f.handle, f.carry = 0, f.carry+left
}
