// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// Job-size ranges are logarithmic, two per decade, from 1 s on; smaller jobs share one range, and
// so do jobs above the last edge.
const (
	rangesPerDecade = 2
	largestDecade   = 10
)

// sizeRange is what is known of the jobs of one size range.
type sizeRange struct {
	Count int  `json:"count"`
	Known int  `json:"known"` // jobs whose slowdown is known
	Mean  num  `json:"mean"`  // slowdown
	P95   num  `json:"p95"`
	Blame nums `json:"blame,omitempty"` // mean seconds per job, by part
}

// sizeEdges returns the lower edges of the ranges from the one with the smallest to the one with
// the largest job of any policy; empty if there are no jobs. A first edge of 0 is the range below
// 1 s.
func sizeEdges(policies []PolicyRun) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range policies {
		for i := range p.Run.Jobs {
			s := p.Run.Jobs[i].Size.Seconds()
			low, high = min(low, s), max(high, s)
		}
	}
	if low > high {
		return []float64{}
	}
	all := allEdges()
	return all[rangeOf(all, low) : rangeOf(all, high)+1]
}

// allEdges returns the lower edges of all ranges that there can be.
func allEdges() []float64 {
	all := []float64{0}
	for k := 0; k <= rangesPerDecade*largestDecade; k++ {
		all = append(all, math.Pow(10, float64(k/rangesPerDecade))*math.Pow(10, float64(k%rangesPerDecade)/rangesPerDecade))
	}
	return all
}

// rangeOf returns the last range whose lower edge is at most size.
func rangeOf(edges []float64, size float64) int {
	i, found := slices.BinarySearch(edges, size)
	if found {
		return i
	}
	return max(i-1, 0)
}

// newRanges splits the jobs by size.
func newRanges(jobs []metrics.Job, edges []float64) []sizeRange {
	members := make([][]metrics.Job, len(edges))
	for i := range jobs {
		r := rangeOf(edges, jobs[i].Size.Seconds())
		members[r] = append(members[r], jobs[i])
	}
	list := make([]sizeRange, len(edges))
	for r, in := range members {
		var slow []float64
		var sum float64
		for i := range in {
			if in[i].Reference > 0 {
				slow = append(slow, in[i].Slowdown())
				sum += in[i].Slowdown()
			}
		}
		list[r].Count, list[r].Known = len(in), len(slow)
		if len(slow) > 0 {
			slices.Sort(slow)
			list[r].Mean, list[r].P95 = num(sum/float64(len(slow))), num(stats.Quantile(slow, 0.95))
		}
		if len(in) > 0 {
			list[r].Blame = meanBlame(in)
		}
	}
	return list
}

// meanBlame returns the mean seconds that a job spent in each part.
func meanBlame(jobs []metrics.Job) nums {
	total := make(nums, metrics.Parts)
	for i := range jobs {
		for p, t := range jobs[i].Blame {
			total[p] += t.Seconds()
		}
	}
	return divide(total, len(jobs))
}

// meanLimits returns the mean seconds that a job was held back by each limit.
func meanLimits(jobs []metrics.Job) nums {
	total := make(nums, model.Limits)
	for i := range jobs {
		for l, t := range jobs[i].Limits {
			total[l] += t.Seconds()
		}
	}
	return divide(total, len(jobs))
}

func divide(total nums, n int) nums {
	for i := range total {
		total[i] /= float64(max(n, 1))
	}
	return total
}
