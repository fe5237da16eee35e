// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"context"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/scenario"
)

// Table II of slowdown-2015: the rows whose columns are consistent come out, the two others deviate
// with their cause.
func TestSlowdownTableII(t *testing.T) {
	r, err := reproduce.Reproduce(context.Background(), papers.Files, "slowdown-2015", "table-2", true, experiment.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range r.Findings {
		count[f.Verdict]++
		if f.Verdict == reproduce.Deviates && f.Cause == "" {
			t.Errorf("%s deviates without a cause", f.Figure)
		}
	}
	if count[reproduce.Within] != 12 || count[reproduce.Deviates] != 4 {
		t.Errorf("verdicts %v", count)
	}
}

// One repetition at a load of 0.7 has the paper's main result: FBQ lowers FIFO's V(95) without raising
// the median, and TAGS pays for its lower V(95) with the highest median.
func TestSlowdownHeadline(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: slow under -short")
	}
	src, err := papers.Files.ReadFile("slowdown-2015/facebook.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse("facebook.yaml", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := s.Pick([]string{"fifo", "fbq", "tags"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := experiment.Compare(context.Background(), s, choices, 1, scenario.StandardQueries(s), experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, q := range c.Queries {
		at[q.String()] = i
	}
	median := func(p int) float64 { return c.Mean(p, at["median_slowdown"]).Mean }
	v95 := func(p int) float64 { return c.Mean(p, at["v95_slowdown"]).Mean }
	if v95(1) > 0.6*v95(0) || median(1) > median(0) || v95(2) > 0.9*v95(0) || median(2) < median(0) {
		t.Errorf("median and V(95): fifo %.2f %.2f, fbq %.2f %.2f, tags %.2f %.2f", median(0), v95(0), median(1), v95(1), median(2), v95(2))
	}
}
