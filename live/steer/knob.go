// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/yardmaster/yardmaster/live/rest"
)

// Knob names one setting of a cluster.
type Knob struct {
	Kind string `json:"kind"` // what the hand knows it by: share, priority
	Name string `json:"name"` // the queue or the application
	File string `json:"file,omitempty"`
}

// The kinds of knobs.
const (
	KindShare    = "share"      // the AM share of a queue of the Capacity Scheduler
	KindFile     = "share-file" // the AM share of a queue of the Fair Scheduler, in its allocation file
	KindPriority = "priority"   // the priority of an application
)

// String returns the knob in words.
func (k Knob) String() string {
	switch k.Kind {
	case KindShare:
		return "AM share of " + k.Name
	case KindFile:
		return "AM share of " + k.Name + " in " + k.File
	case KindPriority:
		return "priority of " + k.Name
	}
	return k.Kind + " of " + k.Name
}

// Value is what stands in a setting: a text, or nothing where the setting is left to its default.
type Value struct {
	Text string
	Set  bool
}

// Of returns a value that is set.
func Of(text string) Value { return Value{text, true} }

// Number returns a value that is set to a number.
func Number(x float64) Value { return Of(strconv.FormatFloat(x, 'f', -1, 64)) }

// String returns the text, or that there is none.
func (v Value) String() string {
	if !v.Set {
		return "unset"
	}
	return v.Text
}

// Same reports whether two values mean the same: equal texts or equal numbers.
func (v Value) Same(w Value) bool {
	if v == w {
		return true
	}
	if !v.Set || !w.Set {
		return false
	}
	a, err := strconv.ParseFloat(v.Text, 64)
	b, wrong := strconv.ParseFloat(w.Text, 64)
	return err == nil && wrong == nil && a == b
}

// MarshalJSON writes the text, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.Set {
		return []byte("null"), nil
	}
	return json.Marshal(v.Text)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	if string(b) == "null" {
		return nil
	}
	v.Set = true
	return json.Unmarshal(b, &v.Text)
}

// Hand reads and writes the knobs of a cluster. Reading may be repeated by it; a write is tried once.
type Hand interface {
	// Read returns what stands there and has effect. It fails with ErrGone if the thing is not there any more;
	// any other error says that the cluster could not be asked.
	Read(context.Context, Knob) (Value, error)
	// Write sets the knob. A *Refusal says that nothing has changed, ErrGone that the thing is not there any
	// more; after any other error nobody knows.
	Write(context.Context, Knob, Value) error
}

// ErrGone says that what a knob belongs to is not there any more, such as an application that has ended.
var ErrGone = errors.New("it is not there any more")

// Refusal is the error of a change that was not made. The old value stands.
type Refusal struct{ Reason string }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

// Foreign is the error of a change that was not tried because somebody else has changed the setting.
type Foreign struct {
	Knob        Knob
	Found, Last Value
}

// Error says what was found.
func (f *Foreign) Error() string {
	return "another hand is at work: the " + f.Knob.String() + " is " + f.Found.String() + ", and was left at " + f.Last.String()
}

// Outcome turns the error of a request that acts into what a Hand returns: a *Refusal if it surely did nothing, ErrGone
// for what is not there.
func Outcome(err error) error {
	var fault *rest.Error
	switch {
	case err == nil || !errors.As(err, &fault):
		return err
	case fault.Status == http.StatusNotFound:
		return fmt.Errorf("%w: %w", ErrGone, err)
	case fault.Unsent() || fault.Status >= 400 && fault.Status < 500:
		return &Refusal{err.Error()}
	}
	return err
}
