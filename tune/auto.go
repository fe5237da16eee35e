// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// AutoParams configures marp-auto. None of them depends on the size of the cluster or of the jobs.
type AutoParams struct {
	Share float64    `yaml:"share" above:"0" max:"1" doc:"Share until the sizes of an AM and of the memory are known."`
	Idle  float64    `yaml:"idle" min:"0" max:"100" doc:"Idle CPU, in percent, above which there is room for another job."`
	Poll  model.Time `yaml:"poll" above:"0" doc:"Time between two looks."`
}

func autoEntry() Entry {
	return Entry{
		Name:    "marp-auto",
		Summary: "One job's maps after another's without a gap, and no more jobs than fill the disk: a job is let in so early that its maps begin when there is room for them.",
		Source:  "own; marp-2019 §7.5 and §7.6 ask for it",
		Params:  func() any { return &AutoParams{Share: 0.05, Idle: 15, Poll: 2 * model.Second} },
		New: func(_ Env, params any) (Tuner, error) {
			return &auto{p: *params.(*AutoParams)}, nil
		},
	}
}

// auto counts in jobs, not in shares: Target is how many may run, and the share is what that many AMs
// and a half take of the memory, which admits just that many however the scheduler rounds.
//
// The maps of one job fill a cluster; its reduces do not (marp-2019 §4.2). So the tuner wants the maps
// of one job at a time, and no gap between the maps of two jobs. The gap has two known parts: how long
// a written share takes to act (the actuator says), and how long an AM takes until its first task runs
// (seen on each job). The tuner looks ahead by their sum: when the maps that run now will all have ended
// by then, it lets the next job in at once. Reduces share the disk: the tuner learns what a job takes of
// it once its maps have ended, lets no more jobs in than fill it, and gives the place of a job away
// before that job has ended, unless it stays where jobs end for longer than a share takes to act. Jobs too
// small to fill anything are let in by ones, twos, fours, as long as CPU and disk have room.
//
// A queue never starves: at least one job may always run.
type auto struct {
	p AutoParams
	s autoState
}

type autoState struct {
	Target int // jobs that may run
	Apps   []autoApp
	Boot   Reading[float64] // seconds from an AM's container to the first task, averaged
	MapEnd Reading[float64] // progress at which maps end, averaged
	End    Reading[float64] // progress at which jobs end, averaged
	Disk   float64          // percent that the disk works, averaged
	Seen   model.Time       // of Disk
	Weight Reading[float64] // percent of the disk that one job takes after its maps, averaged
	Idle   int              // looks in a row that found the CPU idle
	Grow   int              // jobs let in at the last raise
	Let    int              // of these, not seen running yet
	Raised model.Time       // when that was
}

// autoApp is what is known about an application that runs.
type autoApp struct {
	ID       string
	Since    model.Time // seen running first
	Seen     model.Time // of Progress
	Progress float64
	Rate     float64    // percent per second, averaged
	Due      model.Time // its progress has been where jobs end since then, 0: it is not there yet
	Width    int        // containers at the last look, its AM included
	Peak     int        // most of them
	Begun    bool       // its tasks have begun
	Growing  bool       // it got containers since the look before
	Reducing bool       // its maps have ended
}

// Step lets jobs in or holds them back.
func (t *auto) Step(o *Observation) Advice {
	one, ok := shareOf(o, 1)
	if !ok {
		return Advice{Share: t.p.Share, Next: o.Time + t.p.Poll, Reason: "the sizes are not known yet"}
	}
	t.track(o)
	reason := t.aim(o)
	share := (float64(t.s.Target) + 0.5) * one
	return Advice{Share: min(max(rounded(share, 6), 1e-6), 1), Next: o.Time + t.p.Poll, Reason: reason}
}

// State returns what the tuner has learnt.
func (t *auto) State() any { return &t.s }

// What is taken for true until it has been seen. Half of the progress is the maps' (5 + 45 of 100), and
// a job ends at 95.
const (
	firstLatency = 15 * model.Second
	firstBoot    = 10.0 // seconds
	firstMapEnd  = 50.0
	firstEnd     = 95.0
	firstWeight  = 100.0 / 3 // percent of the disk; used only where nothing tells how busy it is
)

