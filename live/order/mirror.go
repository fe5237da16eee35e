// SPDX-License-Identifier: Apache-2.0

package order

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Mirror keeps the applications of a queue as jobs that a policy sees. It has one node with room for everything: where
// tasks run is not its business.
type Mirror struct {
	Goals, Sizes Said

	state  *cluster.State
	driver *policy.Driver
	rekey  bool // keys of the policy drift with what jobs have received
	apps   map[string]*mirrored
	byJob  []*mirrored // by job ID
	last   model.Time
	origin rest.Moment // of the cluster's clock: the first submission that was seen, or earlier
}

// mirrored is one application.
type mirrored struct {
	id      string
	job     *cluster.Job
	spec    model.Job
	counts  Counts
	wants   bool
	running [model.Kinds][]task // oldest first
	served  model.Time
	master  model.Time // when its master was first seen, -1 before
	turn    int
	app     rest.App
}

type task struct {
	index int32
	since model.Time // about when it started
	told  model.Time // when the policy was told
}

// Counts are an application's tasks by kind, as far as they are known.
type Counts struct {
	Known                bool // of a MapReduce job whose master tells
	Total, Done, Running [model.Kinds]int32
}

// unknownTasks stands for a number of tasks that nobody tells.
const unknownTasks = 1 << 14

// room is what the one node has, and room for a task where its size is not known yet.
const (
	allRoom  = 1 << 30
	someRoom = 1
)

// NewMirror builds the policy on an empty cluster.
func NewMirror(e *policy.Entry, params any, seed uint64) (*Mirror, error) {
	topology := &model.Topology{Model: model.Yarn, Racks: 1, Hosts: 1,
		Classes: []model.NodeClass{{Name: "cluster", Room: model.Room{allRoom, allRoom}, Speed: 1}}, Nodes: []model.Node{{}}, Uplinks: []model.Rate{1}}
	m := &Mirror{state: cluster.New(topology), apps: map[string]*mirrored{}, rekey: e.NeedsWith(params).Has(policy.KnownSizes)}
	env := &policy.Env{Cluster: m.state, Blocks: hdfs.NewStore(topology, 0, nil, seed), Seed: seed, Served: m}
	if m.rekey {
		env.Sizes = m
	}
	p, err := e.New(env, params)
	if err != nil {
		return nil, err
	}
	m.driver = policy.Drive(env, p)
	return m, nil
}

// Received implements policy.Served.
func (m *Mirror) Received(_ model.Time, id model.JobID) model.Time { return m.byJob[id].served }

// Total implements policy.Sizes.
func (m *Mirror) Total(id model.JobID) model.Time {
	size, ok := m.Sizes.Of(m.byJob[id].app.Name)
	if !ok {
		return model.Forever / 4 // nobody knows it: behind all others
	}
	return size
}

// Remaining implements policy.Sizes.
func (m *Mirror) Remaining(id model.JobID) model.Time {
	return max(m.Total(id)-m.byJob[id].served, 0)
}

// Update brings the mirror to what was seen now. counts tells of the tasks of an application.
func (m *Mirror) Update(now model.Time, apps []rest.App, counts func(*rest.App) Counts) {
	for m.driver.Next() <= now {
		m.driver.Tick(now)
	}
	there := map[string]bool{}
	for i := range apps {
		there[apps[i].ID] = true
	}
	var gone []*mirrored
	for _, a := range m.apps {
		if !there[a.id] {
			gone = append(gone, a)
		}
	}
	slices.SortFunc(gone, func(a, b *mirrored) int { return cmp.Compare(a.job.ID, b.job.ID) })
	for _, a := range gone {
		m.leave(now, a)
	}
	for i := range apps {
		m.see(now, i, &apps[i], counts(&apps[i]))
	}
	// A look at no room lets the policy move what has to be moved.
	m.driver.Pick(&policy.Offer{Now: now, Node: 0, Pool: 0})
	m.last = now
}

// Rank returns the applications that want room in the order in which the policy would serve them.
func (m *Mirror) Rank() []Ranked {
	var out []Ranked
	for _, id := range m.driver.Rank(0) {
		a := m.byJob[id]
		out = append(out, Ranked{ID: a.id, Turn: a.turn, Priority: a.app.Priority})
	}
	return out
}

// see takes in one application.
func (m *Mirror) see(now model.Time, turn int, app *rest.App, c Counts) {
	a := m.apps[app.ID]
	if a != nil && c.Known && !a.counts.Known { // now it is known how many tasks it has
		served, master := a.served, a.master
		m.leave(now, a)
		a = m.come(now, app, c)
		a.served, a.master = served, master
	}
	if a == nil {
		a = m.come(now, app, c)
	}
	a.turn, a.app = turn, *app
	switch {
	case c.Known:
	case a.counts.Known: // its master does not answer now
		c = a.counts
	default:
		c = guessed(app, a.counts)
	}
	m.serve(now, a)
	m.follow(now, a, &c)
	a.counts = c
	pending := app.Containers == 0 || asks(app) > 0 || c.Known && c.Done[0]+c.Running[0]+c.Done[1]+c.Running[1] < c.Total[0]+c.Total[1]
	if m.rekey && a.wants {
		m.want(now, a, false)
	}
	m.want(now, a, pending)
}

func (m *Mirror) want(now model.Time, a *mirrored, wants bool) {
	if a.wants != wants {
		a.wants = wants
		m.driver.Wants(now, a.job, 0, wants)
	}
	if k := m.driver.Kinds; k != nil {
		k.Look(now, a.job)
	}
}

// asks returns how many containers the application asks for.
func asks(app *rest.App) (n int) {
	for i := range app.Requests {
		if app.Requests[i].Where == "*" {
			n += app.Requests[i].Containers
		}
	}
	return n
}

