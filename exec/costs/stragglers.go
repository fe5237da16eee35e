// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Stragglers slows random attempts down: a share of them takes a factor longer, 1 plus a log-normal
// excess. The factor is drawn by (job, task, attempt), so every policy meets the same stragglers.
type Stragglers struct {
	Share    model.Fraction `yaml:"share" min:"0" max:"1" doc:"Share of attempts that straggle."`
	Slowdown float64        `yaml:"slowdown" min:"1" max:"1000" doc:"Mean factor on the length of those that do; under durations: resources on their cycles."`
	CV       float64        `yaml:"cv" min:"0" max:"100" doc:"Coefficient of variation of what the factor has above 1."`
}

// Luck draws which attempts straggle.
type Luck struct {
	rules Stragglers
	draws *rng.Stream
}

// NewLuck returns the luck of a run.
func NewLuck(rules Stragglers, seed uint64) Luck { return Luck{rules, rng.New(seed, rng.Straggler)} }

// Even reports whether no attempt straggles.
func (l *Luck) Even() bool { return l.rules.Share == 0 }

// Slowdown returns the factor by which an attempt straggles, 1 if it does not.
func (l *Luck) Slowdown(t model.Task, number uint8) float64 {
	if l.Even() {
		return 1
	}
	r := l.draws.At(uint64(uint32(t.Job)), uint64(uint32(t.Index))<<1|uint64(t.Kind), uint64(number))
	if r.Float64() >= float64(l.rules.Share) {
		return 1
	}
	v := math.Log1p(l.rules.CV * l.rules.CV)
	return 1 + (l.rules.Slowdown-1)*math.Exp(math.Sqrt(v)*r.NormFloat64()-v/2)
}
