// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"fmt"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// mapsAlone are parameters under which reduces wait for all maps and a node's maps may make 100 bytes.
func mapsAlone() NASParams {
	p := DefaultNASParams()
	p.MinMaps, p.MaxMaps = 1, 1
	p.Limit, p.Small, p.MapSkips = 100, 1000, 2
	return p
}

// Equation 3.3 with numbers: containers of a node x what a map makes on average, less what runs there.
func TestSpaceOfNodes(t *testing.T) {
	p := mapsAlone()
	p.Limit = 0
	d, n := nasDesk(t, p, 2, 2, 4)
	expect := func(why string, node model.NodeID, want float64) {
		t.Helper()
		if got := n.space(node); got != want {
			t.Errorf("%s: space for %v on node %d, expected %v", why, got, node, want)
		}
	}
	a := d.come(job("u", 2, 200, 200), 0)
	expect("the first job", 0, 400)
	b := d.come(job("v", 6, 60, 60), 0)
	expect("not worked out again", 0, 400)
	d.pass(p.Period)
	expect("260 bytes of 8 maps, 4 containers", 0, 130)
	task := model.Task{Job: a.ID}
	d.start(task, 0)
	expect("a map of 100 runs", 0, 30)
	expect("elsewhere", 1, 130)
	d.start(model.Task{Job: b.ID, Index: 1}, 0)
	d.start(model.Task{Job: a.ID, Index: 1}, 0)
	expect("never below nothing", 0, 0)
	d.end(task, 0, false)
	expect("a map is killed", 0, 20)

	p.Limit = 70
	d, n = nasDesk(t, p, 2, 2, 4)
	d.come(job("u", 2, 200, 200), 0)
	expect("set by hand", 0, 70)
}

// Algorithm 2, lines 3 and 4: a local map whose output is closest to the space, unpredicted jobs first.
func TestLocalMaps(t *testing.T) {
	d, n := nasDesk(t, mapsAlone(), 2, 2, 4)
	d.come(job("u", 1, 120, 0), 0)
	fifty := d.come(job("u", 1, 50, 0), 0)
	eighty := d.come(job("u", 1, 80, 0), 0)
	elsewhere := d.come(job("u", 1, 100, 0), 1)
	d.served("closest to 100", 0, eighty, model.Map)
	d.declined("neither 50 nor 120 is at most 20", 0)
	if n.users[0].maps.count != 1 {
		t.Errorf("skipped %d times, expected once", n.users[0].maps.count)
	}
	d.served("exactly 100 is qualified", 1, elsewhere, model.Map)
	if n.users[0].maps.count != 0 {
		t.Errorf("skipped %d times after a qualified local map", n.users[0].maps.count)
	}
	d.declined("skip 1", 0)
	d.declined("skip 2", 0)
	d.served("none is qualified: the local one with the least output", 0, fifty, model.Map)
	if n.users[0].maps.count != 2 {
		t.Errorf("skipped %d times, which a map that is not qualified does not change; expected 2", n.users[0].maps.count)
	}

	d, _ = nasDesk(t, mapsAlone(), 2, 2, 4)
	known := d.come(job("u", 2, 200, 180), 0)
	d.run(known, 0, 3)
	fresh := d.come(job("u", 1, 10, 0), 0)
	d.served("the unpredicted job, though 90 is closer than 10", 0, fresh, model.Map)
	d.served("the predicted one", 0, known, model.Map)
}

// Of jobs that are equally close the first comes first; a job without input is local everywhere.
func TestLocalTies(t *testing.T) {
	d, _ := nasDesk(t, mapsAlone(), 2, 2, 4)
	older := d.come(job("u", 1, 40, 0), 0)
	newer := d.come(job("u", 1, 40, 0), 0)
	nothing := d.come(job("u", 1, 0, 0))
	d.served("the older of two", 0, older, model.Map)
	d.served("the newer", 0, newer, model.Map)
	d.served("the job that reads nothing, on a node without data", 3, nothing, model.Map)
}

