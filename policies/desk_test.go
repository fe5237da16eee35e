// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// tester is what a test and a rapid check have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// desk drives one policy by hand, as an engine would: it keeps a cluster, changes it, and tells the
// policy's driver.
type desk struct {
	ended   func(model.Task)                           // told of every end, for twins
	ending  func(done bool)                            // told before ended whether the task is done
	wanted  func(j *cluster.Job, pool int, wants bool) // told of every change of wants, for twins
	now     model.Time
	specs   []model.Job
	jobs    []*cluster.Job // those that have come, by ID; some may have left
	state   *cluster.State
	blocks  *hdfs.Store
	driver  *policy.Driver
	wants   map[[2]int]bool             // by job and pool
	began   map[model.Task]model.Time   // running tasks
	blocked map[model.JobID]model.Limit // as named last
	told    map[[2]int]bool             // by job and pool: a limit was named since it started a task there
}

// sizes is an oracle made by hand.
type sizes map[model.JobID]model.Time

func (s sizes) Remaining(id model.JobID) model.Time { return s[id] }
func (s sizes) Total(id model.JobID) model.Time     { return s[id] }

// newDesk builds the policy with parameters given as YAML on a cluster of equal nodes in racks.
func newDesk(t tester, name, params string, topology *model.Topology, jobs []model.Job, known sizes) *desk {
	t.Helper()
	e, ok := policies.All.Find(name)
	if !ok {
		t.Fatalf("no policy %s", name)
	}
	d := &desk{state: cluster.New(topology), specs: jobs, jobs: make([]*cluster.Job, len(jobs)),
		wants: map[[2]int]bool{}, began: map[model.Task]model.Time{}, blocked: map[model.JobID]model.Limit{}, told: map[[2]int]bool{}}
	d.blocks = hdfs.NewStore(topology, 1, nil, 1)
	env := &policy.Env{Cluster: d.state, Blocks: d.blocks, Seed: 1}
	var p any
	if e.Params != nil {
		p = e.Params()
		node, errs := strict.Parse("params", []byte(params))
		if errs == nil && params != "" {
			errs = strict.Decode(node, p)
		}
		if errs != nil {
			t.Fatalf("parameters: %v", errs)
		}
	}
	if e.NeedsWith(p).Has(policy.KnownSizes) {
		env.Sizes = known
	}
	built, err := e.New(env, p)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	d.driver = policy.Drive(env, built)
	return d
}

// racks returns a topology of equal nodes.
func racks(m model.RoomModel, racks, nodesEach int, room model.Room) *model.Topology {
	t := &model.Topology{Model: m, Racks: racks, Hosts: racks * nodesEach, Classes: []model.NodeClass{{Name: "worker", Room: room, Speed: 1}}}
	for i := range racks * nodesEach {
		t.Nodes = append(t.Nodes, model.Node{Rack: model.RackID(i / nodesEach), Host: model.HostID(i)})
	}
	return t
}

// plain returns n jobs of the given numbers of tasks.
func plain(m model.RoomModel, n int, maps, reduces int32) []model.Job {
	jobs := make([]model.Job, n)
	for i := range jobs {
		jobs[i] = model.Job{ID: model.JobID(i), After: model.None, User: "u", Queue: "q", Priority: model.Normal, Maps: maps, Reduces: reduces,
			Need: [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)}}
	}
	return jobs
}

// submit makes the job known and reports whether the policy takes it.
func (d *desk) submit(id model.JobID) bool {
	j := d.state.AddJob(d.now, &d.specs[id])
	d.jobs[id] = j
	if _, refused := d.driver.Submit(d.now, j); refused {
		j.Leave()
		d.state.RemoveJob(j)
		return false
	}
	return true
}

// admit submits a job and lets it in now, whatever a rule of admission says about the time.
func (d *desk) admit(id model.JobID) bool {
	if !d.submit(id) {
		return false
	}
	d.driver.NextAdmitted(d.now)
	d.enter(d.jobs[id])
	return true
}

