// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
)

// step is what an attempt is doing. A map goes launch, boot, read, compute, spill, merge, write; a reduce goes
// launch, boot, fetch, merge, final, compute, write. Steps without work are skipped: under network a map only
// reads and a reduce only fetches, before the length is waited.
type step uint8

const (
	stepNone    step = iota // a free slot
	stepLaunch              // the process starts: a while passes
	stepBoot                // the process starts: a core works
	stepRead                // a map reads its block; with overlap it also computes and spills
	stepFetch               // a reduce fetches map output: shuffle.go
	stepSpill               // a map writes its output
	stepMerge               // files on disk are read and written, pass by pass
	stepFinal               // a reduce reads what it merged; with overlap it also computes
	stepCompute             // a core works
	stepWrite               // output goes to the disks of its replicas
	stepEnd
	stepFlush // a host writes back what maps left in memory: files.go
)

var mapSteps = [...]step{stepLaunch: stepBoot, stepBoot: stepRead, stepRead: stepCompute, stepCompute: stepSpill, stepSpill: stepMerge, stepMerge: stepWrite, stepWrite: stepEnd}
var reduceSteps = [...]step{stepLaunch: stepBoot, stepBoot: stepFetch, stepFetch: stepMerge, stepMerge: stepFinal, stepFinal: stepCompute, stepCompute: stepWrite, stepWrite: stepEnd}

// attempt is a running task under network and resources.
type attempt struct {
	task   model.Task
	node   model.NodeID
	from   int32        // host that the block is read from
	source model.NodeID // node there that holds it
	group  int32        // of a reduce that fetches
	number uint8
	step   step
	cached bool         // the block is in memory where it is read
	since  model.Time   // when its work began: its start, or for a reduce when the last map ended
	timer  des.Handle   // of its launch
	handle fluid.Handle // of the activity under way
	work   float64      // of that activity
	links  float64      // bytes over links for a unit of the activity's work
	cross  float64      // of these, across racks
}

// host returns the host of a node.
func (s *sim) host(n model.NodeID) int { return int(s.in.Topology.Nodes[n].Host) }

// launch gives an attempt its slot and begins its first step.
func (s *sim) launch(now model.Time, t model.Task, node model.NodeID, number uint8) int32 {
	a := attempt{task: t, node: node, number: number, step: stepLaunch, since: now, group: model.None}
	slot := s.phys.slot(a)
	if delay := s.in.Config.Tasks.StartUp; s.phys.full && delay > 0 {
		s.phys.attempts[slot].timer = s.queue.Push(now+delay, event{kind: launched, index: slot})
	} else {
		s.proceed(now, slot)
	}
	return slot
}

// proceed takes an attempt to its next step that has work.
func (s *sim) proceed(now model.Time, slot int32) {
	for s.failed == nil {
		a := &s.phys.attempts[slot]
		if a.step == stepFlush {
			s.flushed(a)
			return
		}
		if a.task.Kind == model.Map {
			a.step = mapSteps[a.step]
		} else {
			a.step = reduceSteps[a.step]
		}
		if !s.phys.full && a.step == stepBoot {
			continue
		}
		if !s.phys.full && a.step != stepRead && a.step != stepFetch {
			a.step = stepEnd
		}
		if s.phys.files != nil {
			s.noteFiles(a)
		}
		switch a.step {
		case stepFetch:
			s.join(now, slot)
			return
		case stepEnd:
			s.finish(now, slot)
			return
		case stepRead:
			s.chooseSource(a)
		}
		if s.spec(a).Work > 0 {
			s.phys.queue(stepTag(slot))
			return
		}
	}
}

// beginStep starts the activity of an attempt's step.
func (s *sim) beginStep(now model.Time, slot int32) {
	a := &s.phys.attempts[slot]
	spec := s.spec(a)
	spec.Tag = stepTag(slot)
	a.handle, a.work = s.begin(now, spec), spec.Work
	s.accountStep(a, spec.Work)
}

func (s *sim) accountStep(a *attempt, work float64) {
	if a.links == 0 {
		return
	}
	purpose := record.Input
	if a.step == stepWrite || a.step == stepFinal {
		purpose = record.Output
	}
	s.jobs[a.task.Job].account(purpose, work*a.links, work*a.cross)
}

