// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
)

// job returns a job with one-second maps and reduces that starts at the given second.
func job(id int, at float64, maps, reduces int32, m model.RoomModel) model.Job {
	return model.Job{ID: model.JobID(id), Name: "job", Queue: "default", After: model.None, Submit: model.Seconds(at),
		Priority: model.Normal, Maps: maps, Reduces: reduces, Need: [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)},
		MapLength: model.Lengths{Mean: model.Second}, ReduceLength: model.Lengths{Mean: model.Second}}
}

func simulate(t *testing.T, room model.Room, m model.RoomModel, nodes int, c engine.Config, jobs ...model.Job) (*record.Log, engine.Result, error) {
	t.Helper()
	topology := &model.Topology{Model: m, Racks: 1, Hosts: nodes, Classes: []model.NodeClass{{Name: "worker", Room: room, Speed: 1}}}
	topology.Nodes = make([]model.Node, nodes)
	entry, _ := policies.All.Find("fifo")
	log := &record.Log{}
	r, err := engine.Run(&engine.Input{Topology: topology, Jobs: jobs, Config: c, Replication: 1, Policy: entry, Seed: 1, Recorder: log, Check: 1})
	return log, r, err
}

func ends(log *record.Log) (times []model.Time) {
	for _, e := range log.Events {
		if e.Kind == record.JobEnded {
			times = append(times, e.Time)
		}
	}
	return times
}

// Four maps on two slots take two waves; the reduce starts when one map of four has ended (5 % of 4,
// rounded up), waits for the last map at 2 s, copies 500 ms and computes 1 s.
func TestMapsThenReduces(t *testing.T) {
	j := job(0, 0, 4, 1, model.Slots)
	j.ShuffleTail = 500 * model.Millisecond
	log, _, err := simulate(t, model.Room{2, 1}, model.Slots, 1, engine.DefaultConfig(), j)
	if err != nil {
		t.Fatal(err)
	}
	if got := ends(log); got[0] != 3500*model.Millisecond {
		t.Errorf("job ended at %v, want 3.5s", got[0])
	}
	for _, e := range log.Events {
		if e.Task.Kind == model.Reduce && e.Kind == record.TaskStarted && e.Time != model.Second {
			t.Errorf("reduce took its slot at %v, want 1s", e.Time)
		}
	}
}

// A job after another one is submitted at that one's end plus its think time.
func TestThinkTime(t *testing.T) {
	second := job(1, 5, 1, 0, model.Slots)
	second.After = 0
	log, _, err := simulate(t, model.Room{1, 1}, model.Slots, 1, engine.DefaultConfig(), job(0, 2, 1, 0, model.Slots), second)
	if err != nil {
		t.Fatal(err)
	}
	if got := ends(log); got[0] != 3*model.Second || got[1] != 9*model.Second { // 2+1; 3+5+1
		t.Errorf("jobs ended at %v", got)
	}
}

// deadlock is the case that ramp-up and pre-emption prevent: two containers, a job whose two reduces
// may start after the first of its four maps. When that map ends, one reduce takes its
// container, when the second ends, so does the other, and two maps are left without room.
func deadlock() (model.Room, model.Job) {
	return model.Room{2, 0}, job(0, 0, 4, 2, model.Containers)
}

func TestSharedRoomDeadlocksWithoutProtection(t *testing.T) {
	c := engine.DefaultConfig()
	c.Jobs.RampUp, c.Jobs.Preempt = 1, false
	room, j := deadlock()
	_, _, err := simulate(t, room, model.Containers, 1, c, j)
	if err == nil || !strings.Contains(err.Error(), "nothing can happen") || !strings.Contains(err.Error(), "2 reduces hold room and wait for maps") {
		t.Errorf("got %v, want an error that names the reduces which hold the room", err)
	}
}

func TestRampUpPreventsTheDeadlock(t *testing.T) {
	c := engine.DefaultConfig()
	c.Jobs.RampUp, c.Jobs.Preempt = 0.5, false
	room, j := deadlock()
	_, r, err := simulate(t, room, model.Containers, 1, c, j)
	if err != nil || r.Killed != 0 {
		t.Errorf("got %v, %d killed", err, r.Killed)
	}
}

func TestPreemptionResolvesTheDeadlock(t *testing.T) {
	c := engine.DefaultConfig()
	c.Jobs.RampUp, c.Jobs.Preempt = 1, true
	room, j := deadlock()
	_, r, err := simulate(t, room, model.Containers, 1, c, j)
	if err != nil || r.Killed == 0 {
		t.Errorf("got %v, %d killed; want at least one reduce killed for a map", err, r.Killed)
	}
}

// A run stops at the first report of progress that asks for it.
func TestStopOnRequest(t *testing.T) {
	entry, _ := policies.All.Find("fifo")
	topology, jobs := gridTopology(10), gridJobs(10, 100_000)
	for pace, want := range map[int64]int64{0: 65_536, 4096: 3 * 4096} {
		told := 0
		r, err := engine.Run(&engine.Input{Topology: topology, Jobs: jobs, Config: engine.DefaultConfig(), Replication: 3, Policy: entry,
			Recorder: &record.Log{Keep: func(*record.Event) bool { return false }}, Pace: pace, Progress: func(p engine.Progress) bool {
				told++
				return p.Events < want
			}})
		if err != engine.ErrStopped || !r.Stopped || r.Events != want || pace > 0 && told != 3 {
			t.Errorf("pace %d: got %v after %d events and %d reports", pace, err, r.Events, told)
		}
	}
}
