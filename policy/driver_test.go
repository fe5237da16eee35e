// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
)

// diary is where fake parts write down what they are told.
type diary []string

func (d *diary) note(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

func (d *diary) expect(t *testing.T, why string, want ...string) {
	t.Helper()
	if !slices.Equal(*d, want) {
		t.Errorf("%s:\n  %s\nwant:\n  %s", why, strings.Join(*d, "\n  "), strings.Join(want, "\n  "))
	}
	*d = nil
}

// part observes everything, and ticks at the times given, then stands still.
type part struct {
	name  string
	diary *diary
	ticks []model.Time
}

func (p *part) JobAdmitted(_ model.Time, j *cluster.Job) {
	p.diary.note("%s JobAdmitted %d", p.name, j.ID)
}
func (p *part) JobEnded(_ model.Time, j *cluster.Job) { p.diary.note("%s JobEnded %d", p.name, j.ID) }
func (p *part) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	p.diary.note("%s Wants %d %d %t", p.name, j.ID, pool, wants)
}
func (p *part) KindsWanted(_ model.Time, j *cluster.Job) {
	p.diary.note("%s KindsWanted %d", p.name, j.ID)
}
func (p *part) TaskStarted(_ model.Time, _ *cluster.Job, k model.Kind, node model.NodeID) {
	p.diary.note("%s TaskStarted %v on %d", p.name, k, node)
}
func (p *part) TaskEnded(_ model.Time, _ *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	p.diary.note("%s TaskEnded %v on %d %t", p.name, k, node, done)
}
func (p *part) AttemptStarted(_ model.Time, _ *cluster.Job, t model.Task, node model.NodeID) {
	p.diary.note("%s AttemptStarted %v on %d", p.name, t, node)
}
func (p *part) AttemptEnded(_ model.Time, _ *cluster.Job, t model.Task, node model.NodeID, _ model.Time, done bool) {
	p.diary.note("%s AttemptEnded %v on %d %t", p.name, t, node, done)
}
func (p *part) TaskDoubled(_ model.Time, _ *cluster.Job, t model.Task) {
	p.diary.note("%s TaskDoubled %v", p.name, t)
}
func (p *part) MapMade(_ model.Time, _ *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	p.diary.note("%s MapMade %d on %d %d", p.name, index, node, output)
}
func (p *part) MapLost(_ model.Time, _ *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	p.diary.note("%s MapLost %d on %d %d", p.name, index, node, output)
}
func (p *part) LinksSampled(model.Time) bool {
	p.diary.note("%s LinksSampled", p.name)
	return p.name == "a"
}
func (p *part) TaskRan(_ model.Time, _ *cluster.Job, k model.Kind, length model.Time) {
	p.diary.note("%s TaskRan %v %d", p.name, k, length)
}
func (p *part) Tick(now model.Time) model.Time {
	p.diary.note("%s Tick %d", p.name, now)
	if len(p.ticks) == 0 {
		return model.Forever
	}
	next := p.ticks[0]
	p.ticks = p.ticks[1:]
	return next
}

// gate admits all that it is told of, one by one, and turns away job 7.
type gate struct {
	part
	waiting []*cluster.Job
}

func (g *gate) Refuses(_ model.Time, j *cluster.Job) (model.Limit, bool) {
	g.diary.note("%s Refuses %d", g.name, j.ID)
	return model.LimitInit, j.ID == 7
}

func (g *gate) JobSubmitted(_ model.Time, j *cluster.Job) {
	g.diary.note("%s JobSubmitted %d", g.name, j.ID)
	g.waiting = append(g.waiting, j)
}

func (g *gate) NextAdmitted(model.Time) (admitted, held *cluster.Job, limit model.Limit) {
	g.diary.note("%s NextAdmitted", g.name)
	if len(g.waiting) == 0 {
		return nil, nil, 0
	}
	admitted, g.waiting = g.waiting[0], g.waiting[1:]
	return admitted, nil, 0
}

// whole is made of parts; that it is a Ticker itself does not count.
type whole struct {
	diary *diary
	parts []any
}

func (w *whole) Pick(*Offer) Decision { w.diary.note("Pick"); return Nothing(Here, 0) }
func (w *whole) Parts() []any         { return w.parts }
func (w *whole) Tick(model.Time) model.Time {
	panic("the whole is not asked where its parts are")
}

