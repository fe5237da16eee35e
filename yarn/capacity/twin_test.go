// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/queue"
)

// twin looks for the next container on a node as a pass does, but from scratch: it sorts all children of every queue,
// looks at every application, and works out every user's limit anew. It changes nothing.
type twin struct {
	s *Scheduler
	n *Node
}

func (w *twin) run() (Proposal, bool) {
	if !w.s.queues.tree.Fits(w.s.queues.settings.MinAlloc, w.n.Free()) {
		return Proposal{}, false
	}
	lim := limits{room: w.s.queues.tree.Cluster}
	p, result := w.queue(0, &lim)
	return p, result == proposed
}

func (w *twin) queue(at int, lim *limits) (Proposal, outcome) {
	t := &w.s.queues.tree
	q := &t.Queues[at]
	if !t.Some(q.Pending) {
		return Proposal{}, nothing
	}
	most := t.Min(q.Max, lim.room)
	lim.headroom = most.Sub(q.Used)
	if !t.Less(q.Used, most) {
		return Proposal{}, nothing
	}
	if l := w.s.queues.leaves[at]; l != nil {
		return w.leaf(l, lim)
	}
	children := slices.Clone(q.Children)
	slices.SortStableFunc(children, func(a, b int) int { return t.Before(a, b, q.ByPriority) })
	result := nothing
	for _, c := range children {
		handed := limits{room: t.Room(q, &t.Queues[c], lim.room, lim.blocked)}
		p, answer := w.queue(c, &handed)
		if answer == proposed {
			return p, proposed
		}
		if answer == blocked {
			result = blocked
			waits := handed.blocked
			if w.s.queues.leaves[c] != nil {
				waits = handed.headroom
			}
			lim.blocked = lim.blocked.Add(t.Max(waits, queue.Resource{}))
		}
	}
	return Proposal{}, result
}

func (w *twin) leaf(l *leaf, lim *limits) (Proposal, outcome) {
	t := &w.s.queues.tree
	apps := slices.Clone(l.active.list)
	slices.SortFunc(apps, func(a, b *Attempt) int { return w.order(l, a, b) })
	crowd := queue.Crowd{Ratio: l.users.ratio}
	for _, u := range l.users.list {
		if u.active {
			crowd.Used = crowd.Used.Add(u.used)
			crowd.Weights += u.weight
		}
	}
	limit := t.UserLimit(l.settings.Users, l.queue().Min, l.queue().Max, crowd, true)
	for _, a := range apps {
		u := l.users.get(a.User)
		if t.Less(t.Down(limit, u.weight, t.Step), u.used) || !t.Some(a.Pending) {
			continue
		}
		for _, k := range a.keys {
			if k.open() <= 0 {
				continue
			}
			size := k.places.get(Any).size
			if !t.Fits(size, lim.headroom) {
				return Proposal{}, blocked
			}
			tried := *k
			tried.missed++
			loc, answer := (&pass{queues: &w.s.queues, nodes: len(w.s.nodes), node: w.n}).place(&tried)
			if answer == proposed {
				return Proposal{a, w.n, k.priority, size, loc, k}, proposed
			}
			if answer == skipped {
				break
			}
		}
	}
	return Proposal{}, nothing
}

// order compares by what applications use now, not by what they used when they were last put into their places.
func (w *twin) order(l *leaf, a, b *Attempt) int {
	x, y := *a, *b
	x.see()
	y.see()
	return l.active.compare(&x, &y)
}

// TestPass: on random trees, applications and asks every pass proposes what the twin does. Nobody uses more than the
// release allows, and the sums that are kept are those of what is there.
func TestPass(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := drawStage(t, r)
		var apps []*Attempt
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			switch rapid.IntRange(0, 5).Draw(r, "step") {
			case 0:
				apps = append(apps, drawApp(r, g))
			case 1, 2, 3:
				checkPasses(r, g, g.nodes[rapid.IntRange(0, len(g.nodes)-1).Draw(r, "node")])
			case 4:
				if len(g.started) > 0 {
					i := rapid.IntRange(0, len(g.started)-1).Draw(r, "container")
					c := g.started[i]
					g.started = slices.Delete(g.started, i, i+1)
					g.s.Take(c.Attempt)
					g.s.End(c)
				}
			case 5:
				if len(apps) > 0 {
					i := rapid.IntRange(0, len(apps)-1).Draw(r, "app")
					g.finish(apps[i])
					apps = slices.Delete(apps, i, i+1)
				}
			}
			checkSums(r, g)
		}
	})
}

