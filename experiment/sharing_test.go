// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// shuffling is a small cluster whose jobs keep its links busy: every copy can be a flow of its own.
const shuffling = `
cluster: {room: containers, racks: 3, uplink: 1Gbps, classes: [{nodes: 12, containers: 4, link: 500Mbps}]}
durations: network
reference: false
workload:
  generate:
    jobs: 20
    arrivals: {process: poisson, interval: 25s}
    classes:
      - {name: sort, share: 2, maps: 30, reduces: 8, map-length: 8s, reduce-length: 5s, noise: {kind: lognormal, cv: 0.4}}
      - {name: join, share: 1, maps: 12, reduces: 3, map-length: 15s, reduce-length: 5s, shuffle-ratio: 2}
policy: fair
`

// elapsed runs the scenario with the settings and returns the elapsed times of its jobs.
func elapsed(t *testing.T, s *scenario.Scenario, seed uint64, settings ...strict.Setting) []float64 {
	t.Helper()
	if len(settings) > 0 {
		var err error
		if s, err = s.With(settings); err != nil {
			t.Fatal(err)
		}
	}
	run, err := NewRepetition(s, seed).Simulate(context.Background(), s.Policy, Options{Check: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]float64, len(run.Jobs))
	for i := range run.Jobs {
		list[i] = run.Jobs[i].Elapsed().Seconds()
	}
	return list
}

// deviation compares elapsed times: the mean of their ratio less 1, its mean absolute value, and its
// greatest.
func deviation(ours, exact []float64) (bias, mean, worst float64) {
	for i := range exact {
		d := ours[i]/exact[i] - 1
		bias += d / float64(len(exact))
		mean += math.Abs(d) / float64(len(exact))
		worst = max(worst, math.Abs(d))
	}
	return bias, mean, worst
}

// What does adding up map output cost in accuracy? Against a flow for every copy, each released when its
// map ends, on small cases. Jobs that run one after the other show it alone. Together, a moment's
// difference changes who starts where, so single jobs scatter; their mean must agree.
func TestAggregationError(t *testing.T) {
	together, err := scenario.Parse("shuffling.yaml", []byte(shuffling), nil)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := together.With([]strict.Setting{{Path: "workload.generate.arrivals", Value: "{process: uniform, interval: 1h}"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source, release string
		alone, together float64 // mean deviation allowed: of single jobs alone, of all together
	}{{"node", "0", 0.03, 0.03}, {"node", "5%", 0.03, 0.03}, {"rack", "0", 0.05, 0.05}, {"rack", "5%", 0.05, 0.05}, {"rack", "20%", 0.05, 0.05}} {
		for name, s := range map[string]*scenario.Scenario{"alone": alone, "together": together} {
			var ours, exact []float64
			for seed := range uint64(5) {
				exact = append(exact, elapsed(t, s, seed+1, strict.Setting{Path: "shuffle.source", Value: "map"}, strict.Setting{Path: "shuffle.release", Value: "0"})...)
				ours = append(ours, elapsed(t, s, seed+1, strict.Setting{Path: "shuffle.source", Value: c.source}, strict.Setting{Path: "shuffle.release", Value: c.release})...)
			}
			bias, mean, worst := deviation(ours, exact)
			t.Logf("source %s, release %s: elapsed times of %d jobs %s deviate by %+.1f %% on average, %.1f %% in absolute value, %.0f %% at most", c.source, c.release, len(ours), name, 100*bias, 100*mean, 100*worst)
			if name == "alone" && mean > c.alone || math.Abs(bias) > c.together {
				t.Errorf("source %s, release %s, %s: too much", c.source, c.release, name)
			}
		}
	}
}

// What does a tick cost in accuracy? On ten minutes of the real trace, against exact rates: a flow waits
// for the tick, half of it on average, and what a flow leaves is unused until the next.
func TestTickError(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: slow under -short")
	}
	s := facebookScenario(t, ", from: 2h, to: 2.1h, thin: 20%")
	exact := elapsed(t, networked(t, s, "exact", "rack"), 1)
	for _, c := range []struct {
		tick       string
		bias, mean float64 // allowed
	}{{"100ms", 0.02, 0.02}, {"1s", 0.10, 0.12}} {
		bias, mean, worst := deviation(elapsed(t, networked(t, s, c.tick, "rack"), 1), exact)
		t.Logf("tick %s: elapsed times of %d jobs deviate by %+.1f %% on average, %.1f %% in absolute value, %.0f %% at most", c.tick, len(exact), 100*bias, 100*mean, 100*worst)
		if math.Abs(bias) > c.bias || mean > c.mean {
			t.Errorf("tick %s: more than %.0f %% on average or %.0f %% in absolute value", c.tick, 100*c.bias, 100*c.mean)
		}
	}
}

// Bytes that go in come out: what crosses links is what the workload says, whatever is added up.
func TestBytesArrive(t *testing.T) {
	s, err := scenario.Parse("shuffling.yaml", []byte(shuffling), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{"map", "node", "rack"} {
		s, err := s.With([]strict.Setting{{Path: "shuffle.source", Value: source}})
		if err != nil {
			t.Fatal(err)
		}
		run, err := NewRepetition(s, 1).Simulate(context.Background(), s.Policy, Options{Check: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cross, _ := metrics.All(run, 0).Value("cross_rack_shuffle")
		total := 0.0
		for i, j := range s.Jobs(1) {
			total += float64(j.Shuffle)
			if moved := run.Jobs[i].Moved[1]; moved.Bytes > j.Shuffle || moved.Cross > moved.Bytes {
				t.Errorf("source %s, job %d: %d bytes over links, %d across racks, %d of shuffle", source, i, moved.Bytes, moved.Cross, j.Shuffle)
			}
		}
		// Maps and reduces are spread over three racks: two thirds of the shuffle cross.
		if share := cross / total; math.Abs(share-2./3) > 0.08 {
			t.Errorf("source %s: %.2f of the shuffle crossed racks", source, share)
		}
	}
}
