// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/workload"
)

// FB2010 is a mix of jobs that looks like SWIM's trace FB-2010 (24,442 jobs of a day on a Facebook cluster),
// for where the trace is not at hand or another number of jobs is wanted. Jobs have input, shuffle data and
// output in bytes; the scenario's cost model makes tasks of them.
//
// A job is of one of seven kinds, by whether its input is below 10 MiB and by its shuffle data: none, light
// (below 1 MiB), medium, heavy (from 100 MiB). Their shares are those of the trace, so those of
// diverse-2018 figure 3.2 come out: 50.0 % with small input, 68.7 % light, 12.6 % medium, 18.7 % heavy. The eight
// heavy jobs of the trace with a small input are counted as having a large one. Within a kind the sizes
// have the quantiles of the trace at fb2010Points, to two digits, and between them they are interpolated
// geometrically. Input and output go with the shuffle data, or, where there is none, output with the
// input, by the rank correlation of the trace: each is the quantile at a normal variable that is so
// correlated. For 24,442 jobs the totals are 1.2 PB, 0.45 PB and 0.35 PB; the trace has 1.08, 0.44 and 0.34.
//
// The class of a job is light, medium or heavy, where light includes jobs without shuffle data.
type FB2010 struct {
	Count    int    `yaml:"jobs" min:"1" max:"10000000" doc:"Number of jobs."`
	Sampling string `yaml:"sampling" oneof:"random,stratified" doc:"How jobs are drawn: each by itself, or so that kinds have their exact shares and the sizes of each kind that the others follow are its quantiles."`
}

// SetDefaults fills what a scenario leaves out: as many jobs as the trace has.
func (c *FB2010) SetDefaults() { *c = FB2010{Count: 24442, Sampling: "stratified"} }

func (c *FB2010) problems() []model.Problem { return nil }

// sizes is the distribution of an amount of bytes: its quantiles at fb2010Points.
type sizes [10]float64

// fb2010Points are the shares of jobs whose sizes the table lists.
var fb2010Points = sizes{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1}

// fb2010Kind is one kind of jobs.
type fb2010Kind struct {
	class                  string
	share                  float64 // number of such jobs in the trace
	input, shuffle, output sizes
	withInput, withOutput  float64 // rank correlation of input and output with what leads: shuffle, or input without any
}

// fb2010Kinds was computed from FB-2010_samples_24_times_1hr_0.tsv.
var fb2010Kinds = [...]fb2010Kind{
	{class: "light", share: 4655, withInput: 1, withOutput: 0.50, // small input, no shuffle data
		input:  sizes{0, 100, 800, 97e3, 790e3, 2.8e6, 5.4e6, 8.9e6, 10e6, 10e6},
		output: sizes{0, 250, 2100, 39e3, 990e3, 5.5e6, 24e6, 10e9, 1.1e12, 5.3e12}},
	{class: "light", share: 6799, withInput: 0.41, withOutput: 0.59, // small input
		input:   sizes{0, 1, 600, 8200, 74e3, 1.3e6, 4.2e6, 7.7e6, 9.9e6, 10e6},
		shuffle: sizes{18, 22, 49, 690, 9500, 140e3, 380e3, 810e3, 1e6, 1e6},
		output:  sizes{0, 0, 140, 560, 56e3, 270e6, 1.9e9, 28e9, 140e9, 1.5e12}},
	{class: "medium", share: 764, withInput: 0.69, withOutput: 0.35, // small input
		input:   sizes{0, 740e3, 1.2e6, 2.6e6, 6e6, 8.6e6, 9.4e6, 10e6, 10e6, 10e6},
		shuffle: sizes{1.05e6, 1.4e6, 2e6, 3.8e6, 6.6e6, 13e6, 15e6, 28e6, 66e6, 100e6},
		output:  sizes{69, 1100, 24e3, 110e3, 1.1e6, 4.2e6, 6.7e6, 9.8e6, 22e6, 25e6}},
	{class: "light", share: 3669, withInput: 1, withOutput: 0.23, // large input, no shuffle data
		input:  sizes{11e6, 28e6, 66e6, 610e6, 8.2e9, 190e9, 370e9, 1.8e12, 6.6e12, 12e12},
		output: sizes{0, 82e3, 2.7e6, 37e6, 850e6, 14e9, 62e9, 530e9, 6e12, 12e12}},
	{class: "light", share: 1669, withInput: 0.23, withOutput: 0.53, // large input
		input:   sizes{11e6, 17e6, 60e6, 1.7e9, 4e9, 34e9, 57e9, 600e9, 2.8e12, 3.3e12},
		shuffle: sizes{18, 75, 850, 7900, 180e3, 530e3, 710e3, 980e3, 1e6, 1e6},
		output:  sizes{8, 110, 250, 640, 12e3, 130e3, 200e3, 41e6, 210e6, 3.3e9}},
	{class: "medium", share: 2310, withInput: 0.14, withOutput: 0.17, // large input
		input:   sizes{10.5e6, 14e6, 19e6, 180e6, 3.1e9, 13e9, 64e9, 480e9, 1.7e12, 2.1e12},
		shuffle: sizes{1.05e6, 3.1e6, 11e6, 22e6, 40e6, 69e6, 87e6, 100e6, 100e6, 100e6},
		output:  sizes{20, 290, 1600, 67e3, 1.4e6, 14e6, 24e6, 61e6, 180e6, 620e6}},
	{class: "heavy", share: 4576, withInput: 0.68, withOutput: 0.56, // large input
		input:   sizes{14e6, 90e6, 740e6, 3.4e9, 48e9, 250e9, 870e9, 2.7e12, 6.3e12, 12e12},
		shuffle: sizes{105e6, 170e6, 210e6, 1e9, 9.4e9, 75e9, 240e9, 2e12, 7e12, 30e12},
		output:  sizes{0, 12e3, 170e3, 89e6, 1.1e9, 7.2e9, 55e9, 610e9, 2.1e12, 85e12}},
}

