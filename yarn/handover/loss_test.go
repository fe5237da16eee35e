// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
)

// lose takes a node away at a time, as an engine does: its tasks first. It is given up after a while.
func (s *stage) lose(at model.Time, id model.NodeID, after model.Time) {
	s.queue.Push(at, func() {
		for t, r := range s.runs {
			if r.node == id {
				s.queue.Cancel(r.end)
				delete(s.runs, t)
			}
		}
		s.Silence(s.queue.Now(), id)
		s.queue.Push(s.queue.Now()+after, func() { s.GiveUp(s.queue.Now(), id) })
	})
}

// A master of one attempt is lost with its node. Its application fails when the node is given up, and has nothing left.
func TestOnlyMasterLost(t *testing.T) {
	once := rules
	once.Attempts = 1
	s := newStage(t, 2, once, appMaster)
	var failed []string
	s.AppFailed = func(now model.Time, job model.JobID) { failed = append(failed, fmt.Sprint(now, " job ", job)) }
	s.submit(0, 0, "a", 3, 0, nil)
	for s.launched < 3 {
		_, event, _ := s.queue.Pop()
		event()
	}
	lost := s.queue.Now() + 1
	s.lose(lost, NodeOf(s.apps[1].master), 20*model.Second)
	for {
		_, event, ok := s.queue.Pop()
		if !ok || s.queue.Now() > lost+model.Minute {
			break
		}
		event()
	}
	if want := fmt.Sprint(lost+20*model.Second, " job 0"); len(failed) != 1 || failed[0] != want || len(s.runs) > 0 || s.gone != 1 || s.err != nil {
		t.Errorf("failed %v, want %s; %d tasks run, %d masters have gone: %v", failed, want, len(s.runs), s.gone, s.err)
	}
	if used := s.rm.Tree().Queues[0].Used; used != (queue.Resource{}) {
		t.Errorf("%v are used", used)
	}
}

// The master of a job with three maps is lost while the last two run, one of them on the other node. Both end at once. The
// resource manager gives the node up 20 s later and starts another master, which knows that the first map has ended: it
// runs the other two again.
func TestMasterLost(t *testing.T) {
	s := newStage(t, 2, rules, appMaster)
	s.length = func(t model.Task) model.Time { return model.Time(1+19*min(t.Index, 1)) * model.Second }
	s.submit(0, 0, "a", 3, 0, nil)
	for s.launched < 3 || len(s.runs) != 2 {
		_, event, _ := s.queue.Pop()
		event()
	}
	master, elsewhere := NodeOf(s.apps[1].master), 0
	for _, r := range s.runs {
		if r.node != master {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		t.Fatal("all maps run beside the master: another case is needed")
	}
	lost := s.queue.Now()
	s.lose(lost+1, master, 20*model.Second)
	s.run(t, 2, nil) // both masters have gone
	if s.launched != 5 || s.apps[1].rm.Attempt.Number != 2 {
		t.Errorf("%d launches, attempt %d", s.launched, s.apps[1].rm.Attempt.Number)
	}
	for _, line := range s.log {
		var at float64
		var step string
		fmt.Sscanf(line, "%gs %s", &at, &step)
		if step == "allocated" && at > lost.Seconds() && at < lost.Seconds()+20 {
			t.Errorf("before the node is given up: %s", line)
		}
	}
}

// On drawn clusters whose nodes come and go every job ends, queues use what their children use, no node gives more than it
// has, and the root has given no more than its maximum when a container is given.
func TestLimitsAndLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 5).Draw(t, "nodes")
		s := newStage(t, nodes, rules, appMaster)
		jobs := rapid.IntRange(1, 5).Draw(t, "jobs")
		for i := range jobs {
			at := model.Time(rapid.IntRange(0, 40_000).Draw(t, "at")) * model.Millisecond
			s.submit(at, model.JobID(i), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "queue"), int32(rapid.IntRange(0, 12).Draw(t, "maps")), int32(rapid.IntRange(0, 4).Draw(t, "reduces")), nil)
		}
		for i := range rapid.IntRange(0, nodes).Draw(t, "losses") {
			id := model.NodeID(i)
			at := model.Time(rapid.IntRange(0, 90_000).Draw(t, "lost")) * model.Millisecond
			after := model.Time(rapid.IntRange(0, 30_000).Draw(t, "after")) * model.Millisecond
			s.lose(at, id, after)
			s.queue.Push(at+after+30*model.Second, func() { s.Return(s.queue.Now(), id) })
		}
		over := 0
		given := 0
		for range 100_000 {
			_, event, ok := s.queue.Pop()
			if !ok || s.err != nil {
				break
			}
			event()
			started := len(s.log) > given && strings.Contains(s.log[len(s.log)-1], "allocated")
			given = len(s.log)
			s.checkTree(t, started)
		}
		for _, a := range s.apps[1:] {
			if a.rm.Over() {
				over++
			}
		}
		if over != jobs || s.err != nil {
			t.Fatalf("%d of %d jobs have ended: %v", over, jobs, s.err)
		}
	})
}

// checkTree checks sums, and limits if a container was just given.
func (s *stage) checkTree(t *rapid.T, started bool) {
	tree := s.rm.Tree()
	sums := make([]queue.Resource, len(tree.Queues))
	for i := len(tree.Queues) - 1; i >= 0; i-- {
		q := &tree.Queues[i]
		if len(q.Children) > 0 && q.Used != sums[i] {
			t.Fatalf("%s uses %v, its children %v", q.Path, q.Used, sums[i])
		}
		if q.Parent >= 0 {
			sums[q.Parent] = sums[q.Parent].Add(q.Used)
		}
		if started && q.Parent < 0 && q.Used.Sub(q.Reserved).Memory > q.Max.Memory {
			t.Fatalf("%s uses %v of %v", q.Path, q.Used, q.Max)
		}
	}
	var used queue.Resource
	for i := range s.nodes {
		n := s.nodes[i].Node
		if n.Used.Memory > n.Total.Memory {
			t.Fatalf("%s uses %v of %v", n.Name, n.Used, n.Total)
		}
		used = used.Add(n.Used)
		if c := n.Reserved(); c != nil {
			used = used.Add(c.Size)
		}
	}
	if used != tree.Queues[0].Used {
		t.Fatalf("nodes use %v, queues %v", used, tree.Queues[0].Used)
	}
}
