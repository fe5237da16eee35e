// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
)

// stolenJobs returns the names of the jobs that were stolen in the run that the command names, nil if it names none, and
// prints how many of them the trace has.
func (c *Classify) stolenJobs(sh *Shell, records []workload.Record) (map[string]bool, error) {
	if c.Stolen == "" {
		return nil, nil
	}
	file := filepath.Join(c.Stolen, result.JobsName)
	src, err := scenario.ReadInput(file)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(src)).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Contains(rows[0], "name") {
		return nil, &strict.InputError{Err: fmt.Errorf("%s: found no table of jobs; allowed: the folder of a run", file)}
	}
	name, column := slices.Index(rows[0], "name"), slices.Index(rows[0], result.StolenColumn[0])
	inTrace := map[string]bool{}
	for i := range records {
		inTrace[records[i].Name] = true
	}
	stolen := map[string]bool{}
	shared := 0
	for _, row := range rows[1:] {
		job := csvtext.Bare(row[name])
		if inTrace[job] {
			shared++
		}
		if column >= 0 && row[column] == "true" {
			stolen[job] = true
		}
	}
	if shared == 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("%s: found no job of %s; allowed: the folder of a run of this trace", file, c.Trace.Trace)}
	}
	fmt.Fprintf(sh.Out, "%d of the %d jobs of %s were stolen\n", len(stolen), len(rows)-1, c.Stolen)
	return stolen, nil
}
