// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// drawForecasts draws jobs of very different sizes, many of them alike.
func drawForecasts(t *rapid.T, most int) []policy.Forecast {
	jobs := make([]policy.Forecast, rapid.IntRange(1, most).Draw(t, "jobs"))
	online := rapid.Bool().Draw(t, "online")
	for i := range jobs {
		f := &jobs[i]
		f.Job = model.JobID(i)
		if online {
			f.Arrival = model.Time(rapid.IntRange(0, 5).Draw(t, "arrival"))
		}
		f.Tasks = [model.Kinds]int32{rapid.Int32Range(0, 40).Draw(t, "maps"), rapid.Int32Range(0, 12).Draw(t, "reduces")}
		f.Length = [model.Kinds]model.Time{model.Time(rapid.IntRange(0, 4).Draw(t, "map")), model.Time(rapid.IntRange(0, 4).Draw(t, "reduce"))}
		f.Shuffle = model.Bytes(rapid.SampledFrom([]int{0, 3, 10, 11, 30, 100, 400}).Draw(t, "shuffle"))
	}
	return jobs
}

func drawSite(t *rapid.T) *Site {
	s := &Site{Shared: rapid.Bool().Draw(t, "shared"), Elephant: 10}
	racks := rapid.IntRange(1, 5).Draw(t, "racks")
	for k := range s.Containers {
		if k > 0 && s.Shared {
			s.Containers[k] = s.Containers[0]
			continue
		}
		for range racks {
			s.Containers[k] = append(s.Containers[k], rapid.IntRange(0, 6).Draw(t, "containers"))
		}
		s.Containers[k][rapid.IntRange(0, racks-1).Draw(t, "some")]++
	}
	s.Packets = rapid.SampledFrom([]model.Rate{0, 2e9, 5e9}).Draw(t, "packets") // bytes per second; times are nanoseconds
	s.Circuits = rapid.SampledFrom([]model.Rate{0, 20e9}).Draw(t, "circuits")
	return s
}

// slowBook is the work, task by task: as many containers as tasks take one each, or else whichever is free first.
func slowBook(t timeline, w work) (end model.Time) {
	few := w.tasks <= len(t)
	for i := range w.tasks {
		at := 0
		if few {
			at = i
		} else {
			for k := range t {
				if t[k] < t[at] {
					at = k
				}
			}
		}
		t[at] = max(t[at], w.from) + w.length
		end = max(end, t[at])
	}
	slices.Sort(t)
	return end
}

func TestTimelineIsTaskByTask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := make(timeline, rapid.IntRange(1, 8).Draw(t, "containers"))
		for i := range line {
			line[i] = model.Time(rapid.IntRange(0, 30).Draw(t, "free"))
		}
		slices.Sort(line)
		w := work{rapid.IntRange(1, 40).Draw(t, "tasks"), model.Time(rapid.IntRange(0, 30).Draw(t, "from")), model.Time(rapid.IntRange(0, 12).Draw(t, "length"))}
		if w.length == 0 && w.tasks > len(line) {
			w.length = 1 // tasks that take no time may all go to one container or to several
		}
		slow := slices.Clone(line)
		want := slowBook(slow, w)
		var scratch timeline
		if end := line.end(w, &scratch); end != want {
			t.Fatalf("the work would end at %v, should be %v", end, want)
		}
		if end := line.book(w); end != want || !slices.Equal(line, slow) {
			t.Fatalf("ends at %v with %v, should be %v with %v", end, line, want, slow)
		}
	})
}

