// SPDX-License-Identifier: Apache-2.0

package record

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// scribe writes its name into a shared list.
type scribe struct {
	name string
	list *[]string
}

func (s scribe) Record(e *Event) { *s.list = append(*s.list, s.name+" "+e.Kind.String()) }

func TestTeeKeepsTheOrder(t *testing.T) {
	var list []string
	tee := Tee{scribe{"a", &list}, Tee{scribe{"b", &list}}, scribe{"c", &list}}
	tee.Record(&Event{Kind: JobSubmitted})
	tee.Record(&Event{Kind: JobEnded})
	want := []string{"a job-submitted", "b job-submitted", "c job-submitted", "a job-ended", "b job-ended", "c job-ended"}
	if !slices.Equal(list, want) {
		t.Errorf("recorded %q", list)
	}
	Tee(nil).Record(&Event{}) // nobody listens
}

// The engine reuses its event: a log that kept the pointer would hold the last event many times.
func TestLogCopies(t *testing.T) {
	all, ends := &Log{}, &Log{Keep: func(e *Event) bool { return e.Kind == TaskEnded }}
	tee := Tee{all, ends}
	var e Event
	for i := range int32(4) {
		e = Event{Time: model.Time(i), Kind: TaskStarted + Kind(i%2)*(TaskEnded-TaskStarted), Task: model.Task{Index: i}}
		tee.Record(&e)
	}
	if len(all.Events) != 4 || len(ends.Events) != 2 {
		t.Fatalf("%d and %d events kept, want 4 and 2", len(all.Events), len(ends.Events))
	}
	for i, e := range all.Events {
		if e.Task.Index != int32(i) || e.Time != model.Time(i) {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	if ends.Events[1].Task.Index != 3 {
		t.Errorf("kept %+v", ends.Events)
	}
}

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := JobSubmitted; k <= ChoreEnded; k++ {
		if s := k.String(); s == "event?" || seen[s] {
			t.Errorf("kind %d is called %q", k, s)
		}
		seen[k.String()] = true
	}
	if (ChoreEnded + 1).String() != "event?" {
		t.Error("an unknown kind has a name")
	}
}
