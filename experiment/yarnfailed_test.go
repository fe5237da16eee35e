// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

const yarnLoss = `
reference: false
hdfs: {replication: 1}
cluster: {room: yarn, classes: [{nodes: 1, memory: 4GiB, vcores: 8}]}
policy:
  yarn-capacity:
    am-start-up: %s
    properties:
      mapreduce.am.max-attempts: %d
      yarn.scheduler.capacity.root.queues: default
      yarn.scheduler.capacity.root.default.capacity: "100"
      yarn.scheduler.capacity.maximum-am-resource-percent: "1"
faults: {losses: [{node: 0, at: 30s, for: 60s}], expiry: 20s}
workload:
  needs: {map-memory: 1GiB, reduce-memory: 1GiB}
  jobs:
    - {name: hit, maps: 2, reduces: 1, map-length: 40s}
    - {name: heir, after: hit, maps: 1, map-length: 5s}
`

// The only node is lost while a job's master, of one attempt, starts or works: the job fails, is counted, and has no row. One
// that waits for its end runs. With a second attempt nothing fails.
func TestJobFailsWithItsMaster(t *testing.T) {
	for _, start := range []string{"5s", "29s"} {
		for attempts, want := range map[int]string{1: "[heir], 1 failed", 2: "[hit heir], 0 failed"} {
			s := parsed(t, fmt.Sprintf(yarnLoss, start, attempts))
			run, err := NewRepetition(s, 1).Simulate(context.Background(), s.Policy, Options{Check: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, j := range run.Jobs {
				names = append(names, j.Name)
			}
			if got := fmt.Sprintf("%v, %d failed", names, run.Failed); got != want {
				t.Errorf("start-up %s, %d attempts: %s, want %s", start, attempts, got, want)
			}
			said := false
			for _, q := range scenario.StandardQueries(s) {
				said = said || q == metrics.Query{Metric: "failed"}
			}
			if said != (attempts == 1) {
				t.Errorf("%d attempts: failed jobs are among the figures: %t", attempts, said)
			}
		}
	}
}

// Pages say how often nodes send their heartbeats: under YARN as its properties say.
func TestHeartbeatOfAPage(t *testing.T) {
	s := parsed(t, fmt.Sprintf(yarnLoss, "5s", 2)+"policies: [fair, {yarn-capacity: {properties: {yarn.resourcemanager.nodemanagers.heartbeat-interval-ms: 500, yarn.scheduler.capacity.root.queues: default, yarn.scheduler.capacity.root.default.capacity: 100}}, as: y}]\n")
	for i, want := range []string{"on-idle", "500ms"} {
		c := &Comparison{Scenario: s, Policies: s.Policies[i : i+1], Seeds: []uint64{1}}
		if got := s.Facts(c.Policies...)[1]; got != [2]string{"Heartbeat", want} {
			t.Errorf("%s: %v, want %s", c.Policies[0].Label(), got, want)
		}
	}
	if got, want := s.Facts(s.Policies...)[1][1], "on-idle under fair, 500ms under y"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A lone job on a cluster with memory and vcores waits for heartbeats, whatever the policy; one behind it for room.
func TestHeartbeatsWithYarnsRoom(t *testing.T) {
	s := parsed(t, `
reference: false
hdfs: {replication: 1}
heartbeat: {interval: 3s}
cluster: {room: yarn, classes: [{nodes: 2, memory: 2GiB, vcores: 8}]}
policy: fifo
workload:
  needs: {map-memory: 1GiB, reduce-memory: 1GiB}
  jobs: [{name: lone, maps: 4, map-length: 61s}, {name: behind, submit: 10s, maps: 4, map-length: 10s}]
`)
	run, err := NewRepetition(s, 1).Simulate(context.Background(), s.Policy, Options{Check: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lone, behind := &run.Jobs[0], &run.Jobs[1]
	if lone.Limits[model.LimitRoom] != 0 || lone.Limits[model.LimitHeartbeat] == 0 {
		t.Errorf("lone: %v", lone.Limits)
	}
	if room, beat := behind.Limits[model.LimitRoom], behind.Limits[model.LimitHeartbeat]; room < 45*model.Second || beat == 0 || beat > 6*model.Second {
		t.Errorf("behind: %v for room, %v for heartbeats", room, beat)
	}
}

// A container that is handed over between the loss of its node and the end of its patience runs nothing, also where processes start
// at once.
func TestLaunchOnLostNode(t *testing.T) {
	const launches = `
cluster: {room: yarn, classes: [{nodes: 2, memory: 8GiB, vcores: 8}]}
hdfs: {replication: 2}
reference: false
faults: {losses: [{node: 1, at: %dms, for: 60s}], expiry: 20s}
workload: {generate: {jobs: 12, arrivals: {process: uniform, interval: 1.3s}, classes: [{name: j, maps: 4, map-length: 2s, input: 500MiB}]}}
policy: {yarn-capacity: {launch: 0s, properties: {yarn.scheduler.capacity.root.queues: default, yarn.scheduler.capacity.root.default.capacity: "100"}}}
`
	for at := 8000; at < 14_000; at += 250 {
		s := parsed(t, fmt.Sprintf(launches, at))
		if run, err := NewRepetition(s, 1).Simulate(context.Background(), s.Policy, Options{Check: true}, nil); err != nil || len(run.Jobs) != 12 {
			t.Errorf("node 1 is lost at %d ms: %v", at, err)
		}
	}
}

// What a master holds after the last job's end is no use of the makespan: a master of 2 GiB for 25 s and four containers of 1 GiB for
// 10 s are 90 of 100 GiB s.
func TestUtilisationEndsWithTheJobs(t *testing.T) {
	s := parsed(t, `
cluster: {room: yarn, classes: [{nodes: 1, memory: 4GiB, vcores: 4}]}
hdfs: {replication: 1}
reference: false
yarn: {am-memory: 2GiB, am-share: 1, am-stay: 100s}
workload: {jobs: [{name: a, maps: 4, map-length: 10s}]}
`)
	run, err := NewRepetition(s, 1).Simulate(context.Background(), s.Policy, Options{Check: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := metrics.All(run, 0)
	if got, _ := all.Value("utilisation_memory"); got < 0.899 || got > 0.901 {
		t.Errorf("utilisation %g", got)
	}
}
