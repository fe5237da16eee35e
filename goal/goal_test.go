// SPDX-License-Identifier: Apache-2.0

package goal_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
)

const s = model.Second

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s: %g, expected %g", what, got, want)
	}
}

// TestEquationThree works the equation out by hand: ten maps, goal 100 s.
func TestEquationThree(t *testing.T) {
	j := goal.NewJob(goal.DefaultConfig(), 0, [2]int32{10, 0}, [2]int32{4, 4})
	if j.HasData() || !math.IsInf(j.Need(model.Map, 0, 100*s), 1) || j.Expected(0) != model.Forever {
		t.Error("nothing has ended, so nothing can be estimated")
	}
	j.Start(model.Map, 0, 0, 0)
	j.Start(model.Map, 1, 1, 0)
	j.Start(model.Map, 2, 2, 4*s)
	j.End(model.Map, 0, 0, 0, 10*s, true)
	// mu = 10 s. The task of node 1 has run for 10 s (delta 0), that of node 2 for 6 s (delta 4 s).
	// (4/10 + 7) * 10 / (100 - 10) = 74/90.
	near(t, "slots needed", j.Need(model.Map, 10*s, 100*s), 74.0/90)
	// At two slots the 74 s take 37 s.
	if got := j.Expected(10 * s); got != 47*s {
		t.Errorf("expected end %v, want 47s", got)
	}
	near(t, "expected end over goal", goal.Late(j.Expected(10*s), 0, 100*s), 0.47)
	// Five seconds later the task of node 1 is overdue by 5 s: that counts as 0, not as -5 s.
	near(t, "never below zero", j.Need(model.Map, 15*s, 100*s), 70.0/85)
	if !math.IsInf(j.Need(model.Map, 100*s, 100*s), 1) {
		t.Error("no time is left, so no number of slots suffices")
	}
}

// TestClaim asks of the job of TestReduces how long its needs stay within limits, if nothing starts or ends.
func TestClaim(t *testing.T) {
	j := goal.NewJob(goal.Config{ReduceCost: 2}, 0, [2]int32{3, 5}, [2]int32{9, 2})
	j.Start(model.Map, 0, 0, 0)
	j.End(model.Map, 0, 0, 0, 10*s, true)
	maps, reduces := j.Claim(model.Map, 10*s, 100*s), j.Claim(model.Reduce, 10*s, 100*s)
	// 20 s of maps by 40 s: one slot from 20 s on, two from 30 s on.
	for limit, want := range map[float64]model.Time{1: 20 * s, 2: 30 * s, 0: 0, math.Inf(1): 40 * s} {
		if got := maps.Within(limit); got > want || got < want-1 {
			t.Errorf("maps: above %g from %v on, expected %v", limit, got, want)
		}
	}
	near(t, "maps at 30 s", maps.Most(30*s), 2)
	if reduces.Within(1) != model.Forever || reduces.Most(99*s) != 5.0/3 {
		t.Error("reduces that wait for maps need as many slots at any time")
	}
	both := maps.Plus(reduces)
	near(t, "both at 30 s", both.Most(30*s), 2+5.0/3)
	if got := both.Within(1 + 5.0/3); got > 20*s || got < 20*s-1 {
		t.Errorf("both: above the limit from %v on, expected 20s", got)
	}
	// Expected to end at 47 s, with 100 s from submission: that can be 60 s in 13 s.
	if got := goal.LateIn(0.6, 47*s, 0, 100*s); got != 13*s {
		t.Errorf("late in %v, expected 13s", got)
	}
	near(t, "then", goal.LateAtMost(47*s, 13*s, 0, 100*s), 0.6)
}

