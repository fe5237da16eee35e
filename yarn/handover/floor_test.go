// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// stage drives a floor: tasks take as long as length says.
type stage struct {
	*Floor
	queue  des.Queue[func()]
	length func(t model.Task) model.Time
	log    []string
	runs   map[model.Task]run
	gone   int

	launched int
	err      error
}

// run is a task that runs.
type run struct {
	node model.NodeID
	end  des.Handle
}

const properties = `yarn.scheduler.capacity.root.queues=a,b
yarn.scheduler.capacity.root.a.capacity=60
yarn.scheduler.capacity.root.b.capacity=40
yarn.scheduler.capacity.maximum-am-resource-percent=0.1
yarn.scheduler.capacity.node-locality-delay=2`

func newStage(t interface{ Fatal(...any) }, nodes int, rules Rules, master func(mapreduce.Work, mapreduce.Tasks) mapreduce.Master) *stage {

	c := Config{Hosting: Hosting{Properties: map[string]string{}}}
	for line := range strings.Lines(properties) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		c.Properties[name] = value
	}
	settings, err := c.Settings()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{length: func(model.Task) model.Time { return 10 * model.Second }}
	site := Site{Settings: settings, Rules: rules, Seed: 3, NewMaster: master,
		At:    func(at model.Time, e Event) { s.queue.Push(at, func() { s.Happen(s.queue.Now(), e) }) },
		Alarm: func(at model.Time, e Event) { s.queue.SetAlarm(at, func() { s.Happen(s.queue.Now(), e) }) },
	}
	for i := range nodes {
		site.Nodes = append(site.Nodes, capacity.Node{Name: fmt.Sprintf("n%d", i), Rack: fmt.Sprintf("/r%d", i%2), Total: queue.Resource{Memory: 4096, VCores: 4}})
	}
	s.runs = map[model.Task]run{}
	nothing := func(model.Time, model.JobID, *capacity.Container) {}
	site.Callbacks = Callbacks{
		MasterGiven: nothing, MasterReady: nothing,
		MasterGone: func(model.Time, model.JobID, *capacity.Container) { s.gone++ },
		Held:       func(model.Time, model.JobID, *capacity.Attempt, int) {},
		Launch: func(now model.Time, t model.Task, node model.NodeID) {
			s.launched++
			s.runs[t] = run{node, s.queue.Push(now+s.length(t), func() {
				delete(s.runs, t)
				s.TaskEnded(s.queue.Now(), t, node)
			})}
		},
		Kill: func(_ model.Time, t model.Task, _ model.NodeID) {
			s.queue.Cancel(s.runs[t].end)
			delete(s.runs, t)
		},
		Watch: func(now model.Time, step Step, c *capacity.Container, t model.Task) {
			s.log = append(s.log, fmt.Sprintf("%v %s app %d c %d %s %d", now, [...]string{"allocated", "acquired", "launched", "completed", "aborted"}[step], c.Attempt.App, c.Number, t.Kind, t.Index))
		},
		Fail: func(err error) { s.err = err },
	}
	s.Floor = New(site)
	return s
}

func (s *stage) submit(at model.Time, id model.JobID, queueName string, maps, reduces int32, near func(int32) []*capacity.Node) {
	s.queue.Push(at, func() {
		j := &Job{ID: id, Queue: queueName, User: fmt.Sprint("u", id%2), Master: queue.Resource{Memory: 1024, VCores: 1}, Start: 2*model.Second + model.Time(id)*37*model.Millisecond}
		j.Job, j.Total, j.Near = id, [model.Kinds]int32{maps, reduces}, near
		j.Size = [model.Kinds]queue.Resource{{Memory: 1024, VCores: 1}, {Memory: 2048, VCores: 1}}
		if err := s.Submit(s.queue.Now(), j); err != nil {
			s.err = err
		}
	})
}

// run lets all jobs end. each, if set, is called after every event.
func (s *stage) run(t interface{ Fatalf(string, ...any) }, jobs int, each func()) {
	for range 100_000 {
		_, event, ok := s.queue.Pop()
		if !ok || s.gone == jobs || s.err != nil {
			break
		}
		event()
		if each != nil {
			each()
		}
	}
	if s.gone != jobs || s.err != nil {
		t.Fatalf("%d of %d jobs have ended: %v", s.gone, jobs, s.err)
	}
}

func appMaster(w mapreduce.Work, t mapreduce.Tasks) mapreduce.Master {
	rules := mapreduce.DefaultAskRules()
	return mapreduce.NewAppMaster(w, &rules, t)
}

var rules = Rules{NodeBeat: model.Second, MasterBeat: model.Second, Stay: 5 * model.Second, Launch: model.Second}

