// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
)

// TestSameLuck runs every policy on one case and compares the lengths of all first attempts, with
// distance and speed divided out: they are the same for all pairs of policies.
func TestSameLuck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := fromRapid(t)
		c := Generate(d)
		reference, from := map[model.Task]float64{}, map[model.Task]string{}
		for i := range policies.All {
			e := &policies.All[i]
			params, _ := Params(d, e)
			if !suits(c, params) {
				continue
			}
			events, err := c.run(e, params)
			if err != nil {
				t.Fatal(err)
			}
			for task, length := range bareLengths(c, events) {
				other, seen := reference[task]
				if !seen {
					reference[task], from[task] = length, e.Name
				} else if math.Abs(other-length) > 4 { // nanoseconds: two roundings, stretched by speed and distance
					t.Errorf("%v takes %.0f ns under %s and %.0f ns under %s\n%v", task, other, from[task], length, e.Name, c)
				}
			}
		}
	})
}

// bareLengths returns the recorded length of each task that was never killed, without what its node
// and the distance to its data did to it.
func bareLengths(c *Case, events []record.Event) map[model.Task]float64 {
	factors, lengths := map[model.Task]float64{}, map[model.Task]float64{}
	for i := range events {
		e := &events[i]
		switch {
		case e.Kind == record.TaskStarted:
			factors[e.Task] = 1 / c.Topology.Classes[c.Topology.Nodes[e.Node].Class].Speed
			switch e.Locality {
			case model.RackLocal:
				factors[e.Task] *= c.Config.Locality.Rack
			case model.Remote:
				factors[e.Task] *= c.Config.Locality.Remote
			}
		case e.Kind == record.TaskEnded && e.Attempt == 0:
			length := e.Length
			if e.Task.Kind == model.Reduce {
				length -= c.Jobs[e.Task.Job].ShuffleTail
			}
			lengths[e.Task] = float64(length) / factors[e.Task]
		}
	}
	return lengths
}

// TestNoForesight cuts the jobs off that come after a moment: until that moment nothing may differ,
// or someone has looked into the future.
func TestNoForesight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := fromRapid(t)
		c := Generate(d)
		cut := *c
		cut.Jobs = c.Jobs[:d("cut", 0, len(c.Jobs)-1)]
		moment := model.Forever
		for i := len(cut.Jobs); i < len(c.Jobs); i++ {
			if c.Jobs[i].After == model.None {
				moment = min(moment, c.Jobs[i].Submit)
			}
		}
		for i := range policies.All {
			e := &policies.All[i]
			params, text := Params(d, e)
			if !suits(c, params) {
				continue
			}
			full, err := c.run(e, params)
			if err != nil {
				t.Fatal(err)
			}
			part, err := cut.run(e, params)
			if err != nil {
				t.Fatal(err)
			}
			until := firstOf(full, len(cut.Jobs), moment)
			if err := sameEvents(before(full, until), before(part, until)); err != nil {
				t.Errorf("policy %s: with jobs from %d on (first at %v), earlier events differ: %v\n%s%v", e.Name, len(cut.Jobs), until, err, text, c)
			}
		}
	})
}

// firstOf returns when the first of the jobs from id on is submitted.
func firstOf(events []record.Event, id int, at model.Time) model.Time {
	for i := range events {
		if e := &events[i]; e.Kind == record.JobSubmitted && int(e.Task.Job) >= id {
			return min(at, e.Time)
		}
	}
	return at
}

// before returns the events earlier than a time.
func before(events []record.Event, t model.Time) []record.Event {
	for i := range events {
		if events[i].Time >= t {
			return events[:i]
		}
	}
	return events
}
