// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"errors"
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

// TestYarnPreempts does the same with queues that take room from each other, at a brisk pace. As in the release a container may
// be killed whose room nobody else can use, again and again, so a few runs do not end: in them every invariant holds so far.
func TestYarnPreempts(t *testing.T) {
	runs, endless := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, conf := yarnCase(t)
		d := fromRapid(t)
		const prefix = "yarn.resourcemanager.monitor.capacity.preemption."
		p := conf.Properties
		p["yarn.resourcemanager.scheduler.monitor.enable"] = "true"
		p[prefix+"monitoring_interval"] = fmt.Sprint(1000 * d("look", 1, 3))
		p[prefix+"max_wait_before_kill"] = fmt.Sprint(1000 * d("wait", 1, 20))
		p[prefix+"total_preemption_per_round"] = []string{"0.1", "1"}[d("round", 0, 1)]
		p[prefix+"natural_termination_factor"] = []string{"0.2", "1"}[d("natural", 0, 1)]
		p[prefix+"max_ignored_over_capacity"] = []string{"0", "0.1"}[d("ignored", 0, 1)]
		p[prefix+"intra-queue-preemption.enabled"] = []string{"false", "true"}[d("within", 0, 1)]
		p[prefix+"intra-queue-preemption.preemption-order-policy"] = []string{"userlimit_first", "priority_first"}[d("first", 0, 1)]
		runs++
		if err := runYarn(t, c, "yarn-capacity", conf); errors.Is(err, errEndless) {
			endless++
		} else if err != nil {
			t.Fatal(err)
		}
	})
	if endless*20 > runs {
		t.Errorf("%d of %d runs do not end", endless, runs)
	}
}

// manager is the parameters of a resource manager.
type manager interface {
	Validate() []model.Problem
	ValidateOn(*model.Topology, []model.Job) []model.Problem
}

// checkYarn runs a case under a resource manager of YARN to its end.
func checkYarn(t *rapid.T, c *Case, name string, conf manager) {
	if err := runYarn(t, c, name, conf); err != nil {
		t.Fatalf("%v\n%+v\n%v", err, c.Config.Faults, c)
	}
}

// errEndless says that a run has had more events than any that ends.
var errEndless = errors.New("the run does not end")

// runYarn runs a case under a resource manager of YARN. The error says that it does not end, or what is wrong on the way.
func runYarn(t *rapid.T, c *Case, name string, conf manager) error {
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
			return fmt.Errorf("%w: it is %v", errEndless, now)
		}
		return nil
	}
	must := func(err error) {
		if err != nil {
			t.Fatalf("%v\n%+v\n%v", err, c.Config.Faults, c)
		}
	}
	result, err := engine.Run(in)
	if err != nil {
		return err
	}
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
	return nil
}
