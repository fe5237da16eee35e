// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/scenario"
)

// Six small jobs come to one scale-up machine with room for one task, beside two idle scale-out machines: the page of hybrid
// has a map with those that were stolen, that of a policy that tells no kinds apart has none, nor that of hybrid without
// stealing a mark.
func TestPageMarksStolenJobs(t *testing.T) {
	s := parsed(t, `
name: stolen
reference: false
cluster:
  room: containers
  classes: [{name: scale-up, nodes: 1, racks: 1, containers: 1}, {name: scale-out, nodes: 2, racks: 1, containers: 1}]
workload: {generate: {jobs: 6, arrivals: {process: batch}, classes: [{name: etl, maps: 1, map-length: 10s}]}}
policies:
  - hybrid
  - fair
  - {hybrid: {stealing: false}, as: apart}
  - {order: {hybrid: {}}, as: roles}
`)
	c, err := Compare(t.Context(), s, s.Policies, 1, scenario.StandardQueries(s), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var stolen []int
	for _, run := range c.Shown {
		n := 0
		for i := range run.Jobs {
			if run.Jobs[i].Stolen {
				n++
			}
		}
		stolen = append(stolen, n)
	}
	if !slices.Equal(stolen, []int{4, 0, 0, 4}) { // two waves of three, one of them on the scale-up machine
		t.Errorf("stolen under each: %v", stolen)
	}
	var drawn []string
	for _, chart := range c.Page("", "").Maps {
		drawn = append(drawn, chart.Name)
		if ringed := chart.Series[len(chart.Series)-1].Mark == plot.Rings; ringed == (chart.Name == "map-apart") {
			t.Errorf("%s: stolen jobs marked: %t", chart.Name, ringed)
		}
	}
	if !slices.Equal(drawn, []string{"map-hybrid", "map-apart", "map-roles"}) {
		t.Errorf("maps %v", drawn)
	}
	if v, _ := (metrics.Query{Metric: "makespan"}).Of(metrics.All(c.Shown[0], 0)); v != 20 {
		t.Errorf("a makespan of %g s, should be two waves of 10 s", v)
	}
}
