// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// tester is what a test, a benchmark and a rapid check have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// desk drives roles by hand, as an engine would: it keeps a cluster, its blocks and its links, changes them,
// and tells the roles. All roles see the same cluster.
type desk struct {
	tester
	now     model.Time
	state   *cluster.State
	blocks  *hdfs.Store
	laid    laid
	links   *policy.Links
	specs   []*model.Job
	drivers []*policy.Driver
	wants   map[model.JobID]bool
	slowed  map[model.JobID]bool
	seconds map[model.Task]bool // tasks with a second attempt: has it started?
	running []cluster.Attempt   // in the order of their starts
	uneven  bool                // each map of a job makes more than the one before it
	share   model.Fraction      // of its maps after which a job starts reduces, if no role names it
	blocked map[model.JobID]model.Limit
}

// laid puts blocks where a test says: the nodes of the blocks of the next job, one list for each block.
type laid struct {
	nodes [][]model.NodeID
	next  int
}

// Place implements hdfs.Placement.
func (l *laid) Place(_ hdfs.Block, nodes []model.NodeID, _ *uint64) {
	copy(nodes, l.nodes[l.next%len(l.nodes)])
	l.next++
}

// newDesk returns a desk with racks of equal nodes, whose room is shared by maps and reduces.
func newDesk(t tester, racks, nodesEach int, containers int32, replication int) *desk {
	topology := &model.Topology{Model: model.Containers, Racks: racks, Hosts: racks * nodesEach,
		Classes: []model.NodeClass{{Name: "worker", Room: model.Room{containers}, Speed: 1}}}
	for i := range racks * nodesEach {
		topology.Nodes = append(topology.Nodes, model.Node{Rack: model.RackID(i / nodesEach), Host: model.HostID(i)})
	}
	d := &desk{tester: t, share: 0.25, state: cluster.New(topology), links: &policy.Links{Shares: make([]float64, 2*racks)},
		wants: map[model.JobID]bool{}, slowed: map[model.JobID]bool{}, seconds: map[model.Task]bool{}, blocked: map[model.JobID]model.Limit{}}
	d.blocks = hdfs.NewStore(topology, replication, &d.laid, 1)
	return d
}

// Shuffle implements policy.Shuffles.
func (d *desk) Shuffle(id model.JobID) model.Bytes { return d.specs[id].Shuffle }

// env is what a role is built on.
func (d *desk) env() *policy.Env {
	return &policy.Env{Cluster: d.state, Blocks: d.blocks, Seed: 1, Links: d.links, Shuffles: d}
}

// drive adds a role under an order that shares by user, or by job, with it.
func (d *desk) drive(by string, make func(*policy.Env) kit.Place) {
	env := d.env()
	order := kit.NewFairOrder(env, kit.FairParams{By: by, Within: "fair"})
	d.drivers = append(d.drivers, policy.Drive(env, kit.Compose(env, kit.Roles{Order: order, Place: make(env)})))
	d.drivers[len(d.drivers)-1].Tick(d.now)
}

// nasDesk returns a desk that NAS sits at.
func nasDesk(t tester, p NASParams, racks, nodesEach int, containers int32) (*desk, *NAS) {
	d := newDesk(t, racks, nodesEach, containers, 1)
	var n *NAS
	d.drive("user", func(env *policy.Env) kit.Place { n = NewNAS(env, p); return n })
	return d, n
}

// job is a job of a user with one reduce for each of its maps.
func job(user string, maps int32, input, shuffle model.Bytes) model.Job {
	return model.Job{User: user, Queue: "q", Maps: maps, Reduces: maps, Input: input, Shuffle: shuffle}
}

// come admits a job with its blocks on the given nodes, in turn.
func (d *desk) come(spec model.Job, nodes ...model.NodeID) *cluster.Job {
	lists := make([][]model.NodeID, len(nodes))
	for i, n := range nodes {
		lists[i] = []model.NodeID{n}
	}
	return d.comeWith(spec, lists)
}

