// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"reflect"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// moments integrates the quantile function over (0, 1) by the midpoint rule, on a grid that is refined towards
// both ends so that tails count: u = 3v^2 - 2v^3 with du = 6v(1-v)dv.
func moments(d *Dist[Count]) (mean, square float64) {
	const n = 400000
	for i := range n {
		v := (float64(i) + 0.5) / n
		w := 6 * v * (1 - v) / n
		x := float64(d.Quantile(v * v * (3 - 2*v)))
		mean += w * x
		square += w * x * x
	}
	return mean, square
}

// Closed forms of E[X] and E[X^2]:
//
//	constant m            m, m^2
//	uniform a..b          (a+b)/2, (a^2+ab+b^2)/3
//	exponential m         m, 2 m^2
//	lognormal m, cv       m, m^2 (1 + cv^2)
//	bounded Pareto        c = alpha L^alpha / (1 - (L/H)^alpha);
//	                      E[X^k] = c (H^(k-alpha) - L^(k-alpha)) / (k - alpha), for k = alpha c ln(H/L)
func TestMoments(t *testing.T) {
	pareto := func(alpha, low, high float64) func(k float64) float64 {
		c := alpha * math.Pow(low, alpha) / (1 - math.Pow(low/high, alpha))
		return func(k float64) float64 {
			if k == alpha {
				return c * math.Log(high/low)
			}
			return c * (math.Pow(high, k-alpha) - math.Pow(low, k-alpha)) / (k - alpha)
		}
	}
	heavy, light, one := pareto(1.5, 0.2, 100), pareto(3, 2, 50), pareto(1, 1, 1000)
	for _, c := range []struct {
		name         string
		dist         Dist[Count]
		mean, square float64
	}{
		{"constant", Constant[Count](7), 7, 49},
		{"uniform", Dist[Count]{Kind: "uniform", Low: 2, High: 8}, 5, 28},
		{"exponential", Dist[Count]{Kind: "exponential", Mean: 3}, 3, 18},
		{"lognormal", Dist[Count]{Kind: "lognormal", Mean: 4, CV: 0.5}, 4, 20},
		{"wide lognormal", Dist[Count]{Kind: "lognormal", Mean: 1, CV: 2}, 1, 5},
		{"lognormal without scatter", Dist[Count]{Kind: "lognormal", Mean: 4}, 4, 16},
		{"pareto of the queueing paper", Dist[Count]{Kind: "bounded-pareto", Alpha: 1.5, Low: 0.2, High: 100}, heavy(1), heavy(2)},
		{"light pareto", Dist[Count]{Kind: "bounded-pareto", Alpha: 3, Low: 2, High: 50}, light(1), light(2)},
		{"pareto with alpha 1", Dist[Count]{Kind: "bounded-pareto", Alpha: 1, Low: 1, High: 1000}, one(1), one(2)},
	} {
		mean, square := moments(&c.dist)
		if math.Abs(mean/c.mean-1) > 1e-4 || math.Abs(square/c.square-1) > 2e-3 {
			t.Errorf("%s: E %.6g, E of squares %.6g; want %.6g, %.6g", c.name, mean, square, c.mean, c.square)
		}
	}
	// What papers/queueing rests on: the gap 1.14643691 s makes a load of 0.5, so E[X] = 0.573218455 s.
	if math.Abs(heavy(1)-0.573218455) > 1e-8 {
		t.Errorf("E of the paper's sizes is %.9f", heavy(1))
	}
}

// The median of a lognormal is m / sqrt(1 + cv^2), of an exponential m ln 2, of a bounded Pareto the x where
// 1 - (L/x)^alpha is half of 1 - (L/H)^alpha.
func TestQuantilePoints(t *testing.T) {
	for _, c := range []struct {
		dist    Dist[Count]
		u, want float64
	}{
		{Dist[Count]{Kind: "lognormal", Mean: 10, CV: 0.75}, 0.5, 8},
		{Dist[Count]{Kind: "exponential", Mean: 10}, 0.5, 10 * math.Ln2},
		{Dist[Count]{Kind: "exponential", Mean: 10}, 0, 0},
		{Dist[Count]{Kind: "uniform", Low: 4, High: 4}, 0.3, 4},
		{Dist[Count]{Kind: "bounded-pareto", Alpha: 1, Low: 1, High: 3}, 0, 1},
		{Dist[Count]{Kind: "bounded-pareto", Alpha: 1, Low: 1, High: 3}, 0.5, 1.5}, // 1 - 1/1.5 = 1/3, half of 2/3
	} {
		if got := float64(c.dist.Quantile(c.u)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v at %g: %g, want %g", c.dist, c.u, got, c.want)
		}
	}
	d := Dist[model.Time]{Kind: "exponential", Mean: 10 * model.Second}
	if got, want := d.Quantile(0.5).Seconds(), 10*math.Ln2; math.Abs(got-want) > 1e-8 {
		t.Errorf("median of a time: %g, want %g", got, want)
	}
}

