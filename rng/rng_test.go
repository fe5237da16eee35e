// SPDX-License-Identifier: Apache-2.0

package rng

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// The order of draws must not matter: that is what common random numbers rest on.
func TestDrawsDependOnTheirKeyAlone(t *testing.T) {
	length := func(s *Stream, job model.JobID, index int32, attempt uint8) model.Time {
		l := NewSampler(s, job, &model.Lengths{Mean: 10 * model.Second, Noise: model.LogNormalNoise, CV: 0.5})
		return l.Length(index, attempt)
	}
	forward, backward := New(7, "task-length"), New(7, "task-length")
	want := make([]model.Time, 100)
	for i := range want {
		want[i] = length(forward, 3, int32(i), 0)
	}
	for i := len(want) - 1; i >= 0; i-- {
		if got := length(backward, 3, int32(i), 0); got != want[i] {
			t.Fatalf("task %d: %v drawn forward, %v drawn backward", i, want[i], got)
		}
	}
	if want[0] == want[1] || want[0] == length(New(8, "task-length"), 3, 0, 0) ||
		want[0] == length(New(7, "other"), 3, 0, 0) || want[0] == length(forward, 3, 0, 1) {
		t.Error("different keys, seeds, purposes or attempts gave equal draws")
	}
}

func TestNoiseHasTheStatedMoments(t *testing.T) {
	for _, c := range []struct {
		name  string
		noise model.Noise
		cv    float64
	}{
		{"lognormal", model.LogNormalNoise, 0.8},
		{"exponential", model.ExponentialNoise, 1},
		{"shifted exponential", model.ExponentialNoise, 0.5},
		{"uniform", model.UniformNoise, 0.3},
	} {
		l := NewSampler(New(1, Purpose(c.name)), 0, &model.Lengths{Mean: model.Second, Noise: c.noise, CV: c.cv})
		const n = 200000
		var sum, sq float64
		for i := range n {
			v := l.Length(int32(i), 0).Seconds()
			sum += v
			sq += v * v
		}
		mean := sum / n
		cv := math.Sqrt(sq/n-mean*mean) / mean
		if math.Abs(mean-1) > 0.01 || math.Abs(cv-c.cv) > 0.02 {
			t.Errorf("%s: mean %.4f cv %.4f, want 1 and %.2f", c.name, mean, cv, c.cv)
		}
	}
}

func TestBelowIsUniform(t *testing.T) {
	s := New(3, "below")
	var count [10]int
	for i := range 100000 {
		count[Below(s.Uint64(uint64(i), 0, 0), len(count))]++
	}
	for v, n := range count {
		if n < 9600 || n > 10400 { // four standard deviations of a binomial are 380
			t.Errorf("value %d drawn %d times of 100000", v, n)
		}
	}
}
