// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
)

// Tree returns the tree of queues, to look at.
func (s *Scheduler) Tree() *queue.Tree { return &s.queues.tree }

// Nodes returns the nodes, to look at.
func (s *Scheduler) Nodes() []*Node { return s.nodes }

// LeafReport is the limits of a leaf at a moment.
type LeafReport struct {
	MasterLimit, MastersUsed, UserMasterLimit queue.Resource
	Active, Waiting                           int
	MaxApps, MaxUserApps                      int
	Users                                     []UserReport // by name
	Apps                                      []*Attempt   // activated ones, by number
}

// UserReport is the limits of a user of a leaf.
type UserReport struct {
	Name                         string
	Used, MastersUsed            queue.Resource
	Limit, LimitAll, MasterLimit queue.Resource
	Active, Waiting              int
}

// Report works out the limits of the leaf at a place of the tree, which brings limits of users that were
// out of date up to date. It returns nil for a parent.
func (s *Scheduler) Report(at int) *LeafReport {
	l := s.queues.leaves[at]
	if l == nil {
		return nil
	}
	s.dry = false
	r := &LeafReport{MasterLimit: l.limitMasters(), MastersUsed: l.masters, UserMasterLimit: l.limitUserMasters(nil),
		Active: len(l.active.list), Waiting: len(l.waiting.list), MaxApps: l.maxApps, MaxUserApps: l.userApps}
	users := slices.Clone(l.users.list)
	slices.SortFunc(users, func(a, b *user) int { return cmp.Compare(a.name, b.name) })
	for _, u := range users {
		scale := &s.queues.tree.Scale
		r.Users = append(r.Users, UserReport{
			Name: u.name, Used: u.used, MastersUsed: u.masters,
			Limit: l.users.limit(u, l.queue(), scale, true), LimitAll: l.users.limit(u, l.queue(), scale, false), MasterLimit: l.limitUserMasters(u),
			Active: u.running, Waiting: u.waiting,
		})
	}
	r.Apps = slices.Clone(l.active.list)
	slices.SortFunc(r.Apps, func(a, b *Attempt) int { return cmp.Compare(a.App, b.App) })
	return r
}
