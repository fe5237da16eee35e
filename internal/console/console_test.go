// SPDX-License-Identifier: Apache-2.0

package console

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/result"
)

// Cells of one column begin at the same place, whatever letters they have; nothing trails.
func TestColumns(t *testing.T) {
	var b strings.Builder
	Columns(&b, [][]string{{"job", "time"}, {"Größe", "1"}, {"a", ""}})
	if want := "  job    time\n  Größe  1\n  a\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// A cell that would move the cursor or begin another line is written out, and the columns still stand in line.
func TestColumnsPrint(t *testing.T) {
	var b strings.Builder
	Columns(&b, [][]string{{"name", "state"}, {"load\x1b[2J\nroot.prod", "RUNNING"}, {"é", "ACCEPTED"}})
	want := "  name                    state\n" +
		`  load\x1b[2J\nroot.prod  RUNNING` + "\n" +
		"  é                       ACCEPTED\n"
	if b.String() != want {
		t.Errorf("%q\nwant\n%q", b.String(), want)
	}
}

// Parts without time are left out, shares are of the whole.
func TestBlame(t *testing.T) {
	var b strings.Builder
	Blame(&b, &result.Summary{Blame: map[string]float64{"maps_running": 30, "shuffle_tail": 10}})
	for _, text := range []string{"maps_running", "75.0 %", "shuffle_tail", "25.0 %"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("no %q in\n%s", text, b.String())
		}
	}
	if strings.Contains(b.String(), "not_admitted") {
		t.Errorf("a part without time in\n%s", b.String())
	}
	b.Reset()
	if Blame(&b, &result.Summary{}); b.Len() > 0 {
		t.Errorf("a run without time prints %q", b.String())
	}
}

// Goals that cannot be met say by how much; of many jobs only those are listed.
func TestGoals(t *testing.T) {
	check := &advise.GoalCheck{Scenario: "s", Jobs: []advise.GoalRow{{Job: "early", Slack: 5}, {Job: "late", Slack: -2.5}}}
	if n := Impossible(check); n != 1 {
		t.Errorf("%d goals cannot be met, want 1", n)
	}
	print := func() string {
		var b strings.Builder
		Goals(&b, check)
		return b.String()
	}
	if text := print(); !strings.Contains(text, "cannot be met: 2.5s short even alone") || !strings.Contains(text, "early") {
		t.Errorf("two goals:\n%s", text)
	}
	for range mostGoals {
		check.Jobs = append(check.Jobs, advise.GoalRow{Job: "easy", Slack: 1})
	}
	if text := print(); strings.Contains(text, "easy") || !strings.Contains(text, "late") {
		t.Errorf("many goals:\n%s", text)
	}
}

// Every policy and every role can be described.
func TestDescriptions(t *testing.T) {
	for i := range policies.Choosable {
		e := &policies.Choosable[i]
		var b strings.Builder
		Policy(&b, e)
		if !strings.HasPrefix(b.String(), e.Name+": ") || !strings.Contains(b.String(), "\nrules\n") {
			t.Errorf("%s:\n%s", e.Name, b.String())
		}
	}
	for i := range policies.Tables {
		var b strings.Builder
		Role(&b, policies.Tables[i].Role)
		for _, name := range policies.Tables[i].Names() {
			if !strings.Contains(b.String(), "\n"+name+": ") {
				t.Errorf("%s is not described under %s", name, policies.Tables[i].Role)
			}
		}
	}
}
