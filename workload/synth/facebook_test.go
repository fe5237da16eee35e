// SPDX-License-Identifier: Apache-2.0

package synth_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/synth"
)

// times records when each job was submitted, started its first task and ended.
type times struct{ submit, start, end []model.Time }

func (r *times) Record(e *record.Event) {
	switch e.Kind {
	case record.JobSubmitted:
		r.submit[e.Task.Job], r.start[e.Task.Job] = e.Time, model.None
	case record.TaskStarted:
		if r.start[e.Task.Job] == model.None {
			r.start[e.Task.Job] = e.Time
		}
	case record.JobEnded:
		r.end[e.Task.Job] = e.Time
	}
}

func topology(nodes int, maps, reduces int32) *model.Topology {
	var k cluster.ClassConfig
	k.SetDefaults()
	k.Nodes, k.MapSlots, k.ReduceSlots = nodes, maps, reduces
	c := cluster.DefaultConfig()
	c.Classes = []cluster.ClassConfig{k}
	return c.Topology()
}

func siteOf(t *model.Topology, seed uint64) workload.Site {
	return workload.Site{Model: t.Model, Total: t.Total(), HDFS: hdfs.DefaultConfig(), Seed: seed}
}

// fifo runs the jobs under fifo without locality and on-idle heartbeats (slowdown-2015 §V-A).
func fifo(t *testing.T, top *model.Topology, jobs []model.Job) *times {
	t.Helper()
	n := len(jobs)
	r := &times{make([]model.Time, n), make([]model.Time, n), make([]model.Time, n)}
	entry, _ := policies.All.Find("fifo")
	if _, err := engine.Run(&engine.Input{Topology: top, Jobs: jobs, Config: engine.DefaultConfig(), Policy: entry, Seed: 1, Recorder: r}); err != nil {
		t.Fatal(err)
	}
	return r
}

// alone returns the run time of each job in the empty cluster: one after another, from the start of
// its first task to the end of its last (slowdown-2015 §V-C).
func alone(t *testing.T, top *model.Topology, jobs []model.Job) []model.Time {
	t.Helper()
	serial := slices.Clone(jobs)
	for i := range serial {
		serial[i].Submit, serial[i].After = 0, model.JobID(i-1)
	}
	r := fifo(t, top, serial)
	for i := range r.end {
		r.end[i] -= r.start[i]
	}
	return r.end
}

// published returns the preset as a scenario has it that changes nothing.
func published() *synth.Facebook {
	var f synth.Facebook
	f.SetDefaults()
	return &f
}

func facebook(top *model.Topology, load model.Fraction, seed uint64) []model.Job {
	c := synth.DefaultConfig()
	c.Arrivals.Load, c.Arrivals.LoadOf = load, "all"
	c.Preset = &synth.Preset{Facebook: published()}
	return synth.Generate(&c, siteOf(top, seed))
}

// Every seed has the same jobs, in another order and at other times.
func TestFacebookIsAPermutation(t *testing.T) {
	top := topology(100, 6, 2)
	set := published().Set(siteOf(top, 1))
	if again := published().Set(siteOf(top, 99)); !reflect.DeepEqual(set, again) {
		t.Fatal("the set depends on the seed")
	}
	place := map[string]int{}
	for i := range set {
		place[set[i].Name] = i
	}
	var orders [][]string
	for seed := range uint64(3) {
		jobs := facebook(top, 0.7, seed)
		if problems := cluster.ValidateJobs(top, jobs); len(problems) > 0 {
			t.Fatal(problems)
		}
		var order []string
		last := model.Time(0)
		for i := range jobs {
			order = append(order, jobs[i].Name)
			if int(jobs[i].ID) != i || jobs[i].Submit < last {
				t.Fatalf("seed %d: job %d has id %d and comes at %v", seed, i, jobs[i].ID, jobs[i].Submit)
			}
			last = jobs[i].Submit
		}
		// The load is that of all 800 slots; 12 % of the work is in reduces, so it is 0.7 x 0.88 x
		// 800/600 on the map slots and 0.7 x 0.12 x 800/200 on the reduce slots.
		for p, work := range workload.Work(jobs, top.Model) {
			want := []float64{0.7 * 0.88 * 800 / 600, 0.7 * 0.12 * 800 / 200}[p]
			if l := work / (float64(top.Total()[p]) * last.Seconds()); math.Abs(l-want) > 1e-3 {
				t.Errorf("seed %d: load %.4f of pool %d, want %.4f", seed, l, p, want)
			}
		}
		orders = append(orders, order)
		sorted := slices.Clone(jobs)
		slices.SortFunc(sorted, func(a, b model.Job) int { return place[a.Name] - place[b.Name] })
		for i := range sorted {
			sorted[i].ID, sorted[i].Submit = model.JobID(i), 0
		}
		if !reflect.DeepEqual(sorted, set) {
			t.Errorf("seed %d: not the jobs of the set", seed)
		}
	}
	if slices.Equal(orders[0], orders[1]) || slices.Equal(orders[1], orders[2]) {
		t.Error("two seeds have the same order")
	}
}

