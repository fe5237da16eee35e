// SPDX-License-Identifier: Apache-2.0

package slssynth

import (
	"fmt"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// sample is a quantity: a constant (val), a distribution (val and std, the mean and the standard deviation, log-normal unless dist is NORM), or
// one of several values (discrete), by their weights.
type sample struct {
	Val      *float64  `json:"val"`
	Std      *float64  `json:"std"`
	Dist     string    `json:"dist"`
	Discrete []anyText `json:"discrete"`
	Weights  []float64 `json:"weights"`

	draw     *well // of a distribution
	a, b     float64
	normal   bool
	discrete []float64
}

// anyText is a text or a number.
type anyText string

// UnmarshalJSON takes both. It never fails.
func (t *anyText) UnmarshalJSON(b []byte) error {
	if n := len(b); n >= 2 && b[0] == '"' {
		b = b[1 : n-1]
	}
	*t = anyText(b)
	return nil
}

func constant(v float64) *sample       { return &sample{Val: &v} }
func spread(mean, std float64) *sample { return &sample{Val: &mean, Std: &std} }

// init checks the quantity and seeds its distribution.
func (s *sample) init(c *hadoop.Check, field string, rand *jdk) {
	switch {
	case s == nil || s.Val == nil && len(s.Discrete) == 0:
		c.Refuse(field, "nothing", "val, val and std, or discrete")
	case s.Val == nil:
		s.initDiscrete(c, field)
	case len(s.Discrete) > 0 || s.Weights != nil || s.Std == nil && s.Dist != "":
		c.Refuse(field, "several kinds of samples", "val, val and std, or discrete")
	case s.Std == nil:
	case s.Dist != "" && s.Dist != "LOGNORM" && s.Dist != "NORM":
		c.Refuse(field+".dist", hadoop.Quote(s.Dist), "LOGNORM or NORM")
	case *s.Val <= 0 || *s.Std < 0:
		c.Refuse(field, fmt.Sprintf("a mean of %g with a deviation of %g", *s.Val, *s.Std), "a mean above 0 and a deviation of at least 0")
	default:
		mean, std := *s.Val, *s.Std
		if std == 0 {
			std = mean / 6
		}
		if s.normal = s.Dist == "NORM"; s.normal {
			s.a, s.b = mean, std
		} else {
			square := math.Log1p(std * std / (mean * mean))
			s.a, s.b = math.Log(mean)-0.5*square, math.Sqrt(square)
		}
		s.draw = newWell(rand.long())
	}
}

func (s *sample) initDiscrete(c *hadoop.Check, field string) {
	if s.Weights == nil {
		for range s.Discrete {
			s.Weights = append(s.Weights, 1)
		}
	}
	if len(s.Weights) != len(s.Discrete) {
		c.Refuse(field+".weights", fmt.Sprintf("%d weights for %d values", len(s.Weights), len(s.Discrete)), "one for each value")
	}
	for _, text := range s.Discrete {
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			c.Refuse(field+".discrete", hadoop.Quote(string(text)), "numbers")
		}
		s.discrete = append(s.discrete, v)
	}
}

// next draws a value.
func (s *sample) next(rand *jdk) float64 {
	switch {
	case s.discrete != nil:
		return s.discrete[min(weighted(s.Weights, rand), len(s.discrete)-1)]
	case s.draw == nil:
		return *s.Val
	case s.normal:
		return s.a + s.b*s.draw.normal()
	}
	return math.Exp(s.a + s.b*s.draw.normal())
}

// whole draws a value and rounds it, halves up.
func (s *sample) whole(rand *jdk) int64 {
	v := math.Floor(s.next(rand) + 0.5)
	return int64(max(min(v, 1<<62), -1<<62))
}

// weighted draws the number of one of several things by their weights.
func weighted(weights []float64, rand *jdk) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	at, sum := rand.double()*total, 0.0
	for i, w := range weights {
		if sum += w; sum > at {
			return i
		}
	}
	return len(weights)
}