// TestReduces: maps leave time for the reduce phase, whose length is guessed from the maps until a
// reduce has ended; a reduce that waits for maps does not age.
func TestReduces(t *testing.T) {
	j := goal.NewJob(goal.Config{ReduceCost: 2}, 0, [2]int32{3, 5}, [2]int32{9, 2})
	j.Start(model.Map, 0, 0, 0)
	j.End(model.Map, 0, 0, 0, 10*s, true)
	// Five reduces of 2 * 10 s on two slots: three rounds, 60 s. The maps must be done by 40 s.
	near(t, "maps", j.Need(model.Map, 10*s, 100*s), 20.0/30)
	near(t, "reduces beside maps", j.Need(model.Reduce, 10*s, 100*s), 5.0/3)
	if j.Expected(10*s) != model.Forever {
		t.Error("no map runs, so no end can be expected")
	}
	j.Start(model.Map, 0, 0, 10*s)
	j.Start(model.Map, 1, 1, 10*s)
	j.Start(model.Reduce, 0, 0, 10*s)
	if got := j.Expected(10 * s); got != 80*s {
		t.Errorf("expected end %v, want 10s of maps and 60s of reduces after 10s", got)
	}
	j.End(model.Map, 0, 0, 10*s, 30*s, true)
	j.End(model.Map, 1, 1, 10*s, 30*s, true)
	// mu of maps is now 50/3 s, a reduce takes 100/3 s. The running one has had no time yet.
	near(t, "reduces after maps", j.Need(model.Reduce, 30*s, 100*s), 5*100.0/3/70)
	near(t, "no maps are left", j.Need(model.Map, 30*s, 100*s), 0)
	j.End(model.Reduce, 0, 0, 10*s, 40*s, true)
	if got := j.Mean(model.Reduce); got != 10*s {
		t.Errorf("the reduce took %v after the last map, want 10s", got)
	}
	j.Start(model.Reduce, 1, 1, 40*s)
	if got := j.Expected(45 * s); got != 80*s {
		t.Errorf("expected end %v, want 35s of work on one slot after 45s", got)
	}
}

// TestZeroLengths: tasks that take no time need no slots, and nothing divides by zero.
func TestZeroLengths(t *testing.T) {
	j := goal.NewJob(goal.DefaultConfig(), 0, [2]int32{3, 1}, [2]int32{1, 1})
	j.Start(model.Map, 0, 0, 0)
	j.End(model.Map, 0, 0, 0, 0, true)
	near(t, "maps", j.Need(model.Map, 0, 10*s), 0)
	near(t, "reduces", j.Need(model.Reduce, 0, 10*s), 1)
	j.Start(model.Map, 0, 0, 0)
	if got := j.Expected(0); got != 0 {
		t.Errorf("expected end %v, want now", got)
	}
	empty := goal.NewJob(goal.DefaultConfig(), 0, [2]int32{}, [2]int32{1, 1})
	near(t, "a job without tasks", empty.Need(model.Map, 0, 10*s), 0)
}

// TestWeights is deadline-2010 §V-E: slacks of 2,451 s, 1,736 s and 19 s (a Join goal of 120 s) give
// 1 / 1.4 / 129; with 150 s the Join's slack is 49 s and its weight 50. The paper says 122.
func TestWeights(t *testing.T) {
	alone := []model.Time{3549 * s, 1264 * s, 101 * s, 101 * s, 7 * s}
	for _, test := range []struct{ join, want float64 }{{120, 129}, {150, 50.0204081632653}} {
		goals := []model.Time{6000 * s, 3000 * s, model.Seconds(test.join), model.Seconds(test.join), 0}
		w := goal.Weights(goals, alone)
		near(t, "Simulator", w[0], 1)
		near(t, "WordCount", w[1], 2451.0/1736)
		near(t, "Join", w[2], test.want)
		near(t, "Join", w[3], test.want)
		near(t, "no goal", w[4], 1)
	}
	near(t, "a goal that cannot be met counts as one second of slack", goal.Weights([]model.Time{100 * s, 5 * s}, []model.Time{10 * s, 50 * s})[1], 90)
}

