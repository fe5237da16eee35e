// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// Masters is what a history tells about the starts of its jobs' application masters.
type Masters struct {
	Jobs int
	// Launch is the shortest time from a job's submission to the start of its master's process: of a job that no
	// limit held back, if there is one, it is what giving a container and starting a process takes.
	Launch model.Time
	Start  model.Time // mean, from the start of the process until the job is set up
}

// MeasureMasters measures the starts of masters in a history. How long masters stay it does not tell.
func MeasureMasters(records []workload.Record) (Masters, error) {
	m := Masters{Launch: model.Forever}
	for i := range records {
		r := &records[i]
		if r.Past == nil || r.Past.MasterStart < 0 || r.Master.Start == 0 {
			continue
		}
		m.Jobs++
		m.Launch = min(m.Launch, r.Past.MasterStart)
		m.Start += r.Master.Start
	}
	if m.Jobs == 0 {
		return m, &strict.InputError{Err: errors.New("--measured: the workload does not say when application masters started; allowed: a job history")}
	}
	m.Start /= model.Time(m.Jobs)
	return m, nil
}

// String says what was measured, in the words of the settings.
func (m Masters) String() string {
	return fmt.Sprintf("measured in %s: am-launch %.1fs (the shortest), am-start-up %.1fs (the mean; each job has its own)", digits.Count(m.Jobs, "job"), m.Launch.Seconds(), m.Start.Seconds())
}
