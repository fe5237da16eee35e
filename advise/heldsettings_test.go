// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// A cluster of YARN with two jobs, of which a test says that the second was held.
const heldWorld = `
durations: resources
cluster: {room: yarn, racks: 1, classes: [{nodes: 4, memory: 8GiB, vcores: 8, cores: 4}]}
workload: {jobs: [{name: i, maps: 8, reduces: 2}, {name: j, maps: 8, reduces: 2}]}
`

// tried returns what is tried for the job j, held by a limit for half of its life and starved for the other half, under the
// scenario's policy.
func tried(t *testing.T, policy string, limit model.Limit) []otherwise {
	t.Helper()
	s, err := scenario.Parse("held.yaml", []byte(heldWorld+policy), nil)
	if err != nil {
		t.Fatal(err)
	}
	job := &metrics.Job{ID: 1, Name: "j", Queue: "default", Maps: 8, Reduces: 2, Finish: 100 * model.Second}
	job.Limits[limit] = 50 * model.Second
	job.Blame[metrics.MapsStarved] = 50 * model.Second
	jobs := s.Jobs(s.Seed)
	return append(changed(s, s.Policy, job, jobs), elsewhere(s, s.Policy, jobs)...)
}

// An alternative is what it says and nothing else: the tuner of the choice still changes the AM share.
func TestAlternativesKeepTheTuner(t *testing.T) {
	for _, c := range []struct {
		policy string
		limit  model.Limit
	}{
		{"policy: {yarn-capacity: {properties: {yarn.scheduler.capacity.root.queues: default, yarn.scheduler.capacity.root.default.capacity: 100}}, tuner: cbt, as: tuned}", model.LimitAMShare},
		{"yarn: {am-share: 0.25}\npolicy: {capacity: {queues: [{name: default, capacity: 100}]}, tuner: cbt, as: tuned}", model.LimitUser},
	} {
		named := 0
		for _, o := range tried(t, c.policy, c.limit) {
			if o.choice.Tuner == nil || o.choice.Tuner.Name != "cbt" {
				t.Errorf("%s runs without the tuner cbt", o.change)
			}
			if o.about && o.limit == c.limit {
				named++
			}
		}
		if named == 0 {
			t.Errorf("no setting behind %v is tried under\n%s", c.limit, c.policy)
		}
	}
}

// Under YARN's resource manager there are no other policies, and what its properties say is not set by jobs and heartbeat: a
// job is helped by settings of its scheduler, or by more nodes.
func TestAlternativesUnderYarn(t *testing.T) {
	const slowStart = "mapreduce.job.reduce.slowstart.completedmaps 0.05 -> 0.8"
	const capacity = "policy: {yarn-capacity: {properties: {yarn.scheduler.capacity.root.queues: default, yarn.scheduler.capacity.root.default.capacity: 100}}}"
	for _, c := range []struct {
		policy string
		limit  model.Limit
		want   []string
	}{
		{"policy: yarn-fair", model.LimitAMShare, []string{"max-am-share 0.5 -> 1", slowStart}},
		{"policy: {yarn-fair: {max-am-share: 0.75}}", model.LimitAMShare, []string{"max-am-share 0.75 -> 1", slowStart}},
		{"policy: {yarn-fair: {max-am-share: -1}}", model.LimitAMShare, []string{slowStart}},
		{"policy: yarn-fair", model.LimitRoom, []string{slowStart}},
		{"policy: {yarn-fair: {properties: {mapreduce.job.reduce.slowstart.completedmaps: 1}}}", model.LimitRoom, []string{"mapreduce.job.reduce.slowstart.completedmaps 1 -> 0.05"}},
		{capacity, model.LimitHeartbeat, []string{"yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments 1 -> 10", slowStart}},
	} {
		var got []string
		for _, o := range tried(t, "heartbeat: {interval: 3s}\n"+c.policy, c.limit) {
			if !strings.Contains(o.change, " nodes (+") {
				got = append(got, o.change)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("held by %v under %s, tried are\n%s\nwant\n%s", c.limit, c.policy, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
