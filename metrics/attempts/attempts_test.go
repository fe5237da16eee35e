// SPDX-License-Identifier: Apache-2.0

package attempts

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Attempts of one task are kept apart; one that never started leaves nothing, and one that never ends runs.
func TestLog(t *testing.T) {
	l := New()
	task := model.Task{Job: 3, Index: 7}
	for _, e := range []record.Event{
		{Time: 1, Kind: record.TaskStarted, Task: task, Node: 4},
		{Time: 2, Kind: record.TaskDoubled, Task: task},
		{Time: 3, Kind: record.TaskStarted, Task: task, Attempt: 1, Node: 5, Locality: model.NodeLocal},
		{Time: 5, Kind: record.TaskEnded, Task: task, Attempt: 1, Node: 5},
		{Time: 5, Kind: record.TaskDropped, Task: task, Node: 4},
		{Time: 6, Kind: record.TaskDropped, Task: task, Attempt: 2, Node: model.None},
		{Time: 7, Kind: record.TaskStarted, Task: model.Task{Job: 4}, Node: 1},
		{Time: 8, Kind: record.TaskKilled, Task: model.Task{Job: 4}, Node: 1},
		{Time: 9, Kind: record.TaskStarted, Task: model.Task{Job: 4}, Node: 2},
	} {
		l.Record(&e)
	}
	want := []Attempt{
		{Task: task, Node: 4, Outcome: Dropped, Start: 1, End: 5}, {Task: task, Number: 1, Node: 5, Locality: model.NodeLocal, Outcome: Done, Start: 3, End: 5},
		{Task: model.Task{Job: 4}, Node: 1, Outcome: Killed, Start: 7, End: 8}, {Task: model.Task{Job: 4}, Node: 2, Start: 9, End: 9},
	}
	if len(l.All()) != len(want) {
		t.Fatalf("%d attempts, want %d", len(l.All()), len(want))
	}
	for i, a := range l.All() {
		if a != want[i] {
			t.Errorf("attempt %d is %+v, want %+v", i, a, want[i])
		}
	}
}
