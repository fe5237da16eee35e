// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/jobcsv"
)

// check looks for what no single job can tell, and returns the records as ReadAll promises them
// unless faults stand in the log.
func check(records []workload.Record, log *workload.Log) []workload.Record {
	whole := len(log.Faults) == 0 // no job was left out
	if len(records) == 0 && whole {
		log.Refuse("line 1", "file", "no jobs", "at least one job")
	}
	checkNames(records, log)
	if whole { // else After may name a job that was left out
		checkAfter(records, log)
	}
	return checkOrder(records, log)
}

// checkNames gives every job a name of its own.
func checkNames(records []workload.Record, log *workload.Log) {
	var names jobcsv.Names
	for i := range records {
		if r := &records[i]; r.Name != "" {
			r.Name, _ = names.Claim(log, r.Where, r.Name)
		}
	}
	silent := &workload.Log{Mend: true} // nothing is wrong with a job without a name
	for i := range records {
		if r := &records[i]; r.Name == "" {
			r.Name, _ = names.Claim(silent, r.Where, "job "+strconv.Itoa(i+1))
			silent.Repaired = nil
		}
	}
}

// checkAfter makes sure that a job waits for an earlier one, so that there are no circles.
func checkAfter(records []workload.Record, log *workload.Log) {
	var names jobcsv.Names
	for i := range records {
		r := &records[i]
		if r.After != "" && !names.Has(r.After) {
			log.Refuse(r.Where, "after", strconv.Quote(r.After), "the name of a job that stands before this one")
		}
		names.Note(r.Name)
	}
}

// checkOrder makes sure that submit times do not go back. The submit time of a job that waits for
// another is a think time and does not count.
func checkOrder(records []workload.Record, log *workload.Log) []workload.Record {
	back, first, found := 0, 0, ""
	last, where := model.Time(0), "the origin"
	for i := range records {
		r := &records[i]
		if r.After != "" {
			continue
		}
		if r.Submit < last {
			if back == 0 {
				first, found = i, fmt.Sprintf("%v, which is before %v of %s", r.Submit, last, where)
			}
			back++
		}
		last, where = r.Submit, r.Where
	}
	if back == 0 {
		return records
	}
	if back > 1 {
		found += fmt.Sprintf(", and %d more that go back", back-1)
	}
	if !log.Mendable(records[first].Where, "submit", found, "times that do not go back", "sorted by submit time") || len(log.Faults) > 0 {
		return records
	}
	return sorted(records)
}

// sorted returns the records in order of submission, each behind the one it waits for, beginning at
// time 0 or later. Every After must name an earlier record.
func sorted(records []workload.Record) []workload.Record {
	key := make([]model.Time, len(records)) // submit time of the first job of the chain
	index := make(map[string]int, len(records))
	order := make([]int, len(records))
	for i := range records {
		r := &records[i]
		key[i] = r.Submit
		if r.After != "" {
			key[i] = key[index[r.After]]
		}
		index[r.Name], order[i] = i, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
	shift := max(0, -key[order[0]])
	out := make([]workload.Record, len(records))
	for to, from := range order {
		out[to] = records[from]
		if out[to].After == "" {
			out[to].Submit += shift
		}
	}
	return out
}
