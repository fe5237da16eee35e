// SPDX-License-Identifier: Apache-2.0

package reproduce_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/scenario"
)

// with returns a paper with one experiment that runs these policies.
func with(policies, figures string) fstest.MapFS {
	return tinyPaper("title: x\nexperiments:\n  - name: one\n    scenario: tiny.yaml\n    quick-seeds: 2\n    policies: [" + policies + "]\n    figures:\n" + figures)
}

// A choice with settings runs on a scenario of its own, beside others on the scenario as it is: with two slots b does not
// wait, with a speed of 2 a takes 5 s and b waits 4 s.
func TestChoicesWithSettings(t *testing.T) {
	paper := with(`srpt, {fifo: , as: two-slots, set: {"cluster.classes[0].map-slots": "2"}}, fifo, {fair: {by: user}, as: fast, set: {"cluster.classes[0].speed": "2"}}`, `
      - {name: as it is, source: x, metric: mean_elapsed, policy: fifo, value: 12, within: 0%}
      - {name: two slots, source: x, metric: mean_elapsed, policy: two-slots, value: 7.5, within: 0%}
      - {name: fast, source: x, metric: mean_elapsed, policy: fast, value: 5.75, within: 0%}
      - {name: gain, source: x, metric: mean_elapsed, policy: two-slots, than: srpt, value: 0.375, within: 0%}
      - {name: order, source: x, holds: "fast@mean_elapsed < two-slots@mean_elapsed"}
`)
	r, err := reproduce.Reproduce(context.Background(), paper, "tiny", "", true, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{reproduce.Within, reproduce.Within, reproduce.Within, reproduce.Within, reproduce.HoldsTrue} {
		if r.Findings[i].Verdict != want {
			t.Errorf("%+v", r.Findings[i])
		}
	}
	// What --set changes is below what a choice sets.
	trial := reproduce.Trial{Set: []strict.Setting{{Path: "cluster.classes[0].map-slots", Value: "1"}, {Path: "workload.jobs[0].map-length", Value: "20s"}}}
	if r, err = reproduce.Try(context.Background(), paper, "tiny", trial, experiment.Options{}); err != nil || r.Findings[1].Ours != 12.5 || r.Findings[0].Ours != 22 {
		t.Errorf("%v, %+v", err, r)
	}
}

// Choices with the same settings share a scenario and with it the jobs of each seed; those that leave the workload alone have
// the same jobs as the scenario itself.
func TestVariantsShareScenarios(t *testing.T) {
	paper := with(`fifo, {fifo: , as: a, set: {jobs.slow-start: 50%}}, {srpt: , set: {jobs.slow-start: 50%}}, {fifo: , as: c, set: {jobs.slow-start: 60%}}`, "      - {name: n, source: x, metric: makespan}\n")
	e, err := reproduce.LoadExpected(paper, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse("tiny.yaml", []byte(tinyScenario), nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Experiments[0].Variants(s)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range v {
		got += fmt.Sprintf("%s %v %v %v; ", v[i].Policy.Label(), v[i].Change != nil, v[i].Scenario == s, v[i].Scenario == v[1].Scenario)
	}
	if want := "fifo false true false; a true false true; srpt true false true; c true false false; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestChoiceRefusals(t *testing.T) {
	const figure = "      - {name: n, source: x, metric: makespan}\n"
	for policies, want := range map[string]string{
		"{as: x}":                        "no policy",
		"{fifo: , set: {sede: 3}}":       "sede",
		"{fiifo: , set: {seed: 3}}":      `unknown policy "fiifo"`,
		"fifo, {fifo: , set: {seed: 3}}": `expected.yaml:6:22: policies: impossible value; found "fifo" twice; allowed: different policies, or a name of its own by as`,
		"{fifo: , as: a/b}":              "bad label",
		"[fifo]":                         "wrong type",
		"{fair: {bye: user}}":            `did you mean "by"?`,
		"{delay: {node-skips: -1}}":      "node-skips",
		"{fifo: , srpt: }":               "a second policy",
	} {
		_, err := reproduce.Reproduce(context.Background(), with(policies, figure), "tiny", "", true, experiment.Options{})
		var input *strict.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an InputError with %q", policies, err, want)
		}
	}
}
