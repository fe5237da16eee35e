// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/yardmaster/yardmaster/live/control"
	"github.com/yardmaster/yardmaster/live/look"
)

type liveCmd struct {
	Import  look.Import     `cmd:"" help:"Make a scenario of a cluster: nodes, queues, jobs that ended and applications that wait or run."`
	Watch   look.Watch      `cmd:"" help:"Show queues, applications, what they wait for and when they may end."`
	Bench   look.Bench      `cmd:"" help:"Submit a batch of jobs again and again and measure it; the curve of makespan over the share of masters."`
	Tune    control.Tune    `cmd:"" help:"Let a tuner steer the AM share of a queue."`
	Order   control.Order   `cmd:"" help:"Let a policy order the applications of a queue by their priorities."`
	Restore control.Restore `cmd:"" help:"Put back what a killed controller has left changed."`
}
