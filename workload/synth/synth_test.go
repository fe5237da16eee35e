// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

func site(m model.RoomModel, seed uint64) workload.Site {
	return workload.Site{Model: m, Total: [model.Dims]int64{600, 200}, HDFS: hdfs.DefaultConfig(), Seed: seed}
}

func class(name string, change func(*ClassConfig)) ClassConfig {
	var c ClassConfig
	c.SetDefaults()
	c.Name = name
	if change != nil {
		change(&c)
	}
	return c
}

// mixed is a workload of two classes with all kinds of scatter.
func mixed(jobs int) *Config {
	c := DefaultConfig()
	c.Jobs = jobs
	c.Arrivals.Interval = 10 * model.Second
	c.Classes = []ClassConfig{
		class("small", func(k *ClassConfig) {
			k.Share, k.Users, k.Queue = 3, 4, "q"
			k.Maps = Dist[Count]{Kind: "uniform", Low: 1, High: 9}
			k.MapLength = Dist[model.Time]{Kind: "exponential", Mean: 5 * model.Second}
		}),
		class("large", func(k *ClassConfig) {
			k.Share = 1
			k.Maps = Dist[Count]{Kind: "lognormal", Mean: 100, CV: 1}
			k.Reduces = Constant[Count](7)
			k.MapLength = Dist[model.Time]{Kind: "lognormal", Mean: 20 * model.Second, CV: 0.5}
			k.ReduceLength = Dist[model.Time]{Kind: "bounded-pareto", Low: model.Second, High: 100 * model.Second, Alpha: 1.2}
			k.ShuffleTail, k.Goal, k.NoInput = 2*model.Second, model.Hour, true
		}),
	}
	return &c
}

// moments of values: mean and squared coefficient of variation.
func sampleMoments(v []float64) (mean, scv float64) {
	var sum, square float64
	for _, x := range v {
		sum += x
		square += x * x
	}
	n := float64(len(v))
	mean = sum / n
	return mean, (square/n - mean*mean) / (mean * mean)
}

func gaps(jobs []model.Job) (v []float64) {
	last := model.Time(0)
	for i := range jobs {
		v = append(v, (jobs[i].Submit - last).Seconds())
		last = jobs[i].Submit
	}
	return v
}

// Exponential gaps of mean 10 s: the mean of n has standard deviation 10/sqrt(n); the sample scv has mean 1
// and standard deviation about 2/sqrt(n). Four of each are allowed.
func TestPoissonArrivals(t *testing.T) {
	const n = 20000
	for seed := range uint64(5) {
		jobs := Generate(mixed(n), site(model.Slots, seed))
		mean, scv := sampleMoments(gaps(jobs))
		if math.Abs(mean-10) > 4*10/math.Sqrt(n) || math.Abs(scv-1) > 4*2/math.Sqrt(n) {
			t.Errorf("seed %d: gaps of mean %.3f and scv %.3f, want 10 and 1", seed, mean, scv)
		}
		if !slices.IsSortedFunc(jobs, func(a, b model.Job) int { return int(a.Submit - b.Submit) }) {
			t.Errorf("seed %d: jobs are not in order of submission", seed)
		}
	}
}

func TestOtherArrivals(t *testing.T) {
	c := mixed(100)
	c.Arrivals.Process = "uniform"
	for i, j := range Generate(c, site(model.Slots, 1)) {
		if j.Submit != model.Time(i+1)*10*model.Second {
			t.Fatalf("job %d at %v, want equal gaps of 10s", i, j.Submit)
		}
	}
	c.Arrivals = Arrivals{Process: "batch"}
	for i, j := range Generate(c, site(model.Slots, 1)) {
		if j.Submit != 0 {
			t.Fatalf("job %d of a batch at %v", i, j.Submit)
		}
	}
}

// load is the work offered to the busiest pool over its room times the time until the last arrival.
func load(jobs []model.Job, s workload.Site) (load float64) {
	span := jobs[len(jobs)-1].Submit.Seconds()
	for p, w := range workload.Work(jobs, s.Model) {
		load = max(load, w/(float64(s.Total[p])*span))
	}
	return load
}

