// SPDX-License-Identifier: Apache-2.0

package handover

import "github.com/yardmaster/yardmaster/model"

// Rules says what handing over takes.
type Rules struct {
	NodeBeat   model.Time // between two heartbeats of a node
	FirstBeat  model.Time // of any node; none comes earlier
	MasterBeat model.Time // between two heartbeats of a master
	// FromSubmission says that masters' heartbeats are counted from the submission of their jobs instead of
	// their own start.
	FromSubmission bool
	Stay           model.Time // of a master after the end of its job
	Launch         model.Time // of a task, from the master's decision to its first work
	Attempts       int        // of a master, 0: as the settings say
	// AtOnce says that a node whose container has ended sends a heartbeat of its own for that.
	AtOnce bool
}
