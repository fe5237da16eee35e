// SPDX-License-Identifier: Apache-2.0

package tune_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// dialogue draws what a driver might observe at one step, from the state of a little made-up cluster.
type dialogue struct {
	apps []tune.App
	am   model.Bytes
	mem  model.Bytes
}

func newDialogue(t *rapid.T) *dialogue {
	am := model.Bytes(rapid.IntRange(1, 8).Draw(t, "am")) * model.GiB
	return &dialogue{am: am, mem: am * model.Bytes(rapid.IntRange(1, 60).Draw(t, "ams"))}
}

// observe moves the cluster on and looks at it; anything may be unknown.
func (d *dialogue) observe(t *rapid.T, now model.Time) *tune.Observation {
	for range rapid.IntRange(0, 2).Draw(t, "arrivals") {
		d.apps = append(d.apps, tune.App{ID: fmt.Sprintf("a%d", len(d.apps)), Progress: tune.Got(0.0)})
	}
	pending, running := 0, 0
	for i := range d.apps {
		a := &d.apps[i]
		switch a.State {
		case tune.Pending:
			if rapid.IntRange(0, 3).Draw(t, "start") == 0 {
				a.State = tune.Running
			}
		case tune.Running:
			a.Progress.Value = min(a.Progress.Value+rapid.Float64Range(0, 40).Draw(t, "progress"), 100)
			if a.Progress.Value == 100 {
				a.State = tune.Finished
			}
		}
		switch a.State {
		case tune.Pending:
			pending++
		case tune.Running:
			running++
		}
	}
	known := func() bool { return rapid.IntRange(0, 9).Draw(t, "known") > 0 }
	o := &tune.Observation{Time: now}
	o.Idle = tune.Reading[float64]{Value: rapid.Float64Range(0, 100).Draw(t, "idle"), Known: known()}
	o.Disk = tune.Reading[float64]{Value: rapid.Float64Range(0, 100).Draw(t, "disk"), Known: known()}
	o.Pending = tune.Reading[int]{Value: pending, Known: known()}
	o.Running = tune.Reading[int]{Value: running, Known: known()}
	o.AM = tune.Reading[model.Bytes]{Value: d.am, Known: known()}
	o.Container = tune.Reading[model.Bytes]{Value: d.am / 2, Known: known()}
	o.Memory = tune.Reading[model.Bytes]{Value: d.mem, Known: known()}
	o.Available = tune.Reading[model.Bytes]{Value: d.mem / 3, Known: known()}
	o.Latency = tune.Reading[model.Time]{Value: 15 * model.Second, Known: known()}
	if o.AppsKnown = known(); o.AppsKnown {
		o.Apps = d.apps
	}
	return o
}

func drawTuner(t *rapid.T, faithful bool) (name, params string, seed uint64) {
	name = rapid.SampledFrom(tune.All.Names()).Draw(t, "tuner")
	e, _ := tune.All.Find(name)
	for _, f := range strict.Fields(e.Params()) {
		if faithful && f.Path == "faithful" {
			params = "{faithful: true}"
		}
	}
	return name, params, rapid.Uint64Range(0, 20).Draw(t, "seed")
}

// TestSaveLoad: a tuner that is saved and restored at any step advises as if nothing had happened.
func TestSaveLoad(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name, params, seed := drawTuner(r, rapid.Bool().Draw(r, "faithful"))
		whole := build(t, name, params, seed)
		cut := build(t, name, params, seed)
		d := newDialogue(r)
		now := model.Time(0)
		for step := range 40 {
			if rapid.Bool().Draw(r, "cut") {
				data, err := tune.Save(cut)
				if err != nil {
					r.Fatal(err)
				}
				cut = build(t, name, params, seed)
				if err := tune.Load(cut, data); err != nil {
					r.Fatal(err)
				}
			}
			o := d.observe(r, now)
			want, got := whole.Step(o), cut.Step(o)
			if want != got {
				r.Fatalf("%s, step %d: %+v, restored %+v", name, step, want, got)
			}
			if want.Done {
				break
			}
			now = want.Next
		}
	})
}

// TestAdvice: by default every advice is a share in (0, 1]; faithful tuners may leave it. Time goes
// forward for all. marp-auto always leaves room for one AM, so that no queue starves.
func TestAdvice(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		faithful := rapid.Bool().Draw(r, "faithful")
		name, params, seed := drawTuner(r, faithful)
		tuner := build(t, name, params, seed)
		d := newDialogue(r)
		now := model.Time(0)
		for range 60 {
			o := d.observe(r, now)
			a := tuner.Step(o)
			if a.Reason == "" {
				r.Fatalf("%s gives no reason", name)
			}
			if params == "" && !(a.Share > 0 && a.Share <= 1) {
				r.Fatalf("%s advises %v", name, a)
			}
			if one := float64(d.am) / float64(d.mem); name == "marp-auto" && o.AM.Known && o.Memory.Known && a.Share < one {
				r.Fatalf("marp-auto advises %v, below the %v of one AM", a, one)
			}
			if a.Done {
				return
			}
			if a.Next <= o.Time {
				r.Fatalf("%s at %v wants to be called at %v", name, o.Time, a.Next)
			}
			now = a.Next
		}
	})
}

// TestDraws: what cbtwat draws depends on the seed alone, and differs between seeds.
func TestDraws(t *testing.T) {
	memory := func(seed uint64) string {
		tuner := build(t, "cbtwat", "", seed)
		o := tune.Observation{Pending: tune.Got(1), Running: tune.Got(1), AppsKnown: true, Apps: []tune.App{{ID: "a"}, {ID: "b", State: tune.Running}}}
		for range 2 {
			a := tuner.Step(&o)
			o.Time = a.Next
		}
		return fmt.Sprint(reflect.ValueOf(tuner.State()).Elem().FieldByName("Memory").Interface())
	}
	seen := map[string]bool{}
	for seed := range uint64(200) {
		m := memory(seed)
		if m != memory(seed) {
			t.Fatalf("seed %d draws twice differently", seed)
		}
		seen[m] = true
	}
	if len(seen) != 24 { // ordered choices of 3 of 4
		t.Errorf("200 seeds draw %d lists of thresholds, want all 24", len(seen))
	}
}

// TestRegistry: names are unique, and each entry says what help needs.
func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range tune.All {
		if seen[e.Name] || e.Summary == "" || e.Source == "" {
			t.Errorf("%q: a second of its name, or without summary or source", e.Name)
		}
		seen[e.Name] = true
		for _, f := range strict.Fields(e.Params()) {
			if f.Doc == "" {
				t.Errorf("%s.%s has no doc", e.Name, f.Path)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	if err := tune.Load(build(t, "cbt", "", 1), []byte(`{"Nothing":1}`)); err == nil {
		t.Error("a state of something else was taken")
	}
}

func TestThresholdsFitRange(t *testing.T) {
	e, _ := tune.All.Find("cbtwat")
	p := e.Params().(*tune.AdaptiveParams)
	p.Thresholds = 5
	if got := p.Validate(); len(got) != 1 || got[0].Path != "thresholds" {
		t.Errorf("five thresholds out of 1..4: %v", got)
	}
}
