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

// level is a number over time. sum is its integral over the current bucket, if it stays as it is up to the
// bucket's end: so a change needs neither the time nor the value of the one before it.
type level struct{ value, sum float64 }

// seriesBuilder turns starts and ends into curves. A change costs O(1); when a bucket is over, all curves
// are closed up to its end.
type seriesBuilder struct {
	width    model.Time
	last     model.Time // of all events so far
	current  int        // bucket of the last event, which ends at to
	to       model.Time
	topology *model.Topology
	jobs     []model.Job
	levels   []level
	buckets  [][]float64 // integrals over the buckets that are over, in each by line
	names    []Line
	measures int // of room: the first lines are theirs
	ofJob    []jobLines
	running  int
	waiting  int
	held     int // under yarn: first line of queues' memory, in the order of their lines of containers
	queues   int // number of these lines
	classes  int // where there are several: first line of classes, one for each pool of each
}

// jobLines are the lines that count a job's containers: its queue's, and its own or that of the others.
type jobLines struct{ queue, job int32 }

func newSeriesBuilder(t *model.Topology, jobs []model.Job) *seriesBuilder {
	b := &seriesBuilder{width: model.Second / 8, to: model.Second / 8, topology: t, jobs: jobs,
		ofJob: make([]jobLines, len(jobs))}
	b.measures = t.Model.Measures()
	for p := range b.measures {
		b.add(LineUse, t.Model.MeasureName(p))
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
		b.ofJob[i].queue = id
	}
	if b.held = len(b.levels); t.Model == model.Yarn {
		b.queues = len(queues)
		for _, line := range slices.Clone(b.names[b.held-b.queues:]) {
			b.add(LineHeld, line.Key)
		}
	}
	b.addJobs()
	b.addClasses()
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
		b.ofJob[id].job = int32(b.add(LineJob, b.jobs[id].Name))
	}
	if len(order) > topJobs {
		others := int32(b.add(LineJob, "other jobs"))
		for _, id := range order[topJobs:] {
			b.ofJob[id].job = others
		}
	}
}

// addClasses gives each class of nodes a curve, if there are several: for each pool of its room.
func (b *seriesBuilder) addClasses() {
	if len(b.topology.Classes) < 2 {
		return
	}
	b.classes = len(b.levels)
	for i := range b.topology.Classes {
		for p := range b.topology.Model.Pools() {
			key := b.topology.Classes[i].Name
			if b.topology.Model.Pools() > 1 {
				key += " " + b.topology.Model.PoolName(p)
			}
			b.add(LineClass, key)
		}
	}
}

// useClass notes that a task on the node took room of a pool, or gave it back (need below 0), where there are several
// classes.
func (b *seriesBuilder) useClass(now model.Time, node model.NodeID, pool int, need float64) {
	if node >= 0 && int(node) < len(b.topology.Nodes) {
		b.change(b.classes+int(b.topology.Nodes[node].Class)*b.topology.Model.Pools()+pool, now, need)
	}
}

// classRoom returns the room of each class, by class and pool.
func (b *seriesBuilder) classRoom() []float64 {
	pools := b.topology.Model.Pools()
	room := make([]float64, len(b.topology.Classes)*pools)
	for _, n := range b.topology.Nodes {
		for p := range pools {
			room[int(n.Class)*pools+p] += float64(b.topology.Classes[n.Class].Room[p])
		}
	}
	return room
}

// add adds a line, at 0 so far.
func (b *seriesBuilder) add(name, key string) int {
	b.levels = append(b.levels, level{})
	for i := range b.buckets {
		b.buckets[i] = append(b.buckets[i], 0)
	}
	b.names = append(b.names, Line{Name: name, Key: key})
	return len(b.levels) - 1
}

func (b *seriesBuilder) change(line int, now model.Time, by float64) {
	b.advance(now)
	b.levels[line].add(by, by*float64(b.to-now))
}

func (l *level) add(by, rest float64) {
	l.value += by
	l.sum += rest
}

// advance makes the bucket that holds now the current one.
func (b *seriesBuilder) advance(now model.Time) {
	if now > b.to {
		b.close(now)
	}
	b.last = now
}

// close closes the current bucket and those after it up to the one that holds now.
func (b *seriesBuilder) close(now model.Time) {
	for now > b.to {
		b.next()
	}
}

// next closes the current bucket and begins the one after it.
func (b *seriesBuilder) next() {
	bucket := b.bucket()
	for i, l := range b.levels {
		bucket[i] = l.sum
	}
	if b.current++; b.current == maxBuckets {
		b.widen()
	}
	b.to += b.width
	for i := range b.levels {
		l := &b.levels[i]
		l.sum = l.value * float64(b.width)
	}
}

// bucket returns the current bucket's integrals, to be set.
func (b *seriesBuilder) bucket() []float64 {
	if b.current == len(b.buckets) {
		b.buckets = append(b.buckets, make([]float64, len(b.levels)))
	}
	return b.buckets[b.current]
}

// widen doubles the width of all buckets, which are over.
func (b *seriesBuilder) widen() {
	b.width *= 2
	b.current = maxBuckets / 2
	for i := range maxBuckets / 2 {
		first, second := b.buckets[2*i], b.buckets[2*i+1]
		for line := range b.levels {
			b.buckets[i][line] = first[line] + second[line]
		}
	}
}

func (b *seriesBuilder) jobSubmitted(now model.Time) { b.change(b.waiting, now, 1) }

func (b *seriesBuilder) jobStarted(now model.Time) {
	b.change(b.waiting, now, -1)
	b.change(b.running, now, 1)
}

func (b *seriesBuilder) jobEnded(now model.Time) { b.change(b.running, now, -1) }

// use notes that a task took (by = 1) or gave back (by = -1) room.
func (b *seriesBuilder) use(now model.Time, t model.Task, by float64) {
	pool := b.topology.Model.Pool(t.Kind)
	b.useLines(now, b.ofJob[t.Job], pool, by*float64(b.jobs[t.Job].Need[t.Kind][pool]), by)
}

// useLines is use for whoever knows the job's lines and what the task takes of the pool, below 0 if it gives it back.
// Utilisation counts what the pool is made of; queues and jobs count containers.
func (b *seriesBuilder) useLines(now model.Time, lines jobLines, pool int, need, by float64) {
	b.advance(now)
	left, levels := float64(b.to-now), b.levels
	levels[pool].add(need, need*left)
	levels[lines.queue].add(by, by*left)
	levels[lines.job].add(by, by*left)
	if b.queues > 0 {
		levels[int(lines.queue)+b.queues].add(need, need*left)
	}
}

// useVCores notes what a task takes beside its memory.
func (b *seriesBuilder) useVCores(now model.Time, by int32) { b.change(1, now, float64(by)) }

// finish closes all curves at the last event.
func (b *seriesBuilder) finish() Series {
	total, classes := b.topology.Total(), b.classRoom()
	n := int((b.last + b.width - 1) / b.width)
	s := Series{Width: b.width}
	open := b.bucket()
	for i, l := range b.levels {
		open[i] = l.sum - l.value*float64(b.to-b.last)
		line := b.names[i]
		line.Values = make([]float64, n)
		scale := float64(b.width)
		if i < b.measures && total[i] > 0 {
			scale *= float64(total[i])
		}
		if i >= b.held && i < b.held+b.queues && total[0] > 0 {
			scale *= float64(total[0])
		}
		if line.Name == LineClass && classes[i-b.classes] > 0 {
			scale *= classes[i-b.classes]
		}
		for k := range line.Values {
			line.Values[k] = b.buckets[k][i] / scale
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}
