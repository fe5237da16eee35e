// SPDX-License-Identifier: Apache-2.0

package parquet_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/yardmaster/yardmaster/internal/course"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/attempts"
	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/rackplan"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/result/parquet"
)

// Every table that a run or a sweep writes goes through, and its columns have the types that a reader expects of their
// meaning: what is listed, and fractions in all others, although here all of them are whole or missing.
func TestTables(t *testing.T) {
	const s = model.Second
	stolen := metrics.Job{Name: "7", User: "ann", Stolen: true, Goal: 9 * s, Finish: s}
	for l := range stolen.Limits {
		stolen.Limits[l] = s
	}
	run := &metrics.Run{Jobs: []metrics.Job{stolen, {ID: 1}}}
	topology := &model.Topology{Racks: 1, Nodes: []model.Node{{}}}
	plan := course.New(&rackplan.File{Jobs: []rackplan.FileJob{{Name: "7", MapRacks: []rackplan.FileShare{{Tasks: 2}}}}}, topology, []model.Job{{Name: "7", Period: 1}})
	seeds := fmt.Appendf([]byte("policy,seed,"), "%s", result.JobsHead())
	for _, prefix := range []string{"fifo,7,", "fifo,18446744073709551615,"} {
		seeds = append(append(seeds, prefix...), result.AppendJobs(nil, []*metrics.Job{&stolen})...)
	}
	const job = "id:INT64 name:STRING user:STRING queue:STRING class:STRING maps:INT64 reduces:INT64 node_local:INT64 rack_local:INT64 remote:INT64 met:BOOLEAN"
	for _, table := range []struct {
		name   string
		write  func(io.Writer) error
		listed string   // columns of another type than DOUBLE
		named  []string // as texts
	}{
		{"jobs", func(out io.Writer) error { return result.WriteJobs(out, run) }, job + " stolen:BOOLEAN", nil},
		{"jobs without", func(out io.Writer) error { return result.WriteJobs(out, &metrics.Run{}) }, job, nil},
		{"jobs of all seeds", func(out io.Writer) error { _, err := out.Write(seeds); return err }, job + " policy:STRING seed:STRING", nil},
		{"series", func(out io.Writer) error {
			return result.WriteSeries(out, &metrics.Series{Width: s, Lines: []metrics.Line{{Name: "running", Key: "map", Values: []float64{1}}}})
		}, "series:STRING key:STRING", nil},
		{"links", func(out io.Writer) error {
			return result.WriteLinks(out, &metrics.RackLinks{Width: s, Links: []metrics.RackLink{{Use: []float64{1}, Congested: []float64{0}}}})
		}, "rack:INT64 link:STRING", nil},
		{"traffic", func(out io.Writer) error {
			return result.WriteTraffic(out, &record.Traffic{Racks: 1, Bytes: []model.Bytes{5}})
		}, "from:INT64 to:INT64", nil},
		{"circuits", func(out io.Writer) error {
			return result.WriteCircuits(out, &circuits.Run{Connections: []circuits.Connection{{To: 1, Up: s}}})
		}, "from:INT64 to:INT64", nil},
		{"tasks", func(out io.Writer) error {
			return result.WriteTasks(out, []attempts.Attempt{{}, {Task: model.Task{Kind: model.Reduce}}}, topology)
		}, "job:INT64 kind:STRING task:INT64 attempt:INT64 node:INT64 rack:INT64 outcome:STRING locality:STRING", nil},
		{"plan", func(out io.Writer) error { _, err := out.Write(plan.CSV()); return err }, "rack:INT64 job:STRING kind:STRING", []string{"job"}},
		{"sweep", func(out io.Writer) error {
			rows := []result.SweepRow{{Settings: []string{"64MiB"}, Seed: 1, Values: []float64{2}}, {Settings: []string{"5"}, Seed: 2, Values: []float64{math.NaN()}}}
			return result.WriteSweep(out, []string{"hdfs.block-size"}, []metrics.Query{{Metric: "makespan"}}, rows)
		}, "hdfs.block-size:STRING seed:INT64", nil},
	} {
		var src, out bytes.Buffer
		if err := table.write(&src); err != nil {
			t.Fatal(err)
		}
		if err := parquet.FromCSV(&out, src.Bytes(), table.named...); err != nil {
			t.Errorf("%s: %v", table.name, err)
			continue
		}
		file, err := pq.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if rows := int64(strings.Count(src.String(), "\n") - 1); file.NumRows() != rows {
			t.Errorf("%s: %d rows, want %d", table.name, file.NumRows(), rows)
		}
		var listed []string
		for _, c := range file.Schema().Fields() {
			if kind := c.Type().String(); kind != "DOUBLE" {
				listed = append(listed, strings.TrimSuffix(c.Name()+":"+kind, "(64,true)"))
			}
		}
		want := strings.Fields(strings.ReplaceAll(table.listed, ":INT64", ":INT"))
		if slices.Sort(want); !slices.Equal(listed, want) {
			t.Errorf("%s: columns\n%q, want\n%q", table.name, listed, want)
		}
	}
}