// finish ends an attempt, under network after its length.
func (s *sim) finish(now model.Time, slot int32) {
	a := &s.phys.attempts[slot]
	e := event{kind: taskEnd, task: a.task.Kind, job: a.task.Job, index: a.task.Index, node: a.node, attempt: a.number, length: now - a.since}
	t := a.task
	s.phys.release(slot)
	if s.phys.full {
		s.taskEnd(now, &e)
		return
	}
	length := s.length(t, e.node, e.attempt, model.NoInput)
	e.length += length
	s.queue.Push(now+length, e)
}

// drop takes a killed attempt out, wherever it is.
func (s *sim) drop(now model.Time, slot int32) {
	p := s.phys
	a := &p.attempts[slot]
	s.queue.Cancel(a.timer)
	if a.group != model.None {
		s.leave(now, slot)
	} else if a.handle != 0 {
		s.accountStep(a, -s.cancel(now, a.handle))
	} else {
		p.unqueue(stepTag(slot))
	}
	p.release(slot)
}

// chooseSource picks the replica that a map reads: on its own host, else in its rack, else any. HDFS
// takes any of the nearest.
func (s *sim) chooseSource(a *attempt) {
	p, nodes := s.phys, s.in.Topology.Nodes
	own := nodes[a.node]
	a.from, a.source, a.cached = int32(own.Host), a.node, false
	if s.in.Jobs[a.task.Job].Input == 0 {
		return
	}
	holders := s.blocks.Index(a.task.Job, s.state.Job(a.task.Job).Total[model.Map]).Block(a.task.Index)
	draw := p.reads.Uint64(uint64(uint32(a.task.Job)), uint64(uint32(a.task.Index)), uint64(a.number))
	start := rng.Below(draw, len(holders))
	best := model.Remote + 1
	for i := range holders {
		node := holders[(start+i)%len(holders)]
		if s.state.Nodes[node].Lost {
			continue
		}
		h := nodes[node]
		distance := model.Remote
		if h.Host == own.Host {
			distance = model.NodeLocal
		} else if h.Rack == own.Rack {
			distance = model.RackLocal
		}
		if distance < best {
			best, a.from, a.source = distance, int32(h.Host), node
		}
	}
	if best > model.Remote { // all holders are lost: a new replica lies somewhere
		a.source = model.NodeID(rng.Below(rng.Next(&draw), len(nodes)))
		a.from = int32(nodes[a.source].Host)
	}
	if p.full && p.caches != nil && s.in.Jobs[a.task.Job].InputFile != "" {
		block := blockKey{s.blocks.File(a.task.Job), a.task.Index}
		a.cached = p.caches[a.from].touch(block, s.perMap(a.task.Job, s.in.Jobs[a.task.Job].Input))
	}
}

func (s *sim) perMap(id model.JobID, b model.Bytes) float64 { return share(b, s.in.Jobs[id].Maps) }

// share returns what one of so many tasks gets of b.
func share(b model.Bytes, tasks int32) float64 {
	if tasks <= 0 {
		return 0
	}
	return float64(b) / float64(tasks)
}

// spec describes the activity of an attempt's step; its work is 0 if there is none. It is valid until
// the next call.
func (s *sim) spec(a *attempt) fluid.Spec {
	p := s.phys
	p.uses, a.links, a.cross = p.uses[:0], 0, 0
	switch a.step {
	case stepBoot:
		return s.bootSpec(a)
	case stepFlush:
		return s.flushSpec(a)
	}
	j := &s.in.Jobs[a.task.Job]
	if a.task.Kind == model.Map {
		return s.mapSpec(a, share(j.Input, j.Maps), s.mapOutput(j))
	}
	return s.reduceSpec(a, share(j.Shuffle, j.Reduces))
}

// mapOutput returns what a map of the job leaves on its disk for the reduces.
func (s *sim) mapOutput(j *model.Job) float64 {
	if j.Reduces == 0 {
		return 0
	}
	return share(j.Shuffle, j.Maps)
}

