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
	c := NewCollector(seriesTopology(model.Slots, model.Room{1, 1}), jobs)
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
	moved(1, record.Output, 5e6, 5e6) // does not count
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

func TestShuffleClass(t *testing.T) {
	for shuffle, want := range map[model.Bytes]string{0: "light", model.MiB - 1: "light", model.MiB: "medium", 100 * model.MiB: "medium", 100*model.MiB + 1: "heavy"} {
		if got := ShuffleClass(shuffle); got != want {
			t.Errorf("%v is %s, want %s", shuffle, got, want)
		}
	}
}
