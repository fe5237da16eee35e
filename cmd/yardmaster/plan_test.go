// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

// recurring has two racks of two containers. sort's shuffle data is above the threshold: its two maps are planned in a rack
// each, its reduces in one; the four maps of scan take what is free first.
const recurring = `
seed: 3
cluster: {room: containers, racks: 2, uplink: 80Mbps, classes: [{nodes: 2, containers: 2, link: 1Gbps}]}
hdfs: {replication: 1, block-size: 100MB}
durations: network
shuffle: {source: rack}
policy: {jobpacker: {elephant: 100MB, sub-batches: 1}}
workload:
  jobs:
    - {name: sort, maps: 2, map-length: 10s, reduces: 2, reduce-length: 5s}
    - {name: scan, maps: 4, map-length: 3s}
    - {name: adhoc, maps: 2, map-length: 3s}
  assign: [{name: sort, period: 1d}, {name: scan, period: 1d}]
`

func TestPlanJobs(t *testing.T) {
	inFolder(t, recurring)
	o := must(t, "plan", "jobs", "s.yaml", "--out", "plan.json")
	for _, text := range []string{"jobpacker plans 2 jobs on 2 racks", "sort  heavy    0-1   0        2+1    0s     10s       25s", "scan  light    0-1   none", "plan in plan.json"} {
		if !strings.Contains(o.out, text) {
			t.Errorf("%q is missing in:\n%s", text, o.out)
		}
	}
	if shown := must(t, "plan", "jobs", "s.yaml", "--format", "json").out; shown != read(t, "plan.json") {
		t.Errorf("printed\n%s\nwritten\n%s", shown, read(t, "plan.json"))
	}
	must(t, "plan", "jobs", "s.yaml", "--policy", "corral", "--seed", "4")
}

// A run that follows the plan which its policy would make is the same run; another plan makes another run.
func TestRunFollowsAPlan(t *testing.T) {
	inFolder(t, recurring)
	must(t, "plan", "jobs", "s.yaml", "--out", "plan.json")
	must(t, "run", "s.yaml", "--out", "own")
	must(t, "run", "s.yaml", "--plan", "plan.json", "--out", "followed", "--check")
	if read(t, "own", "jobs.csv") != read(t, "followed", "jobs.csv") {
		t.Error("a run that follows its own plan differs from one without")
	}
	for _, plan := range []string{read(t, "own", "plan.csv"), read(t, "followed", "plan.csv")} {
		if !strings.Contains(plan, "\n0,sort,map,1,0,10,1,") || !strings.Contains(plan, ",adhoc,map,0,,,") {
			t.Errorf("plan.csv does not lay the plan beside the run:\n%s", plan)
		}
	}
	if !strings.Contains(read(t, "own", "report.html"), "sort, maps: planned from 0 s to 10") {
		t.Error("the report has no chart of the plan")
	}
	must(t, "run", "s.yaml", "--policy", "fair", "--out", "fair")
	if strings.Contains(read(t, "fair", "report.html"), "Plan and run") {
		t.Error("a policy without a plan has a chart of one")
	}
	must(t, "plan", "jobs", "s.yaml", "--policy", "corral", "--set", "policy.corral.elephant=100MB", "--out", "other.json")
	must(t, "run", "s.yaml", "--plan", "other.json", "--out", "other", "--check")
	if read(t, "own", "jobs.csv") == read(t, "other", "jobs.csv") {
		t.Error("another plan makes no difference")
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	inFolder(t, recurring)
	must(t, "plan", "jobs", "s.yaml", "--out", "plan.json")
	run := func(args ...string) outcome {
		return yardmaster(append([]string{"run", "s.yaml", "--plan", "plan.json", "--out", "out"}, args...)...)
	}
	run("--set", "cluster.racks=1").want(t, exitRefused, "plan.json:3:", "racks: impossible value; found a plan for 2 racks; allowed: the 1 racks of the cluster; make the plan again with: yardmaster plan jobs")
	run("--set", "cluster.classes[0].containers=3").want(t, exitRefused, "racks[0]: impossible value; found room for 2 maps and 2 reduces; allowed: room for 3 and 3, as the cluster has")
	run("--set", "workload.jobs[0].name=other").want(t, exitRefused, `jobs[0].name: impossible value; found "sort", which no recurring job of the workload has; allowed: names of recurring jobs`)
	run("--policy", "fair").want(t, exitRefused, "policy fair plans no jobs; allowed: corral, jobpacker")
	yardmaster("run", "s.yaml", "--plan", "missing.json").want(t, exitRefused, "missing.json")
	write(t, "plan.json", `{"planner": "jobpacker", "racks": [{"maps": 2, "reduces": 2}, {"maps": 2, "reduces": 2}], "jobs": [{"name": "sort", "map-racks": [{"rack": 1, "tasks": 1}, {"rack": 1, "tasks": 1}, {"rack": 7, "tasks": 1}]}]}`)
	run().want(t, exitRefused, "jobs[0].map-racks[1].rack: impossible value; found 1 after 1; allowed: racks in ascending order, each once",
		"jobs[0].map-racks[2].rack: impossible value; found 7; allowed: racks 0 to 1",
		"jobs[0].reduce-racks: impossible value; found no rack; allowed: racks for the 2 reduces of the job")
	yardmaster("plan", "jobs", "s.yaml", "--set", "workload.assign=[]").want(t, exitRefused, "no job recurs; allowed: jobs with a period")
	yardmaster("plan", "jobs", "s.yaml", "--policy", "fifo").want(t, exitRefused, "policy fifo plans no jobs")
}
