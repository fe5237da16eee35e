// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rm"
	"github.com/yardmaster/yardmaster/tune"
)

// yarn is two nodes of 8,192 MiB and 16 vcores, where masters take 2,048 MiB, start for 5 s and stay for 5 s.
func yarn(change func(*Config)) set {
	return set{model: model.Yarn, nodes: 2, room: model.Room{8192, 16}, change: func(c *Config) {
		c.Yarn = &rm.Rules{}
		c.Yarn.SetDefaults()
		change(c)
	}}
}

// gibs returns a job whose tasks take 1,024 MiB and a vcore each.
func gibs(j model.Job) model.Job {
	j.Need = [model.Kinds]model.Room{{1024, 1}, {1024, 1}}
	return j
}

// A job waits for its master's start-up before it is admitted; the master stays for a while after its end.
func TestLifeOfAMaster(t *testing.T) {
	s := newStage(t, yarn(func(*Config) {}), gibs(tasks(times(1, 3), nil)))
	s.policy.pick = s.eager
	s.play(1)
	if s.state.Used[0] != 2048 || s.floor.wanting[0] != 0 || s.masters.rm.Running() != 1 {
		t.Errorf("%d MiB used, %d want room, %d masters run", s.state.Used[0], s.floor.wanting[0], s.masters.rm.Running())
	}
	s.play(20)
	s.expect("recorded", s.events(record.JobSubmitted, record.AMStarted, record.JobAdmitted, record.TaskStarted, record.JobEnded, record.AMEnded),
		"job-submitted 0 at 0", "am-started 0 at 0", "job-admitted 0 at 5", "task-started map 0.0 at 5", "job-ended 0 at 8", "am-ended 0 at 13")
	if s.state.Used != ([model.Dims]int64{}) || s.queue.Len() != 0 {
		t.Errorf("%v used, %d events planned", s.state.Used, s.queue.Len())
	}
}

// A share of 0.25 of 16,384 MiB holds two masters. The third starts when the first has left, at 5 + 1 + 5 s, and
// the others of its queue are told what holds them back.
func TestMastersWaitForTheShare(t *testing.T) {
	one := gibs(tasks(times(1, 1), nil))
	s := newStage(t, yarn(func(c *Config) { c.Yarn.Share = 0.25 }), one, one, one)
	s.policy.pick = s.eager
	s.play(30)
	s.expect("recorded", s.events(record.AMStarted, record.AMEnded, record.JobBlocked), "am-started 0 at 0", "am-started 1 at 0",
		"job-blocked 2 am_share at 0", "am-ended 0 at 11", "am-started 2 at 11", "am-ended 1 at 11", "am-ended 2 at 22")
}

// What becomes of an offer while a master waits: whether it is served, whether tasks may have the room, and how far a
// refusal reaches.
func TestServeMasters(t *testing.T) {
	for _, c := range []struct {
		why    string
		share  model.Fraction
		others int32 // that want room beside the masters
		free   int32 // MiB on the node
		want   string
	}{
		{"it starts", 0.5, 0, 8192, "served true, tasks false, scope 0"},
		{"it does not fit and reserves the node, though others want it", 0.5, 1, 1024, "served false, tasks false, scope 0"},
		{"the share holds it back and nobody else wants room", 0.1, 0, 8192, "served false, tasks false, scope 1"},
		{"the share holds it back, tasks may have the room", 0.1, 1, 8192, "served false, tasks true, scope 0"},
	} {
		s := newStage(t, yarn(func(*Config) {}), gibs(tasks(times(1, 1), nil)))
		s.masters.rm.Share.InEffect = 0 // the job waits
		s.play(0)
		s.masters.rm.Share.InEffect = float64(c.share)
		s.floor.wanting[0] += c.others
		s.state.Hold(0, model.Room{8192 - c.free, 0})
		s.floor.offer = policy.Offer{Node: 0}
		s.floor.offer.OnBlocked(s.floor.blocked)
		served, tasks, scope := s.masters.serve(0)
		if got := fmt.Sprintf("served %t, tasks %t, scope %d", served, tasks, scope); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
		if started := s.floor.offer.Beat.Masters == 1; started != served || (s.floor.wanting[0] == c.others) != served {
			t.Errorf("%s: %d masters in the beat, %d want room", c.why, s.floor.offer.Beat.Masters, s.floor.wanting[0])
		}
	}
}

