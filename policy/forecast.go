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
	ByClass []model.ClassLengths    // the same on machines of some classes; on others it is Length over their speed

	Input, Shuffle, Output model.Bytes
}

// On returns how long a task of a kind takes on machines of a class, on average.
func (f *Forecast) On(class *model.NodeClass, k model.Kind) model.Time {
	for i := range f.ByClass {
		if l := &f.ByClass[i]; l.Class == class.Name {
			return [model.Kinds]model.Time{l.Map, l.Reduce}[k]
		}
	}
	return model.Time(float64(f.Length[k]) / class.Speed)
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
