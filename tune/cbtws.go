// SPDX-License-Identifier: Apache-2.0

package tune

import "fmt"

func cbtwsEntry() Entry {
	return Entry{
		Name:    "cbtws",
		Summary: "CPU-based tuning with smoothing: one more job when the CPU is idle and progress speeds up.",
		Source:  "marp-2019 §5.3, algorithm 9; script §9.3.2",
		Params: func() any {
			p := defaultSmooth()
			return &p
		},
		New: func(_ Env, params any) (Tuner, error) {
			t := &cbtws{}
			t.smooth = newSmooth(*params.(*SmoothParams), &t.s, t.measure)
			t.loops = t.body
			return t, nil
		},
	}
}

// cbtws is CBTwS.sh.
type cbtws struct {
	smooth
	s smoothState
}

// Step runs one measurement and what follows from it.
func (t *cbtws) Step(o *Observation) Advice { return t.step(o) }

// State returns the script's variables.
func (t *cbtws) State() any { return &t.s }

// measure raises the share if the smoothed change of progress is above the last one.
func (t *cbtws) measure(o *Observation) Advice {
	average, delta := t.delta(o)
	t.read(o)
	if t.s.Remaining == 0 {
		return t.again(o, t.p.Empty, "idle, nothing pending")
	}
	before := t.s.DeltaPrevious
	t.s.AvgPrevious, t.s.DeltaPrevious = average, delta
	reason := fmt.Sprintf("idle: change %d after %d", delta, before)
	if (delta > before || t.starved()) && t.raise(o) {
		return t.again(o, t.p.Raise, reason+": one more job")
	}
	return t.again(o, 0, reason)
}
