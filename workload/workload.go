// SPDX-License-Identifier: Apache-2.0

// Package workload turns descriptions of jobs into the jobs of a run. Readers of trace formats and
// the generator of synthetic workloads live in packages below it.
package workload

import (
	"fmt"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
)

// Site is what the description of a job leaves to the cluster: what its tasks take and how large
// its blocks are.
type Site struct {
	Model model.RoomModel
	Total [model.Dims]int64
	HDFS  hdfs.Config
	Seed  uint64
	Cost  *Cost // makes tasks of jobs that a generator describes by their bytes; nil means DefaultCost
	Hosts Hosts // of the nodes; nil if they have no names
}

// Needs says what tasks take under room: yarn; other room models need none of it.
type Needs struct {
	MapMemory    model.Bytes `yaml:"map-memory" above:"0" doc:"Memory of a map container (room: yarn)."`
	MapVCores    int32       `yaml:"map-vcores" min:"0" doc:"Virtual cores of a map container (room: yarn)."`
	ReduceMemory model.Bytes `yaml:"reduce-memory" above:"0" doc:"Memory of a reduce container (room: yarn)."`
	ReduceVCores int32       `yaml:"reduce-vcores" min:"0" doc:"Virtual cores of a reduce container (room: yarn)."`
}

// DefaultNeeds returns MapReduce's defaults.
func DefaultNeeds() Needs {
	return Needs{MapMemory: model.GiB, MapVCores: 1, ReduceMemory: model.GiB, ReduceVCores: 1}
}

// Room returns what a map and a reduce take at the site.
func (n *Needs) Room(m model.RoomModel) [model.Kinds]model.Room {
	if m != model.Yarn {
		return [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)}
	}
	return [model.Kinds]model.Room{
		{int32(min((n.MapMemory+model.MiB-1)/model.MiB, 1<<30)), n.MapVCores},
		{int32(min((n.ReduceMemory+model.MiB-1)/model.MiB, 1<<30)), n.ReduceVCores},
	}
}

// Data says how much data a job reads, moves and writes, and what that costs. The duration model replay
// needs none of it but the input, which decides where maps find their blocks.
type Data struct {
	NoInput      bool        `yaml:"no-input,omitempty" doc:"The maps read no blocks, so locality does not matter."`
	Input        model.Bytes `yaml:"input,omitempty" min:"0" doc:"Size of the input; 0B means a block for each map."`
	InputFile    string      `yaml:"input-file,omitempty" doc:"Jobs that name the same file read the same blocks, and find them in page caches; a file of its own if left out."`
	ShuffleRatio float64     `yaml:"shuffle-ratio" min:"0" doc:"Map output for a byte of input."`
	OutputRatio  float64     `yaml:"output-ratio" min:"0" doc:"Output for a byte of map output, or of input where there are no reduces."`
	Replication  int         `yaml:"output-replication,omitempty" min:"0" max:"16" doc:"Replicas of the output; 0 means tasks.output-replication."`
	MapCycles    float64     `yaml:"map-cycles,omitempty" min:"0" doc:"Cycles of a core that a map needs for a byte of input; 0 means tasks.map-cycles."`
	ReduceCycles float64     `yaml:"reduce-cycles,omitempty" min:"0" doc:"Cycles of a core that a reduce needs for a byte of its data; 0 means tasks.reduce-cycles."`
}

// DefaultData returns a job that moves and writes as much as it reads.
func DefaultData() Data { return Data{ShuffleRatio: 1, OutputRatio: 1} }

// Fill sets the data of a job whose tasks are known.
func (d *Data) Fill(j *model.Job, site Site) {
	j.Replicas = d.Replication
	j.InputFile, j.Cycles = d.InputFile, [model.Kinds]float64{d.MapCycles, d.ReduceCycles}
	if d.NoInput || j.Maps == 0 {
		return
	}
	if j.Input = d.Input; j.Input == 0 {
		j.Input = model.Bytes(j.Maps) * site.HDFS.BlockSize
	}
	made := float64(j.Input)
	if j.Reduces > 0 {
		made *= d.ShuffleRatio
		j.Shuffle = toBytes(made)
	}
	j.Output = toBytes(made * d.OutputRatio)
}

func toBytes(b float64) model.Bytes { return model.Bytes(min(math.Round(b), 1e18)) }

