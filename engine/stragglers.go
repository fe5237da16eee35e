// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// slowdown returns the factor by which an attempt straggles, 1 if it does not.
func (s *sim) slowdown(t model.Task, attempt uint8) float64 {
	c := &s.in.Config.Faults.Stragglers
	if c.Share == 0 {
		return 1
	}
	r := s.straggle.At(uint64(uint32(t.Job)), uint64(uint32(t.Index))<<1|uint64(t.Kind), uint64(attempt))
	if r.Float64() >= float64(c.Share) {
		return 1
	}
	v := math.Log1p(c.CV * c.CV)
	return 1 + (c.Slowdown-1)*math.Exp(math.Sqrt(v)*r.NormFloat64()-v/2)
}
