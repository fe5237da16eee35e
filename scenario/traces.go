// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/jobcsv"
)

// Trace is a workload file in hand, for the commands that look at it or change it.
type Trace struct {
	Name     string
	Records  []workload.Record
	Repaired []workload.Fault
	Notes    []string // what the file says without any effect
}

// LoadTrace reads a trace file of any known format.
func LoadTrace(file, format string, mend bool) (*Trace, error) {
	t, err := readTrace(file, format, mend)
	if err != nil {
		return nil, err
	}
	return &Trace{Name: filepath.Base(file), Records: t.records, Repaired: t.repaired, Notes: t.notes}, nil
}

// Jobs prices the trace on the cluster of a scenario.
func (t *Trace) Jobs(s *Scenario) ([]model.Job, error) {
	var c workload.TraceConfig
	c.SetDefaults()
	jobs, err := workload.FromRecords(t.Records, &c, &s.Workload.Cost, s.Workload.Needs, siteOf(s, s.Seed))
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	return jobs, nil
}

// Describe says what the trace is like on the cluster of a scenario.
func (t *Trace) Describe(s *Scenario) (*workload.Description, error) {
	jobs, err := t.Jobs(s)
	if err != nil {
		return nil, err
	}
	return workload.Describe(jobs, siteOf(s, s.Seed)), nil
}

// Slice keeps the jobs submitted in [from, to) and a share of them.
func (t *Trace) Slice(from, to model.Time, share float64) error {
	t.Records = workload.Thin(workload.Slice(t.Records, from, to), share)
	if len(t.Records) == 0 {
		return &strict.InputError{Err: fmt.Errorf("no job is left after slicing and thinning")}
	}
	return nil
}

// Scale moves the submissions so that the busiest pool of the scenario's cluster has the load, or
// by a factor on the gaps if load is 0. It returns the factor.
func (t *Trace) Scale(s *Scenario, load, factor float64) (float64, error) {
	jobs, err := t.Jobs(s)
	if err != nil {
		return 0, err
	}
	if load > 0 {
		if factor, err = workload.ScaleLoad(jobs, siteOf(s, s.Seed), load); err != nil {
			return 0, &strict.InputError{Err: err}
		}
	} else {
		workload.Stretch(jobs, factor)
	}
	for i := range t.Records {
		if t.Records[i].After == "" {
			t.Records[i].Submit = jobs[i].Submit
		}
	}
	return factor, nil
}

// CSV returns the trace in Yardmaster's own format.
func (t *Trace) CSV() ([]byte, error) {
	var b bytes.Buffer
	err := jobcsv.Write(&b, t.Records)
	return b.Bytes(), err
}
