// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
)

// Manual makes rates change only when Refresh is called, until it is called with false. In between,
// activities that end or are cancelled leave their share unused, so no resource is ever above its
// capacity. A start must be followed by Refresh before time moves on. It is the way to runs so large
// that solving at every start and end costs too much: a caller refreshes on a tick of its own.
func (s *Solver) Manual(on bool) { s.manual = on }

// Refresh solves all changes since the last solution, at the present time.
func (s *Solver) Refresh() {
	s.unsolved = false
	s.solve()
}

// movable reports why the clock can not move to now, nil if it can.
func (s *Solver) movable(now float64) error {
	if !(now >= s.now) || math.IsInf(now, 1) {
		return fmt.Errorf("fluid: time %v, must be finite and not before %v: %w", now, s.now, ErrTime)
	}
	if s.manual && s.unsolved {
		return fmt.Errorf("fluid: time %v, but activities started at %v wait for Refresh: %w", now, s.now, ErrTime)
	}
	return nil
}
