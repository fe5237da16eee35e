// SPDX-License-Identifier: Apache-2.0

package amshare

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

// Configurator reads and writes the Capacity Scheduler's configuration. *rest.Client is one.
type Configurator interface {
	Conf(context.Context) (conf.Properties, error)
	PutConf(context.Context, *rest.Update) error
	Scheduler(context.Context) (*rest.Scheduler, error)
}

// Hand turns the AM share of queues of the Capacity Scheduler.
type Hand struct{ Client Configurator }

var _ steer.Hand = (*Hand)(nil)

const (
	prefix     = "yarn.scheduler.capacity."
	percent    = "maximum-am-resource-percent"
	builtin    = 0.1  // the scheduler's default
	nearEnough = 1e-4 // the scheduler keeps shares as 32-bit floats
)

// Read implements steer.Hand. The configuration's store gives back whatever was put into it, so the value counts only if
// the scheduler shows that it applies it; otherwise the one that it applies is returned.
func (h *Hand) Read(ctx context.Context, k steer.Knob) (steer.Value, error) {
	properties, err := h.Client.Conf(ctx)
	if err != nil {
		return steer.Value{}, err
	}
	scheduler, err := h.Client.Scheduler(ctx)
	if err != nil {
		return steer.Value{}, err
	}
	q := scheduler.Root.Find(k.Name)
	if q == nil {
		return steer.Value{}, fmt.Errorf("queue %s: %w", k.Name, steer.ErrGone)
	}
	text, set := properties[prefix+k.Name+"."+percent]
	expected := builtin
	for _, candidate := range []string{text, properties[prefix+percent]} {
		if v, err := strconv.ParseFloat(candidate, 64); err == nil {
			expected = v
			break
		}
	}
	if math.Abs(expected-q.AMShare) > nearEnough {
		return steer.Number(q.AMShare), nil
	}
	return steer.Value{Text: text, Set: set}, nil
}

// Write implements steer.Hand. A value that is not set is taken out of the configuration.
func (h *Hand) Write(ctx context.Context, k steer.Knob, v steer.Value) error {
	err := h.Client.PutConf(ctx, &rest.Update{Queues: []rest.QueueParams{{Queue: k.Name, Params: []rest.Param{{Key: percent, Value: v.Text}}}}})
	return steer.Outcome(err)
}
