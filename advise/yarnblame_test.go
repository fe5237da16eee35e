// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// yarnScenario is ten nodes of 2 GiB under YARN's resource manager. Properties are short: root.a.capacity 50.
func yarnScenario(t *testing.T, properties, jobs string) *scenario.Scenario {
	t.Helper()
	src := "seeds: 1\nreference: false\ncluster: {room: yarn, classes: [{nodes: 10, memory: 2GiB, vcores: 8}]}\n" +
		"policy: {yarn-capacity: {am-launch: 0s, am-start-up: 0s, am-stay: 0s, launch: 0s, properties: {yarn.app.mapreduce.am.resource.mb: \"1024\""
	for line := range strings.Lines(strings.TrimSpace(properties)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		src += fmt.Sprintf(", yarn.scheduler.capacity.%s: %q", name, value)
	}
	src += "}}}\nworkload: {needs: {map-memory: 1GiB, reduce-memory: 1GiB}, jobs: [" + jobs + "]}\n"
	s, err := scenario.Parse("test.yaml", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// blameOf runs a scenario and returns its jobs by name.
func blameOf(t *testing.T, s *scenario.Scenario) map[string]metrics.Job {
	t.Helper()
	run, err := experiment.NewRepetition(s, 1).Simulate(context.Background(), s.Policy, experiment.Options{Check: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string]metrics.Job{}
	for _, j := range run.Jobs {
		jobs[j.Name] = j
	}
	return jobs
}

// mostly returns the limit that held a job longest, but for hand-over.
func mostly(j metrics.Job) model.Limit {
	limits := slices.Clone(j.Limits[:])
	limits[model.LimitHandOver] = 0
	return model.Limit(slices.Index(limits, slices.Max(limits)))
}

func TestYarnBlame(t *testing.T) {
	const one = "root.queues default\nroot.default.capacity 100\nmaximum-am-resource-percent 1\n"
	for _, c := range []struct {
		name, properties, jobs, job string
		limit                       model.Limit
	}{
		{"user limit", one + "root.default.user-limit-factor 0.5", "{name: j, maps: 30, map-length: 60s}", "j", model.LimitUser},
		{"queue maximum", "root.queues a,b\nroot.a.capacity 50\nroot.a.maximum-capacity 50\nroot.a.user-limit-factor 10\nroot.b.capacity 50",
			"{name: j, queue: a, maps: 30, map-length: 60s}", "j", model.LimitQueueMax},
		{"parent's maximum", "root.queues p,q\nroot.p.capacity 40\nroot.p.maximum-capacity 40\nroot.q.capacity 60\nroot.p.queues x,y\nroot.p.x.capacity 50\nroot.p.y.capacity 50\nroot.p.x.user-limit-factor 10\nroot.p.y.user-limit-factor 10",
			"{name: i, queue: x, maps: 30, map-length: 60s}, {name: j, queue: y, maps: 30, map-length: 60s}", "j", model.LimitParentMax},
		{"limit on masters", "root.queues default\nroot.default.capacity 100\nroot.default.minimum-user-limit-percent 10\nmaximum-am-resource-percent 0.1",
			"{name: h, user: a, maps: 2, map-length: 60s}, {name: i, user: b, maps: 2, map-length: 60s}, {name: j, user: c, maps: 2, map-length: 60s}", "j", model.LimitAMShare},
		{"limit on masters of a user", "root.queues a,b\nroot.a.capacity 50\nroot.b.capacity 50\nmaximum-am-resource-percent 0.2",
			"{name: h, queue: a, maps: 1, map-length: 60s}, {name: i, queue: a, maps: 1, map-length: 60s}, {name: j, queue: a, maps: 1, map-length: 60s}", "j", model.LimitUserAMShare},
		{"max-parallel-apps", one + "root.default.max-parallel-apps 1", "{name: i, maps: 1, map-length: 60s}, {name: j, maps: 1}", "j", model.LimitInit},
		{"room", one, "{name: i, maps: 60, map-length: 60s}, {name: j, submit: 40s, maps: 2}", "j", model.LimitRoom},
		{"heartbeat of a lone job", one, "{name: j, maps: 2, map-length: 60s}", "j", model.LimitHeartbeat},
		{"one off-switch container in a heartbeat", one, "{name: j, maps: 18, map-length: 60s}", "j", model.LimitHeartbeat},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := blameOf(t, yarnScenario(t, c.properties, c.jobs))[c.job]
			if got := mostly(j); got != c.limit {
				t.Errorf("held by %s, want %s: %v", got, c.limit, j.Limits)
			}
			if c.limit == model.LimitHeartbeat && j.Limits[model.LimitRoom] > 0 {
				t.Errorf("held by room for %v in an empty cluster", j.Limits[model.LimitRoom])
			}
		})
	}
}

// A lone job of Hadoop 1 waits for the poller and then for heartbeats, with 35 of 40 slots free: never for room.
func TestLoneJobWaitsForNoRoom(t *testing.T) {
	s, err := scenario.Parse("test.yaml", []byte(`
seeds: 1
reference: false
cluster: {classes: [{nodes: 10, map-slots: 3, reduce-slots: 1}]}
heartbeat: {interval: 3s, max-maps: 1}
policy: {capacity: {queues: [{name: default, capacity: 100}]}}
workload: {jobs: [{name: j, submit: 1s, maps: 5}]}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	j := blameOf(t, s)["j"]
	if j.Limits[model.LimitInit] == 0 || j.Limits[model.LimitHeartbeat] == 0 || j.Limits[model.LimitRoom] > 0 {
		t.Errorf("initialisation %v, heartbeat %v, room %v", j.Limits[model.LimitInit], j.Limits[model.LimitHeartbeat], j.Limits[model.LimitRoom])
	}
	if j.Limits[model.LimitInit] != j.Blame[metrics.NotAdmitted] {
		t.Errorf("not admitted for %v, of which %v to be initialised", j.Blame[metrics.NotAdmitted], j.Limits[model.LimitInit])
	}
}