// Masters that wait count once among those that want room, however many there are.
func TestMastersWantOnce(t *testing.T) {
	one := gibs(tasks(times(1, 1), nil))
	s := newStage(t, yarn(func(c *Config) { c.Yarn.Share = 0.25 }), one, one, one, one)
	s.play(0)
	if s.floor.wanting[0] != 1 || s.masters.rm.Waiting() != 2 {
		t.Errorf("%d want room, %d masters wait", s.floor.wanting[0], s.masters.rm.Waiting())
	}
}

// busy makes tasks share disks of 100 bytes per second and two cores of 1,000 cycles per second on each host: at
// 20 cycles per byte a map reads 50 bytes per second and keeps one of four cores busy.
func busy(c *Config) {
	c.Durations, c.Tasks.StartUp, c.Tasks.MapCycles = exec.Resources, 0, 20
	c.Yarn.IOThreads = 0
}

// Hosts are looked at every second while a master is there, and once more. A map of 1,000 bytes runs from 5 s to 25 s; the
// master leaves at 30 s.
func TestSamples(t *testing.T) {
	j := gibs(tasks(times(1, 1), nil))
	j.Input = 1000
	s := newStage(t, yarn(busy), j)
	s.policy.pick = s.eager
	s.play(60)
	var looks []record.Event
	for _, e := range s.log.Events {
		if e.Kind == record.HostSampled {
			looks = append(looks, e)
		}
	}
	if len(looks) != 30 || looks[0].Time != model.Second || looks[29].Time != 30*model.Second {
		t.Fatalf("%d looks, want at 1 s to 30 s", len(looks))
	}
	for _, c := range []struct {
		second         int
		user, progress float64
	}{
		{3, 0, 0},                          // the master starts
		{15, 0.25 * 0.9, 0.05 + 0.9*1.0/3}, // one core of four, a tenth of it the kernel's; half read is a third of a map
		{27, 0, 1},                         // the job has ended
	} {
		h := looks[c.second-1].Host
		if math.Abs(h.User-c.user) > 1e-6 || math.Abs(h.System-c.user/9) > 1e-6 || math.Abs(h.Progress-c.progress) > 1e-6 || h.Share != 0.5 {
			t.Errorf("at %d s: %+v, want user %g, progress %g", c.second, *h, c.user, c.progress)
		}
	}
}

// Under replay hosts have no load, so nobody looks.
func TestNoSamplesUnderReplay(t *testing.T) {
	s := newStage(t, yarn(func(*Config) {}), gibs(tasks(times(1, 1), nil)))
	s.policy.pick = s.eager
	s.play(60)
	if list := s.events(record.HostSampled); len(list) != 0 {
		t.Errorf("%d looks", len(list))
	}
}

// Two of three masters fit under a share of 0.25. The map of job 0 reads its 1,000 bytes from 6 s to
// 26 s.
func TestObservation(t *testing.T) {
	j := gibs(tasks(times(1, 1), nil))
	j.Input = 1000
	later := gibs(tasks(times(1, 1), nil))
	s := newStage(t, yarn(func(c *Config) { busy(c); c.Yarn.Share = 0.25 }), j, later, later)
	s.play(6)
	s.policy.pick = func(o *policy.Offer) policy.Decision {
		if j := s.state.Job(0); j.Wants(model.Map) > 0 {
			return policy.Start(j, model.Map, 0)
		}
		return policy.Nothing(policy.Here, 0)
	}
	s.floor.wakeAll(s.queue.Now())
	s.settleAt(s.queue.Now())
	s.play(17.5) // the last look was at 17 s
	if looks := len(s.events(record.HostSampled)); looks != 17 {
		t.Errorf("%d looks in 17 s, whoever has a master", looks)
	}
	s.masters.tuning.observe(s.queue.Now())
	o := &s.masters.tuning.seen
	gib := func(n float64) model.Bytes { return model.Bytes(n * float64(model.GiB)) }
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"time", o.Time, 17500 * model.Millisecond},
		{"pending", o.Pending, tune.Got(1)},
		{"running", o.Running, tune.Got(2)},
		{"share", o.Share, tune.Got(0.25)},
		{"a master", o.AM, tune.Got(gib(2))},
		{"a task", o.Container, tune.Got(gib(1))},
		{"memory", o.Memory, tune.Got(gib(16))},
		{"available: 16 - 2*2 - 1", o.Available, tune.Got(gib(11))},
		{"applications", len(o.Apps), 3},
		{"states", fmt.Sprint(o.Apps[0].State, o.Apps[1].State, o.Apps[2].State), "running running pending"},
		{"memory of job 0: 2 + 1", o.Apps[0].Memory, tune.Got(gib(3))},
		{"containers of job 0", o.Apps[0].Containers, tune.Got(2)},
		{"memory of job 1", o.Apps[1].Memory, tune.Got(gib(2))},
		{"memory of job 2", o.Apps[2].Memory, tune.Got(gib(0))},
		{"name", o.Apps[0].ID, "application_1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"idle: three cores of four", o.Idle.Value, 75},
		{"the busiest disk gives 50 of 100", o.Disk.Value, 50},
		{"progress of job 0: 5 + 90 * 11.5/20 * 2/3", o.Apps[0].Progress.Value, 39.5},
		{"progress of job 1", o.Apps[1].Progress.Value, 5},
		{"progress of job 2", o.Apps[2].Progress.Value, 0},
	} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
	if !o.AppsKnown {
		t.Error("the list of applications is not known")
	}
}

