// SPDX-License-Identifier: Apache-2.0

package svm

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/rng"
)

// dense solves the problem by trying all pairs of points, one after the other, until none of them gains anything. It
// keeps nothing but the multipliers.
func dense(points []Point, p Params) (objective float64) {
	n := len(points)
	y, beta := make([]float64, n), make([]float64, n)
	for i := range points {
		y[i] = -1
		if points[i].Positive {
			y[i] = 1
		}
	}
	kernel := func(i, j int) float64 {
		d := 0.0
		for c := range points[i].X {
			d += (points[i].X[c] - points[j].X[c]) * (points[i].X[c] - points[j].X[c])
		}
		return math.Exp(-p.Gamma * d)
	}
	slope := func(i int) float64 {
		g := y[i]
		for j := range points {
			g -= beta[j] * kernel(i, j)
		}
		return g
	}
	for moved := true; moved; {
		moved = false
		for i := range points {
			for j := range points {
				g := slope(i) - slope(j)
				if i == j || g < 1e-5 {
					continue
				}
				step := g / max(2-2*kernel(i, j), 1e-12)
				step = min(step, max(0, y[i])*p.C*points[i].Weight-beta[i], beta[j]-min(0, y[j])*p.C*points[j].Weight)
				if step > 1e-9 {
					beta[i], beta[j], moved = beta[i]+step, beta[j]-step, true
				}
			}
		}
	}
	for i := range points {
		objective -= beta[i] * (y[i] + slope(i)) / 2
	}
	return objective
}

func drawPoints(t *rapid.T, most int) []Point {
	points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point {
		coordinate := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 20).Draw(t, "x")) / 20 })
		return Point{X: rapid.SliceOfN(coordinate, 2, 2).Draw(t, "point"), Positive: rapid.Bool().Draw(t, "positive"), Weight: float64(rapid.IntRange(1, 3).Draw(t, "weight"))}
	}), 2, most).Draw(t, "points")
	points[0].Positive, points[1].Positive = true, false
	return points
}

// The solver finds the optimum that trying all pairs finds, whatever its cache holds.
func TestTrainAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 9)
		p := Params{C: rapid.SampledFrom([]float64{0.1, 1, 10}).Draw(t, "C"), Gamma: rapid.SampledFrom([]float64{0.5, 4, 50}).Draw(t, "gamma"),
			Tolerance: 1e-5, Cache: rapid.SampledFrom([]int{0, 1}).Draw(t, "cache")}
		_, r, err := Train(points, p)
		if err != nil {
			t.Fatal(err)
		}
		if want := dense(points, p); math.Abs(r.Objective-want) > 1e-4*(1+math.Abs(want)) {
			t.Fatalf("objective %g, all pairs find %g", r.Objective, want)
		}
	})
}

// Optimality as Karush, Kuhn and Tucker state it: a point inside its bounds lies on the margin, one without a
// multiplier outside of it, one at its bound inside. Points enough that some are set aside.
func TestConditionsOfOptimality(t *testing.T) {
	for _, gamma := range []float64{0.5, 5, 50} {
		points := cloud(2500)
		p := Params{C: 10, Gamma: gamma, Cache: 2e6}
		s := newSolver(points, p)
		s.solve()
		m, r := s.machine()
		if r.Unfinished || r.Steps < 1000 {
			t.Fatalf("%d steps, unfinished %v: the case is no test of points that are set aside", r.Steps, r.Unfinished)
		}
		sum := 0.0
		for i, point := range points {
			margin := s.y[i] * m.Decision(point.X)
			size := math.Abs(s.beta[i])
			sum += s.beta[i]
			switch {
			case size == 0 && margin < 1-2e-3:
				t.Errorf("gamma %g: a point without a multiplier has margin %g", gamma, margin)
			case size == p.C && margin > 1+2e-3:
				t.Errorf("gamma %g: a point at its bound has margin %g", gamma, margin)
			case size > 0 && size < p.C && math.Abs(margin-1) > 2e-3:
				t.Errorf("gamma %g: a point between its bounds has margin %g", gamma, margin)
			}
		}
		if math.Abs(sum) > 1e-6 {
			t.Errorf("multipliers sum to %g", sum)
		}
	}
}

// cloud returns points of which those inside a circle are positive, some of them with the wrong label.
func cloud(n int) []Point {
	draws := rng.New(1, "cloud")
	points := make([]Point, n)
	for i := range points {
		r := draws.At(uint64(i), 0, 0)
		x, y := r.Float64(), r.Float64()
		inside := (x-0.5)*(x-0.5)+(y-0.5)*(y-0.5) < 0.1
		points[i] = Point{X: []float64{x, y}, Positive: inside != (r.Float64() < 0.1), Weight: 1}
	}
	return points
}

// A point of weight three is three points.
func TestEqualPointsAreMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 30)
		var many []Point
		for _, p := range points {
			for range int(p.Weight) {
				many = append(many, Point{X: p.X, Positive: p.Positive})
			}
		}
		p := Params{C: 3, Gamma: 2, Tolerance: 1e-4}
		m, a, err := Train(points, p)
		if err != nil {
			t.Fatal(err)
		}
		n, b, err := Train(many, p)
		if err != nil {
			t.Fatal(err)
		}
		if a != b || m.Bias != n.Bias || !slices.Equal(m.Coefficients, n.Coefficients) {
			t.Fatalf("%+v with weights, %+v one by one", a, b)
		}
	})
}

