// SPDX-License-Identifier: Apache-2.0

package plot

import (
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/digits"
)

// Scale maps values to positions of a drawing.
type Scale struct {
	log       bool
	seen      bool
	low, high float64 // of the values; logarithms on a logarithmic axis
	from, to  float64 // of the positions
}

// NewScale returns a scale of an axis between two positions.
func NewScale(a Axis, from, to float64) Scale {
	return Scale{log: a.Log, from: from, to: to}
}

// value is what the axis measures: the value or its logarithm. Nothing that is not above 0 has one.
func (s *Scale) value(v float64) (float64, bool) {
	if s.log {
		v = math.Log10(v)
	}
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

// Include widens the scale to hold v.
func (s *Scale) Include(v float64) {
	v, ok := s.value(v)
	if !ok {
		return
	}
	if !s.seen {
		s.seen, s.low, s.high = true, v, v
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
}

// widen leaves room at the ends: so that an axis has a length, and, with margin, that points at the
// ends do not touch the frame. What is above 0 stays so.
func (s *Scale) widen(margin bool) {
	span := s.high - s.low
	if span == 0 {
		span = max(math.Abs(s.low), 1)
	}
	if s.low != 0 && (margin || s.high == s.low || s.log) {
		s.low -= 0.04 * span
	}
	s.high += 0.04 * span
}

// Lengthen gives a scale that holds a single value a length of 1.
func (s *Scale) Lengthen() {
	if s.high == s.low {
		s.high = s.low + 1
	}
}

// Place returns the position of a value; values beyond the scale go to its ends.
func (s *Scale) Place(v float64) float64 {
	v, ok := s.value(v)
	if !ok {
		v = s.low
	}
	share := min(max((v-s.low)/(s.high-s.low), 0), 1)
	return s.from + share*(s.to-s.from)
}

// Ticks returns about n round values with their positions.
func (s *Scale) Ticks(n int) (ticks []Tick) {
	add := func(v float64) {
		if x, ok := s.value(v); ok && x >= s.low-1e-9 && x <= s.high+1e-9 {
			ticks = append(ticks, Tick{At: At(s.Place(v)), Text: Short(v)})
		}
	}
	if !s.log {
		step := roundStep((s.high - s.low) / float64(n))
		for k := math.Ceil(s.low/step - 1e-9); k*step <= s.high+1e-9*step; k++ {
			add(k * step)
		}
		return ticks
	}
	within := []float64{1}
	if s.high-s.low < 2.5 {
		within = []float64{1, 2, 5}
	}
	for d := math.Floor(s.low); d <= s.high; d++ {
		for _, m := range within {
			add(m * math.Pow(10, d))
		}
	}
	return ticks
}

// roundStep returns 1, 2 or 5 times a power of ten, at least v.
func roundStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// Short writes a number with three digits, thousands apart.
func Short(v float64) string {
	if a := math.Abs(v); a >= 1000 && a < 1e9 {
		return digits.Thousands(strconv.FormatFloat(math.Round(v), 'f', 0, 64))
	}
	if v == 0 {
		return "0" // not -0
	}
	return strconv.FormatFloat(digits.Round(v, 3), 'g', -1, 64)
}
