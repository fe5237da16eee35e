// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// leaf is a queue that takes applications.
type leaf struct {
	queues   *queues
	at       int // place in the tree
	settings *settings.Queue
	users    *users

	waiting order // to be activated
	active  order
	held    []*Attempt // by a bound on applications that run, in order of submission
	loose   []*Attempt // their holds were noted since the leaf was closed last
	shutBy  Hold       // what closed the leaf last

	handed  queue.Resource // limit handed down at the last pass, within the maximum
	present queue.Resource // the same, when an application was last looked at

	masters     queue.Resource // used by masters of activated applications
	masterLimit queue.Resource
	least       queue.Resource // of each component, at most what the masters of waiting applications take
	counted     int            // its applications among those of all leaves
	maxApps     int
	userApps    int // most applications of one user
}

func (l *leaf) queue() *queue.Queue { return &l.queues.tree.Queues[l.at] }

// apps returns how many applications the leaf has.
func (l *leaf) apps() int { return len(l.waiting.list) + len(l.active.list) + len(l.held) }

// count lets the number of all applications follow that of the leaf.
func (l *leaf) count() {
	l.queues.apps += l.apps() - l.counted
	l.counted = l.apps()
}

// configure takes over settings.
func (l *leaf) configure(settings *settings.Queue) {
	l.settings = settings
	l.users.rules = settings.Users
	l.users.reweigh(settings.Weights)
	l.active.become(settings.Fair, settings.BySize)
	l.handed = l.queues.tree.Cluster
	l.present = l.handed
	l.boundApps()
}

// boundApps works out how many applications the leaf and one user may have.
func (l *leaf) boundApps() {
	set, all := l.settings, l.queues.settings
	l.maxApps = set.MaxApps
	if l.maxApps < 0 {
		l.maxApps = all.MaxApps
		if all.QueueMaxApps > 0 {
			l.maxApps = min(all.QueueMaxApps, all.MaxApps)
		}
		if all.QueueMaxApps <= 0 || set.Capacity.Uniform(queue.Absolute) {
			l.maxApps = max(-1, whole(float32(l.maxApps)*l.queue().AbsCapacity))
		}
	}
	l.userApps = l.maxApps
	if set.Users.Factor != queue.Unbounded {
		l.userApps = min(l.maxApps, whole(float32(l.maxApps)*(set.Users.Percent/100)*set.Users.Factor))
	}
}

// whole cuts a number off as Java does: what is no number is 0, and what is too large or too small is the largest or the
// smallest number of 32 bits.
func whole(f float32) int {
	switch {
	case f >= math.MaxInt32: // 2^31 as a float32
		return math.MaxInt32
	case f >= math.MinInt32:
		return int(f)
	case f < math.MinInt32:
		return math.MinInt32
	}
	return 0
}

// hand notes the limit handed down by the parent.
func (l *leaf) hand(limit queue.Resource) {
	t := &l.queues.tree
	l.handed = t.Min(t.Floor(l.queue().Max), limit)
}

// resize takes over a changed cluster or changed settings. limit is handed down by the parent.
func (l *leaf) resize(limit queue.Resource) {
	l.boundApps()
	l.hand(limit)
	l.present = l.handed
	l.users.resize(&l.queues.tree.Scale)
	l.activate()
	l.users.changed()
	for _, a := range l.active.list {
		l.look(a)
		l.queues.hold(a, NotHeld)
	}
}

// owner returns an attempt's user, nil if the leaf has forgotten it.
func (l *leaf) owner(a *Attempt) *user {
	if a.user == nil || a.user.gone {
		a.user = l.users.get(a.User)
	}
	return a.user
}

// known returns an attempt's user, who is known from now on.
func (l *leaf) known(a *Attempt) *user {
	if l.owner(a) == nil {
		a.user = l.users.ensure(a.User)
	}
	return a.user
}

// look returns the limit of an attempt's user, and lets the attempt know its headroom from now on. A user that
// the leaf has forgotten has no limit, and nothing happens.
func (l *leaf) look(a *Attempt) queue.Resource {
	if u := l.owner(a); u != nil {
		return l.lookAs(a, u)
	}
	return queue.Resource{}
}

func (l *leaf) lookAs(a *Attempt, u *user) queue.Resource {
	a.seenUser = u
	l.present = l.handed
	return l.users.limit(u, l.queue(), &l.queues.tree.Scale, true)
}

