// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// TestComeAsTheyCome drives every policy by hand, as a live cluster would: it is built on a cluster
// without jobs; jobs come one by one, in an order other than that of their numbers, end, and leave their
// slots to others; nodes come while it runs. Every decision is legal, and every job ends or is refused.
func TestComeAsTheyCome(t *testing.T) {
	eachPolicy(t, func(t *rapid.T, e *policy.Entry) {
		c := Generate(fromRapid(t))
		params, text := Params(fromRapid(t), e)
		comeAsTheyCome(t, c, e, params, text)
	})
}

func comeAsTheyCome(t *rapid.T, c *Case, e *policy.Entry, params any, text string) {
	first := *c
	topology := *c.Topology
	topology.Nodes = topology.Nodes[:rapid.IntRange(1, len(topology.Nodes)).Draw(t, "first-nodes")]
	first.Topology, first.Config.Jobs.Preempt = &topology, true // reduces wait for all maps here, so nothing needs to be killed
	if !suits(&first, params) {
		return
	}
	h := newHand(t, c, &topology, e, params)
	defer func() {
		if t.Failed() {
			t.Logf("policy %s\n%sfirst %d nodes of\n%v", e.Name, text, len(topology.Nodes), c)
		}
	}()
	for range rapid.IntRange(0, 60).Draw(t, "steps") {
		h.step(t)
	}
	h.finish()
}

// hand is a driver of one policy: no more than the contract.
type hand struct {
	c       *Case
	state   *cluster.State
	blocks  *hdfs.Store
	driver  *policy.Driver
	now     model.Time
	beat    policy.Beat
	jobs    []*cluster.Job // by ID; nil if it has not come
	coming  []int          // jobs that have not come
	running []held
	wants   map[[2]int32]bool // by job and pool
	left    int               // jobs that have ended or were refused
	again   model.Time        // at which the policy wants to be asked, 0 if it does not
	fail    func(format string, args ...any)
}

// held is an attempt with the time at which it will end.
type held struct {
	cluster.Attempt
	start, end model.Time
}

// Remaining implements policy.Sizes: every task takes a second.
func (h *hand) Remaining(id model.JobID) model.Time {
	j := h.jobs[id]
	return h.Total(id) - model.Time(j.Done[model.Map]+j.Done[model.Reduce])*model.Second
}

// Total implements policy.Sizes.
func (h *hand) Total(id model.JobID) model.Time {
	return model.Time(h.c.Jobs[id].Maps+h.c.Jobs[id].Reduces) * model.Second
}

func newHand(t *rapid.T, c *Case, first *model.Topology, e *policy.Entry, params any) *hand {
	h := &hand{c: c, state: cluster.New(first), jobs: make([]*cluster.Job, len(c.Jobs)), wants: map[[2]int32]bool{}, fail: t.Fatalf}
	h.blocks = hdfs.NewStore(h.state.Topology, min(c.Replication, len(first.Nodes)), nil, c.Seed)
	h.beat.Periodic = rapid.Bool().Draw(t, "periodic")
	for i := range c.Jobs {
		h.coming = append(h.coming, i)
	}
	env := &policy.Env{Cluster: h.state, Blocks: h.blocks, Seed: c.Seed}
	if e.NeedsWith(params).Has(policy.KnownSizes) {
		env.Sizes = h
	}
	if e.NeedsWith(params).Has(policy.LinkLoads) { // nothing travels
		env.Links = &policy.Links{Shares: make([]float64, 2*c.Topology.Racks)}
	}
	p, err := e.New(env, params)
	if err != nil {
		t.Fatal(err)
	}
	h.driver = policy.Drive(env, p)
	h.driver.Watcher = &watcher{state: h.state, report: func(err error) { t.Fatal(err) }}
	if placement := h.driver.Placement(); placement != nil {
		h.blocks.SetPlacement(placement)
	}
	h.driver.Tick(0)
	return h
}

// step does one random thing.
func (h *hand) step(t *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(t, "step") {
	case 0, 1:
		if len(h.coming) > 0 {
			h.come(rapid.IntRange(0, len(h.coming)-1).Draw(t, "job"))
		}
	case 2:
		h.addNode()
	case 3:
		h.pass(h.now + model.Time(rapid.IntRange(0, 3).Draw(t, "time"))*model.Second/2)
	case 4:
		if len(h.running) > 0 && rapid.Bool().Draw(t, "kill") {
			h.end(rapid.IntRange(0, len(h.running)-1).Draw(t, "attempt"), false)
		}
	default:
		h.offer(model.NodeID(rapid.IntRange(0, len(h.state.Nodes)-1).Draw(t, "node")))
	}
	running := make([]cluster.Attempt, len(h.running))
	for i := range running {
		running[i] = h.running[i].Attempt
	}
	if err := h.state.Check(running); err != nil {
		h.fail("%v", err)
	}
}

// finish lets the other jobs and nodes come and offers everything until no job is left.
func (h *hand) finish() {
	for len(h.state.Nodes) < len(h.c.Topology.Nodes) {
		h.addNode()
	}
	for rounds := 0; h.left < len(h.jobs); rounds++ {
		if rounds > 20_000 {
			h.fail("no end at %v: %d of %d jobs have left, %d tasks run", h.now, h.left, len(h.jobs), len(h.running))
		}
		if len(h.coming) > 0 {
			h.come(0)
		}
		h.again = 0
		started := false
		for node := range h.state.Nodes {
			started = h.offer(model.NodeID(node)) || started
		}
		if started {
			continue
		}
		next := min(h.driver.Next(), h.now+model.Second) // at a heartbeat at the latest
		if h.again > h.now {
			next = min(next, h.again)
		}
		for i := range h.running {
			next = min(next, h.running[i].end)
		}
		h.pass(max(next, h.now+1))
	}
	if len(h.state.Jobs()) > 0 {
		h.fail("%d jobs are still there", len(h.state.Jobs()))
	}
}

