// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// chain returns jobs a0 .. a(n-1) ten seconds apart, each with a follower b that waits for it.
func chain(n int) (records []Record) {
	for i := range n {
		a := NewRecord("")
		a.Name, a.Submit, a.Input = fmt.Sprint("a", i), model.Time(i)*10*model.Second, model.Bytes(i+1)*model.GiB
		b := NewRecord("")
		b.Name, b.After, b.Submit = fmt.Sprint("b", i), a.Name, 3*model.Second
		records = append(records, a, b)
	}
	return records
}

func names(records []Record) (s string) {
	for _, r := range records {
		s += r.Name + " "
	}
	return s
}

func TestSliceKeepsFollowers(t *testing.T) {
	got := Slice(chain(5), 10*model.Second, 30*model.Second)
	if names(got) != "a1 b1 a2 b2 " {
		t.Errorf("kept %s", names(got))
	}
	if got[0].Submit != 0 || got[1].Submit != 3*model.Second || got[2].Submit != 10*model.Second {
		t.Errorf("times %v %v %v", got[0].Submit, got[1].Submit, got[2].Submit)
	}
	if all := Slice(chain(3), 0, 0); len(all) != 6 {
		t.Errorf("0s must mean the end, got %s", names(all))
	}
}

func TestThinKeepsAShareAndFollowers(t *testing.T) {
	got := Thin(chain(10000), 0.3)
	if share := float64(len(got)) / 20000; math.Abs(share-0.3) > 0.02 { // four standard deviations are 0.018
		t.Errorf("kept a share of %v", share)
	}
	kept := map[string]bool{}
	for _, r := range got {
		kept[r.Name] = true
		if r.After != "" && !kept[r.After] {
			t.Fatalf("%s is kept without %s", r.Name, r.After)
		}
	}
	if again := Thin(chain(10000), 0.3); names(again) != names(got) {
		t.Error("two thinnings differ")
	}
}

func TestFromRecords(t *testing.T) {
	c := TraceConfig{}
	c.SetDefaults()
	c.Load = 0.7
	cost := DefaultCost()
	site := costSite(model.Slots)
	jobs, err := FromRecords(chain(20), &c, &cost, DefaultNeeds(), site)
	if err != nil {
		t.Fatal(err)
	}
	if jobs[1].After != 0 || jobs[3].After != 2 || jobs[1].Submit != 3*model.Second {
		t.Errorf("followers %+v", jobs[1])
	}
	last := jobs[38].Submit.Seconds()
	most := 0.0
	for p, w := range Work(jobs, site.Model) {
		most = max(most, w/(float64(site.Total[p])*last))
	}
	if math.Abs(most-0.7) > 1e-6 {
		t.Errorf("load %v", most)
	}
	c.From = model.Hour
	if _, err := FromRecords(chain(20), &c, &cost, DefaultNeeds(), site); err == nil {
		t.Error("an empty slice is not a workload")
	}
}

// The load is that which Describe says, over the span from the first submission to the last, wherever the trace begins and
// however short a think time is. The first submission stays where it is.
func TestScaleLoadOfLateTrace(t *testing.T) {
	for _, begin := range []model.Time{0, 5 * model.Second, model.Hour} {
		records := chain(20)
		for i := range records {
			if records[i].After == "" {
				records[i].Submit += begin
			}
		}
		var c TraceConfig
		c.SetDefaults()
		cost, site := DefaultCost(), costSite(model.Slots)
		jobs, err := FromRecords(records, &c, &cost, DefaultNeeds(), site)
		if err != nil {
			t.Fatal(err)
		}
		factor, err := ScaleLoad(jobs, site, 0.7)
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for _, load := range Describe(jobs, site).Load {
			most = max(most, load)
		}
		if math.Abs(most-0.7) > 1e-6 {
			t.Errorf("begin %v: load %v", begin, most)
		}
		if gap := (jobs[2].Submit - jobs[0].Submit).Seconds(); jobs[0].Submit != begin || math.Abs(gap-10*factor) > 1e-6 {
			t.Errorf("begin %v: the first job at %v, the second %v s later; want a gap of 10 s times %v", begin, jobs[0].Submit, gap, factor)
		}
	}
}

