// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/yardmaster/yardmaster/live/control"
	"github.com/yardmaster/yardmaster/live/look"
)

type liveCmd struct {
	Import  look.Import     `cmd:"" help:"Make a scenario of a cluster: nodes, queues, jobs that ended and applications that wait or run."`
	Tune    control.Tune    `cmd:"" help:"Let a tuner steer the AM share of a queue."`
	Order   control.Order   `cmd:"" help:"Let a policy order the applications of a queue by their priorities."`
	Restore control.Restore `cmd:"" help:"Put back what a killed controller has left changed."`
}
