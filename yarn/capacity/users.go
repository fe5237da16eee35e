// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"slices"

	"github.com/yardmaster/yardmaster/queue"
)

// user is one user of a leaf.
type user struct {
	name    string
	weight  float32
	running int  //  activated applications
	waiting int  // applications that wait to be activated
	active  bool // shares the limit of active users
	used    queue.Resource
	masters queue.Resource // used by masters of activated applications
	ratio   float32        // of the cluster that it uses
	refused int64          // version of the users' state at which it was past its limit,
	without queue.Resource // though so much of what its application had reserved were given up
	gone    bool           // the leaf has forgotten it
}

// onlyWaits reports whether the user has applications that wait, and none that is activated.
func (u *user) onlyWaits() bool { return u.waiting > 0 && u.running <= 0 }

// users is the users of a leaf and the limits that they share. A limit is worked out anew only after what
// the release takes for a change: a user has become active or not, a container has started or ended, or
// the cluster or the weights have changed. Until then it is as it was, whatever else has happened.
type users struct {
	rules   queue.UserRules
	weights map[string]float32

	byName map[string]*user
	list   []*user        // in the order of sums
	open   map[string]int // applications with open asks, as far as they were counted; users that were forgotten have them too
	asking map[int]bool   // those applications
	table  hashed

	ratio         float32        // sum of the users' ratios, kept by differences
	activeUsed    queue.Resource // by active users
	activeWeights float32
	allWeights    float32
	activeCount   int // users with open asks
	waiters       int // users whose applications all wait
	onlyWaiting   int // the same when a limit was last worked out

	activeLimit, allLimit queue.Resource // of a user of weight 1, in whole steps
	activeStale, allStale bool
	version               int64                     // grows with every change, from 1
	strangers             map[string]queue.Resource // users that were unknown and so refused since the last change, with what was reserved
}

func newUsers() *users {
	return &users{byName: map[string]*user{}, open: map[string]int{}, asking: map[int]bool{}, strangers: map[string]queue.Resource{}, version: 1, activeStale: true, allStale: true}
}

// get returns a user that the leaf knows, or nil.
func (us *users) get(name string) *user { return us.byName[name] }

// ensure returns a user, who is known from now on.
func (us *users) ensure(name string) *user {
	u := us.byName[name]
	if u == nil {
		u = &user{name: name, weight: us.weightOf(name)}
		us.byName[name] = u
		us.list = append(us.list, u)
		us.table.sort(us.list)
		us.sumAll()
	}
	return u
}

func (us *users) weightOf(name string) float32 {
	if w, ok := us.weights[name]; ok {
		return w
	}
	return 1
}

// forget drops a user whose applications, as they are counted, are gone. What it used stays in the sums, and
// applications that it still has go on without it until something makes the leaf know it anew.
func (us *users) forget(u *user) {
	delete(us.byName, u.name)
	u.active, u.gone = false, true
	if u.refused == us.version {
		us.refuseUnknown(u.name, u.without)
	}
	if u.onlyWaits() {
		us.waiters--
	}
	us.list = slices.DeleteFunc(us.list, func(o *user) bool { return o == u })
	us.sumActive()
	us.sumAll()
}

func (us *users) sumActive() {
	us.activeWeights = 0
	for _, u := range us.list {
		if u.active {
			us.activeWeights += u.weight
		}
	}
}

func (us *users) sumAll() {
	us.allWeights = 0
	for _, u := range us.list {
		us.allWeights += u.weight
	}
}

func (us *users) changed() {
	us.activeStale, us.allStale = true, true
	us.version++
	if len(us.strangers) > 0 {
		clear(us.strangers)
	}
}

// refuseUnknown notes that a user that the leaf has forgotten is refused until the next change, even if the leaf
// comes to know it before: its applications with no more reserved.
func (us *users) refuseUnknown(name string, reserved queue.Resource) {
	if without, was := us.strangers[name]; !was || without.Within(reserved) {
		us.strangers[name] = reserved
	}
}

