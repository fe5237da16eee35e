// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// compareTimeline holds the time-line of a job to its row: the spans touch each other, cover the job's life, and what
// they say of each phase is what blame says.
func compareTimeline(c *Case, row *metrics.Job, events []record.Event) error {
	line := metrics.NewTimeline(c.Jobs, row.ID)
	for i := range events {
		line.Record(&events[i])
	}
	at := row.Submit
	var spent [metrics.Ended]model.Time
	var starved model.Time // while some task lacked room
	for _, s := range line.Spans() {
		if s.From != at || s.To <= s.From || s.Running < 0 || s.Pending < 0 || !s.Held && s.Limit != model.LimitRoom {
			return fmt.Errorf("job %d: span %+v after %v", row.ID, s, at)
		}
		at = s.To
		spent[s.Phase] += s.To - s.From
		if s.Starved != metrics.NotStarved {
			starved += s.To - s.From
		}
	}
	b := &row.Blame
	maps, reduces := b[metrics.MapsStarved]+b[metrics.MapsRunning], b[metrics.ShuffleTail]+b[metrics.ReducesStarved]+b[metrics.ReducesRunning]
	for phase, want := range map[metrics.Phase]model.Time{metrics.Unsubmitted: 0, metrics.Submitted: b[metrics.NotAdmitted],
		metrics.StartingMaster: b[metrics.AMStarting], metrics.Admitted: b[metrics.FirstContainer], metrics.Mapping: maps, metrics.Reducing: reduces} {
		if diff := spent[phase] - want; max(diff, -diff) > metrics.Parts {
			return fmt.Errorf("job %d: the time-line spends %v in phase %d, blame says %v", row.ID, spent[phase], phase, want)
		}
	}
	if at != row.Finish || starved+metrics.Parts < b[metrics.MapsStarved]+b[metrics.ReducesStarved] {
		return fmt.Errorf("job %d: the time-line ends at %v, the job at %v; tasks lack room for %v", row.ID, at, row.Finish, starved)
	}
	return nil
}
