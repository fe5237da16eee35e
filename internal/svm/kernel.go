// SPDX-License-Identifier: Apache-2.0

package svm

import (
	"math"
	"slices"
)

// kernel gives entries and rows of the kernel matrix, and keeps the rows that were used last.
type kernel struct {
	x     []float64 // points one after the other
	dims  int
	gamma float64

	rows       [][]float32 // by point, nil if not kept
	next, prev []int32     // the kept rows in a ring, the head at len(rows): latest use first
	spare      int         // rows that may still be made
}

func newKernel(points []Point, p Params) kernel {
	n := len(points)
	k := kernel{dims: len(points[0].X), gamma: p.Gamma, rows: make([][]float32, n), next: make([]int32, n+1), prev: make([]int32, n+1)}
	for _, point := range points {
		k.x = append(k.x, point.X...)
	}
	k.next[n], k.prev[n] = int32(n), int32(n)
	k.spare = max(2, p.Cache/(4*n))
	return k
}

func (k *kernel) point(i int32) []float64 {
	return slices.Clone(k.x[int(i)*k.dims : (int(i)+1)*k.dims])
}

// at returns one entry.
func (k *kernel) at(i, j int32) float64 {
	a, b := k.x[int(i)*k.dims:(int(i)+1)*k.dims], k.x[int(j)*k.dims:(int(j)+1)*k.dims]
	d := 0.0
	for c, v := range a {
		d += (v - b[c]) * (v - b[c])
	}
	return math.Exp(-k.gamma * d)
}

// row returns the row of a point, of which the entries of active points are good. The active points may only become
// fewer until forget is called. Two rows are valid at a time.
func (k *kernel) row(i int32, active []int32) []float32 {
	if r := k.rows[i]; r != nil {
		k.unlink(i)
		k.link(i)
		return r
	}
	var r []float32
	if k.spare > 0 {
		k.spare--
		r = make([]float32, len(k.rows))
	} else {
		oldest := k.prev[len(k.rows)]
		k.unlink(oldest)
		r, k.rows[oldest] = k.rows[oldest], nil
	}
	for _, t := range active {
		r[t] = float32(k.at(i, t))
	}
	k.rows[i] = r
	k.link(i)
	return r
}

// forget drops all rows.
func (k *kernel) forget() {
	for head := int32(len(k.rows)); k.next[head] != head; {
		i := k.next[head]
		k.unlink(i)
		k.rows[i] = nil
		k.spare++
	}
}

func (k *kernel) link(i int32) {
	head := int32(len(k.rows))
	k.next[i], k.prev[i] = k.next[head], head
	k.prev[k.next[head]], k.next[head] = i, i
}

func (k *kernel) unlink(i int32) { k.next[k.prev[i]], k.prev[k.next[i]] = k.next[i], k.prev[i] }