// come submits the i-th of the jobs that have not come.
func (h *hand) come(i int) {
	id := h.coming[i]
	h.coming = slices.Delete(h.coming, i, i+1)
	spec := h.c.Jobs[id]
	j := h.state.AddJob(h.now, &spec)
	h.jobs[id] = j
	if _, refused := h.driver.Submit(h.now, j); refused {
		j.Leave()
		h.state.RemoveJob(j)
		h.left++
		return
	}
	h.admit()
}

// admit lets in the jobs that the policy admits.
func (h *hand) admit() {
	for {
		j, _, _ := h.driver.NextAdmitted(h.now)
		if j == nil {
			return
		}
		j.Admit()
		h.state.Active++
		h.driver.Admitted(h.now, j)
		h.changed(j)
	}
}

// changed makes reduces eligible when the maps are done, tells what the job wants, and takes it out when
// it is complete.
func (h *hand) changed(j *cluster.Job) {
	if j.MapsDone() {
		j.Eligible[model.Reduce] = j.Total[model.Reduce]
	}
	m := h.state.Topology.Model
	for pool := range m.Pools() {
		wants := false
		for k := range model.Kind(model.Kinds) {
			wants = wants || m.Pool(k) == pool && j.Wants(k) > 0
		}
		if key := [2]int32{int32(j.ID), int32(pool)}; wants != h.wants[key] {
			h.wants[key] = wants
			h.driver.Wants(h.now, j, pool, wants)
		}
	}
	if k := h.driver.Kinds; k != nil {
		k.Look(h.now, j)
	}
	if !j.Complete() {
		return
	}
	j.Leave()
	h.state.Active--
	h.driver.Left(h.now, j)
	h.blocks.Release(j.ID)
	h.state.RemoveJob(j)
	h.left++
	h.admit()
}

// addNode adds the next node of the case, if there is one.
func (h *hand) addNode() {
	if n := len(h.state.Nodes); n < len(h.c.Topology.Nodes) {
		h.state.AddNode(h.c.Topology.Nodes[n])
	}
}

// pass lets time pass: tasks end and clocks tick when they are due.
func (h *hand) pass(until model.Time) {
	for {
		next, at := h.driver.Next(), -1
		for i := range h.running {
			if h.running[i].end < next {
				next, at = h.running[i].end, i
			}
		}
		if next > until {
			break
		}
		h.now = next
		if at >= 0 {
			h.end(at, true)
			continue
		}
		h.driver.Tick(h.now)
		h.admit()
	}
	h.now = until
}

// end ends an attempt.
func (h *hand) end(i int, done bool) {
	a := h.running[i]
	h.running = slices.Delete(h.running, i, i+1)
	h.state.End(a.Task, a.Node, done)
	j := h.jobs[a.Task.Job]
	if done {
		h.driver.Done(h.now, j, a.Task, a.Node, a.start, h.now-a.start)
		if a.Task.Kind == model.Map && j.Total[model.Reduce] > 0 {
			h.driver.Made(h.now, j, a.Task.Index, a.Node, model.Bytes(a.Task.Job)*model.MiB)
		}
	} else {
		h.driver.Killed(h.now, j, a.Task, a.Node, a.start)
		if a.Task.Kind == model.Map && j.Input > 0 {
			h.blocks.Index(j.ID, j.Total[model.Map]).Restore(a.Task.Index)
		}
	}
	h.changed(j)
}

// offer asks about the free room of a node until the policy wants no more, and reports whether it took
// any.
func (h *hand) offer(node model.NodeID) (started bool) {
	n := &h.state.Nodes[node]
	h.beat = policy.Beat{Sequence: h.beat.Sequence + 1, Periodic: h.beat.Periodic}
	for pool := range h.state.Topology.Model.Pools() {
		for {
			o := policy.Offer{Now: h.now, Node: node, Rack: n.Rack, Pool: pool, Free: n.Free, Beat: h.beat}
			o.OnBlocked(func(j *cluster.Job, l model.Limit) {
				if h.state.Job(j.ID) != j {
					h.fail("job %d has left and is held back by %v", j.ID, l)
				}
			})
			d := h.driver.Pick(&o)
			if d.Task.Job == model.None {
				if d.Again > 0 && (h.again == 0 || d.Again < h.again) {
					h.again = d.Again
				}
				break
			}
			h.start(d.Task, node, pool)
			started = true
		}
	}
	return started
}

func (h *hand) start(task model.Task, node model.NodeID, pool int) {
	if h.state.Topology.Model.Pool(task.Kind) != pool {
		h.fail("%v from pool %d", task, pool)
	}
	if _, err := h.state.Start(task, node); err != nil {
		h.fail("start %v on node %d: %v", task, node, err)
	}
	j := h.jobs[task.Job]
	if h.beat.Tasks[task.Kind]++; task.Kind == model.Map && j.Input > 0 &&
		h.blocks.Index(j.ID, j.Total[model.Map]).Locality(task.Index, node) == model.Remote {
		h.beat.OffSwitch++
	}
	length := model.Time(1+(int64(task.Index)+int64(task.Job))%4) * model.Second / 2
	h.running = append(h.running, held{cluster.Attempt{Task: task, Node: node}, h.now, h.now + length})
	h.driver.Started(h.now, j, task, node)
	h.changed(j)
}
