// SPDX-License-Identifier: Apache-2.0

// Package mishap says what goes wrong in a run: nodes that are lost, tasks that straggle, and what is done about it.
package mishap

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/model"
)

// Rules configures what goes wrong. Nothing does by default.
type Rules struct {
	Stragglers  costs.Stragglers `yaml:"stragglers" doc:"Tasks that take longer than they should."`
	Losses      []Loss           `yaml:"losses,omitempty" doc:"Nodes that are lost at given times."`
	MeanUptime  model.Time       `yaml:"mean-uptime" min:"0" doc:"Mean time, exponentially distributed, for which a node works before it is lost; 0s means that none is lost at random."`
	MeanRepair  model.Time       `yaml:"mean-repair" above:"0" doc:"Mean time, exponentially distributed, after which a node that was lost at random returns."`
	Expiry      model.Time       `yaml:"expiry" min:"0" doc:"How long a lost node is waited for before the map output on its disks is given up (yarn.nm.liveness-monitor.expiry-interval-ms, mapred.tasktracker.expiry.interval); one that returns earlier brings it back."`
	Speculation Speculate        `yaml:"speculation" doc:"Second attempts of tasks that seem to straggle."`
}

// Loss is a node that is lost, or a whole rack.
type Loss struct {
	Node model.NodeID `yaml:"node" min:"0" doc:"Number of the node."`
	Rack *int32       `yaml:"rack" min:"0" doc:"Number of a rack whose nodes are all lost, in place of node."`
	At   model.Time   `yaml:"at" min:"0" required:"true" doc:"When it is lost."`
	For  model.Time   `yaml:"for" min:"0" doc:"How long until it returns; 0s means never."`
}

// Takes reports whether the loss takes a node of a rack.
func (l *Loss) Takes(node model.NodeID, rack model.RackID) bool {
	if l.Rack != nil {
		return rack == model.RackID(*l.Rack)
	}
	return node == l.Node
}

// Speculate starts a second attempt of a task that has run long compared with those of its job that have
// ended, when the job has no other task to start; the first to end counts, the other is dropped.
type Speculate struct {
	On       bool           `yaml:"on" doc:"Start second attempts."`
	Interval model.Time     `yaml:"interval" min:"100ms" doc:"How often a job looks for tasks to try again; at most one is taken at a look."`
	Slower   float64        `yaml:"slower" above:"0" doc:"How many times the mean length of the ended tasks an attempt must have run."`
	After    model.Time     `yaml:"after" min:"0" doc:"How long an attempt must have run in any case."`
	Share    model.Fraction `yaml:"share" above:"0" max:"1" doc:"Most second attempts at a time, as a share of the job's tasks of the kind, but at least one."`
}

// DefaultRules returns rules under which nothing goes wrong.
func DefaultRules() Rules {
	return Rules{Stragglers: costs.Stragglers{Slowdown: 3, CV: 1}, MeanRepair: 10 * model.Minute, Expiry: 10 * model.Minute,
		Speculation: Speculate{Interval: 15 * model.Second, Slower: 1.5, After: model.Minute, Share: 0.1}}
}

// Nodes reports whether nodes may be lost.
func (f *Rules) Nodes() bool { return f.MeanUptime > 0 || len(f.Losses) > 0 }

// Gone reports whether a loss has taken a node of a rack for good by then, though it may have been lost already.
func (f *Rules) Gone(now model.Time, node model.NodeID, rack model.RackID) bool {
	return slices.ContainsFunc(f.Losses, func(l Loss) bool { return l.For == 0 && l.At <= now && l.Takes(node, rack) })
}

// Any reports whether attempts may be lost or doubled.
func (f *Rules) Any() bool { return f.Nodes() || f.Speculation.On }

// None switches everything off that goes wrong.
func (f *Rules) None() { *f = DefaultRules() }

// Validate returns the faults of the section on a cluster of the given numbers of nodes and racks.
func (f *Rules) Validate(nodes, racks int) (problems []model.Problem) {
	for i, l := range f.Losses {
		bad := func(field, found, allowed string) {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("losses[%d].%s", i, field), Found: found, Allowed: allowed})
		}
		if int(l.Node) >= nodes {
			bad("node", fmt.Sprint(l.Node), fmt.Sprintf("0 to %d: the cluster has %d nodes", nodes-1, nodes))
		}
		switch {
		case l.Rack == nil:
		case int(*l.Rack) >= racks:
			bad("rack", fmt.Sprint(*l.Rack), fmt.Sprintf("0 to %d: the cluster has %d racks", racks-1, racks))
		case l.Node != 0:
			bad("node", fmt.Sprintf("node %d and rack %d", l.Node, *l.Rack), "a node, or a rack with all its nodes")
		}
	}
	if f.MeanUptime > 0 && f.MeanUptime < model.Minute {
		problems = append(problems, model.Problem{Path: "mean-uptime", Found: f.MeanUptime.String(), Allowed: "0s, or at least 1min"})
	}
	return problems
}
