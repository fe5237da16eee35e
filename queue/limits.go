// SPDX-License-Identifier: Apache-2.0

package queue

import "math"

// Scale is what limits are measured with: the arithmetic, the room of the cluster, and the smallest
// container, which is the step of all rounding.
type Scale struct {
	Calculator
	Cluster Resource
	Step    Resource
}

// Min returns a or b, whichever is smaller.
func (s *Scale) Min(a, b Resource) Resource { return Min(s.Calculator, s.Cluster, a, b) }

// Max returns a or b, whichever is larger.
func (s *Scale) Max(a, b Resource) Resource { return Max(s.Calculator, s.Cluster, a, b) }

// Less reports whether a is smaller than b.
func (s *Scale) Less(a, b Resource) bool { return s.Compare(s.Cluster, a, b) < 0 }

// Some reports whether r is more than nothing.
func (s *Scale) Some(r Resource) bool { return s.Compare(s.Cluster, r, Resource{}) > 0 }

// Floor rounds r down to whole steps.
func (s *Scale) Floor(r Resource) Resource { return s.Down(r, 1, s.Step) }

// UserRules are the settings of a leaf that bound its users.
type UserRules struct {
	Percent float32 // minimum-user-limit-percent
	Factor  float32 // user-limit-factor; Unbounded if there is no bound
}

// Unbounded is the user-limit-factor without effect.
const Unbounded = -1

// Crowd is what a user limit depends on beside settings: how much the users of a leaf use.
type Crowd struct {
	Ratio   float32  // the sum of what each user uses, as a ratio of the cluster
	Used    Resource // by the users that count
	Weights float32  // of the users that count
}

// UserLimit returns how much a user of weight 1 may use, in whole steps, before it is refused. With active it is the limit
// that active users share, the crowd being theirs; otherwise the one of all users.
func (s *Scale) UserLimit(rules UserRules, guarantee, maximum Resource, crowd Crowd, active bool) Resource {
	capacity := s.Max(guarantee, s.Step)
	current := s.Up(s.Cluster, crowd.Ratio, s.Step)
	if s.Less(current, capacity) {
		current = capacity
	} else {
		current = current.Add(s.Step)
	}
	used := current
	if active {
		used = crowd.Used.Add(s.Step)
	}
	limit := s.Max(s.Split(used, crowd.Weights), s.Hundredth(current.Part(float64(rules.Percent))))
	var most Resource
	if rules.Factor != Unbounded && guarantee != (Resource{}) {
		most = capacity.Part(float64(rules.Factor))
	} else {
		most = s.Floor(maximum)
	}
	return s.Up(s.Min(limit, most), 1, s.Step)
}

// MasterLimit returns how much the masters of a leaf may use: a share of what the leaf may use at present,
// and of no less than its guarantee.
func (s *Scale) MasterLimit(share float32, guarantee, present Resource) Resource {
	usable := guarantee
	if s.Fits(guarantee, present) {
		usable = present
	}
	return s.Up(usable, share, s.Step)
}

// FairMasterLimit returns how much masters may use under the Fair Scheduler of Hadoop 2.7.5: a share of the memory, cut to
// whole MiB. -1 is no limit, more than 1 is 1.
func FairMasterLimit(share float32, fair Resource) Resource {
	none := Resource{math.MaxInt64, math.MaxInt64}
	if math.Abs(float64(share)+1) < 1e-4 {
		return none
	}
	return Resource{int64(float64(fair.Memory) * float64(min(share, 1))), none.VCores}
}

// UserMasterLimit returns how much the masters of one user may use, given the limit of all masters. users
// counts the active users and those whose applications all wait.
func (s *Scale) UserMasterLimit(rules UserRules, share float32, guarantee, limit Resource, weight float32, users int) Resource {
	by := share
	if rules.Factor != Unbounded {
		part := max(rules.Percent/100, 1/float32(max(users, 1)))
		by = share * min(part*weight, 1) * rules.Factor
	}
	return s.Min(s.Up(guarantee, by, s.Step), limit)
}

// Headroom returns how much more an application may get: what its user and its leaf have left in whole
// steps, and no more than what is free.
func (s *Scale) Headroom(userLimit, userUsed, leafLimit, leafUsed, free Resource) Resource {
	none := Resource{}
	left := userLimit.Sub(userUsed).Most(none).Least(leafLimit.Sub(leafUsed).Most(none))
	return s.Min(free, s.Floor(left))
}
