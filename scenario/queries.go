// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/policy"
)

// StandardQueries returns the metrics that every table of the scenario shows, under some policies or, where none are given, its own.
func StandardQueries(s *Scenario, under ...PolicyChoice) (queries []metrics.Query) {
	add := func(names ...string) {
		for _, n := range names {
			queries = append(queries, metrics.Query{Metric: n})
		}
	}
	add("mean_elapsed", "median_elapsed", "p95_elapsed", "mean_wait", "p95_wait", "mean_response_ratio")
	if s.Reference {
		add("mean_slowdown", "median_slowdown", "p95_slowdown", "v95_slowdown")
	}
	add("makespan", "throughput")
	queries = append(queries, LossQueries(s, under...)...)
	m := s.Cluster.RoomModel()
	total := s.Cluster.Topology().Total()
	for p := range m.Measures() {
		if total[p] > 0 {
			add("utilisation_" + m.MeasureName(p))
		}
	}
	add("node_local", "rack_local")
	if s.Durations != exec.Replay && s.Cluster.Racks > 1 {
		add("cross_rack_input", "cross_rack_shuffle", "congestions", "congested", "congested_nodes")
		if s.Durations == exec.Resources {
			add("cross_rack_output")
		}
	}
	jobs := OutlineOf(s)
	if jobs.Goals {
		add("goals_met", "mean_tardiness")
		for p := range m.Pools() {
			if total[p] > 0 {
				add("held_hours_"+m.PoolName(p), "free_hours_"+m.PoolName(p))
			}
		}
	}
	return append(queries, queueQueries(jobs.Queues)...)
}

// LossQueries returns those that count jobs which do not end, where there may be some.
func LossQueries(s *Scenario, under ...PolicyChoice) (queries []metrics.Query) {
	refused, failed := losses(s, under)
	if refused {
		queries = append(queries, metrics.Query{Metric: "refused"})
	}
	if failed {
		queries = append(queries, metrics.Query{Metric: "failed"})
	}
	return queries
}

// queueQueries adds the waiting time of each queue where there are a few.
func queueQueries(queues []string) (queries []metrics.Query) {
	if len(queues) < 2 || len(queues) > 8 {
		return nil
	}
	for _, q := range queues {
		queries = append(queries, metrics.Query{By: "queue", Value: q, Metric: "mean_wait"},
			metrics.Query{By: "queue", Value: q, Metric: "mean_elapsed"})
	}
	return queries
}

// losses reports whether a scheduler may turn jobs away, which it does where it admits them by rules of its own, and whether a job may
// be lost with its application master: nodes are lost, and masters have one attempt.
func losses(s *Scenario, under []PolicyChoice) (refused, failed bool) {
	faults := len(s.Faults.Losses) > 0 || s.Faults.MeanUptime > 0
	if len(under) == 0 {
		under = append([]PolicyChoice{s.Policy}, s.Policies...)
	}
	for _, c := range under {
		entry, _ := c.Entry()
		y := c.Yarn()
		refused = refused || y != nil || entry.Can&policy.CanAdmit != 0
		failed = failed || faults && y != nil && y.Hadoop().Attempts == 1
	}
	return refused, failed
}
