// SPDX-License-Identifier: Apache-2.0

package svm

import "math"

// solver finds the multipliers β that maximise Σ y β - ½ βKβ under Σ β = 0 and low ≤ β ≤ high. A multiplier carries
// the sign of its class: it is between 0 and C for a positive point and between -C and 0 for a negative one. So all
// points are moved alike, by pairs: one up, the other down by the same amount.
type solver struct {
	Params
	kernel
	y         []float64 // 1 or -1
	beta      []float64
	low, high []float64
	slope     []float64 // of what is maximised, by β; of active points only while others are set aside
	active    []int32   // points that still move
	steps     int
	stuck     bool
	looked    bool // the points that were set aside have been looked at once near the end
}

func newSolver(points []Point, p Params) *solver {
	if p.Tolerance == 0 {
		p.Tolerance = 1e-3
	}
	if p.Cache == 0 {
		p.Cache = 100e6
	}
	n := len(points)
	s := &solver{Params: p, kernel: newKernel(points, p), y: make([]float64, n), beta: make([]float64, n),
		low: make([]float64, n), high: make([]float64, n), slope: make([]float64, n), active: make([]int32, n)}
	for i, point := range points {
		s.y[i] = -1
		if point.Positive {
			s.y[i], s.high[i] = 1, p.C*point.Weight
		} else {
			s.low[i] = -p.C * point.Weight
		}
		s.slope[i], s.active[i] = s.y[i], int32(i)
	}
	return s
}

// maxSteps bounds a training that does not converge, as rounding may keep it from the last bit of tolerance.
const maxSteps = 20_000_000

func (s *solver) solve() {
	n := len(s.y)
	every := min(n, 1000)
	for left := every; s.steps < maxSteps; s.steps++ {
		if left--; left == 0 {
			left = every
			s.setAside()
		}
		i, j, ok := s.pair()
		if !ok {
			if len(s.active) == n {
				return
			}
			s.takeBack()
			if i, j, ok = s.pair(); !ok {
				return
			}
			left = 1 // what is now known to stay is set aside at once
		}
		s.move(i, j)
	}
	s.stuck = true
}

// pair chooses the points to move: up the one whose slope is steepest, down the one that promises the most, to second
// order. It reports false when no pair violates the conditions of optimality by more than the tolerance.
func (s *solver) pair() (up, down int32, ok bool) {
	up = -1
	top := math.Inf(-1)
	for _, t := range s.active {
		if s.slope[t] > top && s.beta[t] < s.high[t] {
			top, up = s.slope[t], t
		}
	}
	if up < 0 {
		return 0, 0, false
	}
	row := s.row(up, s.active)
	bottom, best := math.Inf(1), 0.0
	down = -1
	for _, t := range s.active {
		if s.beta[t] <= s.low[t] {
			continue
		}
		g := s.slope[t]
		bottom = min(bottom, g)
		if d := top - g; d > 0 {
			if gain := d * d / curve(row[t]); gain > best {
				best, down = gain, t
			}
		}
	}
	return up, down, down >= 0 && top-bottom >= s.Tolerance
}

// curve returns how fast the slopes of two points meet when they are moved against each other.
func curve(k float32) float64 { return max(2-2*float64(k), 1e-12) }

// move shifts the pair to where their slopes meet, or to the first bound.
func (s *solver) move(up, down int32) {
	a, b := s.row(up, s.active), s.row(down, s.active)
	step := (s.slope[up] - s.slope[down]) / curve(a[down])
	room, give := s.high[up]-s.beta[up], s.beta[down]-s.low[down]
	step = min(step, room, give)
	s.beta[up] += step
	s.beta[down] -= step
	if step == room {
		s.beta[up] = s.high[up]
	}
	if step == give {
		s.beta[down] = s.low[down]
	}
	for _, t := range s.active {
		s.slope[t] -= step * (float64(a[t]) - float64(b[t]))
	}
}

// setAside takes points out of play that are at a bound and that no pair would move away from it.
func (s *solver) setAside() {
	top, bottom := math.Inf(-1), math.Inf(1)
	for _, t := range s.active {
		if s.beta[t] < s.high[t] {
			top = max(top, s.slope[t])
		}
		if s.beta[t] > s.low[t] {
			bottom = min(bottom, s.slope[t])
		}
	}
	if !s.looked && top-bottom <= 10*s.Tolerance {
		s.looked = true
		s.takeBack()
		return
	}
	kept := s.active[:0]
	for _, t := range s.active {
		stays := s.beta[t] >= s.high[t] && s.slope[t] > top || s.beta[t] <= s.low[t] && s.slope[t] < bottom
		if !stays {
			kept = append(kept, t)
		}
	}
	s.active = kept
}

// takeBack brings all points back into play and works out the slopes of those that were set aside.
func (s *solver) takeBack() {
	n := len(s.y)
	if len(s.active) == n {
		return
	}
	in := make([]bool, n)
	for _, t := range s.active {
		in[t] = true
	}
	var away []int32
	for t := range s.y {
		if !in[t] {
			away = append(away, int32(t))
			s.slope[t] = s.y[t]
		}
	}
	for v, beta := range s.beta {
		if beta == 0 {
			continue
		}
		for _, t := range away {
			s.slope[t] -= beta * s.at(int32(v), t)
		}
	}
	s.active = s.active[:0]
	for t := range s.y {
		s.active = append(s.active, int32(t))
	}
	s.forget()
}

// machine returns what was found. The bias is the mean slope of the points between their bounds, where it is the same
// for all; else the middle of what the bounds allow.
func (s *solver) machine() (*Machine, Report) {
	s.takeBack()
	m := &Machine{Gamma: s.Gamma}
	r := Report{Steps: s.steps, Points: len(s.y), Unfinished: s.stuck}
	sum, free, top, bottom := 0.0, 0, math.Inf(-1), math.Inf(1)
	for i, b := range s.beta {
		g := s.slope[i]
		r.Objective -= b * (s.y[i] + g) / 2
		if b > s.low[i] && b < s.high[i] {
			sum, free = sum+g, free+1
		}
		if b < s.high[i] {
			top = max(top, g)
		}
		if b > s.low[i] {
			bottom = min(bottom, g)
		}
		if b != 0 {
			m.Support = append(m.Support, s.point(int32(i)))
			m.Coefficients = append(m.Coefficients, b)
		}
	}
	if m.Bias = (top + bottom) / 2; free > 0 {
		m.Bias = sum / float64(free)
	}
	return m, r
}
