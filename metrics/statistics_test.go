// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) }

// The values 2, 4, 4, 4, 5, 5, 7, 9 have mean 5 and squared deviations 9+1+1+1+0+0+4+16 = 32, so the
// sample variance is 32/7, cv = sqrt(32/7)/5, scv = 32/175. Median 4.5; p95: h = 6.65, 7 + 0.65*2 = 8.3;
// v95 = 8.3/4.5.
func TestStatistics(t *testing.T) {
	run := &Run{}
	for i, s := range []int{9, 2, 5, 4, 7, 4, 5, 4} { // not sorted
		run.Jobs = append(run.Jobs, Job{ID: model.JobID(i), Submit: 10 * model.Second, FirstStart: 10*model.Second + model.Time(s)*model.Second,
			Finish: 60 * model.Second})
	}
	g := All(run, 0)
	for name, want := range map[string]float64{
		"mean_wait": 5, "median_wait": 4.5, "min_wait": 2, "max_wait": 9, "p0_wait": 2, "p100_wait": 9,
		"p50_wait": 4.5, "p95_wait": 8.3, "v95_wait": 8.3 / 4.5, "v50_wait": 1,
		"cv_wait": math.Sqrt(32.0/7) / 5, "scv_wait": 32.0 / 175,
		"mean_exec": 45, "mean_elapsed": 50, "cv_elapsed": 0, "jobs": 8, "makespan": 50, "throughput": 8 * 3600 / 50.0,
	} {
		if got, ok := g.Value(name); !ok || !near(got, want, 1e-12) {
			t.Errorf("%s is %g, %t; want %g", name, got, ok, want)
		}
	}
	if got, _ := All(run, 6).Value("mean_wait"); got != 4.5 { // jobs 6 and 7 wait 5 and 4
		t.Errorf("without the first six: mean wait %g, want 4.5", got)
	}
}

// Two jobs, one of 4 s of which 1 s is waiting, goal met with 1 s to spare; one of 8 s, 2 s late.
func TestJobQuantities(t *testing.T) {
	const s = model.Second
	run := &Run{Jobs: []Job{
		{ID: 0, Submit: 0, FirstStart: 1 * s, Finish: 4 * s, Reference: 2 * s, Size: 6 * s, Goal: 5 * s, Maps: 4, MapsAtFirstReduce: 1, Locality: [3]int32{3, 1, 0}},
		{ID: 1, Submit: 2 * s, FirstStart: 6 * s, Finish: 10 * s, Size: 4 * s, Goal: 8 * s, Maps: 4, MapsAtFirstReduce: 3, Locality: [3]int32{0, 2, 2}},
		{ID: 2, Submit: 3 * s, FirstStart: 3 * s, Finish: 3 * s, MapsAtFirstReduce: model.None},
	}}
	g := All(run, 0)
	for name, want := range map[string]float64{
		"max_response_ratio": 2,   // 8/4; the first has 4/3, the third took no time and has 1
		"min_response_ratio": 1,   //
		"max_slowdown":       2,   // 4/2; the others have no reference
		"max_tardiness":      2,   //
		"goals_met":          0.5, // of the two that have one
		"map_progress":       0.5, // (1/4 + 3/4)/2
		"node_local":         3. / 8, "rack_local": 3. / 8, "remote": 2. / 8,
		"mean_size": 10. / 3, "makespan": 10,
	} {
		if got, ok := g.Value(name); !ok || !near(got, want, 1e-12) {
			t.Errorf("%s is %g, %t; want %g", name, got, ok, want)
		}
	}
}

// Ten looks: the ninth in order is 4 %, the last 60 %.
func TestSpeeds(t *testing.T) {
	var s Speeds
	if _, ok := s.upTo(1); ok {
		t.Error("speeds without a look")
	}
	for _, percent := range []float64{0, 60, 1, 2, 4, 3, 0, 0, 0, 4} {
		s.add(percent)
	}
	for share, want := range map[float64]float64{0.4: 0, 0.5: 0.01, 0.9: 0.04, 0.91: 0.6, 1: 0.6} {
		if got, ok := s.upTo(share); !ok || got != want {
			t.Errorf("%g of the looks are up to %g, %t; want %g", share, got, ok, want)
		}
	}
}

