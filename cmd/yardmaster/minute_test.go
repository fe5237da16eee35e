// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/reproduce"
)

// TestFirstMinute: the first command of a new user, without any set-up, is done in seconds. It
// takes about four of processor time.
func TestFirstMinute(t *testing.T) {
	if heapunit.RaceDetector || testing.Short() {
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
	if heapunit.RaceDetector || testing.Short() {
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
	console.Findings(&b, []reproduce.Finding{
		{Paper: "p", Experiment: "e", Figure: "f1", Source: "Table 1", PaperValue: &value, Ours: 2, Low: 1.9, High: 2.1, Deviation: new(float64), Verdict: reproduce.Within},
		{Paper: "p", Experiment: "e", Figure: "f2", Source: "Table 2", PaperValue: &value, Ours: 3, Deviation: &deviation, Verdict: reproduce.Deviates, Cause: "known cause"},
		{Paper: "p", Experiment: "e", Figure: "f3", Source: "Table 3", Verdict: reproduce.NoReference},
		{Paper: "p", Experiment: "e", Figure: "f4", Source: "Table 4", Ours: 0.5, Verdict: reproduce.HoldsTrue},
		{Paper: "p", Experiment: "e", Figure: "f5", Source: "Table 5", Ours: 1, Verdict: reproduce.Undecided},
		{Paper: "p", Experiment: "e", Figure: "f6", Source: "Table 6", Ours: 3, Verdict: reproduce.Deviates, Cause: "shared"},
		{Paper: "p", Experiment: "e", Figure: "f7", Source: "Table 6", Ours: 3, Verdict: reproduce.Deviates, Cause: "shared"},
	})
	for _, text := range []string{"within", "deviates", "no-reference", "holds", "undecided", "+50.0 %", "+0.0 %", "p/e, f2: known cause", "p/e, f6 and 1 more: shared"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("table lacks %q:\n%s", text, b.String())
		}
	}
}

// TestChangedFigures says in words what is not where deviations.yaml has it, with exit code 1.
func TestChangedFigures(t *testing.T) {
	if err := reproduce.Changed([]*reproduce.Reproduction{{}, {}}); err != nil {
		t.Errorf("nothing changed: %v", err)
	}
	err := reproduce.Changed([]*reproduce.Reproduction{{Changes: []string{"p/e, f: ours moved"}}, {Changes: []string{"q/e, g: deviates"}}})
	var b strings.Builder
	if code := exitCode(&b, err); code != exitFailed || !strings.Contains(b.String(), "p/e, f: ours moved\n  q/e, g: deviates") {
		t.Errorf("exit code %d:\n%s", code, b.String())
	}
}

// TestReproduceRefusals: bands are of one paper, or one of its experiments, as it is.
func TestReproduceRefusals(t *testing.T) {
	for _, args := range [][]string{{"--bands"}, {"queueing", "--bands", "--quick"}, {"queueing", "--bands", "--seeds", "2"}, {"queueing/mm1", "--set", "seed"}, {"queueing/mm1", "--seeds", "0"}} {
		if o := yardmaster(append([]string{"reproduce"}, args...)...); o.code != exitRefused || !strings.Contains(o.err, "allowed") {
			t.Errorf("%v: exit code %d, %s", args, o.code, o.err)
		}
	}
}

// TestChecksParse parses the commands that the papers' causes name.
func TestChecksParse(t *testing.T) {
	names, err := reproduce.Papers(papers.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, paper := range names {
		e, err := reproduce.LoadExpected(papers.Files, paper)
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Experiments {
			for name, cause := range e.Experiments[i].Causes {
				for _, check := range cause.Checks {
					args, ok := strings.CutPrefix(check, "yardmaster ")
					if !ok {
						continue
					}
					parser, err := kong.New(&cli{}, kong.Exit(func(int) {}))
					if err != nil {
						t.Fatal(err)
					}
					if _, err := parser.Parse(words(args)); err != nil {
						t.Errorf("%s/%s, cause %s: %s: %v", paper, e.Experiments[i].Name, name, check, err)
					}
				}
			}
		}
	}
}

// words splits a command line at blanks outside single quotes.
func words(text string) (list []string) {
	quoted := false
	word := ""
	for _, r := range text + " " {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			if word != "" {
				list = append(list, word)
			}
			word = ""
		default:
			word += string(r)
		}
	}
	return list
}
