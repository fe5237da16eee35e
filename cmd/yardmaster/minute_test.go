// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/reproduce"
)

// TestFirstMinute: the first command of a new user, without any set-up, is done in seconds. It
// takes about four of processor time.
func TestFirstMinute(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("measures time")
	}
	t.Chdir(t.TempDir())
	start := heapunit.CPU()
	o := must(t, "compare")
	if spent := heapunit.CPU() - start; spent > 10*time.Second {
		t.Errorf("the built-in comparison took %v", spent)
	}
	if !strings.HasPrefix(o.out, "facebook-like: fifo, fair, delay, srpt over 10 seeds") || !strings.Contains(o.out, " wins") {
		t.Errorf("output:\n%s", o.out)
	}
}

// TestReproduceCommand runs one experiment of the embedded papers.
func TestReproduceCommand(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("slow")
	}
	printed := must(t, "reproduce", "queueing/mm1", "--quick", "--format", "json").out
	want := []string{"cause", "class", "deviation", "experiment", "figure", "high", "low", "ours", "paper", "paper_value", "queue", "source", "verdict"}
	list := parseJSON[[]map[string]any](t, printed)
	for _, row := range list {
		if got := slices.Sorted(maps.Keys(row)); !slices.Equal(got, want) || row["paper"] != "queueing" || row["experiment"] != "mm1" {
			t.Errorf("row %v", row)
		}
	}
	if len(list) != 3 {
		t.Errorf("%d figures, want 3", len(list))
	}
}

// TestFindingsTable prints one finding of each verdict.
func TestFindingsTable(t *testing.T) {
	value, deviation := 2.0, 0.5
	var b strings.Builder
	printFindings(&b, []reproduce.Finding{
		{Paper: "p", Experiment: "e", Figure: "f1", Source: "Table 1", PaperValue: &value, Ours: 2, Low: 1.9, High: 2.1, Deviation: new(float64), Verdict: reproduce.Within},
		{Paper: "p", Experiment: "e", Figure: "f2", Source: "Table 2", PaperValue: &value, Ours: 3, Deviation: &deviation, Verdict: reproduce.Deviates, Cause: "known cause"},
		{Paper: "p", Experiment: "e", Figure: "f3", Source: "Table 3", Verdict: reproduce.NoReference},
		{Paper: "p", Experiment: "e", Figure: "f4", Source: "Table 4", Ours: 0.5, Verdict: reproduce.HoldsTrue},
	})
	for _, text := range []string{"within", "deviates", "no-reference", "holds", "+50.0 %", "+0.0 %", "p/e, f2: known cause"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("table lacks %q:\n%s", text, b.String())
		}
	}
}
