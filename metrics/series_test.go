// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// held is one task's hold of room, for the twin.
type held struct {
	task       model.Task
	start, end model.Time
}

// seriesTwin computes each bucket by intersecting it with every hold.
type seriesTwin struct {
	jobs  []model.Job
	holds []held
}

// curve returns the mean over each bucket of the sum of weights of the holds in it.
func (w *seriesTwin) curve(width model.Time, n int, weight func(model.Task) float64) []float64 {
	v := make([]float64, n)
	for _, h := range w.holds {
		for k := int(h.start / width); k < n && model.Time(k)*width < h.end; k++ {
			from, to := max(h.start, model.Time(k)*width), min(h.end, model.Time(k+1)*width)
			v[k] += weight(h.task) * float64(to-from) / float64(width)
		}
	}
	return v
}

func seriesTopology(m model.RoomModel, room model.Room) *model.Topology {
	return &model.Topology{Model: m, Racks: 1, Hosts: 3, Classes: []model.NodeClass{{Room: room, Speed: 1}}, Nodes: make([]model.Node, 3)}
}

// drawSeries makes jobs in three queues and a random history of starts and ends, with gaps from
// nothing to hours so that buckets are widened many times.
func drawSeries(t *rapid.T) (*model.Topology, *seriesTwin, *seriesBuilder) {
	m := rapid.SampledFrom([]model.RoomModel{model.Slots, model.Containers, model.Yarn}).Draw(t, "model")
	top := seriesTopology(m, map[model.RoomModel]model.Room{model.Slots: {4, 2}, model.Containers: {5, 0}, model.Yarn: {8192, 8}}[m])
	w := &seriesTwin{}
	for i := range rapid.SampledFrom([]int{1, 3, 25}).Draw(t, "jobs") { // above 20 the smallest share a curve
		j := model.Job{ID: model.JobID(i), Name: fmt.Sprint("job", i), Queue: fmt.Sprint("q", i%3), Maps: int32(i % 7), Reduces: 1,
			Need: [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)}}
		if m == model.Yarn {
			j.Need = [model.Kinds]model.Room{{int32(100 + i), 1}, {int32(300 + i), 2}}
		}
		w.jobs = append(w.jobs, j)
	}
	b := newSeriesBuilder(top, w.jobs)
	gap := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 3), rapid.Int64Range(0, int64(model.Second/2)),
		rapid.Int64Range(0, int64(model.Minute)), rapid.Just(int64(model.Second/8)), rapid.Int64Range(0, int64(3*model.Hour)))
	now := model.Time(0)
	var open []int
	for range rapid.IntRange(1, 80).Draw(t, "events") {
		now += model.Time(gap.Draw(t, "gap"))
		if len(open) > 0 && rapid.Bool().Draw(t, "end") {
			i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			h := &w.holds[open[i]]
			h.end = now
			open = slices.Delete(open, i, i+1)
			b.use(now, h.task, -1)
			continue
		}
		task := model.Task{Job: model.JobID(rapid.IntRange(0, len(w.jobs)-1).Draw(t, "job")), Kind: model.Kind(rapid.IntRange(0, 1).Draw(t, "kind"))}
		open = append(open, len(w.holds))
		w.holds = append(w.holds, held{task: task, start: now})
		b.use(now, task, 1)
	}
	for _, i := range open {
		w.holds[i].end = now // curves are closed at the last event
	}
	return top, w, b
}

// weightOf returns what a task counts in a line.
func (w *seriesTwin) weightOf(top *model.Topology, line *Line, own map[string]bool) func(model.Task) float64 {
	total := top.Total()
	return func(t model.Task) float64 {
		j := &w.jobs[t.Job]
		pool := top.Model.Pool(t.Kind)
		switch {
		case line.Name == "utilisation" && line.Key == top.Model.PoolName(pool):
			return float64(j.Need[t.Kind][pool]) / float64(total[pool])
		case line.Name == "queue memory" && line.Key == j.Queue:
			return float64(j.Need[t.Kind][0]) / float64(total[0])
		case line.Name == "queue" && line.Key == j.Queue, line.Name == "job" && line.Key == j.Name,
			line.Name == "job" && line.Key == "other jobs" && !own[j.Name]:
			return 1
		}
		return 0
	}
}

func TestSeriesIsASumOfHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top, w, b := drawSeries(t)
		s := b.finish()
		own := map[string]bool{}
		for _, line := range s.Lines {
			own[line.Key] = own[line.Key] || line.Name == "job"
		}
		last := b.last
		for _, line := range s.Lines {
			n := int((last + s.Width - 1) / s.Width)
			if len(line.Values) != n || n > maxBuckets {
				t.Fatalf("%s %s: %d buckets of %v for %v", line.Name, line.Key, len(line.Values), s.Width, last)
			}
			if line.Name == "jobs" {
				continue // not driven here
			}
			for k, want := range w.curve(s.Width, n, w.weightOf(top, &line, own)) {
				if math.Abs(line.Values[k]-want) > 1e-9 {
					t.Fatalf("%s %s, bucket %d of %d, width %v: %g, the twin says %g", line.Name, line.Key, k, n, s.Width, line.Values[k], want)
				}
			}
		}
	})
}

