// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
)

func TestTable(t *testing.T) {
	rows := []Row{
		{Metric: "mean slowdown", Better: metrics.Lower, Cells: []Cell{
			{Mean: 12.4, Low: 11.8, High: 13, HasInterval: true},
			{Mean: 8.06, Low: 7.9, High: 8.2, HasInterval: true, Diff: -0.35, DiffLow: -0.4, DiffHigh: -0.3, HasDiff: true, Better: 1},
		}},
		{Metric: "makespan", Unit: "s", Better: metrics.Lower, Cells: []Cell{
			{Mean: 90000, Low: 86400, High: 93600, HasInterval: true},
			{Mean: 90900, Low: 86400, High: 93600, HasInterval: true, Diff: 0.01, DiffLow: -0.1, DiffHigh: 0.1, HasDiff: true},
		}},
		{Metric: "nœuds utilisés", Unit: "share", Cells: []Cell{{Mean: 0.5}, {Mean: 0.25}}},
	}
	var b strings.Builder
	Table(&b, rows, []string{"fifo", "公平"})
	want := "" +
		"metric                  fifo          公平   vs fifo\n" +
		"────────────────────────────────────────────────────\n" +
		"mean slowdown     12.4 ± 0.6   8.06 ± 0.15   −35 % *\n" +
		"makespan        25.0 ± 1.0 h  25.2 ± 1.0 h  +1.0 %\n" +
		"nœuds utilisés        50.0 %        25.0 %\n" +
		"* the 95 % interval of the paired difference against fifo excludes zero\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestTableOfManyPolicies(t *testing.T) {
	names := []string{"fifo", "fair", "capacity", "fbq", "srpt", "tags", "sita", "delay"}
	var b strings.Builder
	Table(&b, madeTable(8), names)
	for line := range strings.Lines(b.String()) {
		if w := displayWidth(strings.TrimSuffix(line, "\n")); w > 100 {
			t.Errorf("a line is %d wide: %s", w, line)
		}
		if strings.HasSuffix(line, " \n") {
			t.Errorf("a line ends in a space: %q", line)
		}
	}
	b.Reset()
	Table(&b, nil, nil) // nothing to say, and nothing to crash on
}

func TestHumanNumbers(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{number(1234567, 0), "1,234,567"}, {number(12345678, 0), "12.3 M"}, {number(-0.001, 1), "0.0"}, {number(-2.5, 1), "−2.5"},
		{number(math.NaN(), 0), "–"}, {number(math.Inf(1), 0), "∞"}, {number(2e15, 0), "2000.0 T"}, {number(3e17, 0), "3.00e+17"},
		{percent(0.034), "+3.4 %"}, {percent(-0.34), "−34 %"}, {percent(0), "0.0 %"}, {percent(12), "+1,200 %"},
		{plural(1, "job"), "1 job"}, {plural(25000, "job"), "25,000 jobs"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for seconds, unit := range map[float64]string{0: "s", 1e-5: "µs", 0.3: "ms", 1.5: "s", 90: "s", 600: "min", 8000: "h", 4e5: "d", 1e12: "d"} {
		if s := scaleOf(&Row{Unit: "s", Cells: []Cell{{Mean: seconds}}}); s.suffix != unit {
			t.Errorf("%v seconds are shown in %s, want %s", seconds, s.suffix, unit)
		}
	}
}
