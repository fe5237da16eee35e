// SPDX-License-Identifier: Apache-2.0

package mapreduce

import "github.com/yardmaster/yardmaster/yarn/capacity"

// waiting is the maps of a job that have no container: in the order in which they were asked for, by node and by
// rack. A list may hold maps that wait no longer; they are passed over.
type waiting struct {
	waits  []bool // by map
	count  int32
	all    []int32
	byNode map[*capacity.Node][]int32
	byRack map[string][]int32
}

// add lets a map wait that prefers some nodes.
func (w *waiting) add(index int32, nodes []*capacity.Node) {
	w.waits[index] = true
	w.count++
	w.all = append(w.all, index)
	if len(nodes) > 0 && w.byNode == nil {
		w.byNode, w.byRack = map[*capacity.Node][]int32{}, map[string][]int32{}
	}
	for i, n := range nodes {
		w.byNode[n] = append(w.byNode[n], index)
		if !sameRack(nodes[:i], n.Rack) {
			w.byRack[n.Rack] = append(w.byRack[n.Rack], index)
		}
	}
}

// first takes the first map that waits off a list. ok is false if there is none; rest is what is left of the list.
func (w *waiting) first(list []int32) (index int32, rest []int32, ok bool) {
	for i, index := range list {
		if w.waits[index] {
			w.waits[index] = false
			w.count--
			return index, list[i+1:], true
		}
	}
	return 0, nil, false
}

// onNode takes a map that prefers the node, inRack one that prefers its rack.
func (w *waiting) onNode(n *capacity.Node) (index int32, ok bool) {
	if list := w.byNode[n]; len(list) > 0 {
		index, w.byNode[n], ok = w.first(list)
	}
	return index, ok
}

func (w *waiting) inRack(rack string) (index int32, ok bool) {
	if list := w.byRack[rack]; len(list) > 0 {
		index, w.byRack[rack], ok = w.first(list)
	}
	return index, ok
}

// any takes the map that has waited longest.
func (w *waiting) any() (index int32, ok bool) {
	index, w.all, ok = w.first(w.all)
	return index, ok
}