// Equal gaps hit the target exactly; the span of n exponential gaps has a relative deviation of 1/sqrt(n).
func TestLoadIsHit(t *testing.T) {
	for _, m := range []model.RoomModel{model.Slots, model.Containers, model.Yarn} {
		for _, target := range []model.Fraction{0.3, 0.95, 1.5} {
			c := mixed(5000)
			c.Arrivals = Arrivals{Process: "uniform", Load: target}
			s := site(m, 3)
			if got := load(Generate(c, s), s); math.Abs(got/float64(target)-1) > 1e-6 {
				t.Errorf("model %d, equal gaps: load %.6f, want %g", m, got, target)
			}
			c.Arrivals.Process = "poisson"
			if got := load(Generate(c, s), s); math.Abs(got/float64(target)-1) > 4/math.Sqrt(5000) {
				t.Errorf("model %d, poisson: load %.4f, want %g", m, got, target)
			}
		}
	}
}

// Arrivals.Load promises that the gaps are scaled so that the jobs' work is this share of the room over the
// span of arrivals, for each seed and not only in the mean over seeds.
func TestPoissonLoadIsHitExactly(t *testing.T) {
	c := mixed(100)
	c.Arrivals = Arrivals{Process: "poisson", Load: 0.9}
	for seed := range uint64(10) {
		s := site(model.Slots, seed)
		if got := load(Generate(c, s), s); math.Abs(got/0.9-1) > 0.01 {
			t.Errorf("seed %d: load %.3f", seed, got)
		}
	}
}

// A workload is a function of its seed, and job i does not depend on how many follow.
func TestDeterminism(t *testing.T) {
	a, b := Generate(mixed(500), site(model.Slots, 7)), Generate(mixed(500), site(model.Slots, 7))
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed gave two workloads")
	}
	if longer := Generate(mixed(1000), site(model.Slots, 7)); !reflect.DeepEqual(a, longer[:500]) {
		t.Error("jobs depend on how many follow")
	}
	other := Generate(mixed(500), site(model.Slots, 8))
	if reflect.DeepEqual(a, other) || a[0].Submit == other[0].Submit {
		t.Error("two seeds gave the same workload")
	}
}

// With a draw every seed has the same jobs: those of the seed that it names.
func TestOneDraw(t *testing.T) {
	c := mixed(50)
	c.Draw = 7
	want := Generate(mixed(50), site(model.Slots, 7))
	for seed := uint64(7); seed < 9; seed++ {
		if got := Generate(c, site(model.Slots, seed)); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d draws jobs of its own", seed)
		}
	}
}

// Changing one class leaves the draws of the other and the arrivals alone.
func TestDrawsAreKeyed(t *testing.T) {
	a := Generate(mixed(500), site(model.Slots, 7))
	c := mixed(500)
	c.Classes[1].MapLength = Constant(model.Second)
	c.Classes[1].Users = 9
	for i, j := range Generate(c, site(model.Slots, 7)) {
		if j.Submit != a[i].Submit || j.Maps != a[i].Maps || j.Class == "small" && !reflect.DeepEqual(j, a[i]) {
			t.Fatalf("job %d: %+v was %+v", i, j, a[i])
		}
	}
}

// Shares 3 : 1 : 0 of n jobs are binomial: n p ± 4 sqrt(n p (1-p)).
func TestClassShares(t *testing.T) {
	const n = 20000
	c := mixed(n)
	c.Classes = append([]ClassConfig{class("never", func(k *ClassConfig) { k.Share = 0 })}, c.Classes...)
	c.Classes = append(c.Classes, class("never too", func(k *ClassConfig) { k.Share = 0 }))
	count, users := map[string]int{}, map[string]int{}
	for i, j := range Generate(c, site(model.Slots, 1)) {
		count[j.Class]++
		if j.Class == "small" {
			users[j.User]++
		}
		if int(j.ID) != i || j.After != model.None {
			t.Fatalf("job %d: %+v", i, j)
		}
	}
	if d := math.Abs(float64(count["small"]) - 0.75*n); d > 4*math.Sqrt(n*0.75*0.25) || count["never"]+count["never too"] > 0 || count["large"]+count["small"] != n {
		t.Errorf("classes %v, want 15000 small, 5000 large", count)
	}
	if len(users) != 4 {
		t.Errorf("users %v, want four", users)
	}
	for u, got := range users {
		if want := float64(count["small"]) / 4; math.Abs(float64(got)-want) > 4*math.Sqrt(want*0.75) || !strings.HasPrefix(u, "q-user") {
			t.Errorf("user %s has %d jobs, want about %.0f", u, got, want)
		}
	}
}

