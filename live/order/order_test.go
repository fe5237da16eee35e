// SPDX-License-Identifier: Apache-2.0

package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
)

// TestLevels: a queue that goes by priority, then by submission, serves the applications in their order as far as there
// are levels, and no level is used without need.
func TestLevels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		n, most := random.IntN(9), 1+random.IntN(8)
		rank, room := make([]Ranked, n), most
		for i, turn := range random.Perm(n) {
			rank[i] = Ranked{Turn: turn, Priority: random.IntN(most + 1), First: random.IntN(2), Changed: random.IntN(3) == 0}
			if rank[i].Changed && rank[i].Priority == rank[i].First {
				rank[i].Priority = (rank[i].First + 1) % (most + 1)
			}
			if rank[i].Changed {
				room = most - 2 // at most the levels 0 and 1 are skipped
			}
		}
		levels := Levels(rank, most)
		descents := 0
		for i := range rank {
			if levels[i] < 0 || levels[i] > most {
				t.Fatalf("%v for %v: beyond %d", levels, rank, most)
			}
			if rank[i].Changed && levels[i] == rank[i].First {
				t.Fatalf("%v for %v: a first priority cannot be given back", levels, rank)
			}
			rank[i].Priority = levels[i]
			if i > 0 && rank[i].Turn < rank[i-1].Turn {
				descents++
			}
		}
		if descents <= room && !inOrder(rank) {
			t.Fatalf("%v does not give the order of %v", levels, rank)
		}
		if again := Levels(rank, most); descents <= room && !slices.Equal(again, levels) {
			t.Fatalf("%v becomes %v by itself", levels, again)
		}
	}
	// An application that was raised from 0 goes to the lowest level that is not 0.
	back := []Ranked{{Turn: 1, Priority: 1, Changed: true}, {Turn: 2}, {Turn: 0, Priority: 1, Changed: true}}
	if got := Levels(back, 10); !slices.Equal(got, []int{2, 2, 1}) {
		t.Errorf("%v where 0 cannot be given back", got)
	}
	if got := Levels(back, 1); !slices.Equal(got, []int{1, 1, 1}) {
		t.Errorf("%v where 0 cannot be given back and 1 is the largest", got)
	}
	few := []Ranked{{Turn: 3}, {Turn: 2}, {Turn: 1}, {Turn: 0}}
	if got := Levels(few, 2); !slices.Equal(got, []int{2, 1, 0, 0}) {
		t.Errorf("%v with three levels", got)
	}
}

