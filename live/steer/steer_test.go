// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// handClock is moved by sleeping.
type handClock struct{ now model.Time }

func (c *handClock) Now() model.Time { return c.now }
func (c *handClock) Sleep(ctx context.Context, d model.Time) error {
	c.now += d
	return ctx.Err()
}

// handOf is a cluster of one setting.
type handOf struct {
	value  Value
	writes []Value
	read   func() error
	write  func(v Value) error // told before the value is taken; ErrLost takes it all the same
	drop   bool                // take nothing, and say nothing
}

var errLost = errors.New("the connection broke off")

func (h *handOf) Read(context.Context, Knob) (Value, error) {
	if h.read != nil {
		if err := h.read(); err != nil {
			return Value{}, err
		}
	}
	return h.value, nil
}

func (h *handOf) Write(_ context.Context, _ Knob, v Value) error {
	h.writes = append(h.writes, v)
	var err error
	if h.write != nil {
		err = h.write(v)
	}
	if !h.drop && (err == nil || err == errLost) {
		h.value = v
	}
	return err
}

var knob = Knob{Kind: KindShare, Name: "root.prod"}

func begin(t *testing.T, h Hand, folder string) (*Session, *Journal) {
	t.Helper()
	j, err := OpenJournal(folder, "rm:8088", "root.prod")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Begin(h, j, &handClock{}, Entry{Task: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return s, j
}

func TestSetAndRestore(t *testing.T) {
	h := &handOf{}
	s, j := begin(t, h, t.TempDir())
	for _, v := range []string{"0.3", "0.3", "0.40"} {
		if err := s.Set(t.Context(), knob, Of(v), "a test"); err != nil {
			t.Fatal(err)
		}
	}
	if h.value != Of("0.40") || len(h.writes) != 2 {
		t.Errorf("%v after the writes %v; one value is not written twice", h.value, h.writes)
	}
	if left := s.Left(); left != "the AM share of root.prod was unset, set to 0.40" {
		t.Error(left)
	}
	if err := s.Restore(t.Context(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	if h.value.Set {
		t.Errorf("%v stands; it was not set before", h.value)
	}
	if j.Unfinished() != nil || s.Left() != "" {
		t.Error("the journal says that something is left")
	}
}

// TestJournalComesFirst: whatever happens to a write, what was there before is on disk when it is sent.
func TestJournalComesFirst(t *testing.T) {
	h := &handOf{value: Of("0.2")}
	s, j := begin(t, h, t.TempDir())
	h.write = func(Value) error {
		src, err := os.ReadFile(j.Path())
		if err != nil || !strings.Contains(string(src), `"kind":"was","knob":{"kind":"share","name":"root.prod"},"value":"0.2"`) ||
			!strings.Contains(string(src), `"kind":"set","knob":{"kind":"share","name":"root.prod"},"value":"0.3"`) {
			t.Errorf("sent before it was written down: %s %v", src, err)
		}
		return nil
	}
	if err := s.Set(t.Context(), knob, Of("0.3"), ""); err != nil {
		t.Fatal(err)
	}
}

func TestNoEffectIsRefused(t *testing.T) {
	h := &handOf{value: Of("0.2"), drop: true}
	s, _ := begin(t, h, t.TempDir())
	var refusal *Refusal
	if err := s.Set(t.Context(), knob, Of("0.3"), ""); !errors.As(err, &refusal) || refusal.Reason != "the cluster took 0.3 without effect: 0.2 stands" {
		t.Error(err)
	}
}

// TestLostAnswer: after a lost answer the value is read before anything is sent again.
func TestLostAnswer(t *testing.T) {
	for _, done := range []bool{true, false} {
		h := &handOf{value: Of("0.2"), drop: !done, write: func(Value) error { return errLost }}
		s, _ := begin(t, h, t.TempDir())
		err := s.Set(t.Context(), knob, Of("0.3"), "")
		var refusal *Refusal
		if done && err != nil || !done && !errors.As(err, &refusal) {
			t.Errorf("carried out %t: %v", done, err)
		}
		if len(h.writes) != 1 {
			t.Errorf("carried out %t: sent %v", done, h.writes)
		}
	}
}

// TestUnknownOutcome: answer and read-back are lost. The next Set finds what stands and does not send it again; a Restore
// puts the old value back.
func TestUnknownOutcome(t *testing.T) {
	for _, next := range []string{"set", "restore"} {
		h := &handOf{value: Of("0.2")}
		s, _ := begin(t, h, t.TempDir())
		h.write = func(Value) error {
			h.read = func() error { return errLost }
			return errLost
		}
		if err := s.Set(t.Context(), knob, Of("0.3"), ""); !errors.Is(err, errLost) {
			t.Fatal(err)
		}
		h.read, h.write = nil, nil
		if next == "set" {
			if err := s.Set(t.Context(), knob, Of("0.3"), ""); err != nil || len(h.writes) != 1 {
				t.Errorf("%v after %v", err, h.writes)
			}
		}
		if err := s.Restore(t.Context(), func(string) {}); err != nil || h.value != Of("0.2") {
			t.Errorf("after %s %v stands: %v", next, h.value, err)
		}
	}
}

func TestAnotherHand(t *testing.T) {
	h := &handOf{value: Of("0.2")}
	s, j := begin(t, h, t.TempDir())
	if err := s.Set(t.Context(), knob, Of("0.3"), ""); err != nil {
		t.Fatal(err)
	}
	h.value = Of("0.77")
	var foreign *Foreign
	if err := s.Set(t.Context(), knob, Of("0.4"), ""); !errors.As(err, &foreign) || foreign.Found != Of("0.77") {
		t.Error(err)
	}
	told := ""
	if err := s.Restore(t.Context(), func(text string) { told += text }); err != nil || h.value != Of("0.77") || !strings.Contains(told, "somebody else") {
		t.Errorf("%v stands, told %q: %v", h.value, told, err)
	}
	if j.Unfinished() != nil {
		t.Error("nothing of ours is left, but the journal says so")
	}
}

// TestForgottenByRestart: a resource manager that keeps its configuration in memory goes back to its file.
func TestForgottenByRestart(t *testing.T) {
	h := &handOf{value: Of("0.2")}
	s, _ := begin(t, h, t.TempDir())
	for range 2 {
		if err := s.Set(t.Context(), knob, Of("0.3"), ""); err != nil {
			t.Fatal(err)
		}
		h.value = Of("0.2")
	}
	if err := s.Restore(t.Context(), func(string) {}); err != nil || len(h.writes) != 2 {
		t.Errorf("%v after the writes %v", err, h.writes)
	}
}

func TestGone(t *testing.T) {
	h := &handOf{value: Of("0")}
	s, _ := begin(t, h, t.TempDir())
	if err := s.Set(t.Context(), knob, Of("3"), ""); err != nil {
		t.Fatal(err)
	}
	h.read = func() error { return ErrGone }
	if err := s.Restore(t.Context(), func(string) {}); err != nil || s.Left() != "" {
		t.Errorf("%v, left %q", err, s.Left())
	}
}

func TestOneAtATime(t *testing.T) {
	folder := t.TempDir()
	_, j := begin(t, &handOf{}, folder)
	var inUse *InUse
	if _, err := OpenJournal(folder, "rm:8088", "root.prod"); !errors.As(err, &inUse) {
		t.Error(err)
	}
	if other, err := OpenJournal(folder, "rm:8088", "root.batch"); err != nil {
		t.Error(err)
	} else {
		other.Close()
	}
	j.Close()
	if again, err := OpenJournal(folder, "rm:8088", "root.prod"); err != nil {
		t.Error(err)
	} else {
		again.Close()
	}
}

// TestNextStartFindsTheJournal: the process ends after any line of its journal, or in the middle of one.
func TestNextStartFindsTheJournal(t *testing.T) {
	folder := t.TempDir()
	h := &handOf{value: Of("0.2")}
	s, j := begin(t, h, folder)
	for _, v := range []string{"0.3", "0.4"} {
		if err := s.Set(t.Context(), knob, Of(v), ""); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	src, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	restored := 0
	for cut := 0; cut <= len(src); cut += 7 {
		if err := os.WriteFile(j.Path(), src[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := OpenJournal(folder, "rm:8088", "root.prod")
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		sets := strings.Count(string(src[:strings.LastIndexByte(string(src[:cut]), '\n')+1]), `"kind":"set"`)
		late := &handOf{value: Of([]string{"0.2", "0.3", "0.4"}[sets])}
		_, err = Begin(late, again, &handClock{}, Entry{})
		var left *Unfinished
		if errors.As(err, &left) != (sets > 0) {
			t.Fatalf("cut at %d, after %d writes: %v", cut, sets, err)
		}
		if left != nil {
			restored++
			if err := left.Session.Restore(t.Context(), func(string) {}); err != nil || late.value != Of("0.2") {
				t.Fatalf("cut at %d: %v stands: %v", cut, late.value, err)
			}
			if _, err := Begin(late, again, &handClock{}, Entry{}); err != nil {
				t.Fatalf("cut at %d, after the restore: %v", cut, err)
			}
		}
		again.Close()
	}
	if restored < 10 {
		t.Errorf("only %d of the cuts left something to restore", restored)
	}
}

func TestDamagedJournal(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(JournalPath(folder, "rm:8088", "root.prod"), []byte("{}\n{\"kind\":\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(folder, "rm:8088", "root.prod"); err == nil || !strings.Contains(err.Error(), ":2: damaged line") {
		t.Error(err)
	}
}

func TestBounds(t *testing.T) {
	b := Bounds{Min: 0.1, Max: 0.6, Step: 0.2, Interval: 10 * model.Second}
	for _, c := range []struct{ wanted, present, want float64 }{
		{0.3, 0.2, 0.3}, {0.9, 0.5, 0.6}, {0.01, 0.2, 0.1}, {0.6, 0.2, 0.4}, {0.1, 0.5, 0.3}, {0.5, 0.9, 0.7},
	} {
		if got := b.Limit(c.wanted, c.present, true); got != c.want {
			t.Errorf("%v wanted at %v: %v, want %v", c.wanted, c.present, got, c.want)
		}
	}
	if got := b.Limit(0.6, 0, false); got != 0.6 {
		t.Errorf("%v where the present value is not known", got)
	}
	if b.Wait(12*model.Second, 5*model.Second) == "" || b.Wait(15*model.Second, 5*model.Second) != "" {
		t.Error("the least interval does not hold")
	}
	if len(b.Problems()) != 0 || len((&Bounds{Min: 0.5, Max: 0.2}).Problems()) != 2 {
		t.Error("wrong problems")
	}
}

func TestGuards(t *testing.T) {
	facts := []Fact{{"pending", 50}, {"idle", 12.5}}
	for text, want := range map[string]bool{"pending>50": false, "pending>=50": true, "pending > 49": true, "idle<12.5": false, "idle<=12.5": true, "idle<13": true, "disk>0": false} {
		g, err := ParseGuard(text, []string{"pending", "idle", "disk"})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := g.Stops(facts); got != want {
			t.Errorf("%s stops: %t", g, got)
		}
	}
	for _, text := range []string{"", "pending", "pending>", "pending>many", "nobody>3", "pending==3"} {
		if _, err := ParseGuard(text, []string{"pending"}); err == nil || !strings.Contains(err.Error(), "NAME>NUMBER") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestListenOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "example.org:0", "8088"} {
		if l, err := Listen(address, false); err == nil {
			l.Close()
			t.Errorf("%s is open to others", address)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := Listen(address, false)
		if err != nil {
			t.Error(err)
			continue
		}
		l.Close()
	}
}
