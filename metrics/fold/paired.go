// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Paired keeps which reduces run on each node, to tell those that share it with a reduce of another job
// (capacity-2013 §4.2.1, the same-reduce-node effect) from those that are alone.
type Paired struct {
	nodes [][]reduceOn
	count func(job model.JobID, by int32)
}

type reduceOn struct {
	task    model.Task
	attempt uint8
	shares  bool
}

// NewPaired follows the reduces of a cluster of that many nodes. It says by count how many more, or fewer, reduces of a
// job have run beside one of another.
func NewPaired(nodes int, count func(job model.JobID, by int32)) Paired {
	return Paired{make([][]reduceOn, nodes), count}
}

// Started takes in the start of a reduce.
func (p *Paired) Started(e *record.Event) {
	here := p.nodes[e.Node]
	shares := false
	for i := range here {
		if here[i].task.Job == e.Task.Job {
			continue
		}
		shares = true
		if !here[i].shares {
			here[i].shares = true
			p.count(here[i].task.Job, 1)
		}
	}
	if shares {
		p.count(e.Task.Job, 1)
	}
	p.nodes[e.Node] = append(here, reduceOn{e.Task, e.Attempt, shares})
}

// Stopped takes a reduce off its node. One that must run again counts when it does.
func (p *Paired) Stopped(e *record.Event) {
	here := p.nodes[e.Node]
	i := slices.IndexFunc(here, func(r reduceOn) bool { return r.task == e.Task && r.attempt == e.Attempt })
	if e.Kind != record.TaskEnded && here[i].shares {
		p.count(e.Task.Job, -1)
	}
	here[i] = here[len(here)-1]
	p.nodes[e.Node] = here[:len(here)-1]
}
