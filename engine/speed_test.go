// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// speedGuard keeps the cost of a task below a budget of pushes and pops on a bare heap. Noise of the machine only ever
// adds time, and comes and goes within a run: of each lap the quickest of all rounds counts, and of the heap its quickest
// moment before, between and after them.
//
// Budgets are about one and a half times what the code costs, so that a guard fails when its code becomes half as
// fast. YARDMASTER_SLOW=2 shows that: it does every run twice, and every guard must fail.
type speedGuard struct {
	name   string
	tasks  int
	rounds int // eight times as many, with pauses, while the budget is not met: what else the machine does may last for a minute
	budget float64
	run    func(*heapunit.Laps)
}

func (g *speedGuard) check(t *testing.T) {
	if os.Getenv("YARDMASTER_SPEED") == "" {
		t.Skip("skipped: set YARDMASTER_SPEED=1 and run it alone (make speed); beside other tests timings say nothing")
	}
	times, _ := strconv.Atoi(os.Getenv("YARDMASTER_SLOW"))
	runs := make([]heapunit.Laps, max(times, 1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unit, cost := heapunit.PushPop(800), 0.0
	rounds := 0
	for ; rounds < g.rounds || rounds < 8*g.rounds && cost > g.budget; rounds++ {
		if rounds >= g.rounds {
			time.Sleep(time.Second / 2)
		}
		spent := time.Duration(0)
		for i := range runs {
			g.run(&runs[i])
			spent += runs[i].Least()
		}
		unit = min(unit, heapunit.PushPop(800))
		cost = float64(spent) / float64(g.tasks) / float64(unit)
	}
	t.Logf("%s: a task costs %.2f heap operations of %.1f, in %d rounds", g.name, cost, g.budget, rounds)
	if cost > g.budget {
		t.Errorf("%s: a task costs %.2f heap operations, at most %.1f allowed", g.name, cost, g.budget)
	}
}

// TestSpeedOfEveryPolicy guards the smallest cell of the grid.
func TestSpeedOfEveryPolicy(t *testing.T) {
	budgets := map[string]float64{"fifo": 5, "fair": 6, "delay": 6.5, "srpt": 5.7, "sptp": 5.9, "edf": 4.7, "deadline-min": 7.5, "deadline-max": 5.2,
		"fbq": 5.5, "tags": 6.6, "sita": 6.2, "comp": 5.3, "capacity": 6.7, "shufflewatcher": 13.5, "nas": 11, "corral": 8.3, "jobpacker": 8.7, "hybrid": 6.8}
	const nodes, tasks = 100, 100_000
	topology, jobs := gridTopology(nodes), gridJobs(nodes, tasks)
	recurring := slices.Clone(jobs)
	for i := range recurring {
		recurring[i].Period = model.Day
	}
	for i := range policies.All {
		name := policies.All[i].Name
		if budgets[name] == 0 {
			t.Errorf("%s has no budget: give it about one and a half times what it costs", name)
		}
		list := jobs
		if policies.All[i].Needs.Has(policy.Forecasts) {
			list = recurring // planning is part of the cost
		}
		(&speedGuard{name, tasks, 8, budgets[name], func(l *heapunit.Laps) { runLaps(t, topology, list, name, l) }}).check(t)
	}
}

// TestSpeedOfABacklog guards what a task costs while thousands of jobs wait.
func TestSpeedOfABacklog(t *testing.T) {
	topology := gridTopology(100)
	for _, c := range []struct {
		jobs, rounds int
		name         string
		budget       float64
	}{{2_000, 5, "fair", 9}, {2_000, 5, "delay", 10.5}, {2_000, 5, "deadline-max", 8.5}, {8_000, 3, "fair", 9.5}, {8_000, 3, "capacity", 9}} {
		jobs, tasks := backlogJobs(c.jobs, c.jobs, goes(c.name))
		name := fmt.Sprintf("%d,000 jobs wait, %s", c.jobs/1000, c.name)
		(&speedGuard{name, tasks, c.rounds, c.budget, func(l *heapunit.Laps) { runLaps(t, topology, jobs, c.name, l) }}).check(t)
	}
}

// TestSpeedOfManyQueues guards the Capacity Scheduler with a thousand queues: their users may have all that is free, or
// no more than the queue, so that all of them wait at their limits while there is room.
func TestSpeedOfManyQueues(t *testing.T) {
	manyQueues(t, "1,000 queues, capacity", 1000, 23)
	manyQueues(t, "1,000 queues at their limits, capacity", 1, 25)
}

func manyQueues(t *testing.T, name string, factor int, budget float64) {
	topology := gridTopology(1_000)
	jobs, tasks := backlogJobs(1_000, 1_000, false)
	text := strings.Builder{}
	text.WriteString("queues:\n")
	for i := range jobs {
		capacity := 0.125 // sums that float32 holds exactly: 600 of these and 400 of half as much
		if i >= 600 {
			capacity = 0.0625
		}
		jobs[i].Queue = fmt.Sprint("q", i)
		fmt.Fprintf(&text, "  - {name: q%d, capacity: %g, user-limit-factor: %d}\n", i, capacity, factor)
	}
	entry, _ := policies.All.Find("capacity")
	params := entry.Params()
	node, errs := strict.Parse("params", []byte(text.String()))
	if errs == nil {
		errs = strict.Decode(node, params)
	}
	if errs != nil {
		t.Fatal(errs)
	}
	run := func(l *heapunit.Laps) { runEntry(t, topology, jobs, entry, params, engine.DefaultConfig(), l) }
	(&speedGuard{name, tasks, 5, budget, run}).check(t)
}

// TestSpeedOfTheNetwork guards a slice of a day in which blocks from afar and map output travel.
func TestSpeedOfTheNetwork(t *testing.T) {
	const nodes, tasks = 100, 8_000
	topology, jobs := gridTopology(nodes), gridJobs(nodes, tasks)
	for i := range topology.Classes {
		topology.Classes[i].Hardware.Link = 125_000_000
	}
	for range topology.Racks {
		topology.Uplinks = append(topology.Uplinks, 500_000_000)
	}
	for i := range jobs {
		jobs[i].Shuffle = jobs[i].Input / 2
	}
	entry, _ := policies.All.Find("fair")
	config := engine.DefaultConfig()
	config.Durations = exec.Network
	run := func(l *heapunit.Laps) { runEntry(t, topology, jobs, entry, entry.Params(), config, l) }
	(&speedGuard{"network, fair", tasks, 5, 640, run}).check(t)
}
