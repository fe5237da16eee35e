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

// Closed forms of E[X] and E[X^2]:
//
//	hyper-exponential p, m1, m2   p m1 + (1-p) m2, 2 (p m1^2 + (1-p) m2^2)
//	with balanced means m, cv     m, m^2 (1 + cv^2)
//	empirical                     weighted means of the values and of their squares
func TestNewMoments(t *testing.T) {
	for _, c := range []struct {
		name         string
		dist         Dist[Count]
		mean, square float64
	}{
		{"two branches", Dist[Count]{Kind: "hyper-exponential", P: 0.25, Mean1: 8, Mean2: 2}, 3.5, 2 * (0.25*64 + 0.75*4)},
		{"first branch shorter", Dist[Count]{Kind: "hyper-exponential", P: 0.75, Mean1: 2, Mean2: 8}, 3.5, 38},
		{"equal branches", Dist[Count]{Kind: "hyper-exponential", P: 0.3, Mean1: 3, Mean2: 3}, 3, 18},
		{"balanced", Dist[Count]{Kind: "hyper-exponential", Mean: 5, CV: 2}, 5, 125},
		{"nearly exponential", Dist[Count]{Kind: "hyper-exponential", Mean: 5, CV: 1.001}, 5, 25 * (1 + 1.001*1.001)},
		{"values", Dist[Count]{Kind: "empirical", Values: []Count{1, 2, 6}}, 3, 41.0 / 3},
		{"weighted values", Dist[Count]{Kind: "empirical", Values: []Count{1, 2, 6, 9}, Weights: []float64{1, 0, 3, 0}}, 19.0 / 4, 109.0 / 4},
	} {
		if p := c.dist.check(); p != nil {
			t.Fatalf("%s: %v", c.name, p)
		}
		mean, square := moments(&c.dist)
		if math.Abs(mean/c.mean-1) > 1e-4 || math.Abs(square/c.square-1) > 2e-3 {
			t.Errorf("%s: E %.6g, E of squares %.6g; want %.6g, %.6g", c.name, mean, square, c.mean, c.square)
		}
	}
	// Balanced means: both branches have half of the work.
	d := Dist[Count]{Kind: "hyper-exponential", Mean: 5, CV: 2}
	if p, m1, m2 := d.branches(); math.Abs(p*m1-2.5) > 1e-12 || math.Abs((1-p)*m2-2.5) > 1e-12 {
		t.Errorf("branches %g, %g, %g", p, m1, m2)
	}
}

// The quantile function of the mixture inverts its survival function, which is simple.
func TestHyperQuantileInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		m1, m2 := rapid.Float64Range(0.01, 1e4).Draw(t, "m1"), rapid.Float64Range(0.01, 1e4).Draw(t, "m2")
		u := rapid.Float64Range(0, 1-1.0/(1<<40)).Draw(t, "u")
		d := Dist[Count]{Kind: "hyper-exponential", P: p, Mean1: Count(m1), Mean2: Count(m2)}
		x := float64(d.Quantile(u))
		survival := p*math.Exp(-x/m1) + (1-p)*math.Exp(-x/m2)
		if math.Abs(survival/(1-u)-1) > 1e-9 {
			t.Fatalf("x %g: survival %g, want %g", x, survival, 1-u)
		}
	})
}

// An empirical distribution gives each value its share of the unit interval, the ends included.
func TestEmpiricalQuantile(t *testing.T) {
	plain := Dist[Count]{Kind: "empirical", Values: []Count{1, 2, 2, 7}}
	weighted := Dist[Count]{Kind: "empirical", Values: []Count{3, 5, 8}, Weights: []float64{0, 3, 1}}
	for _, c := range []struct {
		dist *Dist[Count]
		u    float64
		want Count
	}{
		{&plain, 0, 1}, {&plain, 0.2499, 1}, {&plain, 0.25, 2}, {&plain, 0.7499, 2}, {&plain, 0.75, 7}, {&plain, 1 - 1.0/(1<<53), 7},
		{&weighted, 0, 5}, {&weighted, 0.7499, 5}, {&weighted, 0.75, 8}, {&weighted, 1 - 1.0/(1<<53), 8},
	} {
		if got := c.dist.Quantile(c.u); got != c.want {
			t.Errorf("%+v at %g: %v, want %v", *c.dist, c.u, got, c.want)
		}
	}
}

func TestNewDistCheck(t *testing.T) {
	for _, d := range []Dist[Count]{
		{Kind: "hyper-exponential"}, {Kind: "hyper-exponential", Mean: 1, CV: 1}, {Kind: "hyper-exponential", CV: 2},
		{Kind: "hyper-exponential", P: 0.5, Mean1: 1}, {Kind: "hyper-exponential", P: 1, Mean1: 1, Mean2: 2},
		{Kind: "hyper-exponential", P: 0.5, Mean1: 1, Mean2: 2, Mean: 3}, {Kind: "hyper-exponential", Mean: 1, CV: 2, P: 0.5},
		{Kind: "hyper-exponential", Mean: 1, CV: 2, High: 9}, {Kind: "hyper-exponential", Mean: 1, CV: 2, Values: []Count{1}},
		{Kind: "empirical"}, {Kind: "empirical", Values: []Count{2, 1}}, {Kind: "empirical", Values: []Count{1, 2}, Weights: []float64{1}},
		{Kind: "empirical", Values: []Count{1, 2}, Weights: []float64{0, 0}}, {Kind: "empirical", Values: []Count{1}, Mean: 1},
		{Kind: "constant", Mean: 1, Values: []Count{1}}, {Kind: "uniform", High: 1, P: 0.5}, {Kind: "exponential", Mean: 1, Mean1: 1},
		{Kind: "lognormal", Mean: 1, Weights: []float64{1}}, {Kind: "bounded-pareto", Low: 1, High: 2, Alpha: 1, Mean2: 3},
	} {
		if p := d.check(); p == nil || p.Found == "" || p.Allowed == "" {
			t.Errorf("%+v passed: %+v", d, p)
		}
	}
}

func TestNewDistsInAScenario(t *testing.T) {
	type holder struct {
		Maps   Dist[Count]      `yaml:"maps" doc:"x"`
		Length Dist[model.Time] `yaml:"length" doc:"x"`
	}
	want := holder{Dist[Count]{Kind: "empirical", Values: []Count{1, 4}, Weights: []float64{2, 1}},
		Dist[model.Time]{Kind: "hyper-exponential", P: 0.1, Mean1: model.Hour, Mean2: model.Second}}
	text := "{maps: {kind: empirical, values: [1, 4], weights: [2, 1]}, length: {kind: hyper-exponential, p: 0.1, mean1: 1h, mean2: 1s}}"
	for _, src := range []string{text, string(strict.Encode(want).JSON(""))} {
		var got holder
		node, errs := strict.Parse("test.yaml", []byte(src))
		if errs = append(errs, strict.Decode(node, &got)...); len(errs) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", src, got, errs)
		}
	}
	for _, bad := range []string{"{maps: {kind: empirical, values: 3}}", "{maps: {kind: empirical, values: [-1]}}", "{length: {kind: empirical, values: [3]}}", "{maps: {p: 1.5}}"} {
		var got holder
		node, _ := strict.Parse("test.yaml", []byte(bad))
		if len(strict.Decode(node, &got)) == 0 {
			t.Errorf("%s was read as %+v", bad, got)
		}
	}
}
