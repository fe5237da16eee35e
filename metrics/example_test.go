// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"fmt"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// A job of one map is submitted at 0 s and waits for room until 4 s; its map takes 6 s.
func Example() {
	jobs := []model.Job{{Name: "nightly", Queue: "prod", Maps: 1, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}}}
	cluster := &model.Topology{Model: model.Slots, Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: model.Room{1, 1}, Speed: 1}}, Nodes: make([]model.Node, 1)}
	all, one := metrics.NewCollector(cluster, jobs), metrics.NewTimeline(jobs, 0)
	for _, e := range []record.Event{
		{Time: 0, Kind: record.JobSubmitted}, {Time: 0, Kind: record.JobAdmitted},
		{Time: 4 * model.Second, Kind: record.TaskStarted},
		{Time: 10 * model.Second, Kind: record.TaskEnded, Length: 6 * model.Second},
		{Time: 10 * model.Second, Kind: record.JobEnded},
	} {
		record.Tee{all, one}.Record(&e)
	}
	run := all.Run(nil)
	for _, text := range []string{"mean_elapsed", "prod.blame_first_container", "utilisation_map"} {
		q, err := metrics.ParseQuery(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		value, _ := q.Of(metrics.All(run, 0))
		m, _ := metrics.Describe(q.Metric)
		fmt.Printf("%s = %g %s (better: %v)\n", q, value, m.Unit, m.Better)
	}
	for _, s := range one.Spans() {
		fmt.Println(s.From, s.To, s.Held, s.Limit)
	}
	// Output:
	// mean_elapsed = 10 s (better: lower)
	// prod.blame_first_container = 4 s (better: lower)
	// utilisation_map = 0.6 share (better: neither)
	// 0s 4s true room
	// 4s 10s false room
}
