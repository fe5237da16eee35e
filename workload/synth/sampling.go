// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/workload"
)

// What is drawn for a job. Each has draws of its own, so changing one field moves no other.
const (
	drawUser uint64 = iota
	drawMaps
	drawReduces
	drawMapLength
	drawReduceLength
	drawGoal
	draws
)

// random draws every job by itself: job i does not depend on how many follow.
func random(c *Config, site workload.Site) []model.Job {
	picks := rng.New(site.Seed, rng.JobClass)
	shapes := rng.New(site.Seed, rng.JobShape)
	total := 0.0
	for i := range c.Classes {
		total += c.Classes[i].Share
	}
	jobs := make([]model.Job, c.Jobs)
	for i := range jobs {
		u := picks.At(uint64(i), 0, 0).Float64() * total
		k := 0
		for k < len(c.Classes)-1 && u >= c.Classes[k].Share {
			u -= c.Classes[k].Share
			k++
		}
		jobs[i] = c.Classes[k].job(i, site, func(what uint64) float64 { return shapes.At(uint64(i), what, 0).Float64() })
	}
	return jobs
}

// stratified gives the workload the distributions that it is meant to have, tails included: classes
// have their exact shares, and the n jobs of a class have as values of each field the quantiles of
// its distribution at (i+0.5)/n. The seed decides which job gets which: classes are dealt out by
// one random permutation, and the values of each field of each class by one of its own. Here a job
// does depend on how many there are.
func stratified(c *Config, site workload.Site) []model.Job {
	shares := make([]float64, len(c.Classes))
	for i := range shares {
		shares[i] = c.Classes[i].Share
	}
	counts := apportion(c.Jobs, shares)
	var classes []int
	for k, n := range counts {
		classes = append(classes, slices.Repeat([]int{k}, n)...)
	}
	deal := rng.New(site.Seed, rng.StratifiedClass).At(0, 0, 0).Perm(c.Jobs)
	perms := make([][draws][]int, len(c.Classes))
	shapes := rng.New(site.Seed, rng.StratifiedShape)
	for k, n := range counts {
		for what := range draws {
			perms[k][what] = shapes.At(uint64(k), what, 0).Perm(n)
		}
	}
	jobs := make([]model.Job, c.Jobs)
	seen := make([]int, len(c.Classes)) // jobs of each class so far
	for i := range jobs {
		k := classes[deal[i]]
		at := seen[k]
		seen[k]++
		jobs[i] = c.Classes[k].job(i, site, func(what uint64) float64 { return stratum(perms[k][what][at], counts[k]) })
	}
	return jobs
}

// stratum is the middle of the i-th of n equal parts of 0..1.
func stratum(i, n int) float64 { return (float64(i) + 0.5) / float64(n) }

// apportion splits n things in proportion to the shares by the method of largest remainders: each
// gets its quota rounded down, and those with the largest fractions, earlier ones first where they
// are equal, get one more until all are given out. The sum of the shares must be above 0.
func apportion(n int, shares []float64) []int {
	total := 0.0
	for _, s := range shares {
		total += s
	}
	counts, order, left := make([]int, len(shares)), make([]int, len(shares)), n
	rest := make([]float64, len(shares))
	for k, s := range shares {
		quota := float64(n) * s / total
		counts[k], order[k] = int(math.Floor(quota)), k
		rest[k] = quota - math.Floor(quota)
		left -= counts[k]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for i := 0; left > 0; i++ {
		if k := order[i%len(order)]; shares[k] > 0 {
			counts[k]++
			left--
		}
	}
	return counts
}
