// SPDX-License-Identifier: Apache-2.0

package running

import (
	"cmp"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
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
		var tb Table
		tb.List(nodes)
		first := []ID{None, None, None}
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
				p.id = tb.Add(p.node, &first[p.task.Job])
				if a := tb.At(p.id); *a != (Attempt{}) || tb.Timer(p.id) != 0 {
					t.Fatalf("attempt %d begins as %+v", p.id, *a)
				}
				*tb.At(p.id) = Attempt{Task: p.task, Node: p.node, Number: p.number, Taken: true, Began: 7} // nobody who gets the place may see it
				tb.Wait(p.id, 7)
				twin = append(twin, p)
				most = max(most, len(twin))
			},
			"remove": func(t *rapid.T) {
				if len(twin) == 0 {
					t.Skip("nothing runs")
				}
				at := rapid.IntRange(0, len(twin)-1).Draw(t, "attempt")
				p := twin[at]
				tb.Remove(p.id, &first[p.task.Job])
				twin = slices.Delete(twin, at, at+1)
			},
			"": func(t *rapid.T) {
				slices.SortFunc(twin, func(a, b placed) int {
					return cmp.Or(cmp.Compare(a.task.Job, b.task.Job), cmp.Compare(a.task.Kind, b.task.Kind), cmp.Compare(a.task.Index, b.task.Index), cmp.Compare(a.number, b.number))
				})
				for n := range model.NodeID(nodes) {
					if got, want := tb.OnNode(n), ids(func(p placed) bool { return p.node == n }); !slices.Equal(got, want) {
						t.Fatalf("on node %d: %v, the twin says %v", n, got, want)
					}
				}
				for j := range model.JobID(jobs) {
					maps := func(a *Attempt) bool { return a.Task.Kind == model.Map }
					if got, want := tb.OfJob(first[j], maps), ids(func(p placed) bool { return p.task.Job == j && p.task.Kind == model.Map }); !slices.Equal(got, want) {
						t.Fatalf("maps of job %d: %v, the twin says %v", j, got, want)
					}
				}
				for _, p := range twin {
					if a := tb.At(p.id); a.Task != p.task || a.Node != p.node || a.Number != p.number || !a.Taken {
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
	var tb Table
	first := None
	id := tb.Add(0, &first)
	tb.Remove(id, &first)
	if first != None || tb.near != nil || tb.byNode != nil {
		t.Errorf("lists %v of job %d", tb.near, first)
	}
}
