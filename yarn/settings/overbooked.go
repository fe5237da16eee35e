// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/queue"
)

// Overbooked returns the first fault among capacities in MB and virtual cores, nil if there is none: a guarantee above
// its maximum, or children that name more than their parent. What is more is decided in a cluster of that room: with
// two components to compare, what an empty cluster takes may be too much for the same cluster with nodes.
func (s *Scheduler) Overbooked(cluster queue.Resource) *Fault {
	if s.Vectors {
		return nil
	}
	children := make([][]int, len(s.Queues))
	for i := range s.Queues {
		if p := s.Queues[i].Parent; p >= 0 {
			children[p] = append(children[p], i)
		}
	}
	more := func(a, b queue.Resource) bool { return s.Calculator.Compare(cluster, a, b) > 0 }
	var look func(at int) *Fault
	look = func(at int) *Fault {
		q := &s.Queues[at]
		least, most := q.Capacity.Named(), q.Maximum.Named()
		if most != (queue.Resource{}) && more(least, most) {
			return &Fault{Property: Prefix + q.Path + ".maximum-capacity", Kind: "IllegalArgumentException",
				Text: fmt.Sprintf("Min resource configuration %s is greater than its max value:%s in queue:%s", javaResource(least), javaResource(most), q.Path)}
		}
		var sum queue.Resource
		for _, c := range children[at] {
			if fault := look(c); fault != nil {
				return fault
			}
			sum = sum.Add(s.Queues[c].Capacity.Named())
		}
		if least != (queue.Resource{}) && more(sum, least) {
			return &Fault{Property: Prefix + q.Path + ".capacity", Kind: "IOException",
				Text: fmt.Sprintf("Parent Queues capacity: %s is less than to its children:%s for queue:%s", javaResource(least), javaResource(sum), q.Path[strings.LastIndexByte(q.Path, '.')+1:])}
		}
		return nil
	}
	return look(0)
}

// javaResource prints a resource as the release does.
func javaResource(r queue.Resource) string {
	return fmt.Sprintf("<memory:%d, vCores:%d>", r.Memory, r.VCores)
}
