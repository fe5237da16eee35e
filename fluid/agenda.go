// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// agenda is what belongs to time: the time itself, a service for each class under the class's number,
// and when the first member of each ends. It knows no resource; it is told each service's level.
type agenda struct {
	now      float64
	services []service
	times    times
	stale    []int32 // services whose first member may have changed since times was told
}

// open begins the service of a new class.
func (a *agenda) open(id int32, level float64) {
	if int(id) == len(a.services) {
		a.services = append(a.services, service{})
		a.times.grow(len(a.services))
	}
	v := &a.services[id]
	*v = service{since: a.now, level: level, members: v.members[:0]}
}

// close ends the service of a class without members.
func (a *agenda) close(id int32) { a.times.set(id, math.Inf(1)) }

// at returns a service with its clock at now.
func (a *agenda) at(id int32) *service {
	v := &a.services[id]
	v.settle(a.now)
	return v
}

// touch notes that the first member of a service may have changed.
func (a *agenda) touch(id int32) {
	if v := &a.services[id]; !v.stale {
		v.stale = true
		a.stale = append(a.stale, id)
	}
}

// relevel gives a service a new level from now on.
func (a *agenda) relevel(id int32, level float64) {
	v := a.at(id)
	v.level = level
	a.times.set(id, v.finish(a.now))
}

// commit gives the classes of a solution, ids, and their services their next levels from now on, and
// works out all ends that changed.
func (a *agenda) commit(classes []class, ids []int32) {
	bulk := 4*len(ids) > a.times.size // then it pays to build the index of times anew
	for _, id := range ids {
		c := &classes[id]
		if c.next == c.level {
			continue
		}
		v := a.at(id)
		c.level, v.level = c.next, c.next
		if t := v.finish(a.now); bulk {
			a.times.put(id, t)
		} else {
			a.times.set(id, t)
		}
	}
	if bulk {
		a.times.rebuild()
	}
	a.renew()
}

// renew works out the next end of the services whose first member may have changed.
func (a *agenda) renew() {
	for _, id := range a.stale {
		if v := &a.services[id]; v.stale && len(v.members) > 0 {
			v.settle(a.now)
			a.times.set(id, v.finish(a.now))
		}
	}
	a.stale = a.stale[:0]
}
