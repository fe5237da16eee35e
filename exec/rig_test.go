// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/exec/running"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/topotest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// clock is Timers as a plain list.
type clock struct {
	now     model.Time
	pending []timer
	last    des.Handle
}

type timer struct {
	at     model.Time
	event  Event
	handle des.Handle
}

func (c *clock) At(t model.Time, e Event) des.Handle {
	if t < c.now {
		panic(fmt.Sprintf("an event at %v asked for at %v", t, c.now))
	}
	c.last++
	c.pending = append(c.pending, timer{t, e, c.last})
	return c.last
}

func (c *clock) Cancel(h des.Handle) bool {
	before := len(c.pending)
	c.pending = slices.DeleteFunc(c.pending, func(t timer) bool { return t.handle == h })
	return len(c.pending) < before
}

// pop takes the first event that is not after a time: the earliest, of several the one asked for first.
func (c *clock) pop(until model.Time) (e Event, ok bool) {
	best := -1
	for i, t := range c.pending {
		if t.at <= until && (best < 0 || t.at < c.pending[best].at) {
			best = i
		}
	}
	if best < 0 {
		return e, false
	}
	c.now, e = c.pending[best].at, c.pending[best].event
	c.pending = slices.Delete(c.pending, best, best+1)
	return e, true
}

// rig drives an executor by hand: a clock, a cluster's state, and neither policy nor engine. What ends is
// written down, and goes to the state and back to the executor as a driver would do it.
type rig struct {
	*Executor
	t     testing.TB
	clock *clock
	state *cluster.State
	log   *record.Log
	ended []string // such as "map 0 at 3 after 3"
}

func newRig(t testing.TB, topology *model.Topology, change func(*Site)) *rig {
	t.Helper()
	r := &rig{t: t, clock: &clock{}, state: cluster.New(topology), log: &record.Log{}}
	c := DefaultConfig()
	c.Tasks = costs.Tasks{Overlap: true, SortBuffer: 1000, SpillAt: 1, ReduceBuffer: 1000, MergeFactor: 10, CachedOutput: true}
	s := Site{Topology: topology, Config: &c, Replication: 1, Seed: 1, State: r.state, Timers: r.clock, Records: record.NewSender(r.log), Lists: true, Ended: r.end}
	change(&s)
	if s.Blocks == nil {
		s.Blocks = hdfs.NewStore(topology, s.Replication, nil, 1)
	}
	var err error
	if r.Executor, err = New(s); err != nil {
		t.Fatal(err)
	}
	return r
}

// under sets the duration model.
func under(durations string) func(*Site) { return func(s *Site) { s.Config.Durations = durations } }

// enter admits a job; all its reduces may start.
func (r *rig) enter(spec model.Job) *cluster.Job {
	spec.After, spec.Need = model.None, [model.Kinds]model.Room{{1, 0}, {1, 0}}
	j := r.state.AddJob(r.clock.now, &spec)
	j.Admit()
	j.Eligible[model.Reduce] = j.Total[model.Reduce]
	r.Enter(j, &spec)
	return j
}

// start begins the first attempt at a task now.
func (r *rig) start(j *cluster.Job, k model.Kind, index int32, node model.NodeID) model.Task {
	r.t.Helper()
	return r.try(model.Task{Job: j.ID, Kind: k, Index: index}, node, 0, model.NodeLocal)
}

// try begins an attempt now.
func (r *rig) try(t model.Task, node model.NodeID, number uint8, l model.Locality) model.Task {
	r.t.Helper()
	if _, err := r.state.Start(t, node); err != nil {
		r.t.Fatal(err)
	}
	r.Start(r.clock.now, r.state.Job(t.Job), t, node, number, l)
	r.settle()
	return t
}

// settle is the end of an event, as the contract of the package has it.
func (r *rig) settle() {
	r.t.Helper()
	for r.Settle(r.clock.now) {
	}
	if err := r.Plan(r.clock.now); err != nil {
		r.t.Fatal(err)
	}
	if err := r.Check(r.clock.now); err != nil {
		r.t.Fatal(err)
	}
}

// run lets everything happen up to a time in seconds.
func (r *rig) run(until float64) {
	r.t.Helper()
	for {
		e, ok := r.clock.pop(model.Seconds(until))
		if !ok {
			r.clock.now = model.Seconds(until)
			return
		}
		r.Happen(r.clock.now, e)
		r.settle()
	}
}

// runAll lets everything happen.
func (r *rig) runAll() { r.t.Helper(); r.run(1e6) }

func (r *rig) end(now model.Time, j *cluster.Job, a *Attempt) {
	t, node := a.Task, a.Node
	r.ended = append(r.ended, fmt.Sprintf("%s %d at %s after %s", t.Kind, t.Index, short(now), short(a.Worked(now))))
	r.state.End(t, node, true)
	if t.Kind == model.Map {
		r.MapEnded(now, j, t.Index, node)
		if j.MapsDone() {
			r.MapsOver(now, j)
		}
	}
}

// id finds a running attempt.
func (r *rig) id(t model.Task) ID {
	r.t.Helper()
	found := running.None
	r.attempts.All(func(id ID, a *Attempt) {
		if a.Task == t && found == running.None {
			found = id
		}
	})
	if found == running.None {
		r.t.Fatalf("%v does not run", t)
	}
	return found
}

// kill ends an attempt now and returns its stage and how long it had worked.
func (r *rig) kill(t model.Task) string {
	r.t.Helper()
	a, worked := r.Kill(r.clock.now, r.id(t))
	r.state.End(t, a.Node, false)
	r.settle()
	return fmt.Sprintf("%s after %s", [...]string{"waiting", "shuffling", "computing"}[a.Stage], short(worked))
}

// lose takes back the output of maps that ended on a node.
func (r *rig) lose(j *cluster.Job, node model.NodeID, maps ...int32) {
	r.t.Helper()
	over := j.MapsDone()
	for _, i := range maps {
		r.state.Undo(model.Task{Job: j.ID, Kind: model.Map, Index: i})
	}
	r.OutputLost(r.clock.now, j, maps, node, over)
	r.settle()
}

// stages lists what the record says about reduces, such as "shuffling 0 at 1".
func (r *rig) stages() (list []string) {
	for _, e := range r.log.Events {
		if name, ok := map[record.Kind]string{record.TaskWaiting: "waiting", record.TaskShuffling: "shuffling", record.TaskComputing: "computing"}[e.Kind]; ok {
			list = append(list, fmt.Sprintf("%s %d at %s", name, e.Task.Index, short(e.Time)))
		}
	}
	return list
}

// short formats a time in seconds, to the microsecond.
func short(t model.Time) string {
	return strconv.FormatFloat(model.Seconds(float64(t/model.Microsecond)/1e6).Seconds(), 'f', -1, 64)
}

var expect, racks, names = topotest.Expect, topotest.Racks, topotest.Names

// seconds of the tasks of a job that all take the same.
func every(s float64) model.Lengths { return model.Lengths{Mean: model.Seconds(s)} }
