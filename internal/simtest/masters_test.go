// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/rm"
)

// Masters gives every job an application master. Nodes grow by the room of all of them, so that tasks
// always fit beside masters and every case can end.
func (c *Case) Masters(draw Draw) {
	y := &rm.Rules{}
	y.SetDefaults()
	y.MinMemory, y.Increment, y.MinVCores = model.MiB, model.MiB, 0
	y.AMMemory, y.AMVCores = model.Bytes(draw("am-memory", 1, 64))*model.MiB, 0
	y.AMStart = model.Time(draw("am-start", 0, 5)) * model.Second
	if c.Config.Durations == exec.Resources {
		y.AMCPU = model.Time(draw("am-cpu", 0, 2)) * model.Second
	}
	y.AMStay = model.Time(draw("am-stay", 0, 5)) * model.Second
	y.Formula = []string{rm.Capacity, rm.Fair275, rm.FairNow}[draw("formula", 0, 2)]
	y.Share = 1
	if y.Formula == rm.Capacity { // at least one master runs under any share
		y.Share = model.Fraction(draw("am-share", 1, 100)) / 100
	}
	for i := range c.Topology.Classes {
		room := &c.Topology.Classes[i].Room
		room[0] += y.Master()[0] * int32(len(c.Jobs))
	}
	c.Config.Yarn = y
	t := &c.Config.Tasks
	t.FileCache, t.WriteBack, t.StreamOutput = draw.chance("file-cache", 2), draw.chance("write-back", 2), draw.chance("stream-output", 2)
	t.MergeCycles, t.StartCPU = float64(draw("merge-cycles", 0, 1)*20), model.Time(draw("start-cpu", 0, 2))*model.Second
	c.Config.Heartbeat.OnEnd = c.Config.Heartbeat.Interval != engine.OnIdle && draw.chance("on-end", 2)
}

// TestMastersConformance holds policies to the contract where jobs have application masters.
func TestMastersConformance(t *testing.T) {
	for _, name := range []string{"fifo", "fair", "delay"} {
		e, _ := policies.All.Find(name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := Generate(fromRapid(t))
				if c.Topology.Model != model.Yarn {
					return
				}
				if draw := fromRapid(t); draw("shared", 0, 1) == 1 {
					c.Share(draw)
				}
				c.Masters(fromRapid(t))
				holdToContract(t, e, c)
			})
		})
	}
}
