// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"iter"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
)

// Attempt is one attempt of an application, from its submission to its end.
type Attempt struct {
	App      int // number of the application, which is the order of arrival
	Number   int // of the attempt, from 1
	User     string
	Priority int
	Master   queue.Resource // size of its master

	Used, Pending, Reserved queue.Resource

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

	containers []*Container // all that were given, by number from 1; nil once they have ended, and while they are reserved
	fresh      []*Container // those that the master was not told of
	given      bool         // it was given a container, the first being its master's
	live, most int          // containers that it has, and had at the most

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
		for _, c := range a.containers {
			if c != nil && !yield(c) {
				return
			}
		}
	}
}

// MasterContainer returns the container of the attempt's master, nil if it has none or has ended. Its number is 1 unless it
// was reserved on other nodes before.
func (a *Attempt) MasterContainer() *Container {
	for c := range a.Live() {
		if c.Master {
			return c
		}
	}
	return nil
}

// Container returns the live container of a number, nil if there is none.
func (a *Attempt) Container(number int) *Container {
	if number < 1 || number > len(a.containers) {
		return nil
	}
	return a.containers[number-1]
}

func (a *Attempt) see() { a.seenUsed, a.seenPending = a.Used.Memory, a.Pending.Memory }

// number gives a container the next number. The list doubles as it grows.
func (a *Attempt) number(c *Container) {
	if n := len(a.containers); n == cap(a.containers) {
		a.containers = slices.Grow(a.containers, max(n, 8))
	}
	a.containers = append(a.containers, nil)
	c.Number = int32(len(a.containers))
}

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

// Container is room on a node that an attempt was given. It has 64 bytes, a line of a processor's cache: there are
// thousands of them, and each is looked at a few times with long pauses.
type Container struct {
	Attempt  *Attempt
	Node     *Node
	Size     queue.Resource
	Number   int32
	Priority int32
	Locality Locality
	Taken    bool // the master has heard of it
	Ended    bool

	Master bool    // it is the first that the attempt was given
	strict [3]bool // at the node, its rack and anywhere: the asks that it was taken off, to give them back

	// Launched says that the process of Task has started. The master decides about both; the scheduler leaves them alone.
	Launched bool
	Task     model.Task // of no job while there is none
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

	at       [3]Place   // by locality
	reserved *Container // that it is kept for
	hash     uint32
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
