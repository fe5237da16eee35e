// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// endingHand is a cluster of applications that end.
type endingHand struct {
	ended map[string]bool
	asked []string
	fault error
}

func (h *endingHand) Read(_ context.Context, k Knob) (Value, error) {
	h.asked = append(h.asked, k.Name)
	if h.ended[k.Name] {
		return Value{}, ErrGone
	}
	return Of("0"), h.fault
}

func (h *endingHand) Write(context.Context, Knob, Value) error { return nil }

// TestForget: what has ended is asked for once, and neither a restore nor the next process asks again. What only seems to
// have ended is kept, and so is everything where the cluster does not answer.
func TestForget(t *testing.T) {
	for _, killed := range []bool{false, true} {
		h, folder := &endingHand{ended: map[string]bool{}}, t.TempDir()
		s, j := begin(t, h, folder)
		for _, name := range []string{"a", "b", "c"} {
			var refusal *Refusal // this cluster takes every priority without effect
			if err := s.Set(t.Context(), Knob{KindPriority, name, ""}, Of("5"), ""); !errors.As(err, &refusal) {
				t.Fatal(err)
			}
		}
		mayHave := func(k Knob) bool { return k.Name != "c" }
		h.fault = errLost
		if err := s.Forget(t.Context(), mayHave); !errors.Is(err, errLost) || len(s.knobs) != 3 {
			t.Errorf("%v, %d are left of 3", err, len(s.knobs))
		}
		h.fault, h.ended["a"] = nil, true
		for range 2 {
			if err := s.Forget(t.Context(), mayHave); err != nil || len(s.knobs) != 2 {
				t.Errorf("%v, %d are left of 3 where one has ended", err, len(s.knobs))
			}
		}
		h.asked = nil
		if killed {
			j.Close()
			again, err := OpenJournal(folder, "rm:8088", "root.prod")
			if err != nil {
				t.Fatal(err)
			}
			s, j = resume(h, again, &handClock{}, again.Unfinished()), again
		}
		if err := s.Restore(t.Context(), func(string) {}); err != nil || strings.Join(h.asked, "") != "cb" || j.Unfinished() != nil {
			t.Errorf("killed %t: a restore asks for %v, want c and b: %v", killed, h.asked, err)
		}
		j.Close()
	}
	// Where all have ended, the next start finds nothing to put back.
	h := &endingHand{ended: map[string]bool{}}
	s, j := begin(t, h, t.TempDir())
	_ = s.Set(t.Context(), Knob{KindPriority, "a", ""}, Of("5"), "") // refused, as above
	if j.Unfinished() == nil {
		t.Error("nothing is left to put back before it has ended")
	}
	h.ended["a"] = true
	if err := s.Forget(t.Context(), func(Knob) bool { return true }); err != nil || j.Unfinished() != nil {
		t.Errorf("%v is left: %v", j.Unfinished(), err)
	}
}
