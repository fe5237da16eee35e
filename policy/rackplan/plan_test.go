// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// TestPlanHolds: every job is planned once, in racks that have room for its tasks, heavy jobs evenly in a pair of
// widths that is allowed, and twice the same.
func TestPlanHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		site, jobs := drawSite(t), drawForecasts(t, 30)
		rules := &Rules{SameRacks: rapid.Bool().Draw(t, "same racks"), Form: Figure, Batches: 3, OverProvision: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "more")}
		plan := Make(site, rules, jobs, 1)
		if !reflect.DeepEqual(plan, Make(site, rules, jobs, 1)) {
			t.Fatal("planned twice, the plans differ")
		}
		seen := make([]bool, len(jobs))
		for i := range plan.Jobs {
			placed := &plan.Jobs[i]
			f := &jobs[placed.Job]
			if seen[placed.Job] {
				t.Fatalf("job %d is planned twice", placed.Job)
			}
			seen[placed.Job] = true
			checkPlacement(t, site, rules, f, placed)
		}
		if len(plan.Jobs) != len(jobs) {
			t.Fatalf("%d of %d jobs are planned", len(plan.Jobs), len(jobs))
		}
	})
}

func checkPlacement(t *rapid.T, site *Site, rules *Rules, f *policy.Forecast, placed *Placement) {
	racked := placed.Heavy && len(site.Pairs(f, rules.SameRacks)) > 0
	for k, shares := range placed.Racks {
		sum := int32(0)
		for i, s := range shares {
			sum += s.Tasks
			if i > 0 && s.Rack <= shares[i-1].Rack {
				t.Fatalf("racks out of order: %v", shares)
			}
			if racked && s.Tasks != shares[0].Tasks {
				t.Fatalf("a heavy job is not spread evenly: %v", shares)
			}
		}
		if float64(sum) < float64(f.Tasks[k])*(1+rules.OverProvision) {
			t.Fatalf("%d containers are booked for %d tasks", sum, f.Tasks[k])
		}
	}
	if placed.Start < f.Arrival || placed.End[model.Map] < placed.Start || placed.End[model.Reduce] < placed.End[model.Map] {
		t.Fatalf("arrives at %v, starts at %v, ends at %v", f.Arrival, placed.Start, placed.End)
	}
	if racked && !slices.Contains(site.Pairs(f, rules.SameRacks), placed.Widths) {
		t.Fatalf("widths %v are not allowed", placed.Widths)
	}
	if racked && rules.SameRacks {
		for i, s := range placed.Racks[model.Map] {
			if s.Rack != placed.Racks[model.Reduce][i].Rack {
				t.Fatalf("maps in %v, reduces in %v", placed.Racks[model.Map], placed.Racks[model.Reduce])
			}
		}
	}
}

// TestSubBatchesAreAlike: jobs of like sizes are dealt out so that no sub-batch has more than a job's worth above its
// share of anything.
func TestSubBatchesAreAlike(t *testing.T) {
	const n = 5
	jobs := manyJobs(400, 1)
	sums, largest, total := [n]demand{}, demand{}, demand{}
	for b, part := range subBatches(jobs, n) {
		for _, i := range part {
			d := demandOf(&jobs[i])
			sums[b], total = sums[b].plus(d), total.plus(d)
			for k := range d {
				largest[k] = max(largest[k], d[k])
			}
		}
	}
	for b := range sums {
		for k := range total {
			if sums[b][k] > total[k]/n+largest[k]+1 {
				t.Errorf("sub-batch %d has %d of demand %d, its share is %d and the largest job %d", b, sums[b][k], k, total[k]/n, largest[k])
			}
		}
	}
}

// TestOnlineGoesByArrival: jobs that come one after the other are planned so, whatever their widths.
func TestOnlineGoesByArrival(t *testing.T) {
	jobs := manyJobs(50, 1)
	for i := range jobs {
		jobs[i].Arrival = model.Time(len(jobs)-i) * model.Second
	}
	plan := Make(simulationSite(20), &Rules{Form: Figure, Batches: 5}, jobs, 1)
	for i, p := range plan.Jobs {
		if int(p.Job) != len(jobs)-1-i {
			t.Fatalf("job %d is planned in place %d", p.Job, i)
		}
	}
}