// Algorithm 2, lines 8 to 12.
func TestFarMapsByCategory(t *testing.T) {
	d, n := nasDesk(t, mapsAlone(), 2, 2, 8)
	far := func(maps int32, input, shuffle model.Bytes) *cluster.Job {
		return d.come(job("u", maps, input, shuffle), 3)
	}
	largeKnown := far(40, 1600, 40)
	d.run(largeKnown, 0, 2)
	large := far(40, 1600, 40)
	smallKnown := far(2, 80, 2)
	d.run(smallKnown, 0, 2)
	small := far(1, 60, 1)
	far(1, 300, 1) // more than a node may make
	n.users[0].maps.count = 2
	d.served("small and unpredicted", 0, small, model.Map)
	d.served("small and predicted", 0, smallKnown, model.Map)
	d.served("large and unpredicted", 1, large, model.Map)
	d.served("large and unpredicted", 1, large, model.Map)
	d.served("large and predicted: 80 of 100 are taken, 40 are too much", 1, largeKnown, model.Map)
}

// MapCost: nothing on the node, the input in the rack, twice the input from afar; then closest to the space.
func TestFarMapsByCost(t *testing.T) {
	d, n := nasDesk(t, mapsAlone(), 2, 2, 8)
	remote := d.come(job("u", 1, 50, 0), 3)
	inRack := d.come(job("u", 1, 90, 0), 1)
	n.users[0].maps.count = 2
	d.served("90 from the rack cost less than 50 from afar", 0, inRack, model.Map)
	d.end(model.Task{Job: inRack.ID}, 0, false)
	other := d.come(job("u", 1, 50, 0), 1)
	d.served("50 from the rack cost less than 90", 0, other, model.Map)
	d.served("50 from afar", 0, remote, model.Map)

	d, n = nasDesk(t, mapsAlone(), 2, 2, 8)
	for _, shuffle := range []model.Bytes{20, 80, 40} {
		d.run(d.come(job("u", 2, 100, shuffle), 3), 0, 2)
	}
	n.users[0].maps.count = 2
	for _, want := range []model.JobID{1, 2, 0} {
		d.served("equal costs: the most output that fits", 0, d.state.Job(want), model.Map)
	}
}

// Algorithm 2, lines 14 to 16.
func TestMapsThatAreNotQualified(t *testing.T) {
	d, n := nasDesk(t, mapsAlone(), 2, 2, 8)
	least := d.come(job("u", 1, 150, 0), 3)
	local := d.come(job("u", 1, 300, 0), 0)
	lesser := d.come(job("u", 1, 200, 0), 0)
	n.users[0].maps.count = 2
	d.served("the local one with the least output", 0, lesser, model.Map)
	d.served("the other local one", 0, local, model.Map)
	d.served("the least of all", 0, least, model.Map)
}

// Users are asked in order; one that is skipped lets the next go first.
func TestUsersAreSkipped(t *testing.T) {
	d, n := nasDesk(t, mapsAlone(), 2, 2, 4)
	a := d.come(job("a", 2, 20, 0), 3)
	b := d.come(job("b", 8, 80, 0), 0)
	for i := range 2 {
		d.served("a has no data here", 0, b, model.Map)
		if got := n.users[a.User].maps.count; got != int32(i+1) {
			t.Errorf("a was skipped %d times, expected %d", got, i+1)
		}
	}
	d.served("a was skipped twice", 0, a, model.Map)
	d.served("its count stays until a map is local and qualified", 0, a, model.Map)
	if got := n.users[b.User].maps.count; got != 0 {
		t.Errorf("b was skipped %d times", got)
	}
}