// A written share acts when the scheduler has read it, and lets another master start then; of two changes
// before that the last one counts.
func TestReloadShare(t *testing.T) {
	one := gibs(tasks(times(1, 100), nil))
	s := newStage(t, yarn(func(c *Config) { c.Yarn.Share = 0.25 }), one, one, one)
	s.play(3)
	share := s.masters.share
	for _, value := range []float64{0.9, 0.4} {
		if err := share.Apply(value); err != nil {
			t.Fatal(err)
		}
	}
	acts := s.masters.rm.Share.Write(s.queue.Now(), 0.4)
	if share.ReadBack() != tune.Got(0.4) || s.masters.rm.Share.InEffect != 0.25 || share.Latency() != tune.Got(15*model.Second) {
		t.Errorf("%v written, %g acts, latency %v", share.ReadBack(), s.masters.rm.Share.InEffect, share.Latency())
	}
	s.play(acts.Seconds() - 0.001)
	before := s.masters.rm.Running()
	s.play(acts.Seconds() + 0.001)
	if before != 2 || s.masters.rm.Running() != 3 || s.masters.rm.Share.InEffect != 0.4 {
		t.Errorf("%d masters before the reload, %d after; %g acts", before, s.masters.rm.Running(), s.masters.rm.Share.InEffect)
	}
}

// The Capacity Scheduler refuses what is no share, the Fair Scheduler reads any number.
func TestApplyRefuses(t *testing.T) {
	for formula, wrong := range map[string]bool{rm.Capacity: true, rm.FairNow: false} {
		s := newStage(t, yarn(func(c *Config) { c.Yarn.Formula = formula }))
		for _, share := range []float64{-1, 1.5, math.NaN()} {
			var refused *tune.Refused
			if err := s.masters.share.Apply(share); errors.As(err, &refused) != wrong {
				t.Errorf("%s, share %g: %v", formula, share, err)
			}
		}
		if err := s.masters.share.Apply(1); err != nil {
			t.Errorf("%s, share 1: %v", formula, err)
		}
	}
}

// The share that a tuner advises first acts before the first job comes; a tuner that is done is not called again.
func TestTunerStarts(t *testing.T) {
	s := newStage(t, yarn(func(c *Config) {
		c.Durations = exec.Resources
		c.Yarn.Tuner = tuner("prj", &tune.PRJParams{Share: 0.125})
	}), gibs(tasks(times(1, 1), nil)))
	if share := s.masters.rm.Share; share.InEffect != 0.125 || share.Written != 0.125 || s.queue.Pending() != 0 {
		t.Errorf("%g acts, %g is written, %d events planned", share.InEffect, share.Written, s.queue.Pending())
	}
}

// A tuner that goes on is called while jobs or masters are there: until the master has left at 30 s.
func TestTunerStops(t *testing.T) {
	j := gibs(tasks(times(1, 1), nil))
	j.Input = 1000
	s := newStage(t, yarn(func(c *Config) { busy(c); c.Yarn.Tuner = tuner("cbt", nil) }), j)
	s.policy.pick = s.eager
	steps := func() (n int) {
		s.queue.Each(func(_ des.Handle, _ model.Time, e *event) bool {
			if e.kind == tunerStep {
				n++
			}
			return true
		})
		return n
	}
	s.play(29)
	if n := steps(); n != 1 {
		t.Errorf("%d steps planned while the master stays", n)
	}
	s.play(300)
	if n := steps(); n != 0 || s.result.Ended != 1 {
		t.Errorf("%d steps planned after it has left, %d jobs ended", n, s.result.Ended)
	}
}

// tuner is the choice of a tuner with its parameters.
func tuner(name string, params any) tune.Choice {
	return tune.Choice{Choice: table.Choice{Name: name, Params: params}}
}
