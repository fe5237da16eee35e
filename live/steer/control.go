// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/yardmaster/yardmaster/model"
)

// Clock tells how long a controller has run, and waits. It never goes back, whatever the clock on the wall does.
type Clock interface {
	Now() model.Time
	Sleep(context.Context, model.Time) error
}

// RealClock counts from its making.
type RealClock struct{ start time.Time }

// NewClock returns a clock that starts now.
func NewClock() *RealClock { return &RealClock{time.Now()} }

// Now implements Clock. The difference of two readings of Go's clock does not depend on the clock on the wall.
func (c *RealClock) Now() model.Time { return model.Time(time.Since(c.start)) }

// Sleep implements Clock.
func (c *RealClock) Sleep(ctx context.Context, d model.Time) error {
	t := time.NewTimer(time.Duration(d))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pilot decides what is done to a cluster.
type Pilot interface {
	// Look asks the cluster how it fares. An error says that it could not be asked.
	Look(ctx context.Context, now model.Time) ([]Fact, error)
	// Act decides on what the last Look saw and carries it out.
	Act(ctx context.Context, now model.Time) (Move, error)
}

// Move is what a pilot did.
type Move struct {
	Said    string     // what and why, for people; empty if there is nothing new to say
	Refused string     // why something was not carried out
	Next    model.Time // when to look again
}

// Controller lets a pilot steer until something stops it.
type Controller struct {
	Pilot    Pilot
	Session  *Session // nil for a dry run, which has nothing to restore
	Guards   []Guard
	Clock    Clock
	Patience model.Time // how long the cluster may be out of reach
	For      model.Time // when to stop, Forever if never
	Status   *Status
	Log      *slog.Logger
	Say      func(string) // tells people
}

// retry is the time between two looks at a cluster that is out of reach, and between two tries to restore.
const retry = 3 * model.Second

// Stopped says why a controller stopped by itself.
type Stopped struct{ Reason string }

// Error returns the reason.
func (s *Stopped) Error() string { return s.Reason }

// Run steers until the context ends, a guard stops it, the cluster is out of reach for too long, the time is over or a
// fault happens; then everything is put back. A journal that takes no more lines is such a fault. It returns why it
// stopped, nil for the end of the time; a context that has ended is an error as always.
func (c *Controller) Run(ctx context.Context) error {
	why := c.steer(ctx)
	c.Log.Info("stopping", "reason", fmt.Sprint(why))
	if c.Session == nil {
		return why
	}
	c.Status.restoring()
	return errors.Join(why, c.restore(context.WithoutCancel(ctx)))
}

// steer is the loop.
func (c *Controller) steer(ctx context.Context) error {
	reached := c.Clock.Now()
	for {
		now := c.Clock.Now()
		if now >= c.For {
			return nil
		}
		next, err := c.step(ctx, now)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var stop *Stopped
		var foreign *Foreign
		switch {
		case c.Session != nil && c.Session.journal.broken != nil:
			return &Stopped{"what is changed can no longer be written down"}
		case err == nil:
			reached = now
		case errors.As(err, &stop) || errors.As(err, &foreign):
			return err
		default:
			c.Log.Warn("the cluster cannot be asked", "error", err)
			c.Status.failed(err)
			if now-reached >= c.Patience {
				return &Stopped{fmt.Sprintf("the cluster has been out of reach for %s: %v", now-reached, err)}
			}
			next = now + retry
		}
		if err := c.Clock.Sleep(ctx, min(max(next, now+100*model.Millisecond), c.For)-now); err != nil {
			return err
		}
	}
}

// step looks, asks the guards, and acts.
func (c *Controller) step(ctx context.Context, now model.Time) (next model.Time, err error) {
	facts, err := c.Pilot.Look(ctx, now)
	if err != nil {
		return 0, err
	}
	c.Status.saw(facts)
	for _, g := range c.Guards {
		if v, stops := g.Stops(facts); stops {
			return 0, &Stopped{fmt.Sprintf("stopped by the guard %s: %s is %v", g, g.Name, v)}
		}
	}
	move, err := c.Pilot.Act(ctx, now)
	c.Status.moved(move, c.writes())
	if move.Said != "" {
		c.Say(move.Said)
		c.Log.Debug("step", "at", now.String(), "said", move.Said)
	}
	if move.Refused != "" {
		c.Log.Warn("refused", "at", now.String(), "reason", move.Refused)
	}
	return move.Next, err
}

func (c *Controller) writes() int {
	if c.Session == nil {
		return 0
	}
	return c.Session.Writes()
}

// restore tries to put everything back for as long as the cluster may be out of reach.
func (c *Controller) restore(ctx context.Context) error {
	begun := c.Clock.Now()
	for {
		limited, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := c.Session.Restore(limited, c.Say)
		cancel()
		if c.Session.Left() == "" {
			c.Log.Info("nothing is left changed", "journal", c.Session.journal.Path())
			return err
		}
		c.Log.Warn("could not restore yet", "error", err)
		if c.Clock.Now()-begun >= c.Patience {
			return fmt.Errorf("not restored, the journal %s has it: %w", c.Session.journal.Path(), err)
		}
		if err := c.Clock.Sleep(ctx, retry); err != nil {
			return err
		}
	}
}
