// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/scenario"
)

// twoKindsOfRacks has two racks of scale-up machines, then three of scale-out machines. Small and large jobs come in turn; all
// have run before and shuffle enough to be planned.
const twoKindsOfRacks = `
name: kinds
reference: false
cluster:
  room: containers
  oversubscription: 5
  classes: [{name: scale-up, nodes: 4, racks: 2, containers: 4, link: 1Gbps}, {name: scale-out, nodes: 6, racks: 3, containers: 4, link: 1Gbps}]
durations: network
workload:
  generate:
    jobs: 12
    arrivals: {process: uniform, interval: 40s}
    classes:
      - {name: small, input: 2GiB, shuffle-ratio: 1, maps: 6, reduces: 2, map-length: 10s, reduce-length: 10s}
      - {name: large, input: 40GiB, shuffle-ratio: 0.2, maps: 8, reduces: 4, map-length: 10s, reduce-length: 10s}
  assign: [{share: 100%, period: 1h}]
policies:
  - {hybrid: {stealing: false}, as: fair}
  - {hybrid: {stealing: false, order: corral}, as: corral}
  - {hybrid: {order: corral}, as: stealing}
`

// racksOf runs a policy and returns the racks in which the tasks of each job started, and which jobs were stolen.
func racksOf(t *testing.T, policy string) (classes []string, racks [][]model.RackID, stolen []bool) {
	t.Helper()
	s := parsed(t, twoKindsOfRacks)
	log := &record.Log{}
	for i := range s.Policies {
		if s.Policies[i].Label() == policy {
			if _, err := Compare(t.Context(), s, s.Policies[i:i+1], 1, scenario.StandardQueries(s), Options{Workers: 1, Events: log}); err != nil {
				t.Fatal(err)
			}
		}
	}
	jobs, topology := s.Jobs(s.Seed), s.Cluster.Topology()
	racks, stolen = make([][]model.RackID, len(jobs)), make([]bool, len(jobs))
	for i := range jobs {
		classes = append(classes, jobs[i].Class)
	}
	for _, e := range log.Events {
		switch e.Kind {
		case record.JobStolen:
			stolen[e.Task.Job] = true
		case record.TaskStarted:
			racks[e.Task.Job] = append(racks[e.Task.Job], topology.Nodes[e.Node].Rack)
		}
	}
	for i := range racks {
		slices.Sort(racks[i])
		racks[i] = slices.Compact(racks[i])
	}
	return classes, racks, stolen
}

// With Corral inside hybrid, maps and reduces of a job run in the same rack of their kind; without it the tasks of some job
// are spread over racks. A job that is stolen follows no plan and runs on scale-out machines.
func TestCorralWithinAKind(t *testing.T) {
	const firstOut = 2
	spread := 0
	for _, policy := range []string{"fair", "corral", "stealing"} {
		classes, racks, stolen := racksOf(t, policy)
		kinds := map[string]int{}
		for i, in := range racks {
			up := classes[i] == "small" && !stolen[i]
			if len(in) == 0 || up != (in[0] < firstOut) || up != (in[len(in)-1] < firstOut) {
				t.Errorf("%s: job %d, %s, stolen %t, runs in racks %v", policy, i, classes[i], stolen[i], in)
			}
			switch {
			case policy == "fair" && len(in) > 1:
				spread++
			case policy != "fair" && len(in) > 1 && !stolen[i]:
				t.Errorf("%s: job %d, %s, runs in racks %v, should be one", policy, i, classes[i], in)
			}
			kinds[classes[i]]++
		}
		if kinds["small"] == 0 || kinds["large"] == 0 || policy == "stealing" != slices.Contains(stolen, true) {
			t.Errorf("%s: jobs %v, stolen %v: the test says nothing", policy, kinds, stolen)
		}
	}
	if spread == 0 {
		t.Error("without a plan no job is spread over racks: the test says nothing")
	}
}
