// SPDX-License-Identifier: Apache-2.0

package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/live/amshare"
	"github.com/yardmaster/yardmaster/live/connect"
	"github.com/yardmaster/yardmaster/live/fakerm"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// TestMain lets the test be a controller that another one kills.
func TestMain(m *testing.M) {
	if url := os.Getenv("YARD_TEST_CONTROLLER"); url != "" {
		c := command(url, os.Getenv("YARD_TEST_STATE"))
		fmt.Println(c.Run(&measure.Shell{Ctx: context.Background(), Out: os.Stdout, Err: os.Stderr}))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// command is live tune with a tuner that sets a share and holds it.
func command(url, state string) *Tune {
	c := &Tune{Tuner: "{prj: {share: 0.35}}", Min: 0.01, Max: 1, Step: 1, CPU: "nodes", Disk: "none", Seed: 1}
	c.Reach = Reach{Flags: connect.Flags{URL: []string{url}}, Queue: "root.prod", State: state}
	c.Apply, c.Patience = true, model.Minute
	return c
}

// jumpClock is moved by sleeping; what happens meanwhile is told.
type jumpClock struct {
	now   model.Time
	sleep func(model.Time)
}

func (c *jumpClock) Now() model.Time { return c.now }
func (c *jumpClock) Sleep(ctx context.Context, d model.Time) error {
	c.now += d
	if c.sleep != nil {
		c.sleep(c.now)
	}
	return ctx.Err()
}

// rig is a controller of a tuner on a fake cluster in fake time.
type rig struct {
	rm      *fakerm.RM
	clock   *jumpClock
	state   string
	journal *steer.Journal
	log     bytes.Buffer
	tuning  *tune.Log
	ctl     *steer.Controller
	said    []string
}

func newRig(t *testing.T, tuner string, seconds model.Time) *rig {
	t.Helper()
	r := &rig{rm: fakerm.New(), clock: &jumpClock{}, state: t.TempDir()}
	t.Cleanup(r.rm.Close)
	client, err := rest.New(rest.Config{URLs: []string{r.rm.URL}, Retries: -1, Timeout: 5 * time.Second, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.journal, err = steer.OpenJournal(r.state, "fake", "root.prod"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.journal.Close() })
	hand := newHands(client)
	session, err := steer.Begin(hand, r.journal, r.clock, steer.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	choice, err := (&Tune{Tuner: tuner}).choice()
	if err != nil {
		t.Fatal(err)
	}
	brain, err := choice.New(1)
	if err != nil {
		t.Fatal(err)
	}
	r.tuning = tune.NewLog(&r.log, choice.Name, "", 1)
	meter, _ := amshare.NewMeter("nodes")
	pilot := amshare.New(amshare.Setup{Eyes: &amshare.Eyes{Source: client, Queue: "root.prod", CPU: meter}, Tuner: brain,
		Recorder: r.tuning, Session: session, Knob: steer.Knob{Kind: steer.KindShare, Name: "root.prod"},
		Hand: hand, Bounds: steer.Bounds{Min: 0.01, Max: 0.9, Step: 0.25}})
	r.ctl = &steer.Controller{Pilot: pilot, Session: session, Clock: r.clock, Patience: 2 * model.Minute, For: seconds * model.Second,
		Status: &steer.Status{}, Log: slog.New(slog.DiscardHandler), Say: func(text string) { r.said = append(r.said, text) }}
	r.clock.sleep = func(now model.Time) { r.rm.Do(func() { r.live(now) }) }
	r.live(0)
	return r
}

// live lets jobs of a minute come and go: as many run as the share admits.
func (r *rig) live(now model.Time) {
	var share float64
	fmt.Sscan(r.rm.Share(), &share)
	room := max(int(share*8192)/512, 1)
	for n := len(r.rm.Apps); n <= int(now/(12*model.Second)); n++ {
		r.rm.Apps = append(r.rm.Apps, &fakerm.App{ID: fmt.Sprintf("application_1_%04d", n+1), Queue: "root.prod", State: "ACCEPTED", Name: "job"})
	}
	for _, a := range r.rm.Apps {
		switch a.State {
		case "RUNNING":
			a.Progress = min(float64(now/model.Millisecond-model.Time(a.Started))/600, 100)
			if a.Progress == 100 {
				a.State, a.Containers = "FINISHED", 0
				continue
			}
			room--
		case "ACCEPTED":
			if room > 0 {
				a.State, a.Containers, a.MemoryMB, a.Started = "RUNNING", 3, 3*512, int64(now/model.Millisecond)
				room--
			}
		}
	}
}

// restored fails unless the cluster is as it was and the journal knows it.
func (r *rig) restored(t *testing.T) {
	t.Helper()
	if share := r.rm.Share(); share != "0.2" || r.rm.Conf["yarn.scheduler.capacity.root.prod.maximum-am-resource-percent"] != "" {
		t.Errorf("the share is %s at the end", share)
	}
	if r.journal.Unfinished() != nil {
		t.Error("the journal says that something is left")
	}
}

// TestTunersLive: each tuner steers, what it saw replays to the same advice, and the old share is put back.
func TestTunersLive(t *testing.T) {
	for _, tuner := range []string{"prj", "one-at-a-time", "cbt", "cbtws", "cbtwat", "marp-auto"} {
		t.Run(tuner, func(t *testing.T) {
			r := newRig(t, tuner, 300)
			if err := r.ctl.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.restored(t)
			if len(r.rm.Writes) < 2 {
				t.Errorf("only the writes %v", r.rm.Writes)
			}
			if err := r.tuning.Close(); err != nil {
				t.Fatal(err)
			}
			replays(t, tuner, &r.log)
		})
	}
}

func replays(t *testing.T, tuner string, log io.Reader) {
	t.Helper()
	rec, err := tune.ReadLog("log", log)
	if err != nil {
		t.Fatal(err)
	}
	choice := tune.Choice{}
	choice.Name = tuner
	brain, err := choice.New(1)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Exchanges) == 0 {
		t.Fatal("nothing was recorded")
	}
	for _, m := range tune.Replay(brain, rec) {
		t.Error(m)
	}
}

// TestFaults: whatever happens to requests, nothing is left changed that the journal does not restore, and nothing that
// acts is sent again before the cluster was asked what stands.
func TestFaults(t *testing.T) {
	for seed := range uint64(6) {
		r := newRig(t, "cbt", 400)
		random := rand.New(rand.NewPCG(seed, 1))
		var healed atomic.Bool
		r.rm.Fail = func(string) fakerm.Fault {
			if healed.Load() || random.IntN(5) > 0 {
				return fakerm.None
			}
			return fakerm.Fault(1 + random.IntN(5))
		}
		sleep := r.clock.sleep
		r.clock.sleep = func(now model.Time) { healed.Store(now > 400*model.Second); sleep(now) }
		err := r.ctl.Run(t.Context())
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		r.restored(t)
		asked := true
		for i, what := range r.rm.Requests {
			switch {
			case what == "GET /scheduler-conf":
				asked = true
			case what == "PUT /scheduler-conf":
				if !asked {
					t.Fatalf("seed %d: request %d writes again without having asked what stands: %v", seed, i, r.rm.Requests[max(0, i-6):i+1])
				}
				asked = false
			}
		}
	}
}

// TestRestartedInTheMiddle: the ResourceManager is away for a minute and has forgotten the changes when it is back.
func TestRestartedInTheMiddle(t *testing.T) {
	r := newRig(t, "cbt", 500)
	away := false
	r.rm.Fail = func(string) fakerm.Fault {
		if away {
			return fakerm.LostRequest
		}
		return fakerm.None
	}
	sleep := r.clock.sleep
	r.clock.sleep = func(now model.Time) {
		r.rm.Do(func() {
			if away = now > 100*model.Second && now < 160*model.Second; away {
				delete(r.rm.Conf, "yarn.scheduler.capacity.root.prod.maximum-am-resource-percent")
			}
		})
		sleep(now)
	}
	if err := r.ctl.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.restored(t)
	late := false
	for _, text := range r.said {
		late = late || strings.Contains(text, "set ") && strings.Compare(strings.TrimSpace(text)[:3], "160") > 0
	}
	if !late {
		t.Errorf("nothing was set after the restart: %v", r.said)
	}
}

// TestOutOfReach: the cluster is away for too long; the journal restores once it is back.
func TestOutOfReach(t *testing.T) {
	r := newRig(t, "prj", 5000)
	away := false
	r.rm.Fail = func(string) fakerm.Fault {
		if away {
			return fakerm.LostRequest
		}
		return fakerm.None
	}
	sleep := r.clock.sleep
	r.clock.sleep = func(now model.Time) { r.rm.Do(func() { away = now > 100*model.Second }); sleep(now) }
	err := r.ctl.Run(t.Context())
	var stopped *steer.Stopped
	if !errors.As(err, &stopped) || !strings.Contains(err.Error(), "out of reach") || !strings.Contains(err.Error(), r.journal.Path()) {
		t.Fatal(err)
	}
	if r.journal.Unfinished() == nil || r.rm.Share() != "0.25" {
		t.Fatalf("share %s, journal %v", r.rm.Share(), r.journal.Unfinished())
	}
	r.rm.Do(func() { r.rm.Fail = nil })
	if err := r.ctl.Session.Restore(t.Context(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	r.restored(t)
}

func TestGuardStops(t *testing.T) {
	r := newRig(t, "cbt", 5000)
	g, err := steer.ParseGuard("pending>4", amshare.FactNames)
	if err != nil {
		t.Fatal(err)
	}
	r.ctl.Guards = []steer.Guard{g}
	if err := r.ctl.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "stopped by the guard pending>4: pending is ") {
		t.Error(err)
	}
	r.restored(t)
}

func TestSignal(t *testing.T) {
	r := newRig(t, "cbt", 5000)
	ctx, cancel := context.WithCancel(t.Context())
	sleep := r.clock.sleep
	r.clock.sleep = func(now model.Time) {
		if now > 200*model.Second {
			cancel()
		}
		sleep(now)
	}
	if err := r.ctl.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.restored(t)
}

// TestKilled: a controller is killed with signal 9 while its change stands; the next start refuses and names the command
// that restores, which restores.
func TestKilled(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	state := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "YARD_TEST_CONTROLLER="+rm.URL, "YARD_TEST_STATE="+state)
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	share := ""
	for deadline := time.Now().Add(30 * time.Second); share != "0.35" && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		rm.Do(func() { share = rm.Share() })
	}
	child.Process.Kill()
	child.Wait()
	if share != "0.35" {
		t.Fatalf("it set %s: %s", share, out.String())
	}
	sh := &measure.Shell{Ctx: t.Context(), Out: &out, Err: &out}
	next := command(rm.URL, state)
	err := next.Run(sh)
	if err == nil || !strings.Contains(err.Error(), "yardmaster live restore "+rm.URL+" --queue root.prod --state "+state) {
		t.Fatal(err)
	}
	if err := (&Restore{next.Reach}).Run(sh); err != nil {
		t.Fatal(err)
	}
	if rm.Share() != "0.2" || len(rm.Writes) != 2 {
		t.Errorf("share %s after %v", rm.Share(), rm.Writes)
	}
	// A dry run changes nothing, and another start begins anew.
	next.Apply, next.For = false, model.Second
	if err := next.Run(sh); err != nil || len(rm.Writes) != 2 {
		t.Errorf("%v after %v", err, rm.Writes)
	}
	next.Apply = true
	if err := next.Run(sh); err != nil || rm.Share() != "0.2" || len(rm.Writes) != 4 {
		t.Errorf("%v, share %s after %v", err, rm.Share(), rm.Writes)
	}
}

func TestNoSecretsInLogs(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	dir := t.TempDir()
	script := filepath.Join(dir, "token")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho hush-hush\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := command(rm.URL, dir)
	c.TokenCommand, c.For = script, model.Second
	rm.Fail = func(what string) fakerm.Fault {
		if strings.HasPrefix(what, "PUT") {
			return fakerm.Busy
		}
		return fakerm.None
	}
	err := c.Run(&measure.Shell{Ctx: t.Context(), Out: &out, Err: &out})
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		out.Write(b)
	}
	if text := out.String() + fmt.Sprint(err); strings.Contains(text, "hush") || len(files) != 1 {
		t.Error(text)
	}
}

func TestRefusedInput(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	for want, change := range map[string]func(*Tune){
		"allowed: root.prod":                    func(c *Tune) { c.Queue = "root.nosuch" },
		"one of prj, one-at-a-time":             func(c *Tune) { c.Tuner = "cbtx" },
		"allowed: shares from 0 to 1":           func(c *Tune) { c.Min = 2 },
		"allowed: nodes, containers, host":      func(c *Tune) { c.CPU = "vibes" },
		"where NAME is one of pending, running": func(c *Tune) { c.StopIf = []string{"mood>3"} },
		"--listen-public":                       func(c *Tune) { c.Listen = "0.0.0.0:0" },
		"allowed: with the Fair Scheduler":      func(c *Tune) { c.Allocations = "fair.xml" },
	} {
		c := command(rm.URL, t.TempDir())
		change(c)
		if err := c.Run(&measure.Shell{Ctx: t.Context(), Out: io.Discard, Err: io.Discard}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if len(rm.Writes) != 0 {
		t.Error(rm.Writes)
	}
}