func TestOneClassIsRefused(t *testing.T) {
	if _, _, err := Train([]Point{{X: []float64{1}}, {X: []float64{2}}}, Params{C: 1, Gamma: 1}); err != ErrOneClass {
		t.Errorf("error %v", err)
	}
	for _, bad := range [][]Point{{{X: []float64{1}}, {X: []float64{1, 2}, Positive: true}}, {{X: []float64{math.NaN()}}, {X: []float64{1}, Positive: true}}} {
		if _, _, err := Train(bad, Params{C: 1, Gamma: 1}); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestSearchPrefersWhatGeneralises(t *testing.T) {
	s := Search{C: []float64{1, 10}, Gamma: []float64{10, 1e5}, Folds: 5, Points: cloud(600)}
	accuracy := make([]float64, s.Cells())
	for cell := range accuracy {
		var err error
		if accuracy[cell], err = s.Judge(cell); err != nil {
			t.Fatal(err)
		}
	}
	best, share := s.Best(accuracy)
	if best.Gamma != 10 || share < 0.85 || share > 0.92 { // one label in ten is wrong
		t.Errorf("best %+v with %g, of %v", best, share, accuracy)
	}
	if accuracy[1] > 0.8 { // a kernel so narrow knows nothing beside its points
		t.Errorf("a kernel of width 0.003 classifies %g right", accuracy[1])
	}
}

func TestScaling(t *testing.T) {
	s := FitScaling([][]float64{{0, 7, 1e9}, {99, 7, 0}})
	got := s.Apply(nil, []float64{9, 7, 1e9})
	want := []float64{math.Log(10) / math.Log(100), 0, 1}
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-12 {
			t.Errorf("scaled %v, want %v", got, want)
		}
	}
}

func TestClassifierIsReadAsItWasWritten(t *testing.T) {
	m, _, err := Train(cloud(200), Params{C: 4, Gamma: 8})
	if err != nil {
		t.Fatal(err)
	}
	c := &Classifier{Features: []string{"maps", "shuffle"}, Positive: "up", Negative: "out", Scaling: Scaling{Kind: LogUnit, Low: []float64{0, 0}, High: []float64{1, 1}},
		Machine: m, Trace: "abc", Points: 200, C: 4}
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(text, "maps", "shuffle")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := c.Decision(0.3, 0.4), back.Decision(0.3, 0.4); a != b {
		t.Errorf("decision %g written, %g read", a, b)
	}
	for name, bad := range map[string]struct{ text, want string }{
		"features": {strings.Replace(string(text), `"shuffle"`, `"input"`, 1), "allowed: maps, shuffle"},
		"scaling":  {strings.Replace(string(text), LogUnit, "none", 1), "train it again"},
		"unknown":  {strings.Replace(string(text), `"points"`, `"pionts"`, 1), "pionts"},
		"support":  {strings.Replace(string(text), "[\n      [", "[\n      [1,", 1), "machine.support[0]"},
	} {
		if _, err := Decode([]byte(bad.text), "maps", "shuffle"); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", name, err, bad.want)
		}
	}
}

// libsvm's own program finds the same optimum and the same labels, where it is installed.
func TestAgainstLibsvm(t *testing.T) {
	program, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("svm-train is not installed (Debian: libsvm-tools)")
	}
	for _, p := range []Params{{C: 1, Gamma: 4}, {C: 100, Gamma: 1}, {C: 20, Gamma: 30}} {
		points, fresh := cloud(2000), cloud(5000)[2000:]
		dir := t.TempDir()
		objective, labels := libsvm(t, program, dir, points, fresh, p)
		m, r, err := Train(points, p)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Objective-objective) > 1e-3*math.Abs(objective) {
			t.Errorf("%+v: objective %g, libsvm's is %g", p, r.Objective, objective)
		}
		same := 0
		for i, point := range fresh {
			if m.Decision(point.X) > 0 == labels[i] {
				same++
			}
		}
		if share := float64(same) / float64(len(fresh)); share < 0.999 {
			t.Errorf("%+v: %g of the labels are libsvm's", p, share)
		}
	}
}

func libsvm(t *testing.T, program, dir string, train, test []Point, p Params) (objective float64, labels []bool) {
	t.Helper()
	write := func(name string, points []Point) string {
		var b bytes.Buffer
		for _, point := range points {
			label := -1
			if point.Positive {
				label = 1
			}
			fmt.Fprintf(&b, "%d", label)
			for k, v := range point.X {
				fmt.Fprintf(&b, " %d:%.17g", k+1, v)
			}
			b.WriteByte('\n')
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out")
	text, err := exec.Command(program, "-t", "2", "-c", fmt.Sprint(p.C), "-g", fmt.Sprint(p.Gamma), "-e", "0.001", write("train", train), model).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "obj = ")
	number, _, _ := strings.Cut(after, ",")
	if objective, err = strconv.ParseFloat(number, 64); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if err := exec.Command(filepath.Join(filepath.Dir(program), "svm-predict"), write("test", test), model, out).Run(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		labels = append(labels, strings.TrimSpace(lines.Text()) == "1")
	}
	return objective, labels
}
