// SPDX-License-Identifier: Apache-2.0

package svm

import (
	"errors"
	"fmt"
	"math"
)

// Point is one example: its features, scaled, and its class.
type Point struct {
	X        []float64
	Positive bool
	Weight   float64 // how many examples it stands for; 0 means 1
}

// Params are the settings of one training.
type Params struct {
	C         float64 // what a point on the wrong side may cost
	Gamma     float64 // of the kernel exp(-Gamma |a-b|²)
	Tolerance float64 // how far the conditions of optimality may be missed; 0 means 1e-3
	Cache     int     // bytes for rows of the kernel matrix; 0 means 100 MB
}

// Machine is what training finds. Its size is that of its support vectors.
type Machine struct {
	Gamma        float64     `json:"gamma"`
	Bias         float64     `json:"bias"`
	Support      [][]float64 `json:"support"`
	Coefficients []float64   `json:"coefficients"` // by support vector: above 0 for the positive class
}

// Decision returns on which side of the hyperplane a point is, above 0 for the positive class, and how far from it: in
// units of the margin's half width.
func (m *Machine) Decision(x []float64) float64 {
	sum := m.Bias
	for i, s := range m.Support {
		d := 0.0
		for k, v := range s {
			d += (v - x[k]) * (v - x[k])
		}
		sum += m.Coefficients[i] * math.Exp(-m.Gamma*d)
	}
	return sum
}

// Report says how a training went.
type Report struct {
	Objective  float64 // of the dual problem that is minimised: half of βKβ less the sum of all multipliers
	Steps      int
	Points     int // after equal ones were merged
	Unfinished bool
}

// ErrOneClass means that all points are of one class, which no hyperplane divides.
var ErrOneClass = errors.New("all points are of one class: there is nothing to divide; train on examples of both")

// Train finds the machine for the points.
func Train(points []Point, p Params) (*Machine, Report, error) {
	if err := check(points, p); err != nil {
		return nil, Report{}, err
	}
	s := newSolver(merge(points), p)
	s.solve()
	m, r := s.machine()
	return m, r, nil
}

func check(points []Point, p Params) error {
	positive := 0
	for i := range points {
		if len(points[i].X) != len(points[0].X) || len(points[i].X) == 0 {
			return fmt.Errorf("point %d has %d features, the first has %d", i, len(points[i].X), len(points[0].X))
		}
		for k, v := range points[i].X {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("feature %d of point %d is %g", k, i, v)
			}
		}
		if points[i].Positive {
			positive++
		}
	}
	switch {
	case positive == 0 || positive == len(points):
		return ErrOneClass
	case !(p.C > 0) || !(p.Gamma > 0):
		return fmt.Errorf("the cost C is %g and gamma %g: both must be above 0", p.C, p.Gamma)
	}
	return nil
}

// merge makes one point of all equal points of a class, in the order in which they first appear.
func merge(points []Point) []Point {
	at := make(map[string]int, len(points))
	var out []Point
	var key []byte
	for _, p := range points {
		if p.Weight == 0 {
			p.Weight = 1
		}
		key = key[:0]
		for _, v := range p.X {
			for b, bits := 0, math.Float64bits(v); b < 8; b++ {
				key = append(key, byte(bits>>(8*b)))
			}
		}
		if p.Positive {
			key = append(key, 1)
		}
		if i, known := at[string(key)]; known {
			out[i].Weight += p.Weight
			continue
		}
		at[string(key)] = len(out)
		out = append(out, p)
	}
	return out
}
