// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"slices"
)

// naive is the twin of Solver: the definition written down. At each event it fills everything from
// zero, moves all activities on by their rates and looks for the next end.
type naive struct {
	now    float64
	tables [][]float64
	off    []bool
	acts   []*naiveActivity // running, in order of start
}

type naiveActivity struct {
	spec       Spec
	rate, left float64
}

func (n *naive) capacity(r int) float64 {
	if n.off[r] {
		return 0
	}
	streams := 0
	for _, a := range n.acts {
		for _, u := range a.spec.Uses {
			if int(u.Resource) == r {
				streams += a.spec.Streams
			}
		}
	}
	return n.tables[r][min(streams, len(n.tables[r])-1)]
}

func (a *naiveActivity) weight() float64 {
	if a.spec.Weight == 0 {
		return 1
	}
	return a.spec.Weight
}

// fill sets all rates by progressive filling, one freezing at a time.
func (n *naive) fill() {
	frozen := make([]bool, len(n.acts))
	for range n.acts {
		best, bestResource, bestActivity := math.Inf(1), -1, -1
		for r := range n.tables {
			rem, w := n.capacity(r), 0.0
			for i, a := range n.acts {
				for _, u := range a.spec.Uses {
					if int(u.Resource) != r {
						continue
					}
					if frozen[i] {
						rem -= u.Coefficient * a.rate
					} else {
						w += u.Coefficient * a.weight()
					}
				}
			}
			if w > 0 && max(0, rem)/w < best {
				best, bestResource, bestActivity = max(0, rem)/w, r, -1
			}
		}
		for i, a := range n.acts {
			if !frozen[i] && a.spec.Cap > 0 && a.spec.Cap/a.weight() < best {
				best, bestResource, bestActivity = a.spec.Cap/a.weight(), -1, i
			}
		}
		for i, a := range n.acts {
			uses := slices.ContainsFunc(a.spec.Uses, func(u Use) bool { return int(u.Resource) == bestResource })
			if !frozen[i] && (i == bestActivity || uses) {
				frozen[i], a.rate = true, best*a.weight()
			}
		}
	}
}

// next returns when the first activity ends.
func (n *naive) next() float64 {
	n.fill()
	t := math.Inf(1)
	for _, a := range n.acts {
		if a.left <= 0 {
			return n.now
		}
		t = min(t, n.now+a.left/a.rate)
	}
	return t
}

// advance moves on to now and reports what ends on the way.
func (n *naive) advance(now float64, yield func(tag uint64, t float64)) {
	for {
		t := n.next()
		if t > now {
			n.move(now)
			return
		}
		n.move(t)
		n.acts = slices.DeleteFunc(n.acts, func(a *naiveActivity) bool {
			done := a.left <= 1e-13*a.spec.Work || a.left/a.rate <= 1e-13*t
			if done {
				yield(a.spec.Tag, t)
			}
			return done
		})
	}
}

func (n *naive) move(t float64) {
	for _, a := range n.acts {
		a.left = max(0, a.left-a.rate*(t-n.now))
	}
	n.now = t
}
