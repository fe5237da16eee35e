// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// TestChores runs every policy with set-up and clean-up tasks: all invariants hold at every event, every task ends exactly once, no
// job starts a task before it can have been set up nor ends before it can have been cleaned up.
func TestChores(t *testing.T) {
	eachPolicy(t, func(t *rapid.T, e *policy.Entry) {
		c := Generate(fromRapid(t))
		rules := &c.Config.Jobs
		rules.SetUp = model.Time(rapid.IntRange(0, 3).Draw(t, "set-up")) * model.Second
		rules.CleanUp = model.Time(rapid.IntRange(0, 3).Draw(t, "clean-up")) * model.Second
		params, text := Params(fromRapid(t), e)
		if !suits(c, params) || len(c.Config.ValidateOn(c.Topology)) > 0 {
			return
		}
		log, collector := &record.Log{}, metrics.NewCollector(c.Topology, c.Jobs)
		in := c.Input(e, params, record.Tee{log, collector})
		in.Check = 1
		must := func(err error) {
			if err != nil {
				t.Fatalf("%v\n%s%v", err, text, c)
			}
		}
		_, err := engine.Run(in)
		must(err)
		must(auditFaults(c, log.Events, false))
		run := collector.Run(nil)
		must(run.Check())
		tasks := make([]model.Time, len(c.Jobs)) // when the last one has ended
		held := 0.0                              // seconds of map slots, by tasks and these
		for i := range log.Events {
			e := &log.Events[i]
			if e.Kind == record.TaskEnded {
				tasks[e.Task.Job] = e.Time
			}
			switch {
			case e.Kind == record.ChoreStarted:
				held -= e.Time.Seconds()
			case e.Kind == record.ChoreEnded:
				held += e.Time.Seconds()
			case e.Taken() < 0 && e.Task.Kind == model.Map:
				held += (e.Time - e.Since).Seconds()
			}
		}
		if got, ok := metrics.All(run, 0).Value("held_hours_map"); c.Topology.Model == model.Slots && (!ok || math.Abs(got*3600-held) > 1e-6*max(held, 1)) {
			t.Fatalf("map slots are said to be held for %v s, and are for %v s\n%s%v", got*3600, held, text, c)
		}
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if j.FirstStart < j.Submit+rules.SetUp || j.Finish < tasks[j.ID]+rules.CleanUp {
				t.Fatalf("job %d: submitted at %v, first task at %v, last task done at %v, ended at %v\n%s%v", j.ID, j.Submit, j.FirstStart, tasks[j.ID], j.Finish, text, c)
			}
		}
	})
}
