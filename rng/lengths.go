// SPDX-License-Identifier: Apache-2.0

package rng

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// Sampler draws the lengths of the tasks of one kind of one job. It is model.Lengths with what does
// not change from task to task worked out.
type Sampler struct {
	noise   model.Noise
	listed  bool // lengths are listed one by one
	key     Key
	stream  *Stream
	mean    float64
	spread  float64
	shift   float64
	lengths *model.Lengths // far away in memory, so it is not looked at where a length is drawn
}

// NewSampler returns the sampler for the tasks of the job that have the lengths l.
func NewSampler(stream *Stream, job model.JobID, l *model.Lengths) Sampler {
	s := Sampler{stream: stream, key: stream.Key(uint64(uint32(job))), lengths: l, mean: float64(l.Mean), noise: l.Noise, listed: l.Fixed != nil}
	if l.CV == 0 {
		s.noise = model.NoNoise
	}
	switch s.noise {
	case model.LogNormalNoise: // exp(spread*z - shift) has mean 1
		v := math.Log1p(l.CV * l.CV)
		s.spread, s.shift = math.Sqrt(v), v/2
	case model.ExponentialNoise: // a constant part keeps the mean when CV < 1
		s.spread = min(l.CV, 1)
	case model.UniformNoise:
		s.spread = min(l.CV*math.Sqrt(3), 1)
	}
	return s
}

// Length returns how long an attempt of a task runs. The same (job, index, attempt) of the same
// stream always gives the same length, whatever was drawn before.
func (s *Sampler) Length(index int32, attempt uint8) model.Time {
	if s.listed {
		return s.lengths.Fixed[index]
	}
	if s.noise == model.NoNoise {
		return s.lengths.Mean
	}
	b, c := uint64(uint32(index)), uint64(attempt)
	factor := 1.0
	switch s.noise {
	case model.LogNormalNoise:
		factor = exp(s.spread*s.stream.normal(s.key, b, c) - s.shift)
	case model.ExponentialNoise:
		factor = 1 - s.spread + s.spread*s.stream.From(s.key, b, c).ExpFloat64()
	case model.UniformNoise:
		factor = 1 - s.spread + 2*s.spread*s.stream.From(s.key, b, c).Float64()
	}
	return model.Time(min(s.mean*factor+0.5, float64(math.MaxInt64/2)))
}