// watch writes down what a watcher is told.
type watch struct{ diary *diary }

func (w watch) Before(call string, now model.Time) { w.diary.note("before %s at %d", call, now) }
func (w watch) After(call string, now model.Time)  { w.diary.note("after %s at %d", call, now) }

func oneNode(m model.RoomModel, room model.Room) *model.Topology {
	return &model.Topology{Model: m, Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: room, Speed: 1}}, Nodes: make([]model.Node, 1)}
}

// TestDriverOrder is the life of a job, call by call, as the comment of Driver states it.
func TestDriverOrder(t *testing.T) {
	d := &diary{}
	env := &Env{Cluster: cluster.New(oneNode(model.Containers, model.Room{4, 0}))}
	a, b := &part{name: "a", diary: d}, &gate{part: part{name: "b", diary: d}}
	store := NewPerJob[int](env)
	driver := Drive(env, &whole{d, []any{a, b}})
	driver.Tick(0)
	d.expect(t, "every clock ticks first at 0", "a Tick 0", "b Tick 0")
	j := env.Cluster.AddJob(1, &model.Job{ID: 3, Maps: 1})
	task := model.Task{Job: 3, Kind: model.Map}
	for _, c := range []struct {
		call string
		do   func()
		told []string
	}{
		{"Submit", func() {
			if _, refused := driver.Submit(1, j); refused {
				t.Error("the job is refused")
			}
		}, []string{"b Refuses 3", "b JobSubmitted 3", "a Tick 1", "b Tick 1"}},
		{"NextAdmitted", func() {
			if admitted, _, _ := driver.NextAdmitted(1); admitted != j {
				t.Errorf("admits %v", admitted)
			}
		}, []string{"b NextAdmitted"}},
		{"Admitted", func() { driver.Admitted(1, j) }, []string{"a JobAdmitted 3", "b JobAdmitted 3"}},
		{"Wants", func() { driver.Wants(1, j, 1, true) }, []string{"a Wants 3 1 true", "b Wants 3 1 true"}},
		{"Kinds", func() { driver.Kinds.Look(1, j) }, []string{"a KindsWanted 3", "b KindsWanted 3"}},
		{"Pick", func() { driver.Pick(&Offer{Now: 2}) }, []string{"Pick"}},
		{"Started", func() { driver.Started(2, j, task, 5) },
			[]string{"a TaskStarted map on 5", "b TaskStarted map on 5", "a AttemptStarted {3 map 0} on 5", "b AttemptStarted {3 map 0} on 5"}},
		{"Doubled", func() { driver.Doubled(2, j, task) }, []string{"a TaskDoubled {3 map 0}", "b TaskDoubled {3 map 0}"}},
		{"Killed", func() { driver.Killed(3, j, task, 5, 2) },
			[]string{"a TaskEnded map on 5 false", "b TaskEnded map on 5 false", "a AttemptEnded {3 map 0} on 5 false", "b AttemptEnded {3 map 0} on 5 false"}},
		{"Done", func() { driver.Done(4, j, task, 5, 2, 9) },
			[]string{"a TaskRan map 9", "b TaskRan map 9", "a TaskEnded map on 5 true", "b TaskEnded map on 5 true", "a AttemptEnded {3 map 0} on 5 true", "b AttemptEnded {3 map 0} on 5 true"}},
		{"Made", func() { driver.Made(4, j, 0, 5, 8) }, []string{"a MapMade 0 on 5 8", "b MapMade 0 on 5 8"}},
		{"Lost", func() { driver.Lost(4, j, 0, 5, 8) }, []string{"a MapLost 0 on 5 8", "b MapLost 0 on 5 8"}},
		{"LinksSampled", func() {
			if !driver.LinksSampled(4) {
				t.Error("one of two wants room to be offered again")
			}
		}, []string{"a LinksSampled", "b LinksSampled"}},
		{"Left", func() { *store.Of(j) = 1; driver.Left(5, j) }, []string{"a JobEnded 3", "b JobEnded 3", "a Tick 5", "b Tick 5"}},
	} {
		c.do()
		d.expect(t, c.call, c.told...)
	}
	if *store.Of(j) != 0 {
		t.Error("the store has not forgotten the job")
	}
	refused := env.Cluster.AddJob(6, &model.Job{ID: 7})
	*store.Of(refused) = 1
	if limit, no := driver.Submit(6, refused); !no || limit != model.LimitInit || *store.Of(refused) != 0 {
		t.Errorf("refused: %t, by %v; the store has %d", no, limit, *store.Of(refused))
	}
	d.expect(t, "a job that is refused is not submitted, and wakes nobody", "b Refuses 7")
}

