// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

var site = Site{Model: model.Slots, Total: [model.Dims]int64{10, 4}, HDFS: hdfs.DefaultConfig(), Seed: 1}

func job(name string, change func(*JobConfig)) JobConfig {
	var c JobConfig
	c.SetDefaults()
	c.Name = name
	if change != nil {
		change(&c)
	}
	return c
}

func at(s model.Time) func(*JobConfig) { return func(c *JobConfig) { c.Submit = s * model.Second } }

func after(name string) func(*JobConfig) {
	return func(c *JobConfig) { c.After, c.Submit = name, model.Second }
}

// Jobs come in order of time, equal times in the order of the list; a job that waits for another
// stands behind it, beside jobs of that one's time.
func TestJobsInOrderOfSubmission(t *testing.T) {
	jobs, problems := Jobs([]JobConfig{
		job("late", at(50)), job("then", after("late")), job("early", at(10)), job("early too", at(10)),
		job("next", after("early")), job("last", after("then")), job("first", at(0)),
	}, site)
	if problems != nil {
		t.Fatal(problems)
	}
	var got []string
	for i, j := range jobs {
		if int(j.ID) != i {
			t.Errorf("job %d has ID %d", i, j.ID)
		}
		name := j.Name
		if j.After != model.None {
			name += "<" + jobs[j.After].Name
		}
		got = append(got, name)
	}
	want := []string{"first", "early", "early too", "next<early", "late", "then<late", "last<then"}
	if !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

// The same for random lists, against a twin that looks for the start of each chain.
func TestJobsOrderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []JobConfig
		start := map[string]model.Time{}
		for i := range rapid.IntRange(1, 15).Draw(t, "jobs") {
			c := job(fmt.Sprint("j", i), at(model.Time(rapid.IntRange(0, 4).Draw(t, "submit"))))
			start[c.Name] = c.Submit
			if i > 0 && rapid.Bool().Draw(t, "waits") {
				c.After = list[rapid.IntRange(0, i-1).Draw(t, "after")].Name
				start[c.Name] = start[c.After]
			}
			list = append(list, c)
		}
		jobs, problems := Jobs(list, site)
		if problems != nil || len(jobs) != len(list) {
			t.Fatalf("%d of %d jobs, %v", len(jobs), len(list), problems)
		}
		place := map[string]int{}
		for i := range list {
			place[list[i].Name] = i
		}
		for i := range jobs {
			j, c := &jobs[i], &list[place[jobs[i].Name]]
			if c.After == "" != (j.After == model.None) || j.After != model.None && (int(j.After) >= i || jobs[j.After].Name != c.After) || j.Submit != c.Submit {
				t.Fatalf("job %d: %+v made of %+v", i, j, c)
			}
			if i > 0 {
				before := jobs[i-1].Name
				if start[before] > start[j.Name] || start[before] == start[j.Name] && place[before] > place[j.Name] {
					t.Fatalf("%s stands before %s", before, j.Name)
				}
			}
		}
	})
}

func TestJobsProblems(t *testing.T) {
	jobs, problems := Jobs([]JobConfig{
		job("a", func(c *JobConfig) { c.Maps, c.MapLengths = 2, []model.Time{1} }),
		job("b", after("c")), // stands behind
		job("c", nil),
		job("c", nil),
		job("d", after("d")), // itself
		job("e", func(c *JobConfig) { c.Reduces, c.ReduceLengths = 1, []model.Time{1, 2} }),
	}, site)
	var got []string
	for _, p := range problems {
		if p.Found == "" || p.Allowed == "" {
			t.Errorf("%s: no words", p.Path)
		}
		got = append(got, p.Path)
	}
	if want := "[0].map-lengths [1].after [3].name [4].after [5].reduce-lengths"; jobs != nil || strings.Join(got, " ") != want {
		t.Errorf("problems at %v, want %v; %d jobs", got, want, len(jobs))
	}
}

// All errors come at once.
func TestAllProblemsOfADuplicate(t *testing.T) {
	_, problems := Jobs([]JobConfig{job("a", nil), job("a", func(c *JobConfig) { c.Maps, c.MapLengths = 2, []model.Time{1} })}, site)
	if len(problems) != 2 {
		t.Errorf("problems %v, want [1].name and [1].map-lengths", problems)
	}
}

