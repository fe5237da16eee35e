// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// Marginals are the properties of a workload that slowdown-2015 §V-C publishes of its own.
type Marginals struct {
	TotalReference                   float64 // hours, of all jobs one after another
	MeanReference                    float64 // seconds
	ReferenceSCV                     float64 // squared coefficient of variation
	LeastReference, LargestReference float64 // seconds
	MeanSize, SizeSCV                float64 // seconds
	LeastSize, LargestSize           float64 // seconds
	TopShare                         float64 // of the work, in the largest 8 % of the jobs
	Below14000                       float64 // share of the work that is E[min(S, 14000 s)]
	LeastTasks, MostTasks            float64 // of a job
	InputRank                        float64 // rank correlation of input and size
}

// Measure returns the marginals of the jobs, whose run times alone in the empty cluster are
// reference, in the order of jobs. Sizes are taken from mean lengths where lengths are not fixed.
func Measure(jobs []model.Job, reference []model.Time) Marginals {
	n := len(jobs)
	refs, sizes, inputs, tasks := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range jobs {
		j := &jobs[i]
		refs[i], sizes[i] = reference[i].Seconds(), size(j)
		inputs[i], tasks[i] = float64(j.Input), float64(j.Maps+j.Reduces)
	}
	var m Marginals
	m.InputRank = rankCorrelation(inputs, sizes)
	m.MeanReference, m.ReferenceSCV = meanAndSCV(refs)
	m.TotalReference = m.MeanReference * float64(n) / 3600
	m.MeanSize, m.SizeSCV = meanAndSCV(sizes)
	m.LeastReference, m.LargestReference = slices.Min(refs), slices.Max(refs)
	m.LeastTasks, m.MostTasks = slices.Min(tasks), slices.Max(tasks)
	slices.Sort(sizes)
	m.LeastSize, m.LargestSize = sizes[0], sizes[n-1]
	for i, s := range sizes {
		if i >= n-n*8/100 {
			m.TopShare += s / (m.MeanSize * float64(n))
		}
		m.Below14000 += min(s, 14000) / (m.MeanSize * float64(n))
	}
	return m
}

// size is the sum of the job's task run times (slowdown-2015 §III).
func size(j *model.Job) (sum float64) {
	for k := range model.Kind(model.Kinds) {
		l := j.Lengths(k)
		for _, t := range l.Fixed {
			sum += t.Seconds()
		}
		if len(l.Fixed) == 0 {
			sum += float64(j.Tasks(k)) * l.Mean.Seconds()
		}
	}
	return sum + float64(j.Reduces)*j.ShuffleTail.Seconds()
}

func meanAndSCV(v []float64) (mean, scv float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		scv += (x - mean) * (x - mean) / (mean * mean * float64(len(v)))
	}
	return mean, scv
}

// rankCorrelation is Spearman's: the correlation of the ranks, equal values sharing their mean rank.
func rankCorrelation(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mean := float64(len(a)-1) / 2
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mean, y[i]-mean
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(v[a], v[b]), a-b) })
	out := make([]float64, len(v))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && v[order[to]] == v[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}

// FacebookMarginal is one published property: what is asked, in the words of the paper, and what a
// workload has.
type FacebookMarginal struct {
	Name, Asked string
	Value       func(*Marginals) float64
}

// FacebookMarginals lists what slowdown-2015 publishes of its workload, in the order of §V-C.
var FacebookMarginals = []FacebookMarginal{
	{"total reference runtime [h]", "about 60 (§V-C)", func(m *Marginals) float64 { return m.TotalReference }},
	{"mean reference runtime [s]", "193 (60 h / 1121)", func(m *Marginals) float64 { return m.MeanReference }},
	{"scv of reference runtimes", "16.35 (§V-C)", func(m *Marginals) float64 { return m.ReferenceSCV }},
	{"least reference runtime [s]", "3 orders below the largest (§I)", func(m *Marginals) float64 { return m.LeastReference }},
	{"largest reference runtime [s]", "", func(m *Marginals) float64 { return m.LargestReference }},
	{"mean size [s]", "not published", func(m *Marginals) float64 { return m.MeanSize }},
	{"scv of sizes", "3.32 (§V-C)", func(m *Marginals) float64 { return m.SizeSCV }},
	{"least size [s]", "10 (figure 12)", func(m *Marginals) float64 { return m.LeastSize }},
	{"largest size [s]", "beyond 36000 (§VI-E), days (abstract)", func(m *Marginals) float64 { return m.LargestSize }},
	{"load of the largest 8 % of jobs", "almost half (§V-C)", func(m *Marginals) float64 { return m.TopShare }},
	{"work under TAGS's limit of 14000 s", "0.35 (§VI-A)", func(m *Marginals) float64 { return m.Below14000 }},
	{"fewest tasks of a job", "less than 10 (§V-C)", func(m *Marginals) float64 { return m.LeastTasks }},
	{"most tasks of a job", "more than 10000 (§V-C)", func(m *Marginals) float64 { return m.MostTasks }},
	{"rank correlation of input and size", "strong (§V-C)", func(m *Marginals) float64 { return m.InputRank }},
}

// WriteFacebookMarginals writes the table of what is asked against what the workloads, such as those
// of 20 seeds, have: the mean over them, and the least and the largest.
func WriteFacebookMarginals(w io.Writer, of []Marginals) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-36s %-38s %10s %10s %10s\n", "marginal", "asked", "reached", "least", "largest")
	for _, row := range FacebookMarginals {
		sum, least, largest := 0.0, math.Inf(1), math.Inf(-1)
		for i := range of {
			v := row.Value(&of[i])
			sum, least, largest = sum+v, min(least, v), max(largest, v)
		}
		fmt.Fprintf(&b, "%-36s %-38s %10.5g %10.5g %10.5g\n", row.Name, row.Asked, sum/float64(len(of)), least, largest)
	}
	fmt.Fprint(w, b.String())
}
