// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/advise"
)

// two has a job that waits for another one: a holds the only slot from 0 s to 30 s, b arrives at
// 5 s with 2 maps of 4 s.
const two = `
name: two
cluster: {classes: [{nodes: 1, map-slots: 1, reduce-slots: 1}]}
hdfs: {replication: 1}
workload:
  jobs:
    - {name: nightly-report, maps: 3, map-length: 10s}
    - {name: urgent, queue: prod, class: hot, user: ann, submit: 5s, maps: 2, map-length: 4s}
policies: [fifo, {fair: {}, as: shared}]
`

func TestExplainRun(t *testing.T) {
	inFolder(t, two)
	must(t, "run", "s.yaml")
	o := must(t, "explain", "results/two", "urgent")
	for _, line := range []string{
		`job 1 "urgent" under fifo: submitted at 5.0 s, waited 25.0 s, ran 8.0 s; alone it takes 8.0 s (slowdown 4.12)`,
		"where its time went", "first_container", "what held it back", "room", "time-line",
		"waiting for its first container", "held by room", "who used the room while it waited", "100.0 %  nightly-report",
		"what would have changed it", "+ policy fair ", "nodes (+50 %)",
	} {
		if !strings.Contains(o.out, line) {
			t.Errorf("explain lacks %q:\n%s", line, o.out)
		}
	}
	if byNumber := must(t, "explain", "results/two", "1"); byNumber.out != o.out {
		t.Error("by number and by name differ")
	}
	if short := must(t, "explain", "results/two", "1", "--no-what-if"); strings.Contains(short.out, "what would have") {
		t.Errorf("--no-what-if:\n%s", short.out)
	}
	e := parseJSON[advise.Explanation](t, must(t, "explain", "results/two", "urgent", "--format", "json").out)
	if e.Policy != "fifo" || e.Row.Waiting != 25 || e.Row.Execution != 8 || e.Row.Blame["first_container"] != 25 || e.Row.Limits["room"] != 27 { // and half of its maps starve for 4 s
		t.Errorf("explanation %+v", e)
	}
	checkStages(t, &e)
}

// checkStages: the spans of the time-line touch each other and cover the job's life.
func checkStages(t *testing.T, e *advise.Explanation) {
	t.Helper()
	at := e.Row.Submit
	for _, s := range e.Stages {
		if math.Abs(s.From-at) > 1e-9 || s.To <= s.From || s.State == "" {
			t.Errorf("span %+v does not begin at %v", s, at)
		}
		at = s.To
	}
	if end := e.Row.Submit + e.Row.Waiting + e.Row.Execution; math.Abs(at-end) > 1e-6 {
		t.Errorf("the time-line ends at %v, the job at %v", at, end)
	}
}

// TestExplainAllJobs holds the time-line of every job of a busy run to its row.
func TestExplainAllJobs(t *testing.T) {
	inFolder(t, small)
	must(t, "run", "s.yaml", "--set", "policy=delay")
	step := 1
	if testing.Short() {
		step = 10
	}
	for i, row := range rows(t, "results/small/jobs.csv") {
		if i%step != 0 {
			continue
		}
		e := parseJSON[advise.Explanation](t, must(t, "explain", "results/small", row["name"], "--format", "json", "--no-what-if").out)
		checkStages(t, &e)
		shares := 0.0
		for _, h := range e.Holders {
			shares += h.Share
		}
		if shares > 1+1e-9 {
			t.Errorf("job %s: holders used %v of the room in use", row["name"], shares)
		}
	}
}

func TestExplainCompare(t *testing.T) {
	inFolder(t, two)
	must(t, "compare", "s.yaml", "--seeds", "2")
	first := must(t, "explain", "results/two-compare", "urgent")
	if !strings.Contains(first.out, `under fifo: submitted at 5.0 s, waited 25.0 s`) {
		t.Errorf("the first policy is the default:\n%s", first.out)
	}
	shared := must(t, "explain", "results/two-compare", "urgent", "--policy", "shared")
	if !strings.Contains(shared.out, "under shared: submitted at 5.0 s, waited 5.0 s") {
		t.Errorf("under fair the second map of a is not before b:\n%s", shared.out)
	}
	e := parseJSON[advise.Explanation](t, must(t, "explain", "results/two-compare", "0", "--policy", "shared", "--format", "json").out)
	checkStages(t, &e)
	yardmaster("explain", "results/two-compare", "urgent", "--policy", "fair").want(t, exitRefused, `policy "fair" is not in this comparison; allowed: fifo, shared`)
	must(t, "compare", "s.yaml", "--policies", "srpt,edf")
	must(t, "explain", "results/two-compare", "urgent", "--policy", "edf")
}

