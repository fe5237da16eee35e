// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"strings"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// queues is the tree of queues with what its leaves hold.
type queues struct {
	settings *settings.Scheduler
	tree     queue.Tree
	leaves   []*leaf // by place in the tree, nil for parents
	byPath   map[string]int
	byName   map[string]int // leaves by short name, -1 if several have it
	depth    int            // levels of the tree
	apps     int            // applications of all leaves

	activated func(*Attempt) // is told of activations; may be nil
	holds     holds
}

// build makes the tree of the settings. What is used and asked for, applications and users of queues that
// were there before stay with them.
func (qs *queues) build(settings *settings.Scheduler) {
	old := *qs
	qs.settings = settings
	qs.tree = queue.Tree{
		Scale:   queue.Scale{Calculator: settings.Calculator, Cluster: old.tree.Cluster, Step: settings.MinAlloc},
		Queues:  make([]queue.Queue, len(settings.Queues)),
		Vectors: settings.Vectors,
	}
	qs.leaves = make([]*leaf, len(settings.Queues))
	qs.byPath, qs.byName = map[string]int{}, map[string]int{}
	for i := range settings.Queues {
		set := &settings.Queues[i]
		q := &qs.tree.Queues[i]
		if at, ok := old.byPath[set.Path]; ok {
			*q = old.tree.Queues[at]
			qs.leaves[i] = old.leaves[at]
		}
		q.Path, q.Parent, q.Children = set.Path, set.Parent, nil
		q.Capacity, q.Maximum, q.Priority, q.ByPriority = set.Capacity, set.Maximum, set.Priority, set.ByPriority
		qs.byPath[q.Path] = i
		qs.depth = max(qs.depth, strings.Count(q.Path, ".")+1)
		if q.Parent >= 0 {
			parent := &qs.tree.Queues[q.Parent]
			parent.Children = append(parent.Children, i)
		}
	}
	for i := range settings.Queues {
		set := &settings.Queues[i]
		if !set.Leaf {
			qs.leaves[i] = nil
			continue
		}
		if qs.leaves[i] == nil {
			qs.leaves[i] = &leaf{queues: qs, users: newUsers()}
		}
		qs.leaves[i].at = i
		qs.leaves[i].configure(set)
		qs.name(set.Path, i)
	}
	qs.holds.count(qs)
}

// keeps refuses settings under which a queue that is in use would go or become a parent.
func (qs *queues) keeps(changed *settings.Scheduler) error {
	at := map[string]int{}
	for i := range changed.Queues {
		at[changed.Queues[i].Path] = i
	}
	for i := range qs.settings.Queues {
		old := &qs.settings.Queues[i]
		busy := qs.sum(i, (*leaf).apps) > 0
		now, there := at[old.Path]
		switch {
		case !there && (!old.Stopped || busy):
			return &settings.Fault{Property: settings.Prefix + old.Path + ".state", Kind: "IOException", Text: old.Path + " cannot be deleted from the capacity scheduler configuration: it is not stopped"}
		case there && old.Leaf && !changed.Queues[now].Leaf && (busy || !old.Stopped && !changed.Queues[now].Stopped):
			return &settings.Fault{Property: settings.Prefix + old.Path + ".queues", Kind: "IOException", Text: "Can not convert the leaf queue: " + old.Path + " to parent queue since it is not stopped"}
		}
	}
	return nil
}

func (qs *queues) name(path string, at int) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	if _, twice := qs.byName[name]; twice {
		at = -1
	}
	qs.byName[name] = at
}

// rehash puts the children of every queue in the order of the release's table of them, where they stand after
// a refresh.
func (qs *queues) rehash() {
	for i := range qs.tree.Queues {
		children := qs.tree.Queues[i].Children
		names := make([]string, len(children))
		for j, c := range children {
			names[j] = qs.tree.Queues[c].Path
		}
		var table hashed
		table.names(names)
		for j, name := range names {
			children[j] = qs.byPath[name]
		}
	}
}

// resize works out every limit for a cluster, the root first.
func (qs *queues) resize(cluster queue.Resource) {
	qs.tree.Resize(cluster)
	qs.hand(0, cluster)
}

// hand gives a queue the limit that it works its own out with.
func (qs *queues) hand(at int, limit queue.Resource) {
	if l := qs.leaves[at]; l != nil {
		l.resize(limit)
		return
	}
	q := &qs.tree.Queues[at]
	for _, c := range q.Children {
		qs.hand(c, qs.tree.Room(q, &qs.tree.Queues[c], limit, queue.Resource{}))
	}
}

// sum adds up a number of the leaves below a queue.
func (qs *queues) sum(at int, of func(*leaf) int) int {
	if l := qs.leaves[at]; l != nil {
		return of(l)
	}
	n := 0
	for _, c := range qs.tree.Queues[at].Children {
		n += qs.sum(c, of)
	}
	return n
}

// within reports whether a leaf and its ancestors stay within their maxima with another container.
func (qs *queues) within(at int, size queue.Resource) bool {
	for ; at >= 0; at = qs.tree.Queues[at].Parent {
		q := &qs.tree.Queues[at]
		if !qs.tree.Fits(q.Used.Add(size), q.Max) {
			return false
		}
	}
	return true
}
