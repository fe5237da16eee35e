// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/metrics"
)

// hasForecasts reports whether a run has estimates of completion to draw, which jobs with a goal
// have.
func hasForecasts(policies []PolicyRun) bool {
	return slices.ContainsFunc(policies, func(p PolicyRun) bool {
		return slices.ContainsFunc(p.Run.Series.Lines, func(l metrics.Line) bool { return l.Name == metrics.LineError })
	})
}

// forecastCurves returns the first curves of that name. Unlike those that are stacked they have
// gaps, where a value is NaN.
func forecastCurves(r *metrics.Run, name string, group int) []curve {
	list := []curve{}
	for _, l := range r.Series.Lines {
		if l.Name == name && len(list) < stackedLines {
			list = append(list, curve{Key: l.Key, Values: mergeKnown(l.Values, group)})
		}
	}
	return list
}

// freeShares returns curves of free room as shares of what their pools hold: MiB and vcores have no axis in common.
func freeShares(r *metrics.Run, curves []curve) []curve {
	for i := range curves {
		pool := slices.Index(r.Pools, curves[i].Key)
		values := make(coarse, len(curves[i].Values))
		for k, v := range curves[i].Values {
			if pool >= 0 && pool < len(r.Capacity) && r.Capacity[pool] > 0 {
				values[k] = v / float64(r.Capacity[pool])
			}
		}
		curves[i].Values = values
	}
	return curves
}

// mergeKnown averages the known values of every group of neighbours; NaN if there are none.
func mergeKnown(values []float64, group int) coarse {
	out := make(coarse, 0, len(values)/group+1)
	for chunk := range slices.Chunk(values, group) {
		sum, n := 0.0, 0.0
		for _, v := range chunk {
			if !math.IsNaN(v) {
				sum, n = sum+v, n+1
			}
		}
		out = append(out, sum/n) // 0/0 is NaN
	}
	return out
}