// Jobs of one moment have no gaps that could be scaled, whenever that is.
func TestScaleLoadAtOnce(t *testing.T) {
	jobs := []model.Job{{After: model.None, Submit: model.Hour}, {After: model.None, Submit: model.Hour}, {After: 0, Submit: model.Minute}}
	if _, err := ScaleLoad(jobs, costSite(model.Slots), 0.7); err == nil || jobs[0].Submit != model.Hour {
		t.Errorf("%v, %+v", err, jobs)
	}
}

func TestAssign(t *testing.T) {
	high := model.High
	jobs := make([]model.Job, 1000)
	for i := range jobs {
		jobs[i] = model.Job{ID: model.JobID(i), Name: fmt.Sprint("j", i), Maps: int32(i), Queue: "old", User: "old"}
	}
	Assign(jobs, []Rule{
		{Share: 1, MaxMaps: 99, Queue: "small", Users: 5, Goal: model.Minute},
		{Share: 1, MinMaps: 900, Queue: "large", Priority: &high, Label: "huge", Period: model.Hour},
		{Share: 1, Name: "j950", Queue: "special"},
		{Share: 0.5, MinMaps: 100, MaxMaps: 899, Queue: "half"},
	}, 1)
	count, users := map[string]int{}, map[string]bool{}
	for i := range jobs {
		count[jobs[i].Queue]++
		if i < 100 {
			users[jobs[i].User] = true
		}
	}
	if count["small"] != 100 || count["large"] != 99 || count["special"] != 1 || len(users) != 5 || math.Abs(float64(count["half"])-400) > 60 {
		t.Errorf("queues %v, %d users", count, len(users))
	}
	if j := jobs[950]; j.Priority != high || j.Class != "huge" || j.Period != model.Hour || jobs[5].Goal != model.Minute {
		t.Errorf("%+v", j)
	}
}

// Rules deal alike for every seed, unless they say per-seed; with either, a seed deals the same twice.
func TestAssignPerSeed(t *testing.T) {
	deal := func(perSeed bool, seed uint64) (users string, chosen int) {
		jobs := make([]model.Job, 1000)
		for i := range jobs {
			jobs[i].ID = model.JobID(i)
		}
		Assign(jobs, []Rule{{Share: 1, Users: 200, PerSeed: perSeed}, {Share: 0.5, Label: "chosen", PerSeed: perSeed}}, seed)
		for i := range jobs {
			users += jobs[i].User + " "
			if jobs[i].Class == "chosen" {
				users, chosen = users+"* ", chosen+1
			}
		}
		return users, chosen
	}
	first, n := deal(true, 1)
	second, m := deal(true, 2)
	if again, _ := deal(true, 1); again != first || second == first || math.Abs(float64(n)-500) > 64 || math.Abs(float64(m)-500) > 64 { // four standard deviations
		t.Errorf("seeds 1 and 2 deal alike: %v, seed 1 alike twice: %v, shares of %d and %d", second == first, again == first, n, m)
	}
	one, _ := deal(false, 1)
	if two, _ := deal(false, 2); one != two {
		t.Error("without per-seed two seeds differ")
	}
}

