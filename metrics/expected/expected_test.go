// SPDX-License-Identifier: Apache-2.0

package expected

import (
	"reflect"
	"testing"

	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"pgregory.net/rapid"
)

const sec = model.Second

func follow(maps, reduces int32) *Follower {
	t := &model.Topology{Classes: []model.NodeClass{{Room: model.Room{4, 4}}}, Nodes: make([]model.Node, 1)}
	job := model.Job{Maps: maps, Reduces: reduces, Goal: 100 * sec, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}}
	f := New(t, []model.Job{job}, 1)
	f.Record(&record.Event{Kind: record.JobSubmitted})
	return f
}

// A job with very many events keeps a bounded number of estimates, which still cover its life.
func TestFewSamplesAreKept(t *testing.T) {
	const maps = 40_000
	f := follow(maps, 0)
	for i := range model.Time(maps) {
		task := model.Task{Index: int32(i)}
		f.Record(&record.Event{Time: i * sec, Kind: record.TaskStarted, Task: task})
		f.Record(&record.Event{Time: (i + 1) * sec, Kind: record.TaskEnded, Task: task, Since: i * sec, Length: sec})
	}
	if q := f.Record(&record.Event{Time: maps * sec, Kind: record.JobEnded}); q.Late > 1e-3 || q.Early > 1e-3 || q.Accurate < 0.999 {
		t.Errorf("%+v of a job whose tasks are all alike", q)
	}
	samples := f.tracks[0].all()
	if n := len(samples); n > mostSamples || n < mostSamples/4 {
		t.Errorf("%d samples", n)
	}
	for i, a := range samples[1:] {
		if gap := a.at - samples[i].at; gap > maps*sec/64 {
			t.Errorf("no estimate from %v to %v", samples[i].at, a.at)
		}
	}
}

// A follower that reads the estimates of somebody else, who hears of events before or after it, notes what one notes that keeps
// its own: the twin.
func TestReadOrKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maps, reduces := rapid.Int32Range(1, 40).Draw(t, "maps"), rapid.Int32Range(0, 5).Draw(t, "reduces")
		reads, twin := follow(maps, reduces), follow(maps, reduces)
		watch := goal.NewWatch(goal.Config{ReduceCost: 1, Drain: true})
		watch.Share(reads)
		type attempt struct {
			task  model.Task
			since model.Time
		}
		var running []attempt
		next, done, now := [model.Kinds]int32{}, [model.Kinds]int32{}, model.Time(0)
		note := func(e *record.Event) {
			switch e.Kind {
			case record.TaskStarted:
				if watch.Job(0) == nil {
					watch.Follow(0, now, [model.Kinds]int32{maps, reduces}, [model.Kinds]int32{4, 4})
				}
				watch.Job(0).Start(e.Task.Kind, e.Task.Index, 0, now)
			case record.TaskEnded, record.TaskKilled:
				watch.Job(0).End(e.Task.Kind, e.Task.Index, 0, e.Since, now, e.Kind == record.TaskEnded)
			}
		}
		tell := func(e record.Event) (q, want *Quality) {
			e.Time = now
			before := rapid.Bool().Draw(t, "before")
			if before {
				note(&e)
			}
			if e.Kind == record.TaskStarted || e.Kind == record.TaskEnded {
				reads.Task(&e)
			} else {
				q = reads.Record(&e)
			}
			want = twin.Record(&e)
			if !before {
				note(&e)
			}
			return q, want
		}
		for range rapid.IntRange(0, 200).Draw(t, "events") {
			now += model.Time(rapid.IntRange(0, 3).Draw(t, "wait")) * sec
			k := model.Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
			total := [model.Kinds]int32{maps, reduces}[k]
			switch i := rapid.IntRange(0, 9).Draw(t, "what"); {
			case i == 0:
				tell(record.Event{Kind: record.JobBlocked})
			case i < 5 && next[k] < total:
				a := attempt{model.Task{Kind: k, Index: next[k]}, now}
				next[k]++
				running = append(running, a)
				tell(record.Event{Kind: record.TaskStarted, Task: a.task})
			case len(running) > 0:
				at := rapid.IntRange(0, len(running)-1).Draw(t, "attempt")
				a := &running[at]
				if a.task.Kind == model.Reduce && done[model.Map] < maps {
					continue
				}
				if i == 9 { // killed, and started again at once
					tell(record.Event{Kind: record.TaskKilled, Task: a.task, Since: a.since})
					tell(record.Event{Kind: record.TaskStarted, Task: a.task})
					a.since = now
					continue
				}
				tell(record.Event{Kind: record.TaskEnded, Task: a.task, Since: a.since})
				done[a.task.Kind]++
				running[at] = running[len(running)-1]
				running = running[:len(running)-1]
			}
		}
		if q, want := tell(record.Event{Kind: record.JobEnded}); !reflect.DeepEqual(q, want) || next != [model.Kinds]int32{} && !reflect.DeepEqual(reads.tracks[0].all(), twin.tracks[0].all()) {
			t.Fatalf("%+v, want %+v", q, want)
		}
	})
}

// A job that has not ended has no curve, though it uses the memory of one that has.
func TestNoCurveWithoutAnEnd(t *testing.T) {
	topology := &model.Topology{Classes: []model.NodeClass{{Room: model.Room{4, 4}}}, Nodes: make([]model.Node, 1)}
	job := model.Job{Maps: 2, Goal: 100 * sec, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}}
	larger := job
	larger.Maps = 3 // the one that is drawn
	f := New(topology, []model.Job{job, larger}, 1)
	tell := func(at model.Time, kind record.Kind, id model.JobID) {
		f.Record(&record.Event{Time: at, Kind: kind, Task: model.Task{Job: id}})
	}
	tell(0, record.JobSubmitted, 0)
	tell(0, record.JobSubmitted, 1)
	tell(0, record.TaskStarted, 0)
	tell(sec, record.TaskEnded, 0)
	tell(2*sec, record.JobEnded, 0)
	tell(3*sec, record.TaskStarted, 1)
	if curves := f.Curves(sec, 4); len(curves) > 0 {
		t.Errorf("%+v of a job that has not ended", curves)
	}
}