const (
	averaging      = 0.3  // weight of the newest of things that happen once per job
	memory         = 6.0  // seconds after which what is seen all the time counts a third
	full           = 95.0 // percent from which on a disk counts as working all the time
	surelyReducing = 65.0 // progress with all maps and all copying done
)

// newest returns the weight of a value that is seen that long after the last one.
func newest(dt model.Time) float64 { return 1 - math.Exp(-dt.Seconds()/memory) }

// learn takes the first value as it is and averages the later ones.
func learn(r *Reading[float64], v float64) {
	if !r.Known {
		*r = Got(v)
	}
	r.Value += averaging * (v - r.Value)
}

// track brings what is known about the running applications up to date.
func (t *auto) track(o *Observation) {
	if !o.AppsKnown {
		return
	}
	s := &t.s
	old := make(map[string]*autoApp, len(s.Apps))
	for i := range s.Apps {
		old[s.Apps[i].ID] = &s.Apps[i]
	}
	apps := make([]autoApp, 0, len(o.Apps))
	for i := range o.Apps {
		if o.Apps[i].State != Running {
			if b := old[o.Apps[i].ID]; b != nil && o.Apps[i].State == Finished {
				learn(&s.End, b.Progress)
			}
			continue
		}
		a := autoApp{ID: o.Apps[i].ID, Since: o.Time, Seen: o.Time}
		if b := old[a.ID]; b != nil {
			a = *b
		} else if s.Let > 0 {
			s.Let--
		}
		t.look(&a, &o.Apps[i], o.Time)
		apps = append(apps, a)
	}
	s.Apps = apps
}

// look takes in what is seen of one application.
func (t *auto) look(a *autoApp, seen *App, now model.Time) {
	s := &t.s
	progress := seen.Progress.Or(a.Progress)
	if dt := now - a.Seen; dt > 0 {
		rate := max(progress-a.Progress, 0) / dt.Seconds()
		if a.Begun && a.Rate > 0 {
			rate = a.Rate + newest(dt)*(rate-a.Rate)
		}
		a.Rate = rate
	}
	width := seen.Containers.Or(2)
	a.Growing = width > a.Width
	a.Progress, a.Seen, a.Width, a.Peak = progress, now, width, max(a.Peak, width)
	if !a.Begun && (seen.Containers.Known && width > 1 || progress > 5) {
		a.Begun = true
		if a.Since < now {
			learn(&s.Boot, (now - a.Since).Seconds())
		}
		a.Rate = 0
	}
	// The maps have ended when a few containers are left of many, or when progress says so.
	few := seen.Containers.Known && a.Peak > 3 && width <= 2 && progress > firstMapEnd/2
	if !a.Reducing && a.Begun && (few || progress >= surelyReducing) {
		a.Reducing = true
		if few {
			learn(&s.MapEnd, progress)
		}
	}
}

// outlook is what the tuner expects of the time when a job that it lets in now begins its maps.
type outlook struct {
	staying int  // jobs that run when the share acts, at the latest
	holding int  // jobs that run when the share acts, at the soonest
	beyond  int  // jobs that run when the new AM has started
	coming  int  // jobs not at work yet
	mapping bool // maps that run now will still run
}

// look ahead by the time that a share takes to act, and an AM to start.
func (t *auto) ahead(o *Observation) (e outlook) {
	s := &t.s
	latency := o.Latency.Or(firstLatency)
	lead := latency + model.Seconds(s.Boot.Or(firstBoot))
	for i := range s.Apps {
		a := &s.Apps[i]
		left := a.left(s.End.Or(firstEnd))
		switch {
		case left > 0:
			a.Due = 0
		case a.Due == 0:
			a.Due = o.Time
		case o.Time > a.Due+latency: // its place was given away, and it has not left
			left = model.Forever
		}
		if left > latency {
			e.staying++
		}
		if left > latency/3 {
			e.holding++
		}
		if left > lead {
			e.beyond++
		}
		switch {
		case !a.Begun || a.Growing:
			e.coming++
		case !a.Reducing && a.left(s.MapEnd.Or(firstMapEnd)) > lead:
			e.mapping = true
		}
	}
	// Jobs let in by a share that does not act yet, unless it should have by now.
	if o.Pending.Or(0) == 0 || o.Time > s.Raised+latency+2*t.p.Poll {
		s.Let = 0
	}
	e.coming += s.Let
	e.beyond += s.Let
	return e
}