// drawStage returns a cluster of three nodes and a tree of two levels.
func drawStage(t *testing.T, r *rapid.T) *stage {
	conf := "root.queues=a,b,c "
	for _, q := range []string{"a", "b", "c"} {
		conf += fmt.Sprintf("root.%s.capacity=%dw root.%s.maximum-capacity=%d ", q, rapid.IntRange(1, 4).Draw(r, "weight"), q, rapid.IntRange(40, 100).Draw(r, "maximum"))
	}
	conf += "root.a.queues=x,y root.a.x.capacity=1w root.a.y.capacity=3w maximum-am-resource-percent=1 "
	for _, q := range []string{"a.x", "a.y", "b", "c"} {
		conf += fmt.Sprintf("root.%s.ordering-policy=%s ", q, rapid.SampledFrom([]string{"fifo", "fair"}).Draw(r, "order"))
		conf += fmt.Sprintf("root.%s.user-limit-factor=%d ", q, rapid.IntRange(1, 3).Draw(r, "factor"))
		conf += fmt.Sprintf("root.%s.minimum-user-limit-percent=%d ", q, rapid.SampledFrom([]int{20, 50, 100}).Draw(r, "percent"))
	}
	conf += fmt.Sprintf("node-locality-delay=%d per-node-heartbeat.maximum-offswitch-assignments=3 ", rapid.IntRange(0, 3).Draw(r, "delay"))
	if rapid.Bool().Draw(r, "dominant") {
		conf += "resource-calculator=" + dominant
	}
	return newStage(t, conf, 8, 16, 6)
}

func drawApp(r *rapid.T, g *stage) *Attempt {
	path := rapid.SampledFrom([]string{"root.a.x", "root.a.y", "root.b", "root.c"}).Draw(r, "queue")
	a := g.submit(path, rapid.SampledFrom([]string{"u", "v", "w"}).Draw(r, "user"), 1, true)
	host := g.nodes[rapid.IntRange(0, len(g.nodes)-1).Draw(r, "host")]
	n, size := rapid.IntRange(1, 6).Draw(r, "count"), queue.Resource{Memory: gb, VCores: 1}
	g.s.Ask(a, []Request{{5, host.At(NodeLocal), size, n, false}, {5, host.At(RackLocal), size, n, false}, {5, Any, size, n, false}, {9, Any, size, 2, false}})
	return a
}

// finish ends an application.
func (g *stage) finish(a *Attempt) {
	for c := range a.Live() {
		g.s.End(c)
	}
	g.started = slices.DeleteFunc(g.started, func(c *Container) bool { return c.Attempt == a })
	g.s.Finish(a)
	g.s.Gone(a)
}

// checkPasses is a heartbeat of a node with the twin asked before every pass.
func checkPasses(r *rapid.T, g *stage, n *Node) {
	for range 10 {
		want, some := (&twin{g.s, n}).run()
		got := g.s.pass.run(n, len(g.s.nodes))
		if got != some || got && g.s.pass.found != want {
			r.Fatalf("%+v (%t), want %+v (%t)", g.s.pass.found, got, want, some)
		}
		if !got {
			return
		}
		p := g.s.pass.found
		l := p.Attempt.leaf
		limit := l.users.limit(l.users.get(p.Attempt.User), l.queue(), &g.s.queues.tree.Scale, true)
		if u := l.users.get(p.Attempt.User); g.s.queues.tree.Less(limit, u.used) {
			r.Fatalf("%s is past its limit %v with %v and gets more", u.name, limit, u.used)
		}
		g.s.commit(&p)
	}
}

// checkSums compares what is kept with what is there.
func checkSums(r *rapid.T, g *stage) {
	for _, l := range g.s.queues.leaves {
		if l == nil {
			continue
		}
		var used, pending, masters queue.Resource
		for _, a := range slices.Concat(l.active.list, l.waiting.list) {
			used, pending = used.Add(a.Used), pending.Add(a.Pending)
			if a.activated {
				masters = masters.Add(a.Master)
			}
		}
		q := l.queue()
		if used != q.Used || pending != q.Pending || masters != l.masters {
			r.Fatalf("%s: used %v, pending %v, masters %v, kept %v, %v, %v", q.Path, used, pending, masters, q.Used, q.Pending, l.masters)
		}
		if !g.s.queues.tree.Fits(q.Used, q.Max) {
			r.Fatalf("%s uses %v of %v", q.Path, q.Used, q.Max)
		}
	}
	if kept, there := g.s.queues.apps, g.s.queues.sum(0, (*leaf).apps); kept != there {
		r.Fatalf("%d applications, kept %d", there, kept)
	}
}
