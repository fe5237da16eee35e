// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Facts describes the scenario in a few lines, as it is under some policies.
func (s *Scenario) Facts(under ...PolicyChoice) [][2]string {
	t := s.Cluster.Topology()
	var classes []string
	for i := range s.Cluster.Classes {
		k := &s.Cluster.Classes[i]
		classes = append(classes, fmt.Sprintf("%s with %s", digits.Count(k.Nodes, k.Name+" node"), t.Model.Describe(t.Classes[i].Room)))
	}
	facts := [][2]string{
		{"Cluster", fmt.Sprintf("%s in %s", strings.Join(classes, ", "), digits.Count(t.Racks, "rack"))},
		{"Heartbeat", s.beats(under)},
		{"HDFS", fmt.Sprintf("%v blocks, %s", s.HDFS.BlockSize, digits.Count(int(s.HDFS.Replication), "replica"))},
	}
	jobs := s.Jobs(s.Seed)
	tasks := 0
	for i := range jobs {
		tasks += int(jobs[i].Maps + jobs[i].Reduces)
	}
	return append(facts, [2]string{"Workload", fmt.Sprintf("%s, %s (first seed)", digits.Count(len(jobs), "job"), digits.Count(tasks, "task"))})
}

// beats says how often nodes send their heartbeats: under YARN's resource manager as its properties say.
func (s *Scenario) beats(under []PolicyChoice) string {
	own := s.Heartbeat.Interval.String()
	var all []string
	same := true
	for i := range under {
		beat := own
		if y := under[i].Yarn(); y != nil {
			beat = y.Hadoop().NodeBeat.String()
		}
		same = same && (i == 0 || beat == all[0])
		all = append(all, beat)
	}
	switch {
	case len(all) == 0:
		return own
	case same:
		return all[0]
	}
	for i := range all {
		all[i] += " under " + under[i].Label()
	}
	return strings.Join(all, ", ")
}

// Yarn returns the configuration of YARN's resource manager that the choice is, nil if it is a policy.
func (c *PolicyChoice) Yarn() *handover.Hosting {
	_, params := c.Entry()
	switch y := params.(type) {
	case *handover.Config:
		return &y.Hosting
	case *handover.Fair:
		return &y.Hosting
	}
	return nil
}
