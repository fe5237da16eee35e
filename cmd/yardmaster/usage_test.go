// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/policies"
)

func TestHelp(t *testing.T) {
	for _, command := range []string{"run", "compare", "sweep", "search", "explain", "reproduce", "goals"} {
		o := must(t, command, "--help")
		if !strings.Contains(o.out, "Examples:\n") || strings.Count(o.out, "yardmaster "+command) < 3 {
			t.Errorf("%s --help shows no examples:\n%s", command, o.out)
		}
	}
	top := must(t, "--help").out
	if must(t).out != top {
		t.Error("no arguments do not print the help")
	}
	for _, command := range []string{"run", "compare", "sweep", "search", "explain", "reproduce", "policies", "version", "Exit codes: 0"} {
		if !strings.Contains(top, command) {
			t.Errorf("--help lacks %s", command)
		}
	}
	must(t, "policies", "--help")
	must(t, "version", "--help")
}

// TestHelpSettings runs the settings that the help of run shows.
func TestHelpSettings(t *testing.T) {
	inFolder(t, small)
	must(t, "run", "s.yaml", "--set", "cluster.racks=4", "--set", "policy=delay", "--set", "policy.delay.node-skips=20")
	must(t, "run", "s.yaml", "--policy", "fair", "--seed", "7")
}

func TestExitCodes(t *testing.T) {
	inFolder(t, small)
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{exitDone, "version", ""},
		{exitDone, "run s.yaml", ""},
		{exitDone, "run s.yaml --check", ""},
		{exitRefused, "rnu", `did you mean "run"?`},
		{exitRefused, "simulate", "simulate"},
		{exitRefused, "run s.yaml --polciy fair", "--polciy"},
		{exitRefused, "run s.yaml --format xml", "--format must be one of"},
		{exitRefused, "run s.yaml more.yaml", "more.yaml"},
		{exitRefused, "run missing.yaml", "missing.yaml: no such file"},
		{exitRefused, "run .", "."},
		{exitRefused, "run s.yaml --seed x", "--seed"},
		{exitRefused, "run s.yaml --seed -1", "--seed"},
		{exitRefused, "run s.yaml --policy fiar", `unknown policy "fiar"; allowed: ` + strings.Join(policies.Choosable.Names(), ", ") + `; did you mean "fair"?`},
		{exitRefused, "compare s.yaml --policies fifo,dely", `did you mean "delay"?`},
		{exitRefused, "compare s.yaml --policies fifo,fifo", `"fifo" is named twice`},
		{exitRefused, "compare s.yaml --seeds=-1", "--seeds -1: allowed: 1 to 10000"},
		{exitRefused, "policies dleay", `did you mean "delay"?`},
		{exitRefused, "explain", "<result>"},
		{exitRefused, "explain nowhere 1", "nowhere is not a result folder"},
		{exitRefused, "reproduce quueing", `did you mean "queueing"?`},
		{exitRefused, "reproduce queueing/mm9", `no experiment "mm9"; allowed: mm1`},
		{exitRefused, "reproduce diverse-2018/simulatr/tick", `did you mean "diverse-2018/simulator"?`},
		{exitRefused, "reproduce diverse-2018/simulator/tik", `did you mean "tick"?`},
		{exitRefused, "sweep s.yaml", "nothing to sweep"},
	} {
		t.Run(c.args, func(t *testing.T) { yardmaster(strings.Fields(c.args)...).want(t, c.code, c.want) })
	}
	wantFiles(t, "results", "small/jobs.csv", "small/manifest.json", "small/report.html", "small/series.csv", "small/summary.json")
}

func TestSetErrors(t *testing.T) {
	inFolder(t, small)
	for set, want := range map[string]string{
		"cluster.racks":              "--set cluster.racks: allowed: PATH=VALUE",
		"=3":                         "--set =3: allowed: PATH=VALUE",
		"cluster.racks=":             "--set cluster.racks=: cluster.racks: no value",
		"cluster.racks=many":         `--set cluster.racks=many: cluster.racks: wrong type; found "many"; allowed: an integer (at least 1)`,
		"cluster.racks=0":            "out of bounds; found 0; allowed: at least 1",
		"cluster.racks=99":           "--set cluster.racks=99: cluster.racks: impossible value; found 99 racks for 8 hosts",
		"cluster.rakcs=2":            `did you mean "racks"?`,
		"clutser.racks=2":            `did you mean "cluster"?`,
		"cluster.classes[3].nodes=2": "no such list item; found a list of 1",
		"cluster.classes[x].nodes=2": `"x" is not a list position`,
		"cluster.racks.deep=2":       "no mapping here",
		"cluster..racks=2":           "a name is missing",
		"policy={fair: {by: jbo}}":   `did you mean "job"?`,
		"policy.fair.bye=job":        `did you mean "by"?`,
		"seed=[":                     "--set seed=[: seed: syntax error",
	} {
		t.Run(set, func(t *testing.T) { yardmaster("run", "s.yaml", "--set", set).want(t, exitRefused, want) })
	}
	both := yardmaster("run", "s.yaml", "--set", "cluster.rakcs=2", "--set", "sede=1")
	both.want(t, exitRefused, `did you mean "racks"?`, `did you mean "seed"?`)
	wantFiles(t, ".", "s.yaml")
}

// TestNoControlCharacters: what is piped has no escapes and no progress.
func TestNoControlCharacters(t *testing.T) {
	inFolder(t, small)
	for _, args := range []string{"run s.yaml", "compare s.yaml", "sweep s.yaml --set cluster.racks=1,2", "explain results/small 3",
		"policies", "policies delay", "run --help", "version", "compare s.yaml --format json", "run s.yaml --set seed=x"} {
		o := yardmaster(strings.Fields(args)...)
		for _, r := range o.out + o.err {
			if unicode.IsControl(r) && r != '\n' {
				t.Errorf("%s prints %q", args, r)
				break
			}
		}
		if o.err != "" && o.code == exitDone {
			t.Errorf("%s writes to stderr: %s", args, o.err)
		}
	}
}

func TestPoliciesCommand(t *testing.T) {
	list := must(t, "policies").out
	for _, e := range policies.All {
		if !strings.Contains(list, "\n"+e.Name+" ") && !strings.HasPrefix(list, e.Name+" ") {
			t.Errorf("policies lacks %s:\n%s", e.Name, list)
		}
		one := must(t, "policies", e.Name).out
		for _, part := range []string{e.Name + ": " + e.Summary, "source ", "needs ", "decides ", "promises ", "rules\n"} {
			if !strings.Contains(one, part) {
				t.Errorf("policies %s lacks %q:\n%s", e.Name, part, one)
			}
		}
		if (e.Params == nil) != strings.Contains(one, "no parameters") {
			t.Errorf("policies %s about parameters:\n%s", e.Name, one)
		}
	}
}

func TestVersion(t *testing.T) {
	if o := must(t, "version"); !strings.HasPrefix(o.out, "yardmaster "+version.String()) {
		t.Errorf("version prints %q", o.out)
	}
}

// parseJSON decodes what a command printed as one JSON value.
func parseJSON[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("not JSON: %v\n%.300s", err, text)
	}
	return v
}