// Jobs by their shuffle data: light below 1 MiB, medium, heavy above 100 MiB.
func TestAssignByShuffle(t *testing.T) {
	var jobs []model.Job
	for i, shuffle := range []model.Bytes{0, model.MiB - 1, model.MiB, 100 * model.MiB, 100*model.MiB + 1, 30e12} {
		jobs = append(jobs, model.Job{ID: model.JobID(i), Shuffle: shuffle})
	}
	Assign(jobs, []Rule{
		{Share: 1, MaxShuffle: model.MiB - 1, Label: "light"},
		{Share: 1, MinShuffle: model.MiB, MaxShuffle: 100 * model.MiB, Label: "medium"},
		{Share: 1, MinShuffle: 100*model.MiB + 1, Label: "heavy"},
	}, 1)
	got := ""
	for i := range jobs {
		got += jobs[i].Class + " "
	}
	if got != "light light medium medium heavy heavy " {
		t.Errorf("classes %s", got)
	}
}

// A job written down has the lengths that the engine would draw for it.
func TestToRecordFreezesLengths(t *testing.T) {
	jobs := []model.Job{{ID: 0, Name: "a", After: model.None}, {ID: 1, Name: "b", After: 0, Submit: 5, Maps: 3,
		MapLength: model.Lengths{Mean: model.Second, Noise: model.LogNormalNoise, CV: 0.5}}}
	r := ToRecord(&jobs[1], jobs, model.Slots, 7)
	sampler := rng.NewSampler(rng.New(7, "map-length"), 1, &jobs[1].MapLength)
	if r.After != "a" || r.Submit != 5 || len(r.MapLengths) != 3 || r.MapLengths[2] != sampler.Length(2, 0) {
		t.Errorf("%+v", r)
	}
}

func TestDescribeBursts(t *testing.T) {
	var jobs []model.Job
	for i := range 60 { // one per minute, then sixty in one minute
		jobs = append(jobs, model.Job{ID: model.JobID(i), After: model.None, Submit: model.Time(i) * model.Minute, Maps: 1, MapLength: model.Lengths{Mean: model.Minute}})
	}
	for i := range 60 {
		jobs = append(jobs, model.Job{ID: model.JobID(60 + i), After: model.None, Submit: model.Hour + model.Time(i)*model.Second, Maps: 1, MapLength: model.Lengths{Mean: model.Minute}})
	}
	d := Describe(jobs, costSite(model.Slots))
	// 120 jobs over 60 min and 59 s: 61 minutes, about 1.97 per minute; the busiest has 60.
	if math.Abs(d.Burst.PeakMinute-60/(120.0/61)) > 1e-9 || len(d.Burst.Hours) != 2 || d.Burst.Hours[1] != 60 {
		t.Errorf("%+v", d.Burst)
	}
	if d.Maps != 120 || d.Quantities[5].Total != 7200 || d.Quantities[5].SCV != 0 {
		t.Errorf("%+v", d.Quantities[5])
	}
}

// The work of all reduces stays when their number changes, with and without lengths one by one; jobs
// without reduces stay without.
func TestSetReduces(t *testing.T) {
	jobs := []model.Job{
		{Reduces: 2, ReduceLength: model.Lengths{Mean: 10 * model.Second, Noise: model.LogNormalNoise, CV: 0.3}, ShuffleTail: 4 * model.Second},
		{Reduces: 2, ReduceLength: model.Lengths{Fixed: []model.Time{5 * model.Second, 15 * model.Second}}},
		{Reduces: 0},
		{Reduces: 5, ReduceLength: model.Lengths{Fixed: []model.Time{1, 2, 3, 4, 5}}},
	}
	SetReduces(jobs, 5)
	if j := jobs[0]; j.Reduces != 5 || j.ReduceLength.Mean != 4*model.Second || j.ReduceLength.CV != 0.3 || j.ShuffleTail != 1600*model.Millisecond {
		t.Errorf("%+v", j)
	}
	if j := jobs[1]; j.Reduces != 5 || j.ReduceLength.Mean != 4*model.Second || j.ReduceLength.Fixed != nil {
		t.Errorf("%+v", j)
	}
	if jobs[2].Reduces != 0 || len(jobs[3].ReduceLength.Fixed) != 5 {
		t.Errorf("%+v", jobs[2:])
	}
}
