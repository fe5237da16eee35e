// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// rounds remembers offers that every user declined. While jobs want what they wanted, a node without a qualified
// local map is declined by all users for the same reasons as the node before it, if the racks of both are
// congested or both are not, until a user has been skipped for long enough. So the refusals are repeated, and
// the skips counted, without asking again.
type rounds struct {
	last   [2]round // [1] in congested racks
	asking *round   // that the users are being asked in; nil if all are asked about each offer
	news   int64    // counts what was learnt about jobs
}

// round is what users said about an offer.
type round struct {
	stamp
	declined bool // by all users, and nothing has come of it
	refusals []refusal
}

// stamp tells whether something has happened.
type stamp struct{ changes, news int64 }

// refusal is why a user declined: a job of theirs is held back.
type refusal struct {
	job   *cluster.Job
	limit model.Limit
	skips *skips // that count it, nil if nobody is skipped for it
	count int32  // after how many skips the user is not skipped any more, as in over
	wait  model.Time
}

func (n *mts) stamp() stamp { return stamp{n.env.Cluster.Changes, n.rounds.news} }

// refuse holds a job back from the offer, skips its user if that counts, and returns when to ask again.
func (n *mts) refuse(o *policy.Offer, r refusal) (again model.Time) {
	if n.rounds.asking != nil {
		n.rounds.asking.refusals = append(n.rounds.asking.refusals, r)
	}
	return r.say(o)
}

func (r *refusal) say(o *policy.Offer) (again model.Time) {
	o.Blocked(r.job, r.limit)
	if r.skips == nil {
		return 0
	}
	return r.skips.skip(o.Now, r.wait)
}

// Repeat implements kit.Repeater.
func (n *NAS) Repeat(o *policy.Offer) (again model.Time, declined bool) {
	r := &n.rounds.last[row(n.relieves(o.Rack))]
	if r.declined && r.stamp == n.stamp() && n.usual(o) && n.vain(o, n.stopping(o.Rack)) && !r.over(o.Now) {
		for i := range r.refusals {
			if t := r.refusals[i].say(o); again == 0 || t > 0 && t < again {
				again = t
			}
		}
		return again, true
	}
	*r = round{stamp: n.stamp(), refusals: r.refusals[:0]}
	n.rounds.asking = r
	return 0, false
}

// Declined implements kit.Repeater.
func (n *NAS) Declined(o *policy.Offer) {
	if !n.usual(o) {
		return
	}
	stopping := n.stopping(o.Rack)
	n.locals.searched(o.Node, stopping, n.qualifying(o.Node, stopping))
	r := n.rounds.asking
	r.declined = r.stamp == n.stamp()
}

// usual reports whether all tasks fit the offer.
func (n *mts) usual(o *policy.Offer) bool { return o.Pool == int(model.Map) && o.Free.Fits(n.most) }

// over reports whether one of the users who were skipped has been skipped for long enough.
func (r *round) over(now model.Time) bool {
	for i := range r.refusals {
		if e := &r.refusals[i]; e.skips != nil && e.skips.over(now, e.count, e.wait) {
			return true
		}
	}
	return false
}
