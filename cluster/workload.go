// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
)

// MaxLength bounds the mean length of a task, so that times never overflow.
const MaxLength = 365 * model.Day

// ValidateJobs returns the faults of a workload on a cluster: a task that fits no node, negative
// sizes, a job that waits for itself or for a later one.
func ValidateJobs(t *model.Topology, jobs []model.Job) (problems []model.Problem) {
	for i := range jobs {
		problems = append(problems, validateJob(t, jobs, i)...)
	}
	return problems
}

func validateJob(t *model.Topology, jobs []model.Job, i int) (problems []model.Problem) {
	j := &jobs[i]
	bad := func(field, found, allowed string) {
		problems = append(problems, model.Problem{Path: fmt.Sprintf("[%d].%s", i, field), Found: found, Allowed: allowed})
	}
	const most = 10_000_000
	if j.Maps < 0 || j.Reduces < 0 || j.Maps > most || j.Reduces > most {
		bad("maps", fmt.Sprintf("%d maps, %d reduces", j.Maps, j.Reduces), "0 to 10 million tasks")
	}
	if j.Input < 0 || j.Shuffle < 0 || j.Output < 0 {
		bad("input", "a negative size", "sizes of at least 0B")
	}
	if j.Submit < 0 || j.Submit > 100*365*model.Day {
		bad("submit", j.Submit.String(), "a time from 0s to 100 years")
	}
	if j.After != model.None && (j.After < 0 || int(j.After) >= i) {
		bad("after", fmt.Sprint(j.After), "a job that stands before this one in the workload")
	}
	if j.Goal < 0 {
		bad("goal", j.Goal.String(), "a time after submission")
	}
	for k := range model.Kind(model.Kinds) {
		if j.Tasks(k) == 0 {
			continue
		}
		if !t.FitsSome(j.Need[k]) {
			field := k.String() + "s"
			if t.Model == model.Yarn {
				field = k.String() + "-memory"
			}
			bad(field, fmt.Sprintf("a %s task that needs %s", k, t.Model.Describe(j.Need[k])), "a task that fits at least one node: "+t.DescribeClasses())
		}
		if l := j.Lengths(k); l.Mean > MaxLength {
			bad(k.String()+"-length", l.Mean.String(), "at most a year")
		} else if len(l.Fixed) > 0 && len(l.Fixed) != int(j.Tasks(k)) {
			bad(k.String()+"-lengths", fmt.Sprintf("%d lengths for %d tasks", len(l.Fixed), j.Tasks(k)), "one length for each task")
		}
	}
	return problems
}
