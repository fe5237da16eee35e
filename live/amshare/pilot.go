// SPDX-License-Identifier: Apache-2.0

package amshare

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// FactNames are the facts that guards may name.
var FactNames = []string{"pending", "running", "idle", "disk", "share", "available"}

// Pilot lets a tuner steer.
type Pilot struct {
	eyes  *Eyes
	loop  tune.Loop
	lever *lever
	seen  tune.Observation
	done  *tune.Advice // the last one, once the tuner has ended
	said  string
}

var _ steer.Pilot = (*Pilot)(nil)

// Setup is what a pilot is made of.
type Setup struct {
	Eyes     *Eyes
	Tuner    tune.Tuner
	Recorder tune.Recorder  // may be nil
	Session  *steer.Session // nil for a dry run
	Knob     steer.Knob
	Hand     steer.Hand
	Bounds   steer.Bounds
}

// New returns a pilot.
func New(s Setup) *Pilot {
	l := &lever{Setup: s, changed: -s.Bounds.Interval}
	return &Pilot{eyes: s.Eyes, lever: l, loop: tune.Loop{Tuner: s.Tuner, Actuator: l, Recorder: s.Recorder}}
}

// Look implements steer.Pilot.
func (p *Pilot) Look(ctx context.Context, now model.Time) ([]steer.Fact, error) {
	o, err := p.eyes.Observe(ctx, now)
	if err != nil {
		return nil, err
	}
	p.lever.written, err = p.lever.Hand.Read(ctx, p.lever.Knob)
	if err != nil {
		return nil, err
	}
	p.seen = o
	var facts []steer.Fact
	add := func(name string, v float64, known bool) {
		if known {
			facts = append(facts, steer.Fact{Name: name, Value: v})
		}
	}
	add("pending", float64(o.Pending.Value), o.Pending.Known)
	add("running", float64(o.Running.Value), o.Running.Known)
	add("idle", o.Idle.Value, o.Idle.Known)
	add("disk", o.Disk.Value, o.Disk.Known)
	add("share", o.Share.Value, o.Share.Known)
	add("available", float64(o.Available.Value/model.MiB), o.Available.Known)
	return facts, nil
}

// hold is the time between two looks of a tuner that has ended: its last share is held.
const hold = 5 * model.Second

// Act implements steer.Pilot.
func (p *Pilot) Act(ctx context.Context, now model.Time) (steer.Move, error) {
	l := p.lever
	l.ctx, l.now, l.share, l.outcome, l.err = ctx, now, p.seen.Share, "", nil
	advice := tune.Advice{}
	if p.done != nil {
		advice = *p.done
		if written := l.ReadBack(); !written.Known || written.Value != advice.Share {
			l.failed(l.Apply(advice.Share))
		}
	} else {
		advice = p.loop.Step(&p.seen)
	}
	if advice.Done || advice.Next == model.Forever {
		kept := advice
		p.done, advice.Next = &kept, now+hold
	}
	move := steer.Move{Next: advice.Next}
	text := fmt.Sprintf("share %s wanted: %s", number(advice.Share), advice.Reason)
	if l.outcome != "" {
		text += "; " + l.outcome
	}
	if text != p.said {
		p.said = text
		move.Said = fmt.Sprintf("%8s  %d waiting, %d running; %s", now/model.Second*model.Second, p.seen.Pending.Value, p.seen.Running.Value, text)
	}
	if l.err != nil {
		var refusal *steer.Refusal
		if errors.As(l.err, &refusal) {
			move.Refused = refusal.Reason
			return move, nil
		}
	}
	return move, l.err
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// lever is the cluster's side of the tuner.
type lever struct {
	Setup
	written steer.Value // at the last look
	changed model.Time  // when a value was last written

	// Of the present step.
	ctx     context.Context
	now     model.Time
	share   tune.Reading[float64] // that has effect
	outcome string                // in words
	err     error
}

var _ tune.Actuator = (*lever)(nil)

// Apply implements tune.Actuator: the share is brought within the bounds and written, unless it stands already.
func (l *lever) Apply(wanted float64) error {
	present := l.ReadBack()
	share := l.Bounds.Limit(wanted, present.Value, present.Known)
	limited := ""
	if share != wanted {
		limited = " (within the bounds)"
	}
	if present.Known && share == present.Value {
		l.outcome = fmt.Sprintf("%s stands%s", number(share), limited)
		return nil
	}
	if wait := l.Bounds.Wait(l.now, l.changed); wait != "" {
		l.outcome = "not yet: the least interval is " + l.Bounds.Interval.String()
		return &tune.Refused{Share: wanted, Reason: wait}
	}
	old := "unset"
	if present.Known {
		old = number(present.Value)
	}
	if l.Session == nil {
		l.outcome = fmt.Sprintf("would set %s -> %s%s", old, number(share), limited)
		return &tune.Refused{Share: wanted, Reason: "a dry run"}
	}
	err := l.Session.Set(l.ctx, l.Knob, steer.Number(share), fmt.Sprintf("%d waiting, %d running", l.pending(), l.running()))
	if err != nil {
		l.failed(err)
		l.outcome = fmt.Sprintf("%s not set: %v", number(share), err)
		return &tune.Refused{Share: wanted, Reason: err.Error()}
	}
	l.changed = l.now
	l.outcome = fmt.Sprintf("set %s -> %s%s", old, number(share), limited)
	return nil
}

func (l *lever) pending() int { return count(l.Eyes.apps, tune.Pending) }
func (l *lever) running() int { return count(l.Eyes.apps, tune.Running) }

func count(apps []tune.App, state tune.AppState) (n int) {
	for i := range apps {
		if apps[i].State == state {
			n++
		}
	}
	return n
}

func (l *lever) failed(err error) {
	var refused *tune.Refused
	if l.err == nil && !errors.As(err, &refused) {
		l.err = err
	}
}

// ReadBack implements tune.Actuator. Where the queue has no share of its own, the one that has effect stands for it.
func (l *lever) ReadBack() tune.Reading[float64] {
	if !l.written.Set {
		return l.share
	}
	v, err := strconv.ParseFloat(l.written.Text, 64)
	if err != nil {
		return l.share
	}
	return tune.Got(v)
}

// Latency implements tune.Actuator: a change by REST acts when it has been answered; an allocation file is looked at every
// 10 s and read once it is 5 s old.
func (l *lever) Latency() tune.Reading[model.Time] {
	if l.Knob.Kind == steer.KindFile {
		return tune.Got(15 * model.Second)
	}
	return tune.Got(model.Second)
}