// simulationSite is the simulated cluster of §4.3.1 with more or fewer racks.
func simulationSite(racks int) *Site {
	containers := slices.Repeat([]int{600}, racks)
	return &Site{Containers: [model.Kinds][]int{containers, containers}, Shared: true, Packets: 30e9 / 8, Circuits: 100e9 / 8, Elephant: 1.125e9}
}

// manyJobs are jobs as wide apart as those of a trace: shuffle data from 100 MB to 1 TB.
func manyJobs(n int, seed uint64) []policy.Forecast {
	draws := rng.New(seed, "test of rackplan")
	jobs := make([]policy.Forecast, n)
	for i := range jobs {
		r := draws.At(uint64(i), 0, 0)
		shuffle := 1e8 * math.Pow(1e4, r.Float64()*r.Float64())
		jobs[i] = policy.Forecast{Job: model.JobID(i), Shuffle: model.Bytes(shuffle),
			Tasks:  [model.Kinds]int32{1 + int32(shuffle*(0.5+r.Float64())/128e6), 1 + int32(shuffle/1e9)},
			Length: [model.Kinds]model.Time{model.Seconds(5 + 10*r.Float64()), model.Seconds(10 + 50*r.Float64())}}
	}
	return jobs
}

func BenchmarkMake(b *testing.B) {
	for _, c := range []struct{ jobs, racks int }{{1_000, 20}, {10_000, 20}, {1_000, 40}, {1_000, 80}} {
		b.Run(fmt.Sprintf("jobs=%d/racks=%d", c.jobs, c.racks), func(b *testing.B) {
			jobs, site := manyJobs(c.jobs, 1), simulationSite(c.racks)
			for range b.N {
				Make(site, &Rules{Form: Figure, Batches: 5}, jobs, 1)
			}
		})
	}
}

// cost returns the least processor time of three plans, in pushes and pops on a heap.
func cost(jobs, racks int, rules *Rules) float64 {
	list, site := manyJobs(jobs, 1), simulationSite(racks)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := math.Inf(1)
	for range 3 {
		unit := heapunit.PushPop(400)
		start := heapunit.Thread()
		Make(site, rules, list, 1)
		least = min(least, float64(heapunit.Thread()-start)/float64(unit))
	}
	return least
}

// TestCost: ten times the jobs cost at most what n log n says (13.3 times), with half as much again for caches, and four
// times the racks at most sixteen times.
func TestCost(t *testing.T) {
	if os.Getenv("YARDMASTER_SPEED") == "" {
		t.Skip("skipped: set YARDMASTER_SPEED=1 and run it alone (make speed); beside other tests timings say nothing")
	}
	rules := &Rules{Form: Figure, Batches: 5}
	one, ten, wide := cost(1_000, 20, rules), cost(10_000, 20, rules), cost(1_000, 80, rules)
	t.Logf("1,000 jobs on 20 racks: %.0f heap operations; 10,000 jobs %.1f times that, 80 racks %.1f times", one, ten/one, wide/one)
	if ten/one > 20 || wide/one > 16 {
		t.Errorf("10,000 jobs cost %.1f times as much as 1,000, 80 racks %.1f times as much as 20", ten/one, wide/one)
	}
}

// Racks of a cluster are planned as a cluster of their own, and the plan is put back into them.
func TestPart(t *testing.T) {
	whole := &model.Topology{Model: model.Containers, Racks: 4, Uplinks: []model.Rate{1, 40, 30, 20}, Classes: []model.NodeClass{{Room: model.Room{4}}, {Room: model.Room{9}}},
		Nodes: []model.Node{{Class: 1}, {Rack: 1}, {Rack: 2}, {Rack: 2}, {Rack: 3}}}
	racks := []model.RackID{1, 3}
	site := SiteOf(Part(whole, racks), nil)
	if site.Racks() != 2 || site.Containers[model.Map][0] != 4 || site.Containers[model.Map][1] != 4 || site.Packets != 20 {
		t.Errorf("site %+v", site)
	}
	plan := Make(site, &Rules{Batches: 1, SameRacks: true, Form: Text}, []policy.Forecast{{Tasks: [model.Kinds]int32{8, 8}, Length: [model.Kinds]model.Time{model.Second, model.Second}}}, 1)
	plan.MoveTo(racks)
	for k, shares := range plan.Jobs[0].Racks {
		if len(shares) != 2 || shares[0] != (Share{1, 4}) || shares[1] != (Share{3, 4}) {
			t.Errorf("%v in %v", model.Kind(k), shares)
		}
	}
}
