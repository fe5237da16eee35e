// SPDX-License-Identifier: Apache-2.0

package capacity

import "fmt"

// Rejection says why an application is not let in.
type Rejection struct {
	Reason Reason
	Text   string
}

func (r *Rejection) Error() string { return r.Text }

// Reason is the kind of a rejection.
type Reason uint8

// The reasons.
const (
	UnknownQueue Reason = iota
	NotALeaf
	Stopped
	TooManyInSystem
	TooManyInQueue
	TooManyOfUser
)

// Admit finds the leaf of a name, a path or the name of a leaf that no other has, and says whether it takes
// another application of a user. The error is a *Rejection.
func (s *Scheduler) Admit(app int, name, user string) (path string, err error) {
	if s.queues.sum(0, (*leaf).apps) >= s.queues.settings.MaxApps {
		return "", &Rejection{TooManyInSystem, fmt.Sprintf("Maximum system application limit reached,cannot accept submission of application: app%d", app)}
	}
	at, ok := s.queues.byPath[name]
	if !ok {
		at, ok = s.queues.byName[name]
	}
	if !ok || at < 0 {
		return "", &Rejection{UnknownQueue, fmt.Sprintf("Application app%d submitted by user %s to unknown queue: %s", app, user, name)}
	}
	l := s.queues.leaves[at]
	if l == nil {
		return "", &Rejection{NotALeaf, fmt.Sprintf("Application app%d submitted by user : %s to non-leaf queue : %s", app, user, name)}
	}
	path = l.queue().Path
	if l.settings.Stopped {
		return "", &Rejection{Stopped, fmt.Sprintf("Queue %s is STOPPED. Cannot accept submission of application: app%d", path, app)}
	}
	if n := l.apps(); n >= l.maxApps {
		return "", &Rejection{TooManyInQueue, fmt.Sprintf("Queue %s already has %d applications, cannot accept submission of application: app%d", path, n, app)}
	}
	u := l.users.ensure(user)
	if n := u.running + u.waiting; n >= l.userApps {
		return "", &Rejection{TooManyOfUser, fmt.Sprintf("Queue %s already has %d applications from user %s cannot accept submission of application: app%d", path, n, user, app)}
	}
	for i := l.queue().Parent; i >= 0; i = s.queues.tree.Queues[i].Parent {
		if s.queues.settings.Queues[i].Stopped {
			return "", &Rejection{Stopped, fmt.Sprintf("Queue %s is STOPPED. Cannot accept submission of application: app%d", s.queues.tree.Queues[i].Path, app)}
		}
	}
	return path, nil
}

// AppPriority returns the priority that an application gets: no more than the cluster allows.
func (s *Scheduler) AppPriority(asked int) int { return min(asked, s.queues.settings.MaxPriority) }