// enter lets a submitted job be given room.
func (d *desk) enter(j *cluster.Job) {
	j.Admit()
	d.state.Active++
	d.driver.Admitted(d.now, j)
	d.refresh(j)
	d.leave(j)
}

// leave takes the job out if it is complete.
func (d *desk) leave(j *cluster.Job) {
	if !j.Complete() {
		return
	}
	j.Leave()
	d.state.Active--
	d.driver.Left(d.now, j)
	d.state.RemoveJob(j)
}

// release makes the job's reduces eligible.
func (d *desk) release(id model.JobID) {
	j := d.jobs[id]
	j.Eligible[model.Reduce] = j.Total[model.Reduce]
	d.refresh(j)
}

// refresh tells the policy if the job begins or ceases to want room of a pool.
func (d *desk) refresh(j *cluster.Job) {
	m := d.state.Topology.Model
	for pool := range m.Pools() {
		wants := false
		for k := range model.Kind(model.Kinds) {
			wants = wants || m.Pool(k) == pool && j.Wants(k) > 0
		}
		if key := [2]int{int(j.ID), pool}; d.wants[key] != wants {
			d.wants[key] = wants
			if d.wanted != nil {
				d.wanted(j, pool, wants)
			}
			d.driver.Wants(d.now, j, pool, wants)
		}
	}
	if k := d.driver.Kinds; k != nil {
		k.Look(d.now, j)
	}
}

// offer asks the policy about the node's free room.
func (d *desk) offer(node model.NodeID, pool int) policy.Decision {
	n := &d.state.Nodes[node]
	o := policy.Offer{Now: d.now, Node: node, Rack: n.Rack, Pool: pool, Free: n.Free}
	o.OnBlocked(func(j *cluster.Job, l model.Limit) { d.blocked[j.ID], d.told[[2]int{int(j.ID), pool}] = l, true })
	return d.driver.Pick(&o)
}

// start takes room for a task and tells the policy.
func (d *desk) start(t tester, task model.Task, node model.NodeID) {
	t.Helper()
	if _, err := d.state.Start(task, node); err != nil {
		t.Fatalf("start %v on node %d: %v", task, node, err)
	}
	d.began[task] = d.now
	j := d.jobs[task.Job]
	d.driver.Started(d.now, j, task, node)
	d.refresh(j)
}

// end gives the room back and tells the policy. A task has worked since it was started.
func (d *desk) end(task model.Task, node model.NodeID, done bool) {
	if d.ending != nil {
		d.ending(done)
	}
	if d.ended != nil {
		d.ended(task)
	}
	d.state.End(task, node, done)
	j := d.jobs[task.Job]
	if done {
		d.driver.Done(d.now, j, task, node, d.began[task], d.now-d.began[task])
	} else {
		d.driver.Killed(d.now, j, task, node, d.began[task])
	}
	d.refresh(j)
	d.leave(j)
}

// rank returns the order of jobs.
func (d *desk) rank(pool int) []model.JobID { return d.driver.Rank(pool) }

// ranked fails the test unless the pool's jobs stand in this order.
func (d *desk) ranked(t tester, why string, pool int, want ...model.JobID) {
	t.Helper()
	if got := d.rank(pool); !slices.Equal(got, want) {
		t.Errorf("%s: order %v, expected %v", why, got, want)
	}
}

// served offers a node, starts what the policy picks, and fails the test if it is not a task of the
// job.
func (d *desk) served(t tester, why string, node model.NodeID, pool int, job model.JobID) model.Task {
	t.Helper()
	got := d.offer(node, pool)
	if got.Task.Job != job {
		t.Fatalf("%s: node %d is given to job %d, expected %d", why, node, got.Task.Job, job)
	}
	d.start(t, got.Task, node)
	return got.Task
}
