// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/yardmaster/yardmaster/live/control"

type liveCmd struct {
	Tune    control.Tune    `cmd:"" help:"Let a tuner steer the AM share of a queue."`
	Order   control.Order   `cmd:"" help:"Let a policy order the applications of a queue by their priorities."`
	Restore control.Restore `cmd:"" help:"Put back what a killed controller has left changed."`
}
