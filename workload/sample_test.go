// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// drawn returns jobs with 0, 1, 2, ... bytes of shuffle data, submitted one second apart. Every tenth waits for the one
// before.
func drawn(n int) []model.Job {
	jobs := make([]model.Job, n)
	for i := range jobs {
		jobs[i] = model.Job{ID: model.JobID(i), After: model.None, Submit: model.Time(i) * model.Second, Shuffle: model.Bytes(i), Input: 1000, Output: 10}
		if i%10 == 9 {
			jobs[i].After, jobs[i].Submit = model.JobID(i-1), 7
		}
	}
	return jobs
}

func TestSample(t *testing.T) {
	all := Sample{MinShuffle: 50}
	kept := all.Keep(drawn(100))
	if len(kept) != 50 {
		t.Fatalf("%d jobs have at least 50 bytes, should be 50", len(kept))
	}
	for i, j := range kept {
		if int(j.ID) != i || j.Shuffle != model.Bytes(50+i) || i%10 == 9 && int(j.After) != i-1 {
			t.Errorf("job %d: number %d, %d bytes, after %d", i, j.ID, j.Shuffle, j.After)
		}
	}
	some := Sample{Jobs: 300, MinShuffle: 100}
	first, second := some.Keep(drawn(1100)), some.Keep(drawn(1100))
	heads, sum := 0, 0.0
	for i := range first {
		if first[i].Shuffle != second[i].Shuffle {
			t.Fatal("two draws differ")
		}
		if first[i].After == model.None {
			heads++
			sum += float64(first[i].Shuffle)
		}
	}
	if mean := sum / float64(heads); heads != 300 || math.Abs(mean-600) > 3*289/math.Sqrt(300) {
		t.Errorf("%d jobs with a mean of %.0f bytes, should be 300 with about 600", heads, mean)
	}
}

func TestArrive(t *testing.T) {
	jobs := drawn(1000)
	(&Arrive{Within: 100 * model.Second}).Apply(jobs, 3)
	sum, heads := 0.0, 0
	last := model.Time(0)
	for i, j := range jobs {
		if int(j.ID) != i {
			t.Fatalf("job %d has number %d", i, j.ID)
		}
		if j.After != model.None {
			if j.Submit != 7 || j.After >= j.ID {
				t.Fatalf("job %d waits for %d and thinks for %v", i, j.After, j.Submit)
			}
			continue
		}
		if j.Submit < last || j.Submit > 100*model.Second {
			t.Fatalf("job %d is submitted at %v, after one at %v", i, j.Submit, last)
		}
		last = j.Submit
		sum, heads = sum+j.Submit.Seconds(), heads+1
	}
	if mean := sum / float64(heads); math.Abs(mean-50) > 3*29/math.Sqrt(float64(heads)) {
		t.Errorf("submitted at %.1f s on average, should be about 50 s", mean)
	}
	(&Arrive{}).Apply(jobs, 3)
	for _, j := range jobs {
		if j.After == model.None && j.Submit != 0 {
			t.Fatalf("submitted at %v, should be 0 s", j.Submit)
		}
	}
}

func TestScaleBytes(t *testing.T) {
	jobs := []model.Job{{Input: 1000, Shuffle: 250, Output: 1, Maps: 3}}
	ScaleBytes(jobs, 0.01)
	if j := jobs[0]; j.Input != 10 || j.Shuffle != 3 || j.Output != 0 || j.Maps != 3 {
		t.Errorf("%+v", j)
	}
}

// The lengths that several jobs may share are not changed in place.
func TestScaleLengths(t *testing.T) {
	fixed := []model.Time{10, 20}
	jobs := []model.Job{{MapLength: model.Lengths{Fixed: fixed}, ReduceLength: model.Lengths{Mean: 30, CV: 0.5}, ShuffleTail: 7}}
	ScaleLengths(jobs, 0.5)
	if j := jobs[0]; j.MapLength.Fixed[1] != 10 || j.ReduceLength.Mean != 15 || j.ReduceLength.CV != 0.5 || j.ShuffleTail != 4 || fixed[1] != 20 {
		t.Errorf("%+v of %v", j, fixed)
	}
}