// guessed counts all containers but the master's as maps at work; how many have ended nobody tells.
func guessed(app *rest.App, before Counts) Counts {
	c := Counts{Total: [model.Kinds]int32{unknownTasks, 0}, Done: before.Done}
	c.Running[model.Map] = int32(max(app.Containers-1, 0))
	if ended := before.Running[model.Map] - c.Running[model.Map]; ended > 0 {
		c.Done[model.Map] = min(c.Done[model.Map]+ended, unknownTasks/2)
	}
	return c
}

// come turns an application into a job.
func (m *Mirror) come(now model.Time, app *rest.App, c Counts) *mirrored {
	if m.origin == 0 || app.Started < m.origin {
		m.origin = app.Started
	}
	a := &mirrored{id: app.ID, app: *app, master: -1, counts: c}
	each := model.Room{someRoom, someRoom}
	a.spec = model.Job{ID: model.JobID(len(m.byJob)), Name: app.Name, User: app.User, Queue: app.Queue, Priority: model.Normal,
		Maps: unknownTasks, Need: [model.Kinds]model.Room{each, each}}
	if c.Known {
		a.spec.Maps, a.spec.Reduces = c.Total[model.Map], c.Total[model.Reduce]
		a.counts.Done, a.counts.Running = [model.Kinds]int32{}, [model.Kinds]int32{}
	}
	if goal, ok := goalTag(app.Tags); ok {
		a.spec.Goal = goal
	} else if goal, ok := m.Goals.Of(app.Name); ok {
		a.spec.Goal = goal
	}
	// The clock of the mirror starts when the controller does; jobs are older than that by what the cluster's clock says.
	a.job = m.state.AddJob(m.submitted(now, app), &a.spec)
	m.byJob = append(m.byJob, a)
	m.apps[app.ID] = a
	m.driver.Submit(now, a.job)
	for {
		j, _, _ := m.driver.NextAdmitted(now)
		if j == nil {
			break
		}
		j.Admit()
		m.state.Active++
		m.driver.Admitted(now, j)
	}
	return a
}

// submitted returns when an application was submitted, on the mirror's clock, which may be before its start. Only
// differences on the cluster's clock are used: that one may be ahead, behind, or jump.
func (m *Mirror) submitted(now model.Time, app *rest.App) model.Time {
	newest := app.Started
	for _, a := range m.apps {
		newest = max(newest, a.app.Started)
	}
	return now - min(newest.Since(app.Started), model.Day)
}

// serve brings what the application has received up to date: its memory over time, less its master's part, in containers
// as large as its tasks' are.
func (m *Mirror) serve(now model.Time, a *mirrored) {
	app := &a.app
	if app.Containers == 0 {
		return
	}
	if a.master < 0 {
		a.master = now
	}
	each := app.Allocated.Memory / model.Bytes(app.Containers)
	if each <= 0 {
		return
	}
	all := model.Seconds(float64(app.MemorySeconds) * float64(model.MiB) / float64(each))
	// What a restarted ResourceManager has forgotten was received all the same.
	a.served = max(a.served, all-(now-a.master))
}

// follow starts and ends tasks until there are as many as were seen.
func (m *Mirror) follow(now model.Time, a *mirrored, c *Counts) {
	if a.job.Eligible[model.Reduce] == 0 && (c.Running[model.Reduce] > 0 || c.Done[model.Reduce] > 0 || a.job.Total[model.Map] == c.Done[model.Map]) {
		m.state.Let(a.job, model.Reduce, a.job.Total[model.Reduce])
	}
	for k := range model.Kind(model.Kinds) {
		ended := max(c.Done[k]-a.job.Done[k], 0)
		begun := c.Done[k] + c.Running[k] - a.job.Done[k] - a.job.Running[k]
		for range max(begun, 0) {
			since := m.last
			if ended <= int32(len(a.running[k])) {
				since = now
			}
			m.start(now, a, k, since)
		}
		for range ended {
			if len(a.running[k]) > 0 {
				m.end(now, a, k, true)
			}
		}
		for a.job.Running[k] > c.Running[k] { // killed, or its node was lost
			m.end(now, a, k, false)
		}
	}
}

func (m *Mirror) start(now model.Time, a *mirrored, k model.Kind, since model.Time) {
	t := model.Task{Job: a.job.ID, Kind: k, Index: a.job.First(k)}
	if t.Index == model.None || t.Index >= a.job.Total[k] {
		return
	}
	if _, err := m.state.Start(t, 0); err != nil {
		return // more tasks than it said that it has
	}
	a.running[k] = append(a.running[k], task{t.Index, since, now})
	m.driver.Started(now, a.job, t, 0)
}

func (m *Mirror) end(now model.Time, a *mirrored, k model.Kind, done bool) {
	oldest := a.running[k][0]
	a.running[k] = a.running[k][1:]
	t := model.Task{Job: a.job.ID, Kind: k, Index: oldest.index}
	m.state.End(t, 0, done)
	if done {
		m.driver.Done(now, a.job, t, 0, oldest.told, now-oldest.since)
	} else {
		m.driver.Killed(now, a.job, t, 0, oldest.told)
	}
}

// leave forgets an application.
func (m *Mirror) leave(now model.Time, a *mirrored) {
	for k := range model.Kind(model.Kinds) {
		for len(a.running[k]) > 0 {
			m.end(now, a, k, false)
		}
	}
	m.want(now, a, false)
	a.job.Leave()
	m.state.Active--
	m.driver.Left(now, a.job)
	m.state.RemoveJob(a.job)
	delete(m.apps, a.id)
}
