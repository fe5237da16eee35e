// SPDX-License-Identifier: Apache-2.0

package svm

import (
	"fmt"

	"github.com/yardmaster/yardmaster/rng"
)

// Search is k-fold cross-validation over a grid: each point is judged by a machine that was trained without it. The
// cells of the grid do not depend on each other and may be judged side by side.
type Search struct {
	C, Gamma []float64
	Folds    int
	Points   []Point // each counts once: their weights are 1
}

// DefaultGrid returns the grid of five by five: steps of eight for C, and of four for the kernel's width in a space
// whose sides are 1.
func DefaultGrid() (c, gamma []float64) {
	return []float64{0.5, 4, 32, 256, 2048}, []float64{0.25, 1, 4, 16, 64}
}

// Cells returns the number of cells.
func (s *Search) Cells() int { return len(s.C) * len(s.Gamma) }

// Params returns the settings of a cell: all of the first C come first.
func (s *Search) Params(cell int) Params {
	return Params{C: s.C[cell/len(s.Gamma)], Gamma: s.Gamma[cell%len(s.Gamma)]}
}

// Judge returns the share of points that a cell's machines classify right.
func (s *Search) Judge(cell int) (accuracy float64, err error) {
	if s.Folds < 2 || s.Folds > len(s.Points) {
		return 0, fmt.Errorf("%d folds of %d points: at least 2, at most one per point", s.Folds, len(s.Points))
	}
	draws := rng.New(0, rng.Fold)
	right := 0
	train, test := make([]Point, 0, len(s.Points)), make([]Point, 0, len(s.Points))
	for fold := range s.Folds {
		train, test = train[:0], test[:0]
		for i, p := range s.Points {
			if rng.Below(draws.Uint64(uint64(i), 0, 0), s.Folds) == fold {
				test = append(test, p)
			} else {
				train = append(train, p)
			}
		}
		m, _, err := Train(train, s.Params(cell))
		if err != nil {
			return 0, fmt.Errorf("fold %d: %w", fold+1, err)
		}
		right += correct(m, test)
	}
	return float64(right) / float64(len(s.Points)), nil
}

// correct counts the points that a machine classifies right; equal points are looked at once.
func correct(m *Machine, points []Point) int {
	n := 0.0
	for _, p := range merge(points) {
		if m.Decision(p.X) > 0 == p.Positive {
			n += p.Weight
		}
	}
	return int(n)
}

// Best returns the settings of the cell with the highest accuracy, the first of equals: the one that bends least.
func (s *Search) Best(accuracy []float64) (Params, float64) {
	best := 0
	for cell, a := range accuracy {
		if a > accuracy[best] {
			best = cell
		}
	}
	return s.Params(best), accuracy[best]
}
