// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"slices"

	"github.com/yardmaster/yardmaster/fluid"
)

// group is reduces of one job on one host that fetch together.
type group struct {
	job     *jobWork // nil for a free place
	host    int32
	members []int32 // works of the reduces
	fresh   bool    // nothing has been fetched: others may join
	open    int32   // fetches queued or under way
	flying  int32   // copies under way, of one reduce
	ending  int32   // fetches that are certain to end
	round   int64   // after this refresh
	credit  int32   // copies that it has of output that was lost since
	fetches []fetch // by source
	acts    []act   // by source; nil unless fetches are those of MRPERF
	held    float64 // bytes that MRPERF's reduces have fetched and not begun to write
	writes  bool    // that is queued
	writing fluid.Handle
}

// busy reports whether the group fetches or writes what it has fetched.
func (g *group) busy() bool { return g.open > 0 || g.writes || g.writing != 0 }

// fetch is what a group gets from one source.
type fetch struct {
	handle fluid.Handle // 0 if none is under way
	taken  int32        // maps whose output has been taken or is under way
	flying int32        // of these, under way or to be carried
	kind   int32        // the solver's note on it
	queued bool
	held   bool    // until the gate opens
	large  bool    // an elephant: it goes over circuits
	carry  float64 // bytes of an earlier activity that was stopped
	work   float64 // of the activity under way
}

// act is how far a fetch of MRPERF's has come, which reads before it sends.
type act struct {
	read  bool    // it has been read and is to be sent, or is being sent
	bytes float64 // that were claimed
	over  float64 // bytes of one reduce beyond its copies, of those that were taken
}

// groups is a flat array of groups with a free list.
type groups struct {
	apart bool // reading, sending and writing are acts of their own (MRPERF)
	all   []group
	spare []int32
	open  []int32 // by host: the group that reduces starting now may join, none if there is none
	last  []int32 // by host: the last group that was made there
}

func newGroups(hosts int, apart bool) groups {
	g := groups{apart: apart, open: make([]int32, hosts), last: make([]int32, hosts)}
	for h := range g.open {
		g.open[h], g.last[h] = none, none
	}
	return g
}

// group returns a group, valid until the next add.
func (p *groups) group(id int32) *group { return &p.all[id] }

// warm reads ahead what the ends of fetches will change: it adds up what it reads, so that it is read.
func (p *groups) warm(ends []fluid.Done) (touched int32) {
	for i := range ends {
		if f := p.fetch(tag(ends[i].Tag)); f != nil {
			touched += f.taken
		}
	}
	return touched
}

// kinds appends what the solver has noted of fetches.
func (p *groups) kinds(list []tag, to []int32) []int32 {
	for _, t := range list {
		if f := p.fetch(t); f != nil {
			to = append(to, f.kind)
		}
	}
	return to
}

// fetch returns the fetch that a tag names, nil if it is for something else.
func (p *groups) fetch(t tag) *fetch {
	if !t.isFetch() {
		return nil
	}
	id, source := t.fetch()
	if g := p.group(id); source >= 0 && int(source) < len(g.fetches) {
		return &g.fetches[source]
	}
	return nil
}

// add makes a group that reduces which start now on the host may join.
func (p *groups) add(job *jobWork, host, sources int) int32 {
	var id int32
	if n := len(p.spare); n > 0 {
		id = p.spare[n-1]
		p.spare = p.spare[:n-1]
	} else {
		id = int32(len(p.all))
		p.all = append(p.all, group{})
	}
	g := &p.all[id]
	*g = group{job: job, host: int32(host), members: g.members[:0], fresh: true, fetches: slices.Grow(g.fetches[:0], sources)[:sources], acts: g.acts}
	p.inherit(g)
	p.last[host] = id
	if p.apart {
		g.acts = slices.Grow(g.acts[:0], sources)[:sources]
		clear(g.acts)
	}
	p.open[host] = id
	return id
}

// inherit gives a new group fetches with the notes on those of the last group on its host, which came by the same links. They
// are no more than hints, so it does not matter whose fetches stand there by now.
func (p *groups) inherit(g *group) {
	var last []fetch
	if l := p.last[g.host]; l != none && len(p.all[l].fetches) == len(g.fetches) {
		last = p.all[l].fetches
	}
	for i := range g.fetches {
		kind := int32(0)
		if last != nil {
			kind = last[i].kind
		}
		g.fetches[i] = fetch{kind: kind}
	}
}

// remove forgets a group.
func (p *groups) remove(id int32) {
	g := &p.all[id]
	if p.open[g.host] == id {
		p.open[g.host] = none
	}
	g.job, g.fresh = nil, false
	p.spare = append(p.spare, id)
}
