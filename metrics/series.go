// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

// maxBuckets is how finely a run is drawn: when it grows longer, buckets double in width, so
// memory does not depend on the length of the run.
const maxBuckets = 512

// topJobs is how many jobs have a curve of their own: those with most tasks.
const topJobs = 20

// level is a number over time, kept as its integral in each bucket.
type level struct {
	value   float64
	since   model.Time
	buckets [maxBuckets]float64
}

// seriesBuilder turns starts and ends into curves. A change costs O(1) amortised.
type seriesBuilder struct {
	width    model.Time
	last     model.Time // of all events so far
	current  int        // bucket of the last event, which spans (from, to]
	from, to model.Time
	topology *model.Topology
	jobs     []model.Job
	lines    []*level
	names    []Line
	pool     []int   // line by pool
	queue    []int32 // line by job: its queue's
	job      []int32 // line by job: its own, or that of the others
	running  int
	waiting  int
}

func newSeriesBuilder(t *model.Topology, jobs []model.Job) *seriesBuilder {
	b := &seriesBuilder{width: model.Second / 8, to: model.Second / 8, topology: t, jobs: jobs,
		queue: make([]int32, len(jobs)), job: make([]int32, len(jobs))}
	for p := range t.Model.Pools() {
		b.pool = append(b.pool, b.add(LineUse, t.Model.PoolName(p)))
	}
	b.running = b.add(LineJobs, "running")
	b.waiting = b.add(LineJobs, "waiting")
	queues := map[string]int32{}
	for i := range jobs {
		id, ok := queues[jobs[i].Queue]
		if !ok {
			id = int32(b.add(LineQueue, jobs[i].Queue))
			queues[jobs[i].Queue] = id
		}
		b.queue[i] = id
	}
	b.addJobs()
	return b
}

// addJobs gives the jobs with most tasks a curve each and the others one together.
func (b *seriesBuilder) addJobs() {
	order := make([]int32, len(b.jobs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		a, c := &b.jobs[x], &b.jobs[y]
		if d := cmp.Compare(c.Maps+c.Reduces, a.Maps+a.Reduces); d != 0 {
			return d
		}
		return cmp.Compare(x, y)
	})
	top := order[:min(len(order), topJobs)]
	slices.Sort(top)
	for _, id := range top {
		b.job[id] = int32(b.add(LineJob, b.jobs[id].Name))
	}
	if len(order) > topJobs {
		others := int32(b.add(LineJob, "other jobs"))
		for _, id := range order[topJobs:] {
			b.job[id] = others
		}
	}
}

func (b *seriesBuilder) add(name, key string) int {
	b.lines = append(b.lines, new(level))
	b.names = append(b.names, Line{Name: name, Key: key})
	return len(b.lines) - 1
}

func (b *seriesBuilder) change(line int, now model.Time, by float64) {
	l := b.lines[line]
	if now > b.to {
		b.advance(now)
	}
	if l.since >= b.from {
		l.buckets[b.current] += l.value * float64(now-l.since)
		l.since = now
	} else {
		b.integrate(l, now)
	}
	l.value += by
	b.last = now
}

// advance makes the bucket that holds now the current one.
func (b *seriesBuilder) advance(now model.Time) {
	for now > b.width*maxBuckets {
		b.widen()
	}
	b.current = int((now - 1) / b.width)
	b.from = model.Time(b.current) * b.width
	b.to = b.from + b.width
}

// integrate adds the level's value since its last change to the buckets.
func (b *seriesBuilder) integrate(l *level, now model.Time) {
	for l.since < now && l.value != 0 {
		i := l.since / b.width
		end := min(now, (i+1)*b.width)
		l.buckets[i] += l.value * float64(end-l.since)
		l.since = end
	}
	l.since = now
}

// widen doubles the width of all buckets.
func (b *seriesBuilder) widen() {
	b.width *= 2
	for _, l := range b.lines {
		for i := range maxBuckets / 2 {
			l.buckets[i] = l.buckets[2*i] + l.buckets[2*i+1]
		}
		clear(l.buckets[maxBuckets/2:])
	}
}

func (b *seriesBuilder) jobSubmitted(now model.Time) { b.change(b.waiting, now, 1) }

func (b *seriesBuilder) jobStarted(now model.Time) {
	b.change(b.waiting, now, -1)
	b.change(b.running, now, 1)
}

func (b *seriesBuilder) jobEnded(now model.Time) { b.change(b.running, now, -1) }

// use notes that a task took (by = 1) or gave back (by = -1) room. Utilisation counts what the pool
// is made of; queues and jobs count containers.
func (b *seriesBuilder) use(now model.Time, t model.Task, by float64) {
	pool := b.topology.Model.Pool(t.Kind)
	need := by * float64(b.jobs[t.Job].Need[t.Kind][pool])
	b.change(b.pool[pool], now, need)
	b.change(int(b.queue[t.Job]), now, by)
	b.change(int(b.job[t.Job]), now, by)
}

// finish closes all curves at the last event.
func (b *seriesBuilder) finish() Series {
	total := b.topology.Total()
	for _, l := range b.lines {
		b.integrate(l, b.last)
	}
	n := int((b.last + b.width - 1) / b.width)
	s := Series{Width: b.width}
	for i, l := range b.lines {
		line := b.names[i]
		line.Values = make([]float64, n)
		scale := float64(b.width)
		if i < len(b.pool) && total[i] > 0 {
			scale *= float64(total[i])
		}
		for k := range line.Values {
			line.Values[k] = l.buckets[k] / scale
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}
