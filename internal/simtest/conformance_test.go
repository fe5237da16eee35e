// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// fromRapid makes rapid the source of draws, so that a failing case shrinks.
func fromRapid(t *rapid.T) Draw {
	return func(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, label) }
}

// eachPolicy runs a property for every policy.
func eachPolicy(t *testing.T, property func(*rapid.T, *policy.Entry)) {
	for i := range policies.All {
		e := &policies.All[i]
		t.Run(e.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, e) })
		})
	}
}

// TestConformance holds every policy to the contract on generated cases.
func TestConformance(t *testing.T) {
	eachPolicy(t, func(t *rapid.T, e *policy.Entry) { holdToContract(t, e, Generate(fromRapid(t))) })
}

// TestSharedConformance holds every policy to the contract where tasks share links, disks and cores.
func TestSharedConformance(t *testing.T) {
	eachPolicy(t, func(t *rapid.T, e *policy.Entry) {
		c := Generate(fromRapid(t))
		c.Share(fromRapid(t))
		holdToContract(t, e, c)
	})
}

func holdToContract(t *rapid.T, e *policy.Entry, c *Case) {
	params, text := Params(fromRapid(t), e)
	if !suits(c, params) {
		return
	}
	for _, failure := range conform(c, e, params) {
		t.Errorf("policy %s %s: %v\n%s%v", e.Name, failure.check, failure.err, text, c)
	}
}

// suits reports whether the parameters suit the case; a run with others is refused beforehand, with
// the reason. Where maps and reduces share room, the ramp-up limit knows nothing of parts, so only
// pre-emption protects a divided cluster from deadlock.
func suits(c *Case, params any) bool {
	if _, ok := params.(policy.Divider); ok && c.Topology.Model != model.Slots && !c.Config.Jobs.Preempt {
		return false
	}
	v, ok := params.(policy.SiteValidator)
	return !ok || len(v.ValidateOn(c.Topology, c.Jobs)) == 0
}

// failure is a named check that did not pass.
type failure struct {
	check string
	err   error
}

// conform runs the case with every check on and returns what failed.
func conform(c *Case, e *policy.Entry, params any) (failures []failure) {
	fail := func(check string, err error) {
		if err != nil {
			failures = append(failures, failure{check, err})
		}
	}
	log, collector, alone := &record.Log{}, metrics.NewCollector(c.Topology, c.Jobs), metrics.NewCollector(c.Topology, c.Jobs)
	var touched error
	w := &watcher{report: func(err error) { touched = orFirst(touched, err) }}
	in := c.Input(w.watch(e), params, record.Tee{log, collector, alone})
	in.Check, in.Watcher, in.Estimates = 1, w, collector.Estimates()
	conserved := e.Promises&policy.WorkConserving != 0 && c.Config.Heartbeat.Interval == engine.OnIdle
	var idle error
	progress := progressGuard(c.Jobs)
	in.Inspect = func(now model.Time, s *cluster.State) error {
		if err := progress(now, s); err != nil {
			return err
		}
		if conserved && idle == nil {
			idle = idleRoom(now, s)
		}
		return nil
	}
	result, err := engine.Run(in)
	fail("the run ends without an error", err)
	fail("does not change the cluster", touched)
	fail("keeps no room idle", idle)
	if err != nil {
		return failures
	}
	fail("what racks sent is what jobs sent", sameTraffic(result.Traffic, log.Events))
	if result.Ended != len(c.Jobs) {
		fail("every job ends", fmt.Errorf("%d of %d jobs ended", result.Ended, len(c.Jobs)))
	}
	c.OwnStart, c.Data = in.Policy.Can&policy.CanSlowStart != 0, w.data
	fail("the events add up", Audit(c, log.Events))
	run := collector.Run(nil)
	fail("blame adds up", run.Check())
	fail("estimates that are read are those that are kept", sameForecasts(run, alone.Run(nil)))
	fail("blame is that of the twin", compareBlame(c, run, log.Events))
	again := &record.Log{}
	_, err = engine.Run(c.Input(e, params, again))
	fail("the same input runs again", err)
	fail("the same input gives the same events", sameEvents(log.Events, again.Events))
	return failures
}

// sameForecasts compares how good the estimates of jobs' ends were.
func sameForecasts(a, b *metrics.Run) error {
	for i := range a.Jobs {
		if x, y := a.Jobs[i].Forecast, b.Jobs[i].Forecast; !reflect.DeepEqual(x, y) {
			return fmt.Errorf("job %d: %+v and %+v", a.Jobs[i].ID, x, y)
		}
	}
	return nil
}

