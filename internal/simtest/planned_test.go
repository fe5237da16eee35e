// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
)

// recur makes some jobs of a case recurring ones, with forecasts that are more or less wrong. Reduces that wait must be
// able to make way: the ramp-up limit knows nothing of racks.
func (c *Case) recur(d Draw) {
	c.Config.Jobs.Preempt = true
	c.Config.Forecasts.SizeError = []model.Fraction{0, 0.5}[d("size-error", 0, 1)]
	c.Config.Forecasts.LateShare = []model.Fraction{0, 0.5, 1}[d("late-share", 0, 2)]
	c.Config.Forecasts.LateBy = 3 * model.Second
	for i := range c.Jobs {
		if d("recurs", 0, 2) > 0 {
			c.Jobs[i].Period = model.Hour
		}
		c.Jobs[i].Shuffle = []model.Bytes{model.GiB, 2 * model.GiB, 30 * model.GiB, 0}[d("bytes", 0, 3)]
	}
}

// TestPlannedConformance holds policies that plan recurring jobs to the contract where there are some.
func TestPlannedConformance(t *testing.T) {
	for _, name := range []string{"corral", "jobpacker"} {
		e, _ := policies.All.Find(name)
		for _, shared := range []bool{false, true} {
			rapid.Check(t, func(t *rapid.T) {
				d := fromRapid(t)
				c := Generate(d)
				if shared {
					c.Share(d)
				}
				c.recur(d)
				holdToContract(t, e, c)
			})
		}
	}
}

// TestPlannedRackLoss: jobs whose rack is lost end elsewhere, whether it returns or not.
func TestPlannedRackLoss(t *testing.T) {
	for _, name := range []string{"corral", "jobpacker"} {
		e, _ := policies.All.Find(name)
		rapid.Check(t, func(t *rapid.T) {
			d := fromRapid(t)
			c := Generate(d)
			c.recur(d)
			params := e.Params()
			if !suits(c, params) || c.Topology.Racks == 1 {
				return
			}
			for i, n := range c.Topology.Nodes {
				if n.Rack == 0 {
					c.Config.Faults.Losses = append(c.Config.Faults.Losses, mishap.Loss{Node: model.NodeID(i), At: 2 * model.Second,
						For: []model.Time{4 * model.Second, 0}[d("for", 0, 1)]})
				}
			}
			for i := range c.Jobs { // tasks fit what is left
				for k := range c.Jobs[i].Need {
					if !fitsBeside(c, c.Jobs[i].Need[k]) {
						return
					}
				}
			}
			in := c.Input(e, params, &record.Log{})
			in.Check = 1
			if result, err := engine.Run(in); err != nil || result.Ended != len(c.Jobs) {
				t.Fatalf("%s: %d of %d jobs ended: %v\n%v", name, result.Ended, len(c.Jobs), err, c)
			}
		})
	}
}

// fitsBeside reports whether a task fits a node outside rack 0.
func fitsBeside(c *Case, need model.Room) bool {
	for _, n := range c.Topology.Nodes {
		if n.Rack != 0 && c.Topology.Classes[n.Class].Room.Fits(need) {
			return true
		}
	}
	return false
}
