// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
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
	if w.n.reserved != nil || !w.s.queues.tree.Fits(w.s.queues.settings.MinAlloc, w.n.Free()) {
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
	if l := w.s.queues.leaves[at]; l != nil {
		return w.leaf(l, lim)
	}
	if !w.open(q, lim, q.Reserved) {
		return Proposal{}, nothing
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

// open reports whether a queue may use more, perhaps when all that is reserved is given up.
func (w *twin) open(q *queue.Queue, lim *limits, reserved queue.Resource) bool {
	t := &w.s.queues.tree
	most := t.Min(q.Max, lim.room)
	lim.headroom = most.Sub(q.Used)
	if w.s.queues.settings.ContinueLook {
		return t.Less(q.Used.Sub(t.Max(reserved, queue.Resource{})), most)
	}
	return t.Less(q.Used, most)
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
	look, passedQueue := w.s.queues.settings.ContinueLook, false
	for _, a := range apps {
		if !passedQueue && !w.open(l.queue(), lim, a.Reserved) {
			return Proposal{}, nothing
		}
		passedQueue = passedQueue || !look || a.Reserved == queue.Resource{}
		u := l.users.get(a.User)
		most, spared := t.Down(limit, u.weight, t.Step), queue.Resource{}
		if look {
			spared = a.Reserved
		}
		beyond := queue.Resource{}
		if t.Less(most, u.used) {
			beyond = u.used.Sub(most)
		}
		if t.Less(most, u.used.Sub(spared)) || !t.Some(a.Pending) {
			continue
		}
		if p, answer := w.app(a, lim, beyond, spared); answer != skipped {
			return p, answer
		}
	}
	return Proposal{}, nothing
}

// app looks through the asks of an application by priority.
func (w *twin) app(a *Attempt, lim *limits, beyond, spared queue.Resource) (Proposal, outcome) {
	t := &w.s.queues.tree
	for _, k := range a.keys {
		if k.open() <= 0 || !w.s.queues.settings.ContinueLook && !w.may(k) {
			continue
		}
		size := k.places.get(Any).size
		if !t.Fits(size, lim.headroom.Add(spared)) {
			return Proposal{}, blocked
		}
		tried := *k
		tried.missed++
		loc, near := w.near(&tried)
		if !near {
			return Proposal{}, skipped
		}
		need := t.Max(size.Sub(lim.headroom), beyond)
		fits, must, may := t.Fits(size, w.n.Free()), t.Some(need), w.may(k)
		var release *Container
		switch {
		case !t.Fits(size, w.n.Total):
			return Proposal{}, skipped
		case fits && w.s.queues.settings.ContinueLook && (must || !may):
			if !must {
				need = size
			}
			if release = w.spare(k, need); release == nil {
				return Proposal{}, skipped
			}
		case !fits && (!may || must && w.s.queues.settings.ContinueLook):
			return Proposal{}, skipped
		}
		return Proposal{a, w.n, k.priority, size, loc, !fits, k, release}, proposed
	}
	return Proposal{}, skipped
}

// near returns how near the node is, if it is near enough; all asks of a priority have one size, and none is strict.
func (w *twin) near(k *asks) (Locality, bool) {
	p := pass{queues: &w.s.queues, nodes: len(w.s.nodes), node: w.n}
	host, rack := k.count(w.n.At(NodeLocal)) > 0, k.count(w.n.At(RackLocal)) > 0
	switch {
	case host && rack:
		return NodeLocal, true
	case rack && k.missed > min(len(w.s.nodes), w.s.queues.settings.NodeDelay):
		return RackLocal, true
	}
	return OffSwitch, p.waited(k)
}

// may says in exact arithmetic whether one more container of a priority may be reserved or given. Sizes and their
// quotients are small powers of two, so 32 bits are exact too.
func (w *twin) may(k *asks) bool {
	held, set := len(k.kept.list), w.s.queues.settings
	if held == 0 {
		return true
	}
	size, most := k.places.get(Any).size, set.MaxAlloc
	share := max(float64(size.Memory)/float64(most.Memory), float64(size.VCores)/float64(most.VCores))
	if _, memory := set.Calculator.(queue.Memory); memory {
		share = float64(size.Memory) / float64(most.Memory)
	}
	limit := 1 - float64(set.MinAlloc.Memory)/float64(most.Memory)
	return k.open()+int(float64(k.kept.again)/float64(held)*(1-min(share, limit))) > held
}

// spare sorts the reservations of a priority as the release's table has them.
func (w *twin) spare(k *asks, least queue.Resource) *Container {
	list := slices.Clone(k.kept.list)
	table := hashed{}
	table.grow(len(list))
	slices.SortStableFunc(list, func(a, b *Container) int {
		return cmp.Compare(table.bucketOf(hashNode(a.Node.Name)), table.bucketOf(hashNode(b.Node.Name)))
	})
	i := slices.IndexFunc(list, func(c *Container) bool { return w.s.queues.tree.Fits(least, c.Size) })
	if i < 0 {
		return nil
	}
	return list[i]
}

// order compares by what applications use now if the release has noticed that it changed. It does not notice that a reserved
// container was given.
func (w *twin) order(l *leaf, a, b *Attempt) int {
	x, y := *a, *b
	for _, c := range []*Attempt{&x, &y} {
		if c.moved {
			c.see()
		}
	}
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
	conf += fmt.Sprintf("node-locality-delay=%d per-node-heartbeat.maximum-offswitch-assignments=3 reservations-continue-look-all-nodes=%t ",
		rapid.IntRange(0, 3).Draw(r, "delay"), rapid.Bool().Draw(r, "continue"))
	if rapid.Bool().Draw(r, "dominant") {
		conf += "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
	}
	return newStage(t, conf, 8, 16, 6)
}

func drawApp(r *rapid.T, g *stage) *Attempt {
	path := rapid.SampledFrom([]string{"root.a.x", "root.a.y", "root.b", "root.c"}).Draw(r, "queue")
	a := g.submit(path, rapid.SampledFrom([]string{"u", "v", "w"}).Draw(r, "user"), 1, true)
	host := g.nodes[rapid.IntRange(0, len(g.nodes)-1).Draw(r, "host")]
	n, size := rapid.IntRange(1, 6).Draw(r, "count"), queue.Resource{Memory: gb << rapid.IntRange(0, 3).Draw(r, "size"), VCores: 1}
	g.s.Ask(a, []Request{{5, host.At(NodeLocal), size, n, false}, {5, host.At(RackLocal), size, n, false}, {5, Any, size, n, false}, {9, Any, queue.Resource{Memory: gb, VCores: 1}, 2, false}})
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
		if n.reserved != nil { // no pass is made
			g.s.Heartbeat(n)
			return
		}
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
		given := queue.Resource{}
		if p.release != nil {
			given = p.release.Size
		}
		if u := l.users.get(p.Attempt.User); g.s.queues.tree.Less(limit, u.used.Sub(given)) {
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
		var used, pending, masters, kept queue.Resource
		for _, a := range slices.Concat(l.active.list, l.waiting.list) {
			used, pending = used.Add(a.Used).Add(a.Reserved), pending.Add(a.Pending)
			kept = kept.Add(a.Reserved)
			if a.activated {
				masters = masters.Add(a.Master)
			}
		}
		q := l.queue()
		if used != q.Used || pending != q.Pending || masters != l.masters || kept != q.Reserved {
			r.Fatalf("%s: used %v, pending %v, masters %v, reserved %v, kept %v, %v, %v, %v", q.Path, used, pending, masters, kept, q.Used, q.Pending, l.masters, q.Reserved)
		}
		if !g.s.queues.tree.Fits(q.Used, q.Max) {
			r.Fatalf("%s uses %v of %v", q.Path, q.Used, q.Max)
		}
	}
	for _, n := range g.nodes {
		if c := n.reserved; c != nil != slices.ContainsFunc(g.kept, func(o *Container) bool { return o.Node == n }) || c != nil && !slices.Contains(c.Attempt.Reservations(), c) {
			r.Fatalf("%s is kept for %v", n.Name, c)
		}
	}
	if kept, there := g.s.queues.apps, g.s.queues.sum(0, (*leaf).apps); kept != there {
		r.Fatalf("%d applications, kept %d", there, kept)
	}
}