func TestEarliestIsASort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type container struct {
			rack int
			free model.Time
		}
		racks := make([]timeline, rapid.IntRange(1, 5).Draw(t, "racks"))
		var all []container
		for i := range racks {
			for range rapid.IntRange(0, 6).Draw(t, "containers") {
				racks[i] = append(racks[i], model.Time(rapid.IntRange(0, 9).Draw(t, "free")))
			}
			slices.Sort(racks[i])
			for _, free := range racks[i] {
				all = append(all, container{i, free})
			}
		}
		slices.SortStableFunc(all, func(a, b container) int { return cmp.Compare(a.free, b.free) })
		n := rapid.IntRange(0, len(all)).Draw(t, "n")
		want := make([]int, len(racks))
		for _, c := range all[:n] {
			want[c.rack]++
		}
		if got := earliest(racks, n); !slices.Equal(got, want) {
			t.Fatalf("%d of %v: %v, should be %v", n, racks, got, want)
		}
	})
}

// slowBatches is Tetris with a scan of all jobs that are left.
func slowBatches(jobs []policy.Forecast, n int) [][]int32 {
	total := demand{}
	for i := range jobs {
		total = total.plus(demandOf(&jobs[i]))
	}
	p := newPacking(total, n)
	f := &fitting{scale: p.scale}
	gone := make([]bool, len(jobs))
	for {
		at := p.emptiest(true)
		if at < 0 {
			break
		}
		best, free := int32(-1), p.left(at)
		for i := range jobs {
			if d := demandOf(&jobs[i]); !gone[i] && d.within(free) && (best < 0 || f.score(d, free) > f.score(demandOf(&jobs[best]), free)) {
				best = int32(i)
			}
		}
		if best < 0 {
			p.batches[at].closed = true
			continue
		}
		gone[best] = true
		p.put(at, best, demandOf(&jobs[best]))
	}
	for {
		largest := int32(-1)
		for i := range jobs {
			if !gone[i] && (largest < 0 || p.size(demandOf(&jobs[i])) > p.size(demandOf(&jobs[largest]))) {
				largest = int32(i)
			}
		}
		if largest < 0 {
			break
		}
		gone[largest] = true
		p.put(p.emptiest(false), largest, demandOf(&jobs[largest]))
	}
	out := make([][]int32, n)
	for i := range out {
		out[i] = p.batches[i].jobs
	}
	return out
}

func TestSubBatchesAreAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs, n := drawForecasts(t, 60), rapid.IntRange(1, 6).Draw(t, "batches")
		got, want := subBatches(jobs, n), slowBatches(jobs, n)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, should be %v", got, want)
		}
	})
}

// slowPlan plans with lists of containers, tries every pair and looks at every rack anew.
type slowPlan struct {
	site  *Site
	rules *Rules
	free  [model.Kinds][]timeline
}

// pool returns the containers of tasks of a kind.
func (s *slowPlan) pool(k model.Kind) []timeline {
	if s.site.Shared {
		return s.free[model.Map]
	}
	return s.free[k]
}

func cloneAll(racks []timeline) []timeline {
	out := make([]timeline, len(racks))
	for i := range racks {
		out[i] = slices.Clone(racks[i])
	}
	return out
}

// best returns the racks of a width that end first, and when.
func (s *slowPlan) best(racks []timeline, w work, width int, among []int) (chosen []int, end model.Time) {
	ends := map[int]model.Time{}
	among = slices.DeleteFunc(slices.Clone(among), func(r int) bool { return len(racks[r]) == 0 })
	for _, r := range among {
		ends[r] = slowBook(slices.Clone(racks[r]), w)
	}
	slices.SortStableFunc(among, func(a, b int) int { return cmp.Compare(ends[a], ends[b]) })
	chosen = among[:width]
	return chosen, ends[chosen[len(chosen)-1]]
}

