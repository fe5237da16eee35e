// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// foretold fails the test unless the predictor says this about the job.
func foretold(t *testing.T, why string, p *Predictor, j *cluster.Job, predicted bool, each float64) {
	t.Helper()
	if f := p.jobs.Of(j); f.predicted != predicted || f.each != each {
		t.Errorf("%s: predicted %t, each map makes %v; expected %t, %v", why, f.predicted, f.each, predicted, each)
	}
}

func TestPredictorAverages(t *testing.T) {
	d, n := nasDesk(t, DefaultNASParams(), 2, 2, 4)
	p := n.Predictor
	j := d.come(job("u", 4, 400, 0), 0)
	foretold(t, "a ratio of 1 before the first map has ended", p, j, false, 100)
	p.made(j, 0, 30, 1)
	foretold(t, "the first map", p, j, true, 30)
	p.made(j, 3, 60, 1)
	foretold(t, "the average of two", p, j, true, 45)
	if p.total != 180 || p.size(j) != 180 {
		t.Errorf("size %v, of all jobs %v; expected 180", p.size(j), p.total)
	}
	if a, b := p.portion(j, 0), p.portion(j, 1); a != 1.0/3 || b != 2.0/3 {
		t.Errorf("shares of the racks %v, %v; expected a third and two thirds", a, b)
	}
	p.made(j, 3, 60, -1)
	foretold(t, "lost output no longer counts", p, j, true, 30)
	if a, b := p.portion(j, 0), p.portion(j, 1); a != 1 || b != 0 {
		t.Errorf("shares of the racks %v, %v; expected all in rack 0", a, b)
	}
	p.made(j, 0, 30, -1)
	foretold(t, "what is known stays known when all output is lost", p, j, true, 30)
	if a := p.portion(j, 0); a != 0 {
		t.Errorf("share of a rack %v of no output", a)
	}
	p.made(j, 0, 30, 1)
	p.made(j, 0, 31, 1)
	foretold(t, "maps that differ by a byte are no news", p, j, true, 30)
}

func TestPredictorWithoutInputOrReduces(t *testing.T) {
	d, n := nasDesk(t, DefaultNASParams(), 2, 2, 4)
	none := d.come(job("u", 2, 0, 20))
	foretold(t, "no input", n.Predictor, none, false, 0)
	d.run(none, 0, 1)
	foretold(t, "no input, a map has ended", n.Predictor, none, true, 10)
	mapOnly := d.come(model.Job{User: "u", Queue: "q", Maps: 2, Input: 200}, 0)
	foretold(t, "no reduces", n.Predictor, mapOnly, true, 0)
	d.run(mapOnly, 0, 1)
	foretold(t, "no reduces, a map has ended", n.Predictor, mapOnly, true, 0)
	d, n = nasDesk(t, DefaultNASParams(), 2, 2, 4)
	empty := d.come(model.Job{User: "u", Queue: "q", Reduces: 1})
	foretold(t, "no maps", n.Predictor, empty, false, 0)
	if n.size(empty) != 0 || n.class(empty) != model.ShuffleLight {
		t.Errorf("a job without maps has size %v, class %v", n.size(empty), n.class(empty))
	}
	d.served("a job without maps", 0, empty, model.Reduce)
}

func TestPredictorKnows(t *testing.T) {
	p := DefaultNASParams()
	p.Known = "recurring"
	d, n := nasDesk(t, p, 2, 2, 4)
	first := d.come(job("u", 4, 400, 80), 0)
	foretold(t, "a job that does not recur", n.Predictor, first, false, 100)
	spec := job("u", 4, 400, 80)
	spec.Period = model.Hour
	again := d.come(spec, 0)
	foretold(t, "a job that recurs", n.Predictor, again, true, 20)
	n.made(again, 0, 40, 1)
	foretold(t, "its maps teach nothing", n.Predictor, again, true, 20)
	if n.portion(again, 0) != 1 {
		t.Error("where its output lies is seen all the same")
	}

	p.Known = "all"
	d, n = nasDesk(t, p, 2, 2, 4)
	foretold(t, "all are known", n.Predictor, d.come(job("u", 4, 400, 80), 0), true, 20)
}

// Errors have mean 1 and the coefficient of variation asked for, and belong to the job.
func TestPredictorErrs(t *testing.T) {
	const jobs, cv = 20000, 0.5
	d := newDesk(t, 1, 1, 1, 1)
	params := PredictorParams{Known: "all", Error: cv}
	p, q := NewPredictor(d.env(), params), NewPredictor(d.env(), params)
	sum, squares := 0.0, 0.0
	for i := range jobs {
		j := &cluster.Job{ID: model.JobID(i)}
		e := p.error(j)
		sum += e
		squares += e * e
		if i%7 == 0 && q.error(j) != e {
			t.Fatalf("the error of job %d depends on which others were asked about", i)
		}
	}
	mean := sum / jobs
	if got := math.Sqrt(squares/jobs-mean*mean) / mean; math.Abs(mean-1) > 0.02 || math.Abs(got-cv) > 0.03 {
		t.Errorf("errors have mean %.3f and a coefficient of variation of %.3f; expected 1 and %v", mean, got, cv)
	}
}

