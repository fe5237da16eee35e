// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
)

// Values with commas are quoted, and a metric that could not be measured is an empty cell.
func TestWriteSweep(t *testing.T) {
	var b strings.Builder
	rows := []SweepRow{{Settings: []string{"fifo", "1"}, Seed: 7, Values: []float64{1.5}}, {Settings: []string{"{fair: {by: user, within: fifo}}", `"5"`}, Seed: 8, Values: []float64{math.NaN()}}}
	if err := WriteSweep(&b, []string{"policy", "cluster.racks"}, []metrics.Query{{By: "queue", Value: "a,b", Metric: "mean_wait"}}, rows); err != nil {
		t.Fatal(err)
	}
	want := `policy,cluster.racks,seed,"a,b.mean_wait"` + "\nfifo,1,7,1.5\n" + `"{fair: {by: user, within: fifo}}","""5""",8,` + "\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// Names that a spreadsheet would run are written so that it shows them; numbers keep their sign.
func TestNamesAreNoFormulas(t *testing.T) {
	var b strings.Builder
	run := &metrics.Run{Jobs: []metrics.Job{{Name: `=HYPERLINK("x")`, User: "@bob", Queue: "-q", Class: "+c"}}}
	if err := WriteJobs(&b, run); err != nil {
		t.Fatal(err)
	}
	if want := "\n" + `0,"'=HYPERLINK(""x"")",'@bob,'-q,'+c,`; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
	b.Reset()
	if err := WriteSweep(&b, []string{"a", "b"}, nil, []SweepRow{{Settings: []string{"-1.5", "-x"}, Seed: 1}}); err != nil {
		t.Fatal(err)
	}
	if want := "a,b,seed\n-1.5,'-x,1\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// A column says which jobs were stolen, where some were.
func TestStolenColumn(t *testing.T) {
	run := &metrics.Run{Jobs: []metrics.Job{{ID: 0}, {ID: 1}}}
	for _, stolen := range []bool{false, true} {
		run.Jobs[1].Stolen = stolen
		var b strings.Builder
		if err := WriteJobs(&b, run); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if got := strings.HasSuffix(lines[0], ",stolen") && strings.HasSuffix(lines[1], ",false") && strings.HasSuffix(lines[2], ",true"); got != stolen {
			t.Errorf("stolen %t, written:\n%s", stolen, b.String())
		}
	}
}
