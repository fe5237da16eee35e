// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// View is a look into a leaf from outside. What it returns is the leaf's own, and holds until something changes.
type View struct{ leaf *leaf }

// Look returns a look into the leaf at a place of the tree; ok is false for a parent.
func Look(s *Scheduler, at int) (v View, ok bool) {
	s.dry = false // limits of users are brought up to date
	return View{s.queues.leaves[at]}, s.queues.leaves[at] != nil
}

// Settings returns the settings in force.
func (v View) Settings() *settings.Queue { return v.leaf.settings }

// Active returns the activated applications in the order in which they were served last.
func (v View) Active() []*Attempt { return v.leaf.active.list }

// Settle puts applications whose use has changed into their places in the order.
func (v View) Settle() { v.leaf.active.settle() }

// Waiting returns the applications that wait to be activated.
func (v View) Waiting() []*Attempt { return v.leaf.waiting.list }

// ActiveLimit returns the limit of a user as one of the active users, and what it uses. The leaf knows the user from now on.
func (v View) ActiveLimit(name string) (limit, used queue.Resource) { return v.limit(name, true) }

// AllLimit is ActiveLimit as one of all users.
func (v View) AllLimit(name string) (limit, used queue.Resource) { return v.limit(name, false) }

func (v View) limit(name string, active bool) (limit, used queue.Resource) {
	u := v.leaf.users.ensure(name)
	return v.leaf.users.limit(u, v.leaf.queue(), &v.leaf.queues.tree.Scale, active), u.used
}

// Compare orders two activated applications of the leaf as they are served.
func (v View) Compare(a, b *Attempt) int { return v.leaf.active.compare(a, b) }

// Settings returns the settings in force, to look at.
func (s *Scheduler) Settings() *settings.Scheduler { return s.queues.settings }

// HasMaster reports whether the attempt's master was given a container.
func (a *Attempt) HasMaster() bool { return a.given }

// Bucket returns where a hash belongs in a table that holds count entries in the release.
func Bucket(hash uint32, count int) uint32 {
	var table hashed
	table.grow(count)
	return table.bucketOf(hash)
}

// Hashed puts names in the order in which the release goes through a set of them.
func Hashed(names []string) {
	var table hashed
	table.names(names)
}

// QueuePlace returns the place of the attempt's queue in the tree.
func (a *Attempt) QueuePlace() int { return a.leaf.at }