func TestRoom(t *testing.T) {
	if got := goal.Room([2]int64{60, 30}, [2]model.Room{{1, 0}, {0, 1}}); got != [2]int32{60, 30} {
		t.Errorf("slots: %v", got)
	}
	if got := goal.Room([2]int64{8192, 6}, [2]model.Room{{1024, 1}, {512, 2}}); got != [2]int32{6, 3} {
		t.Errorf("memory and vcores: %v", got)
	}
}

// twin recomputes everything from the list of what happened.
type twin struct {
	job          model.JobID
	config       goal.Config
	tasks, room  [2]int32
	runs         []run
	ended        []int // runs in the order of their ends: squares of lengths, rounded, add up in this order
	mapsEnd, now model.Time
}

type run struct {
	task        model.Task
	node        model.NodeID
	start, end  model.Time
	running, ok bool
}

func (w *twin) mapsDone() bool {
	n := int32(0)
	for _, r := range w.runs {
		if r.ok && r.task.Kind == model.Map {
			n++
		}
	}
	return n == w.tasks[model.Map]
}

// begin is when the run began to work.
func (w *twin) begin(r *run) model.Time {
	if r.task.Kind == model.Reduce && w.mapsDone() {
		return max(r.start, w.mapsEnd)
	}
	return r.start
}

func (w *twin) mean(k model.Kind, node model.NodeID) (mean model.Time, known bool) {
	sum, n := model.Time(0), model.Time(0)
	for i := range w.runs {
		if r := &w.runs[i]; r.ok && r.task.Kind == k && (node == model.None || r.node == node) {
			sum, n = sum+r.end-w.begin(r), n+1
		}
	}
	if n > 0 {
		return sum / n, true
	}
	if node != model.None {
		return w.mean(k, model.None)
	}
	if k == model.Reduce {
		maps, known := w.mean(model.Map, model.None)
		return model.Time(w.config.ReduceCost * float64(maps)), known
	}
	return 0, false
}

// counts returns |U|, |R| and the work that is left.
func (w *twin) counts(k model.Kind) (pending, running int32, work float64) {
	mean, _ := w.mean(k, model.None)
	pending = w.tasks[k]
	left := model.Time(0)
	for i := range w.runs {
		r := &w.runs[i]
		if r.task.Kind != k || !r.ok && !r.running {
			continue
		}
		pending--
		if !r.running {
			continue
		}
		running++
		own := mean
		if w.config.PerNode {
			own, _ = w.mean(k, r.node)
		}
		age := w.now - w.begin(r)
		if k == model.Reduce && !w.mapsDone() {
			own, age = mean, 0
		}
		left += max(own-age, 0)
	}
	return pending, running, float64(left) + float64(pending)*float64(mean)
}

// TestTwin compares every estimate with the one recomputed from all that happened. The second job has the memory of the first.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := goal.Config{ReduceCost: rapid.SampledFrom([]float64{1, 0.5, 3}).Draw(t, "cost"), PerNode: rapid.Bool().Draw(t, "per node"), Drain: rapid.Bool().Draw(t, "drain")}
		watch := goal.NewWatch(config)
		for id := range model.JobID(2) {
			w := &twin{job: id, config: config}
			for k := range w.tasks {
				w.tasks[k], w.room[k] = rapid.Int32Range(0, 40).Draw(t, "tasks"), rapid.Int32Range(1, 5).Draw(t, "room")
			}
			j := watch.Follow(id, 0, w.tasks, w.room)
			for range rapid.IntRange(0, 150).Draw(t, "steps") {
				w.now += model.Time(rapid.Int64Range(0, 3).Draw(t, "time")) * s
				w.step(t, watch)
				w.compare(t, j)
			}
			watch.Forget(id)
		}
	})
}