func mirror(t *testing.T, name string, params any) *Mirror {
	t.Helper()
	e, ok := policies.All.Find(name)
	if !ok {
		t.Fatal(name)
	}
	if params == nil {
		params = e.Defaults()
	}
	m, err := NewMirror(e, params, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func app(n, containers, asked int, memorySeconds int64) rest.App {
	a := rest.App{ID: fmt.Sprintf("application_1_%04d", n), Name: fmt.Sprintf("job%d", n), Queue: "root.prod", State: rest.StateRunning,
		Containers: containers, Allocated: rest.Resource{Memory: model.Bytes(containers) * 512 * model.MiB}, MemorySeconds: memorySeconds, Started: rest.Moment(1000 * n)}
	if asked > 0 {
		a.Requests = []rest.Request{{Where: "*", Containers: asked}, {Where: "/rack1", Containers: asked}}
	}
	if containers == 0 {
		a.State = rest.StateAccepted
	}
	return a
}

func unknown(*rest.App) Counts { return Counts{} }

func ranked(m *Mirror) string {
	var names []string
	for _, r := range m.Rank() {
		names = append(names, r.ID[len(r.ID)-1:])
	}
	return strings.Join(names, " ")
}

// TestFeedback: two large applications came first; once memorySeconds say that they have had their 60 s of service they
// come behind the small ones. Their masters' part, and what they no longer ask for, does not count.
func TestFeedback(t *testing.T) {
	e, _ := policies.All.Find("fbq")
	params := e.Params()
	limits, ok := params.(interface{ Rising() []model.Time })
	if !ok {
		t.Fatal("fbq has no limits")
	}
	limits.Rising()[0] = 60 * model.Second
	m := mirror(t, "fbq", params)
	apps := []rest.App{app(1, 5, 3, 0), app(2, 5, 3, 0), app(3, 0, 0, 0), app(4, 1, 2, 0)}
	m.Update(0, apps, unknown)
	if got := ranked(m); got != "1 2 3 4" {
		t.Errorf("served in the order %s at first", got)
	}
	// 512 MiB for 70 s and the master's 512 MiB for 20 s: 70 s of service, and 50 s.
	apps[0].MemorySeconds, apps[1].MemorySeconds = 512*(70+20), 512*(50+20)
	m.Update(20*model.Second, apps, unknown)
	if got := ranked(m); got != "2 3 4 1" {
		t.Errorf("served in the order %s, want the first behind", got)
	}
	apps[1].MemorySeconds = 512 * (61 + 23)
	m.Update(23*model.Second, apps, unknown)
	if got := ranked(m); got != "3 4 1 2" {
		t.Errorf("served in the order %s, want both behind", got)
	}
	// The ResourceManager has restarted and forgotten: what was received was received.
	apps[0].MemorySeconds, apps[1].MemorySeconds = 0, 0
	apps[2] = app(3, 1, 0, 512)
	m.Update(26*model.Second, apps, unknown)
	if got := ranked(m); got != "4 1 2" {
		t.Errorf("served in the order %s after a restart", got)
	}
	m.Update(29*model.Second, apps[1:2], unknown)
	if got := ranked(m); got != "2" || m.state.Len() != 1 {
		t.Errorf("%s are left of %d", got, m.state.Len())
	}
}

func TestSizesAndGoals(t *testing.T) {
	m := mirror(t, "srpt", nil)
	var err error
	if m.Sizes, err = ReadSaid("sizes", strings.NewReader("# sizes\njob1 500s\njob[23]  5min\n")); err != nil {
		t.Fatal(err)
	}
	apps := []rest.App{app(1, 2, 1, 0), app(2, 2, 1, 0), app(4, 2, 1, 0)}
	m.Update(0, apps, unknown)
	if got := ranked(m); got != "2 1 4" {
		t.Errorf("srpt serves in the order %s", got)
	}
	apps[0].MemorySeconds = 512 * 310
	m.Update(10*model.Second, apps, unknown)
	if got := ranked(m); got != "1 2 4" {
		t.Errorf("srpt serves in the order %s when the first has only 200 s left", got)
	}

	m = mirror(t, "edf", nil)
	if m.Goals, err = ReadSaid("goals", strings.NewReader("job* 1h")); err != nil {
		t.Fatal(err)
	}
	apps = []rest.App{app(1, 1, 1, 0), app(2, 1, 1, 0), app(3, 1, 1, 0)}
	apps[1].Tags = "nightly,goal=300s"
	apps[2].Tags = "goal=2h"
	m.Update(0, apps, unknown)
	if got := ranked(m); got != "2 1 3" {
		t.Errorf("edf serves in the order %s", got)
	}
	for _, text := range []string{"job", "job x", "job 0s", "[ 3s"} {
		if _, err := ReadSaid("f", strings.NewReader(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestDeadline: of two jobs alike, the one whose goal is nearer needs more slots, and comes first once tasks have ended.
func TestDeadline(t *testing.T) {
	m := mirror(t, "deadline-max", nil)
	apps := []rest.App{app(1, 3, 1, 0), app(2, 3, 1, 0)}
	apps[0].Tags, apps[1].Tags = "goal=1h", "goal=400s"
	done := int32(0)
	counts := func(*rest.App) Counts {
		return Counts{Known: true, Total: [model.Kinds]int32{40, 1}, Done: [model.Kinds]int32{done, 0}, Running: [model.Kinds]int32{2, 0}}
	}
	for now := model.Time(0); now <= 60*model.Second; now += 10 * model.Second {
		m.Update(now, apps, counts)
		done++
	}
	if got := ranked(m); got != "2 1" {
		t.Errorf("served in the order %s", got)
	}
	if j := m.apps[apps[0].ID].job; j.Done[model.Map] != 6 || j.Running[model.Map] != 2 {
		t.Errorf("%v done and %v running are mirrored", j.Done, j.Running)
	}
}

// TestMirrorIsConsistent: whatever is seen, jumps of the clock and nonsense included, the mirror stays a valid cluster.
func TestMirrorIsConsistent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, name := range []string{"fifo", "fbq", "edf", "deadline-max", "comp"} {
		m := mirror(t, name, nil)
		now := model.Time(0)
		for range 300 {
			now += model.Time(random.Int64N(int64(5 * model.Second)))
			var apps []rest.App
			for n := 1; n <= 12; n++ {
				if random.IntN(3) > 0 {
					a := app(n, random.IntN(6), random.IntN(3), random.Int64N(1e6))
					a.Started += rest.Moment(random.Int64N(1e9) - 5e8)
					apps = append(apps, a)
				}
			}
			m.Update(now, apps, func(*rest.App) Counts {
				c := Counts{Known: random.IntN(2) == 0, Total: [model.Kinds]int32{int32(1 + random.IntN(9)), int32(random.IntN(3))}}
				for k := range c.Done {
					c.Done[k], c.Running[k] = int32(random.IntN(12)), int32(random.IntN(5))
				}
				return c
			})
			rank := m.Rank()
			if len(rank) > len(apps) || m.state.Len() != len(apps) {
				t.Fatalf("%s: %d ranked, %d mirrored of %d", name, len(rank), m.state.Len(), len(apps))
			}
			if err := m.state.Check(running(m)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// running lists what the mirror holds for running.
func running(m *Mirror) (out []cluster.Attempt) {
	for _, a := range m.apps {
		for k := range a.running {
			for _, t := range a.running[k] {
				out = append(out, cluster.Attempt{Task: model.Task{Job: a.job.ID, Kind: model.Kind(k), Index: t.index}})
			}
		}
	}
	return out
}

func TestRefuses(t *testing.T) {
	for name, want := range map[string]string{"fifo": "", "fbq": "", "edf": "", "deadline-max": "", "srpt": "--sizes", "fair": "container by container",
		"deadline-min": "keeps room free", "tags": "partition nodes", "capacity": "admit jobs", "nas": "say when reduces may start", "shufflewatcher": "keeps room free"} {
		e, ok := policies.All.Find(name)
		if !ok {
			t.Fatal(name)
		}
		err := Refuses(e, e.Defaults(), false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	e, _ := policies.All.Find("srpt")
	if err := Refuses(e, nil, true); err != nil {
		t.Error(err)
	}
}