// Noise is how task lengths scatter around their mean.
type Noise struct {
	Kind string  `yaml:"kind" oneof:"none,lognormal,exponential,uniform" doc:"Distribution of the factor on the mean length."`
	CV   float64 `yaml:"cv" min:"0" max:"100" doc:"Coefficient of variation of the factor."`
}

// Validate returns the faults that the types cannot express.
func (n Noise) Validate() []model.Problem {
	most, reason := math.Inf(1), ""
	switch n.Kind {
	case "none":
		most = 0
		reason = "0 without noise; choose a kind"
	case "exponential":
		most, reason = 1, "at most 1 for exponential noise"
	case "uniform":
		most, reason = 0.57735, "at most 0.577 for uniform noise, which would else be negative"
	}
	if n.CV == 0 && n.Kind != "none" {
		return []model.Problem{{Path: "cv", Found: "0", Allowed: "above 0 for " + n.Kind + " noise"}}
	}
	if n.CV > most {
		return []model.Problem{{Path: "cv", Found: fmt.Sprint(n.CV), Allowed: reason}}
	}
	return nil
}

// Lengths returns task lengths of the given mean with this noise.
func (n Noise) Lengths(mean model.Time) model.Lengths {
	kind := map[string]model.Noise{"lognormal": model.LogNormalNoise, "exponential": model.ExponentialNoise, "uniform": model.UniformNoise}[n.Kind]
	return model.Lengths{Mean: mean, Noise: kind, CV: n.CV}
}

// JobConfig is one job written into a scenario.
type JobConfig struct {
	Name          string         `yaml:"name" required:"true" doc:"Name of the job; other jobs refer to it in after."`
	User          string         `yaml:"user" doc:"Who submits it."`
	Queue         string         `yaml:"queue" doc:"Queue or pool it is submitted to."`
	Class         string         `yaml:"class,omitempty" doc:"Job type, for grouping in results."`
	Submit        model.Time     `yaml:"submit" min:"0" doc:"When it is submitted; with after, the think time after that job's end."`
	After         string         `yaml:"after,omitempty" doc:"Name of an earlier job that must have ended."`
	Priority      model.Priority `yaml:"priority" doc:"One of five priorities."`
	Weight        float64        `yaml:"weight" above:"0" doc:"Share under weighted policies."`
	Goal          model.Time     `yaml:"goal,omitempty" min:"0" doc:"Completion-time goal, counted from submission; 0s means none."`
	GoalAt        model.Time     `yaml:"goal-at,omitempty" min:"0" doc:"Completion-time goal as a time of the run, after submission; instead of goal."`
	GoalFactor    float64        `yaml:"goal-factor,omitempty" min:"0" doc:"Completion-time goal as a multiple of the job's run time alone in the empty cluster; instead of goal."`
	Maps          int32          `yaml:"maps" min:"0" doc:"Number of maps."`
	Reduces       int32          `yaml:"reduces" min:"0" doc:"Number of reduces."`
	MapLength     model.Time     `yaml:"map-length" min:"0" doc:"Mean length of a map."`
	MapLengths    []model.Time   `yaml:"map-lengths,omitempty" min:"0" doc:"Length of every map, instead of a mean."`
	ReduceLength  model.Time     `yaml:"reduce-length" min:"0" doc:"Mean length of a reduce after its data has arrived."`
	ReduceLengths []model.Time   `yaml:"reduce-lengths,omitempty" min:"0" doc:"Length of every reduce, instead of a mean."`
	ShuffleTail   model.Time     `yaml:"shuffle-tail,omitempty" min:"0" doc:"How long a reduce still copies after the last map."`
	Noise         Noise          `yaml:"noise" doc:"How task lengths scatter around their mean."`
	Data          `yaml:",inline"`
	Needs         `yaml:",inline"`
}

// SetDefaults fills what a scenario leaves out.
func (c *JobConfig) SetDefaults() {
	*c = JobConfig{User: "user", Queue: "default", Priority: model.Normal, Weight: 1, Maps: 1,
		MapLength: 10 * model.Second, ReduceLength: 10 * model.Second, Noise: Noise{Kind: "none"}, Data: DefaultData(), Needs: DefaultNeeds()}
}