func (w *twin) step(t *rapid.T, watch *goal.Watch) {
	if rapid.IntRange(0, 2).Draw(t, "op") > 0 { // start
		k := model.Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
		if pending, _, _ := w.counts(k); pending > 0 {
			task := model.Task{Job: w.job, Kind: k, Index: w.free(k)}
			if live := w.live(k); len(live) > 0 && rapid.IntRange(0, 4).Draw(t, "attempt") == 0 { // a second one, which counts as if it were another task
				task = live[rapid.IntRange(0, len(live)-1).Draw(t, "of")].task
			}
			node := model.NodeID(rapid.IntRange(0, 2).Draw(t, "node"))
			w.runs = append(w.runs, run{task: task, node: node, start: w.now, running: true})
			watch.Job(task.Job).Start(task.Kind, task.Index, node, w.now)
		}
		return
	}
	live := append(w.live(model.Map), w.live(model.Reduce)...)
	if len(live) == 0 {
		return
	}
	r := live[rapid.IntRange(0, len(live)-1).Draw(t, "run")]
	done := rapid.IntRange(0, 4).Draw(t, "done") > 0 && (r.task.Kind == model.Map || w.mapsDone())
	r.running, r.ok, r.end = false, done, w.now
	w.ended = append(w.ended, slices.IndexFunc(w.runs, func(other run) bool { return other == *r }))
	if done && r.task.Kind == model.Map && w.mapsDone() {
		w.mapsEnd = w.now
	}
	watch.Job(r.task.Job).End(r.task.Kind, r.task.Index, r.node, r.start, w.now, done)
}

// live returns the runs of tasks of the kind that have not ended.
func (w *twin) live(k model.Kind) (live []*run) {
	for i := range w.runs {
		if r := &w.runs[i]; r.running && r.task.Kind == k {
			live = append(live, r)
		}
	}
	return live
}

// free returns a task of the kind that neither runs nor has ended.
func (w *twin) free(k model.Kind) int32 {
	for i := range w.tasks[k] {
		taken := false
		for _, r := range w.runs {
			taken = taken || r.task == model.Task{Job: w.job, Kind: k, Index: i} && (r.ok || r.running)
		}
		if !taken {
			return i
		}
	}
	panic("no free task")
}

func (w *twin) compare(t *rapid.T, j *goal.Job) {
	for k := range model.Kind(model.Kinds) {
		pending, running, _ := w.counts(k)
		mean, _ := w.mean(k, model.None)
		if j.Pending(k) != pending || j.Running(k) != running || j.Mean(k) != mean {
			t.Fatalf("%v: %d pending, %d running, mean %v; twin %d, %d, %v", k, j.Pending(k), j.Running(k), j.Mean(k), pending, running, mean)
		}
		for _, end := range []model.Time{w.now, w.now + s, w.now + 50*s, w.now + model.Hour} {
			if got, want := j.Need(k, w.now, end), w.need(k, end); got != want {
				t.Fatalf("%v at %v: need %g to end by %v, twin %g", k, w.now, got, end, want)
			}
		}
	}
	if got, want := j.Expected(w.now), w.expected(); got != want {
		t.Fatalf("at %v: expected end %v, twin %v", w.now, got, want)
	}
}

func (w *twin) hasData() bool {
	for _, r := range w.runs {
		if r.ok {
			return true
		}
	}
	return false
}

func (w *twin) phase() (waves int32, length model.Time) {
	pending, running, _ := w.counts(model.Reduce)
	mean, _ := w.mean(model.Reduce, model.None)
	waves = int32(math.Ceil(float64(pending+running) / float64(w.room[model.Reduce])))
	return waves, model.Time(waves) * mean
}

func (w *twin) need(k model.Kind, end model.Time) float64 {
	pending, running, work := w.counts(k)
	waves, phase := w.phase()
	switch {
	case pending+running == 0:
		return 0
	case !w.hasData():
		return math.Inf(1)
	case k == model.Reduce && !w.mapsDone():
		return float64(pending+running) / float64(waves)
	case k == model.Map:
		end -= phase
	}
	if w.config.Drain {
		end -= w.drain(k)
	}
	if end <= w.now {
		return math.Inf(1)
	}
	return work / float64(end-w.now)
}

