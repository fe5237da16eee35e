// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// step is what a work is doing. A map goes launch, boot, read, receive, compute, spill, merge, write; a reduce goes
// launch, boot, fetch, merge, spill, final, compute, write. Steps without work are skipped: under network a map only
// reads and a reduce only fetches, before the length passes.
type step uint8

const (
	stepNone    step = iota // a free place
	stepLaunch              // the process starts: a while passes
	stepBoot                // the process starts: a core works
	stepRead                // a map reads its block; with overlap it also computes and spills
	stepReceive             // what was read on another host comes over the links
	stepFetch               // a reduce fetches map output
	stepSpill               // a map writes its output, a reduce what it has fetched last
	stepMerge               // files on disk are read and written, pass by pass
	stepFinal               // a reduce reads what it merged; with overlap it also computes
	stepCompute             // a core works
	stepWrite               // output goes to the disks of its replicas
	stepEnd
	stepFlush  // a host writes back what maps left in memory
	stepMaster // an application master starts: a core works
)

var mapSteps = [...]step{stepLaunch: stepBoot, stepBoot: stepRead, stepRead: stepReceive, stepReceive: stepCompute, stepCompute: stepSpill, stepSpill: stepMerge, stepMerge: stepWrite, stepWrite: stepEnd}
var reduceSteps = [...]step{stepLaunch: stepBoot, stepBoot: stepFetch, stepFetch: stepMerge, stepMerge: stepSpill, stepSpill: stepFinal, stepFinal: stepCompute, stepCompute: stepWrite, stepWrite: stepEnd}

// work is an attempt on shared resources, from its start to its end (under network to the moment when
// its length begins to pass), a host that writes back, or a master that starts.
type work struct {
	task   model.Task
	node   model.NodeID
	id     ID // of the attempt
	job    *jobWork
	from   int32        // host that the block is read from
	source model.NodeID // node there that holds it
	group  int32        // of a reduce that fetches
	number uint8
	step   step
	cached bool         // the block is in memory where it is read
	timer  des.Handle   // of its launch
	handle fluid.Handle // of the activity under way
	amount float64      // of that activity
	over   float64      // bytes that a map of MRPERF's makes, or a reduce has got, beyond its share
	held   float64      // bytes that a reduce of MRPERF's has fetched and not written
	links  float64      // bytes over links for a unit of the activity's work
	cross  float64      // of these, across racks
}

// isAttempt reports whether the place is taken by an attempt.
func (w *work) isAttempt() bool { return w.step != stepNone && w.step < stepFlush }

// works is a flat array of works with a free list.
type works struct {
	list []work
	free []int32
	of   []int32 // by attempt: its work
}

// setWork notes the work of an attempt, none if it has none.
func (p *works) setWork(id ID, work int32) {
	for int(id) >= len(p.of) {
		p.of = append(p.of, none)
	}
	p.of[id] = work
}

// workOf returns the work of an attempt, or none.
func (p *works) workOf(id ID) int32 { return p.of[id] }

func (p *works) add(w work) int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.list[i] = w
		return i
	}
	p.list = append(p.list, w)
	return int32(len(p.list) - 1)
}

func (p *works) release(i int32) {
	p.list[i] = work{}
	p.free = append(p.free, i)
}

// share returns what each of the tasks gets of b.
func share(b model.Bytes, tasks int32) float64 {
	if tasks <= 0 {
		return 0
	}
	return float64(b) / float64(tasks)
}

// mapOutput returns what a map of the job leaves on its disk for the reduces.
func mapOutput(j *model.Job) float64 {
	if j.Reduces == 0 {
		return 0
	}
	return share(j.Shuffle, j.Maps)
}
