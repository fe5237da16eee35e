// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

func readConfig(text string) (c Config, errs strict.Errors) {
	c = DefaultConfig()
	node, errs := strict.Parse("test.yaml", []byte(text))
	if errs = append(errs, strict.Decode(node, &c)...); len(errs) == 0 {
		errs = strict.Locate(node, "", c.Validate())
	}
	return c, errs
}

func TestPresetsInAScenario(t *testing.T) {
	for text, jobs := range map[string]int{
		"{arrivals: {load: 70%}, preset: {facebook: {}}}":                                          1121,
		"{arrivals: {process: uniform, interval: 5s}, preset: {facebook: {}}}":                     1121,
		"{preset: {capacity-2013: {pattern: interleaved}}}":                                        100,
		"{preset: {capacity-2013: {pattern: separate, cost: {map-rate: 10MB/s}}}}":                 100,
		"{preset: {deadline-2010: {}}}":                                                            4,
		"{arrivals: {interval: 14s}, preset: {fb-2010: {jobs: 200, sampling: random}}}":            200,
		"{preset: {deadline-2010: {job: join, goals: [0s, 0s, 120s, 120s]}}}":                      1,
		"{jobs: 7, sampling: stratified, arrivals: {interval: 5s}, classes: [{name: a, maps: 3}]}": 7,
	} {
		c, errs := readConfig(text)
		if len(errs) > 0 {
			t.Errorf("%s: %v", text, errs)
			continue
		}
		if got := Generate(&c, site(model.Slots, 1)); len(got) != jobs {
			t.Errorf("%s: %d jobs, want %d", text, len(got), jobs)
		}
		written := string(strict.Encode(c).JSON(""))
		if again, errs := readConfig(written); len(errs) > 0 || !reflect.DeepEqual(again, c) {
			t.Errorf("%s: written %s, read %+v, %v", text, written, again, errs)
		}
	}
	for text, want := range map[string]string{
		"{arrivals: {interval: 5s}}":                                                        "classes jobs",
		"{arrivals: {interval: 5s}, classes: [{name: a}]}":                                  "jobs",
		"{jobs: 3, arrivals: {interval: 5s}, classes: [{name: a}], preset: {facebook: {}}}": "preset",
		"{jobs: 3, arrivals: {interval: 5s}, preset: {facebook: {}}}":                       "jobs",
		"{preset: {facebook: {}}}":                                                          "arrivals",
		"{preset: {fb-2010: {}}}":                                                           "arrivals",
		"{arrivals: {interval: 5s}, preset: {fb-2010: {jobs: 0}}}":                          "preset.fb-2010.jobs",
		"{arrivals: {load: 70%}, preset: {deadline-2010: {}}}":                              "arrivals",
		"{arrivals: {process: batch}, preset: {deadline-2010: {}}}":                         "arrivals",
		"{sampling: stratified, preset: {deadline-2010: {}}}":                               "sampling",
		"{preset: {}}": "preset",
		"{preset: {facebook: {}, deadline-2010: {}}}":                                      "preset",
		"{preset: {yahoo: {}}}":                                                            "preset.yahoo",
		"{arrivals: {load: 70%}, preset: {facebook: {jobs: 5}}}":                           "preset.facebook.jobs",
		"{preset: {capacity-2013: {}}}":                                                    "preset.capacity-2013.pattern",
		"{preset: {capacity-2013: {pattern: random}}}":                                     "preset.capacity-2013.pattern",
		"{preset: {capacity-2013: {pattern: separate, cost: {noise: {kind: lognormal}}}}}": "preset.capacity-2013.cost.noise.cv",
		"{preset: {deadline-2010: {submits: [0s, 9s, 5s, 10s]}}}":                          "preset.deadline-2010.submits",
		"{preset: {deadline-2010: {goals: [6000s]}}}":                                      "preset.deadline-2010.goals",
		"{sampling: often, jobs: 1, arrivals: {process: batch}, classes: [{name: a}]}":     "sampling",
	} {
		_, errs := readConfig(text)
		var paths []string
		for _, e := range errs {
			paths = append(paths, e.Path)
		}
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("%s: faults at %q, want %q (%v)", text, got, want, errs)
		}
	}
}

// runs writes the types of one queue in order of submission as "4x1 3x2": four of type 1, three of type 2.
func runs(jobs []model.Job, queue string) string {
	var parts []string
	count, last := 0, ""
	flush := func() {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%dx%s", count, last))
		}
	}
	for i := range jobs {
		if jobs[i].Queue != queue {
			continue
		}
		if c := strings.TrimPrefix(jobs[i].Class, "type"); c != last {
			flush()
			count, last = 0, c
		}
		count++
	}
	flush()
	return strings.Join(parts, " ")
}

func capacity(pattern string) *Config {
	c := DefaultConfig()
	var p Capacity2013
	p.SetDefaults()
	p.Pattern = pattern
	c.Preset = &Preset{Capacity2013: &p}
	return &c
}

