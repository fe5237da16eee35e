// SPDX-License-Identifier: Apache-2.0

package order

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
)

// dayOfApps is a ResourceManager of applications that come and end.
type dayOfApps struct {
	apps  []rest.App
	asked []string // the applications that it was asked for one by one
}

func (d *dayOfApps) Apps(context.Context, rest.Filter) (there []rest.App, err error) {
	for _, a := range d.apps {
		if !a.State.Ended() {
			there = append(there, a)
		}
	}
	return there, nil
}

func (d *dayOfApps) find(id string) *rest.App {
	return &d.apps[slices.IndexFunc(d.apps, func(a rest.App) bool { return a.ID == id })]
}

func (d *dayOfApps) App(_ context.Context, id string) (*rest.App, error) {
	d.asked = append(d.asked, id)
	return d.find(id), nil
}

func (d *dayOfApps) SetPriority(_ context.Context, id string, p int) (int, error) {
	d.find(id).Priority = p
	return p, nil
}

// TestForgetsWhatHasEnded: of the applications that were given priorities in a day a restore asks for those alone that
// have not ended. One that was moved to another queue has not.
func TestForgetsWhatHasEnded(t *testing.T) {
	day := &dayOfApps{}
	journal, err := steer.OpenJournal(t.TempDir(), "rm:8088", "root.prod")
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	hand, clock := &Hand{Client: day}, steer.NewClock()
	session, err := steer.Begin(hand, journal, clock, steer.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	p := &Pilot{Source: day, Queue: "root.prod", Mirror: mirror(t, "edf", nil), Session: session, Hand: hand, Most: 10, Poll: 3 * model.Second}
	const n, present = 60, 4
	for i := range n { // the later one came, the nearer is its goal
		day.apps = append(day.apps, app(i, 0, 0, 0))
		day.apps[i].Tags = fmt.Sprintf("goal=%ds", 10000-100*i)
		if i >= present {
			day.apps[i-present].State = rest.StateFinished
		}
		if i == n-1 {
			day.apps[i-1].Queue = "root.batch"
		}
		now := model.Time(i) * p.Poll
		if _, err := p.Look(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Act(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	day.asked = nil
	if err := session.Restore(t.Context(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(day.asked)
	if asked := slices.Compact(day.asked); session.Writes() < n || len(asked) < 2 || len(asked) > present {
		t.Errorf("after %d writes a restore asks for %v, of which %d are there", session.Writes(), asked, present)
	}
	for _, a := range day.apps[n-present:] {
		if a.Priority != 0 {
			t.Errorf("%s in %s is left with priority %d", a.ID, a.Queue, a.Priority)
		}
	}
}