// Jobs turns written jobs into those of a run, in order of submission. problems name the position
// in list.
func Jobs(list []JobConfig, site Site) (jobs []model.Job, problems []model.Problem) {
	names := map[string]int{}
	order := make([]int, len(list))
	for i := range list {
		c := &list[i]
		order[i] = i
		if _, twice := names[c.Name]; twice {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("[%d].name", i), Found: fmt.Sprintf("%q twice", c.Name), Allowed: "a name of its own for each job"})
		}
		if _, known := names[c.After]; c.After != "" && !known {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("[%d].after", i), Found: fmt.Sprintf("%q", c.After), Allowed: "the name of a job that stands before this one"})
		}
		problems = append(problems, c.lengthProblems(i)...)
		for _, p := range c.goalProblems() {
			p.Path = fmt.Sprintf("[%d].%s", i, p.Path)
			problems = append(problems, p)
		}
		for _, p := range c.Noise.Validate() {
			p.Path = fmt.Sprintf("[%d].noise.%s", i, p.Path)
			problems = append(problems, p)
		}
		names[c.Name] = i
	}
	if len(problems) > 0 {
		return nil, problems
	}
	// Jobs with a time are sorted by it; a job that waits for another stays behind that one.
	slices.SortStableFunc(order, func(a, b int) int {
		return compare(list[root(list, names, a)].Submit, list[root(list, names, b)].Submit)
	})
	id := make([]model.JobID, len(list))
	for at, i := range order {
		id[i] = model.JobID(at)
		j := list[i].job(site)
		j.ID = model.JobID(at)
		if list[i].After != "" {
			j.After = id[names[list[i].After]]
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

func compare(a, b model.Time) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// root returns the first job of the chain that job i waits for.
func root(list []JobConfig, names map[string]int, i int) int {
	for list[i].After != "" {
		i = names[list[i].After]
	}
	return i
}

func (c *JobConfig) lengthProblems(i int) (problems []model.Problem) {
	for _, l := range []struct {
		field   string
		lengths int
		tasks   int32
	}{{"map-lengths", len(c.MapLengths), c.Maps}, {"reduce-lengths", len(c.ReduceLengths), c.Reduces}} {
		if l.lengths > 0 && l.lengths != int(l.tasks) {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("[%d].%s", i, l.field),
				Found: fmt.Sprintf("%d lengths for %d tasks", l.lengths, l.tasks), Allowed: "one length for each task"})
		}
	}
	return problems
}

// goalProblems returns the faults of the job's goal.
func (c *JobConfig) goalProblems() []model.Problem {
	switch {
	case c.GoalAt > 0 && c.After != "":
		return []model.Problem{{Path: "goal-at", Found: c.GoalAt.String() + " with after", Allowed: "goal or goal-factor for a job whose submission depends on another's end"}}
	case c.GoalAt > 0 && c.GoalAt <= c.Submit:
		return []model.Problem{{Path: "goal-at", Found: fmt.Sprintf("%v, submitted at %v", c.GoalAt, c.Submit), Allowed: "a time after submit"}}
	}
	return oneGoal("goal-at", c.Goal, c.GoalAt, c.GoalFactor)
}

// oneGoal returns a fault of the field if more than one of the ways to give a goal is used.
func oneGoal(field string, goal, at model.Time, factor float64) []model.Problem {
	n := 0
	for _, given := range []bool{goal > 0, at > 0, factor > 0} {
		if given {
			n++
		}
	}
	if n < 2 {
		return nil
	}
	if at == 0 {
		field = "goal-factor"
	}
	return []model.Problem{{Path: field, Found: fmt.Sprintf("%d goals", n), Allowed: "at most one of goal, goal-at and goal-factor"}}
}

func (c *JobConfig) job(site Site) model.Job {
	j := model.Job{
		Name: c.Name, User: c.User, Queue: c.Queue, Class: c.Class, Submit: c.Submit, After: model.None,
		Priority: c.Priority, Weight: c.Weight, Goal: c.Goal, GoalFactor: c.GoalFactor, Maps: c.Maps, Reduces: c.Reduces,
		Need: c.Needs.Room(site.Model), ShuffleTail: c.ShuffleTail,
		MapLength: c.Noise.Lengths(c.MapLength), ReduceLength: c.Noise.Lengths(c.ReduceLength),
	}
	if c.GoalAt > 0 {
		j.Goal = c.GoalAt - c.Submit
	}
	c.Data.Fill(&j, site)
	if len(c.MapLengths) > 0 {
		j.MapLength = model.Lengths{Fixed: c.MapLengths}
	}
	if len(c.ReduceLengths) > 0 {
		j.ReduceLength = model.Lengths{Fixed: c.ReduceLengths}
	}
	return j
}
