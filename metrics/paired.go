// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// paired keeps which reduces run on each node, to tell those that share it with a reduce of another job
// (capacity-2013 §4.2.1, the same-reduce-node effect) from those that are alone.
type paired struct {
	nodes [][]reduceOn
}

type reduceOn struct {
	task    model.Task
	attempt uint8
	shares  bool
}

func (c *Collector) reduceStarted(e *record.Event) {
	if c.paired.nodes == nil {
		c.paired.nodes = make([][]reduceOn, len(c.topology.Nodes))
	}
	here := c.paired.nodes[e.Node]
	shares := false
	for i := range here {
		if here[i].task.Job == e.Task.Job {
			continue
		}
		shares = true
		if !here[i].shares {
			here[i].shares = true
			c.rows[here[i].task.Job].Paired++
		}
	}
	if shares {
		c.rows[e.Task.Job].Paired++
	}
	c.paired.nodes[e.Node] = append(here, reduceOn{e.Task, e.Attempt, shares})
}

// reduceStopped takes a reduce off its node. One that must run again counts when it does.
func (c *Collector) reduceStopped(e *record.Event) {
	here := c.paired.nodes[e.Node]
	i := slices.IndexFunc(here, func(r reduceOn) bool { return r.task == e.Task && r.attempt == e.Attempt })
	if e.Kind != record.TaskEnded && here[i].shares {
		c.rows[e.Task.Job].Paired--
	}
	here[i] = here[len(here)-1]
	c.paired.nodes[e.Node] = here[:len(here)-1]
}

// pairedReduces is the share of reduces that ran beside one of another job.
func (g *Group) pairedReduces() float64 {
	n, all := 0.0, 0.0
	for _, j := range g.Jobs {
		n += float64(j.Paired)
		all += float64(j.Reduces)
	}
	return ratio(n, all)
}
