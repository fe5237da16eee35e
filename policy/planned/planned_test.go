// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// yard is a cluster of racks with one node each, driven by hand, and an order that follows a plan written by hand.
type yard struct {
	t     *testing.T
	state *cluster.State
	order JobPacker
	specs []model.Job
}

// newYard makes room for four containers in each rack. Flows above 100 bytes use circuits.
func newYard(t *testing.T, racks int, rules Rules, plan *rackplan.File, jobs ...model.Job) *yard {
	topology := &model.Topology{Model: model.Containers, Racks: racks, Hosts: racks,
		Classes: []model.NodeClass{{Room: model.Room{4}, Speed: 1}}}
	for r := range racks {
		topology.Nodes = append(topology.Nodes, model.Node{Rack: model.RackID(r), Host: model.HostID(r)})
	}
	y := &yard{t: t, state: cluster.New(topology), specs: jobs}
	env := &policy.Env{Cluster: y.state, Blocks: hdfs.NewStore(topology, 1, nil, 1), Seed: 1, Circuits: &policy.Circuits{Rate: 10, Elephant: 100}}
	rules.Follow(plan)
	y.order = NewJobPacker(env, rules, func() kit.Order { return kit.NewFairOrder(env, kit.DefaultFairParams()) })
	var forecasts []policy.Forecast
	for i := range jobs {
		jobs[i].ID, jobs[i].After = model.JobID(i), model.None
		jobs[i].Need = [model.Kinds]model.Room{model.Containers.Need(model.Map), model.Containers.Need(model.Reduce)}
		if jobs[i].Period > 0 {
			forecasts = append(forecasts, policy.Forecast{Job: jobs[i].ID, Name: jobs[i].Name, Tasks: [model.Kinds]int32{jobs[i].Maps, jobs[i].Reduces}})
		}
	}
	y.order.Plan(forecasts)
	return y
}

// recurring returns a job that a plan may name.
func recurring(name string, maps, reduces int32) model.Job {
	return model.Job{Name: name, Maps: maps, Reduces: reduces, Period: model.Hour}
}

// adhocJob returns a job that no plan knows.
func adhocJob(name string, maps int32, input model.Bytes) model.Job {
	return model.Job{Name: name, Maps: maps, Input: input}
}

// in returns what is planned for a heavy job: its maps in some racks, its reduces in others.
func in(name string, maps, reduces []int) rackplan.FileJob {
	shares := func(racks []int) (list []rackplan.FileShare) {
		for _, r := range racks {
			list = append(list, rackplan.FileShare{Rack: r, Tasks: 1})
		}
		return list
	}
	return rackplan.FileJob{Name: name, Heavy: true, MapRacks: shares(maps), ReduceRacks: shares(reduces)}
}

func planOf(jobs ...rackplan.FileJob) *rackplan.File { return &rackplan.File{Jobs: jobs} }

// come lets a job in.
func (y *yard) come(id model.JobID) *cluster.Job {
	j := y.state.AddJob(0, &y.specs[id])
	j.Admit()
	y.order.JobAdmitted(0, j)
	y.tell(0, j)
	return j
}

// tell says whether the job has tasks to start, as a driver does after each change.
func (y *yard) tell(now model.Time, j *cluster.Job) {
	y.order.Wants(now, j, 0, j.Wants(model.Map)+j.Wants(model.Reduce) > 0)
}

// release makes all reduces of a job eligible.
func (y *yard) release(j *cluster.Job) {
	j.Eligible[model.Reduce] = j.Total[model.Reduce]
	y.tell(0, j)
}

func (y *yard) start(now model.Time, j *cluster.Job, k model.Kind, rack model.NodeID) model.Task {
	y.t.Helper()
	task := model.Task{Job: j.ID, Kind: k, Index: j.First(k)}
	if _, err := y.state.Start(task, rack); err != nil {
		y.t.Fatal(err)
	}
	y.order.TaskStarted(now, j, k, rack)
	y.tell(now, j)
	return task
}

func (y *yard) end(now model.Time, j *cluster.Job, task model.Task, rack model.NodeID) {
	y.state.End(task, rack, true)
	y.order.TaskEnded(now, j, task.Kind, rack, true)
	y.tell(now, j)
}