// measure averages how the host fares.
func (t *auto) measure(o *Observation) {
	s := &t.s
	if s.Idle++; !o.Idle.Known || o.Idle.Value <= t.p.Idle {
		s.Idle = 0
	}
	if !o.Disk.Known { // guessed from the number of jobs
		s.Weight = Got(s.Weight.Or(firstWeight))
		s.Disk = min(s.Weight.Value*float64(len(s.Apps)), 100)
		return
	}
	s.Disk += newest(o.Time-s.Seen) * (o.Disk.Value - s.Disk)
	s.Seen = o.Time
	for i := range s.Apps {
		if !s.Apps[i].Reducing {
			return
		}
	}
	n := float64(len(s.Apps))
	switch {
	case n == 0:
	case o.Disk.Value >= full: // each takes at least its part of it
		s.Weight = Got(max(s.Weight.Value, full/n))
	default:
		learn(&s.Weight, o.Disk.Value/n)
	}
}

// room reports whether the disk has room for another job beside those that stay, once their maps have
// ended. A disk that works all the time gains nothing from more jobs: they only get in each other's way
// (loss of job throughput, marp-2019 §4.1.2).
func (t *auto) room(staying int) bool {
	if w := t.s.Weight; staying > 1 && w.Known {
		return t.fits(float64(staying) * w.Value)
	}
	return staying <= 1 || t.s.Disk < full
}

// fits reports whether at least half of what a job takes of the disk is free beside a load.
func (t *auto) fits(load float64) bool {
	return load < full && load+t.s.Weight.Value/2 <= 100
}

// aim sets the number of jobs that may run and says why.
func (t *auto) aim(o *Observation) string {
	s := &t.s
	t.measure(o)
	e := t.ahead(o)
	more, reason := 0, "maps run"
	switch {
	case e.coming > 0:
		reason = "a job is starting"
	case s.Idle >= 2 && t.fits(s.Disk):
		reason, more = "CPU and disk have room", 1
		if s.Grow > 0 && o.Pending.Or(0) > 0 && o.Time < s.Raised+2*(o.Latency.Or(firstLatency)+model.Seconds(s.Boot.Or(firstBoot))) { // the last ones did not fill them
			more = 2 * s.Grow
		}
	case e.mapping:
	case t.room(e.beyond):
		reason, more = "room by the time that a job starts", 1
	default:
		reason = "the disk is full"
	}
	if more > 0 && o.Pending.Or(0) > 0 {
		s.Grow, s.Let, s.Raised = more, more, o.Time
	}
	// A job that ends soon gives its place back by itself, unless the next one needs it before.
	target := e.staying
	if now := max(more, s.Let); now > 0 {
		target = e.holding + now
	}
	target = min(max(target, 1), t.most(o))
	s.Target = target
	return fmt.Sprintf("%s: %d may run", reason, target)
}

// left returns how long the application needs to reach a progress at its present rate.
func (a *autoApp) left(progress float64) model.Time {
	switch {
	case a.Progress >= progress:
		return 0
	case a.Rate <= 0:
		return model.Forever
	}
	return model.Seconds(min((progress-a.Progress)/a.Rate, 1e6))
}

// most returns how many jobs can run so that each has room for a task beside its AM.
func (t *auto) most(o *Observation) int {
	each := o.AM.Value + o.Container.Or(o.AM.Value)
	return max(int(math.Floor(float64(o.Memory.Value)/float64(each))), 1)
}
