// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// count is a number for each kind: maps, reduces.
type count = [model.Kinds]int32

// containers returns a job whose tasks take one container each.
func containers(total, running, done count) *cluster.Job {
	one := model.Room{1, 0}
	return &cluster.Job{Total: total, Running: running, Done: done, Need: [model.Kinds]model.Room{one, one}}
}

func TestMapsFirst(t *testing.T) {
	for _, c := range []struct {
		slowStart  model.Fraction
		maps, want int32
	}{
		{0, 100, 0},        // reduces start with the first map
		{1, 100, 100},      // reduces start after the last map
		{0.05, 0, 0},       // nothing to wait for
		{0.05, 1, 1},       // 0.05 rounded up
		{0.05, 20, 1},      // exactly 1
		{0.05, 21, 2},      // 1.05 rounded up
		{0.8, 1000, 800},   // exactly 800, though 0.8 is no binary fraction
		{0.07, 100, 7},     // 0.07 * 100 is 7.000000000000001 in binary
		{0.05, 1200, 60},   // exactly 60
		{0.333, 1000, 333}, // exactly 333
	} {
		r := Rules{SlowStart: c.slowStart}
		if got := r.MapsFirst(c.maps); got != c.want {
			t.Errorf("slow start %v of %d maps: %d maps first, want %d", c.slowStart, c.maps, got, c.want)
		}
	}
}

// Ten maps and eight reduces, a container each; ramp-up 0.5 unless the case says otherwise.
// allowed = floor(min(ramp-up, maps done / maps) * (free + what the job uses)).
func TestEligible(t *testing.T) {
	for _, c := range []struct {
		name          string
		running, done count
		free          int64
		change        func(*Rules, *cluster.Job)
		want          int32
	}{
		{name: "no map has ended: 0 * 10", running: count{4, 0}, free: 6, want: 0},
		{name: "two of ten maps have ended: 0.2 * (6 + 4)", running: count{4, 0}, done: count{2, 0}, free: 6, want: 2},
		{name: "cut, not rounded: 0.2 * (5 + 4) = 1.8", running: count{4, 0}, done: count{2, 0}, free: 5, want: 1},
		{name: "the job's reduces count as reach: 0.2 * (4 + 4 + 2)", running: count{4, 2}, done: count{2, 0}, free: 4, want: 2},
		{name: "the ramp-up limit binds: min(0.5, 0.8) * (9 + 1)", running: count{1, 0}, done: count{8, 0}, free: 9, want: 5},
		{name: "all reduces at most: 0.5 * (30 + 2) = 16", running: count{2, 0}, done: count{7, 0}, free: 30, want: 8},
		{name: "what runs is not taken back: 0.5 * (0 + 4) = 2, but 4 run", running: count{0, 4}, done: count{5, 0}, free: 0, want: 4},
		{name: "ended ones come on top: 2 + 0.5 * (2 + 2)", running: count{2, 0}, done: count{7, 2}, free: 2, want: 4},
		{name: "no map is pending", running: count{3, 1}, done: count{7, 0}, free: 0, want: 8},
		{name: "no limit", running: count{4, 0}, free: 6, want: 8, change: func(r *Rules, _ *cluster.Job) { r.RampUp = 1 }},
		{name: "a limit of nothing", running: count{1, 0}, done: count{8, 0}, free: 9, want: 0, change: func(r *Rules, _ *cluster.Job) { r.RampUp = 0 }},
		{name: "the scarcer dimension binds: min(0.5 * 40 / 4, 0.5 * (4 + 2) / 1)", running: count{0, 2}, done: count{5, 0}, free: 32, want: 3,
			change: func(_ *Rules, j *cluster.Job) { j.Need[model.Reduce] = model.Room{4, 1} }},
		{name: "tasks that need nothing are not held back", running: count{4, 0}, done: count{1, 0}, free: 0, want: 8,
			change: func(_ *Rules, j *cluster.Job) { j.Need[model.Reduce] = model.Room{} }},
		{name: "a second attempt takes one of the places: 0.5 * (3 + 3) - 1 = 2, one of them runs", running: count{1, 2}, done: count{5, 0}, free: 3, want: 2,
			change: func(_ *Rules, j *cluster.Job) { j.Doubled[model.Reduce] = 1 }},
		{name: "a pending second attempt of the last map holds reduces back: 0.5 * (2 + 2)", running: count{2, 0}, done: count{8, 0}, free: 2, want: 2,
			change: func(_ *Rules, j *cluster.Job) { j.Doubled[model.Map] = 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, j := Rules{RampUp: 0.5}, containers(count{10, 8}, c.running, c.done)
			if c.change != nil {
				c.change(&r, j)
			}
			free := [model.Dims]int64{c.free, 4} // of the second dimension only Yarn's tasks take any
			if got := r.Eligible(j, true, false, &free); got != c.want {
				t.Errorf("%d reduces, want %d", got, c.want)
			}
			if got := r.Eligible(j, false, false, &free); got != 8 {
				t.Errorf("%d reduces in room of their own, want all 8", got)
			}
		})
	}
}