// Jobs returns the jobs of the site's seed, all submitted at 0s.
func (c *FB2010) Jobs(site workload.Site) []model.Job {
	cost := workload.DefaultCost()
	if site.Cost != nil {
		cost = *site.Cost
	}
	shapes := rng.New(site.Seed, rng.FB2010Shape)
	jobs := make([]model.Job, c.Count)
	for i, d := range c.draw(site.Seed) {
		k := &fb2010Kinds[d.kind]
		other := func(what uint64, correlation float64) float64 {
			own := shapes.At(uint64(i), what, 0).NormFloat64()
			return cumulative(correlation*normal(d.lead) + math.Sqrt(1-correlation*correlation)*own)
		}
		r := workload.NewRecord("")
		r.Name, r.User, r.Queue, r.Class = fmt.Sprintf("fb-%d", i), "swim", "default", k.class
		r.Input = k.input.at(other(0, k.withInput))
		r.Shuffle = k.shuffle.at(d.lead)
		r.Output = k.output.at(other(1, k.withOutput))
		jobs[i] = cost.Apply(&r, site, workload.DefaultNeeds())
		jobs[i].ID = model.JobID(i)
	}
	return jobs
}

// fb2010Draw is the kind of a job and the place in 0..1 of the size that leads.
type fb2010Draw struct {
	kind int
	lead float64
}

// draw returns the kinds and leading sizes of the jobs of a seed.
func (c *FB2010) draw(seed uint64) []fb2010Draw {
	kinds := rng.New(seed, rng.FB2010Kind)
	leads := rng.New(seed, rng.FB2010Lead)
	shares := make([]float64, len(fb2010Kinds))
	total := 0.0
	for k := range shares {
		shares[k] = fb2010Kinds[k].share
		total += shares[k]
	}
	draws := make([]fb2010Draw, c.Count)
	if c.Sampling == "random" {
		for i := range draws {
			u := kinds.At(uint64(i), 0, 0).Float64() * total
			for draws[i].kind < len(shares)-1 && u >= shares[draws[i].kind] {
				u -= shares[draws[i].kind]
				draws[i].kind++
			}
			draws[i].lead = leads.At(uint64(i), 0, 0).Float64()
		}
		return draws
	}
	deal := kinds.At(0, 0, 0).Perm(c.Count)
	first := 0
	for k, n := range apportion(c.Count, shares) {
		for i, at := range leads.At(uint64(k), 1, 0).Perm(n) {
			draws[deal[first+i]] = fb2010Draw{kind: k, lead: stratum(at, n)}
		}
		first += n
	}
	return draws
}

// at returns the quantile at u: between two points the size grows by equal factors, or by equal steps where it
// begins at less than a byte.
func (q *sizes) at(u float64) model.Bytes {
	i := 0
	for i < len(q)-2 && u > fb2010Points[i+1] {
		i++
	}
	low, high := q[i], q[i+1]
	part := (u - fb2010Points[i]) / (fb2010Points[i+1] - fb2010Points[i])
	if low < 1 {
		return model.Bytes(low + (high-low)*part)
	}
	return model.Bytes(low * math.Pow(high/low, part))
}

// normal is the quantile of the standard normal distribution at u, cumulative its inverse.
func normal(u float64) float64     { return math.Sqrt2 * math.Erfinv(2*clamp(u)-1) }
func cumulative(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
