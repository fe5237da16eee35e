// SPDX-License-Identifier: Apache-2.0

package capacity

import "fmt"

// Rejection says why an application is not let in.
type Rejection struct {
	Reason Reason
	Queue  string // its path if there is one of that name
	Text   string // of the release
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
	path = name
	at, ok := s.queues.byPath[name]
	if !ok {
		at, ok = s.queues.byName[name]
	}
	ok = ok && at >= 0
	if ok {
		path = s.queues.tree.Queues[at].Path
	}
	no := func(reason Reason, format string, args ...any) (string, error) {
		return "", &Rejection{reason, path, fmt.Sprintf(format, args...)}
	}
	if s.queues.apps >= s.queues.settings.MaxApps {
		return no(TooManyInSystem, "Maximum system application limit reached,cannot accept submission of application: app%d", app)
	}
	if !ok {
		return no(UnknownQueue, "Application app%d submitted by user %s to unknown queue: %s", app, user, path)
	}
	l := s.queues.leaves[at]
	if l == nil {
		return no(NotALeaf, "Application app%d submitted by user : %s to non-leaf queue : %s", app, user, path)
	}
	if l.settings.Stopped {
		return no(Stopped, stopped, path, app)
	}
	if n := l.apps(); n >= l.maxApps {
		return no(TooManyInQueue, "Queue %s already has %d applications, cannot accept submission of application: app%d", path, n, app)
	}
	u := l.users.ensure(user)
	if n := u.running + u.waiting; n >= l.userApps {
		return no(TooManyOfUser, "Queue %s already has %d applications from user %s cannot accept submission of application: app%d", path, n, user, app)
	}
	return path, nil
}

const stopped = "org.apache.hadoop.security.AccessControlException: Queue %s is STOPPED. Cannot accept submission of application: app%d"

// AppPriority returns the priority that an application gets: no more than the cluster allows.
func (s *Scheduler) AppPriority(asked int) int { return min(asked, s.queues.settings.MaxPriority) }
