// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/exec/machines"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/rng"
)

// shared is the model in which attempts share links and, under resources, disks and cores. It puts the
// parts together and hands each what has happened to the other.
type shared struct {
	*flows
	ground   *ground
	hardware *machines.Hardware
	steps    *steps
	shuffles *shuffles
	links    *links
	quiet    bool         // ends of fetches may wait for the tick
	asks     model.Time   // when the gate is to be asked again, as planned
	files    *costs.Files // nil if nobody asks for them
	kinds    []int32      // of fetches that are about to begin
	touched  int32        // by reading ahead
}

var _ pace = (*shared)(nil)

func newShared(g *ground) (*shared, error) {
	c, t := g.Config, g.Topology
	full := c.Durations == Resources
	f := newFlows(g.Timers, model.Time(c.Network.Refresh))
	h, err := machines.New(f.solver, t, full, g.Seed)
	if err != nil {
		return nil, err
	}
	p := &shared{flows: f, ground: g, hardware: h, links: &links{flows: f, racks: t.Racks, every: c.Network.Sample, looked: g.Looked,
		watch: network.NewWatch(f.solver, h.Fabric, g.Records, c.Network.Congestion)}}
	ram, err := h.Furnish(f.solver, t, &c.Tasks, full)
	if err != nil {
		return nil, err
	}
	if full && (g.Files || c.Tasks.FileCache || ram) {
		p.files = costs.NewFiles(t, c.Tasks.FileCache)
		h.Kept = p.files
	}
	p.steps = &steps{ground: g, flows: f, Needs: machines.Needs{Hardware: h}, full: full, files: p.files, outputs: hdfs.NewOutputs(t, usualReplicas(&g.Site), g.Seed), backlogs: newBacklogs(t.Hosts),
		inputs: inputs{blocks: g.Blocks, draws: rng.New(g.Seed, rng.ReadSource)}}
	if full {
		p.steps.inputs.caches = hdfs.PageCaches(t)
		p.steps.noise = costs.NewNoise(&c.Tasks, g.Seed)
	}
	p.shuffles = &shuffles{ground: g, flows: f, works: &p.steps.works, groups: newGroups(t.Hosts, p.steps.noise != nil),
		carriage: carriage{Needs: machines.Needs{Hardware: h}, tasks: &c.Tasks, byRack: c.Shuffle.Source == "rack", files: p.files},
		full:     full, single: c.Shuffle.Source == "map"}
	p.steps.fetch, p.steps.exceed, p.shuffles.gathered = p.shuffles.join, p.shuffles.exceed, p.steps.gathered
	if c.Network.Circuits != nil {
		p.shuffles.optics, err = newOptics(f, h, c.Network.Circuits, g.Records)
	}
	p.shuffles.catchUp = p.catchUp
	if c.Network.Circuits != nil || g.Gate != nil {
		p.shuffles.keeper = network.NewGatekeeper(g.Gate, t.Racks)
	} else if p.quiet = p.tick > 0 && !full && !g.Punctual; p.quiet {
		f.solver.Hush.Quiet = p.shuffles.quiet
	}
	return p, err
}

func (p *shared) start(now model.Time, id ID, _ model.Locality) {
	p.shuffles.count(p.ground.at(id), 1)
	p.steps.launch(now, id)
}

// boot makes a core work on the start of a job's master.
func (p *shared) boot(now model.Time, node model.NodeID, job model.JobID, cpu model.Time) {
	p.queue(now, stepTag(p.steps.works.add(work{task: model.Task{Job: job}, node: node, step: stepMaster, amount: cpu.Seconds(), group: none})))
}

func (p *shared) mapsOver(now model.Time, w *jobWork, _ []ID) {
	p.catchUp(now)
	p.shuffles.mapsOver(now, w)
}

// catchUp takes ends that waited for the tick, before something happens that they would have come before.
func (p *shared) catchUp(now model.Time) {
	if before := now - 1; p.quiet && before.Seconds() > p.solver.Now() {
		if p.take(before); len(p.done) > 0 {
			p.shuffles.late = true
			p.endAll(now)
			p.shuffles.late = false
		}
	}
}