func TestSkipsByWaitAndResets(t *testing.T) {
	p := mapsAlone()
	p.MapSkips, p.MapWait = 0, 5*model.Second
	d, _ := nasDesk(t, p, 2, 2, 8)
	d.pass(model.Second)
	j := d.come(job("u", 8, 80, 0), 3)
	for range 50 {
		if got := d.declined("for five seconds", 0).Again; got != 6*model.Second {
			t.Fatalf("to be asked again at %v, expected 6s", got)
		}
	}
	d.pass(4 * model.Second)
	d.declined("four seconds", 0)
	d.pass(model.Second)
	d.served("five seconds", 0, j, model.Map)
	d.served("at once", 0, j, model.Map)
	d.served("local", 3, j, model.Map)
	d.declined("a local one ends it", 0)

	for _, c := range []struct {
		reset string
		count int32
	}{{"local", 2}, {"any", 0}} {
		p := mapsAlone()
		p.Reset = c.reset
		d, n := nasDesk(t, p, 2, 2, 8)
		j := d.come(job("u", 8, 80, 0), 3)
		if got := d.declined("skip 1", 0).Again; got != model.Second {
			t.Errorf("idle nodes are to be counted again at %v, expected 1s", got)
		}
		d.declined("skip 2", 0)
		d.served("after two skips", 0, j, model.Map)
		if got := n.users[0].maps.count; got != c.count {
			t.Errorf("reset %s: skipped %d times, expected %d", c.reset, got, c.count)
		}
	}

	p = mapsAlone()
	p.MapSkips = 0
	d, _ = nasDesk(t, p, 2, 2, 8)
	d.served("no limit: never skipped", 0, d.come(job("u", 8, 80, 0), 3), model.Map)
}

// A user whose last job has left has not been waiting: the next job starts anew.
func TestUserWithoutJobs(t *testing.T) {
	for _, wait := range []model.Time{0, 5 * model.Second} {
		p := mapsAlone()
		p.MapWait = wait
		d, n := nasDesk(t, p, 2, 2, 8)
		j := d.come(model.Job{User: "u", Queue: "q", Maps: 1, Input: 10}, 3)
		d.declined("skip 1", 0)
		d.declined("skip 2", 0)
		d.end(d.served("far", 0, j, model.Map), 0, true)
		if got := n.users[0].maps; got != (skips{}) {
			t.Errorf("wait %v: a user without jobs has %+v", wait, got)
		}
		d.pass(model.Minute)
		d.declined("nobody is there", 0)
		d.come(model.Job{User: "u", Queue: "q", Maps: 1, Input: 10}, 3)
		d.declined(fmt.Sprintf("wait %v: the next job waits for its data", wait), 0)
	}
}

// Parts of MTS are off: any map is qualified; categories and the limit mean nothing.
func TestWithoutMTS(t *testing.T) {
	p := mapsAlone()
	p.Traffic = false
	d, _ := nasDesk(t, p, 2, 2, 4)
	d.come(job("u", 1, 80, 0), 0)
	d.served("the most output", 0, d.come(job("u", 1, 5000, 0), 0), model.Map)

	p.MTS = false
	d, n := nasDesk(t, p, 2, 2, 4)
	large := d.come(job("u", 1, 2000, 0), 1)
	d.come(job("u", 1, 1500, 0), 3)
	n.users[0].maps.count = 2
	d.served("by cost alone", 0, large, model.Map)
}

// Maps that are killed or whose output is lost are found by their data again.
func TestMapsRunAgain(t *testing.T) {
	d, _ := nasDesk(t, mapsAlone(), 2, 2, 4)
	j := d.come(job("u", 2, 20, 2), 0, 1)
	first := d.served("local", 0, j, model.Map)
	d.declined("no other data", 0)
	d.end(first, 0, false)
	if again := d.served("killed", 0, j, model.Map); again != first {
		t.Errorf("map %d, expected %d", again.Index, first.Index)
	}
	d.end(first, 0, true)
	d.declined("it has ended", 0)
	d.lose(first, 0)
	d.served("lost", 0, j, model.Map)
}