func (s *sim) mapSpec(a *attempt, in, out float64) fluid.Spec {
	p, c, own := s.phys, &s.in.Config.Tasks, s.host(a.node)
	overlap := c.Overlap && in > 0
	switch a.step {
	case stepRead:
		spec := fluid.Spec{Work: in, Streams: 1}
		if p.full && !a.cached {
			s.useDisk(int(a.from), 1)
		}
		s.usePath(a, int(a.from), own, 1)
		if p.full && overlap {
			spec.Cap = s.useCore(a, own)
			if !s.shortLived(out) {
				s.useDisk(own, out/in)
			}
		}
		return p.bounded(spec)
	case stepCompute:
		if !overlap {
			return s.computeSpec(a, in)
		}
	case stepSpill:
		if !overlap && !s.shortLived(out) {
			s.useDisk(own, 1)
			return fluid.Spec{Work: out, Uses: p.uses}
		}
	case stepMerge:
		files := s.spills(out)
		if files <= 1 {
			return fluid.Spec{}
		}
		spec := fluid.Spec{Work: 2 * out * (1 + p.merged(files, c.MergeFactor)), Streams: 1}
		switch {
		case !c.FileCache:
			s.useDisk(own, 1)
		case !c.WriteBack:
			s.useDisk(own, 0.5) // what it reads was written a moment ago
		}
		return p.bounded(s.merging(spec, own))
	case stepWrite:
		if j := &s.in.Jobs[a.task.Job]; j.Reduces == 0 {
			return s.writeSpec(a, share(j.Output, j.Maps))
		}
	}
	return fluid.Spec{}
}

// spills returns how many files a map writes before it merges them.
func (s *sim) spills(out float64) float64 {
	c := &s.in.Config.Tasks
	return math.Ceil(out / (float64(c.SortBuffer) * float64(c.SpillAt)))
}

func (s *sim) reduceSpec(a *attempt, data float64) fluid.Spec {
	p, c, own := s.phys, &s.in.Config.Tasks, s.host(a.node)
	onDisk := data > float64(c.ReduceBuffer)
	switch a.step {
	case stepMerge: // the last pass feeds the reduce itself
		if onDisk {
			files := math.Ceil(data / float64(c.ReduceBuffer))
			spec := fluid.Spec{Work: 2 * data * p.merged(files, c.MergeFactor), Streams: 1}
			s.useDisk(own, (1+s.rereads(own))/2)
			return p.bounded(s.merging(spec, own))
		}
	case stepFinal:
		spec := fluid.Spec{Work: data, Streams: 1}
		if onDisk {
			s.useDisk(own, s.rereads(own))
		}
		if c.Overlap {
			spec.Cap = s.useCore(a, own)
		}
		if j := &s.in.Jobs[a.task.Job]; c.StreamOutput && data > 0 {
			s.useReplicas(a, share(j.Output, j.Reduces)/data)
		}
		return p.bounded(spec)
	case stepCompute:
		if !c.Overlap {
			return s.computeSpec(a, data)
		}
	case stepWrite:
		if j := &s.in.Jobs[a.task.Job]; !c.StreamOutput || data == 0 {
			return s.writeSpec(a, share(j.Output, j.Reduces))
		}
	}
	return fluid.Spec{}
}

// merged returns how often the data of so many equal files is merged before the last merge, which
// joins at most factor files. As Hadoop does, the first merge takes just so many files that all later
// ones are full, and each takes the smallest files there are; so 19 files by 10 cost 10/19, not 1.
func (p *physical) merged(files float64, factor int32) float64 {
	n, f := int(files), int(factor)
	take := (n-1)%(f-1) + 1
	if take == 1 {
		take = f
	}
	made, total := p.merges[:0], 0
	first := 0
	for left := n; left+len(made)-first > f; take = f {
		sum := 0
		for range take {
			if left > 0 {
				left--
				sum++
			} else {
				sum += made[first]
				first++
			}
		}
		made = append(made, sum)
		total += sum
	}
	p.merges = made[:0]
	return float64(total) / files
}

// bounded sets the resources of an activity; one that nothing holds back takes no time.
func (p *physical) bounded(spec fluid.Spec) fluid.Spec {
	if spec.Uses = p.uses; len(spec.Uses) == 0 && spec.Cap == 0 {
		return fluid.Spec{}
	}
	return spec
}

// computeSpec is a core at work on so many bytes; its work is seconds of the core.
func (s *sim) computeSpec(a *attempt, bytes float64) fluid.Spec {
	own := s.host(a.node)
	s.use(s.phys.cores+fluid.Resource(own), 1)
	return fluid.Spec{Work: bytes * s.cycles(a) / s.phys.clock[own], Cap: 1, Uses: s.phys.uses}
}

