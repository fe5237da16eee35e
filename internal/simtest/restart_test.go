// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// TestRestart runs tags with jobs that lose their work when they move, on slots and in shared room, in simple worlds and in
// those where things go wrong: all invariants hold at every event, every task ends exactly once in the end, and a job that
// begins anew has neither a task that runs nor one that is done.
func TestRestart(t *testing.T) {
	restarted := 0
	rapid.Check(t, func(t *rapid.T) {
		d := fromRapid(t)
		c := Generate(d)
		if rapid.Bool().Draw(t, "shared") {
			c.Share(d)
		}
		if rapid.Bool().Draw(t, "broken") {
			c.Break(d)
		}
		e, _ := find("tags")
		queues := d("queues", 2, 3)
		text := limitsText(d, queues) + partsText(d, queues) + "restart: true\n"
		params := paramsOf(e, text)
		if !suits(c, params) {
			return
		}
		log, collector := &record.Log{}, metrics.NewCollector(c.Topology, c.Jobs)
		in := c.Input(e, params, record.Tee{log, collector})
		in.Check = 1
		must := func(err error) {
			if err != nil {
				t.Fatalf("%v\n%s%+v\n%v", err, text, c.Config.Faults, c)
			}
		}
		result, err := engine.Run(in)
		must(err)
		must(sameTraffic(result.Traffic, log.Events))
		must(auditFaults(c, log.Events, true))
		must(collector.Run(nil).Check())
		if len(c.Config.Faults.Losses) == 0 && c.Config.Faults.MeanUptime == 0 {
			restarted += restarts(t, c, log.Events)
		}
		again := &record.Log{}
		_, err = engine.Run(c.Input(e, params, again))
		must(err)
		must(sameEvents(log.Events, again.Events))
	})
	if restarted == 0 {
		t.Error("no job has begun anew")
	}
}

// restarts counts how often jobs lost tasks that were done, in a run in which no node is lost. When the loss is over the job
// must have nothing left of its work.
func restarts(t *rapid.T, c *Case, events []record.Event) (count int) {
	done, running := make([]int, len(c.Jobs)), make([]int64, len(c.Jobs))
	for i := range events {
		e := &events[i]
		if e.Task.Job == model.None {
			continue
		}
		j := e.Task.Job
		running[j] += e.Taken()
		switch e.Kind {
		case record.TaskEnded:
			done[j]++
		case record.TaskUndone:
			done[j]--
			if i+1 < len(events) && events[i+1].Kind == record.TaskUndone && events[i+1].Task.Job == j {
				break
			}
			count++
			if done[j] != 0 || running[j] != 0 {
				t.Fatalf("at %v job %d begins anew with %d tasks done and %d running", e.Time, j, done[j], running[j])
			}
		}
	}
	return count
}
