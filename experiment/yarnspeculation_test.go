// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

const slowYarn = `
reference: false
hdfs: {replication: 1}
cluster: {room: yarn, classes: [{nodes: 6, memory: 4GiB, vcores: 8}]}
policy:
  yarn-capacity:
    properties:
      yarn.scheduler.capacity.root.queues: default
      yarn.scheduler.capacity.root.default.capacity: "100"
      yarn.scheduler.capacity.root.default.user-limit-factor: "10"
      %s
faults: {speculation: {on: %t}}
workload:
  needs: {map-memory: 1GiB, reduce-memory: 1GiB}
  jobs: [{name: j, maps: 6, reduces: 2, map-lengths: [10s, 11s, 12s, 10s, 100s, 10s], reduce-lengths: [20s, 20s]}]
`

// A job's map of 100 s beside others of about 10 s is tried a second time by its master at the first look at which nothing
// else waits, and once only: a look each second in vain, one 15 s after a second attempt. The attempt that ends first counts.
func TestSpeculationUnderYarn(t *testing.T) {
	run := func(on bool, property string) (log *record.Log, doubled []model.Time) {
		s := parsed(t, fmt.Sprintf(slowYarn, property, on))
		log = &record.Log{}
		if _, err := NewRepetition(s, 1).Simulate(context.Background(), s.Policy, Options{Check: true}, log); err != nil {
			t.Fatal(err)
		}
		for _, e := range log.Events {
			if e.Kind == record.TaskDoubled {
				if e.Task.Kind != model.Map || e.Task.Index != 4 {
					t.Errorf("%v %d is tried again", e.Task.Kind, e.Task.Index)
				}
				doubled = append(doubled, e.Time)
			}
		}
		return log, doubled
	}
	if _, doubled := run(false, ""); len(doubled) > 0 {
		t.Errorf("second attempts at %v although they are off", doubled)
	}
	if _, doubled := run(true, `mapreduce.map.speculative: "false"`); len(doubled) > 0 {
		t.Errorf("second attempts of maps at %v although maps have none", doubled)
	}
	log, doubled := run(true, "")
	if len(doubled) != 1 {
		t.Fatalf("second attempts at %v", doubled)
	}
	var first, end model.Time
	attempts, dropped := 0, 0
	for _, e := range log.Events {
		switch {
		case e.Task.Kind != model.Map || e.Task.Job == model.None:
		case e.Kind == record.TaskEnded && first == 0:
			first = e.Time
		case e.Task.Index != 4:
		case e.Kind == record.TaskStarted:
			attempts++
		case e.Kind == record.TaskDropped:
			dropped++
		case e.Kind == record.TaskEnded:
			end = e.Time
		}
	}
	// One of six has ended, which is enough; the deviation is 0 then, and 100 s are more than the mean.
	if wait := doubled[0] - first; wait < 0 || wait > model.Second {
		t.Errorf("the first map ends at %v, a second attempt is wanted at %v", first, doubled[0])
	}
	if attempts != 2 || dropped != 1 || end == 0 {
		t.Errorf("%d attempts, %d dropped, the map ends at %v", attempts, dropped, end)
	}
}
