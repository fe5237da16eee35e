// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

// Session is one controller's hold on a queue: what it changes, and how all of it is put back.
type Session struct {
	hand    Hand
	journal *Journal
	clock   Clock
	knobs   []*turned // in the order in which they were first turned
	writes  int

	restoring bool // what is put back is known without the journal
}

// turned is a knob that the session has written, or is about to.
type turned struct {
	knob  Knob
	was   Value
	sent  []Value // that may stand there by our hand
	last  Value   // seen last
	sure  bool    // last is what stands there by our hand; false after a lost answer
	reset bool    // restored, gone, or left to somebody else
}

// settle is how long a session waits before it believes that a write without an answer was not carried out.
const settle = 2 * model.Second

// Unfinished is the error of beginning a session where the one before may have left something changed.
type Unfinished struct{ Session *Session }

// Error says what is left.
func (u *Unfinished) Error() string {
	return "the last controller ended without putting back what it changed: " + u.Session.Left()
}

// Begin starts a session for a task in words. If the session before may have left something changed it fails with
// *Unfinished, whose session can Restore.
func Begin(hand Hand, journal *Journal, clock Clock, begin Entry) (*Session, error) {
	if entries := journal.Unfinished(); entries != nil {
		return nil, &Unfinished{resume(hand, journal, clock, entries)}
	}
	begin.Kind, begin.PID = kindBegin, os.Getpid()
	if err := journal.Append(begin); err != nil {
		return nil, err
	}
	return &Session{hand: hand, journal: journal, clock: clock}, nil
}

// resume returns a session that has done what the entries say.
func resume(hand Hand, journal *Journal, clock Clock, entries []Entry) *Session {
	s := &Session{hand: hand, journal: journal, clock: clock}
	for i := range entries {
		e := &entries[i]
		if e.Knob == nil {
			continue
		}
		t := s.find(*e.Knob)
		if t == nil {
			t = &turned{knob: *e.Knob}
			s.knobs = append(s.knobs, t)
		}
		switch e.Kind {
		case kindWas:
			t.was, t.last = *value(e), *value(e)
		case kindSet:
			t.sent, t.reset = append(t.sent, *value(e)), false
		case kindSeen:
			t.saw(*value(e))
		case kindRestored, kindForeign:
			t.reset = true
		}
	}
	return s
}

// value returns the entry's value; a null in the file stands for one that is not set.
func value(e *Entry) *Value {
	if e.Value == nil {
		return &Value{}
	}
	return e.Value
}

func (s *Session) find(k Knob) *turned {
	for _, t := range s.knobs {
		if t.knob == k {
			return t
		}
	}
	return nil
}

// Left lists in words what the session may have left changed.
func (s *Session) Left() string {
	text := ""
	for _, t := range s.knobs {
		if !t.reset && len(t.sent) > 0 {
			if text != "" {
				text += "; "
			}
			text += fmt.Sprintf("the %s was %s, set to %s", t.knob, t.was, t.sent[len(t.sent)-1])
		}
	}
	return text
}

// Was returns what stood at a knob before the session turned it; changed is false if it did not.
func (s *Session) Was(k Knob) (was Value, changed bool) {
	t := s.find(k)
	if t == nil || len(t.sent) == 0 {
		return Value{}, false
	}
	return t.was, true
}

// Writes returns how many writes the session has sent.
func (s *Session) Writes() int { return s.writes }

// note writes down what happens to a knob. A journal that takes no more lines stops every change but a restore.
func (s *Session) note(kind string, t *turned, v Value, note string) error {
	err := s.journal.Append(Entry{Kind: kind, Knob: &t.knob, Value: &v, Note: note})
	if s.restoring && s.journal.broken != nil {
		return nil
	}
	return err
}

// Set writes a knob, for a reason in words, and makes sure that the value has effect. A *Refusal says that the old
// value stands, a *Foreign that somebody else has changed it; ErrGone that there is nothing to set. After any other
// error the outcome is not known until the next Set or Restore has read it.
func (s *Session) Set(ctx context.Context, k Knob, v Value, why string) error {
	now, err := s.hand.Read(ctx, k)
	if err != nil {
		return err
	}
	t := s.find(k)
	switch {
	case t == nil:
		t = &turned{knob: k, was: now, last: now, sure: true}
		if err := s.note(kindWas, t, now, ""); err != nil {
			return err
		}
		s.knobs = append(s.knobs, t)
	case !t.ours(now):
		return &Foreign{k, now, t.last}
	}
	t.last, t.sure = now, true
	if now.Same(v) {
		return nil
	}
	return s.write(ctx, t, v, why)
}

