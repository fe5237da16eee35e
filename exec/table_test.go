// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"cmp"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"pgregory.net/rapid"
)

// placed is what the twin of the table knows of an attempt.
type placed struct {
	id     ID
	task   model.Task
	node   model.NodeID
	number uint8
}

// TestTableTwin drives the table and a plain list of attempts that is searched and sorted each time.
func TestTableTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes, jobs = 4, 3
		var tb table
		tb.list(nodes)
		first := []ID{none, none, none}
		var twin []placed
		most := 0
		ids := func(keep func(placed) bool) (list []ID) {
			for _, p := range twin {
				if keep(p) {
					list = append(list, p.id)
				}
			}
			return list
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				p := placed{task: model.Task{Job: model.JobID(rapid.IntRange(0, jobs-1).Draw(t, "job")), Kind: model.Kind(rapid.IntRange(0, 1).Draw(t, "kind")),
					Index: rapid.Int32Range(0, 3).Draw(t, "index")}, node: model.NodeID(rapid.IntRange(0, nodes-1).Draw(t, "node")), number: uint8(rapid.IntRange(0, 1).Draw(t, "number"))}
				if slices.ContainsFunc(twin, func(q placed) bool { return q.task == p.task && q.number == p.number }) {
					t.Skip("no two attempts have the same task and number")
				}
				p.id = tb.add(p.node, &first[p.task.Job])
				if a := tb.at(p.id); *a != (Attempt{}) || tb.timer(p.id) != 0 {
					t.Fatalf("attempt %d begins as %+v", p.id, *a)
				}
				*tb.at(p.id) = Attempt{Task: p.task, Node: p.node, Number: p.number, taken: true, began: 7} // nobody who gets the place may see it
				tb.wait(p.id, 7)
				twin = append(twin, p)
				most = max(most, len(twin))
			},
			"remove": func(t *rapid.T) {
				if len(twin) == 0 {
					t.Skip("nothing runs")
				}
				at := rapid.IntRange(0, len(twin)-1).Draw(t, "attempt")
				p := twin[at]
				tb.remove(p.id, &first[p.task.Job])
				twin = slices.Delete(twin, at, at+1)
			},
			"": func(t *rapid.T) {
				slices.SortFunc(twin, func(a, b placed) int {
					return cmp.Or(cmp.Compare(a.task.Job, b.task.Job), cmp.Compare(a.task.Kind, b.task.Kind), cmp.Compare(a.task.Index, b.task.Index), cmp.Compare(a.number, b.number))
				})
				for n := range model.NodeID(nodes) {
					if got, want := tb.onNode(n), ids(func(p placed) bool { return p.node == n }); !slices.Equal(got, want) {
						t.Fatalf("on node %d: %v, the twin says %v", n, got, want)
					}
				}
				for j := range model.JobID(jobs) {
					maps := func(a *Attempt) bool { return a.Task.Kind == model.Map }
					if got, want := tb.ofJob(first[j], maps), ids(func(p placed) bool { return p.task.Job == j && p.task.Kind == model.Map }); !slices.Equal(got, want) {
						t.Fatalf("maps of job %d: %v, the twin says %v", j, got, want)
					}
				}
				for _, p := range twin {
					if a := tb.at(p.id); a.Task != p.task || a.Node != p.node || a.Number != p.number || !a.taken {
						t.Fatalf("attempt %d is %+v, the twin says %+v", p.id, *a, p)
					}
				}
				if len(tb.attempts) > most {
					t.Fatalf("%d places, and never more than %d attempts at a time", len(tb.attempts), most)
				}
			},
		})
	})
}

// Without lists the table keeps none, and costs no memory for them.
func TestTableWithoutLists(t *testing.T) {
	var tb table
	first := ID(none)
	id := tb.add(0, &first)
	tb.remove(id, &first)
	if first != none || tb.near != nil || tb.byNode != nil {
		t.Errorf("lists %v of job %d", tb.near, first)
	}
}

func newLuck(s Stragglers) *luck { return &luck{s, rng.New(1, rng.Straggler)} }

// Nobody straggles with a share of 0, everybody with 1, all by the same factor without variation.
func TestStragglersAtTheEnds(t *testing.T) {
	for i := range int32(100) {
		task := model.Task{Job: 3, Index: i}
		if got := newLuck(Stragglers{Slowdown: 5, CV: 1}).slowdown(task, 0); got != 1 {
			t.Fatalf("share 0: factor %g", got)
		}
		if got := newLuck(Stragglers{Share: 1, Slowdown: 5}).slowdown(task, 0); got != 5 {
			t.Fatalf("share 1, no variation: factor %g, want 5", got)
		}
	}
}

// Of 40,000 attempts a quarter straggles (standard deviation 87, four allowed), by 1 plus an excess of mean 2 and
// coefficient of variation 0.5: the mean of 10,000 excesses has a standard deviation of 2 * 0.5 / 100.
func TestStragglersMoments(t *testing.T) {
	l := newLuck(Stragglers{Share: 0.25, Slowdown: 3, CV: 0.5})
	n, sum := 0, 0.0
	for i := range int32(40_000) {
		f := l.slowdown(model.Task{Job: 1, Index: i / 2, Kind: model.Kind(i % 2)}, 0)
		if f < 1 {
			t.Fatalf("factor %g", f)
		}
		if f > 1 {
			n++
			sum += f - 1
		}
	}
	if n < 10_000-348 || n > 10_000+348 {
		t.Errorf("%d of 40000 straggle, want 10000", n)
	}
	if mean := sum / float64(n); mean < 1.96 || mean > 2.04 {
		t.Errorf("mean excess %g, want 2", mean)
	}
}

// A factor depends on the attempt alone: not on what was drawn before, but on job, kind, task and number.
func TestStragglersByKey(t *testing.T) {
	rules := Stragglers{Share: 1, Slowdown: 3, CV: 1}
	used, task := newLuck(rules), model.Task{Job: 1, Kind: model.Map, Index: 5}
	used.slowdown(model.Task{Job: 8}, 3)
	base := newLuck(rules).slowdown(task, 0)
	if got := used.slowdown(task, 0); got != base {
		t.Errorf("%g after another draw, %g before", got, base)
	}
	for _, other := range []struct {
		task   model.Task
		number uint8
	}{{model.Task{Job: 2, Index: 5}, 0}, {model.Task{Job: 1, Kind: model.Reduce, Index: 5}, 0}, {model.Task{Job: 1, Index: 6}, 0}, {task, 1}} {
		if used.slowdown(other.task, other.number) == base {
			t.Errorf("attempt %d of %v draws the same as attempt 0 of %v", other.number, other.task, task)
		}
	}
}
