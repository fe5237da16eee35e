// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/packed"
)

const (
	maxBuckets   = 1024
	stackedLines = 12      // lines of a stack; the others are drawn as one
	valueBudget  = 125_000 // values of all series of a page together
)

// series is how a run went over time: curves in buckets of Width seconds.
type series struct {
	Width    num     `json:"width"`
	Queue    []curve `json:"queue"`
	Job      []curve `json:"job"`
	Use      []curve `json:"use"`      // utilisation, one curve per pool
	Jobs     []curve `json:"jobs"`     // number of jobs running and waiting
	Error    []curve `json:"error"`    // relative error of estimated completions, one curve per job, with gaps
	Free     []curve `json:"free"`     // share of room that is free, one curve per pool
	Capacity num     `json:"capacity"` // containers in the cluster; 0 if that is not a number of containers
}

// curve is one line of a series. Others is the number of lines that it stands for, if several.
type curve struct {
	Key    string `json:"key"`
	Others int    `json:"others,omitempty"`
	Values coarse `json:"v"`
}

// bucketsFor returns how many buckets each policy's series may have, so that all of them
// together stay within valueBudget.
func bucketsFor(policies []PolicyRun) int {
	lines := 0
	for _, p := range policies {
		n := make(map[string]int)
		for _, l := range p.Run.Series.Lines {
			n[l.Name]++
		}
		lines += min(n[metrics.LineQueue], stackedLines+1) + min(n[metrics.LineJob], stackedLines+1) + n[metrics.LineUse] + n[metrics.LineClass] + n[metrics.LineJobs] + n[metrics.LineLinks] + n[metrics.LineCPU] + n[metrics.LineAMShare] + n[metrics.LineFree] + min(n[metrics.LineError], stackedLines)
	}
	return min(maxBuckets, max(valueBudget/max(lines, 1), 16))
}

// newSeries takes what the page draws from a run's series, in at most buckets buckets. Queues that have no colour are drawn
// as one.
func newSeries(r *metrics.Run, buckets int, coloured []string) series {
	length := 0
	for _, l := range r.Series.Lines {
		length = max(length, len(l.Values))
	}
	group := (length + buckets - 1) / buckets // buckets that become one
	group = max(group, 1)
	s := series{Width: num(r.Series.Width.Seconds() * float64(group))}
	byName := func(name string) []curve {
		list := []curve{}
		for _, l := range r.Series.Lines {
			if l.Name == name {
				list = append(list, curve{Key: l.Key, Values: packed.Merge(l.Values, group)})
			}
		}
		return list
	}
	all := byName(metrics.LineQueue)
	s.Queue = gather(all, func(i int) bool { return slices.Contains(coloured, all[i].Key) })
	s.Job = largest(byName(metrics.LineJob))
	s.Use, s.Jobs, s.Free = byName(metrics.LineUse), byName(metrics.LineJobs), freeShares(r, byName(metrics.LineFree))
	s.Use = append(s.Use, byName(metrics.LineClass)...)
	s.Error = forecastCurves(r, metrics.LineError, group)
	for _, name := range []string{metrics.LineLinks, metrics.LineCPU, metrics.LineAMShare} {
		for _, c := range byName(name) {
			c.Key = name + " " + c.Key
			s.Use = append(s.Use, c)
		}
	}
	for i, pool := range r.Pools {
		if pool == "memory" || i >= len(r.Capacity) {
			s.Capacity = 0
			break
		}
		s.Capacity += num(r.Capacity[i])
	}
	return s
}

// largest keeps the stackedLines curves with the largest areas, in their order, and adds up the
// others into one.
func largest(curves []curve) []curve {
	if len(curves) <= stackedLines+1 {
		return curves
	}
	rank, areas, kept := make([]int, len(curves)), make([]float64, len(curves)), make([]bool, len(curves))
	for i := range curves {
		rank[i], areas[i] = i, area(curves[i].Values)
	}
	slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(areas[b], areas[a]) })
	for _, i := range rank[:stackedLines] {
		kept[i] = true
	}
	return gather(curves, func(i int) bool { return kept[i] })
}

// gather keeps some curves, in their order, and adds up the others into one behind them.
func gather(curves []curve, keep func(i int) bool) []curve {
	list, other := []curve{}, curve{Key: "others"}
	for i, c := range curves {
		if keep(i) {
			list = append(list, c)
			continue
		}
		other.Others++
		for b, v := range c.Values {
			if b == len(other.Values) {
				other.Values = append(other.Values, 0)
			}
			other.Values[b] += v
		}
	}
	if other.Others > 0 {
		list = append(list, other)
	}
	return list
}

// area is the sum of the values of a curve.
func area(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