func TestJobFields(t *testing.T) {
	jobs, problems := Jobs([]JobConfig{job("a", func(c *JobConfig) {
		c.User, c.Queue, c.Class, c.Priority, c.Weight, c.Goal = "u", "q", "k", model.High, 3, 9
		c.Maps, c.Reduces, c.ShuffleTail = 3, 2, 5
		c.ReduceLengths = []model.Time{7, 8}
		c.MapLength, c.Noise = 4, Noise{"lognormal", 0.5}
	}), job("b", func(c *JobConfig) { c.NoInput = true })}, site)
	if problems != nil {
		t.Fatal(problems)
	}
	a := &jobs[0]
	if a.User != "u" || a.Queue != "q" || a.Class != "k" || a.Priority != model.High || a.Weight != 3 || a.Goal != 9 || a.ShuffleTail != 5 ||
		a.Input != 3*128*model.MiB || a.Maps != 3 || a.Reduces != 2 || !slices.Equal(a.ReduceLength.Fixed, []model.Time{7, 8}) ||
		a.MapLength.Mean != 4 || a.MapLength.Noise != model.LogNormalNoise || a.MapLength.CV != 0.5 {
		t.Errorf("%+v", a)
	}
	if b := &jobs[1]; b.Input != 0 || b.MapLength.Noise != model.NoNoise {
		t.Errorf("%+v", b)
	}
}

func TestNeeds(t *testing.T) {
	n := Needs{MapMemory: model.GiB + 1, MapVCores: 2, ReduceMemory: 3 * model.MiB, ReduceVCores: 4}
	for m, want := range map[model.RoomModel][model.Kinds]model.Room{
		model.Slots: {{1, 0}, {0, 1}}, model.Containers: {{1, 0}, {1, 0}}, model.Yarn: {{1025, 2}, {3, 4}}, // rounded up to a MiB
	} {
		if got := n.Room(m); got != want {
			t.Errorf("model %d: %v, want %v", m, got, want)
		}
	}
}

// Job a: 4 maps of 10 s and 2 reduces of 20 s that copy 5 s; job b: maps of 1, 2 and 6 s. Map slots: 40 + 9
// = 49 slot-seconds; reduce slots: 2 x 25 = 50. Containers: the sum, 99. Yarn, with 512 MiB per map and 2048 MiB per
// reduce, and a vcore for each: 49 x 512 + 50 x 2048 and 99.
func TestWorkAndSpan(t *testing.T) {
	const s = model.Second
	jobs := []model.Job{
		{Maps: 4, Reduces: 2, MapLength: model.Lengths{Mean: 10 * s, Noise: model.LogNormalNoise, CV: 2}, ReduceLength: model.Lengths{Mean: 20 * s}, ShuffleTail: 5 * s},
		{Maps: 3, MapLength: model.Lengths{Fixed: []model.Time{1 * s, 2 * s, 6 * s}}, ReduceLength: model.Lengths{Mean: 99 * s}},
	}
	needs := Needs{MapMemory: 512 * model.MiB, MapVCores: 1, ReduceMemory: 2 * model.GiB, ReduceVCores: 1}
	for m, want := range map[model.RoomModel][]float64{model.Slots: {49, 50}, model.Containers: {99}, model.Yarn: {49*512 + 50*2048, 49 + 50}} {
		for i := range jobs {
			jobs[i].Need = needs.Room(m)
		}
		if got := Work(jobs, m); !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*b }) {
			t.Errorf("model %d: work %v, want %v", m, got, want)
		}
	}
	// With 1 TiB and 2 vcores it is the vcores that are busiest: 99/(2 x 0.5) = 99 s.
	yarn := site
	yarn.Model, yarn.Total = model.Yarn, [model.Dims]int64{1 << 20, 2}
	for i := range jobs {
		jobs[i].Need = needs.Room(model.Yarn)
	}
	if got := Span(jobs, yarn, 0.5); got != 99*s {
		t.Errorf("span %v, want 99s", got)
	}
	for i := range jobs {
		jobs[i].Need = needs.Room(model.Slots)
	}
	// At load 0.5: maps 49/(10 x 0.5) = 9.8 s, reduces 50/(4 x 0.5) = 25 s; the busiest pool decides.
	if got := Span(jobs, site, 0.5); got != 25*s {
		t.Errorf("span %v, want 25s", got)
	}
	maps := site
	maps.Total[1] = 0 // a pool without room does not count
	if got := Span(jobs, maps, 0.5); got != model.Seconds(9.8) {
		t.Errorf("span %v, want 9.8s", got)
	}
}

// A cv that the family cannot have is refused, not cut down.
func TestNoiseValidate(t *testing.T) {
	for _, n := range []Noise{{"none", 0}, {"lognormal", 5}, {"exponential", 1}, {"exponential", 0.3}, {"uniform", 0.577}} {
		if p := n.Validate(); p != nil {
			t.Errorf("%+v: %v", n, p)
		}
	}
	for _, n := range []Noise{{"none", 0.1}, {"exponential", 1.01}, {"uniform", 0.6}} {
		if p := n.Validate(); len(p) != 1 || p[0].Path != "cv" || p[0].Found == "" || p[0].Allowed == "" {
			t.Errorf("%+v: %v", n, p)
		}
	}
}

// A kind of noise without a cv was meant to be noise.
func TestNoiseWithoutCV(t *testing.T) {
	for _, kind := range []string{"lognormal", "exponential", "uniform"} {
		if (Noise{Kind: kind}).Validate() == nil {
			t.Errorf("%s noise with a cv of 0 passed", kind)
		}
	}
}
