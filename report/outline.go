// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/packed"
)

// MostOutlines is how many seeds of a policy a page draws bands of.
const MostOutlines = 40

const (
	outlineShares  = 100 // steps of a distribution
	outlineBuckets = 256 // of a curve over time
)

// Outline is what is kept of the run of one seed, so that curves can be drawn with the band that all seeds span.
type Outline struct {
	elapsed, slowdown []float64 // the value that a share of 0, 1/outlineShares, ... 1 of the jobs is at or below
	variation         []float64
	ranges            []float64 // mean slowdown by range of allEdges; NaN where no job is known
	width             float64   // seconds of one value of the lines
	lines             []metrics.Line
}

// NewOutline takes from a run what bands need.
func NewOutline(r *metrics.Run) *Outline {
	elapsed, slow := times(r.Jobs)
	o := &Outline{elapsed: atShares(elapsed), slowdown: atShares(slow), variation: variation(slow)}
	for _, s := range newRanges(r.Jobs, allEdges()) {
		if s.Known == 0 {
			s.Mean = num(math.NaN())
		}
		o.ranges = append(o.ranges, float64(s.Mean))
	}
	group := 1
	for _, l := range r.Series.Lines {
		if banded(l.Name) {
			group = max(group, (len(l.Values)+outlineBuckets-1)/outlineBuckets)
		}
	}
	o.width = r.Series.Width.Seconds() * float64(group)
	for _, l := range r.Series.Lines {
		if banded(l.Name) {
			o.lines = append(o.lines, metrics.Line{Name: l.Name, Key: l.Key, Values: slices.Clone(packed.Merge(l.Values, group))})
		}
	}
	return o
}

// banded reports whether lines of that name are drawn with bands.
func banded(name string) bool {
	return name == metrics.LineUse || name == metrics.LineClass || name == metrics.LineJobs
}

// atShares returns the values that shares of the ascending values are at or below.
func atShares(values []float64) []float64 {
	if len(values) == 0 {
		return nil
	}
	out := make([]float64, outlineShares+1)
	for i := range out {
		rank := (i*len(values) + outlineShares - 1) / outlineShares
		out[i] = values[max(rank-1, 0)]
	}
	return out
}

// band is what all seeds span: in each place the lowest and the highest value of any; null where no seed has one.
type band struct {
	Key  string `json:"key,omitempty"`
	Low  coarse `json:"low"`
	High coarse `json:"high"`
}

// include widens the band by the values of one seed.
func (b *band) include(values []float64) {
	for i, v := range values {
		if i == len(b.Low) {
			b.Low, b.High = append(b.Low, math.NaN()), append(b.High, math.NaN())
		}
		if !math.IsNaN(v) && !(v >= b.Low[i]) {
			b.Low[i] = v
		}
		if !math.IsNaN(v) && !(v <= b.High[i]) {
			b.High[i] = v
		}
	}
}

// bands are those of one policy.
type bands struct {
	Seeds     int    `json:"seeds"`
	Elapsed   band   `json:"elapsed"` // by shares of jobs, in even steps from 0 to 1
	Slowdown  band   `json:"slowdown"`
	Variation band   `json:"variation"`
	Ranges    band   `json:"ranges"`
	Width     num    `json:"width"` // seconds of one value of those below
	Use       []band `json:"use"`
	Jobs      []band `json:"jobs"`
}

// newBands spans the seeds of a policy; nil where there is one only. edges are those of the page, s the series of the run that
// is shown.
func newBands(seeds []*Outline, edges []float64, s *series, b bounds) *bands {
	if len(seeds) < 2 {
		return nil
	}
	out := &bands{Seeds: len(seeds)}
	every := max(1, (outlineShares+b.cdf-1)/b.cdf)
	for outlineShares%every != 0 {
		every++
	}
	first := 0
	if len(edges) > 0 {
		first = rangeOf(allEdges(), edges[0])
	}
	for _, o := range seeds {
		out.Elapsed.include(everyNth(o.elapsed, every))
		out.Slowdown.include(everyNth(o.slowdown, every))
		out.Variation.include(o.variation)
		out.Ranges.include(o.ranges[first : first+len(edges)])
	}
	length := 0
	for _, c := range append(slices.Clone(s.Use), s.Jobs...) {
		length = max(length, len(c.Values))
	}
	group := max(1, (length+b.band-1)/b.band)
	out.Width = s.Width * num(group)
	length = (length + group - 1) / group
	span := func(name, key string) band {
		band := band{Key: key}
		for _, o := range seeds {
			for _, l := range o.lines {
				if l.Name == name && l.Key == key {
					band.include(resample(l.Values, o.width, float64(out.Width), length))
				}
			}
		}
		return band
	}
	for _, l := range seeds[0].lines {
		switch one := span(l.Name, l.Key); l.Name {
		case metrics.LineJobs:
			out.Jobs = append(out.Jobs, one)
		default:
			out.Use = append(out.Use, one)
		}
	}
	return out
}

// everyNth keeps the first and every n-th value after it.
func everyNth(values []float64, n int) []float64 {
	var out []float64
	for i := 0; i < len(values); i += n {
		out = append(out, values[i])
	}
	return out
}

// resample averages values that each hold for from seconds over n buckets of to seconds; after the last value there is 0.
func resample(values []float64, from, to float64, n int) []float64 {
	out := make([]float64, n)
	if from <= 0 {
		return out
	}
	for i := range out {
		a, b := float64(i)*to, float64(i+1)*to
		for k := int(a / from); k < len(values) && float64(k)*from < b; k++ {
			if !math.IsNaN(values[k]) {
				out[i] += values[k] * max(0, min(b, float64(k+1)*from)-max(a, float64(k)*from)) / to
			}
		}
	}
	return out
}