func orFirst(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// progressGuard returns a check that stops a run which goes on without getting anywhere: no case
// has a task so long that 5,000 heartbeats and pre-emptions happen before the next one ends, for each GiB that the largest
// job shuffles, which takes its time on slow disks and links.
func progressGuard(jobs []model.Job) func(model.Time, *cluster.State) error {
	most := 5000
	for i := range jobs {
		most = max(most, 5000*int(jobs[i].Shuffle/model.GiB))
	}
	events, since := 0, model.Time(0)
	var done, there int
	return func(now model.Time, s *cluster.State) error {
		sum, jobs := 0, s.Jobs()
		for _, j := range jobs {
			sum += int(j.Done[model.Map] + j.Done[model.Reduce])
		}
		if sum != done || len(jobs) != there { // jobs that have ended are no longer there
			events, done, there, since = 0, sum, len(jobs), now
		}
		if events++; events > most {
			return fmt.Errorf("the run does not end: no task has ended since %v in %d events, and it is %v", since, most, now)
		}
		return nil
	}
}

// idleRoom returns an error if a node has room for a task that may start now.
func idleRoom(now model.Time, s *cluster.State) error {
	for _, j := range s.Jobs() {
		if j.Phase != cluster.Admitted {
			continue
		}
		for k := range model.Kind(model.Kinds) {
			if j.Wants(k) <= 0 {
				continue
			}
			for n := range s.Nodes {
				if s.Nodes[n].Free.Fits(j.Need[k]) {
					return fmt.Errorf("at %v node %d has %v free and job %d wants to start %d %s tasks of %v", now, n, s.Nodes[n].Free, j.ID, j.Wants(k), k, j.Need[k])
				}
			}
		}
	}
	return nil
}

// sameTraffic holds what went from rack to rack against what jobs sent. Each number is rounded on its own.
func sameTraffic(t *record.Traffic, events []record.Event) error {
	if t == nil {
		return nil
	}
	var sent, left, moved, crossed, slack model.Bytes
	for i, bytes := range t.Bytes {
		slack++
		if sent += bytes; i/t.Racks != i%t.Racks {
			left += bytes
		}
	}
	var over, carried, told model.Bytes // by circuits: as jobs, racks and circuits say
	for _, bytes := range t.Over {
		carried += bytes
	}
	for _, e := range events {
		switch e.Kind {
		case record.DataMoved:
			slack++
			moved, crossed, over = moved+e.Bytes, crossed+e.Cross, over+e.Over
		case record.CircuitChanged:
			told += e.Bytes
		}
	}
	if max(over-carried, carried-over, over-told, told-over) > slack || over > crossed+slack {
		return fmt.Errorf("jobs sent %d bytes over circuits and %d between racks; circuits carried %d and told of %d", over, crossed, carried, told)
	}
	if max(sent-moved, moved-sent, left-crossed, crossed-left) > slack {
		return fmt.Errorf("racks sent %d bytes, %d to others; jobs sent %d and %d", sent, left, moved, crossed)
	}
	return nil
}

// sameEvents compares two logs.
func sameEvents(a, b []record.Event) error {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x.Host != nil && y.Host != nil && *x.Host == *y.Host {
			x.Host, y.Host = nil, nil
		}
		if x.Links != nil && y.Links != nil && slices.Equal(x.Links.Use, y.Links.Use) {
			x.Links, y.Links = nil, nil
		}
		if x != y {
			return fmt.Errorf("event %d differs: %+v, then %+v", i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("%d events, then %d", len(a), len(b))
	}
	return nil
}

// TestEntries checks what the table says about each policy.
func TestEntries(t *testing.T) {
	var names []string
	for i := range policies.All {
		e := &policies.All[i]
		if slices.Contains(names, e.Name) {
			t.Errorf("%s stands twice in the table", e.Name)
		}
		names = append(names, e.Name)
		if e.Summary == "" || e.Source == "" || len(e.Rules) == 0 || e.New == nil || e.Can == 0 {
			t.Errorf("%s: the entry leaves something out: %+v", e.Name, e)
		}
		for _, r := range e.Rules {
			if r.Text == "" || r.Source == "" {
				t.Errorf("%s: a rule without text or source: %+v", e.Name, r)
			}
		}
		if err := declared(e); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// declared compares what the policy implements with what its entry says it can decide.
func declared(e *policy.Entry) error {
	c := Generate(func(label string, lo, hi int) int {
		if label == "nodes" {
			return 2 // some policies divide them
		}
		return simplest(label, lo, hi)
	})
	env := environment(c)
	var params any
	if e.Params != nil {
		params = e.Params()
	}
	p, err := e.New(env, params)
	if err != nil {
		return err
	}
	const seen = policy.CanRank | policy.CanAdmit | policy.CanPlaceData | policy.CanSlowStart | policy.CanGateShuffle
	if can := policy.Drive(env, p).Can(); can != e.Can&seen {
		return fmt.Errorf("its entry says that it can %v, it can %v", e.Can&seen, can)
	}
	return nil
}
