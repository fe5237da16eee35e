// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// The second policy has more of everything: by waiting the first wins, by throughput the second, and by
// the size of jobs, of which neither more nor less is better, nobody.
func TestWinner(t *testing.T) {
	more := [][]float64{{10, 20, 30}, {15, 30.5, 45}}
	c := &Comparison{Policies: []scenario.PolicyChoice{scenario.Named("fifo", nil), scenario.Named("fair", nil)}}
	for _, name := range []string{"mean_wait", "throughput", "mean_size"} {
		c.Queries = append(c.Queries, metrics.Query{Metric: name})
	}
	for p := range more {
		c.Values = append(c.Values, [][]float64{more[p], more[p], more[p]})
	}
	rows := c.Rows()
	for q, want := range []struct {
		winner, mark int
		ok           bool
	}{{0, -1, true}, {1, 1, true}, {0, 0, false}} {
		if w, ok := c.Winner(q); ok != want.ok || ok && w != want.winner {
			t.Errorf("%s: policy %d wins, %t", c.Queries[q], w, ok)
		}
		if got := rows[q].Cells[1].Better; got != want.mark {
			t.Errorf("%s: the second policy is marked %d, want %d", c.Queries[q], got, want.mark)
		}
	}
}

// A policy on a changed scenario wins nothing, wherever it stands, and does not keep another from winning.
func TestWinnerIsOnTheScenario(t *testing.T) {
	c := &Comparison{Queries: []metrics.Query{{Metric: "mean_wait"}}, changed: map[int]bool{0: true}}
	for _, mean := range []float64{1, 30, 20} {
		c.Policies = append(c.Policies, scenario.Named("fifo", nil))
		c.Values = append(c.Values, [][]float64{{mean, mean + 1, mean + 2.5}})
	}
	if w, ok := c.Winner(0); !ok || w != 2 {
		t.Errorf("policy %d wins, %t", w, ok)
	}
	c.changed[1] = true
	if w, ok := c.Winner(0); ok {
		t.Errorf("policy %d wins alone", w)
	}
}