// Forget lets go of the knobs whose things have ended, so that a restore need not ask for them. mayHave tells cheaply which
// may have; the hand is asked about those, and where it does not say ErrGone the knob is kept.
func (s *Session) Forget(ctx context.Context, mayHave func(Knob) bool) (err error) {
	s.knobs = slices.DeleteFunc(s.knobs, func(t *turned) bool {
		if err != nil || !mayHave(t.knob) {
			return false
		}
		if _, err = s.hand.Read(ctx, t.knob); !errors.Is(err, ErrGone) {
			return false
		}
		err = s.note(kindGone, t, t.was, "")
		return err == nil
	})
	return err
}

// ours reports whether what stands there is what the session left there, or was there before it: a resource manager
// that forgets changes when it restarts goes back to that.
func (t *turned) ours(now Value) bool {
	if now.Same(t.last) || now.Same(t.was) {
		return true
	}
	return !t.sure && slices.ContainsFunc(t.sent, now.Same)
}

// saw takes in what was read back after a write. A cluster may cut a value to what it allows: that stands there by our
// hand as well.
func (t *turned) saw(now Value) {
	t.last, t.sure = now, true
	if !slices.ContainsFunc(t.sent, now.Same) {
		t.sent = append(t.sent, now)
	}
}

// write sends a value once and reads it back.
func (s *Session) write(ctx context.Context, t *turned, v Value, why string) error {
	if err := s.note(kindSet, t, v, why); err != nil {
		return err
	}
	t.sent, t.reset, t.sure = append(t.sent, v), false, false
	s.writes++
	err := s.hand.Write(ctx, t.knob, v)
	var refusal *Refusal
	if errors.As(err, &refusal) || errors.Is(err, ErrGone) {
		t.sure = true
		return errors.Join(err, s.note(kindRefused, t, v, err.Error()))
	}
	lost := err
	if lost != nil {
		if err := s.note(kindLost, t, v, lost.Error()); err != nil {
			return err
		}
	}
	return s.confirm(ctx, t, v, lost)
}

// confirm reads back what was written. After a lost answer the write may still be on its way, so the old value is
// believed only when it stands there for a while.
func (s *Session) confirm(ctx context.Context, t *turned, v Value, lost error) error {
	for try := 0; ; try++ {
		now, err := s.hand.Read(ctx, t.knob)
		if err != nil {
			return err
		}
		if now.Same(v) || lost == nil || try > 0 {
			t.saw(now)
			if err := s.note(kindSeen, t, now, ""); err != nil || now.Same(v) {
				return err
			}
			if lost != nil {
				return &Refusal{fmt.Sprintf("no answer came (%v), and %s stands", lost, now)}
			}
			return &Refusal{fmt.Sprintf("the cluster took %s without effect: %s stands", v, now)}
		}
		if err := s.clock.Sleep(ctx, settle); err != nil {
			return err
		}
	}
}

// Restore puts back everything that the session has changed, the last change first, and ends the session if nothing
// is left. It may be called again after an error. What it did is told in words. A journal that takes no more lines holds
// nothing up: it is the error when nothing is left, because the next start will ask what stands.
func (s *Session) Restore(ctx context.Context, tell func(string)) error {
	s.restoring = true
	defer func() { s.restoring = false }()
	var faults []error
	for _, t := range slices.Backward(s.knobs) {
		if t.reset || len(t.sent) == 0 {
			continue
		}
		if err := s.putBack(ctx, t, tell); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", t.knob, err))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	if err := s.journal.Append(Entry{Kind: kindEnd}); err != nil {
		return fmt.Errorf("nothing is left changed, but %w", err)
	}
	return nil
}

func (s *Session) putBack(ctx context.Context, t *turned, tell func(string)) error {
	now, err := s.hand.Read(ctx, t.knob)
	if errors.Is(err, ErrGone) {
		t.reset = true
		return s.note(kindGone, t, t.was, "")
	}
	if err != nil {
		return err
	}
	switch {
	case now.Same(t.was):
	case slices.ContainsFunc(t.sent, now.Same):
		err := s.write(ctx, t, t.was, "restore")
		if errors.Is(err, ErrGone) {
			t.reset = true
			return s.note(kindGone, t, t.was, "")
		}
		if err != nil {
			return err
		}
		tell(fmt.Sprintf("the %s is %s again (was %s)", t.knob, t.was, now))
	default:
		t.reset = true
		tell(fmt.Sprintf("the %s is %s, which somebody else has set: left as it is (it was %s before)", t.knob, now, t.was))
		return s.note(kindForeign, t, now, "")
	}
	t.reset = true
	return s.note(kindRestored, t, t.was, "")
}
