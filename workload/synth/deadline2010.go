// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/workload"
)

// Deadline2010 is the mix of applications of deadline-2010 §V-A, for its cluster of 60 nodes with
// one map and one reduce slot each: a Simulator (J1), a WordCount (J2) and two identical runs of a
// Join (J3, J4), each with a completion-time goal counted from its submission.
//
// The text says what tasks there are and how long the jobs take alone; the submission times are
// read off figure 4. The seed decides the order of task lengths inside a phase; the lengths
// themselves are the quantiles of their distributions and so the same for every seed. Both Joins
// have the same lengths in the same order.
type Deadline2010 struct {
	Job     string       `yaml:"job" oneof:"all,simulator,wordcount,join" doc:"The whole mix, or one application alone, submitted at 0s (experiment one, §V-B)."`
	Submits []model.Time `yaml:"submits" min:"0" doc:"When J1, J2, J3 and J4 are submitted, in rising order (job: all)."`
	Goals   []model.Time `yaml:"goals" min:"0" doc:"Completion-time goals of J1, J2, J3 and J4."`

	// What the text leaves open about the lengths of maps.
	Phases    []model.Time `yaml:"phases" above:"0" doc:"Mean lengths of the maps of the Simulator's four phases."`
	FirstWave model.Time   `yaml:"first-wave" above:"0" doc:"Least length of the first 60 maps of WordCount; the largest is 100s, and the others have 80s to 100s."`
	Tables    []model.Time `yaml:"tables" above:"0" doc:"Mean lengths of the 300 maps of the first table of a Join and of the 700 of the second."`
	Varied    []float64    `yaml:"varied" min:"0" doc:"Coefficients of variation of these lengths."`
}

// SetDefaults fills what a scenario leaves out. The goals are those of §V-A. (Its ratio of 1.18 for
// the Joins is that of a goal of 120 s, not of the 150 s which the text sets: 150/101 = 1.49.)
func (d *Deadline2010) SetDefaults() {
	*d = Deadline2010{Job: "all",
		Submits: []model.Time{0, 600 * model.Second, 1500 * model.Second, 2500 * model.Second},
		Goals:   []model.Time{6000 * model.Second, 3000 * model.Second, 150 * model.Second, 150 * model.Second},
		Phases:  []model.Time{18700 * model.Millisecond, 24600 * model.Millisecond, 34500 * model.Millisecond, 53200 * model.Millisecond}, FirstWave: 95 * model.Second,
		Tables: []model.Time{9 * model.Second, 4 * model.Second}, Varied: []float64{0.7, 0.3}}
}

func (d *Deadline2010) problems() (problems []model.Problem) {
	if len(d.Submits) != len(deadlineMix) || !slices.IsSorted(d.Submits) {
		problems = append(problems, model.Problem{Path: "submits", Found: fmt.Sprint(d.Submits), Allowed: "four times in rising order"})
	}
	if len(d.Goals) != len(deadlineMix) {
		problems = append(problems, model.Problem{Path: "goals", Found: fmt.Sprint(d.Goals), Allowed: "four goals; 0s means none"})
	}
	if len(d.Phases) != 4 {
		problems = append(problems, model.Problem{Path: "phases", Found: fmt.Sprint(d.Phases), Allowed: "four lengths"})
	}
	if d.FirstWave > 100*model.Second {
		problems = append(problems, model.Problem{Path: "first-wave", Found: d.FirstWave.String(), Allowed: "at most 100s"})
	}
	if len(d.Tables) != 2 || len(d.Varied) != 2 {
		problems = append(problems, model.Problem{Path: "tables", Found: fmt.Sprint(d.Tables, d.Varied), Allowed: "two lengths, and two coefficients of variation in varied"})
	}
	return problems
}

// deadlineApp is one application.
type deadlineApp struct {
	name    string
	phases  []deadlinePhase // maps, in the order of their indices
	reduces int32
	reduce  model.Time
	noInput bool
}

