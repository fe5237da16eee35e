// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// AskRules is how MapReduce's master asks for reduces while maps wait.
type AskRules struct {
	SlowStart     float32    // share of the maps that must have ended (mapreduce.job.reduce.slowstart.completedmaps)
	RampUp        float64    // most of the room for reduces while maps wait (yarn.app.mapreduce.am.job.reduce.rampup.limit)
	PreemptShare  float64    // most of the room that is taken from reduces at once (….reduce.preemption.limit)
	PreemptDelay  model.Time // how long maps wait before reduces are killed (mapreduce.job.reducer.preempt.delay.sec)
	Unconditional model.Time // the same although there seems to be room; negative: never (….unconditional-preempt.delay.sec)
	VCores        bool       // the scheduler counts virtual cores too
}

// MapsFirst returns how many maps of a job must have ended before its reduces are asked for.
func (r *AskRules) MapsFirst(maps int32) int32 {
	return int32(math.Ceil(float64(r.SlowStart * float32(maps))))
}

// DefaultAskRules returns Hadoop's defaults.
func DefaultAskRules() AskRules {
	return AskRules{SlowStart: 0.05, RampUp: 0.5, PreemptShare: 0.5, Unconditional: 300 * model.Second}
}

// appMaster is the master of a MapReduce job as Hadoop 3 has it. It asks for all maps at once, and for reduces as
// the slow start, what the scheduler says is left and the ramp-up limit allow. A container goes to the map whose
// block is nearest. Asked reduces are served before maps, so only the ramp-up keeps room for maps; if they get none
// all the same, reduces are killed.
type appMaster struct {
	work  Work
	rules *AskRules
	tasks Tasks

	maps             waiting    // maps that are asked for
	lost, reduces    asks       // the other priorities
	lostMaps         []int32    // maps that are asked for once more, first come, first served
	since, lostSince model.Time // when maps and lost maps began to wait
	idle             []int32    // reduces that are not asked for yet
	asked            []int32    // reduces that are

	assigned  [model.Kinds]int32 // containers that tasks have
	completed [model.Kinds]int32
	passed    bool         // the slow start
	running   []model.Task // reduces, in the order of their starts
	headroom  queue.Resource
	now       model.Time
	finished  bool
	seconds   map[model.Task]bool // tasks with a second attempt: does it run?

	left     []*capacity.Container // scratch of assign
	requests []capacity.Request
	release  []*capacity.Container
}

// NewAppMaster returns the master of a MapReduce job.
func NewAppMaster(w Work, rules *AskRules, tasks Tasks) Master {
	m := &appMaster{work: w, rules: rules, tasks: tasks, since: model.None}
	m.maps, m.lost = newWaiting(w.Total[model.Map], w.Size[model.Map]), newAsks(lostMapPriority, w.Size[model.Map])
	m.reduces = newAsks(reducePriority, w.Size[model.Reduce])
	for i := range w.Total[model.Map] {
		if !m.recovered(model.Map, i) {
			m.maps.add(i, m.near(i))
		}
	}
	m.maps.arrange()
	for i := range w.Total[model.Reduce] {
		if !m.recovered(model.Reduce, i) {
			m.idle = append(m.idle, i)
		}
	}
	return m
}

// recovered takes over a task that has ended under an earlier attempt, and reports whether it has.
func (m *appMaster) recovered(k model.Kind, index int32) bool {
	done := m.work.Done[k] != nil && m.work.Done[k][index]
	if done {
		m.completed[k]++
	}
	return done
}

func (m *appMaster) near(index int32) []*capacity.Node {
	if m.work.Near == nil {
		return nil
	}
	return m.work.Near(index)
}

// Ask implements Master.
func (m *appMaster) Ask(now model.Time) ([]capacity.Request, []*capacity.Container) {
	m.now = now
	if m.since == model.None {
		m.since = now
	}
	m.requests = m.lost.tell(m.requests[:0])
	m.requests = m.reduces.tell(m.requests)
	m.requests = m.maps.tell(m.requests)
	return m.requests, m.release
}

