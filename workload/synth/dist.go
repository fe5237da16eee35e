// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"errors"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

// Count is a number of things; it may be fractional inside a distribution.
type Count float64

// Allowed describes the accepted text of a Count.
func (Count) Allowed() string { return "a number of at least 0" }

// UnmarshalText reads a number.
func (c *Count) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return errors.New("not a number")
	}
	*c = Count(v)
	return nil
}

// MarshalText writes the number.
func (c Count) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(c), 'g', -1, 64), nil
}

// Dist is a distribution of counts or times. In a scenario a plain value means a constant.
type Dist[T Count | model.Time] struct {
	Kind  string  `yaml:"kind" oneof:"constant,uniform,exponential,lognormal,bounded-pareto" doc:"Family of the distribution."`
	Mean  T       `yaml:"mean,omitempty" min:"0" doc:"Mean (constant, exponential, lognormal)."`
	CV    float64 `yaml:"cv,omitempty" min:"0" doc:"Coefficient of variation (lognormal)."`
	Low   T       `yaml:"low,omitempty" min:"0" doc:"Least value (uniform, bounded-pareto)."`
	High  T       `yaml:"high,omitempty" min:"0" doc:"Largest value (uniform, bounded-pareto)."`
	Alpha float64 `yaml:"alpha,omitempty" min:"0" doc:"Tail index (bounded-pareto)."`
}

// Constant returns the distribution that is always v.
func Constant[T Count | model.Time](v T) Dist[T] { return Dist[T]{Kind: "constant", Mean: v} }

// UnmarshalNode implements strict.Unmarshaler: a scalar is a constant.
func (d *Dist[T]) UnmarshalNode(n *strict.Node, dec *strict.Decoder) {
	if n.Kind == strict.Scalar {
		*d = Dist[T]{Kind: "constant"}
		if dec.Sub("", n, &d.Mean) && d.Mean < 0 {
			dec.Bad(n, "out of bounds", "at least 0, or a distribution")
		}
		return
	}
	type plain Dist[T]
	fresh := plain{Kind: "constant"}
	dec.Sub("", n, &fresh)
	*d = Dist[T](fresh)
}

// MarshalNode implements strict.NodeMarshaler.
func (d Dist[T]) MarshalNode() *strict.Node {
	type plain Dist[T]
	if d.Kind == "constant" {
		return strict.Encode(d.Mean)
	}
	return strict.Encode(plain(d))
}

// TypeName is the name of the type in the reference.
func (d Dist[T]) TypeName() string {
	var v any = d.Mean
	if _, ok := v.(model.Time); ok {
		return "duration or distribution of durations"
	}
	return "number or distribution of numbers"
}

// check returns what is wrong with the parameters, or nil. A parameter that the family does not
// have is wrong too: nothing is ignored.
func (d *Dist[T]) check() *model.Problem {
	found := string(d.MarshalNode().JSON(""))
	bad := func(allowed string) *model.Problem { return &model.Problem{Found: found, Allowed: allowed} }
	switch d.Kind {
	case "constant":
		if d.CV != 0 || d.Low != 0 || d.High != 0 || d.Alpha != 0 {
			return &model.Problem{Found: "a constant with a spread", Allowed: "a plain value, or a kind of distribution"}
		}
		if n, ok := any(d.Mean).(Count); ok && n != Count(math.Trunc(float64(n))) {
			return bad("a whole number, or a distribution")
		}
	case "uniform":
		if d.High < d.Low || d.High == 0 || d.Mean != 0 || d.CV != 0 || d.Alpha != 0 {
			return bad("low and high, low at most high, and nothing else")
		}
	case "bounded-pareto":
		if d.Low <= 0 || d.High <= d.Low || d.Alpha <= 0 || d.Mean != 0 || d.CV != 0 {
			return bad("alpha above 0, low and high with 0 < low < high, and nothing else")
		}
	case "exponential":
		if d.Mean <= 0 || d.CV != 0 || d.Low != 0 || d.High != 0 || d.Alpha != 0 {
			return bad("a mean above 0 and nothing else")
		}
	case "lognormal":
		if d.Mean <= 0 || d.Low != 0 || d.High != 0 || d.Alpha != 0 {
			return bad("a mean above 0, a cv, and nothing else")
		}
	}
	return nil
}

// Quantile returns the value below which a share u of the distribution lies, 0 <= u < 1.
func (d *Dist[T]) Quantile(u float64) T {
	mean, low, high := float64(d.Mean), float64(d.Low), float64(d.High)
	v := mean
	switch d.Kind {
	case "uniform":
		v = low + u*(high-low)
	case "exponential":
		v = -mean * math.Log1p(-u)
	case "lognormal":
		s2 := math.Log1p(d.CV * d.CV)
		v = mean * math.Exp(math.Sqrt(s2)*math.Sqrt2*math.Erfinv(2*clamp(u)-1)-s2/2)
	case "bounded-pareto":
		r := math.Pow(low/high, d.Alpha)
		v = low * math.Pow(1-u*(1-r), -1/d.Alpha)
	}
	return T(v)
}

// clamp keeps u away from the ends, where the normal quantile is infinite.
func clamp(u float64) float64 { return min(max(u, 1e-12), 1-1e-12) }
