// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"errors"
	"math"
	"slices"
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

// Dist is a distribution of counts or times. In a scenario a plain value means a constant. A
// parameter that is zero or empty is not given.
type Dist[T Count | model.Time] struct {
	Kind    string    `yaml:"kind" oneof:"constant,uniform,exponential,lognormal,bounded-pareto,hyper-exponential,empirical" doc:"Family of the distribution."`
	Mean    T         `yaml:"mean,omitempty" min:"0" doc:"Mean (constant, exponential, lognormal, hyper-exponential with cv)."`
	CV      float64   `yaml:"cv,omitempty" min:"0" max:"100" doc:"Coefficient of variation (lognormal; hyper-exponential with balanced means, above 1)."`
	Low     T         `yaml:"low,omitempty" min:"0" doc:"Least value (uniform, bounded-pareto)."`
	High    T         `yaml:"high,omitempty" min:"0" doc:"Largest value (uniform, bounded-pareto)."`
	Alpha   float64   `yaml:"alpha,omitempty" min:"0" doc:"Tail index (bounded-pareto)."`
	P       float64   `yaml:"p,omitempty" min:"0" max:"1" doc:"Chance of the first branch (hyper-exponential)."`
	Mean1   T         `yaml:"mean1,omitempty" min:"0" doc:"Mean of the first branch (hyper-exponential)."`
	Mean2   T         `yaml:"mean2,omitempty" min:"0" doc:"Mean of the second branch (hyper-exponential)."`
	Values  []T       `yaml:"values,omitempty" min:"0" doc:"The values, in rising order (empirical)."`
	Weights []float64 `yaml:"weights,omitempty" min:"0" doc:"How common each value is, relative to the others; equal if left out (empirical)."`
}

// DistFields returns a value whose tagged fields are those of a distribution, for the reference.
func DistFields() any {
	type plain Dist[Count]
	return &plain{Kind: "constant"}
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

// param names one parameter of a distribution.
type param uint

const (
	pMean param = 1 << iota
	pCV
	pLow
	pHigh
	pAlpha
	pP
	pMean1
	pMean2
	pValues
	pWeights
)

// given returns the parameters that are set.
func (d *Dist[T]) given() (set param) {
	for _, f := range []struct {
		name param
		set  bool
	}{
		{pMean, d.Mean != 0}, {pCV, d.CV != 0}, {pLow, d.Low != 0}, {pHigh, d.High != 0}, {pAlpha, d.Alpha != 0},
		{pP, d.P != 0}, {pMean1, d.Mean1 != 0}, {pMean2, d.Mean2 != 0}, {pValues, len(d.Values) > 0}, {pWeights, len(d.Weights) > 0},
	} {
		if f.set {
			set |= f.name
		}
	}
	return set
}

// check returns what is wrong with the parameters, or nil. A parameter that the family does not
// have is wrong too: nothing is ignored.
func (d *Dist[T]) check() *model.Problem {
	given := d.given()
	foreign := func(own param) bool { return given&^own != 0 }
	bad := func(wrong bool, allowed string) *model.Problem {
		if !wrong {
			return nil
		}
		return &model.Problem{Found: string(d.MarshalNode().JSON("")), Allowed: allowed}
	}
	switch d.Kind {
	case "constant":
		if foreign(pMean) {
			return &model.Problem{Found: "a constant with a spread", Allowed: "a plain value, or a kind of distribution"}
		}
		n, ok := any(d.Mean).(Count)
		return bad(ok && n != Count(math.Trunc(float64(n))), "a whole number, or a distribution")
	case "uniform":
		return bad(d.High < d.Low || d.High == 0 || foreign(pLow|pHigh), "low and high, low at most high, and nothing else")
	case "bounded-pareto":
		return bad(d.Low <= 0 || d.High <= d.Low || d.Alpha <= 0 || foreign(pLow|pHigh|pAlpha),
			"alpha above 0, low and high with 0 < low < high, and nothing else")
	case "exponential":
		return bad(d.Mean <= 0 || foreign(pMean), "a mean above 0 and nothing else")
	case "lognormal":
		return bad(d.Mean <= 0 || foreign(pMean|pCV), "a mean above 0, a cv, and nothing else")
	case "hyper-exponential":
		balanced := d.Mean > 0 && d.CV > 1 && !foreign(pMean|pCV)
		branches := d.P > 0 && d.P < 1 && d.Mean1 > 0 && d.Mean2 > 0 && !foreign(pP|pMean1|pMean2)
		return bad(!balanced && !branches, "either a mean above 0 and a cv above 1, or p between 0 and 1, mean1 and mean2 above 0; and nothing else")
	case "empirical":
		return bad(!d.rising() || foreign(pValues|pWeights), "values in rising order, weights (one for each value, not all 0) or none, and nothing else")
	}
	return nil
}

// rising reports whether values and weights are those of an empirical distribution.
func (d *Dist[T]) rising() bool {
	total := 0.0
	for _, w := range d.Weights {
		total += w
	}
	whole := len(d.Weights) == 0 || len(d.Weights) == len(d.Values) && total > 0
	return len(d.Values) > 0 && slices.IsSorted(d.Values) && whole
}
