// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
)

// Each test here is a smallest case: a simple mistake in the engine or a policy makes it fail.

// A node of two containers, a job of two maps and two reduces: with a ramp-up limit of 100 % both
// reduces start at once. Pre-emption kills one after a second. The freed container must not go to
// the killed reduce again, every second and for ever.
func TestPreemptFullRampUp(t *testing.T) {
	c := small(model.Containers, 1, model.Room{2})
	c.setRampUp(100)
	c.add(0, 2, 2, 10*model.Second, nil)
	e, params := find("fifo")
	if _, err := c.run(e, params); err != nil {
		t.Error(err)
	}
}

// A node of two containers with a heartbeat every 3s and a ramp-up limit of 50 %: a job's reduces may
// hold one container while it has pending maps. The limit is worked out when a task of the job ends.
// Between two heartbeats both containers are free, so both jobs are allowed one reduce in the same
// free room. At the next heartbeat they must not both start, or no map ever finds room.
func TestRampUpBetweenHeartbeats(t *testing.T) {
	c := small(model.Containers, 1, model.Room{2})
	c.Config.Jobs.Preempt = false
	c.Config.Heartbeat.Interval = engine.Interval(3 * model.Second)
	c.add(0, 0, 3, 2*model.Second, nil)
	c.add(0, 4, 1, 2*model.Second, nil)
	c.add(0, 3, 1, 2*model.Second, nil)
	e, params := find("fair")
	if _, err := c.run(e, params); err != nil {
		t.Error(err)
	}
}

// Two nodes of different size. The job's map fits the large one only, its reduce both. The wake at
// submission asks the small node first, in vain, then starts the map on the large one, which makes
// the reduce eligible. The small node must be asked again, because the reduce fits there.
func TestWakePassesNode(t *testing.T) {
	for seed := range uint64(20) { // the ring is shuffled by the seed
		c := small(model.Yarn, 2, model.Room{1024, 1})
		c.Seed = seed
		c.Topology.Classes = append(c.Topology.Classes, model.NodeClass{Name: "large", Room: model.Room{2048, 1}, Speed: 1})
		c.Topology.Nodes[1].Class = 1
		c.add(0, 1, 1, 10*model.Second, func(j *model.Job) {
			j.Need = [model.Kinds]model.Room{{2048, 1}, {1024, 1}}
		})
		e, params := find("fifo")
		in := c.Input(e, params, &record.Log{})
		in.Inspect = idleRoom
		if _, err := engine.Run(in); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// Two nodes whose heartbeats have the same phase. Node 0 has room that nobody can use, node 1 has
// room for the job. The heartbeat of the first must not hide that of the second.
func TestHeartbeatsOfEqualPhase(t *testing.T) {
	const interval = model.Millisecond
	seed := uint64(0)
	for draws := rng.New(seed, "heartbeat-offset"); draws.Uint64(0, 0, 0)%uint64(interval) != draws.Uint64(1, 0, 0)%uint64(interval); seed++ {
		draws = rng.New(seed+1, "heartbeat-offset")
	}
	c := small(model.Yarn, 2, model.Room{1024, 1})
	c.Seed = seed
	c.Config.Heartbeat.Interval = engine.Interval(interval)
	c.Topology.Classes = append(c.Topology.Classes, model.NodeClass{Name: "large", Room: model.Room{2048, 1}, Speed: 1})
	c.Topology.Nodes[1].Class = 1
	c.add(0, 1, 0, model.Second, func(j *model.Job) { j.Need[model.Map] = model.Room{1024, 1} })
	c.add(2*model.Second, 1, 0, model.Second, func(j *model.Job) { j.Need[model.Map] = model.Room{2048, 1} })
	e, params := find("fifo")
	if _, err := c.run(e, params); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
}

// Two classes of one node each in two racks. The second replica must not be put on the node of the
// first.
func TestReplicasDistinct(t *testing.T) {
	config := cluster.Config{Room: "slots", Racks: 2, Classes: []cluster.ClassConfig{
		{Name: "a", Nodes: 1, MapSlots: 1, Speed: 1, NodesPerHost: 1}, {Name: "b", Nodes: 1, MapSlots: 1, Speed: 1, NodesPerHost: 1}}}
	if problems := config.Validate(); problems != nil {
		t.Skip("the cluster is refused: ", problems)
	}
	holders := hdfs.NewStore(config.Topology(), 2, nil, 1).Index(0, 20).Holders()
	for b := 0; b < len(holders); b += 2 {
		if holders[b] == holders[b+1] {
			t.Fatalf("both replicas of block %d are on node %d", b/2, holders[b])
		}
	}
}

// Fair serves jobs of equal use by who was served longest ago. If newcomers counted as served longest
// ago, a job that was served once would never be again in a saturated cluster.
func TestFairServesOldJobs(t *testing.T) {
	for _, name := range []string{"fair", "delay"} {
		c := small(model.Slots, 1, model.Room{1, 1})
		c.add(0, 3, 0, 10*model.Second, nil)
		for i := range model.Time(50) { // one newcomer for every ten seconds of work, and one to spare
			c.add(i*9*model.Second, 1, 0, 10*model.Second, nil)
		}
		e, params := find(name)
		events, err := c.run(e, params)
		if err != nil {
			t.Fatal(err)
		}
		// Jobs take turns: the old job is served at least once for every newcomer before it.
		if end := ended(events, 0); end > 80*model.Second {
			t.Errorf("%s: a job of three tasks of 10s ends at %v", name, end)
		}
	}
}

// ended returns when the job ended.
func ended(events []record.Event, job model.JobID) model.Time {
	for i := range events {
		if e := &events[i]; e.Kind == record.JobEnded && e.Task.Job == job {
			return e.Time
		}
	}
	return model.Forever
}

// A policy that is offered room of one pool and answers with a task of the other stops the run.
func TestWrongPool(t *testing.T) {
	c := small(model.Slots, 1, model.Room{1, 1})
	c.add(0, 1, 1, model.Second, nil)
	e := scripted(func(s *cluster.State, o *policy.Offer) policy.Decision {
		if o.Pool == int(model.Map) && s.Job(0).Wants(model.Reduce) > 0 {
			return policy.Start(s.Job(0), model.Reduce, 0)
		}
		return policy.Start(s.Job(0), model.Kind(o.Pool), s.Job(0).First(model.Kind(o.Pool)))
	})
	if _, err := c.run(e, nil); err == nil {
		t.Error("no error")
	}
}

// One node of one vcore, a heartbeat every second, two maps of 2s. The second map may start at the
// heartbeat at which the first ends, or at the next one; but which of them must not depend on what
// a job that comes an hour later will need.
func TestFutureNeedsMatterNot(t *testing.T) {
	var second [2]model.Time
	for jobs := 1; jobs <= 2; jobs++ {
		c := small(model.Yarn, 1, model.Room{512, 1})
		c.Config.Heartbeat.Interval = engine.Interval(model.Second)
		c.add(0, 2, 0, 2*model.Second, func(j *model.Job) { j.Need[model.Map] = model.Room{256, 1} })
		c.add(model.Hour, 1, 0, 2*model.Second, func(j *model.Job) { j.Need[model.Map] = model.Room{256, 0} })
		c.Jobs = c.Jobs[:jobs]
		e, params := find("fifo")
		events, err := c.run(e, params)
		if err != nil {
			t.Fatal(err)
		}
		second[jobs-1] = ended(events, 0)
	}
	if second[0] != second[1] {
		t.Errorf("job 0 ends at %v when it is alone and at %v when another comes an hour later", second[0], second[1])
	}
}