// Without an admitter jobs are admitted in the order of their submission.
func TestDriverAdmitsAll(t *testing.T) {
	env := &Env{Cluster: cluster.New(oneNode(model.Slots, model.Room{4, 4}))}
	driver := Drive(env, &whole{&diary{}, nil})
	for id := range model.JobID(3) {
		driver.Submit(0, env.Cluster.AddJob(0, &model.Job{ID: id}))
	}
	for id := range model.JobID(3) {
		if j, _, _ := driver.NextAdmitted(0); j == nil || j.ID != id {
			t.Errorf("%d: %v", id, j)
		}
	}
	if j, held, _ := driver.NextAdmitted(0); j != nil || held != nil {
		t.Errorf("at the end: %v, %v", j, held)
	}
	if driver.Rank(0) != nil || driver.Can() != 0 || driver.Placement() != nil || driver.Next() != model.Forever {
		t.Error("a policy without optional interfaces has some")
	}
}

// Each clock keeps its own times. One that stands still ticks when a job is submitted or ends, and the
// others do not.
func TestDriverClocks(t *testing.T) {
	d := &diary{}
	env := &Env{Cluster: cluster.New(oneNode(model.Slots, model.Room{4, 4}))}
	a, b := &part{name: "a", diary: d, ticks: []model.Time{10, 20, 20, 40}}, &part{name: "b", diary: d, ticks: []model.Time{15, model.Forever, 30}}
	driver := Drive(env, &whole{d, []any{a, b}})
	j := env.Cluster.AddJob(0, &model.Job{})
	tick := func(now model.Time) func() { return func() { driver.Tick(now) } }
	for _, c := range []struct {
		do   func()
		told []string
		next model.Time
	}{
		{tick(0), []string{"a Tick 0", "b Tick 0"}, 10},
		{tick(10), []string{"a Tick 10"}, 15},
		{tick(15), []string{"b Tick 15"}, 20}, // b stands still
		{tick(16), nil, 20},
		{tick(20), []string{"a Tick 20"}, 21}, // at the earliest after now
		{func() { driver.Submit(20, j) }, []string{"b Tick 20"}, 21},
		{tick(21), []string{"a Tick 21"}, 30},
		{tick(30), []string{"b Tick 30"}, 40},
		{func() { driver.Left(35, j) }, []string{"a JobEnded 0", "b JobEnded 0", "b Tick 35"}, 40},
		{tick(40), []string{"a Tick 40"}, model.Forever},
		{func() { driver.Submit(41, j) }, []string{"a Tick 41", "b Tick 41"}, model.Forever},
	} {
		c.do()
		d.expect(t, "clocks", c.told...)
		if next := driver.Next(); next != c.next {
			t.Errorf("next %d, want %d", next, c.next)
		}
	}
}

