// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// demands are what a job wants of a sub-batch: shuffle data, maps, reduces.
const demands = 3

type demand [demands]int64

func demandOf(f *policy.Forecast) demand {
	return demand{int64(f.Shuffle), int64(f.Tasks[model.Map]), int64(f.Tasks[model.Reduce])}
}

func (d demand) plus(e demand) demand {
	for i := range d {
		d[i] += e[i]
	}
	return d
}

// within reports whether no part of d is above that of e.
func (d demand) within(e demand) bool {
	for i := range d {
		if d[i] > e[i] {
			return false
		}
	}
	return true
}

// subBatches divides jobs into sub-batches of like demands, as Tetris packs jobs into servers (§4.2.3.2). The capacity of a
// sub-batch is its share of the whole batch. The emptiest sub-batch takes the job that fits and whose demand has the
// largest dot product with what is left; what fits nowhere goes, the largest first, to the emptiest. Jobs are given by their
// places in the list.
func subBatches(jobs []policy.Forecast, n int) [][]int32 {
	all := make([]demand, len(jobs))
	total := demand{}
	for i := range jobs {
		all[i] = demandOf(&jobs[i])
		total = total.plus(all[i])
	}
	b := newPacking(total, n)
	left := newFitting(all, b.scale)
	for {
		at := b.emptiest(true)
		if at < 0 {
			break
		}
		job := left.best(b.left(at))
		if job < 0 {
			b.batches[at].closed = true // capacity only shrinks, and so do the jobs that are left
			continue
		}
		left.remove(job)
		b.put(at, job, all[job])
	}
	rest := left.rest()
	slices.SortStableFunc(rest, func(x, y int32) int { return cmp.Compare(b.size(all[y]), b.size(all[x])) })
	for _, job := range rest {
		b.put(b.emptiest(false), job, all[job])
	}
	out := make([][]int32, n)
	for i := range b.batches {
		out[i] = b.batches[i].jobs
	}
	return out
}

// packing is sub-batches that are being filled.
type packing struct {
	capacity demand // of each sub-batch
	scale    [demands]float64
	batches  []subBatch
}

type subBatch struct {
	used   demand
	jobs   []int32
	closed bool // no job that is left fits
}

func newPacking(total demand, n int) *packing {
	b := &packing{batches: make([]subBatch, n)}
	for i, sum := range total {
		b.capacity[i] = (sum + int64(n) - 1) / int64(n)
		if sum > 0 {
			b.scale[i] = 1 / float64(sum)
		}
	}
	return b
}

func (b *packing) put(at int, job int32, d demand) {
	s := &b.batches[at]
	s.used = s.used.plus(d)
	s.jobs = append(s.jobs, job)
}

// left returns what a sub-batch has room for.
func (b *packing) left(at int) (left demand) {
	for i := range left {
		left[i] = b.capacity[i] - b.batches[at].used[i]
	}
	return left
}

// size returns a demand as a share of the batch's, summed over what is demanded.
func (b *packing) size(d demand) (sum float64) {
	for i, v := range d {
		sum += float64(v) * b.scale[i]
	}
	return sum
}

// emptiest returns the sub-batch with the least in it, of the open ones if open is set; -1 if there is none.
func (b *packing) emptiest(open bool) int {
	best, least := -1, 0.0
	for i := range b.batches {
		if s := b.size(b.batches[i].used); !(open && b.batches[i].closed) && (best < 0 || s < least) {
			best, least = i, s
		}
	}
	return best
}