// refuses reports whether a user was refused since the last change, with an application that had as much reserved.
func (us *users) refuses(u *user, reserved queue.Resource) bool {
	if len(us.strangers) > 0 && u.refused != us.version {
		us.recall(u)
	}
	return u.refused == us.version && reserved.Within(u.without)
}

// recall refuses a user as it was before the leaf knew it.
func (us *users) recall(u *user) {
	if without, was := us.strangers[u.name]; was {
		u.refused, u.without = us.version, without
	}
}

// refuse notes that a user is past its limit, also without what its application has reserved.
func (us *users) refuse(u *user, reserved queue.Resource) {
	if u.refused != us.version || u.without.Within(reserved) {
		u.refused, u.without = us.version, reserved
	}
}

// asks counts an application that has begun to ask. It is passed over, for good, while its user has no
// activated application.
func (us *users) asks(a *Attempt) {
	u := us.get(a.User)
	if u != nil && u.running <= 0 {
		return
	}
	if us.open[a.User] == 0 {
		us.activeCount++
		us.changed()
		if u = us.ensure(a.User); !u.active {
			u.active = true
			us.activeUsed = us.activeUsed.Add(u.used)
			us.sumActive()
		}
	}
	if !us.asking[a.App] {
		us.asking[a.App] = true
		us.open[a.User]++
	}
}

// silent takes an application out of the count: it asks for nothing any more.
func (us *users) silent(a *Attempt) {
	if !us.asking[a.App] {
		return
	}
	delete(us.asking, a.App)
	us.open[a.User]--
	if us.open[a.User] > 0 {
		return
	}
	delete(us.open, a.User)
	us.activeCount--
	us.changed()
	if u := us.get(a.User); u != nil && u.active {
		u.active = false
		us.activeUsed = us.activeUsed.Sub(u.used)
		us.sumActive()
	}
}

// charge adds to what a user uses.
func (us *users) charge(u *user, r queue.Resource, scale *queue.Scale) {
	u.used = u.used.Add(r)
	if u.active {
		us.activeUsed = us.activeUsed.Add(r)
	}
	us.changed()
	ratio := scale.Ratio(u.used, scale.Cluster)
	us.ratio += ratio - u.ratio
	u.ratio = ratio
}

// resize works the ratios out anew.
func (us *users) resize(scale *queue.Scale) {
	us.ratio = 0
	for _, u := range us.list {
		u.ratio = scale.Ratio(u.used, scale.Cluster)
		us.ratio += u.ratio
	}
}

// reweigh takes over new weights.
func (us *users) reweigh(weights map[string]float32) {
	us.weights = weights
	for _, u := range us.list {
		u.weight = us.weightOf(u.name)
	}
	us.sumActive()
	us.sumAll()
	us.changed()
}

// change changes how many applications of a user run and wait.
func (us *users) change(u *user, running, waiting int) {
	if u.onlyWaits() {
		us.waiters--
	}
	u.running += running
	u.waiting += waiting
	if u.onlyWaits() {
		us.waiters++
	}
}

// count returns how many users the limit of masters is shared by.
func (us *users) count() int { return us.activeCount + us.onlyWaiting }

// limit returns what a user of a leaf may use, as one of the active users or of all.
func (us *users) limit(u *user, q *queue.Queue, scale *queue.Scale, active bool) queue.Resource {
	if active && us.activeStale {
		us.activeLimit = scale.UserLimit(us.rules, q.Min, q.Max, queue.Crowd{Ratio: us.ratio, Used: us.activeUsed, Weights: us.activeWeights}, true)
		us.activeStale = false
		us.onlyWaiting = us.waiters
	}
	if !active && us.allStale {
		us.allLimit = scale.UserLimit(us.rules, q.Min, q.Max, queue.Crowd{Ratio: us.ratio, Weights: us.allWeights}, false)
		us.allStale = false
		us.onlyWaiting = us.waiters
	}
	limit := us.allLimit
	if active {
		limit = us.activeLimit
	}
	if u == nil || u.weight == 1 {
		return limit
	}
	return scale.Down(limit, u.weight, scale.Step)
}
