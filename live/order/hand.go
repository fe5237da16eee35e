// SPDX-License-Identifier: Apache-2.0

package order

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
)

// Prioritiser reads and writes the priorities of applications. *rest.Client is one.
type Prioritiser interface {
	App(context.Context, string) (*rest.App, error)
	SetPriority(ctx context.Context, app string, priority int) (int, error)
}

// Hand turns the priorities of applications.
type Hand struct {
	Client Prioritiser
	// Cut is the largest priority that the cluster allows, once it has cut one.
	Cut *int
}

var _ steer.Hand = (*Hand)(nil)

// Read implements steer.Hand. An application that has ended is gone.
func (h *Hand) Read(ctx context.Context, k steer.Knob) (steer.Value, error) {
	a, err := h.Client.App(ctx, k.Name)
	var fault *rest.Error
	switch {
	case errors.As(err, &fault) && fault.Status == http.StatusNotFound:
		return steer.Value{}, steer.ErrGone
	case err != nil:
		return steer.Value{}, err
	case a.State.Ended():
		return steer.Value{}, steer.ErrGone
	}
	return steer.Of(strconv.Itoa(a.Priority)), nil
}

// Write implements steer.Hand.
func (h *Hand) Write(ctx context.Context, k steer.Knob, v steer.Value) error {
	p, err := strconv.Atoi(v.Text)
	if err != nil {
		return &steer.Refusal{Reason: "priority " + v.Text + " is no whole number"}
	}
	stands, err := h.Client.SetPriority(ctx, k.Name, p)
	if err != nil {
		return steer.Outcome(err)
	}
	if stands < p {
		h.Cut = &stands
	}
	return nil
}