// The orders of capacity-2013 §4.4.3. A queue has 10 long and 40 short jobs; interleaved, four short
// ones come before each long one: 24 of type 5 last for six rounds, 12 of type 6 for three, 4 of
// type 7 for one.
func TestCapacityPatterns(t *testing.T) {
	const interleaved = "4x5 1x1 4x5 1x1 4x5 1x1 4x5 1x1 4x5 1x2 4x5 1x2 4x6 1x2 4x6 1x3 4x6 1x3 4x7 1x4"
	for _, c := range []struct {
		pattern string
		want    map[string]string
	}{
		{"long-first", map[string]string{"queue1": "4x1 3x2 2x3 1x4 24x5 12x6 4x7", "queue2": "4x1 3x2 2x3 1x4 24x5 12x6 4x7"}},
		{"interleaved", map[string]string{"queue1": interleaved, "queue2": interleaved}},
		{"separate", map[string]string{"queue1": "24x5 12x6 4x7", "queue2": "24x5 12x6 4x7", "queue3": "4x1 3x2 2x3 1x4", "queue4": "4x1 3x2 2x3 1x4"}},
	} {
		jobs := Generate(capacity(c.pattern), site(model.Slots, 1))
		users, queues := map[string]bool{}, map[string]bool{}
		for i, j := range jobs {
			users[j.User], queues[j.Queue] = true, true
			if j.Submit != model.Time(i/2)*model.Second || int(j.ID) != i {
				t.Errorf("%s: job %d has id %d and comes at %v", c.pattern, i, j.ID, j.Submit)
			}
		}
		if len(jobs) != 100 || len(users) != 100 || len(queues) != len(c.want) {
			t.Errorf("%s: %d jobs of %d users in %d queues", c.pattern, len(jobs), len(users), len(queues))
		}
		for q, want := range c.want {
			if got := runs(jobs, q); got != want {
				t.Errorf("%s, %s: %s, want %s", c.pattern, q, got, want)
			}
		}
	}
	// In bursts of ten, jobs of both halves come at the time of the first of them.
	bursts := capacity("long-first")
	bursts.Preset.Capacity2013.Burst = 10
	for i, j := range Generate(bursts, site(model.Slots, 1)) {
		if j.Submit != model.Time(i/20)*10*model.Second {
			t.Errorf("in bursts: job %d comes at %v", i, j.Submit)
		}
	}
	// Separate queues keep the arrival times of the interleaved case.
	a, b := Generate(capacity("interleaved"), site(model.Slots, 1)), Generate(capacity("separate"), site(model.Slots, 1))
	for i := range a {
		if a[i].Class != b[i].Class || a[i].Submit != b[i].Submit {
			t.Errorf("job %d: %s at %v, %s at %v", i, a[i].Class, a[i].Submit, b[i].Class, b[i].Submit)
		}
	}
}

// Type 3 with 64 MiB blocks: a map reads 67.1 MB and writes 3 x 67.1 MB; 2 s + 67.1e6 x 40 / 2.5e9 +
// 268.4e6 / 20e6 = 16.495 s. A reduce takes 1/30 of 400 x 201.3 MB = 2684 MB and writes 2.5 % of
// that: 2 s + 2684e6 x 40 / 2.5e9 + 2751e6 / 20e6 = 182.5 s.
func TestCapacityLengths(t *testing.T) {
	s := site(model.Slots, 1)
	s.HDFS.BlockSize = 64 * model.MiB
	for _, j := range Generate(capacity("long-first"), s) {
		if j.Class != "type3" {
			continue
		}
		if m, r := j.MapLength.Mean.Seconds(), j.ReduceLength.Mean.Seconds(); m < 16.49 || m > 16.5 || r < 182.4 || r > 182.6 {
			t.Errorf("maps of %.3f s, reduces of %.3f s", m, r)
		}
		if j.Maps != 400 || j.Reduces != 30 || j.Input != 400*64*model.MiB || j.Shuffle != 3*j.Input || j.MapLength.CV != 0 {
			t.Errorf("%+v", j)
		}
	}
}

func TestDeadlineMix(t *testing.T) {
	var d Deadline2010
	d.SetDefaults()
	jobs := d.Jobs(site(model.Slots, 1))
	var text []string
	for _, j := range jobs {
		text = append(text, fmt.Sprintf("%s %s %d+%d at %v within %v", j.Name, j.Class, j.Maps, j.Reduces, j.Submit, j.Goal))
	}
	want := []string{"J1 simulator 6400+1 at 0s within 6000s", "J2 wordcount 738+1 at 600s within 3000s",
		"J3 join 1000+4 at 1500s within 150s", "J4 join 1000+4 at 2500s within 150s"}
	if !slices.Equal(text, want) {
		t.Errorf("got %q", text)
	}
	if !reflect.DeepEqual(jobs[2].MapLength, jobs[3].MapLength) {
		t.Error("the two Joins are not identical")
	}
	// Phases of the Simulator, mean of the Join, range of WordCount.
	mean := func(v []model.Time) (m float64) {
		for _, l := range v {
			m += l.Seconds() / float64(len(v))
		}
		return m
	}
	for i, about := range []float64{19, 25, 35, 54} {
		if m := mean(jobs[0].MapLength.Fixed[1600*i : 1600*(i+1)]); m < 0.97*about || m > 1.03*about {
			t.Errorf("phase %d: %.1f s, want about %g", i, m, about)
		}
	}
	if m := mean(jobs[2].MapLength.Fixed); m < 5.4 || m > 5.6 {
		t.Errorf("join: maps of %.2f s", m)
	}
	if w := jobs[1].MapLength.Fixed; slices.Min(w) < 80*model.Second || slices.Max(w) > 100*model.Second {
		t.Errorf("wordcount: maps of %v to %v", slices.Min(w), slices.Max(w))
	}
	short := 0
	for _, l := range jobs[2].MapLength.Fixed {
		if l < 25*model.Second {
			short++
		}
	}
	if short < 950 {
		t.Errorf("join: %d of 1000 maps under 25 s, want most", short)
	}
	if reflect.DeepEqual(jobs, d.Jobs(site(model.Slots, 2))) {
		t.Error("two seeds gave the same order of lengths")
	}
}
