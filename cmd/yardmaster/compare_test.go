// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/result"
)

func TestCompareFolder(t *testing.T) {
	inFolder(t, small)
	o := must(t, "compare", "s.yaml")
	want := []string{"manifest.json", "report.html", "summary.json"}
	for _, p := range []string{"fifo", "fair", "srpt"} {
		want = append(want, prefixed(p+"/", []string{"jobs.csv", "series.csv", "summary.json"})...)
	}
	wantFiles(t, "results/small-compare", want...)
	if !strings.Contains(o.out, "fifo, fair, srpt over 3 seeds") || !strings.Contains(o.out, "vs fifo") {
		t.Errorf("table:\n%s", o.out)
	}
	printed := must(t, "compare", "s.yaml", "--format", "json", "--policies", "srpt,edf", "--seeds", "4", "--seed", "5")
	if printed.out != read(t, "results/small-compare/summary.json") {
		t.Error("--format json is not summary.json")
	}
	s := parseJSON[result.ComparisonSummary](t, printed.out)
	if !slices.Equal(s.Policies, []string{"srpt", "edf"}) || !slices.Equal(s.Seeds, []uint64{5, 6, 7, 8}) {
		t.Errorf("policies %v, seeds %v", s.Policies, s.Seeds)
	}
	for metric, list := range s.Metrics {
		if len(list) != 2 || list[0].Difference != nil || len(list[1].Values) != 4 || list[0].Low > list[0].Mean || list[0].Mean > list[0].High {
			t.Errorf("%s: %+v", metric, list)
		}
	}
	wantFiles(t, "results", append(prefixed("small-compare/", []string{"manifest.json", "report.html", "summary.json"}),
		"small-compare/edf/jobs.csv", "small-compare/edf/series.csv", "small-compare/edf/summary.json",
		"small-compare/srpt/jobs.csv", "small-compare/srpt/series.csv", "small-compare/srpt/summary.json")...)
}

// TestCompareIsRun: the shown run of a comparison is the run of that policy and seed.
func TestCompareIsRun(t *testing.T) {
	inFolder(t, small)
	must(t, "compare", "s.yaml", "--out", "c")
	must(t, "run", "s.yaml", "--policy", "srpt", "--out", "r")
	wantSame(t, "c/srpt", "r", "jobs.csv", "series.csv", "summary.json")
}

// TestFailIf judges the scenario of two jobs, whose numbers are known: under fifo the job of prod
// waits 25 s and takes 33 s, under srpt 5 s and 13 s; the other one waits 0 s and takes 30 s and 38 s.
func TestFailIf(t *testing.T) {
	inFolder(t, two)
	for _, c := range []struct {
		rule string
		code int
		want string
	}{
		{"mean_wait>2.4", exitFailed, "--fail-if mean_wait>2.4 holds: srpt has 2.5"}, // (0 + 5) / 2
		{"mean_wait>2.5", exitDone, ""},
		{"mean_wait>=2.5", exitFailed, "holds: srpt has 2.5"},
		{"mean_wait<2.5", exitDone, ""},
		{"mean_wait<=2.5s", exitFailed, "holds: srpt has 2.5"},
		{"makespan>38s", exitDone, ""},
		{"makespan > 37.9", exitFailed, "holds: srpt has 38"},
		{"prod.p95_wait>+10%", exitDone, ""},
		{"prod.p95_wait<-10%", exitFailed, "srpt differs from fifo by -80.0 % (95 % interval -80.0 to -80.0 %)"}, // 5 / 25 - 1
		{"prod.p95_wait<-80.1%", exitDone, ""},
		{"default.max_elapsed > +25%", exitFailed, "by +26.7 %"}, // 38 / 30 - 1
		{"default.max_elapsed>+27%", exitDone, ""},
		{"class:hot.mean_elapsed<+0%", exitFailed, "by -60.6 %"}, // 13 / 33 - 1
		{"user:ann.p99.9_elapsed>13", exitDone, ""},
		{"jobs<2", exitDone, ""},
		{"jobs>=+0%", exitFailed, "+0.0 %"},
		{"default.mean_wait>+10%", exitDone, ""}, // 0 and 0
	} {
		o := yardmaster("compare", "s.yaml", "--seeds", "2", "--policies", "fifo,srpt", "--fail-if", c.rule)
		if o.want(t, c.code, c.want); o.code != c.code {
			t.Logf("rule %s", c.rule)
		}
		if !strings.Contains(o.out, "results in results/two-compare") {
			t.Errorf("%s: the table is missing", c.rule)
		}
	}
	more := yardmaster("compare", "s.yaml", "--policies", "fifo,shared,srpt", "--fail-if", "mean_wait>0", "--fail-if", "makespan>0", "--fail-if", "jobs<0")
	more.want(t, exitFailed, "mean_wait>0 holds: shared", "mean_wait>0 holds: srpt", "makespan>0 holds: shared")
	if strings.Contains(more.err, "fifo has") || strings.Contains(more.err, "jobs<0") {
		t.Errorf("the first policy is the baseline and jobs<0 does not hold:\n%s", more.err)
	}
	one := yardmaster("compare", "s.yaml", "--policies", "fifo", "--fail-if", "mean_wait>0")
	one.want(t, exitFailed, "holds: fifo has 12.5")
}

func TestFailIfRefusals(t *testing.T) {
	inFolder(t, small)
	for rule, want := range map[string]string{
		"":                    "--fail-if '': empty",
		"mean_wait":           "allowed: METRIC>NUMBER, METRIC<NUMBER, METRIC>+10%",
		"mean_wait=5":         "allowed: METRIC>NUMBER",
		"mean_wait>":          `found ""; allowed: a number`,
		"mean_wait>ten":       `found "ten"`,
		"mean_wait>5min":      `found "5min"; allowed: a number, in seconds for times`,
		"mean_wait>10%":       `found "10%"; allowed: a signed share`,
		"mean_wait>%":         "a signed share",
		"mean_wait>+%":        "a number",
		"mean_wait>>5":        `found ">5"`,
		"mean_wiat>5":         `unknown metric "mean_wiat"`,
		"p101_wait>5":         `unknown metric "p101_wait"`,
		"prod.mean_wiat>5":    `unknown metric "prod.mean_wiat"`,
		"nosuch.mean_wait>5":  "no queue \"nosuch\" in the workload",
		"class:x.mean_wait>5": "no class \"x\" in the workload",
		"utilisation_gpu>5":   `unknown metric "utilisation_gpu"`,
	} {
		yardmaster("compare", "s.yaml", "--seeds", "1", "--fail-if", rule).want(t, exitRefused, want)
	}
	all := yardmaster("compare", "s.yaml", "--fail-if", "x>1", "--fail-if", "mean_wait", "--fail-if", "mean_wait>1")
	all.want(t, exitRefused, "--fail-if x>1:", "--fail-if mean_wait:")
	wantFiles(t, ".", "s.yaml")
}
