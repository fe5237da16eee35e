// SPDX-License-Identifier: Apache-2.0

package goal

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

// nodes keeps equation 2 of deadline-2010: what the tasks of one kind of a job took on each node.
type nodes struct {
	index map[model.NodeID]int32 // position in list
	list  []onNode               // in order of first use
}

type onNode struct {
	ended   int64
	sum     model.Time
	running []model.Time // starts
}

func (n *nodes) at(node model.NodeID) *onNode {
	i, ok := n.index[node]
	if !ok {
		if n.index == nil {
			n.index = map[model.NodeID]int32{}
		}
		i = int32(len(n.list))
		n.index[node] = i
		n.list = append(n.list, onNode{})
	}
	return &n.list[i]
}

func (o *onNode) start(now model.Time) { o.running = append(o.running, now) }

func (o *onNode) end(start, now model.Time, done bool) {
	i := slices.Index(o.running, start)
	o.running = slices.Delete(o.running, i, i+1)
	if done {
		o.ended++
		o.sum += now - start
	}
}

func (n *nodes) rebase(now model.Time) {
	for i := range n.list {
		for k := range n.list[i].running {
			n.list[i].running[k] = now
		}
	}
}

// left sums what the running tasks still need; mean stands in where no task has ended on the node.
func (n *nodes) left(now, mean model.Time) (left model.Time) {
	for i := range n.list {
		o, own := &n.list[i], mean
		if o.ended > 0 {
			own = o.sum / model.Time(o.ended)
		}
		for _, start := range o.running {
			left += max(own-(now-start), 0)
		}
	}
	return left
}