// Every quantile function rises, stays within its bounds and is finite, at the ends as well.
func TestQuantileRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0.1, 10).Draw(t, "low")
		d := Dist[Count]{Kind: rapid.SampledFrom([]string{"constant", "uniform", "exponential", "lognormal", "bounded-pareto"}).Draw(t, "kind")}
		switch d.Kind { // only what the family has
		case "constant":
			d.Mean = Count(rapid.IntRange(0, 100).Draw(t, "value"))
		case "uniform", "bounded-pareto":
			d.Low, d.High = Count(low), Count(low*rapid.Float64Range(1.5, 1000).Draw(t, "span"))
		default:
			d.Mean = Count(rapid.Float64Range(0.1, 100).Draw(t, "mean"))
		}
		switch d.Kind {
		case "lognormal":
			d.CV = rapid.Float64Range(0, 5).Draw(t, "cv")
		case "bounded-pareto":
			d.Alpha = rapid.Float64Range(0.2, 4).Draw(t, "alpha")
		}
		if err := d.check(); err != nil {
			t.Fatal(err)
		}
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		const most = 1 - 1.0/(1<<53) // what a draw can be
		a, b = min(a, b, most), min(max(a, b), most)
		x, y := float64(d.Quantile(a)), float64(d.Quantile(b))
		if x > y*(1+1e-12) || x < 0 || math.IsInf(y, 0) || math.IsNaN(x) || math.IsNaN(y) {
			t.Fatalf("%+v: %g at %g, %g at %g", d, x, a, y, b)
		}
		if bounded := d.Kind == "uniform" || d.Kind == "bounded-pareto"; bounded && (x < low*(1-1e-12) || y > float64(d.High)*(1+1e-12)) {
			t.Fatalf("%+v: %g and %g are out of bounds", d, x, y)
		}
	})
}

func TestDistCheck(t *testing.T) {
	for _, d := range []Dist[Count]{
		{Kind: "uniform", Low: 2, High: 1}, {Kind: "exponential"}, {Kind: "lognormal", CV: 1},
		{Kind: "bounded-pareto", Low: 0, High: 2, Alpha: 1}, {Kind: "bounded-pareto", Low: 2, High: 2, Alpha: 1}, {Kind: "bounded-pareto", Low: 1, High: 2},
	} {
		if d.check() == nil {
			t.Errorf("%+v passed", d)
		}
	}
	for _, d := range []Dist[Count]{
		Constant[Count](0), {Kind: "uniform", Low: 1, High: 1}, {Kind: "exponential", Mean: 1}, {Kind: "lognormal", Mean: 1},
		{Kind: "bounded-pareto", Low: 1, High: 2, Alpha: 0.1},
	} {
		if err := d.check(); err != nil {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

// A constant is bounded like any other value, however it is written: {kind: constant, mean: -5s} is refused by the
// bounds of the field, and so is the short form.
func TestNegativeConstant(t *testing.T) {
	var h struct {
		Maps   Dist[Count]      `yaml:"maps" doc:"x"`
		Length Dist[model.Time] `yaml:"length" doc:"x"`
	}
	node, _ := strict.Parse("test.yaml", []byte("{maps: -3, length: -5s}"))
	errs := strict.Decode(node, &h)
	if len(errs) == 0 && (h.Maps.check() == nil || h.Length.check() == nil) {
		t.Errorf("read and valid: %+v", h)
	}
}

// A parameter that the family does not have was meant for something.
func TestForeignParameters(t *testing.T) {
	for _, d := range []Dist[Count]{{Kind: "uniform", Mean: 5}, {Kind: "exponential", Mean: 5, CV: 2}, {Kind: "constant", Mean: 5, High: 9}} {
		if d.check() == nil {
			t.Errorf("%+v passed", d)
		}
	}
}

func TestCountText(t *testing.T) {
	var c Count
	if err := c.UnmarshalText([]byte("2.5")); err != nil || c != 2.5 {
		t.Errorf("2.5: %v, %v", c, err)
	}
	if text, _ := c.MarshalText(); string(text) != "2.5" {
		t.Errorf("written %s", text)
	}
	for _, bad := range []string{"", "x", "NaN", "Inf", "1e999"} {
		if c.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// In a scenario a plain value is a constant, and what is written is read back.
func TestDistInAScenario(t *testing.T) {
	type holder struct {
		Maps   Dist[Count]      `yaml:"maps" doc:"x"`
		Length Dist[model.Time] `yaml:"length" doc:"x"`
	}
	read := func(text string) (h holder, errs strict.Errors) {
		node, errs := strict.Parse("test.yaml", []byte(text))
		if len(errs) == 0 {
			errs = strict.Decode(node, &h)
		}
		return h, errs
	}
	for text, want := range map[string]holder{
		"{maps: 2.5, length: 300ms}": {Constant[Count](2.5), Constant(300 * model.Millisecond)},
		"{maps: {mean: 4}, length: {kind: bounded-pareto, alpha: 1.5, low: 1s, high: 1h}}": {Constant[Count](4),
			Dist[model.Time]{Kind: "bounded-pareto", Alpha: 1.5, Low: model.Second, High: model.Hour}},
		"{maps: {kind: lognormal, mean: 4, cv: 2}, length: {kind: uniform, low: 1s, high: 2s}}": {
			Dist[Count]{Kind: "lognormal", Mean: 4, CV: 2}, Dist[model.Time]{Kind: "uniform", Low: model.Second, High: 2 * model.Second}},
	} {
		got, errs := read(text)
		if len(errs) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, errs, want)
		}
		written := string(strict.Encode(want).JSON(""))
		if again, errs := read(written); len(errs) > 0 || !reflect.DeepEqual(again, want) {
			t.Errorf("%s: written %s, read %+v, %v", text, written, again, errs)
		}
	}
	for _, bad := range []string{"{maps: many}", "{length: 5}", "{maps: {kind: gaussian}}", "{maps: {sigma: 2}}", "{length: {low: -1s}}"} {
		if got, errs := read(bad); len(errs) == 0 {
			t.Errorf("%s was read as %+v", bad, got)
		}
	}
}
