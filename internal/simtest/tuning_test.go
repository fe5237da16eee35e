// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"bytes"
	"context"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/tune"
)

// batchOf parses the scenario of marp-2019 with settings.
func batchOf(t *testing.T, settings ...strict.Setting) *scenario.Scenario {
	t.Helper()
	src, err := papers.Files.ReadFile("marp-2019/batch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse("batch.yaml", src, settings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTuningReplays: what every tuner did in a simulated cluster, recorded as text, comes out again when
// the log is replayed into a new one. This holds only if a tuner sees nothing but its observations and the
// log keeps all of them.
func TestTuningReplays(t *testing.T) {
	makespan, err := metrics.ParseQuery("makespan")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tune.All {
		for _, params := range []string{"{}", "{faithful: true}"} {
			p := e.Params()
			n, errs := strict.Parse("params", []byte(params))
			if errs = append(errs, strict.Decode(n, p)...); len(errs) > 0 {
				continue // a tuner without faults of its own
			}
			t.Run(e.Name+params, func(t *testing.T) {
				s := batchOf(t, strict.Setting{Path: "policies", Value: "[{yarn-fair: , tuner: {" + e.Name + ": " + params + "}}]"})
				var text bytes.Buffer
				log := tune.NewLog(&text, e.Name, params, s.Seed)
				_, err := experiment.Compare(context.Background(), s, s.Policies, 1, []metrics.Query{makespan}, experiment.Options{Workers: 1, Tuning: log})
				if err != nil {
					t.Fatal(err)
				}
				if err := log.Close(); err != nil {
					t.Fatal(err)
				}
				rec, err := tune.ReadLog("log", &text)
				if err != nil {
					t.Fatal(err)
				}
				if len(rec.Exchanges) == 0 {
					t.Fatal("nothing was recorded")
				}
				again, err := e.New(tune.Env{Seed: rec.Seed}, p)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range tune.Replay(again, rec) {
					t.Error(m)
				}
			})
		}
	}
}

// TestRandomBatchesFinish: batches of random sizes, mixes and gaps end under every tuner, and marp-auto
// is not far behind running everything at once on any of them.
func TestRandomBatchesFinish(t *testing.T) {
	s := batchOf(t,
		strict.Setting{Path: "workload.generate", Value: `{jobs: 12, arrivals: {process: poisson, interval: 60s}, vary: {jobs: 3, interval: true, mix: true}, classes: [
			{name: narrow, maps: {kind: uniform, low: 1, high: 8}, reduces: 1, output-replication: 1},
			{name: wide, maps: {kind: uniform, low: 8, high: 50}, reduces: 1, output-replication: 3},
			{name: map-only, maps: {kind: uniform, low: 2, high: 30}, reduces: 0}]}`},
		strict.Setting{Path: "policies", Value: `[{yarn-fair: , as: all, tuner: {prj: {share: 0.6}}}, {yarn-fair: , as: one, tuner: one-at-a-time},
			{yarn-fair: , as: cbt, tuner: cbt}, {yarn-fair: , as: cbtws, tuner: cbtws}, {yarn-fair: , as: cbtwat, tuner: cbtwat}, {yarn-fair: , as: auto, tuner: marp-auto}]`})
	var queries []metrics.Query
	for _, text := range []string{"jobs", "makespan"} {
		q, err := metrics.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		queries = append(queries, q)
	}
	c, err := experiment.Compare(context.Background(), s, s.Policies, 12, queries, experiment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for p := range c.Policies {
		for i, seed := range c.Seeds {
			if c.Values[p][0][i] != c.Values[0][0][i] {
				t.Errorf("seed %d: %v jobs ended under %s, %v under %s", seed, c.Values[p][0][i], c.Labels()[p], c.Values[0][0][i], c.Labels()[0])
			}
		}
	}
	last := len(c.Policies) - 1
	for i, seed := range c.Seeds {
		if auto, all := c.Values[last][1][i], c.Values[0][1][i]; auto > 1.3*all {
			t.Errorf("seed %d: marp-auto takes %.0f s, all at once %.0f s", seed, auto, all)
		}
	}
}