func TestExplainRefusals(t *testing.T) {
	inFolder(t, two)
	must(t, "run", "s.yaml")
	for job, want := range map[string]string{
		"urgnet": `no job "urgnet"; allowed: a number from 0 to 1, or a name of jobs.csv; did you mean "urgent"?`,
		"7":      `no job "7"; allowed: a number from 0 to 1`,
		"=-1":    `no job "=-1"`,
		"zebra":  `no job "zebra"`,
	} {
		yardmaster("explain", "results/two", job).want(t, exitRefused, want)
	}
	must(t, "sweep", "s.yaml", "--set", "seed=1,2", "--seeds", "1")
	yardmaster("explain", "results/two-sweep", "0").want(t, exitRefused, "is a sweep, which keeps no jobs")
	changed := strings.Replace(read(t, "results/two/jobs.csv"), ",38,", ",39,", 1)
	write(t, "results/two/jobs.csv", changed)
	yardmaster("explain", "results/two", "urgent").want(t, exitFailed, "finished at 39, the repeated run says 38: the folder was made by another version")
	write(t, "results/two/manifest.json", "{")
	yardmaster("explain", "results/two", "urgent").want(t, exitRefused, "results/two/manifest.json")
}

// Policies that cannot work on the cluster, such as those that divide a single node, are not alternatives.
func TestExplainOnOneNode(t *testing.T) {
	inFolder(t, "cluster: {classes: [{nodes: 1, map-slots: 2}]}\nhdfs: {replication: 1}\nworkload: {jobs: [{name: a, maps: 4}, {name: b, maps: 4}]}\n")
	must(t, "run", "s.yaml", "--out", "r")
	o := must(t, "explain", "r", "b")
	if !strings.Contains(o.out, "policy fbq") || strings.Contains(o.out, "policy tags") {
		t.Errorf("alternatives:\n%s", o.out)
	}
}

// yarnTwo has a queue whose user limit holds a job of 16 maps, and whose limit on masters holds a second job.
const yarnTwo = `
name: two
cluster: {room: yarn, classes: [{nodes: 10, memory: 2GiB, vcores: 8}]}
policy: {yarn-capacity: {properties: {
  yarn.scheduler.capacity.root.queues: "a,b", yarn.scheduler.capacity.root.a.capacity: "50", yarn.scheduler.capacity.root.b.capacity: "50",
  yarn.app.mapreduce.am.resource.mb: "1024"}}}
workload:
  needs: {map-memory: 1GiB, reduce-memory: 1GiB}
  jobs: [{name: wide, queue: a, maps: 16, map-length: 60s}, {name: second, queue: a, submit: 5s, maps: 1}]
`

// Under YARN's resource manager the limit is named with the release's numbers, and the setting behind it is changed.
func TestExplainYarn(t *testing.T) {
	inFolder(t, yarnTwo)
	must(t, "run", "s.yaml")
	wide := must(t, "explain", "results/two", "wide")
	for _, line := range []string{
		"User limit reached. User user uses <memory:11264, vCores:11>; User Limit = <memory:10240, vCores:1>; active users = 1;", "held by user_limit",
		"+ yarn.scheduler.capacity.root.a.user-limit-factor 1 -> 2 *", "+ it ends sooner, - later", "mean elapsed of other jobs",
	} {
		if !strings.Contains(wide.out, line) {
			t.Errorf("explain lacks %q:\n%s", line, wide.out)
		}
	}
	second := must(t, "explain", "results/two", "second")
	for _, line := range []string{
		"Application is added to the scheduler and is not yet activated. User's AM resource limit exceeded. AM Resource Request = <memory:1024, vCores:1>; " +
			"Queue Resource Limit for AM = <memory:2048, vCores:1>; User AM Resource Limit of the queue = <memory:1024, vCores:1>; Queue AM Resource Usage = <memory:1024, vCores:1>",
		"+ yarn.scheduler.capacity.root.a.maximum-am-resource-percent 0.1 -> 0.2 *",
	} {
		if !strings.Contains(second.out, line) {
			t.Errorf("explain lacks %q:\n%s", line, second.out)
		}
	}
	if strings.Contains(second.out, "policy fifo") {
		t.Errorf("a policy without masters is no alternative:\n%s", second.out)
	}
}

// A change under which a job starts earlier and ends later is no gain: the whole time counts.
func TestExplainJudgesTheWholeTime(t *testing.T) {
	inFolder(t, two)
	must(t, "run", "s.yaml", "--policy", "srpt")
	e := parseJSON[advise.Explanation](t, must(t, "explain", "results/two", "nightly-report", "--format", "json").out)
	for _, a := range e.WhatIf {
		want := advise.Same
		if now := e.Row.Waiting + e.Row.Execution; a.Elapsed < 0.99*now {
			want = advise.Sooner
		} else if a.Elapsed > 1.01*now {
			want = advise.Later
		}
		if a.Verdict != want {
			t.Errorf("%s: %.1f s is %s, want %s", a.Change, a.Elapsed, a.Verdict, want)
		}
	}
}