// The jobs drawn have the moments of the distributions. Maps are uniform over 1..9 and rounded, which gives the
// ends half the chance of the others: mean 5, variance 2 x 16/16 + 2 (9+4+1)/8 = 5.5. Lengths are lognormal
// with mean 20 s and scv 0.25. Four standard deviations of the mean are allowed.
func TestJobShapes(t *testing.T) {
	var maps, lengths []float64
	for _, j := range Generate(mixed(20000), site(model.Slots, 2)) {
		switch j.Class {
		case "small":
			maps = append(maps, float64(j.Maps))
			if j.Input != model.Bytes(j.Maps)*128*model.MiB || j.Reduces != 0 || j.Maps < 1 || j.Maps > 9 {
				t.Fatalf("%+v", j)
			}
		case "large":
			lengths = append(lengths, j.MapLength.Mean.Seconds())
			if l := j.ReduceLength.Mean; j.Input != 0 || j.Reduces != 7 || j.ShuffleTail != 2*model.Second || j.Goal != model.Hour ||
				l < model.Second || l > 100*model.Second {
				t.Fatalf("%+v", j)
			}
		}
	}
	mean, _ := sampleMoments(maps)
	if sd := math.Sqrt(5.5 / float64(len(maps))); math.Abs(mean-5) > 4*sd {
		t.Errorf("mean number of maps %.4f, want 5 ± %.4f", mean, 4*sd)
	}
	mean, scv := sampleMoments(lengths)
	if sd := 10 / math.Sqrt(float64(len(lengths))); math.Abs(mean-20) > 4*sd || math.Abs(scv-0.25) > 0.04 {
		t.Errorf("map lengths of mean %.4f and scv %.4f, want 20 ± %.4f and 0.25", mean, scv, 4*sd)
	}
}

func TestValidate(t *testing.T) {
	if p := mixed(1).Validate(); p != nil {
		t.Fatal(p)
	}
	for _, c := range []struct {
		want  string
		spoil func(*Config)
	}{
		{"arrivals", func(c *Config) { c.Arrivals.Interval = 0 }},
		{"arrivals", func(c *Config) { c.Arrivals.Load = 0.5 }},
		{"", func(c *Config) { c.Arrivals = Arrivals{Process: "batch"} }},
		{"", func(c *Config) { c.Arrivals = Arrivals{Process: "uniform", Load: 0.5} }},
		{"classes", func(c *Config) { c.Classes = nil }},
		{"classes", func(c *Config) { c.Classes[0].Share, c.Classes[1].Share = 0, 0 }},
		{"classes[1].name", func(c *Config) { c.Classes[1].Name = "small" }},
		{"classes[0].maps", func(c *Config) { c.Classes[0].Maps.High = 0.5 }},
		{"classes[1].map-length classes[1].reduce-length classes[1].reduces", func(c *Config) {
			k := &c.Classes[1]
			k.MapLength.Mean, k.ReduceLength.Alpha, k.Reduces.Kind, k.Reduces.Mean = 0, 0, "exponential", 0
		}},
	} {
		config := mixed(1)
		c.spoil(config)
		var got []string
		for _, p := range config.Validate() {
			if p.Found == "" || p.Allowed == "" {
				t.Errorf("%s: no words: %+v", p.Path, p)
			}
			got = append(got, p.Path)
		}
		slices.Sort(got) // Validate promises no order
		if strings.Join(got, " ") != c.want {
			t.Errorf("problems at %v, want %v", got, c.want)
		}
	}
}
