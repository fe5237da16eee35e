// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/model"
)

// SmoothParams are the numbers that CBTwS.sh and CBTwAT.sh have beyond CBT.sh.
type SmoothParams struct {
	ScriptParams `yaml:",inline"`

	Current  float64    `yaml:"current" min:"0" max:"1" doc:"Weight of the newest change of the average progress."`
	Previous float64    `yaml:"previous" min:"0" max:"1" doc:"Weight of the smoothed change before it."`
	Locked   model.Time `yaml:"locked" min:"0" doc:"Pause in the round after an idle one, before progress is read."`
	Empty    model.Time `yaml:"empty" min:"0" doc:"Pause when the CPU is idle and nothing is pending."`
}

func defaultSmooth() SmoothParams {
	p := SmoothParams{ScriptParams: defaultScript(), Current: 0.4, Previous: 0.6, Locked: 15 * model.Second, Empty: 20 * model.Second}
	p.ScriptParams.Progress = 90
	return p
}

// smoothState adds the averages of progress.
type smoothState struct {
	scriptState
	AvgPrevious   Reading[float64] // PROG_AVG_PREVIOUS; unknown stands for the empty string
	DeltaPrevious int              // DELTA_PREVIOUS: a whole number
}

// smooth is what CBTwS.sh and CBTwAT.sh have in common.
type smooth struct {
	script
	p SmoothParams
	s *smoothState
	// measure is the round while the CPU is idle.
	measure func(*Observation) Advice
}

func newSmooth(p SmoothParams, s *smoothState, measure func(*Observation) Advice) smooth {
	return smooth{
		script: script{
			p: p.ScriptParams, s: &s.scriptState, resets: true,
			ending: func(progress int) bool { return progress >= p.Progress },
			listed: func() { s.AvgPrevious, s.DeltaPrevious = Got(0.0), 0 },
		},
		p: p, s: s, measure: measure,
	}
}

// body is the loop: an idle round measures and locks; the round after it pauses, then counts the
// jobs that end; a busy one counts at once.
func (t *smooth) body(o *Observation) Advice {
	switch {
	case t.s.Phase == phaseLocked:
		return t.count(o)
	case t.s.Lockout:
		t.s.Lockout = false
		t.s.Phase = phaseLocked
		return Advice{Share: t.s.Share, Next: o.Time + t.p.Locked, Reason: "locked out"}
	case t.idle(o):
		a := t.measure(o)
		t.s.Lockout = true
		return a
	}
	return t.count(o)
}

// count strikes off the applications that have ended and takes the decrease for those about to.
func (t *smooth) count(o *Observation) Advice {
	apps := byID(o)
	t.s.Apps = slices.DeleteFunc(t.s.Apps, func(id string) bool {
		a := apps[id]
		return a != nil && int(a.Progress.Or(0)) == 100
	})
	if n := t.lower(o); n > 0 {
		return t.again(o, 0, "ending: "+strconv.Itoa(n))
	}
	return t.again(o, 0, "counted, none ends")
}

// delta returns the average progress of the jobs that have some (a whole percent at least), and its
// smoothed change, a whole number.
func (t *smooth) delta(o *Observation) (average Reading[float64], delta int) {
	apps := byID(o)
	sum, n := 0.0, 0
	for _, id := range t.s.Apps {
		if a := apps[id]; a != nil && int(a.Progress.Or(0)) > 0 {
			sum = t.round(sum + a.Progress.Value)
			n++
		}
	}
	var change float64
	switch {
	case n > 0:
		average = Got(t.round(sum / float64(n)))
		change = average.Value - t.s.AvgPrevious.Or(0)
	case t.p.Faithful:
		// awk divides by zero and prints nothing; in "echo $CURRENT $PREVIOUS" the previous average
		// then stands first, and the change is that average itself.
		change = t.s.AvgPrevious.Or(0)
	default:
		average = t.s.AvgPrevious // Mended: no job to measure, no change.
	}
	change = t.round(change)
	smoothed := t.round(t.round(change*t.p.Current) + t.round(float64(t.s.DeltaPrevious)*t.p.Previous))
	return average, int(rounded(smoothed, 0)) // awk's "%0.0f"
}

// starved reports that jobs wait and none runs. No progress can then show that there is room. Mended:
// the share goes up all the same; the scripts' loops have ended by now.
func (t *smooth) starved() bool {
	return !t.p.Faithful && t.s.Remaining > 0 && t.s.RunningN == 0
}
