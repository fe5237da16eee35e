// SPDX-License-Identifier: Apache-2.0

package tune

import "strconv"

func cbtEntry() Entry {
	return Entry{
		Name:    "cbt",
		Summary: "CPU-based tuning: one more job whenever the CPU is idle, one less for each job that ended.",
		Source:  "marp-2019 §5.2, algorithm 6; script §9.3.1",
		Params: func() any {
			p := defaultScript()
			return &p
		},
		New: func(_ Env, params any) (Tuner, error) {
			t := &cbt{}
			t.script = script{
				p: *params.(*ScriptParams), s: &t.s, loops: t.body,
				ending: func(progress int) bool { return progress > t.p.Progress },
			}
			return t, nil
		},
	}
}

// cbt is CBT.sh.
type cbt struct {
	script
	s scriptState
}

// Step runs one measurement and what follows from it.
func (t *cbt) Step(o *Observation) Advice { return t.step(o) }

// State returns the script's variables.
func (t *cbt) State() any { return &t.s }

// body is the body of the loop.
func (t *cbt) body(o *Observation) Advice {
	if t.idle(o) {
		t.read(o)
		if t.s.Remaining == 0 {
			if t.s.RunningN == 0 { // the only place where CBT.sh resets the share
				t.s.Share = t.p.Reset
				t.s.Phase = phaseDone
				return t.end(o, "idle and no job left")
			}
			return t.again(o, 0, "idle, nothing pending")
		}
		if t.raise(o) {
			return t.again(o, t.p.Raise, "idle: one more job")
		}
		return t.again(o, 0, "idle, share at its limit")
	}
	if n := t.lower(o); n > 0 {
		return t.again(o, 0, "ended: "+strconv.Itoa(n))
	}
	return t.again(o, 0, "busy")
}
