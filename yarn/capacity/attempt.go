// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"iter"
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

	oldest, youngest *Container   // of the live ones
	fresh            []*Container // not yet taken over by the master
	serial           int          // of the last container

	user     *user // as the leaf knew it last
	seenUser *user // when it was last looked at; nil before
}

// Queue returns the path of the attempt's queue.
func (a *Attempt) Queue() string { return a.leaf.queue().Path }

// Activated reports whether the attempt has passed the limits on masters.
func (a *Attempt) Activated() bool { return a.activated }

// Live goes through the containers that the attempt has, by number. The one at hand may be ended.
func (a *Attempt) Live() iter.Seq[*Container] {
	return func(yield func(*Container) bool) {
		for c := a.oldest; c != nil; {
			next := c.next
			if !yield(c) {
				return
			}
			c = next
		}
	}
}

// Container returns the live container of a number, nil if there is none. Young ones are found first.
func (a *Attempt) Container(number int) *Container {
	c := a.youngest
	for c != nil && c.Number > number {
		c = c.previous
	}
	if c != nil && c.Number < number {
		return nil
	}
	return c
}

// add adds a container, drop takes one out that has ended.
func (a *Attempt) add(c *Container) {
	c.previous = a.youngest
	if a.youngest != nil {
		a.youngest.next = c
	} else {
		a.oldest = c
	}
	a.youngest = c
}

func (a *Attempt) drop(c *Container) {
	if c.previous != nil {
		c.previous.next = c.next
	} else {
		a.oldest = c.next
	}
	if c.next != nil {
		c.next.previous = c.previous
	} else {
		a.youngest = c.previous
	}
	c.previous, c.next = nil, nil
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

	strict         [3]bool    // at the node, its rack and anywhere: the asks that it was taken off, to give them back
	previous, next *Container // of the attempt
}

// stock is room for containers to come. Memory is taken for many at once.
type stock struct {
	slab  []Container
	spare []*Container // to be used again
}

// Recycle lets a container that has ended be used again. Nobody may have it any more.
func (s *stock) Recycle(c *Container) { s.spare = append(s.spare, c) }

// next returns room for a container; what is in it does not count.
func (s *stock) next() *Container {
	if last := len(s.spare) - 1; last >= 0 {
		c := s.spare[last]
		s.spare = s.spare[:last]
		return c
	}
	if len(s.slab) == 0 {
		s.slab = make([]Container, 64)
	}
	c := &s.slab[0]
	s.slab = s.slab[1:]
	return c
}

// Node is a node of the cluster.
type Node struct {
	Number      int // as whoever drives the scheduler counts
	Name, Rack  string
	Total, Used queue.Resource
	Containers  []*Container // in the order in which they were given

	at [3]Place // by locality
}

// Free returns the room that nobody uses.
func (n *Node) Free() queue.Resource { return n.Total.Sub(n.Used) }

// dropContainer takes a container out of a list. The place behind the last is left as it is: it is used again.
func dropContainer(list []*Container, c *Container) []*Container {
	for i := range list {
		if list[i] == c {
			last := len(list) - 1
			for ; i < last; i++ {
				list[i] = list[i+1]
			}
			return list[:last]
		}
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
