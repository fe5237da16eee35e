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
	beyond  float64 // bytes of one reduce beyond its copies that it has of such output
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
	queued bool
	held   bool    // until the gate opens
	large  bool    // an elephant: it goes over circuits
	carry  float64 // bytes of an earlier activity that was stopped
	work   float64 // of the activity under way
}

// act is how far a fetch of MRPERF's has come, which reads before it sends.
type act struct {
	read   bool    // it has been read and is to be sent, or is being sent
	bytes  float64 // that were claimed
	over   float64 // bytes of one reduce beyond its copies, of those that were taken
	coming float64 // of these, under way or to be carried
}

// groups is a flat array of groups with a free list.
type groups struct {
	apart bool // reading, sending and writing are acts of their own (MRPERF)
	all   []group
	spare []int32
	open  []int32   // by host: the group that reduces starting now may join, none if there is none
	notes [][]int32 // by host and source: the solver's, on what a fetch uses; none where nothing was fetched yet
}

func newGroups(hosts int, apart bool) groups {
	g := groups{apart: apart, open: make([]int32, hosts), notes: make([][]int32, hosts)}
	for h := range g.open {
		g.open[h] = none
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

// kinds appends what the solver has noted of fetches that will begin, and reads these ahead like warm.
func (p *groups) kinds(list []tag, to []int32) (kinds []int32, touched int32) {
	for _, t := range list {
		if f := p.fetch(t); f != nil {
			id, source := t.fetch()
			to = append(to, *p.note(p.group(id).host, source))
			touched += f.taken
		}
	}
	return to, touched
}

// note is where the solver keeps what it knows of fetches from a source to a host.
func (p *groups) note(host, source int32) *int32 {
	row := p.notes[host]
	if int(source) >= len(row) {
		row = append(row, make([]int32, int(source)+1-len(row))...)
		p.notes[host] = row
	}
	return &row[source]
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
	clear(g.fetches)
	if p.apart {
		g.acts = slices.Grow(g.acts[:0], sources)[:sources]
		clear(g.acts)
	}
	p.open[host] = id
	return id
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