// submit adds an attempt.
func (l *leaf) submit(a *Attempt) {
	defer l.count()
	u := l.users.ensure(a.User)
	if !a.runnable {
		l.held = append(l.held, a)
		l.queues.hold(a, HeldByParallel)
		return
	}
	l.users.change(u, 0, 1)
	l.waiting.add(a)
	if len(l.waiting.list) == 1 {
		l.least = a.Master
	}
	l.least = l.least.Least(a.Master)
	if l.queues.tree.Some(l.queues.tree.Cluster) {
		l.activate()
	}
	if !a.activated && a.hold == NotHeld { // no master fits, so none was looked at
		l.queues.hold(a, HeldByMasters)
	}
}

// leave takes an attempt that has ended out.
func (l *leaf) leave(a *Attempt) {
	defer l.count()
	u := l.users.ensure(a.User)
	if l.active.remove(a) {
		l.users.change(u, -1, 0)
		l.masters = l.masters.Sub(a.Master)
		u.masters = u.masters.Sub(a.Master)
	} else {
		l.waiting.remove(a)
		l.held = slices.DeleteFunc(l.held, func(b *Attempt) bool { return a == b })
		l.users.change(u, 0, -1) // of one that was held too, though it was never counted: so in the release
	}
	a.activated = false
	l.tighten(a)
	if u.running+u.waiting == 0 {
		l.users.forget(u)
	}
	l.activate()
}

// tighten takes an attempt that has left out of the loose ones.
func (l *leaf) tighten(a *Attempt) {
	if a.loose {
		a.loose = false
		l.loose = slices.DeleteFunc(l.loose, func(b *Attempt) bool { return a == b })
		l.queues.loosen(l.at, -1)
	}
}

// limitMasters works out how much masters may use.
func (l *leaf) limitMasters() queue.Resource {
	if l.settings.FairMasters {
		l.masterLimit = queue.FairMasterLimit(l.settings.MasterShare, l.queues.tree.Cluster)
	} else {
		l.masterLimit = l.queues.tree.MasterLimit(l.settings.MasterShare, l.queue().Min, l.present)
	}
	return l.masterLimit
}

// limitUserMasters returns how much the masters of a user may use; of weight 1 if u is nil.
func (l *leaf) limitUserMasters(u *user) queue.Resource {
	if l.settings.FairMasters {
		return l.masterLimit
	}
	weight := float32(1)
	if u != nil {
		weight = u.weight
	}
	return l.queues.tree.UserMasterLimit(l.settings.Users, l.settings.MasterShare, l.queue().Min, l.masterLimit, weight, l.users.count())
}

// activate lets waiting applications start whose masters the limits leave room for. One that does not fit is
// passed over. The first of a leaf always fits, but not under the Fair Scheduler. The limit of the first user that is looked at holds for
// all users of one round.
func (l *leaf) activate() {
	limit := l.limitMasters()
	var userLimit queue.Resource
	known := false
	for i := 0; i < len(l.waiting.list); {
		a := l.waiting.list[i]
		t := &l.queues.tree
		first := l.idle() && !l.settings.FairMasters
		if !first && !t.Fits(l.least.Add(l.masters), limit) {
			break // none of the others fits
		}
		if !t.Fits(a.Master.Add(l.masters), limit) && !first {
			l.queues.hold(a, HeldByMasters)
			i++
			continue
		}
		u := l.users.ensure(a.User)
		if !known {
			userLimit, known = l.limitUserMasters(u), true
		}
		if !t.Fits(a.Master.Add(u.masters), userLimit) && !first {
			l.queues.hold(a, HeldByUserMaster)
			i++
			continue
		}
		l.users.change(u, 1, -1)
		l.active.add(a)
		l.masters = l.masters.Add(a.Master)
		u.masters = u.masters.Add(a.Master)
		a.activated = true
		l.queues.hold(a, NotHeld)
		if l.queues.activated != nil {
			l.queues.activated(a)
		}
		l.waiting.list = slices.Delete(l.waiting.list, i, i+1)
	}
}

// idle reports whether no master of the leaf takes anything.
func (l *leaf) idle() bool {
	return len(l.active.list) < 1 || !l.queues.tree.Some(l.masters)
}

// headroom returns how much more an attempt may get.
func (l *leaf) headroom(a *Attempt) queue.Resource {
	if a.seenUser == nil {
		return queue.Resource{}
	}
	t := &l.queues.tree
	limit := l.users.limit(l.users.get(a.User), l.queue(), &t.Scale, true)
	room := t.Headroom(limit, a.seenUser.used, l.present, l.queue().Used, t.Cluster.Sub(t.Queues[0].Used))
	room.Memory = max(room.Memory, 0)
	return room
}