// The published marginals. "60 h" and 193 s are rounded to about 1 %, so 3 % is asked of them; the
// variances hang on the one or two largest jobs, so 3 % again; "almost half" is 45 to 50 %; TAGS's
// 35 % is read as 33 to 37 %. A correlation that predicts sizes well enough for two queues is
// taken as above 0.9. Being a permutation, every seed must have the same values up to rounding.
func TestFacebookMarginals(t *testing.T) {
	top := topology(100, 6, 2)
	seeds := uint64(20)
	if testing.Short() {
		seeds = 2
	}
	var all []synth.Marginals
	for seed := range seeds {
		jobs := facebook(top, 0.7, seed)
		all = append(all, synth.Measure(jobs, alone(t, top, jobs)))
	}
	var b strings.Builder
	synth.WriteFacebookMarginals(&b, all)
	t.Logf("%d seeds\n%s", seeds, b.String())
	for i := range all {
		m := &all[i]
		for _, c := range []struct {
			name           string
			got, low, high float64
		}{
			{"total reference", m.TotalReference, 60 * 0.97, 60 * 1.03},
			{"mean reference", m.MeanReference, 193 * 0.97, 193 * 1.03},
			{"scv of references", m.ReferenceSCV, 16.35 * 0.97, 16.35 * 1.03},
			{"range of references", math.Log10(m.LargestReference / m.LeastReference), 2.8, 3.4},
			{"scv of sizes", m.SizeSCV, 3.32 * 0.97, 3.32 * 1.03},
			{"least size", m.LeastSize, 10, 11},
			{"largest size", m.LargestSize, 36000, math.Inf(1)},
			{"share of the largest 8 %", m.TopShare, 0.45, 0.5},
			{"work below 14,000 s", m.Below14000, 0.33, 0.37},
			{"fewest tasks", m.LeastTasks, 1, 9},
			{"most tasks", m.MostTasks, 10000, 20000},
			{"rank correlation", m.InputRank, 0.9, 0.9999},
		} {
			if c.got < c.low || c.got > c.high {
				t.Errorf("seed %d: %s is %.5g, want %.5g to %.5g", i, c.name, c.got, c.low, c.high)
			}
		}
		if math.Abs(m.MeanReference/all[0].MeanReference-1) > 0.005 || math.Abs(m.MeanSize/all[0].MeanSize-1) > 1e-9 {
			t.Errorf("seed %d differs from seed 0: %+v, %+v", i, *m, all[0])
		}
	}
}

// For information: the slowdowns under fifo at a load of 0.7, of which §I and §VI-A say median 2.8
// to 3 and 95th percentile 23.8 to 27. They are logged and only bounded roughly; the command
// reproduce shows them with their intervals.
func TestFacebookFIFO(t *testing.T) {
	if testing.Short() {
		t.Skip("information only")
	}
	top := topology(100, 6, 2)
	const seeds = 10
	var median, p95 float64
	for seed := range uint64(seeds) {
		jobs := facebook(top, 0.7, seed)
		reference, r := alone(t, top, jobs), fifo(t, top, jobs)
		slowdown := make([]float64, len(jobs))
		for i := range jobs {
			slowdown[i] = float64(r.end[i]-r.submit[i]) / float64(reference[i])
		}
		slices.Sort(slowdown)
		m, p := slowdown[len(jobs)/2], slowdown[len(jobs)*95/100]
		t.Logf("seed %d: median %.2f, 95th percentile %.2f, V(95) %.2f", seed, m, p, p/m)
		median, p95 = median+m/seeds, p95+p/seeds
	}
	t.Logf("mean over %d seeds: median %.2f, 95th percentile %.2f, V(95) %.2f", seeds, median, p95, p95/median)
	if median < 1.5 || median > 6 || p95 < 2*median {
		t.Errorf("median %.2f, 95th percentile %.2f: far from the published 2.8 and 23.8", median, p95)
	}
}

// deadline-2010 §V-A: how long the applications take alone on 60 nodes with one map and one reduce
// slot each. The seed moves the last wave a little.
func TestDeadlineIsolated(t *testing.T) {
	top := topology(60, 1, 1)
	for _, c := range []struct {
		app  string
		want float64
	}{{"simulator", 3549}, {"wordcount", 1264}, {"join", 101}} {
		for seed := range uint64(10) {
			var d synth.Deadline2010
			d.SetDefaults()
			d.Job = c.app
			got := alone(t, top, d.Jobs(siteOf(top, seed)))[0].Seconds()
			if math.Abs(got/c.want-1) > 0.02 {
				t.Errorf("%s, seed %d: %.1f s, want %g ± 2 %%", c.app, seed, got, c.want)
			}
		}
	}
}