// deadlinePhase is maps that follow each other and are drawn from one distribution.
type deadlinePhase struct {
	maps   int
	length Dist[model.Time]
}

// lognormal returns a distribution of times.
func lognormal(mean model.Time, cv float64) Dist[model.Time] {
	return Dist[model.Time]{Kind: "lognormal", Mean: mean, CV: cv}
}

// apps returns the applications, with what §V-B says of them. Reduce lengths are not published:
// they are chosen so that each job alone takes what §V-A says (3,549 s, 1,264 s, 101 s).
//
//	simulator  6,400 maps, 1 reduce. Four phases (figure 3a), here of 1,600 maps each, of about 19,
//	           25, 35 and 54 s with a high variability: 6,400 x 33.25 s / 60 slots = 3,547 s, so the
//	           phases are shortened by 1.5 % to leave time for the last wave and a short reduce.
//	           A map is one run of a placement algorithm: it reads no blocks.
//	wordcount  738 maps of 80-100 s, 1 reduce: 12.3 waves of 90 s. "The set of tasks completed in the
//	           first 100s take longer": the first wave has the upper quarter of the range.
//	join       1,000 maps, 4 reduces: most maps under 25 s, highly variable. 5.5 s on average leave
//	           1,000 x 5.5 s / 60 = 92 s for the maps. A map reads a split of one of two tables;
//	           here 300 of the first, of 9 s and highly variable, come before 700 of the second, of
//	           4 s, so that the estimate is far off at first and good in the second half (figure 2b).
func (d *Deadline2010) apps() []deadlineApp {
	var phases []deadlinePhase
	for _, mean := range d.Phases {
		phases = append(phases, deadlinePhase{1600, lognormal(mean, 0.3)})
	}
	return []deadlineApp{
		{"simulator", phases, 1, 10 * model.Second, true},
		{"wordcount", []deadlinePhase{
			{60, Dist[model.Time]{Kind: "uniform", Low: d.FirstWave, High: 100 * model.Second}},
			{678, Dist[model.Time]{Kind: "uniform", Low: 80 * model.Second, High: 100 * model.Second}},
		}, 1, 90 * model.Second, false},
		{"join", []deadlinePhase{{300, lognormal(d.Tables[0], d.Varied[0])}, {700, lognormal(d.Tables[1], d.Varied[1])}}, 4, 4500 * model.Millisecond, false},
	}
}

// deadlineMix says which application J1 to J4 are.
var deadlineMix = [...]int{0, 1, 2, 2}

// Jobs returns J1 to J4, or the one job that is asked for.
func (d *Deadline2010) Jobs(site workload.Site) (jobs []model.Job) {
	apps := d.apps()
	for i, app := range deadlineMix {
		a := &apps[app]
		if d.Job != "all" && (d.Job != a.name || len(jobs) > 0) {
			continue
		}
		j := a.job(app, site)
		j.ID, j.Goal = model.JobID(len(jobs)), d.Goals[i]
		j.Name = fmt.Sprintf("J%d", i+1)
		if d.Job == "all" {
			j.Submit = d.Submits[i]
		}
		jobs = append(jobs, j)
	}
	return jobs
}

func (a *deadlineApp) job(app int, site workload.Site) model.Job {
	needs := workload.DefaultNeeds()
	j := model.Job{Class: a.name, User: a.name, Queue: a.name, After: model.None, Priority: model.Normal,
		Reduces: a.reduces, ReduceLength: model.Lengths{Mean: a.reduce}, Need: needs.Room(site.Model)}
	orders := rng.New(site.Seed, rng.Deadline2010)
	for i := range a.phases {
		p := &a.phases[i]
		for _, at := range orders.At(uint64(app), uint64(i), 0).Perm(p.maps) {
			j.MapLength.Fixed = append(j.MapLength.Fixed, p.length.Quantile(stratum(at, p.maps)))
		}
	}
	j.Maps = int32(len(j.MapLength.Fixed))
	if !a.noInput {
		j.Input = model.Bytes(j.Maps) * site.HDFS.BlockSize
	}
	return j
}
