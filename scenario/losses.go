// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// LossWarnings names the policies under which a job may hardly ever end because nodes are lost at random: a job
// without a goal that may run few tasks at a time takes so long for its maps that their output is lost as fast as it
// is made, while the rest of the cluster is idle. A job whose goal is far away runs few tasks at a time as well, and may so
// take until its goal.
//
// The output of a node is given up at the rate of losses from which the node does not return before the expiry. A job
// is named if that is expected at least once in the time that its maps take; the time that it needs grows
// exponentially with that number.
func (s *Scenario) LossWarnings(choices []PolicyChoice) (list []string) {
	f := &s.Config.Faults
	if f.MeanUptime == 0 {
		return nil
	}
	given := math.Exp(-f.Expiry.Seconds() / f.MeanRepair.Seconds()) // share of losses that cost output
	uptime := f.MeanUptime.Seconds() / 3600
	seen := map[string]bool{}
	for i := range choices {
		c := &choices[i]
		_, params := c.Entry()
		n, ok := params.(policy.Narrower)
		if !ok || n.NoGoalTasks() == 0 || seen[c.Label()] {
			continue
		}
		seen[c.Label()] = true
		jobs := s.Jobs(s.Seed)
		if name, hours := longestWithoutGoal(jobs, n.NoGoalTasks()); hours*given > uptime {
			list = append(list, fmt.Sprintf("policy %s: job %s has no goal, and its maps take %.3g h with %d at a time, while a node is lost after %.3g h on average and with it their output: "+
				"it may take very long in an idle cluster; give jobs goals, or raise no-goal-slots", c.Label(), name, hours, n.NoGoalTasks(), uptime))
		}
		if j, hours := longestToGoal(jobs); hours*given > uptime {
			list = append(list, fmt.Sprintf("policy %s: job %s has a goal of %.3g h, for which few tasks at a time are enough: its maps take %.3g h, while a node is lost after %.3g h on average and with it their output: "+
				"it may take until its goal in an idle cluster; give it a nearer one", c.Label(), j.Name, j.Goal.Seconds()/3600, hours, uptime))
		}
	}
	return list
}

// longestWithoutGoal returns the job without a goal whose maps take longest, as many at a time as given, and for how many hours.
// Jobs without reduces do not count: nobody reads the output of their maps from the node.
func longestWithoutGoal(jobs []model.Job, tasks int32) (name string, hours float64) {
	for i := range jobs {
		j := &jobs[i]
		if j.Goal != 0 || j.GoalFactor != 0 || j.Reduces == 0 {
			continue
		}
		if took := mapHours(j) / float64(tasks); took > hours {
			name, hours = j.Name, took
		}
	}
	return name, hours
}

// longestToGoal returns the job whose maps take longest with no more tasks at a time than its goal needs, of those whose goal
// leaves twice that time or more, and for how many hours they take. Others cannot take much longer than without losses.
func longestToGoal(jobs []model.Job) (job *model.Job, hours float64) {
	for i := range jobs {
		j := &jobs[i]
		goal := j.Goal.Seconds() / 3600
		if goal <= 0 || j.Reduces == 0 {
			continue
		}
		work := mapHours(j) + float64(j.Reduces)*j.ReduceLength.Average().Seconds()/3600
		if took := mapHours(j) / math.Ceil(work/goal); took > hours && goal >= 2*took {
			job, hours = j, took
		}
	}
	return job, hours
}

// mapHours returns the hours that the maps of a job take one after another.
func mapHours(j *model.Job) float64 { return float64(j.Maps) * j.MapLength.Average().Seconds() / 3600 }
