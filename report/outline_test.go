// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// A band spans in each place the lowest and the highest of all seeds; a place that one seed lacks has the others'.
func TestBand(t *testing.T) {
	var b band
	b.include([]float64{3, math.NaN()})
	b.include([]float64{1, 5, 7})
	b.include([]float64{2, 4, math.NaN()})
	if !slices.Equal(b.Low, coarse{1, 4, 7}) || !slices.Equal(b.High, coarse{3, 5, 7}) {
		t.Errorf("%v to %v", b.Low, b.High)
	}
}

// Shares of 10 values: a tenth is at or below the first, all are at or below the last.
func TestAtShares(t *testing.T) {
	got := atShares([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	if len(got) != 101 || got[0] != 1 || got[10] != 1 || got[11] != 2 || got[50] != 5 || got[91] != 10 || got[100] != 10 {
		t.Error(got)
	}
	if atShares(nil) != nil {
		t.Error("no values have shares")
	}
}

// Values of 2 s each in buckets of 3 s: (2+2+4)/3, (4+6+6)/3, and nothing after the end.
func TestResample(t *testing.T) {
	got := resample([]float64{2, 4, 6}, 2, 3, 3)
	for i, want := range []float64{8.0 / 3, 16.0 / 3, 0} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("bucket %d is %v, want %v", i, got[i], want)
		}
	}
}

// Two seeds of two jobs each: 1 s and 3 s, 2 s and 6 s; the pool is half used for 10 s, and fully for 20 s.
func TestBands(t *testing.T) {
	run := func(factor, use float64, buckets int) *metrics.Run {
		r := jobsOf(2, func(i int, j *metrics.Job) {
			j.Finish = model.Seconds(factor * float64(1+2*i))
			j.FirstStart, j.Size = 0, model.Seconds(2)
		})
		r.Series = metrics.Series{Width: model.Seconds(10), Lines: []metrics.Line{{Name: metrics.LineUse, Key: "map"}}}
		for range buckets {
			r.Series.Lines[0].Values = append(r.Series.Lines[0].Values, use)
		}
		return r
	}
	a, b := run(1, 0.5, 1), run(2, 1, 2)
	p := PolicyRun{Name: "fair", Run: b, Seeds: []*Outline{NewOutline(a), NewOutline(b)}}
	d := newData([]PolicyRun{p}, nil).Policies[0].Bands
	if d == nil || d.Seeds != 2 {
		t.Fatalf("%+v", d)
	}
	for i, want := range map[int][2]float64{0: {1, 2}, 50: {1, 2}, 51: {3, 6}, 100: {3, 6}} {
		if d.Elapsed.Low[i] != want[0] || d.Elapsed.High[i] != want[1] || d.Slowdown.Low[i] != want[0] || d.Slowdown.High[i] != want[1] {
			t.Errorf("at %d %% elapsed is %v to %v, slowdown %v to %v, want %v", i, d.Elapsed.Low[i], d.Elapsed.High[i], d.Slowdown.Low[i], d.Slowdown.High[i], want)
		}
	}
	if len(d.Ranges.Low) != 1 || d.Ranges.Low[0] != 2 || d.Ranges.High[0] != 4 {
		t.Errorf("means by size are %+v", d.Ranges)
	}
	if len(d.Use) != 1 || d.Width != 10 || !slices.Equal(d.Use[0].Low, coarse{0.5, 0}) || !slices.Equal(d.Use[0].High, coarse{1, 1}) {
		t.Errorf("use is %+v in buckets of %v s", d.Use, d.Width)
	}
	if one := newData([]PolicyRun{{Name: "fair", Run: a, Seeds: []*Outline{NewOutline(a)}}}, nil); one.Policies[0].Bands != nil {
		t.Error("one seed has a band")
	}
}
