// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/recorded"
)

// decisions returns the lines of a log; what was proposed and refused is no decision.
func decisions(log []byte) []string {
	var lines []string
	for line := range strings.Lines(string(log)) {
		if kind := strings.SplitN(line, " ", 4)[2]; strings.TrimSpace(kind) != "refused-commit" {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// TestRecorded: what the resource manager of Hadoop 3.4.1 decided in twenty scenarios, limits included, line by
// line. The archive was made by the oracle: gen.py --plain --sched capacity --n 20 --seed 3.
func TestRecorded(t *testing.T) { compare(t, "plain.tar.gz", 20, 8701) }

// TestEverything: the same with containers of many sizes, reservations, pre-emption, refreshes and lost nodes. gen.py --sched capacity
// --n 20 --seed 3.
func TestEverything(t *testing.T) { compare(t, "full.tar.gz", 20, 7227) }

// TestPreempted: the same with pre-emption, where 86 containers are killed. gen.py --preempt --sched capacity --n 20 --seed 3.
func TestPreempted(t *testing.T) { compare(t, "preempt.tar.gz", 20, 3962) }

// TestExtremes: the same in scenarios made by hand, with settings beyond all numbers (infinite, none, too large for 32 and
// 64 bits) and with queues of some TB, in which 32 bits are too few for a percentage.
func TestExtremes(t *testing.T) { compare(t, "extremes.tar.gz", 13, 843) }

// compare holds our decisions against those of an archive, which has that many scenarios and lines.
func compare(t *testing.T, archive string, ofScenarios, ofLines int) {
	t.Helper()
	files := recorded.Files(t, "testdata/"+archive)
	scenarios, lines := 0, 0
	for name, src := range files {
		base, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		var out bytes.Buffer
		if err := Run(name, src, World{Out: &out}); err != nil {
			t.Fatal(err)
		}
		want, got := decisions(files[base+".out"]), decisions(out.Bytes())
		scenarios++
		lines += len(want)
		if slices.Equal(want, got) {
			continue
		}
		for i, line := range want {
			if i >= len(got) || got[i] != line {
				t.Errorf("%s, decision %d of %d\n%s\nwant %s\ngot  %s", name, i+1, len(want), strings.Join(want[max(0, i-5):i], "\n"), line, append(got, "nothing")[min(i, len(got))])
				break
			}
		}
		if len(got) > len(want) {
			t.Errorf("%s: %d decisions, want %d", name, len(got), len(want))
		}
	}
	if scenarios != ofScenarios || lines != ofLines {
		t.Errorf("compared %d lines of %d scenarios", lines, scenarios)
	}
}

// TestFirstExample: the scenario that a reader tries first, whose decisions the release has written beside it.
func TestFirstExample(t *testing.T) {
	const folder = "../../oracle/scenarios/"
	src, err := os.ReadFile(folder + "hello.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(folder + "hello.out")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	warn := func(text string) { t.Error(text) }
	if err := Run("hello.json", src, World{Out: &out, Warn: warn}); err != nil || out.String() != string(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), want)
	}
}
