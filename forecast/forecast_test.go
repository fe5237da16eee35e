// SPDX-License-Identifier: Apache-2.0

package forecast

import (
	"math"
	"reflect"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

func manyJobs(n int) []model.Job {
	jobs := make([]model.Job, n)
	for i := range jobs {
		jobs[i] = model.Job{ID: model.JobID(i), Name: "job", Submit: 1000 * model.Second, After: model.None, Period: model.Hour,
			Maps: 3, Reduces: 2, Input: 100e6, Shuffle: 200e6, Output: 300e6,
			MapLength: model.Lengths{Fixed: []model.Time{1, 2, 6}}, ReduceLength: model.Lengths{Mean: 7, Noise: model.LogNormalNoise, CV: 1}}
	}
	return jobs
}

// Forecasts are of recurring jobs alone, and true unless errors are asked for.
func TestTrue(t *testing.T) {
	jobs := manyJobs(3)
	jobs[0].Period = 0
	jobs[2].After, jobs[2].Submit = 1, 5*model.Second
	got := Of(jobs, DefaultRules(), 1)
	if len(got) != 2 {
		t.Fatalf("%d forecasts, should be 2", len(got))
	}
	f := got[0]
	if f.Job != 1 || f.Arrival != 1000*model.Second || f.Tasks != [model.Kinds]int32{3, 2} || f.Length != [model.Kinds]model.Time{3, 7} ||
		f.Input != 100e6 || f.Shuffle != 200e6 || f.Output != 300e6 {
		t.Errorf("forecast %+v", f)
	}
	if got[1].Arrival != 1005*model.Second {
		t.Errorf("a job that waits for another is expected at %v, should be 1005 s", got[1].Arrival)
	}
}

// Sizes are wrong by the rate, half of them too large; a share of the jobs is late, by as much one way as the other.
func TestErrors(t *testing.T) {
	const n = 4000
	rules := Rules{SizeError: 0.25, LateShare: 0.3, LateBy: 200 * model.Second}
	got := Of(manyJobs(n), rules, 1)
	large, late, sum := 0, 0, 0.0
	for _, f := range got {
		switch f.Shuffle {
		case 250e6:
			large++
		case 150e6:
		default:
			t.Fatalf("shuffle data of %v, should be a quarter too much or too little", f.Shuffle)
		}
		if off := (f.Arrival - 1000*model.Second).Seconds(); off != 0 {
			late++
			sum += off
			if math.Abs(off) > 200 {
				t.Fatalf("late by %v s", off)
			}
		}
	}
	if math.Abs(float64(large)/n-0.5) > 0.03 || math.Abs(float64(late)/n-0.3) > 0.03 || math.Abs(sum/float64(late)) > 12 {
		t.Errorf("%d of %d too large, %d late, by %.1f s on average", large, n, late, sum/float64(late))
	}
	if !reflect.DeepEqual(got, Of(manyJobs(n), rules, 1)) || reflect.DeepEqual(got, Of(manyJobs(n), rules, 2)) {
		t.Error("errors depend on anything but the seed, or not on the seed")
	}
}
