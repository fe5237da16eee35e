// SPDX-License-Identifier: Apache-2.0

// Package mapreduce is what the MapReduce application master of a job decides by itself: when its reduces
// may start, how many of them while maps are pending, when they must make way for maps, and what progress
// it reports. It is arithmetic on one job; who drives it keeps the state.
//
// Where maps and reduces share room, jobs could fill a cluster with reduces that wait for maps which find
// no room: a deadlock. Two rules prevent it. The ramp-up limit keeps a job's reduces to a share of the
// room it can get while maps are pending; pre-emption kills waiting reduces when the job's maps have found
// no room for a while, and starts no others until every map has room.
package mapreduce

import (
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Rules configures slow start, ramp-up and pre-emption, and the set-up and clean-up tasks of Hadoop 1.
type Rules struct {
	SlowStart    model.Fraction `yaml:"slow-start" min:"0" max:"1" doc:"Share of the maps that must have ended before reduces may start."`
	RampUp       model.Fraction `yaml:"ramp-up" min:"0" max:"1" doc:"Where maps and reduces share room: the most of the room it can get that a job may hold with reduces while maps are pending."`
	Preempt      bool           `yaml:"preempt" doc:"Where maps and reduces share room: kill waiting reduces of a job whose maps find no room."`
	PreemptAfter model.Time     `yaml:"preempt-after" min:"0" doc:"How long maps must have found no room before reduces are killed."`
	SetUp        model.Time     `yaml:"set-up,omitempty" min:"0" doc:"How long the task takes that sets a job up in a map slot before its first map (room: slots); 0s means that there is none."`
	CleanUp      model.Time     `yaml:"clean-up,omitempty" min:"0" doc:"How long the task takes that cleans up after a job in a map slot when its last task has ended (room: slots); 0s means that there is none."`
}

// DefaultRules returns Hadoop's defaults.
func DefaultRules() Rules {
	return Rules{SlowStart: 0.05, RampUp: 0.5, Preempt: true, PreemptAfter: model.Second}
}

// ValidateManaged returns the settings that differ from the defaults, for where all masters are those of YARN, which go by
// Hadoop's properties.
func (r *Rules) ValidateManaged() (problems []model.Problem) {
	usual := DefaultRules()
	for _, f := range []struct {
		same                 bool
		path, found, instead string
	}{
		{r.SlowStart == usual.SlowStart, "slow-start", r.SlowStart.String(), "its property mapreduce.job.reduce.slowstart.completedmaps"},
		{r.RampUp == usual.RampUp, "ramp-up", r.RampUp.String(), "its property yarn.app.mapreduce.am.job.reduce.rampup.limit"},
		{r.Preempt == usual.Preempt, "preempt", fmt.Sprint(r.Preempt), "true, its masters always kill reduces for maps"},
		{r.PreemptAfter == usual.PreemptAfter, "preempt-after", r.PreemptAfter.String(), "its property mapreduce.job.reducer.preempt.delay.sec"},
	} {
		if !f.same {
			problems = append(problems, model.Problem{Path: f.path, Found: f.found, Allowed: "Hadoop's own under a resource manager of YARN: " + f.instead})
		}
	}
	return problems
}

// MapsFirst returns how many maps of a job must have ended before its reduces may start.
func (r *Rules) MapsFirst(maps int32) int32 { return r.SlowStart.CeilOf(maps) }

// Eligible returns how many reduces of a job that has passed its slow start may have been started by now:
// all, or, while maps are pending in shared room, those within the ramp-up limit. free is what nobody
// uses. The limit grows with the maps that have ended and never takes back what runs. A job that yields
// starts no more.
func (r *Rules) Eligible(j *cluster.Job, shared, yields bool, free *[model.Dims]int64) int32 {
	total := j.Total[model.Reduce]
	if !shared || j.Pending(model.Map) == 0 {
		return total
	}
	running := j.Running[model.Reduce] - j.Doubled[model.Reduce] // second attempts come on top of what is eligible
	if yields {
		return j.Done[model.Reduce] + running
	}
	if r.RampUp == 1 {
		return total
	}
	share := min(float64(r.RampUp), float64(j.Done[model.Map])/float64(j.Total[model.Map]))
	allowed := int64(total)
	for d := range free {
		need := int64(j.Need[model.Reduce][d])
		if need == 0 {
			continue
		}
		if within := int64(share * float64(free[d]+j.Used(d))); within < allowed*need { // mostly all are allowed, and a division takes long
			allowed = within / need
		}
	}
	return min(total, j.Done[model.Reduce]+max(int32(allowed)-j.Doubled[model.Reduce], running))
}

// Starved reports whether no map of the job runs, some are pending, and reduces wait for them.
func Starved(j *cluster.Job, waiting int) bool {
	return waiting > 0 && j.Running[model.Map] == 0 && j.Pending(model.Map) > 0
}

// Progress returns what the application master reports of an admitted job, from 0 to 1: 5 % for its set-up,
// 45 % each for maps and reduces (90 % if it has only one kind), and 5 % for a clean-up that it never
// reports of a job that succeeds, so that it stands at 95 % until the job has ended. partial is the sum of
// the progress of its running tasks, by kind.
func Progress(j *cluster.Job, partial [model.Kinds]float64) float64 {
	share := [model.Kinds]float64{0.45, 0.45}
	if j.Total[model.Reduce] == 0 {
		share = [model.Kinds]float64{0.9, 0}
	} else if j.Total[model.Map] == 0 {
		share = [model.Kinds]float64{0, 0.9}
	}
	sum := 0.05
	for k, total := range j.Total {
		if total > 0 {
			sum += share[k] * min((float64(j.Done[k])+partial[k])/float64(total), 1)
		}
	}
	return sum
}
