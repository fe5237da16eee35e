// SPDX-License-Identifier: Apache-2.0

package rm

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/tune"
)

// Share is the AM share as the scheduler's configuration says it and as it acts. The scheduler looks at its
// configuration every now and then and reads it if it was changed long enough ago; until then the old share acts.
type Share struct {
	InEffect float64
	Written  float64
	reload   tune.Reload
	phase    model.Time // at which the scheduler looks
}

// NewShare returns a share that is written and acts.
func NewShare(share float64, r tune.Reload, seed uint64) Share {
	s := Share{InEffect: share, Written: share, reload: r}
	if r.Every > 0 {
		s.phase = model.Time(rng.New(seed, rng.ReloadPhase).Uint64(0, 0, 0) % uint64(r.Every))
	}
	return s
}

// Write changes the configuration and returns when the change acts, unless another follows.
func (s *Share) Write(now model.Time, share float64) model.Time {
	s.Written = share
	from, every := now+s.reload.Wait, s.reload.Every
	if every == 0 {
		return from
	}
	n := (from - s.phase + every - 1) / every
	return s.phase + max(n, 0)*every
}

// Act makes the written share act.
func (s *Share) Act() { s.InEffect = s.Written }
