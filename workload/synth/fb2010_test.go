// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

func mix(sampling string, jobs int, seed uint64, cost *workload.Cost) []model.Job {
	at := site(model.Containers, seed)
	at.Cost = cost
	return (&FB2010{Count: jobs, Sampling: sampling}).Jobs(at)
}

// The shares of diverse-2018 figure 3.2, and the totals of the trace within an eighth.
func TestFB2010LooksLikeTheTrace(t *testing.T) {
	jobs := mix("stratified", 24442, 1, nil)
	var small, light, medium, heavy, input, shuffle, output float64
	for i := range jobs {
		j := &jobs[i]
		if j.Input < 10*model.MiB {
			small++
		}
		class := "medium"
		switch {
		case j.Shuffle < model.MiB:
			class = "light"
			light++
		case j.Shuffle > 100*model.MiB:
			class = "heavy"
			heavy++
		default:
			medium++
		}
		if j.Class != class {
			t.Fatalf("%s is %s, with %v of shuffle data", j.Name, j.Class, j.Shuffle)
		}
		input, shuffle, output = input+float64(j.Input), shuffle+float64(j.Shuffle), output+float64(j.Output)
	}
	n := float64(len(jobs))
	for _, c := range []struct {
		name            string
		got, want, most float64
	}{
		{"small-input", small / n, 0.5002, 0.0005},
		{"shuffle-light", light / n, 0.6870, 0.0001},
		{"shuffle-medium", medium / n, 0.1258, 0.0001},
		{"shuffle-heavy", heavy / n, 0.1872, 0.0001},
		{"input over that of the trace", input / 1082.6e12, 1, 0.125},
		{"shuffle over that of the trace", shuffle / 437.9e12, 1, 0.125},
		{"output over that of the trace", output / 339.4e12, 1, 0.125},
	} {
		if math.Abs(c.got-c.want) > c.most {
			t.Errorf("%s: %.4f, want %.4f", c.name, c.got, c.want)
		}
	}
}

// Seeds deal the same leading sizes to other jobs if stratified, and draw other sizes if random; either draws a
// job's sizes alike for the same seed.
func TestFB2010Sampling(t *testing.T) {
	sizes := func(jobs []model.Job) (list []model.Bytes) {
		for i := range jobs {
			list = append(list, jobs[i].Shuffle)
		}
		return list
	}
	for sampling, same := range map[string]bool{"stratified": true, "random": false} {
		one, again, two := sizes(mix(sampling, 200, 1, nil)), sizes(mix(sampling, 200, 1, nil)), sizes(mix(sampling, 200, 2, nil))
		if !slices.Equal(one, again) || slices.Equal(one, two) {
			t.Errorf("%s: the same seed draws alike: %v, another one too: %v", sampling, slices.Equal(one, again), slices.Equal(one, two))
		}
		slices.Sort(one)
		slices.Sort(two)
		if slices.Equal(one, two) != same {
			t.Errorf("%s: two seeds have the same sizes: %v, want %v", sampling, !same, same)
		}
	}
	few, more := sizes(mix("random", 10, 1, nil)), sizes(mix("random", 20, 1, nil))
	if !slices.Equal(few, more[:10]) {
		t.Error("a job that is drawn by itself depends on how many follow")
	}
}

// Tasks are those that the site's cost model makes of the bytes.
func TestFB2010Cost(t *testing.T) {
	cost := workload.DefaultCost()
	cost.BytesPerReduce, cost.ReducesByOutput = 64*model.MiB, true
	jobs, plain := mix("stratified", 200, 1, &cost), mix("stratified", 200, 1, nil)
	for i := range jobs {
		r := workload.NewRecord("")
		r.Input, r.Shuffle, r.Output = plain[i].Input, plain[i].Shuffle, plain[i].Output
		if want := cost.Apply(&r, site(model.Containers, 1), workload.DefaultNeeds()); jobs[i].Maps != want.Maps || jobs[i].Reduces != want.Reduces {
			t.Errorf("%s: %d maps and %d reduces, want %d and %d", jobs[i].Name, jobs[i].Maps, jobs[i].Reduces, want.Maps, want.Reduces)
		}
	}
}

// Sizes have the quantiles of the table, and grow between them.
func TestSizesBetweenPoints(t *testing.T) {
	for k := range fb2010Kinds {
		for _, q := range []*sizes{&fb2010Kinds[k].input, &fb2010Kinds[k].shuffle, &fb2010Kinds[k].output} {
			for i, u := range fb2010Points {
				if got := q.at(u); math.Abs(float64(got)-q[i]) > 1+1e-9*q[i] {
					t.Errorf("kind %d: %v at %g, want %g", k, got, u, q[i])
				}
			}
			last := model.Bytes(0)
			for u := 0.0; u <= 1; u += 1.0 / 1024 {
				if b := q.at(u); b < last {
					t.Errorf("kind %d: %v at %g, after %v", k, b, u, last)
				} else {
					last = b
				}
			}
		}
	}
}