// try plans a job with a pair of widths on copies, and returns them with the racks and the end.
func (s *slowPlan) try(f *policy.Forecast, w Widths) (free [model.Kinds][]timeline, racks [model.Kinds][]int, end model.Time) {
	trial := &slowPlan{s.site, s.rules, [model.Kinds][]timeline{cloneAll(s.free[0]), cloneAll(s.free[1])}}
	from, p := f.Arrival, &planner{site: s.site, rules: s.rules}
	var among []int
	for i := range s.site.Racks() {
		if !s.rules.SameRacks || s.site.Containers[0][i] > 0 && s.site.Containers[1][i] > 0 {
			among = append(among, i)
		}
	}
	for k, width := range []int{w.Map, w.Reduce} {
		work := work{p.share(f, model.Kind(k), width), from, f.Length[k]}
		racks[k], end = s.best(trial.pool(model.Kind(k)), work, width, among)
		for _, r := range racks[k] {
			slowBook(trial.pool(model.Kind(k))[r], work)
		}
		if s.rules.SameRacks {
			among = slices.Sorted(slices.Values(racks[k]))
		}
		from = end + s.site.Shuffle(f, w, s.rules.Form)
	}
	return trial.free, racks, end
}

// place plans a heavy job by every pair, others by every container.
func (s *slowPlan) place(f *policy.Forecast) (racks [model.Kinds][]int, end model.Time) {
	if pairs := s.site.Pairs(f, s.rules.SameRacks); s.site.Heavy(f) && len(pairs) > 0 {
		best := Widths{}
		for i, w := range pairs {
			if _, _, e := s.try(f, w); i == 0 || e < end || e == end && w.before(best) {
				best, end = w, e
			}
		}
		s.free, racks, end = s.try(f, best)
		return racks, end
	}
	p, from := &planner{site: s.site, rules: s.rules}, f.Arrival
	for k := range model.Kind(model.Kinds) {
		tasks, pool, total := p.tasks(f, k), s.pool(k), 0
		for _, t := range pool {
			total += len(t)
		}
		counts := make([]int, len(pool))
		for ; tasks > total; tasks -= total {
			for i, t := range pool {
				counts[i] += len(t)
			}
		}
		left := cloneAll(pool)
		for range tasks {
			at := -1
			for i, t := range left {
				if len(t) > 0 && (at < 0 || t[0] < left[at][0]) {
					at = i
				}
			}
			left[at] = left[at][1:]
			counts[at]++
		}
		for i, n := range counts {
			if n > 0 {
				racks[k] = append(racks[k], i)
				end = max(end, slowBook(pool[i], work{n, from, f.Length[k]}))
			}
		}
		if from = max(end, from); k == model.Map {
			from += s.site.Shuffle(f, Widths{max(len(racks[k]), 1), s.site.Racks()}, s.rules.Form)
		}
	}
	return racks, from
}

func TestPlanIsEveryPairTried(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		site, jobs := drawSite(t), drawForecasts(t, 12)
		for i := range jobs { // where tasks take no time, any container will do
			jobs[i].Length[0], jobs[i].Length[1] = jobs[i].Length[0]+1, jobs[i].Length[1]+1
		}
		rules := &Rules{SameRacks: rapid.Bool().Draw(t, "same racks"), Form: rapid.SampledFrom([]Form{Figure, Text}).Draw(t, "form"),
			Batches: rapid.IntRange(1, 4).Draw(t, "batches"), OverProvision: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "more")}
		plan := Make(site, rules, jobs, 7)
		slow := &slowPlan{site: site, rules: rules}
		for k := range slow.free {
			for _, n := range site.Containers[k] {
				slow.free[k] = append(slow.free[k], make(timeline, n))
			}
		}
		for _, placed := range plan.Jobs {
			f := &jobs[placed.Job]
			racks, end := slow.place(f)
			for k := range racks {
				slices.Sort(racks[k])
				got := []int(nil)
				for _, s := range placed.Racks[k] {
					got = append(got, int(s.Rack))
				}
				if !slices.Equal(got, racks[k]) {
					t.Fatalf("job %d, %v: racks %v, should be %v", placed.Job, model.Kind(k), got, racks[k])
				}
			}
			if placed.End[model.Reduce] != end {
				t.Fatalf("job %d: ends at %v, should be %v", placed.Job, placed.End[model.Reduce], end)
			}
		}
	})
}
