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
		dec.Sub("", n, &d.Mean)
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

// check returns what the parameters must be, if they are wrong.
func (d *Dist[T]) check() error {
	switch d.Kind {
	case "uniform":
		if d.High < d.Low {
			return errors.New("high of at least low")
		}
	case "bounded-pareto":
		if d.Low <= 0 || d.High <= d.Low || d.Alpha <= 0 {
			return errors.New("alpha above 0 and 0 < low < high")
		}
	case "exponential", "lognormal":
		if d.Mean <= 0 {
			return errors.New("a mean above 0")
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
