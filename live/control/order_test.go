// SPDX-License-Identifier: Apache-2.0

package control

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/live/connect"
	"github.com/yardmaster/yardmaster/live/fakerm"
	"github.com/yardmaster/yardmaster/live/order"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
)

// orderOf is live order by goals: the later an application came, the nearer is its goal.
func orderOf(url, state string) *Order {
	c := &Order{Policy: "edf", Levels: 10, Poll: 50 * model.Millisecond, Seed: 1}
	c.Reach = Reach{Flags: connect.Flags{URL: []string{url}}, Queue: "root.prod", State: state}
	c.Apply, c.Patience, c.For = true, model.Minute, model.Second
	return c
}

func addApps(rm *fakerm.RM, n int) {
	for i := range n {
		rm.Apps = append(rm.Apps, &fakerm.App{ID: fmt.Sprintf("application_1_%04d", i+1), Name: fmt.Sprint("job", i), Queue: "root.prod", State: "ACCEPTED",
			Started: int64(1000 * i), Tags: fmt.Sprintf("goal=%ds", 1000-100*i)})
	}
}

func TestOrderLive(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	addApps(rm, 5)
	rm.MaxPriority = 3
	rm.Apps[1].Priority = 2
	var out bytes.Buffer
	if err := orderOf(rm.URL, t.TempDir()).Run(&measure.Shell{Ctx: t.Context(), Out: &out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "served in the order 0005:0->4 0004:0->3 0003:0->2 0002:2->1 0001:0") {
		t.Error(out.String())
	}
	if !strings.Contains(out.String(), "0005:3 0004:2 0003:1 0002:") || strings.Contains(strings.Join(rm.Writes, ";"), "priority 4") {
		t.Errorf("the cluster's maximum is 3: %s\n%v", out.String(), rm.Writes)
	}
	for i, a := range rm.Apps {
		if want := []int{0, 2, 0, 0, 0}[i]; a.Priority != want {
			t.Errorf("%s has priority %d at the end, had %d", a.ID, a.Priority, want)
		}
	}
	// A dry run writes nothing.
	n := len(rm.Writes)
	c := orderOf(rm.URL, t.TempDir())
	c.Apply = false
	if err := c.Run(&measure.Shell{Ctx: t.Context(), Out: &out, Err: io.Discard}); err != nil || len(rm.Writes) != n || !strings.Contains(out.String(), "would be served") {
		t.Errorf("%v: %v", err, rm.Writes[n:])
	}
}

func TestOrderRefused(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	addApps(rm, 2)
	for want, change := range map[string]func(*Order){
		"needs exact task lengths":             func(c *Order) { c.Policy = "srpt" },
		"partition nodes":                      func(c *Order) { c.Policy = "tags" },
		"allowed: one of":                      func(c *Order) { c.Policy = "fbqq" },
		"limits above 0s":                      func(c *Order) { c.Policy = "{fbq: {limits: [0s]}}" },
		"largest priority is 0":                func(*Order) { rm.MaxPriority = 0 },
		"ordering policy FairOrderingPolicy":   func(*Order) { rm.Order = "FairOrderingPolicy" },
		"no such file":                         func(c *Order) { rm.Order, c.Goals = "FifoOrderingPolicy", "nosuch.txt" },
		"allowed: at least 1, above 0s":        func(c *Order) { c.Levels = 0 },
		"where NAME is one of pending, runnin": func(c *Order) { c.StopIf = []string{"idle<3"} },
	} {
		rm.MaxPriority, rm.Order = 10, "FifoOrderingPolicy"
		c := orderOf(rm.URL, t.TempDir())
		change(c)
		if err := c.Run(&measure.Shell{Ctx: t.Context(), Out: io.Discard, Err: io.Discard}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	for _, a := range rm.Apps {
		if a.Priority != 0 {
			t.Errorf("%s is left with priority %d", a.ID, a.Priority)
		}
	}
}

// TestOrderBySchedulersRank: a scheduler that is not told when an application gets its first priority back serves the
// applications in the policy's order all the same.
func TestOrderBySchedulersRank(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	addApps(rm, 3)
	for _, a := range rm.Apps {
		a.State, a.Containers, a.MemoryMB, a.Asks = "RUNNING", 2, 1024, 4
	}
	looks := 0
	rm.Fail = func(what string) fakerm.Fault {
		if what == "GET /apps" {
			looks++
		}
		if k := looks/3 - 1; k == 0 || k == 1 { // the first two have been served for long, one after the other
			rm.Apps[k].MemorySeconds = 1_000_000
		}
		return fakerm.None
	}
	c := orderOf(rm.URL, t.TempDir())
	c.Policy = "{fbq: {limits: [100s]}}"
	var out bytes.Buffer
	if err := c.Run(&measure.Shell{Ctx: t.Context(), Out: &out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if a := rm.Apps; a[2].Rank() <= a[0].Rank() || a[2].Rank() <= a[1].Rank() {
		t.Errorf("the last application is not served first: %d %d %d\n%s", a[0].Rank(), a[1].Rank(), a[2].Rank(), out.String())
	}
	for _, a := range rm.Apps {
		if a.Priority != 0 {
			t.Errorf("%s shows priority %d at the end", a.ID, a.Priority)
		}
	}
}

// TestOrderFaults: requests fail at random, applications end meanwhile; priorities are put back, and no write is repeated before
// the application was asked what stands.
func TestOrderFaults(t *testing.T) {
	for seed := range uint64(6) {
		rm := fakerm.New()
		addApps(rm, 8)
		random := rand.New(rand.NewPCG(seed, 2))
		healed := false
		rm.Fail = func(string) fakerm.Fault {
			if healed || random.IntN(6) > 0 {
				return fakerm.None
			}
			return fakerm.Fault(1 + random.IntN(5))
		}
		client, err := rest.New(rest.Config{URLs: []string{rm.URL}, Retries: -1, Timeout: 5 * time.Second, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		journal, err := steer.OpenJournal(t.TempDir(), "fake", "root.prod")
		if err != nil {
			t.Fatal(err)
		}
		clock := &jumpClock{}
		clock.sleep = func(now model.Time) {
			rm.Do(func() {
				healed = now > 100*model.Second
				if n := int(now / (15 * model.Second)); n > 0 && n < len(rm.Apps) {
					rm.Apps[n].State = "FINISHED"
				}
			})
		}
		all := newHands(client)
		session, err := steer.Begin(all, journal, clock, steer.Entry{})
		if err != nil {
			t.Fatal(err)
		}
		entry, params, err := orderOf(rm.URL, "").choice()
		if err != nil {
			t.Fatal(err)
		}
		mirror, err := order.NewMirror(entry, params, 1)
		if err != nil {
			t.Fatal(err)
		}
		ctl := &steer.Controller{Clock: clock, Session: session, Patience: model.Minute, For: 100 * model.Second, Status: &steer.Status{}, Log: slog.New(slog.DiscardHandler), Say: func(string) {},
			Pilot: &order.Pilot{Source: client, Queue: "root.prod", Mirror: mirror, Session: session, Hand: all[steer.KindPriority].(*order.Hand), Most: 10, Poll: 3 * model.Second}}
		if err := ctl.Run(t.Context()); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		asked := map[string]bool{}
		for i, what := range rm.Requests {
			id, isPut := strings.CutSuffix(strings.TrimPrefix(what, "PUT /apps/"), "/priority")
			switch {
			case isPut && !asked[id]:
				t.Errorf("seed %d: request %d, %s, without having asked", seed, i, what)
			case isPut:
				asked[id] = false
			default:
				asked[strings.TrimPrefix(what, "GET /apps/")] = true
			}
		}
		for _, a := range rm.Apps {
			if a.State != "FINISHED" && a.Priority != 0 {
				t.Errorf("seed %d: %s is left with priority %d", seed, a.ID, a.Priority)
			}
		}
		if journal.Unfinished() != nil || len(rm.Writes) == 0 {
			t.Errorf("seed %d: unfinished %v after %d writes", seed, journal.Unfinished(), len(rm.Writes))
		}
		journal.Close()
		rm.Close()
	}
}

// pageOf finds the address of the status page in what a command says, and fetches from it.
type pageOf struct {
	t    *testing.T
	seen map[string]string
	done chan bool
}

func (p *pageOf) Write(b []byte) (int, error) {
	if address, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "status on "); ok {
		go func() {
			defer close(p.done)
			time.Sleep(300 * time.Millisecond)
			for _, path := range []string{"", "metrics"} {
				resp, err := http.Get(address + path)
				if err != nil {
					p.t.Error(err)
					continue
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				p.seen[path] = string(text)
			}
		}()
	}
	return len(b), nil
}

func TestStatus(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	addApps(rm, 3)
	page := &pageOf{t, map[string]string{}, make(chan bool)}
	c := orderOf(rm.URL, t.TempDir())
	c.Listen, c.For = "127.0.0.1:0", 2*model.Second
	if err := c.Run(&measure.Shell{Ctx: t.Context(), Out: io.Discard, Err: page}); err != nil {
		t.Fatal(err)
	}
	<-page.done
	for path, want := range map[string]string{"": "order edf\ncluster 127.0.0.1", "metrics": `yardmaster_seen_pending{queue="root.prod"} 3`} {
		if !strings.Contains(page.seen[path], want) {
			t.Errorf("/%s shows\n%s\nwithout %s", path, page.seen[path], want)
		}
	}
}
