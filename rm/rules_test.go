// SPDX-License-Identifier: Apache-2.0

package rm

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

func rules(change func(*Rules)) *Rules {
	y := &Rules{}
	y.SetDefaults()
	change(y)
	return y
}

// TestMasterRoom: a master's request is rounded to multiples of the least container first, then to the
// increment, so the increment alone never makes it smaller.
func TestMasterRoom(t *testing.T) {
	for _, c := range []struct{ least, increment, want int32 }{
		{1024, 1024, 2048}, {1024, 512, 2048}, {512, 512, 1536}, {512, 1024, 2048}, {256, 256, 1536}, {1000, 1024, 2048},
	} {
		y := rules(func(y *Rules) {
			y.MinMemory, y.Increment = model.Bytes(c.least)*model.MiB, model.Bytes(c.increment)*model.MiB
		})
		if got := y.Master(); got != (model.Room{c.want, 1}) {
			t.Errorf("1536 MiB with a minimum of %d and an increment of %d: %v, want %d MiB", c.least, c.increment, got, c.want)
		}
	}
}

// TestLimits shows where the three formulas differ. Shares are 32-bit numbers: 0.7 is a little less, so
// that 10240 MB times 0.7 cuts to 7167 and rounds up to 7168.
func TestLimits(t *testing.T) {
	total, free := [model.Dims]int64{10240, 16}, [model.Dims]int64{10240, 3}
	for _, c := range []struct {
		formula        string
		share          float64
		memory, vcores int64
	}{
		{Fair275, 0.7, 7167, noLimit}, {Fair275, 0.5, 5120, noLimit}, {Fair275, 0.1, 1024, noLimit},
		{Fair275, 3, 10240, noLimit}, {Fair275, -1, noLimit, noLimit}, {Fair275, -0.5, -5120, noLimit},
		{FairNow, 0.7, 7168, 3}, {FairNow, 0.5, 5120, 2}, {FairNow, -1, noLimit, noLimit},
		{Capacity, 0.7, 7168, noLimit}, {Capacity, 0.45, 5120, noLimit}, {Capacity, 0.01, 1024, noLimit},
		{Capacity, 0.10003, 1024, noLimit}, {Capacity, 0.10006, 2048, noLimit}, // 1024.3 and 1024.6 are rounded before they are rounded up
	} {
		y := rules(func(y *Rules) { y.Formula = c.formula })
		if got := y.limit(c.share, total, total, free); got != [model.Dims]int64{c.memory, c.vcores} {
			t.Errorf("%s, share %g: %v, want %d and %d", c.formula, c.share, got, c.memory, c.vcores)
		}
	}
}

// TestThesisShares: on 3 x 17 GiB the shares of marp-2019 let one master more in at each step.
func TestThesisShares(t *testing.T) {
	y := rules(func(y *Rules) { y.Formula = Fair275 })
	total := [model.Dims]int64{3 * 17408, 51}
	for i, share := range []float64{0.05, 0.09, 0.13, 0.17, 0.21, 0.25} {
		if got := y.limit(share, total, total, total)[0] / int64(y.Master()[0]); got != int64(i+1) {
			t.Errorf("share %g: %d masters, want %d", share, got, i+1)
		}
	}
}

// TestReload: a change is read at the first look that comes 5 s after it or later.
func TestReload(t *testing.T) {
	s := Share{reload: tune.FairReload(), phase: 3 * model.Second}
	for change, want := range map[model.Time]model.Time{0: 13, 8: 13, 9: 23, 18: 23} {
		if got := s.Write(change*model.Second, 0.3); got != want*model.Second {
			t.Errorf("changed at %d s: read at %v, want %d s", change, got, want)
		}
	}
}

// A container gets the least memory at least, whole increments, and the least vcores at least.
func TestRound(t *testing.T) {
	y := rules(func(y *Rules) { y.MinMemory, y.Increment, y.MinVCores = 1024*model.MiB, 512*model.MiB, 2 })
	for ask, want := range map[model.Room]model.Room{
		{1, 1}: {1024, 2}, {1024, 2}: {1024, 2}, {1025, 3}: {1536, 3}, {1537, 8}: {2048, 8},
	} {
		if got := y.Round(ask); got != want {
			t.Errorf("%v gets %v, want %v", ask, got, want)
		}
	}
	jobs := []model.Job{{Need: [model.Kinds]model.Room{{1, 1}, {1025, 3}}}}
	if y.RoundJobs(jobs); jobs[0].Need != [model.Kinds]model.Room{{1024, 2}, {1536, 3}} {
		t.Errorf("tasks get %v", jobs[0].Need)
	}
}

// On one node of 10240 MiB a master of 2048 needs a share of a fifth. 0.2 as a 32-bit number is a little more, so
// that even the formula that cuts finds room; on 10230 MiB 2048/10230 = 0.2002 lies between two shares of three decimals.
func TestLeastShare(t *testing.T) {
	for _, c := range []struct {
		formula string
		memory  int32
		want    float64
	}{{Fair275, 10240, 0.2}, {FairNow, 10240, 0.2}, {Fair275, 10230, 0.201}, {FairNow, 10230, 0.201}, {Capacity, 10240, 0.001}} {
		y := rules(func(y *Rules) { y.Formula = c.formula })
		topology := &model.Topology{Model: model.Yarn, Classes: []model.NodeClass{{Name: "worker", Room: model.Room{c.memory, 16}}}, Nodes: make([]model.Node, 1)}
		if got := Least(func(share float64) bool { return y.HoldsOne(share, topology) }); got != c.want {
			t.Errorf("%s on %d MiB: least share %g, want %g", c.formula, c.memory, got, c.want)
		}
		y.Share = model.Fraction(c.want - 0.001)
		if faults := y.Validate(topology); (len(faults) == 1) != (c.formula != Capacity) {
			t.Errorf("%s on %d MiB, share %g: faults %v", c.formula, c.memory, y.Share, faults)
		}
		if y.Share = model.Fraction(c.want); len(y.Validate(topology)) != 0 {
			t.Errorf("%s on %d MiB: the least share is refused", c.formula, c.memory)
		}
		y.AMMemory = model.Bytes(c.memory+1) * model.MiB
		if faults := y.Validate(topology); len(faults) != 1 || faults[0].Path != "am-memory" {
			t.Errorf("a master that fits no node: %v", faults)
		}
	}
}
