// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// end lets containers make way, as after a look of the monitor.
func (s *stage) end(containers ...*capacity.Container) {
	s.set(s.queue.Now())
	s.watcher.end(nil, containers)
	s.plan()
}

// until lets things happen until a number of tasks were launched and all of them run.
func (s *stage) until(launched int) {
	for s.launched < launched || len(s.runs) < launched {
		_, event, _ := s.queue.Pop()
		event()
	}
}

// Two of three maps that run are pre-empted. Their processes end at once, their room is free at once; the master hears of it
// at its next heartbeat and asks for both anew, as ordinary maps.
func TestTasksMakeWay(t *testing.T) {
	s := newStage(t, 2, rules, appMaster)
	s.submit(0, 0, "a", 3, 0, nil)
	s.until(3)
	a := s.apps[1]
	free := s.rm.Tree().Queues[0].Used
	s.end(a.rm.Attempt.Container(2), a.rm.Attempt.Container(3))
	if len(s.runs) != 1 {
		t.Errorf("%d maps run", len(s.runs))
	}
	if free = free.Sub(s.rm.Tree().Queues[0].Used); free != (queue.Resource{Memory: 2048, VCores: 2}) {
		t.Errorf("%v is free again", free)
	}
	s.run(t, 1, nil)
	if c := a.rm.Attempt; s.launched != 5 || c.Number != 1 {
		t.Errorf("%d launches, attempt %d", s.launched, c.Number)
	}
}

// A map whose process starts has not been launched yet: nobody is told to end it, and it does not start.
func TestStartMakesWay(t *testing.T) {
	s := newStage(t, 1, rules, appMaster)
	s.submit(0, 0, "a", 1, 0, nil)
	a := func() *app { return s.apps[1] }
	for len(s.apps) < 2 || a().rm.Attempt.Container(2) == nil || a().rm.Attempt.Container(2).Task.Job == model.None {
		_, event, _ := s.queue.Pop()
		event()
	}
	s.end(a().rm.Attempt.Container(2))
	s.run(t, 1, nil)
	if s.launched != 1 {
		t.Errorf("%d launches", s.launched)
	}
}

// A map has done its work and its node has not reported it. The container is pre-empted in between: the map is done all
// the same.
func TestEndedMakesWay(t *testing.T) {
	for name, master := range map[string]func(mapreduce.Work, mapreduce.Tasks) mapreduce.Master{"MapReduce": appMaster, "SLS": mapreduce.NewSLS} {
		s := newStage(t, 1, rules, master)
		s.submit(0, 0, "a", 2, 0, nil)
		s.length = func(t model.Task) model.Time { return model.Time(10+10*t.Index) * model.Second }
		s.until(2)
		for len(s.runs) == 2 {
			_, event, _ := s.queue.Pop()
			event()
		}
		s.end(s.apps[1].rm.Attempt.Container(2))
		s.run(t, 1, nil)
		if s.launched != 2 {
			t.Errorf("%s: %d launches", name, s.launched)
		}
	}
}

// A master is pre-empted while a map has ended and two run. They end with it; the next attempt starts at once, which is
// allowed even if a master has two, and runs these two again. A master that has one attempt takes its application with it.
func TestMasterMakesWay(t *testing.T) {
	for attempts, want := range map[int]string{0: "launches 5, attempt 2, failed 0", 1: "launches 3, attempt 1, failed 1"} {
		once := rules
		once.Attempts = attempts
		s := newStage(t, 2, once, appMaster)
		failed := 0
		s.AppFailed = func(model.Time, model.JobID) { failed++ }
		s.length = func(t model.Task) model.Time { return model.Time(1+19*min(t.Index, 1)) * model.Second }
		s.submit(0, 0, "a", 3, 0, nil)
		for s.launched < 3 || len(s.runs) != 2 {
			_, event, _ := s.queue.Pop()
			event()
		}
		s.end(s.apps[1].master)
		if len(s.runs) > 0 || s.gone != 1 {
			t.Errorf("%d maps run, %d masters have gone", len(s.runs), s.gone)
		}
		s.run(t, 2-attempts, nil)
		if got := fmt.Sprintf("launches %d, attempt %d, failed %d", s.launched, s.apps[1].rm.Attempt.Number, failed); got != want {
			t.Errorf("%d attempts: %s, want %s", attempts, got, want)
		}
	}
}

// Whatever containers make way, and whenever, all jobs end, sums are right and no node gives more than it has. The master of
// SLS may ask for too many containers then, which stay empty, so that it needs some room.
func TestAnyContainerMakesWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		master, least := appMaster, 1
		if rapid.Bool().Draw(t, "sls") {
			master, least = mapreduce.NewSLS, 4
		}
		s := newStage(t, rapid.IntRange(least, 5).Draw(t, "nodes"), rules, master)
		s.AppFailed = func(model.Time, model.JobID) { t.Fatal("an application has failed") }
		jobs := rapid.IntRange(1, 5).Draw(t, "jobs")
		for i := range jobs {
			at := model.Time(rapid.IntRange(0, 40_000).Draw(t, "at")) * model.Millisecond
			s.submit(at, model.JobID(i), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "queue"), int32(rapid.IntRange(0, 12).Draw(t, "maps")), int32(rapid.IntRange(0, 4).Draw(t, "reduces")), nil)
		}
		for range rapid.IntRange(0, 12).Draw(t, "looks") {
			at := model.Time(rapid.IntRange(0, 90_000).Draw(t, "look")) * model.Millisecond
			most, skip := rapid.IntRange(1, 4).Draw(t, "most"), rapid.IntRange(0, 3).Draw(t, "skip")
			s.queue.Push(at, func() { s.end(s.some(skip, most)...) })
		}
		for range 100_000 {
			_, event, ok := s.queue.Pop()
			if !ok || s.err != nil {
				break
			}
			event()
			s.checkTree(t, false)
		}
		if over := slices.IndexFunc(s.apps[1:], func(a *app) bool { return !a.rm.Over() }); over >= 0 || s.err != nil {
			t.Fatalf("job %d has not ended: %v", over, s.err)
		}
	})
}

// some returns containers that live.
func (s *stage) some(skip, most int) (list []*capacity.Container) {
	for i := range s.nodes {
		for _, c := range s.nodes[i].Containers {
			if skip--; skip < 0 && len(list) < most {
				list = append(list, c)
			}
		}
	}
	return list
}

// Looks come each interval while somebody asks for room, and not before: the queue that has less than its guarantee is
// given room after the wait, and when all have what they ask for nobody looks any more.
func TestLooks(t *testing.T) {
	s := newStage(t, 2, rules, appMaster)
	site := s.Site
	on := *site.Settings
	on.Preemption = settings.Preemption{On: true, Interval: 3000, Wait: 6000, PerRound: 1, Natural: 1}
	site.Settings = &on
	var looked []model.Time
	site.At = func(at model.Time, e Event) {
		s.queue.Push(at, func() {
			if e.Kind == looks {
				looked = append(looked, s.queue.Now())
			}
			s.Happen(s.queue.Now(), e)
		})
	}
	s.Floor = New(site)
	s.length = func(model.Task) model.Time { return 200 * model.Second }
	s.submit(0, 0, "a", 3, 0, nil) // a may have no more than 60 %
	s.run(t, 1, nil)
	if len(looked) == 0 || len(looked) > 4 || looked[0] != 3*model.Second {
		t.Errorf("looks at %v", looked)
	}
}