// Sums and extremes are over the jobs in the cluster.
func TestPredictorSums(t *testing.T) {
	d, n := nasDesk(t, DefaultNASParams(), 2, 2, 4)
	expect := func(why string, total float64, maps int64, least, most float64) {
		t.Helper()
		low, high := n.extremes()
		if n.total != total || n.maps != maps || low != least || high != most {
			t.Errorf("%s: total %v of %d maps, from %v to %v; expected %v, %d, %v, %v", why, n.total, n.maps, low, high, total, maps, least, most)
		}
	}
	expect("nobody", 0, 0, 0, 0)
	one := d.come(model.Job{User: "u", Queue: "q", Maps: 1, Input: 100, Reduces: 1, Shuffle: 7}, 0)
	expect("one job", 100, 1, 100, 100)
	d.come(job("u", 3, 900, 90), 0)
	expect("two jobs", 1000, 4, 100, 900)
	d.run(one, 0, 0)
	expect("one of them is known better", 907, 4, 7, 900)
	d.end(d.served("the last task of it", 0, one, model.Reduce), 0, true)
	expect("it has left", 900, 3, 900, 900)
}

func TestClasses(t *testing.T) {
	d, n := nasDesk(t, DefaultNASParams(), 2, 2, 4)
	for _, c := range []struct {
		input model.Bytes
		class model.ShuffleClass
	}{
		{0, model.ShuffleLight}, {model.MiB - 1, model.ShuffleLight}, {model.MiB, model.ShuffleMedium}, {100 * model.MiB, model.ShuffleMedium}, {100*model.MiB + 1, model.ShuffleHeavy},
	} {
		if got := n.class(d.come(job("u", 1, c.input, 0), 0)); got != c.class {
			t.Errorf("%d bytes are of class %v, expected %v", c.input, got, c.class)
		}
	}
}

// Equation 3.5 with numbers.
func TestThresholdOfJobs(t *testing.T) {
	p := DefaultNASParams()
	expect := func(why string, n *NAS, j *cluster.Job, want float64) {
		t.Helper()
		if got := float64(n.SlowStart(j)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: reduces start after %v of the maps, expected %v", why, got, want)
		}
	}
	d, n := nasDesk(t, p, 2, 2, 4)
	small := d.come(job("u", 1, 100, 0), 0)
	expect("the only job", n, small, 0.2)
	middle := d.come(job("u", 1, 350, 0), 0)
	large := d.come(job("u", 2, 1100, 0), 0)
	expect("the smallest", n, small, 0.5)
	expect("a quarter of the way", n, middle, 0.5-0.3/4)
	expect("the largest", n, large, 0.2)

	p.Scale = "log"
	d, n = nasDesk(t, p, 2, 2, 4)
	small, middle, large = d.come(job("u", 1, 0, 0)), d.come(job("u", 1, 9, 0), 0), d.come(job("u", 1, 9999, 0), 0)
	expect("log: the smallest", n, small, 0.5)
	expect("log: a quarter of the way", n, middle, 0.5-0.3/4)
	expect("log: the largest", n, large, 0.2)

	p = DefaultNASParams()
	d, n = nasDesk(t, p, 2, 2, 4)
	small, middle = d.come(job("u", 1, 500, 0), 0), d.come(job("u", 5, 500, 0), 0)
	expect("all of one size", n, small, 0.2)
	expect("all of one size", n, middle, 0.2)

	p.Adaptive = false
	d, n = nasDesk(t, p, 2, 2, 4)
	small = d.come(job("u", 1, 100, 0), 0)
	d.come(job("u", 1, 500, 0), 0)
	expect("one threshold for all", n, small, 0.2)

	p.Adaptive, p.CARTS = true, false
	d, n = nasDesk(t, p, 2, 2, 4)
	small = d.come(job("u", 1, 100, 0), 0)
	d.come(job("u", 1, 500, 0), 0)
	expect("without CA-RTS", n, small, 0.2)
}

// The predictor belongs to ShuffleWatcher too.
func TestShuffleWatcherPredicts(t *testing.T) {
	d := newDesk(t, 2, 2, 4, 1)
	var w *ShuffleWatcher
	d.drive("user", func(env *policy.Env) kit.Place { w = NewShuffleWatcher(env, DefaultShuffleWatcherParams()); return w })
	j := d.come(job("u", 2, 200, 20), 0)
	foretold(t, "before", w.Predictor, j, false, 100)
	task := d.run(j, 0, 0)
	foretold(t, "after", w.Predictor, j, true, 10)
	if w.portion(j, 0) != 1 {
		t.Errorf("all output lies in rack 0, not %v of it", w.portion(j, 0))
	}
	d.lose(task, 0)
	if w.portion(j, 0) != 0 {
		t.Errorf("lost output counts: %v", w.portion(j, 0))
	}
}