// comeWith admits a job with the replicas of its blocks on the given nodes.
func (d *desk) comeWith(spec model.Job, nodes [][]model.NodeID) *cluster.Job {
	spec.ID, spec.After, spec.Priority = model.JobID(len(d.specs)), model.None, model.Normal
	spec.Need = [model.Kinds]model.Room{model.Containers.Need(model.Map), model.Containers.Need(model.Reduce)}
	d.specs = append(d.specs, &spec)
	j := d.state.AddJob(d.now, &spec)
	if spec.Input > 0 {
		d.laid = laid{nodes: nodes}
		d.blocks.Index(j.ID, spec.Maps)
	}
	for _, v := range d.drivers {
		v.Submit(d.now, j)
		v.NextAdmitted(d.now)
	}
	j.Admit()
	d.state.Active++
	for _, v := range d.drivers {
		v.Admitted(d.now, j)
	}
	d.slowed[j.ID] = spec.Reduces > 0
	d.release(j)
	d.refresh(j)
	d.leave(j)
	return j
}

// release makes the job's reduces eligible once its threshold is reached.
func (d *desk) release(j *cluster.Job) {
	share := d.share
	for i, v := range d.drivers {
		s, named := v.SlowStart(j)
		if !named {
			continue
		}
		if i > 0 && s != share {
			d.Errorf("threshold of job %d: %v and %v", j.ID, share, s)
		}
		share = s
	}
	if d.slowed[j.ID] && j.Done[model.Map] >= share.CeilOf(j.Total[model.Map]) {
		d.slowed[j.ID] = false
		j.Eligible[model.Reduce] = j.Total[model.Reduce]
	}
}

// refresh tells if the job begins or ceases to want room.
func (d *desk) refresh(j *cluster.Job) {
	wants := j.Wants(model.Map) > 0 || j.Wants(model.Reduce) > 0
	if wants == d.wants[j.ID] {
		return
	}
	d.wants[j.ID] = wants
	for _, v := range d.drivers {
		v.Wants(d.now, j, 0, wants)
	}
}

// leave takes the job out if it is complete.
func (d *desk) leave(j *cluster.Job) {
	if !j.Complete() {
		return
	}
	j.Leave()
	d.state.Active--
	for _, v := range d.drivers {
		v.Left(d.now, j)
	}
	d.blocks.Release(j.ID)
	d.state.RemoveJob(j)
}

// offer asks about the node's free room; all roles must answer alike.
func (d *desk) offer(node model.NodeID) policy.Decision {
	d.Helper()
	var first policy.Decision
	var said []string
	for i, v := range d.drivers {
		n := &d.state.Nodes[node]
		o := policy.Offer{Now: d.now, Node: node, Rack: n.Rack, Free: n.Free}
		var held []string
		o.OnBlocked(func(j *cluster.Job, l model.Limit) {
			d.blocked[j.ID] = l
			held = append(held, fmt.Sprint(j.ID, " ", l))
		})
		got := v.Pick(&o)
		if i > 0 && (got != first || !slices.Equal(held, said)) {
			d.Fatalf("node %d at %v: %+v, blocked %v; expected %+v, %v", node, d.now, first, said, got, held)
		}
		first, said = got, held
	}
	return first
}

// start takes room for a task.
func (d *desk) start(task model.Task, node model.NodeID) {
	d.Helper()
	j, err := d.state.Start(task, node)
	if err != nil {
		d.Fatalf("start %v on node %d: %v", task, node, err)
	}
	d.running = append(d.running, cluster.Attempt{Task: task, Node: node})
	if _, doubled := d.seconds[task]; doubled {
		d.seconds[task] = true
	}
	for _, v := range d.drivers {
		v.Started(d.now, j, task, node)
	}
	d.refresh(j)
}

// end gives the room of a task back. A task that is done needs no second attempt.
func (d *desk) end(task model.Task, node model.NodeID, done bool) {
	j := d.state.Job(task.Job)
	if !done {
		d.kill(task, node)
		d.refresh(j)
		return
	}
	d.forget(task, node)
	d.state.End(task, node, true)
	for _, v := range d.drivers {
		v.Done(d.now, j, task, node, d.now-model.Second, model.Second)
	}
	if started, doubled := d.seconds[task]; doubled && started {
		other := slices.IndexFunc(d.running, func(a cluster.Attempt) bool { return a.Task == task })
		d.kill(task, d.running[other].Node)
	} else if doubled {
		delete(d.seconds, task)
		d.state.Single(task)
	}
	if task.Kind == model.Map {
		if j.Total[model.Reduce] > 0 {
			for _, v := range d.drivers {
				v.Made(d.now, j, task.Index, node, d.output(task))
			}
		}
		d.release(j)
	}
	d.refresh(j)
	d.leave(j)
}