func (p *shared) drop(now model.Time, id ID) {
	p.catchUp(now)
	p.shuffles.count(p.ground.at(id), -1)
	i := p.steps.workOf(id)
	if i == none { // its length is passing
		return
	}
	w := &p.steps.list[i]
	p.timers.Cancel(w.timer)
	if w.group != none {
		p.shuffles.leave(now, i)
	} else {
		p.steps.stop(now, i)
	}
	p.steps.works.release(i)
}

func (p *shared) outputLost(now model.Time, w *jobWork, maps []int32, node model.NodeID) {
	p.catchUp(now)
	p.shuffles.outputLost(now, w, maps, node)
}

func (p *shared) rereadFrom(now model.Time, node model.NodeID) { p.steps.reread(now, node) }

// happen takes an event whose time has come.
func (p *shared) happen(now model.Time, ev Event) {
	switch ev.Kind {
	case flowEnds:
		p.flows.next = model.Forever
		p.take(now)
	case ratesTick:
		p.tickRates(now)
	case linksLook:
		p.links.look(now)
	case workStarts:
		p.steps.proceed(now, int32(ev.Of))
	case circuitsLook:
		p.shuffles.optics.due = true
	case circuitsReady:
		p.shuffles.optics.connect(now)
	case gateAsks:
		p.shuffles.keeper.Due(now)
	}
	p.fault()
}

// fault makes a fault of the solver one of the executor.
func (p *shared) fault() {
	if p.ground.err == nil {
		p.ground.err = p.flows.err
	}
}

// settle does what ended and begins what was queued, until neither is left, and reports whether there
// was anything.
func (p *shared) settle(now model.Time) (did bool) {
	for p.flows.err == nil {
		switch {
		case len(p.done) > 0:
			p.endAll(now)
		case p.shuffles.askAgain(now):
		case p.queued.Len() > 0 && p.tick == 0:
			p.beginAll(now)
		case !p.shuffles.optics.look(now):
			p.fault()
			return did
		}
		did = true
	}
	p.fault()
	return did
}

// endAll does what the end of activities sets off.
func (p *shared) endAll(now model.Time) {
	p.stale = true
	p.touched = p.shuffles.warm(p.done)
	for i := 0; i < len(p.done) && p.flows.err == nil; i++ { // handlers may add to it
		d := p.done[i]
		t := tag(d.Tag)
		if t.isFetch() {
			p.shuffles.done(now, min(now, model.AtOrAfter(d.Time)), t, d.Handle)
		} else if w := &p.steps.list[t.work()]; w.handle == d.Handle { // else it was killed at this moment
			w.handle = 0
			p.steps.proceed(now, t.work())
		}
	}
	p.done = p.done[:0]
}

// beginAll starts the activities that were queued.
func (p *shared) beginAll(now model.Time) {
	p.sync(now)
	queued := p.queued.Take()
	p.kinds, p.touched = p.shuffles.kinds(queued, p.kinds[:0])
	p.solver.Warm.Kinds(p.kinds)
	for _, t := range queued {
		switch {
		case p.flows.err != nil:
			return
		case t.isFetch():
			p.shuffles.begin(now, t)
		default:
			p.steps.begin(now, t.work())
		}
	}
}

// tickRates is the tick: what waited begins and all rates are worked out again.
func (p *shared) tickRates(now model.Time) {
	p.ticks = model.Forever
	p.sync(now)
	for len(p.done) > 0 && p.flows.err == nil {
		p.endAll(now)
	}
	for p.queued.Len() > 0 && p.flows.err == nil {
		p.beginAll(now)
	}
	if p.flows.err == nil {
		p.refresh()
		p.links.look(now)
	}
}

// plan asks for the events that are needed now that an event is over.
func (p *shared) plan(now model.Time) {
	p.shuffles.optics.plan(now)
	if next := p.shuffles.keeper.Next(); next != p.asks && next != model.Forever {
		p.asks = next
		p.timers.At(next, Event{Kind: gateAsks})
	}
	p.flows.plan(now)
	if p.tick == 0 {
		p.links.plan(now)
	}
}
