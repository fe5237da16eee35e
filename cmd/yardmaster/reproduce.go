// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/yardmaster/yardmaster/internal/figures"
	"github.com/yardmaster/yardmaster/reproduce"
)

type reproduceCmd struct {
	figures.Command `embed:""`
}

// Run implements the command.
func (c *reproduceCmd) Run(w *world) (err error) {
	var trial reproduce.Trial
	if trial.Set, err = parseSettings(c.Set); err != nil {
		return err
	}
	if trial.Seeds, err = seedsOr(c.Seeds, 0); err != nil {
		return err
	}
	p := newProgress(w, c.Quiet)
	defer p.done()
	return c.Reproduce(&figures.World{Ctx: w.ctx, Out: w.out, Err: w.err, Line: w.command(), Progress: p.update, Still: p.done}, trial)
}