// Answer implements Master.
func (m *appMaster) Answer(a *Answer) (again bool) {
	m.release = m.release[:0]
	m.headroom = a.Headroom
	for _, e := range a.Ended {
		if e.Task.Job != model.None {
			m.assigned[e.Task.Kind]--
		}
	}
	m.assign(a.Given)
	if !m.preempt() {
		m.rampUp()
	}
	m.finish()
	return m.unsaid() || m.mapsWaiting() > 0 && m.passed && len(m.idle)+len(m.asked)+len(m.running) > 0
}

// unsaid reports whether there is something to tell the resource manager.
func (m *appMaster) unsaid() bool {
	return len(m.maps.changed)+len(m.lost.changed)+len(m.reduces.changed)+len(m.release) > 0
}

// mapsWaiting returns how many maps have no container.
func (m *appMaster) mapsWaiting() int32 { return m.maps.count + int32(len(m.lostMaps)) }

// assign puts tasks into containers: first those that any task of their priority may have, then maps whose block
// is on the node, in its rack, anywhere.
func (m *appMaster) assign(given []*capacity.Container) {
	left := m.left[:0]
	for _, c := range given {
		switch {
		case c.Priority == lostMapPriority && len(m.lostMaps) > 0:
			index := m.lostMaps[0]
			m.lostMaps = m.lostMaps[1:]
			m.lost.add(-1)
			m.start(c, model.Map, index)
		case c.Priority == reducePriority && len(m.asked) > 0:
			index := m.asked[0]
			m.asked = m.asked[1:]
			m.reduces.add(-1)
			m.start(c, model.Reduce, index)
		case c.Priority == mapPriority:
			left = append(left, c)
		default:
			m.release = append(m.release, c)
		}
	}
	m.left = left // its room is used again
	left = m.startMaps(left, func(c *capacity.Container) (int32, bool) { return m.maps.near(c.Node.At(capacity.NodeLocal)) })
	m.left = left // its room is used again
	left = m.startMaps(left, func(c *capacity.Container) (int32, bool) { return m.maps.near(c.Node.At(capacity.RackLocal)) })
	left = m.startMaps(left, func(*capacity.Container) (int32, bool) { return m.maps.any() })
	m.release = append(m.release, left...)
}

// startMaps starts the maps that pick finds for containers, and returns the containers without one.
func (m *appMaster) startMaps(given []*capacity.Container, pick func(*capacity.Container) (int32, bool)) []*capacity.Container {
	return slices.DeleteFunc(given, func(c *capacity.Container) bool {
		index, ok := pick(c)
		if ok {
			m.start(c, model.Map, index)
		}
		return ok
	})
}

func (m *appMaster) start(c *capacity.Container, k model.Kind, index int32) {
	t := model.Task{Job: m.work.Job, Kind: k, Index: index}
	m.assigned[k]++
	if m.Doubled(t) {
		m.seconds[t] = true
	}
	if k == model.Reduce {
		m.running = append(m.running, t)
	}
	m.tasks.Launch(c, t)
}

// total returns what the job could have of the cluster now.
func (m *appMaster) total() queue.Resource {
	t := m.headroom
	for k, n := range m.assigned {
		t = t.Add(m.work.Size[k].Times(int64(n)))
	}
	return t
}

// fit returns how many containers of a size go into a resource, cut off towards 0.
func (m *appMaster) fit(r, size queue.Resource) int64 {
	n := r.Memory / max(size.Memory, 1)
	if m.rules.VCores && size.VCores > 0 {
		n = min(n, r.VCores/size.VCores)
	}
	return n
}

// cover returns how many containers of a size make up a resource, rounded up.
func (m *appMaster) cover(r, size queue.Resource) int64 {
	up := func(a, b int64) int64 { return (a + b - 1) / b }
	n := up(r.Memory, max(size.Memory, 1))
	if m.rules.VCores && size.VCores > 0 {
		n = max(n, up(r.VCores, size.VCores))
	}
	return n
}

