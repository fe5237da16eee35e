// SPDX-License-Identifier: Apache-2.0

package workload

import "github.com/yardmaster/yardmaster/model"

// NoteAsks notes what a record says about the containers of single tasks without any effect: a master asks for all tasks of
// a kind alike.
func (l *Log) NoteAsks(r *Record) {
	for kind, asks := range r.Asks {
		var sizes, priorities bool
		for i := range asks {
			sizes = sizes || asks[i].Need != asks[0].Need
			priorities = priorities || asks[i].Priority != 0
		}
		if sizes {
			l.Note(r.Where, model.Kind(kind).String()+"s of several sizes", "the master asks for all with one size: MapReduce's with the largest, SLS's own with that of the first")
		}
		if priorities {
			l.Note(r.Where, "container.priority", "kept, but maps are asked for at priority 20 and reduces at 10, as SLS's own master for MapReduce does")
		}
	}
}
