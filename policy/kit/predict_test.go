// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// predicting returns a predictor for n jobs of the given tasks; each has as many GiB of input as its
// number plus one.
func predicting(p PredictParams, n int, maps, reduces int32, sizes policy.Sizes) (*Predictor, []*cluster.Job) {
	jobs, state := make([]*cluster.Job, n), cluster.New(&model.Topology{Model: model.Slots})
	for i := range jobs {
		jobs[i] = state.AddJob(0, &model.Job{ID: model.JobID(i), After: model.None, Maps: maps, Reduces: reduces, Input: model.Bytes(i+1) * model.GiB})
	}
	return NewPredictor(&policy.Env{Cluster: state, Seed: 7, Sizes: sizes}, p), jobs
}

// complete tells the predictor that the job has run with tasks of these lengths.
func complete(p *Predictor, j *cluster.Job, maps, reduces model.Time) {
	for range j.Total[model.Map] {
		p.TaskRan(0, j, model.Map, maps)
	}
	for range j.Total[model.Reduce] {
		p.TaskRan(0, j, model.Reduce, reduces)
	}
	p.Completed(j)
}

// Sizes that are a power of the input are predicted exactly, even outside what was seen.
func TestPredictFromInput(t *testing.T) {
	const s = model.Second
	p, jobs := predicting(DefaultPredictParams(), 100, 1, 0, nil)
	if got, ok := p.Predict(jobs[3]); got != 0 || !ok {
		t.Errorf("before anything is known: %v, %t", got, ok)
	}
	complete(p, jobs[0], 10*s, 0)
	if got, _ := p.Predict(jobs[4]); math.Abs(got.Seconds()-50) > 1e-6 {
		t.Errorf("after one job of 10 s for 1 GiB, 5 GiB are taken to be %v, want 50 s", got)
	}
	complete(p, jobs[3], 20*s, 0) // 4 GiB: twice the size for four times the input
	if got, _ := p.Predict(jobs[99]); math.Abs(got.Seconds()-100) > 1e-6 {
		t.Errorf("100 GiB are taken to be %v, want 10 s x sqrt(100)", got)
	}
	jobs[8].Input = 0
	if got, _ := p.Predict(jobs[8]); got != 15*s { // one task of the mean length
		t.Errorf("without input: %v", got)
	}
}

// The first of four maps takes 10 s. Completed jobs had 4 x 10 s of maps and 2 x 5 s of reduces, so
// reduces are a quarter on top.
func TestPredictFromTasks(t *testing.T) {
	const s = model.Second
	p, jobs := predicting(PredictParams{Predict: "tasks", Sample: 0.25}, 3, 4, 2, nil)
	complete(p, jobs[0], 10*s, 5*s)
	if got, ok := p.Predict(jobs[1]); ok {
		t.Errorf("predicted %v before a map has ended", got)
	}
	p.TaskRan(0, jobs[1], model.Map, 20*s)
	if got, ok := p.Predict(jobs[1]); !ok || got != 100*s {
		t.Errorf("predicted %v, %t; want 4 x 20 s and a quarter more", got, ok)
	}
}

type oneSize model.Time

func (o oneSize) Remaining(model.JobID) model.Time { return model.Time(o) }
func (o oneSize) Total(model.JobID) model.Time     { return model.Time(o) }

// The error is a factor of mean 1 and the given coefficient of variation, the same for a job whenever
// it is asked about.
func TestPredictWithError(t *testing.T) {
	const n = 40000
	p, jobs := predicting(PredictParams{Predict: "perfect", Error: 0.5}, n, 1, 0, oneSize(100*model.Second))
	sum, squares := 0.0, 0.0
	for i := range jobs {
		v, _ := p.Predict(jobs[i])
		if again, _ := p.Predict(jobs[i]); again != v {
			t.Fatalf("job %d is %v, then %v", i, v, again)
		}
		sum, squares = sum+v.Seconds()/100, squares+math.Pow(v.Seconds()/100, 2)
	}
	mean := sum / n
	if cv := math.Sqrt(squares/n-mean*mean) / mean; math.Abs(mean-1) > 0.01 || math.Abs(cv-0.5) > 0.02 {
		t.Errorf("mean %.3f, cv %.3f; want 1 and 0.5", mean, cv)
	}
	exact, _ := predicting(PredictParams{Predict: "perfect"}, 1, 1, 0, oneSize(100*model.Second))
	if v, _ := exact.Predict(jobs[0]); v != 100*model.Second {
		t.Errorf("without error: %v", v)
	}
}

// The running fit is that of the normal equations over all points.
func TestLineFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(10, 40), 2, 50).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(0, 30), len(x), len(x)).Draw(t, "y")
		var f lineFit
		var n, mx, my, xx, xy float64
		for i := range x {
			f.add(x[i], y[i])
			n, mx, my = n+1, mx+x[i], my+y[i]
		}
		mx, my = mx/n, my/n
		for i := range x {
			xx, xy = xx+(x[i]-mx)*(x[i]-mx), xy+(x[i]-mx)*(y[i]-my)
		}
		if xx < 1e-6 {
			return
		}
		if want := my + xy/xx*(20-mx); math.Abs(f.at(20)-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("at 20: %g, want %g", f.at(20), want)
		}
	})
}