// rampUp asks for more reduces or withdraws asked ones.
func (m *appMaster) rampUp() {
	if len(m.idle) == 0 {
		return
	}
	total := m.work.Total[model.Map]
	if !m.passed {
		if m.completed[model.Map] < m.rules.MapsFirst(total) {
			return
		}
		m.passed = true
	}
	waits := m.mapsWaiting()
	if waits == 0 {
		m.askReduces(len(m.idle))
		return
	}
	size := m.work.Size
	all := m.total()
	reduces := all.Part(min(float64(m.completed[model.Map])/float64(total), m.rules.RampUp))
	maps := all.Sub(reduces)
	if wanted := int64(waits + m.assigned[model.Map]); m.fit(maps, size[model.Map]) >= wanted {
		reduces = all.Sub(size[model.Map].Times(wanted))
	}
	more := m.fit(reduces.Sub(size[model.Reduce].Times(int64(len(m.asked))+int64(m.assigned[model.Reduce]))), size[model.Reduce])
	if more > 0 {
		m.askReduces(int(min(more, int64(len(m.idle)))))
	} else if more < 0 {
		m.withdraw(int(min(-more, int64(len(m.asked)))))
	}
}

func (m *appMaster) askReduces(n int) {
	m.asked = append(m.asked, m.idle[:n]...)
	m.idle = m.idle[n:]
	if n > 0 {
		m.reduces.add(n)
	}
}

// withdraw takes back asks, those of the reduces that have waited longest.
func (m *appMaster) withdraw(n int) {
	m.idle = append(m.idle, m.asked[:n]...)
	m.asked = m.asked[n:]
	if n > 0 {
		m.reduces.add(-n)
	}
}

// preempt kills reduces if maps find no room, and reports whether they find none: then no reduce is asked for, not even if
// none was left to kill.
func (m *appMaster) preempt() bool {
	waits := int64(m.mapsWaiting())
	if m.work.Total[model.Reduce] == 0 || waits == 0 || m.assigned[model.Map] > 0 {
		return false
	}
	size, r := m.work.Size, m.rules
	waited := m.now - m.since
	if m.maps.count == 0 {
		waited = m.now - m.lostSince
	}
	if r.Unconditional < 0 || waited <= r.Unconditional {
		if m.fit(m.headroom.Sub(size[model.Reduce].Times(int64(len(m.asked)))), size[model.Map]) > 0 || waited < r.PreemptDelay {
			return false
		}
	}
	m.withdraw(len(m.asked))
	most := max(m.cover(size[model.Map], size[model.Reduce]), m.cover(m.total().Part(r.PreemptShare), size[model.Reduce]))
	for n := min(most, m.cover(size[model.Map].Times(waits), size[model.Reduce])); n > 0 && len(m.running) > 0; n-- {
		last := len(m.running) - 1 // the youngest has come least far
		t := m.running[last]
		m.running = m.running[:last]
		if other := m.seconds[t]; other { // it goes on
			delete(m.seconds, t)
		} else {
			m.single(t)
			m.idle = append(m.idle, t.Index)
		}
		m.tasks.Kill(t)
	}
	return true
}

// Ended implements Master.
func (m *appMaster) Ended(t model.Task, how End) {
	if t.Kind == model.Reduce && how != Undone {
		m.leave(t, how == Done)
	}
	switch {
	case (how == Lost || how == Killed) && m.Doubled(t): // its other attempt runs, or is asked for
		delete(m.seconds, t)
	case how == Done:
		m.single(t)
		m.completed[t.Kind]++
		m.finish()
	case t.Kind == model.Reduce && how == Lost:
		m.idle = slices.Insert(m.idle, 0, t.Index)
	case t.Kind == model.Reduce:
		m.idle = append(m.idle, t.Index)
	case how == Killed:
		m.maps.add(t.Index, m.near(t.Index))
	default:
		if how == Undone {
			m.completed[model.Map]--
		}
		if len(m.lostMaps) == 0 {
			m.lostSince = m.now
		}
		m.lostMaps = append(m.lostMaps, t.Index)
		m.lost.add(1)
	}
}

// leave takes an attempt at a reduce out of those that run, or all of them if it is done.
func (m *appMaster) leave(t model.Task, all bool) {
	if all && m.seconds[t] {
		m.running = slices.DeleteFunc(m.running, func(o model.Task) bool { return o == t })
	} else if i := slices.Index(m.running, t); i >= 0 {
		m.running = slices.Delete(m.running, i, i+1)
	}
}

// finish ends a job whose tasks are all done.
func (m *appMaster) finish() {
	for k, total := range m.work.Total {
		if m.completed[k] != total {
			return
		}
	}
	if !m.finished {
		m.finished = true
		m.tasks.Finish()
	}
}
