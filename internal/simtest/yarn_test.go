// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// yarnCase draws a case that YARN's resource manager can run: every node has room for three of the largest tasks, and
// queues q0, q1 and q2 stand in a tree with drawn settings. Nobody takes masters' room away, so the settings are such that a
// cluster with nothing but masters goes on: those of all queues leave room for the largest task, and no user is past its limit with
// masters alone, because the least that a user may have (half of the 30 % of q0) is no less than what masters of a queue may.
func yarnCase(t *rapid.T) (*Case, *handover.Config) {
	d := fromRapid(t)
	c := Generate(func(label string, lo, hi int) int {
		switch label {
		case "room": // memory and vcores
			return 2
		case "need-vcores": // nobody looks at them
			return 0
		}
		return d(label, lo, hi)
	})
	if d.chance("shared", 2) {
		c.Share(d)
	}
	for i := range c.Topology.Classes {
		c.Topology.Classes[i].Room = model.Room{3 * 4096, 12}
	}
	conf := handover.DefaultConfig()
	const prefix = "yarn.scheduler.capacity."
	conf.Properties = map[string]string{
		prefix + "root.queues": "p,q2", prefix + "root.p.queues": "q0,q1",
		prefix + "root.p.capacity": "60", prefix + "root.q2.capacity": "40", prefix + "root.p.q0.capacity": "50", prefix + "root.p.q1.capacity": "50",
		prefix + "root.q2.maximum-capacity":             fmt.Sprint(d("maximum", 60, 100)),
		prefix + "user-limit-factor":                    fmt.Sprint(d("factor", 1, 4)),
		prefix + "root.p.q0.minimum-user-limit-percent": fmt.Sprint(25 * d("percent", 2, 4)),
		prefix + "maximum-am-resource-percent":          []string{"0.1", "0.15"}[d("masters", 0, 1)],
		prefix + "root.p.q1.ordering-policy":            []string{"fifo", "fair"}[d("order", 0, 1)],
		prefix + "node-locality-delay":                  fmt.Sprint(d("delay", -1, 4)),
		prefix + "reservations-continue-look-all-nodes": fmt.Sprint(d("continue", 0, 1) == 1),
		"yarn.scheduler.minimum-allocation-mb":          []string{"256", "512", "1024"}[d("step", 0, 2)],
		"yarn.scheduler.maximum-allocation-mb":          "12288",
		"yarn.scheduler.maximum-allocation-vcores":      "12",
		"yarn.cluster.max-application-priority":         fmt.Sprint(5 * d("priorities", 0, 1)),
		"yarn.app.mapreduce.am.resource.mb":             "512",
	}
	return c, &conf
}

// TestYarn runs YARN's resource manager on drawn cases, with nodes that come and go in some of them: every invariant holds
// at every event, every task ends exactly once in the end, nothing runs on a lost node, every job ends, and a second run
// gives the same events.
func TestYarn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, conf := yarnCase(t)
		checkYarn(t, c, "yarn-capacity", conf)
	})
}

// TestYarnFair does the same with the Fair Scheduler, whose masters leave room for tasks: nothing but the share keeps them
// from taking all memory, and nothing keeps them from taking all vcores.
func TestYarnFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, capacity := yarnCase(t)
		for i := range c.Jobs {
			c.Jobs[i].Queue = "default"
		}
		for i := range c.Topology.Classes {
			c.Topology.Classes[i].Room[1] = 100
		}
		conf := handover.DefaultFair()
		conf.Properties = capacity.Properties
		conf.Share = rapid.SampledFrom([]float64{0.1, 0.25, 0.5}).Draw(t, "share")
		if most := rapid.IntRange(0, 3).Draw(t, "assign"); most > 0 {
			conf.Properties["yarn.scheduler.fair.assignmultiple"], conf.Properties["yarn.scheduler.fair.max.assign"] = "true", fmt.Sprint(most)
		}
		checkYarn(t, c, "yarn-fair", &conf)
	})
}

// manager is the parameters of a resource manager.
type manager interface {
	Validate() []model.Problem
	ValidateOn(*model.Topology, []model.Job) []model.Problem
}

// checkYarn runs a case under a resource manager of YARN.
func checkYarn(t *rapid.T, c *Case, name string, conf manager) {
	e, _ := policies.Managers.Find(name)
	if rapid.Bool().Draw(t, "faults") {
		c.Break(fromRapid(t))
		if on := c.Config.Faults.Speculation.On; on { // Hadoop's own rules hold
			c.Config.Faults.Speculation = engine.DefaultConfig().Faults.Speculation
			c.Config.Faults.Speculation.On = c.Config.Durations == exec.Replay
		}
	}
	if problems := append(conf.Validate(), conf.ValidateOn(c.Topology, c.Jobs)...); len(problems) > 0 {
		t.Fatal(problems)
	}
	log, collector := &record.Log{}, metrics.NewCollector(c.Topology, c.Jobs)
	in := c.Input(e, conf, record.Tee{log, collector})
	in.Check = 1
	events := 0
	in.Inspect = func(now model.Time, _ *cluster.State) error {
		if events++; events > 500_000 {
			return fmt.Errorf("the run does not end: it is %v", now)
		}
		return nil
	}
	must := func(err error) {
		if err != nil {
			t.Fatalf("%v\n%+v\n%v", err, c.Config.Faults, c)
		}
	}
	result, err := engine.Run(in)
	must(err)
	if result.Ended != len(c.Jobs) {
		t.Fatalf("%d of %d jobs ended", result.Ended, len(c.Jobs))
	}
	must(sameTraffic(result.Traffic, log.Events))
	must(auditFaults(c, log.Events, false))
	must(collector.Run(nil).Check())
	again := &record.Log{}
	_, err = engine.Run(c.Input(e, conf, again))
	must(err)
	must(sameEvents(log.Events, again.Events))
}