// A job that yields keeps what runs and has ended, second attempts not counted, and starts no more.
func TestEligibleWhileYielding(t *testing.T) {
	r, j := Rules{RampUp: 1}, containers(count{10, 8}, count{0, 4}, count{5, 2})
	j.Doubled[model.Reduce] = 1
	if got := r.Eligible(j, true, true, &[model.Dims]int64{100, 100}); got != 2+4-1 {
		t.Errorf("%d reduces, want 2 ended and 3 running", got)
	}
	j.Running[model.Map] = 5
	if got := r.Eligible(j, true, true, &[model.Dims]int64{}); got != 8 {
		t.Errorf("%d reduces when every map has room, want all 8", got)
	}
}

// Whatever the state: what runs or has ended stays eligible, never more than there are, and more free room
// or more ended maps never make fewer.
func TestEligibleIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maps, reduces := rapid.Int32Range(1, 50).Draw(t, "maps"), rapid.Int32Range(0, 50).Draw(t, "reduces")
		ended := rapid.Int32Range(0, maps-1).Draw(t, "ended maps")
		reduced := rapid.Int32Range(0, reduces).Draw(t, "ended reduces")
		running := rapid.Int32Range(0, reduces-reduced).Draw(t, "running reduces")
		r := Rules{RampUp: model.Fraction(rapid.Float64Range(0, 1).Draw(t, "ramp-up"))}
		free := rapid.Int64Range(0, 100).Draw(t, "free")
		eligible := func(ended int32, free int64) int32 {
			return r.Eligible(containers(count{maps, reduces}, count{0, running}, count{ended, reduced}), true, false, &[model.Dims]int64{free, 0})
		}
		got := eligible(ended, free)
		if got < reduced+running || got > reduces {
			t.Fatalf("%d eligible; %d have ended, %d run, there are %d", got, reduced, running, reduces)
		}
		if more := eligible(ended, free+1); more < got {
			t.Fatalf("%d eligible with %d free, %d with one more", got, free, more)
		}
		if more := eligible(ended+1, free); more < got {
			t.Fatalf("%d eligible after %d maps, %d after one more", got, ended, more)
		}
	})
}

func TestStarved(t *testing.T) {
	for _, c := range []struct {
		name          string
		running, done count
		waiting       int
		want          bool
	}{
		{"reduces wait, no map runs, some are pending", count{0, 2}, count{5, 0}, 2, true},
		{"nobody waits for the maps", count{0, 2}, count{5, 0}, 0, false},
		{"a map runs", count{1, 2}, count{5, 0}, 2, false},
		{"no map is pending", count{0, 2}, count{10, 0}, 2, false},
	} {
		if got := Starved(containers(count{10, 8}, c.running, c.done), c.waiting); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	j := containers(count{10, 8}, count{0, 2}, count{10, 0})
	j.Doubled[model.Map] = 1 // the last map's output was lost, or it straggles: one is pending
	if !Starved(j, 1) {
		t.Error("a pending second attempt counts as a map that finds no room")
	}
}

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name        string
		total, done count
		partial     [model.Kinds]float64
		want        float64
	}{
		{"just set up", count{10, 4}, count{}, [model.Kinds]float64{}, 0.05},
		{"half the maps: 0.05 + 0.45 * 5/10", count{10, 4}, count{5, 0}, [model.Kinds]float64{}, 0.275},
		{"running maps count in part: 0.05 + 0.45 * (5 + 1.5)/10", count{10, 4}, count{5, 0}, [model.Kinds]float64{1.5, 0}, 0.3425},
		{"reduces: 0.05 + 0.45 + 0.45 * (1 + 0.5)/4", count{10, 4}, count{10, 1}, [model.Kinds]float64{0, 0.5}, 0.66875},
		{"all done, not ended: 0.05 + 0.45 + 0.45", count{10, 4}, count{10, 4}, [model.Kinds]float64{}, 0.95},
		{"maps alone: 0.05 + 0.9 * 3/10", count{10, 0}, count{3, 0}, [model.Kinds]float64{}, 0.32},
		{"reduces alone: 0.05 + 0.9 * 1/4", count{0, 4}, count{0, 1}, [model.Kinds]float64{}, 0.275},
		{"two attempts of the last map: no more than all", count{10, 0}, count{9, 0}, [model.Kinds]float64{1.4, 0}, 0.95},
	} {
		if got := Progress(containers(c.total, count{}, c.done), c.partial); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}