// A watcher is told before and after every call, with its name and time.
func TestDriverWatcher(t *testing.T) {
	d := &diary{}
	env := &Env{Cluster: cluster.New(oneNode(model.Containers, model.Room{4, 0}))}
	driver := Drive(env, &whole{d, []any{&gate{part: part{name: "b", diary: d}}}})
	driver.Watcher = watch{d}
	j := env.Cluster.AddJob(0, &model.Job{})
	driver.Submit(4, j)
	d.expect(t, "submit", "before Refuses at 4", "b Refuses 0", "after Refuses at 4", "before JobSubmitted at 4", "b JobSubmitted 0", "after JobSubmitted at 4")
	for call, do := range map[string]func(){
		"Pick":         func() { driver.Pick(&Offer{Now: 5}) },
		"NextAdmitted": func() { driver.NextAdmitted(5) },
		"JobAdmitted":  func() { driver.Admitted(5, j) },
		"JobEnded":     func() { driver.Left(5, j) },
		"Wants":        func() { driver.Wants(5, j, 0, true) },
		"KindsWanted":  func() { driver.Kinds.Look(5, j) },
		"TaskStarted":  func() { driver.Started(5, j, model.Task{}, 0) },
		"TaskDoubled":  func() { driver.Doubled(5, j, model.Task{}) },
		"MapMade":      func() { driver.Made(5, j, 0, 0, 1) },
		"MapLost":      func() { driver.Lost(5, j, 0, 0, 1) },
		"LinksSampled": func() { driver.LinksSampled(5) },
		"TaskRan":      func() { driver.Done(5, j, model.Task{}, 0, 4, 1) },
		"TaskEnded":    func() { driver.Killed(5, j, model.Task{}, 0, 4) },
		"Tick":         func() { driver.Tick(5) },
	} {
		do()
		if !slices.Contains(*d, "before "+call+" at 5") || !slices.Contains(*d, "after "+call+" at 5") {
			t.Errorf("%s: %v", call, *d)
		}
		*d = nil
	}
}

// ranking ranks, admits and places data.
type ranking struct{ *gate }

func (ranking) Pick(*Offer) Decision      { return Nothing(Here, 0) }
func (ranking) Rank(int) []model.JobID    { return []model.JobID{4} }
func (ranking) Placement() hdfs.Placement { return hdfs.NewDefault(oneNode(model.Slots, model.Room{})) }

func TestDriverCan(t *testing.T) {
	env := &Env{Cluster: cluster.New(oneNode(model.Slots, model.Room{4, 4}))}
	driver := Drive(env, ranking{&gate{part: part{diary: &diary{}}}})
	if driver.Can() != CanRank|CanAdmit|CanPlaceData || !slices.Equal(driver.Rank(0), []model.JobID{4}) || driver.Placement() == nil {
		t.Errorf("it can %v", driver.Can())
	}
}

// A store has the zero value for a job that comes, even in the slot of one that has left.
func TestPerJob(t *testing.T) {
	env := &Env{Cluster: cluster.New(oneNode(model.Slots, model.Room{4, 4}))}
	early := NewPerJob[[]int](env)
	driver := Drive(env, &whole{&diary{}, nil})
	a, b := env.Cluster.AddJob(0, &model.Job{ID: 0}), env.Cluster.AddJob(0, &model.Job{ID: 1})
	*early.Of(b) = []int{2}
	if *early.Of(a) != nil || len(*early.Of(b)) != 1 {
		t.Error("a job that was not told of has something")
	}
	*early.Of(a) = []int{1}
	driver.Left(1, a)
	env.Cluster.RemoveJob(a)
	for id := model.JobID(2); id < 100; id++ {
		c := env.Cluster.AddJob(2, &model.Job{ID: id})
		if c.Slot != a.Slot {
			t.Fatalf("job %d has slot %d: slots are not used again", id, c.Slot)
		}
		if *early.Of(c) != nil {
			t.Errorf("job %d inherits %v", id, *early.Of(c))
		}
		*early.Of(c) = []int{int(id)}
		driver.Left(3, c)
		env.Cluster.RemoveJob(c)
	}
	if len(*early.Of(b)) != 1 || len(early.items) != 2 {
		t.Errorf("job 1 has %v; room for %d jobs, and never more than 2 at a time", *early.Of(b), len(early.items))
	}
}

func TestEntryWords(t *testing.T) {
	if s := (CanRank | CanAdmit).String(); s != "rank jobs, admit jobs" {
		t.Error(s)
	}
	if Need(0).String() == KnownSizes.String() || !KnownSizes.Has(KnownSizes) || Need(0).Has(KnownSizes) {
		t.Error("needs are mixed up")
	}
	r := Registry{{Name: "a"}, {Name: "b"}}
	if e, ok := r.Find("b"); !ok || e != &r[1] || !slices.Equal(r.Names(), []string{"a", "b"}) {
		t.Error("the registry does not find its entries")
	}
	if _, ok := r.Find("c"); ok {
		t.Error("the registry found what it does not have")
	}
}
