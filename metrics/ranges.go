// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/stats"
)

// leastInRange is how many jobs a range of sizes must have for its mean to be used.
const leastInRange = 5

// rangeMeans returns the mean slowdown of the jobs of each range of sizes, two ranges per decade as in
// slowdown-2015 figure 12, in rising order. Ranges with few jobs are left out: their means are noise.
func (g *Group) rangeMeans() (means []float64) {
	const most = 40
	var sum, count [most]float64
	for _, j := range g.Jobs {
		if s := j.Size.Seconds(); s >= 1 {
			k := min(int(math.Floor(2*math.Log10(s)+1e-9)), most-1)
			sum[k], count[k] = sum[k]+j.Slowdown(), count[k]+1
		}
	}
	for k := range sum {
		if count[k] >= leastInRange {
			means = append(means, sum[k]/count[k])
		}
	}
	return means
}

func (g *Group) rangeMean() float64 { return stats.Mean(g.rangeMeans()) }

func (g *Group) rangeCV() float64 {
	v := g.rangeMeans()
	return ratio(math.Sqrt(stats.Variance(v)), stats.Mean(v))
}

// parseSizes reads LOW-HIGH, a range of job sizes in seconds.
func parseSizes(text string) (low, high float64, ok bool) {
	a, b, cut := strings.Cut(text, "-")
	low, err1 := strconv.ParseFloat(a, 64)
	high, err2 := strconv.ParseFloat(b, 64)
	return low, high, cut && err1 == nil && err2 == nil && low >= 0 && low < high
}
