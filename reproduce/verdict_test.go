// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// measured returns a comparison of policies a, b, c of which makespan and goals_met were measured.
func measured(values ...[]float64) *experiment.Comparison {
	c := &experiment.Comparison{Queries: []metrics.Query{{Metric: "makespan"}, {Metric: "goals_met"}}, Seeds: make([]uint64, len(values[0]))}
	for i, v := range values {
		policy := scenario.Named("fifo", nil)
		policy.As = string(rune('a' + i))
		c.Policies = append(c.Policies, policy)
		c.Values = append(c.Values, [][]float64{v, v})
	}
	return c
}

// around returns n values with this mean that lie this far from it, turn by turn.
func around(mean, spread float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = mean + spread*float64(1-2*(i%2))
	}
	return out
}

func verdictOf(t *testing.T, f FigureConfig, c *experiment.Comparison) Finding {
	t.Helper()
	if problems := f.validate(); len(problems) > 0 {
		t.Fatal(problems)
	}
	out, err := f.judge(c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRelationVerdicts holds relations against samples of known ratio.
func TestRelationVerdicts(t *testing.T) {
	one, more, noisy := around(10, 0, 6), around(11, 0.1, 6), around(11, 5, 6)
	for _, c := range []struct {
		holds   string
		samples [][]float64
		want    string
	}{
		{"a@makespan < b@makespan", [][]float64{one, more}, HoldsTrue},
		{"a@makespan > b@makespan", [][]float64{one, more}, Deviates},
		{"spread(a)@makespan < spread(b)@makespan", [][]float64{more, noisy}, HoldsTrue}, // 0.1 from the mean, and 5
		{"spread(b)@makespan < 2 * spread(a)@makespan", [][]float64{more, noisy}, Deviates},
		{"a@makespan < b@makespan", [][]float64{one, noisy}, Undecided},
		{"a@makespan > b@makespan", [][]float64{one, noisy}, Undecided},
		// equal is undecided, whatever the sign
		{"a@makespan < b@makespan", [][]float64{noisy, noisy}, Undecided},
		{"a@makespan <= b@makespan", [][]float64{noisy, noisy}, Undecided},
		{"a@makespan >= b@makespan", [][]float64{one, one}, Undecided},
		{"a@makespan <= 10", [][]float64{one}, Undecided},
		// one repetition decides nothing
		{"a@makespan < b@makespan", [][]float64{one[:1], more[:1]}, Undecided},
		{"a@makespan ~ b@makespan within 50%", [][]float64{one[:1], more[:1]}, Undecided},
		// factors
		{"a@makespan < 1.2 * b@makespan", [][]float64{more, one}, HoldsTrue},
		{"2 * a@makespan < b@makespan", [][]float64{one, more}, Deviates},
		{"a@makespan > 10.5", [][]float64{more}, HoldsTrue},
		// similar, on both sides
		{"a@makespan ~ b@makespan within 20%", [][]float64{one, more}, HoldsTrue},
		{"a@makespan ~ b@makespan within 20%", [][]float64{more, one}, HoldsTrue},
		{"a@makespan ~ b@makespan within 5%", [][]float64{one, more}, Deviates},
		{"a@makespan ~ b@makespan within 5%", [][]float64{more, one}, Deviates},
		{"a@makespan ~ b@makespan within 10%", [][]float64{one, more}, Undecided}, // 1/1.1 is the edge
		{"a@makespan ~ b@makespan within 20%", [][]float64{one, noisy}, Undecided},
		{"a@makespan ~ b@makespan within 20%", [][]float64{one, one}, HoldsTrue},
		// max and min: every pair must hold, and one that does not is enough
		{"max(a,b)@makespan < c@makespan", [][]float64{one, one, more}, HoldsTrue},
		{"max(a,b)@makespan < c@makespan", [][]float64{one, around(9, 9, 6), more}, Undecided}, // b has the lower mean
		{"max(a,b)@makespan < c@makespan", [][]float64{one, around(12, 0.1, 6), more}, Deviates},
		{"max(a,b)@makespan > c@makespan", [][]float64{one, around(12, 0.1, 6), more}, HoldsTrue}, // one of them is
		{"min(a,b)@makespan > c@makespan", [][]float64{around(12, 0.1, 6), more, one}, HoldsTrue},
		// one policy over another: 1.1 against 1, and against 11/12
		{"a/b@makespan > c/b@makespan", [][]float64{more, one, one}, HoldsTrue},
		{"a/b@makespan < c/b@makespan", [][]float64{more, one, one}, Deviates},
		{"a/b@makespan < c/d@makespan", [][]float64{more, one, more, one}, Undecided},
		{"a/b@makespan > 1.05 * a/c@makespan", [][]float64{more, one, around(12, 0.1, 6)}, HoldsTrue},
		{"a/b@makespan < 1.2", [][]float64{more, one}, HoldsTrue},
		// nothing to take a share of
		{"a@makespan > b@makespan", [][]float64{one, around(0, 0, 6)}, HoldsTrue},
		{"a@makespan < b@makespan", [][]float64{around(0, 0, 6), around(0, 0, 6)}, Undecided},
		// a share that was the same in all of a few repetitions
		{"a@goals_met >= 0.95", [][]float64{around(1, 0, 20)}, Undecided}, // 20 of 20 do not exclude 0.83
		{"a@goals_met >= 0.8", [][]float64{around(1, 0, 20)}, HoldsTrue},
		{"a@goals_met <= 0.05", [][]float64{around(0, 0, 100)}, HoldsTrue},
		{"a@goals_met <= 0.05", [][]float64{around(0, 0, 10)}, Undecided},
	} {
		f := verdictOf(t, FigureConfig{Holds: c.holds}, measured(c.samples...))
		if f.Verdict != c.want || math.IsNaN(f.Ours) {
			t.Errorf("%s of %v: %s, ours %.3g (%.3g to %.3g), want %s", c.holds, c.samples, f.Verdict, f.Ours, f.Low, f.High, c.want)
		}
	}
}

// TestSpreadNeverHelps widens the spread around the same means, and takes repetitions away: a figure that is met with
// the wider interval is met with the narrower one.
func TestSpreadNeverHelps(t *testing.T) {
	paper := 10.0
	figures := []FigureConfig{
		{Metric: "makespan", Value: &paper, Within: Tolerance{Share: 0.05}},
		{Metric: "makespan", Value: &paper, Within: Tolerance{By: 0.2}},
		{Metric: "makespan", Value: &paper, Range: []float64{9.5, 10.3}},
		{Holds: "a@makespan < b@makespan"}, {Holds: "a@makespan >= b@makespan"}, {Holds: "a@makespan > 9.9"},
		{Holds: "a@makespan ~ b@makespan within 3%"}, {Holds: "max(a,b)@makespan <= 1.02 * min(a,b)@makespan"},
	}
	spreads, repetitions := []float64{0, 0.05, 0.1, 0.3, 1, 3}, []int{40, 10, 4, 2}
	for i := range figures {
		for mean := 9.03; mean < 11; mean += 0.1 {
			met := func(spread float64, n int) bool {
				v := verdictOf(t, figures[i], measured(around(mean, spread, n), around(10, 0, n))).Verdict
				return v == Within || v == HoldsTrue
			}
			for k, spread := range spreads {
				for m, n := range repetitions {
					if !met(spread, n) {
						continue
					}
					if k > 0 && !met(spreads[k-1], n) || m > 0 && !met(spread, repetitions[m-1]) {
						t.Errorf("figure %d, mean %g: met with a spread of %g and %d repetitions, but not with less noise", i, mean, spread, n)
					}
				}
			}
		}
	}
}

// TestBands trips a line of deviations.yaml on every side.
func TestBands(t *testing.T) {
	line := &Deviation{Ours: 5, Band: []float64{4, 6}}
	fullOnly := &Deviation{Ours: 5, Band: []float64{4, 6}, Quick: Undecided}
	for _, c := range []struct {
		line    *Deviation
		verdict string
		ours    float64
		quick   bool
		want    string // part of the change; "" for none
	}{
		{nil, Deviates, 5, false, "deviations.yaml does not have it"},
		{nil, Within, 5, false, ""},
		{nil, Undecided, 5, false, ""},
		{line, Deviates, 5, false, ""},
		{line, Deviates, 4, true, ""},
		{line, Deviates, 3.9, false, "ours moved to 3.9, out of its band 4 to 6"},
		{line, Deviates, 6.1, true, "ours moved to 6.1, out of its band 4 to 6"},
		{line, Within, 5, false, "no longer deviates from the paper; its verdict is within"},
		{line, HoldsTrue, 5, true, "no longer deviates from the paper; its verdict is holds"},
		{line, Undecided, 5, false, "no longer deviates from the paper; its verdict is undecided"},
		{fullOnly, Undecided, 5, true, ""},
		{fullOnly, Undecided, 7, true, "out of its band"},
		{fullOnly, Deviates, 5, true, "deviates; its verdict was undecided"},
		{fullOnly, HoldsTrue, 5, true, "its verdict is holds; it was undecided"},
		{fullOnly, Undecided, 5, false, "no longer deviates"},
	} {
		got := c.line.change(&Finding{Verdict: c.verdict, Ours: c.ours}, c.quick)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s at %g, quick %v: %q, want %q", c.line, c.verdict, c.ours, c.quick, got, c.want)
		}
	}
}

// TestBandLine writes bands that hold ours with all repetitions and with few, and 5 % or the half-width on each side.
func TestBandLine(t *testing.T) {
	e := &Expected{Bands: BandConfig{Least: 0.05}}
	value := 2.0
	for want, f := range map[string][2]Finding{
		`  - {experiment: "x", figure: "f", paper: 2, ours: 5, band: [4.75, 5.25]}`:                {{Ours: 5, Low: 4.9, High: 5.1, Verdict: Deviates}, {Ours: 5, Verdict: Deviates}},
		`  - {experiment: "x", figure: "f", paper: 2, ours: 5, band: [4.5, 6.5], quick: within}`:   {{Ours: 5, Low: 4.5, High: 5.5, Verdict: Deviates}, {Ours: 6, Verdict: Within}},
		`  - {experiment: "x", figure: "f", paper: 2, ours: 0.1, band: [0, 0.5], full: undecided}`: {{Ours: 0.1, Low: -0.1, High: 0.3, Verdict: Undecided}, {Ours: 0.3, Verdict: Deviates}},
	} {
		full, quick := f[0], f[1]
		full.Figure, full.PaperValue = "f", &value
		if got := e.line("x", &full, &quick); got != want+"\n" {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

// TestSimilarNeedsBand refuses ~ without a band.
func TestSimilarNeedsBand(t *testing.T) {
	for _, text := range []string{"a@makespan ~ b@makespan", "a@makespan ~ b@makespan within", "a@makespan ~ b@makespan within 0%"} {
		if _, err := parseRelation(text); err == nil || !strings.Contains(err.Error(), "within 10%") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if r, err := parseRelation("a@makespan ~ 2 * b@makespan within 10%"); err != nil || fmt.Sprint(r.band, r.right.factor) != "0.1 2" {
		t.Errorf("%+v, %v", r, err)
	}
}