// bootSpec is a core at work on the start of a process.
func (s *sim) bootSpec(a *attempt) fluid.Spec {
	s.use(s.phys.cores+fluid.Resource(s.host(a.node)), 1)
	return fluid.Spec{Work: seconds(s.in.Config.Tasks.StartCPU), Cap: 1, Uses: s.phys.uses}
}

// merging adds the core that a merge keeps busy.
func (s *sim) merging(spec fluid.Spec, host int) fluid.Spec {
	if perByte := s.in.Config.Tasks.MergeCycles / s.phys.clock[host] / 2; perByte > 0 { // work counts bytes read and written
		s.use(s.phys.cores+fluid.Resource(host), perByte)
		spec.Cap = 1 / perByte
	}
	return spec
}

// cycles returns what a byte costs an attempt.
func (s *sim) cycles(a *attempt) float64 {
	c := s.in.Jobs[a.task.Job].Cycles[a.task.Kind]
	if c == 0 {
		c = [model.Kinds]float64{s.in.Config.Tasks.MapCycles, s.in.Config.Tasks.ReduceCycles}[a.task.Kind]
	}
	return c * s.slowdown(a.task, a.number)
}

// useCore makes a byte of progress cost time of a core, and returns the rate of one core alone, 0 if
// it costs none.
func (s *sim) useCore(a *attempt, host int) float64 {
	perByte := s.cycles(a) / s.phys.clock[host]
	if perByte == 0 {
		return 0
	}
	s.use(s.phys.cores+fluid.Resource(host), perByte)
	return 1 / perByte
}

// writeSpec is the pipeline that writes the replicas of an output file: the first here, the second in
// another rack, the third in that rack.
func (s *sim) writeSpec(a *attempt, bytes float64) fluid.Spec {
	s.useReplicas(a, 1)
	return fluid.Spec{Work: bytes, Uses: s.phys.uses} // write-back: no stream that interleaves
}

// useReplicas adds the disks and links that so many bytes of output take for a unit of work.
func (s *sim) useReplicas(a *attempt, bytes float64) {
	last := model.NodeID(model.None)
	for _, node := range s.replicasOf(a) {
		s.useDisk(s.host(node), bytes)
		if last != model.None {
			s.usePath(a, s.host(last), s.host(node), bytes)
		}
		last = node
	}
}

// replicasOf returns the nodes that the output of an attempt is written to, valid until the next call.
func (s *sim) replicasOf(a *attempt) []model.NodeID {
	p := s.phys
	p.replicas = append(p.replicas[:0], a.node)
	for len(p.replicas) < s.outputReplicas(a.task.Job) {
		p.replicas = append(p.replicas, model.None)
	}
	draw := p.writes.Uint64(uint64(uint32(a.task.Job)), uint64(a.task.Index)<<1|uint64(a.task.Kind), uint64(a.number))
	p.writers.Spread(p.replicas, &draw)
	return p.replicas
}

// outputReplicas returns how many replicas a job writes.
func (s *sim) outputReplicas(id model.JobID) int {
	n := s.in.Jobs[id].Replicas
	if n == 0 {
		n = s.in.Config.Tasks.Replication
	}
	if n == 0 {
		n = max(1, s.in.Replication)
	}
	return min(n, len(s.in.Topology.Nodes))
}

// usePath adds the links between two hosts, and what travels on them for a unit of work.
func (s *sim) usePath(a *attempt, from, to int, bytes float64) {
	if from == to {
		return
	}
	p := s.phys
	a.links += bytes
	if p.fabric.Rack(from) != p.fabric.Rack(to) {
		a.cross += bytes
	}
	had := len(p.uses)
	p.uses = p.fabric.Path(p.uses, from, to)
	added := p.uses[had:]
	p.uses = p.uses[:had]
	for _, u := range added {
		s.use(u.Resource, u.Coefficient*bytes)
	}
}

func (s *sim) useDisk(host int, coefficient float64) {
	s.use(s.phys.disk+fluid.Resource(host), coefficient)
}

// use adds to what a byte of progress takes of a resource.
func (s *sim) use(r fluid.Resource, coefficient float64) {
	if coefficient == 0 {
		return
	}
	p := s.phys
	for i := range p.uses {
		if p.uses[i].Resource == r {
			p.uses[i].Coefficient += coefficient
			return
		}
	}
	p.uses = append(p.uses, fluid.Use{Resource: r, Coefficient: coefficient})
}
