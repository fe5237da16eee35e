// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

const oneRack = `
cluster: {racks: 1, room: containers, classes: [{nodes: 4, containers: 1}]}
hdfs: {replication: 1}
durations: network
reference: false
workload:
  jobs: [{name: a, maps: 6, reduces: 2, map-length: 5s}]
`

// gridOver is the grid of a scenario over axes, with one seed.
func gridOver(t *testing.T, sets ...string) *Grid {
	t.Helper()
	s, err := scenario.Parse("s.yaml", []byte(oneRack), nil)
	if err != nil {
		t.Fatal(err)
	}
	var axes []Axis
	for _, set := range sets {
		a, err := ParseAxis(set)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, a)
	}
	g, err := NewGrid(s, axes, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The queries of a grid are those of its points, not of the scenario that it was made from: every point has all of its own,
// in their order, and none is of no point.
func TestGridHasTheQueriesOfItsPoints(t *testing.T) {
	for name, g := range map[string]*Grid{
		"racks":         gridOver(t, "cluster.racks=1,2"),
		"reference":     gridOver(t, "reference=false,true"),
		"always":        gridOver(t, "reference=true"),
		"both":          gridOver(t, "cluster.racks=2,1", "reference=true,false"),
		"goals, queues": gridOver(t, "workload.assign=[],[{queue: night, goal: 1h}]", "durations=replay,resources", "cluster.racks=1,3"),
	} {
		want := map[metrics.Query]bool{}
		for p := range g.Points() {
			last := -1
			for _, q := range scenario.StandardQueries(g.Scenario(p)) {
				want[q] = true
				at := slices.Index(g.Queries, q)
				if at <= last {
					t.Errorf("%s, point %d: %s is column %d, behind that of %d", name, p, q, at, last)
				}
				last = at
			}
		}
		if len(g.Queries) != len(want) {
			t.Errorf("%s: %d queries, want %d: %v", name, len(g.Queries), len(want), g.Queries)
		}
	}
}

// Slowdowns are measured at the points that compute run times alone and empty at the others, whatever the scenario itself
// says; what goes from rack to rack is measured at all, 0 in one rack.
func TestPointsLeaveOutWhatTheyDoNotCompute(t *testing.T) {
	g := gridOver(t, "cluster.racks=1,2", "reference=false,true")
	column := func(metric string) (out []float64) {
		q := slices.Index(g.Queries, metrics.Query{Metric: metric})
		if q < 0 {
			t.Fatalf("there is no %s in %v", metric, g.Queries)
		}
		for i := range g.Runs() {
			values, err := g.Measure(t.Context(), i, Options{Check: true})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, values[q])
		}
		return out
	}
	if v := column("mean_slowdown"); !math.IsNaN(v[0]) || !(v[1] >= 1) || !math.IsNaN(v[2]) || !(v[3] >= 1) {
		t.Errorf("slowdowns %v, want one at the second and fourth point only", v)
	}
	if v := column("cross_rack_shuffle"); v[0] != 0 || v[1] != 0 || !(v[2] > 0) || v[3] != v[2] {
		t.Errorf("bytes between racks %v, want none with one rack", v)
	}
	j, err := OpenJournal(t.TempDir(), g, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	values, err := Sweep(t.Context(), g, j, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := g.WriteCSV(&b, values); err != nil {
		t.Fatal(err)
	}
	first := strings.Split(strings.Split(b.String(), "\n")[1], ",")
	if at := 3 + slices.Index(g.Queries, metrics.Query{Metric: "mean_slowdown"}); first[at] != "" {
		t.Errorf("the first row has the slowdown %q, want none", first[at])
	}
	if _, has := g.Summary(values)[0].Metrics["mean_slowdown"]; has {
		t.Error("the first point's summary has a slowdown")
	}
}