// offers returns what a container of the rack is offered to, in order: the job, with the kind of task for planned ones.
func (y *yard) offers(rack model.RackID) string {
	var list []string
	y.order.Aim(&policy.Offer{Rack: rack, Node: model.NodeID(rack)})
	for j := y.order.First(0); j != nil && len(list) < 20; j = y.order.Next(0) {
		name := y.specs[j.ID].Name
		if y.order.entry >= 0 {
			name += " " + y.order.kind.String()
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

func (y *yard) expect(what string, found, expected any) {
	y.t.Helper()
	if fmt.Sprint(found) != fmt.Sprint(expected) {
		y.t.Errorf("%s: %v, expected %v", what, found, expected)
	}
}

// Each rack has the sequence of its plan: maps of a job before its reduces, jobs by their places in the plan.
func TestSequences(t *testing.T) {
	y := newYard(t, 3, Rules{}, planOf(in("a", []int{0, 1}, []int{1}), in("b", []int{1}, []int{0})), recurring("a", 4, 2), recurring("b", 2, 1))
	b := y.come(1)
	y.expect("job a has not come and is passed over", y.offers(1), "b map")
	a := y.come(0)
	y.expect("rack 0", y.offers(0), "a map")
	y.expect("rack 1", y.offers(1), "a map, b map")
	y.expect("rack 2 has no job", y.offers(2), "")
	y.release(a)
	y.release(b)
	y.expect("rack 0 with reduces", y.offers(0), "a map, b reduce")
	y.expect("rack 1 with reduces", y.offers(1), "a map, a reduce, b map")
}

// A rack of a heavy job gets its even share of the tasks, and gets a task back that was lost.
func TestShares(t *testing.T) {
	y := newYard(t, 2, Rules{}, planOf(in("a", []int{0, 1}, []int{1})), recurring("a", 3, 1))
	a := y.come(0)
	y.start(0, a, model.Map, 0)
	y.expect("one of two", y.offers(0), "a map")
	second := y.start(0, a, model.Map, 0)
	y.expect("two of two", y.offers(0), "")
	y.expect("the other rack", y.offers(1), "a map")
	y.state.End(second, 0, false)
	y.order.TaskEnded(1, a, model.Map, 0, false)
	y.tell(1, a)
	y.expect("one was killed", y.offers(0), "a map")
}

// A recurring job that the plan does not have, and one that comes at another time than forecast, are served: the first by the
// fair order, the second at its place in the sequence.
func TestEarlyLateNever(t *testing.T) {
	y := newYard(t, 2, Rules{}, planOf(in("never", []int{0}, []int{0}), in("late", []int{0}, []int{1})),
		recurring("never", 2, 1), recurring("late", 2, 1), recurring("unplanned", 2, 1), adhocJob("adhoc", 2, 0))
	y.come(2)
	y.come(3)
	y.expect("nobody waits for jobs that are not there", y.offers(0), "unplanned, adhoc")
	y.come(1)
	y.expect("it has its place when it comes", y.offers(0), "late map, unplanned, adhoc")
	y.expect("where it is not planned", y.offers(1), "unplanned, adhoc")
}

// Where a heavy job runs in a rack, planned or not, light ad-hoc jobs come first; elsewhere heavy ones do. Planned jobs come before both.
func TestAdhocChoice(t *testing.T) {
	y := newYard(t, 2, Rules{HeavyInput: 1000}, planOf(in("planned", []int{0}, []int{0})),
		recurring("planned", 1, 0), adhocJob("light", 2, 1000), adhocJob("heavy", 4, 1001))
	y.come(1)
	heavy := y.come(2)
	y.expect("none runs", y.offers(1), "heavy, light")
	task := y.start(0, heavy, model.Map, 1)
	y.expect("a heavy one runs there", y.offers(1), "light, heavy")
	y.expect("none runs here", y.offers(0), "heavy, light")
	y.come(0)
	y.expect("a planned one has come", y.offers(0), "planned map, heavy, light")
	y.end(1, heavy, task, 1)
	y.expect("it has ended", y.offers(1), "heavy, light")
	planned := y.state.Job(0)
	task = y.start(2, planned, model.Map, 0)
	y.expect("a planned heavy one runs there", y.offers(0), "light, heavy")
	y.end(3, planned, task, 0)
	y.expect("it has ended too", y.offers(0), "heavy, light")
}

// Jobs with a rack that is lost are ad-hoc jobs, even when it returns.
func TestLostRack(t *testing.T) {
	y := newYard(t, 3, Rules{}, planOf(in("a", []int{0}, []int{1}), in("b", []int{2}, []int{2})), recurring("a", 2, 1), recurring("b", 2, 1))
	a := y.come(0)
	y.come(1)
	y.expect("before", y.offers(2), "b map")
	y.state.Lose(1)
	y.expect("rack 1 is lost", y.offers(2), "b map, a")
	if may, _ := y.order.MayFetch(0, a, policy.RackFlow{From: 0, To: 2, Bytes: 1}); !may || !y.order.Aggregates(a) {
		t.Error("its flow stays one, and nothing holds it back")
	}
	y.state.Return(1)
	y.expect("it has returned", y.offers(0), "a")
}

// The gate waits for reduces that are to come to the rack, until there is enough for a circuit, all of its share are there,
// they would not be enough, or none has come for the patience after the end of the maps.
func TestGate(t *testing.T) {
	y := newYard(t, 3, Rules{Patience: 5}, planOf(in("a", []int{0}, []int{1, 2})), recurring("a", 1, 8), recurring("b", 1, 1))
	a := y.come(0)
	y.release(a)
	at := func(now model.Time, bytes model.Bytes) string {
		may, again := y.order.MayFetch(now, a, policy.RackFlow{From: 0, To: 1, Bytes: bytes})
		switch {
		case may:
			return "open"
		case again == model.Forever:
			return "wait"
		}
		return fmt.Sprint("until ", int64(again))
	}
	task := y.start(0, a, model.Map, 0)
	y.start(1, a, model.Reduce, 1)
	y.expect("one of four reduces", at(1, 40), "wait")
	y.expect("enough is more than the threshold", at(1, 100), "wait")
	y.expect("enough", at(1, 101), "open")
	y.end(10, a, task, 0)
	y.expect("all four would have 100", at(10, 25), "open")
	y.expect("the maps have ended", at(10, 40), "until 15")
	y.start(12, a, model.Reduce, 1)
	y.expect("another has come", at(12, 80), "until 17")
	y.expect("not yet", at(16, 80), "until 17")
	y.expect("none has come", at(17, 80), "open")
	y.start(18, a, model.Reduce, 1)
	y.expect("three of four", at(18, 90), "until 23")
	y.start(19, a, model.Reduce, 1)
	y.expect("the rack has its share", at(19, 90), "open")
	if b := y.come(1); y.order.Aggregates(b) {
		t.Error("a job that is not planned is aggregated")
	}
}

// On packets alone nothing is held back, and a job that is not heavy is never.
func TestGateWithoutCircuits(t *testing.T) {
	light := in("a", []int{0}, []int{1})
	light.Heavy = false
	y := newYard(t, 2, Rules{Patience: 5}, planOf(light, in("b", []int{0}, []int{1})), recurring("a", 1, 4), recurring("b", 1, 4))
	for id, circuits := range []*policy.Circuits{{Rate: 10, Elephant: 100}, nil} {
		y.order.env.Circuits = circuits
		j := y.come(model.JobID(id))
		if may, _ := y.order.MayFetch(0, j, policy.RackFlow{From: 0, To: 1, Bytes: 1}); !may || y.order.Aggregates(j) {
			t.Errorf("job %d is held back", id)
		}
	}
}

// A file that was read before the job came after which it is named lies where it lay then: anywhere.
func TestNarrowLeavesFilesWhereTheyAre(t *testing.T) {
	plan := planOf(rackplan.FileJob{Name: "a", Heavy: true, MapRacks: []rackplan.FileShare{{Rack: 0, Tasks: 2}}, ReduceRacks: []rackplan.FileShare{{Rack: 1, Tasks: 2}}})
	y := newYard(t, 4, Rules{Aggregate: true}, plan, recurring("a", 2, 2), adhocJob("late", 4, 10))
	y.expect("racks while it is not there", len(y.order.narrow.mapRacks(1)), 0)
	y.come(1)
	y.expect("racks when it has come", len(y.order.narrow.mapRacks(1)), 0)
}

// Ad-hoc jobs are kept to as many racks for each task as planned jobs have on average: here one for each two, for each of which
// two containers are booked.
func TestNarrow(t *testing.T) {
	plan := planOf(rackplan.FileJob{Name: "a", Heavy: true, MapRacks: []rackplan.FileShare{{Rack: 0, Tasks: 4}}, ReduceRacks: []rackplan.FileShare{{Rack: 1, Tasks: 4}}})
	wide := adhocJob("wide", 4, 10)
	wide.Reduces = 2
	y := newYard(t, 4, Rules{Aggregate: true}, plan, recurring("a", 2, 2), wide)
	j := y.come(1)
	y.expect("two racks have its input", len(y.order.narrow.mapRacks(1)), 2)
	racks := [model.Kinds]int{}
	for k := range model.Kind(model.Kinds) {
		for r := range model.RackID(4) {
			y.order.Aim(&policy.Offer{Rack: r})
			y.order.First(0)
			if y.order.May(&policy.Offer{Rack: r}, j, k) == kit.Granted {
				racks[k]++
			}
		}
	}
	y.expect("racks of its maps and reduces", racks, [model.Kinds]int{2, 1})
}
