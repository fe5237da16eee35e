// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"strconv"

	"github.com/yardmaster/yardmaster/workload"
)

// Names gives every job of a trace a name of its own. The zero value is ready.
type Names struct {
	next map[string]int // for each name taken, the number to try for its next namesake
}

// Has reports whether a job has the name.
func (n *Names) Has(name string) bool {
	_, taken := n.next[name]
	return taken
}

// Note takes the name if it is free. It is for jobs that are left out, which others may refer to.
func (n *Names) Note(name string) {
	if n.next == nil {
		n.next = map[string]int{}
	}
	if !n.Has(name) {
		n.next[name] = 2
	}
}

// Claim takes the name for the job at where and returns the name that the job is to have. If the name
// is taken, that is a fault, which is repaired by the first free name of the form NAME#2; ok is false
// if log does not repair.
func (n *Names) Claim(log *workload.Log, where, name string) (own string, ok bool) {
	if !n.Has(name) {
		n.Note(name)
		return name, true
	}
	number := n.next[name]
	for own = numbered(name, number); n.Has(own); own = numbered(name, number) {
		number++
	}
	n.next[name] = number
	if !log.Mendable(where, nameColumn, workload.Show(name)+" twice", "a name of its own for each job", "renamed "+workload.Show(own)) {
		return name, false
	}
	n.Note(own)
	return own, true
}

func numbered(name string, number int) string { return name + "#" + strconv.Itoa(number) }
