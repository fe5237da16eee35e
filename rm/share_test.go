// SPDX-License-Identifier: Apache-2.0

package rm

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
	"pgregory.net/rapid"
)

// A written share does not act before it is read; what was written last is what acts.
func TestShareActsWhenRead(t *testing.T) {
	s := NewShare(0.2, tune.FairReload(), 1)
	s.Write(0, 0.3)
	s.Write(0, 0.4)
	if s.InEffect != 0.2 || s.Written != 0.4 {
		t.Errorf("%g acts, %g is written; want 0.2 and 0.4", s.InEffect, s.Written)
	}
	if s.Act(); s.InEffect != 0.4 {
		t.Errorf("%g acts, want 0.4", s.InEffect)
	}
}

// Without looks a change acts after the wait alone.
func TestShareWithoutLooks(t *testing.T) {
	s := NewShare(0.2, tune.Reload{Wait: 2 * model.Second}, 1)
	if got := s.Write(7*model.Second, 0.3); got != 9*model.Second {
		t.Errorf("changed at 7 s: acts at %v, want 9 s", got)
	}
}

// A change acts at the first look, phase + k * every, that is at least the wait after it.
func TestShareActsAtTheFirstLook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := tune.Reload{Every: model.Time(rapid.Int64Range(1, 100).Draw(t, "every")), Wait: model.Time(rapid.Int64Range(0, 100).Draw(t, "wait"))}
		s := NewShare(0.2, r, rapid.Uint64().Draw(t, "seed"))
		now := model.Time(rapid.Int64Range(0, 1000).Draw(t, "now"))
		want := s.phase // the twin counts looks
		for want < now+r.Wait {
			want += r.Every
		}
		if s.phase < 0 || s.phase >= r.Every {
			t.Fatalf("phase %d of %d", s.phase, r.Every)
		}
		if got := s.Write(now, 0.3); got != want {
			t.Fatalf("acts at %d, the twin says %d", got, want)
		}
	})
}