// kill ends an attempt without its work done.
func (d *desk) kill(task model.Task, node model.NodeID) {
	j := d.state.Job(task.Job)
	d.forget(task, node)
	if _, doubled := d.seconds[task]; doubled {
		delete(d.seconds, task)
		d.state.Drop(task, node)
	} else {
		d.state.End(task, node, false)
		d.reopen(j, task)
	}
	for _, v := range d.drivers {
		v.Killed(d.now, j, task, node, d.now-model.Second)
	}
}

// forget takes an attempt out of those that run.
func (d *desk) forget(task model.Task, node model.NodeID) {
	i := slices.Index(d.running, cluster.Attempt{Task: task, Node: node})
	d.running = slices.Delete(d.running, i, i+1)
}

// double asks for a second attempt of a running task.
func (d *desk) double(task model.Task) {
	j := d.state.Job(task.Job)
	d.seconds[task] = false
	d.state.Double(task)
	d.reopen(j, task)
	for _, v := range d.drivers {
		v.Doubled(d.now, j, task)
	}
	d.refresh(j)
}

// output returns what a map makes.
func (d *desk) output(task model.Task) model.Bytes {
	spec := d.specs[task.Job]
	if d.uneven {
		return spec.Shuffle * model.Bytes(task.Index+1)
	}
	return spec.MapOutput(task.Index)
}

// lose makes an ended map run again.
func (d *desk) lose(task model.Task, node model.NodeID) {
	j := d.state.Job(task.Job)
	d.state.Undo(task)
	d.reopen(j, task)
	for _, v := range d.drivers {
		v.Lost(d.now, j, task.Index, node, d.output(task))
	}
	d.refresh(j)
}

// reopen makes a pending map findable by its blocks.
func (d *desk) reopen(j *cluster.Job, task model.Task) {
	if task.Kind == model.Map && j.Input > 0 {
		d.blocks.Index(j.ID, j.Total[model.Map]).Restore(task.Index)
	}
}

// pass lets time pass; clocks tick.
func (d *desk) pass(by model.Time) {
	for until := d.now + by; d.now < until; {
		next := until
		for _, v := range d.drivers {
			next = min(next, v.Next())
		}
		d.now = max(next, d.now)
		for _, v := range d.drivers {
			v.Tick(d.now)
		}
	}
}

// load sets the share of a rack's down link that is in use, and has the links sampled.
func (d *desk) load(rack model.RackID, share float64) (again bool) {
	d.links.Shares[2*rack+1] = share
	return d.sampled()
}

// sampled tells the drivers that links were sampled, and returns whether the policy wants to be asked again.
func (d *desk) sampled() (again bool) {
	for i, v := range d.drivers {
		woken := v.LinksSampled(d.now)
		if i > 0 && woken != again {
			d.Errorf("links sampled at %v: again %t and %t", d.now, again, woken)
		}
		again = woken
	}
	return again
}

// served offers a node, starts what is picked, and fails the test if it is not a task of that kind of the job.
func (d *desk) served(why string, node model.NodeID, j *cluster.Job, k model.Kind) model.Task {
	d.Helper()
	got := d.offer(node).Task
	if got.Job != j.ID || got.Kind != k {
		d.Fatalf("%s: node %d is given to job %d, %v; expected job %d, %v", why, node, got.Job, got.Kind, j.ID, k)
	}
	d.start(got, node)
	return got
}

// declined fails the test unless nothing starts on the node.
func (d *desk) declined(why string, node model.NodeID) policy.Decision {
	d.Helper()
	got := d.offer(node)
	if got.Task.Job != model.None {
		d.Fatalf("%s: node %d is given to job %d, %v; expected to none", why, node, got.Task.Job, got.Task.Kind)
	}
	return got
}

// run starts a map of the job on the node, ends it, and thereby lets its output be known.
func (d *desk) run(j *cluster.Job, index int32, node model.NodeID) model.Task {
	d.Helper()
	task := model.Task{Job: j.ID, Kind: model.Map, Index: index}
	d.start(task, node)
	d.end(task, node, true)
	return task
}
