// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/advise"
)

const tight = `
cluster: {classes: [{nodes: 2, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  jobs:
    - {name: long, maps: 10, map-length: 10s, goal: 40s}
    - {name: a, submit: 100s, maps: 8, map-length: 10s, goal: 50s}
    - {name: b, submit: 110s, maps: 8, map-length: 10s, goal: 50s}
`

func TestGoals(t *testing.T) {
	inFolder(t, tight)
	o := must(t, "goals", "s.yaml")
	for _, text := range []string{"jobs with a goal 3, without 0; goals that cannot be met even alone 1, conflicts 1", "cannot be met: 10s short even alone",
		"conflict: from 100s to 160s these jobs need 133 % of the map room", "a, b", "crowded: from 110s to 150s"} {
		if !strings.Contains(o.out, text) {
			t.Errorf("%q is missing in:\n%s", text, o.out)
		}
	}
	check := parseJSON[advise.GoalCheck](t, must(t, "goals", "s.yaml", "--format", "json").out)
	if len(check.Jobs) != 3 || check.Jobs[0].Slack != -10 || len(check.Conflicts) != 1 {
		t.Errorf("%+v", check)
	}
	yardmaster("goals", "s.yaml", "--fail").want(t, exitFailed, "not all goals can be met")
	must(t, "goals", "s.yaml", "--fail", "--set", "workload.jobs[0].goal=60s", "--set", "workload.jobs[1].goal=1h")
	yardmaster("goals").want(t, exitRefused)
	yardmaster("goals", "missing.yaml").want(t, exitRefused, "missing.yaml: no such file")
	yardmaster("goals", "s.yaml", "--set", "nonsense").want(t, exitRefused, "PATH=VALUE")
}

func TestGoalsWithoutGoals(t *testing.T) {
	inFolder(t, "cluster: {classes: [{nodes: 4, map-slots: 1}]}\nworkload: {jobs: [{name: a}]}\n")
	yardmaster("goals", "s.yaml").want(t, exitRefused, "no job of the scenario has a goal; allowed: goal, goal-at or goal-factor")
}
