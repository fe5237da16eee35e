// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
)

// Facts describes the scenario in a few lines.
func (s *Scenario) Facts() [][2]string {
	t := s.Cluster.Topology()
	var classes []string
	for i := range s.Cluster.Classes {
		k := &s.Cluster.Classes[i]
		classes = append(classes, fmt.Sprintf("%d %s nodes with %s", k.Nodes, k.Name, t.Model.Describe(t.Classes[i].Room)))
	}
	facts := [][2]string{
		{"Cluster", fmt.Sprintf("%s in %d racks", strings.Join(classes, ", "), t.Racks)},
		{"Heartbeat", s.Heartbeat.Interval.String()},
		{"HDFS", fmt.Sprintf("%v blocks, %d replicas", s.HDFS.BlockSize, s.HDFS.Replication)},
	}
	jobs := s.Jobs(s.Seed)
	tasks := 0
	for i := range jobs {
		tasks += int(jobs[i].Maps + jobs[i].Reduces)
	}
	return append(facts, [2]string{"Workload", fmt.Sprintf("%d jobs, %d tasks (first seed)", len(jobs), tasks)})
}
