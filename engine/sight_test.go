// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/engine/foresight"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/internal/topotest"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
)

// asked counts how often it is asked ahead.
type asked int

func (a *asked) Ahead(int32) { *a++ }

// A run is the same whether it looks ahead or not, with jobs of all sizes, on nodes that come and go.
func TestLookingAheadChangesNothing(t *testing.T) {
	topology := topotest.Racks(4, 4, 4)
	topology.Model, topology.Classes[0].Room = model.Slots, model.Room{2, 1}
	var jobs []model.Job
	for i := range 60 {
		maps := int32(1 + i*i%90)
		jobs = append(jobs, model.Job{ID: model.JobID(i), Name: fmt.Sprint(i), User: "u", Queue: "q", After: model.None, Submit: model.Time(i) * 100 * model.Millisecond,
			Maps: maps, Reduces: int32(i % 3), Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}, Input: model.Bytes(i%4) * model.Bytes(maps) * model.GiB,
			MapLength: model.Lengths{Mean: 10 * model.Second, Noise: model.LogNormalNoise, CV: 0.5}, ReduceLength: model.Lengths{Mean: 20 * model.Second}})
	}
	config := DefaultConfig()
	config.Faults.Losses = []mishap.Loss{{Node: 3, At: 60 * model.Second, For: 30 * model.Second}}
	for _, name := range []string{"fair", "delay"} {
		entry, _ := policies.All.Find(name)
		run := func(crowd int32, vast bool) ([]record.Event, int) {
			log, times := &record.Log{}, new(asked)
			in := &Input{Topology: topology, Jobs: jobs, Config: config, Replication: 3, Policy: entry, Params: entry.Params(), Seed: 1,
				Recorder: record.Tee{metrics.NewCollector(topology, jobs), log}, Check: 1}
			s, err := newSim(in)
			if err != nil {
				t.Fatal(err)
			}
			s.sight = foresight.New(s.driver.Foreseer, s.driver.Asked, times, s.state, s.blocks, s.exec, in.Recorder)
			s.sight.Crowd, s.sight.Vast = crowd, vast
			s.loop()
			if s.failed != nil || s.result.Ended != len(jobs) {
				t.Fatalf("%s: %v, %d jobs ended", name, s.failed, s.result.Ended)
			}
			return log.Events, int(*times)
		}
		without, none := run(math.MaxInt32, false)
		with, times := run(0, false)
		next, _ := run(math.MaxInt32, true)
		if !slices.Equal(with, without) || !slices.Equal(next, without) {
			t.Errorf("%s: %d events with a look ahead, %d with what ends next asked for, others without", name, len(with), len(next))
		}
		if none != 0 || times < 1000 {
			t.Errorf("%s: asked ahead %d times, and %d times where it should not be", name, times, none)
		}
	}
}
