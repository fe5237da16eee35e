// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"fmt"

	"github.com/yardmaster/yardmaster/queue"
)

// Hold is what keeps an attempt from getting what it asks for.
type Hold uint8

// The holds.
const (
	NotHeld          Hold = iota // as far as is known: it waits for the heartbeat of a node
	HeldByRoom                   // the node that was looked at last has no room for it
	HeldByUser                   // its user is past the user limit
	HeldByQueue                  // the maximum of its queue
	HeldByParent                 // the maximum of a queue above
	HeldByLocality               // it waits for a better node
	HeldByMasters                // the limit on masters of its queue
	HeldByUserMaster             // the limit on masters of its user
	HeldByParallel               // max-parallel-apps
)

// holds notes what holds attempts back, for whoever listens. An attempt keeps its hold until a pass finds another, or it
// is given a container. A queue that is closed holds all attempts below it that are loose: those whose hold was noted since it was closed last.
// Each change is paid for by the pass that found it.
type holds struct {
	changed func(*Attempt) // nil: nobody listens
	loose   []int32        // attempts below a queue, by place in the tree
}

// OnHold lets f hear when something else holds an attempt back.
func (s *Scheduler) OnHold(f func(*Attempt)) { s.queues.holds.changed = f }

// Hold returns what holds the attempt back.
func (a *Attempt) Hold() Hold { return a.hold }

// hold notes what holds an attempt back.
func (qs *queues) hold(a *Attempt, h Hold) {
	if qs.holds.changed == nil {
		return
	}
	if !a.loose && a.activated {
		a.loose = true
		a.leaf.loose = append(a.leaf.loose, a)
		qs.loosen(a.leaf.at, 1)
	}
	qs.set(a, h)
}

func (qs *queues) set(a *Attempt, h Hold) {
	if a.hold != h {
		a.hold = h
		qs.holds.changed(a)
	}
}

func (qs *queues) loosen(at int, by int32) {
	for ; at >= 0; at = qs.tree.Queues[at].Parent {
		qs.holds.loose[at] += by
	}
}

// count counts the loose attempts of a tree that was built anew.
func (h *holds) count(qs *queues) {
	h.loose = make([]int32, len(qs.leaves))
	for at, l := range qs.leaves {
		if l != nil {
			qs.loosen(at, int32(len(l.loose)))
		}
	}
}

// shut notes that a queue is closed for all attempts below it.
func (qs *queues) shut(at int) {
	if qs.holds.changed == nil || qs.holds.loose[at] == 0 {
		return
	}
	l := qs.leaves[at]
	if l == nil {
		for _, c := range qs.tree.Queues[at].Children {
			qs.shut(c)
		}
		return
	}
	qs.loosen(at, -int32(len(l.loose)))
	by, list := qs.closedBy(at, queue.Resource{}), l.loose
	for _, a := range list {
		a.loose = false
	}
	l.loose = l.loose[:0]
	if by != l.shutBy {
		l.shutBy, list = by, l.active.list
	}
	for _, a := range list {
		if a.openKeys > 0 {
			qs.set(a, by)
		}
	}
}

// closedBy returns which maximum leaves no room below a leaf for so much more; for nothing more, which is reached. A maximum of all
// that there is bounds nothing: with what is reserved all of it is in use.
func (qs *queues) closedBy(at int, more queue.Resource) Hold {
	for h := HeldByQueue; at > 0; at, h = qs.tree.Queues[at].Parent, HeldByParent {
		q := &qs.tree.Queues[at]
		if full := !qs.tree.Fits(q.Used.Add(more), q.Max) || more == (queue.Resource{}) && !qs.tree.Less(q.Used, q.Max); full && q.Max != qs.tree.Cluster {
			return h
		}
	}
	return HeldByRoom
}

// Why says what holds the attempt back in the words of the release, with its numbers.
func (a *Attempt) Why() string {
	l := a.leaf
	q := l.queue()
	u := l.users.get(a.User)
	switch a.hold {
	case HeldByMasters, HeldByUserMaster:
		if l.settings.FairMasters {
			return fmt.Sprintf("maxAMShare of %s, %g, is %d MiB: masters take %d, this one asks for %d", q.Path, l.settings.MasterShare, l.masterLimit.Memory, l.masters.Memory, a.Master.Memory)
		}
		whose := "Queue"
		if a.hold == HeldByUserMaster {
			whose = "User"
		}
		return fmt.Sprintf("Application is added to the scheduler and is not yet activated. %s's AM resource limit exceeded. "+
			"AM Resource Request = %v; Queue Resource Limit for AM = %v; User AM Resource Limit of the queue = %v; Queue AM Resource Usage = %v; User AM Resource Usage = %v",
			whose, told(a.Master), told(l.masterLimit), told(l.limitUserMasters(u)), told(l.masters), told(u.masters))
	case HeldByUser:
		if u == nil {
			return ""
		}
		return fmt.Sprintf("User limit reached. User %s uses %v; User Limit = %v; active users = %d; Queue Usage = %v; Queue Capacity = %v",
			a.User, told(u.used), told(l.users.limit(u, q, &l.queues.tree.Scale, true)), l.users.activeCount, told(q.Used), told(q.Min))
	case HeldByQueue, HeldByParent:
		full := q
		for tree := &l.queues.tree; a.hold == HeldByParent && full.Parent > 0; {
			if full = &tree.Queues[full.Parent]; !tree.Fits(full.Used.Add(l.queues.settings.MinAlloc), full.Max) {
				break
			}
		}
		return fmt.Sprintf("Queue hit max-capacity limit. Queue %s uses %v; Maximum Capacity = %v", full.Path, told(full.Used), told(full.Max))
	case HeldByParallel:
		return "The application is not runnable: max-parallel-apps of its queue, of a queue above or of its user is reached"
	}
	return ""
}

// told writes an amount as the release does.
type told queue.Resource

func (t told) String() string { return fmt.Sprintf("<memory:%d, vCores:%d>", t.Memory, t.VCores) }
