// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
)

// Attempt is one attempt of an application, from its submission to its end.
type Attempt struct {
	App      int // number of the application, which is the order of arrival
	Number   int // of the attempt, from 1
	User     string
	Priority int
	Master   queue.Resource // size of its master

	Used, Pending queue.Resource

	leaf      *leaf
	start     int64
	runnable  bool // not held back by a bound on applications that run
	activated bool
	moved     bool // to be put into its place in the order
	hold      Hold
	loose     bool // in its leaf's list of those whose hold may change

	keys     []*asks // by priority
	openKeys int

	seenUsed, seenPending int64 // memory, when it was last put into its place

	live   []*Container // by number, nil where one has ended
	gone   int          // of live, nil
	fresh  []*Container // not yet taken over by the master
	serial int          // of the last container

	user     *user // as the leaf knew it last
	seenUser *user // when it was last looked at; nil before
}

// Queue returns the path of the attempt's queue.
func (a *Attempt) Queue() string { return a.leaf.queue().Path }

// Activated reports whether the attempt has passed the limits on masters.
func (a *Attempt) Activated() bool { return a.activated }

// Live returns the containers that the attempt has, by number. The slice is the attempt's own.
func (a *Attempt) Live() []*Container {
	if a.gone > 0 {
		a.live = slices.DeleteFunc(a.live, func(c *Container) bool { return c == nil })
		for i, c := range a.live {
			c.place = i
		}
		a.gone = 0
	}
	return a.live
}

// add adds a container, drop takes one out that has ended.
func (a *Attempt) add(c *Container) {
	c.place = len(a.live)
	a.live = append(a.live, c)
}

func (a *Attempt) drop(c *Container) {
	a.live[c.place] = nil
	if a.gone++; a.gone > 32 && a.gone > len(a.live)/2 {
		a.Live()
	}
}

func (a *Attempt) see() { a.seenUsed, a.seenPending = a.Used.Memory, a.Pending.Memory }

// Locality says how near to what was asked for a container is.
type Locality uint8

// The localities.
const (
	NodeLocal Locality = iota
	RackLocal
	OffSwitch
)

// String returns the locality as decisions are printed.
func (l Locality) String() string { return [...]string{"node", "rack", "any"}[l] }

// Container is room on a node that an attempt was given.
type Container struct {
	Attempt  *Attempt
	Node     *Node
	Number   int
	Priority int
	Size     queue.Resource
	Locality Locality
	Taken    bool // the master has heard of it
	Ended    bool

	place  int     // in the attempt's list
	strict [3]bool // at the node, its rack and anywhere: the asks that it was taken off, to give them back
}

// Node is a node of the cluster.
type Node struct {
	Name, Rack  string
	Total, Used queue.Resource
	Containers  []*Container // in the order in which they were given
}

// Free returns the room that nobody uses.
func (n *Node) Free() queue.Resource { return n.Total.Sub(n.Used) }

func dropContainer(list []*Container, c *Container) []*Container {
	if i := slices.Index(list, c); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// dropNumber does the same in a list by number.
func dropNumber(list []*Container, c *Container) []*Container {
	i, found := slices.BinarySearchFunc(list, c.Number, func(o *Container, n int) int { return cmp.Compare(o.Number, n) })
	if found {
		return slices.Delete(list, i, i+1)
	}
	return list
}