// One node whose heartbeats come at p + k s. The job is submitted at 0: its master is allocated at p, starts for 2 s,
// and asks 1 s later, just after p + 3. The map is allocated at the node's next heartbeat, p + 4, acquired by the master
// just after that, launched a second later, ends after 10 s just after p + 15, and completes at p + 16. The master stays
// for 5 s from the job's end, and its end is reported at p + 21.
func TestHandOver(t *testing.T) {
	s := newStage(t, 1, rules, appMaster)
	p := s.beats.phase[0]
	s.submit(0, 0, "a", 1, 0, nil)
	s.run(t, 1, nil)
	at := func(k int) model.Time { return p + model.Time(k)*model.Second }
	want := []string{
		fmt.Sprintf("%v allocated app 1 c 1 map 0", at(0)),
		fmt.Sprintf("%v allocated app 1 c 2 map 0", at(4)),
		fmt.Sprintf("%v acquired app 1 c 2 map 0", at(4)+afterNodes),
		fmt.Sprintf("%v launched app 1 c 2 map 0", at(5)+afterNodes),
		fmt.Sprintf("%v completed app 1 c 2 map 0", at(16)),
		fmt.Sprintf("%v completed app 1 c 1 map 0", at(21)),
	}
	if !slices.Equal(s.log, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(s.log, "\n"), strings.Join(want, "\n"))
	}
}

// Heartbeats that are left out would have changed nothing: a twin that leaves none out gives the same containers at
// the same times.
func TestHeartbeatsLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 5).Draw(t, "nodes")
		jobs := rapid.IntRange(1, 5).Draw(t, "jobs")
		master := appMaster
		if rapid.Bool().Draw(t, "sls") {
			master = mapreduce.NewSLS
		}
		local := rapid.Bool().Draw(t, "local")
		type job struct {
			at            model.Time
			queue         string
			maps, reduces int32
		}
		list := make([]job, jobs)
		for i := range list {
			list[i] = job{model.Time(rapid.IntRange(0, 40_000).Draw(t, "at")) * model.Millisecond, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "queue"),
				int32(rapid.IntRange(0, 12).Draw(t, "maps")), int32(rapid.IntRange(0, 4).Draw(t, "reduces"))}
		}
		odd := rules
		odd.Launch = 1031 * model.Millisecond // nothing else comes at the moment of a heartbeat
		var logs [2][]string
		for twin := range logs {
			s := newStage(t, nodes, odd, master)
			s.length = func(t model.Task) model.Time {
				return model.Time(1000+(int(t.Index)*7919+int(t.Job)*104729)%9000)*model.Millisecond + 137*model.Microsecond // never at the moment of a heartbeat
			}
			for i, j := range list {
				var near func(int32) []*capacity.Node
				if local {
					near = func(index int32) []*capacity.Node { return []*capacity.Node{s.nodes[int(index)%nodes].Node} }
				}
				s.submit(j.at, model.JobID(i), j.queue, j.maps, j.reduces, near)
			}
			var each func()
			if twin == 1 {
				each = func() {
					for i := range s.nodes {
						s.report(model.NodeID(i))
					}
					for _, a := range s.apps[1:] {
						a.wake()
					}
					s.plan()
				}
			}
			s.run(t, jobs, each)
			slices.Sort(s.log)
			logs[twin] = s.log
		}
		if !slices.Equal(logs[0], logs[1]) {
			for i := range logs[0] {
				if i >= len(logs[1]) || logs[0][i] != logs[1][i] {
					t.Fatalf("line %d: %q, without leaving out %q", i, logs[0][i], logs[1][min(i, len(logs[1])-1)])
				}
			}
			t.Fatalf("%d lines, without leaving out %d", len(logs[0]), len(logs[1]))
		}
	})
}

// A queue that may have nothing but its guarantee gets the rest of the cluster when its maximum is raised.
func TestRefresh(t *testing.T) {
	c := Config{Hosting: Hosting{Properties: map[string]string{}}, Refresh: []Refresh{{At: 30 * model.Second, Properties: map[string]string{"yarn.scheduler.capacity.root.b.maximum-capacity": "100"}}}}
	for line := range strings.Lines(properties + "\nyarn.scheduler.capacity.root.b.maximum-capacity=40\nyarn.scheduler.capacity.root.b.user-limit-factor=-1") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		c.Properties[name] = value
	}
	if p := c.Validate(); len(p) > 0 {
		t.Fatal(p)
	}
	before, _ := c.Settings()
	after, _ := c.SettingsAfter(0)
	s := newStage(t, 4, rules, appMaster)
	site := s.Site
	site.Settings, site.Changes = before, []Change{{c.Refresh[0].At, after}}
	s.Floor = New(site)
	s.length = func(model.Task) model.Time { return 300 * model.Second }
	s.submit(0, 0, "b", 40, 0, nil)
	most := map[bool]int64{} // memory in use, before and after
	for range 2000 {
		_, event, ok := s.queue.Pop()
		if !ok || s.queue.Now() > 100*model.Second {
			break
		}
		event()
		late := s.queue.Now() >= 30*model.Second
		most[late] = max(most[late], s.rm.Tree().Queues[0].Used.Memory)
	}
	// 40 % of 16,384 MB are 6,553: six containers of 1,024 MB.
	if s.err != nil || most[false] != 6144 || most[true] != 16384 {
		t.Error(s.err, most)
	}
}