// The area under utilisation is the room-time that tasks held, to a part in 10^12, over any widening.
func TestUtilisationIntegratesToHeldTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top, w, b := drawSeries(t)
		s := b.finish()
		for p := range top.Model.Pools() {
			area, want := 0.0, 0.0
			for _, v := range s.Lines[p].Values {
				area += v * float64(s.Width) * float64(top.Total()[p])
			}
			for _, h := range w.holds {
				if top.Model.Pool(h.task.Kind) == p {
					want += float64(h.end-h.start) * float64(w.jobs[h.task.Job].Need[h.task.Kind][p])
				}
			}
			if math.Abs(area-want) > 1e-12*max(want, 1)*float64(len(w.holds)+1) {
				t.Fatalf("pool %d: area %g, held %g", p, area, want)
			}
		}
	})
}

// One job waits from 1 s to 2 s and runs from 2 s to 4 s: eight buckets per second, 8 full ones waiting and 16
// full ones running.
func TestCurvesOfJobs(t *testing.T) {
	b := newSeriesBuilder(seriesTopology(model.Slots, model.Room{1, 1}), []model.Job{{Name: "j", Queue: "q", Maps: 1}})
	b.jobSubmitted(1 * model.Second)
	b.jobStarted(2 * model.Second)
	b.jobEnded(4 * model.Second)
	s := b.finish()
	for _, line := range s.Lines {
		if line.Name != "jobs" {
			continue
		}
		for k, v := range line.Values {
			want := 0.0
			if line.Key == "waiting" && k >= 8 && k < 16 || line.Key == "running" && k >= 16 {
				want = 1
			}
			if v != want {
				t.Errorf("%s, bucket %d: %g, want %g", line.Key, k, v, want)
			}
		}
		if len(line.Values) != 32 || s.Width != model.Second/8 {
			t.Errorf("%d buckets of %v", len(line.Values), s.Width)
		}
	}
}

// The last bucket ends where 512 of the first width do, at 64 s; an event there is still inside.
func TestEventAtTheEndOfTheLastBucket(t *testing.T) {
	b := newSeriesBuilder(seriesTopology(model.Slots, model.Room{1, 1}), []model.Job{{Maps: 1, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}}})
	for range 3 {
		b.use(0, model.Task{}, 1)
	}
	for range 3 {
		b.use(64*model.Second, model.Task{}, -1)
	}
	s := b.finish()
	if v := s.Lines[0].Values; s.Width != model.Second/8 || len(v) != maxBuckets || v[0] != 1 || v[maxBuckets-1] != 1 {
		t.Errorf("%d buckets of %v, from %g to %g", len(v), s.Width, v[0], v[len(v)-1])
	}
	b.use(64*model.Second+1, model.Task{}, 1)
	if b.finish(); b.width != model.Second/4 {
		t.Errorf("width %v after 64 s", b.width)
	}
}

// A cluster of map slots alone, as in papers/queueing: its curves are numbers, since no metric may be NaN.
func TestPoolWithoutRoom(t *testing.T) {
	b := newSeriesBuilder(seriesTopology(model.Slots, model.Room{1, 0}), []model.Job{{Maps: 1, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}}})
	b.use(0, model.Task{}, 1)
	b.use(model.Second, model.Task{}, -1)
	for _, line := range b.finish().Lines {
		for k, v := range line.Values {
			if math.IsNaN(v) {
				t.Fatalf("%s %s, bucket %d: %g", line.Name, line.Key, k, v)
			}
		}
	}
}

func TestNothingHappened(t *testing.T) {
	s := newSeriesBuilder(seriesTopology(model.Slots, model.Room{1, 1}), nil).finish()
	for _, line := range s.Lines {
		if len(line.Values) != 0 {
			t.Errorf("%s has values", line.Name)
		}
	}
}

// The use of each class of nodes is a share of its own room.
func TestClassesHaveCurves(t *testing.T) {
	top := &model.Topology{Model: model.Containers, Racks: 1, Hosts: 3, Nodes: []model.Node{{Class: 0}, {Class: 1}, {Class: 1}},
		Classes: []model.NodeClass{{Name: "strong", Room: model.Room{8}, Speed: 1}, {Name: "weak", Room: model.Room{2}, Speed: 1}}}
	b := newSeriesBuilder(top, nil)
	b.useClass(0, 0, 0, 2)
	b.useClass(0, 2, 0, 1)
	b.useClass(model.Second, 2, 0, -1)
	b.useClass(2*model.Second, 0, 0, -2)
	got := map[string][]float64{}
	s := b.finish()
	for _, line := range s.Lines {
		if line.Name == LineClass {
			got[line.Key] = []float64{line.Values[0], line.Values[len(line.Values)-1]}
		}
	}
	if want := map[string][]float64{"strong": {0.25, 0.25}, "weak": {0.25, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("shares at the start and at the end %v, want %v", got, want)
	}
}
