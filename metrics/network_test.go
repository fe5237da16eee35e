// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Three jobs by hand: a reads 900 B and shuffles 100 B, of which 50 B and 50 B cross racks; b reads 10 MB and shuffles
// 90 MB, of which nothing and 45 MB cross; c has no data. Together 45,000,100 of 100,001,000 B cross; on average
// over jobs 0.1, 0.45 and 0.
func TestCrossRackShare(t *testing.T) {
	jobs := []model.Job{
		{ID: 0, Name: "a", Input: 900, Shuffle: 100}, {ID: 1, Name: "b", Input: 10e6, Shuffle: 90e6}, {ID: 2, Name: "c", Shuffle: 0},
	}
	topology := seriesTopology(model.Slots, model.Room{1, 1})
	topology.Uplinks = []model.Rate{1e6, 2e6}
	c := NewCollector(topology, jobs)
	moved := func(job model.JobID, purpose record.Purpose, bytes, cross model.Bytes) {
		c.Record(&record.Event{Time: sec, Kind: record.DataMoved, Task: model.Task{Job: job}, Purpose: purpose, Bytes: bytes, Cross: cross})
	}
	s := script{c}
	for i := range jobs {
		s.job(0, record.JobSubmitted, model.JobID(i))
	}
	moved(0, record.Input, 60, 50)
	moved(0, record.Shuffle, 100, 50)
	moved(1, record.Shuffle, 90e6, 45e6)
	moved(1, record.Output, 5e6, 5e6) // does not count but for links
	for i := range jobs {
		s.job(model.Time(10*(i+1)), record.JobEnded, model.JobID(i))
	}
	all := All(c.Run(nil), 0)
	for text, want := range map[string]float64{
		"cross_rack_share":                 45000100.0 / 100001000,
		"mean_cross_rack_share":            (0.1 + 0.45) / 3,
		"max_cross_rack_share":             0.45,
		"shuffle:light.jobs":               2,
		"shuffle:medium.jobs":              1,
		"shuffle:medium.cross_rack_share":  0.45,
		"shuffle:light.throughput":         2 * 3600 / 30.0,
		"shuffle:medium.throughput":        3600 / 20.0,
		"job:c.cross_rack_share":           0,
		"shuffle:light.mean_elapsed":       20,
		"shuffle:light.cross_rack_shuffle": 50,
		"rack_link_time":                   (100 + 45e6 + 5e6) / 3e6,
	} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := q.Of(all); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, %t; want %v", text, got, ok, want)
		}
	}
	if q, _ := ParseQuery("shuffle:heavy.jobs"); q.By == "shuffle" {
		if _, ok := q.Of(all); ok {
			t.Error("there is a heavy job")
		}
	}
}

// Two racks. The link up from rack 0 is used by half from 1 s on and wholly from 2 s to 4 s, when it is congested; the
// link down to rack 1 becomes congested at 3 s and stays so to the end, 5 s. Buckets are 1/8 s wide.
func TestRackLinks(t *testing.T) {
	c := NewCollector(twoRacks(), containerJobs(model.Job{Maps: 1}))
	s := script{c}
	link := func(at model.Time, k record.Kind, number int32, use ...float64) {
		e := &record.Event{Time: at * sec, Kind: k, Task: model.Task{Job: model.None}, Count: number}
		if use != nil {
			e.Up, e.Down, e.Links = (use[0]+use[2])/2, (use[1]+use[3])/2, &record.Links{Use: use}
		}
		c.Record(e)
	}
	s.job(0, record.JobSubmitted, 0)
	link(1, record.LinkLoads, 0, 0.5, 0, 0, 0.5)
	link(2, record.LinkCongested, 0)
	link(2, record.LinkLoads, 0, 1, 0, 0, 0.5)
	link(3, record.LinkCongested, 3)
	link(4, record.LinkRelieved, 0)
	link(4, record.LinkLoads, 0, 0, 0, 0, 0.5)
	s.job(5, record.JobEnded, 0)
	run := c.Run(nil)
	if run.Links.Width != sec/8 || len(run.Links.Links) != 4 {
		t.Fatalf("%d links in buckets of %v, want 4 in buckets of 1/8 s", len(run.Links.Links), run.Links.Width)
	}
	for i, want := range [4][5][2]float64{ // use and congestion in each second
		{{}, {0.5, 0}, {1, 1}, {1, 1}, {}}, {}, {}, {{}, {0.5, 0}, {0.5, 0}, {0.5, 1}, {0.5, 1}},
	} {
		l := run.Links.Links[i]
		for k := range l.Use {
			if got := [2]float64{l.Use[k], l.Congested[k]}; got != want[k/8] {
				t.Errorf("link %d in bucket %d: use and congestion %v, want %v", i, k, got, want[k/8])
			}
		}
	}
	for _, l := range run.Series.Lines {
		if l.Name == "" {
			t.Error("the links one by one are among the other series")
		}
	}
	if run.Network.Congestions != 2 || run.Network.Congested != 2*sec {
		t.Errorf("%d congestions, of %v; want 2, of which one has ended after 2 s", run.Network.Congestions, run.Network.Congested)
	}
}

// Two racks for 20 s. A circuit carries for 5 s, after a wait of 2 s, and again for 3 s after 4 s. Of 100 B that job a sent to
// another rack 60 went over it, of 300 B of job b none.
func TestCircuitMetrics(t *testing.T) {
	jobs := []model.Job{{ID: 0, Name: "a"}, {ID: 1, Name: "b"}}
	topology := seriesTopology(model.Slots, model.Room{1, 1})
	topology.Racks = 2
	c := NewCollector(topology, jobs)
	s := script{c}
	s.job(0, record.JobSubmitted, 0)
	s.job(0, record.JobSubmitted, 1)
	for _, e := range []record.Event{
		{Time: 2 * sec, Circuit: record.CircuitSwitching}, {Time: 3 * sec, Circuit: record.CircuitCarrying, Length: 2 * sec}, {Time: 8 * sec, Circuit: record.CircuitOff, Bytes: 50},
		{Time: 10 * sec, Circuit: record.CircuitSwitching}, {Time: 12 * sec, Circuit: record.CircuitCarrying, Length: 4 * sec}, {Time: 15 * sec, Circuit: record.CircuitIdle, Bytes: 10},
	} {
		e.Kind, e.Task.Job, e.Count = record.CircuitChanged, model.None, 1
		c.Record(&e)
	}
	c.Record(&record.Event{Time: 20 * sec, Kind: record.DataMoved, Purpose: record.Shuffle, Bytes: 100, Cross: 100, Over: 60})
	c.Record(&record.Event{Time: 20 * sec, Kind: record.DataMoved, Task: model.Task{Job: 1}, Purpose: record.Shuffle, Bytes: 300, Cross: 300})
	s.job(20, record.JobEnded, 0)
	s.job(20, record.JobEnded, 1)
	run := c.Run(nil)
	run.Network.Uplinks = 10
	all := All(run, 0)
	for text, want := range map[string]float64{
		"circuit_share": 0.15, "job:a.circuit_share": 0.6, "circuit_use": 8.0 / 20 / 2, "reconfigurations": 3, "circuit_wait": 3, "longest_circuit_wait": 4,
		"rack_link_time": 34,
	} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := q.Of(all); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, %t; want %v", text, got, ok, want)
		}
	}
}