func (w *twin) drain(k model.Kind) model.Time {
	sum, squares := 0.0, 0.0
	for _, i := range w.ended {
		if r := &w.runs[i]; r.ok && r.task.Kind == k {
			length := float64(r.end - w.begin(r))
			sum, squares = sum+length, squares+length*length
		}
	}
	if sum > 0 {
		return model.Time(squares / (2 * sum))
	}
	mean, _ := w.mean(k, model.None)
	return mean / 2
}

func (w *twin) expected() model.Time {
	k, after := model.Reduce, model.Time(0)
	if !w.mapsDone() {
		k = model.Map
		_, after = w.phase()
	}
	_, running, work := w.counts(k)
	if running == 0 || !w.hasData() {
		return model.Forever
	}
	return w.now + model.Time(work/float64(running)) + after
}

// TestPerNode is equation 2 by hand: maps take 10 s on node 0 and 30 s on node 1. A map that has run for
// 5 s has 5 s left on node 0, 25 s on node 1, and on node 2, where none has ended, 15 s of the mean of 20 s.
func TestPerNode(t *testing.T) {
	for perNode, want := range map[bool]float64{true: 5 + 25 + 15, false: 3 * 15} {
		j := goal.NewJob(goal.Config{ReduceCost: 1, PerNode: perNode}, 0, [2]int32{5, 0}, [2]int32{9, 9})
		j.Start(model.Map, 0, 0, 0)
		j.Start(model.Map, 1, 1, 0)
		j.End(model.Map, 0, 0, 0, 10*s, true)
		j.End(model.Map, 1, 1, 0, 30*s, true)
		for node := range model.NodeID(3) {
			j.Start(model.Map, int32(node), node, 30*s)
		}
		near(t, "slots needed", j.Need(model.Map, 35*s, 135*s), want/100)
	}
}

// TestDrain: maps of 10 s and 30 s: a running one has (100 + 900) / (2 * 40) = 12.5 s left on average.
func TestDrain(t *testing.T) {
	j := goal.NewJob(goal.Config{ReduceCost: 1, Drain: true}, 0, [2]int32{4, 0}, [2]int32{9, 9})
	j.Start(model.Map, 0, 0, 0)
	j.Start(model.Map, 1, 1, 0)
	j.End(model.Map, 0, 0, 0, 10*s, true)
	j.End(model.Map, 1, 1, 0, 30*s, true)
	near(t, "slots needed", j.Need(model.Map, 30*s, 92500*model.Millisecond), 40.0/50)
}

func TestPace(t *testing.T) {
	room := [2]int32{60, 60}
	mean := [2]model.Time{10 * s, 20 * s}
	near(t, "100 s of maps in 80 s", goal.Pace([2]int32{10, 61}, mean, room, 120*s), 100.0/80)
	near(t, "reduces alone", goal.Pace([2]int32{0, 3}, mean, room, 120*s), 0.5)
	near(t, "no tasks", goal.Pace([2]int32{}, mean, room, 120*s), 0)
	if !math.IsInf(goal.Pace([2]int32{10, 1}, mean, room, 20*s), 1) {
		t.Error("the reduce alone takes all the time there is")
	}
}

// Two attempts of a task may run on the same node: what has ended counts from its own start.
func TestSecondAttemptOnTheSameNode(t *testing.T) {
	watch := goal.NewWatch(goal.DefaultConfig())
	j := watch.Follow(0, 0, [2]int32{2, 0}, [2]int32{9, 9})
	j.Start(model.Map, 0, 3, 0)
	j.Start(model.Map, 0, 3, 10*s)
	j.End(model.Map, 0, 3, 10*s, 30*s, true)
	if got := j.Mean(model.Map); got != 20*s {
		t.Errorf("the mean length is %v, want 20 s", got)
	}
	j.End(model.Map, 0, 3, 0, 30*s, false)
	if j.Running(model.Map) != 0 {
		t.Errorf("%d maps still run", j.Running(model.Map))
	}
}