// settle returns whole nanoseconds that add up to the total, none further than the rounding from its part.
func TestSettleAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 2), rapid.Float64Range(0, 1e15)), 1, 10).Draw(t, "parts")
		exact := 0.0
		for _, p := range parts {
			exact += p
		}
		total := model.Time(math.Round(exact))
		out := make([]model.Time, len(parts))
		settle(out, parts, total)
		sum := model.Time(0)
		for i, o := range out {
			sum += o
			if math.Abs(float64(o)-parts[i]) > float64(len(parts))+1 {
				t.Fatalf("part %d: %d for %f", i, o, parts[i])
			}
		}
		if sum != total {
			t.Fatalf("%v adds up to %d, want %d", out, sum, total)
		}
	})
}

// Rows that break a rule are found.
func TestRunCheckFindsPlantedFaults(t *testing.T) {
	sound := func() *Run {
		j := Job{ID: 3, Submit: 5, FirstStart: 9, Finish: 20}
		j.Blame[FirstContainer], j.Blame[MapsRunning] = 4, 11
		j.Limits[model.LimitUser] = 4
		return &Run{Jobs: []Job{j}}
	}
	if err := sound().Check(); err != nil {
		t.Fatal(err)
	}
	for says, plant := range map[string]func(*Job){
		"blame adds up to":   func(j *Job) { j.Blame[MapsRunning]++ },
		"limits add up to":   func(j *Job) { j.Limits[model.LimitUser]-- },
		"negative blame":     func(j *Job) { j.Blame[MapsRunning], j.Blame[ShuffleTail] = 12, -1 },
		"waiting -":          func(j *Job) { j.FirstStart = 4 },
		"job 3: blame adds ": func(j *Job) { j.Finish++ },
	} {
		run := sound()
		plant(&run.Jobs[0])
		if err := run.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("says %v, want %q", err, says)
		}
	}
}

func TestNamesAreKnown(t *testing.T) {
	run := &Run{Jobs: []Job{{Finish: model.Second, FirstStart: 0, Reduces: 1, Reference: model.Second}, {ID: 1, Finish: model.Second, Reduces: 1, Paired: 1}}, Stored: Stored{80, 50}}
	for _, name := range Names() {
		m, ok := Describe(name)
		if !ok || m.Doc == "" || m.Name != name || !slices.Contains([]string{"s", "share", "jobs/h", "ratio", "count", "B", "h"}, m.Unit) {
			t.Errorf("%s: %+v, %t", name, m, ok)
		}
		if _, ok := All(run, 0).Value(name); !ok && !whole(name) && name != "slots_60_600" { // which needs curves
			t.Errorf("%s has no value", name)
		}
	}
}

// Means of times hold where their sum is longer than any time.
func TestMeanOfLongTimes(t *testing.T) {
	run := &Run{}
	for range 100 {
		j := Job{Finish: model.Forever / 2}
		j.Blame[FirstContainer] = model.Forever / 2
		run.Jobs = append(run.Jobs, j)
	}
	if got, _ := All(run, 0).Value("blame_first_container"); math.Abs(got/(model.Forever/2).Seconds()-1) > 1e-9 {
		t.Errorf("%g s, want %g", got, (model.Forever / 2).Seconds())
	}
}

// A job that takes no time alone has no slowdown.
func TestSlowdownOfNothing(t *testing.T) {
	run := &Run{Jobs: []Job{{Finish: 4 * model.Second, Reference: 2 * model.Second}, {ID: 1, Finish: model.Second}}}
	if got, _ := All(run, 0).Value("mean_slowdown"); got != 2 {
		t.Errorf("mean slowdown %g, want 2", got)
	}
}
