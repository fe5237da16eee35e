// SPDX-License-Identifier: Apache-2.0

package policy

import "github.com/yardmaster/yardmaster/model"

// Forecast is what is known of a recurring job before it comes: what its earlier runs were like. It may be wrong,
// and the job may never come.
type Forecast struct {
	Job     model.JobID
	Name    string
	Arrival model.Time
	Need    [model.Kinds]model.Room // what one task takes
	Tasks   [model.Kinds]int32      // of each kind
	Length  [model.Kinds]model.Time // mean of a task, without what it copies

	Input, Shuffle, Output model.Bytes
}

// Planner is handed the forecasts of the recurring jobs of a run, in the order of the jobs' numbers, once, before
// anything else happens and before a block is placed. Any other policy hears of a job when it is submitted.
type Planner interface {
	Plan(forecasts []Forecast)
}

// Circuits is what is known of the circuits between racks.
type Circuits struct {
	Rate     model.Rate  // of each
	Elephant model.Bytes // a flow must be larger to use one
}
