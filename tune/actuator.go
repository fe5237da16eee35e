// SPDX-License-Identifier: Apache-2.0

package tune

import "github.com/yardmaster/yardmaster/model"

// Actuator is the cluster's side of a tuner: it carries advice out. The engine implements it; a live
// driver or a dry run can.
type Actuator interface {
	// Apply writes the share to the configuration. It may refuse, with an error whose text is the
	// reason for people; then the old value stands, and ReadBack returns it.
	Apply(share float64) error

	// ReadBack returns the value that stands in the configuration: the last one applied.
	ReadBack() Reading[float64]

	// Latency returns how long a written value takes at most until the scheduler applies it.
	Latency() Reading[model.Time]
}

// Refused is the error of an Apply that was turned down.
type Refused struct {
	Share  float64
	Reason string
}

// Error says what was refused and why.
func (r *Refused) Error() string { return "share " + formatFloat(r.Share) + " refused: " + r.Reason }

// Recorder is told everything that passes between a tuner and its cluster, in order. Log is one.
type Recorder interface {
	Observed(*Observation)
	Advised(Advice)
	Refused(share float64, err error)
}

// Loop joins a tuner, its actuator and, if not nil, a recorder. The driver owns the clock: it calls
// Step with what it observed, and again at the time that Step returns.
type Loop struct {
	Tuner    Tuner
	Actuator Actuator
	Recorder Recorder
}

// Step completes the observation by what the actuator knows, asks the tuner, and applies the share
// if it is not the one that stands in the configuration. A refused share is recorded and asked for
// again at the next step if the tuner still wants it.
func (l *Loop) Step(o *Observation) Advice {
	o.Written = l.Actuator.ReadBack()
	o.Latency = l.Actuator.Latency()
	a := l.Tuner.Step(o)
	if l.Recorder != nil {
		l.Recorder.Observed(o)
		l.Recorder.Advised(a)
	}
	if o.Written.Known && o.Written.Value == a.Share {
		return a
	}
	if err := l.Actuator.Apply(a.Share); err != nil && l.Recorder != nil {
		l.Recorder.Refused(a.Share, err)
	}
	return a
}
