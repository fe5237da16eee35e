// SPDX-License-Identifier: Apache-2.0

// Package synth generates workloads: jobs of several classes with random sizes, arriving by a
// stated process, or the jobs of a published experiment (a preset). Everything drawn is keyed by
// (seed, purpose, job), so a workload is a function of its configuration, the site and the seed.
package synth

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/workload"
)

// Config describes a synthetic workload. It has either classes and a number of jobs, or a preset,
// which brings its own jobs.
type Config struct {
	Jobs     int           `yaml:"jobs,omitempty" min:"1" max:"10000000" doc:"Number of jobs; needed with classes."`
	Arrivals Arrivals      `yaml:"arrivals" doc:"When jobs arrive."`
	Sampling string        `yaml:"sampling,omitempty" oneof:"random,stratified" doc:"How the jobs of classes are drawn: each by itself, or so that all of them together have exactly the stated shares and quantiles."`
	Classes  []ClassConfig `yaml:"classes,omitempty" doc:"Job types and how common they are; exactly one of classes and preset is given."`
	Preset   *Preset       `yaml:"preset" doc:"The jobs of a published experiment."`
	Vary     *Vary         `yaml:"vary" doc:"What differs from seed to seed beside the draws of jobs."`
	Draw     uint64        `yaml:"draw,omitempty" doc:"Every seed has the jobs and arrivals that this seed draws; 0: those of its own."`
}

// Arrivals describes when jobs arrive.
type Arrivals struct {
	Process  string         `yaml:"process" oneof:"poisson,uniform,batch" doc:"Exponential gaps, equal gaps, or all jobs at time 0."`
	Interval model.Time     `yaml:"interval,omitempty" min:"0" doc:"Mean gap between two jobs; leave it out when load is given."`
	Load     model.Fraction `yaml:"load,omitempty" above:"0" doc:"Target system load: gaps are scaled so that the jobs' work is this share of the room over the time from 0s to the last submission, as many gaps as there are jobs. The metric load_POOL, as the load of a trace, counts from the first submission, a gap less: with few jobs it is higher."`
	LoadOf   string         `yaml:"load-of,omitempty" oneof:"busiest,all" doc:"What load is a share of: the busiest pool of room, or all pools together."`
}

// ClassConfig describes one job type.
type ClassConfig struct {
	Name           string           `yaml:"name" required:"true" doc:"Name of the class in results."`
	Share          float64          `yaml:"share" min:"0" doc:"How common the class is, relative to the others."`
	Queue          string           `yaml:"queue" doc:"Queue or pool of its jobs."`
	Users          int              `yaml:"users" min:"1" doc:"Number of users its jobs are dealt out to."`
	Priority       model.Priority   `yaml:"priority" doc:"One of five priorities."`
	Goal           model.Time       `yaml:"goal,omitempty" min:"0" doc:"Completion-time goal, counted from submission; 0s means none."`
	GoalFactor     Dist[Count]      `yaml:"goal-factor" doc:"Completion-time goal as a multiple of a job's run time alone in the empty cluster, instead of goal; 0 means none."`
	Maps           Dist[Count]      `yaml:"maps" doc:"Number of maps of a job."`
	Reduces        Dist[Count]      `yaml:"reduces" doc:"Number of reduces of a job."`
	MapLength      Dist[model.Time] `yaml:"map-length" doc:"Mean map length of a job."`
	ReduceLength   Dist[model.Time] `yaml:"reduce-length" doc:"Mean reduce length of a job, after its data has arrived."`
	ShuffleTail    model.Time       `yaml:"shuffle-tail,omitempty" min:"0" doc:"How long a reduce still copies after the last map."`
	Noise          workload.Noise   `yaml:"noise" doc:"How the task lengths of one job scatter around its mean."`
	workload.Data  `yaml:",inline"`
	workload.Needs `yaml:",inline"`
}

// SetDefaults fills what a scenario leaves out.
func (c *ClassConfig) SetDefaults() {
	*c = ClassConfig{Share: 1, Queue: "default", Users: 1, Priority: model.Normal,
		GoalFactor: Constant[Count](0), Maps: Constant[Count](1), Reduces: Constant[Count](0),
		MapLength: Constant(10 * model.Second), ReduceLength: Constant(10 * model.Second),
		Noise: workload.Noise{Kind: "none"}, Data: workload.DefaultData(), Needs: workload.DefaultNeeds()}
}

// DefaultConfig returns Poisson arrivals and random sampling.
func DefaultConfig() Config {
	return Config{Arrivals: Arrivals{Process: "poisson", LoadOf: "busiest"}, Sampling: "random"}
}

// Validate returns the faults that the types cannot express.
func (c *Config) Validate() []model.Problem {
	switch {
	case c.Preset != nil && len(c.Classes) > 0:
		return []model.Problem{{Path: "preset", Found: "both classes and preset", Allowed: "exactly one of classes and preset"}}
	case c.Preset != nil:
		return c.presetProblems()
	}
	problems := append(c.Arrivals.problems(), c.varyProblems()...)
	if c.Jobs == 0 {
		problems = append(problems, model.Problem{Path: "jobs", Found: "no number of jobs", Allowed: "at least 1, at most 10000000"})
	}
	return append(problems, c.classProblems()...)
}

// presetProblems returns what a preset forbids in the fields around it.
func (c *Config) presetProblems() []model.Problem {
	problems := append(c.Preset.problems(), c.varyProblems()...)
	if names, _ := c.Preset.given(); len(names) != 1 {
		return problems
	}
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	if c.Jobs != 0 {
		bad("jobs", fmt.Sprintf("%d jobs of a preset", c.Jobs), "nothing: a preset brings its own jobs")
	}
	if c.Sampling == "stratified" {
		bad("sampling", "a preset with sampling", "classes, or a preset without sampling")
	}
	switch a := &c.Arrivals; {
	case c.Preset.arrives():
		problems = append(problems, a.problems()...)
	case a.Process != "poisson" || a.Interval != 0 || a.Load != 0:
		bad("arrivals", "arrivals of a preset that has its own", "nothing: the preset says when its jobs are submitted")
	}
	return problems
}

func (a *Arrivals) problems() []model.Problem {
	bad := func(found, allowed string) []model.Problem {
		return []model.Problem{{Path: "arrivals", Found: found, Allowed: allowed}}
	}
	switch {
	case a.Process == "batch":
		if a.Interval != 0 || a.Load != 0 {
			return bad("a batch with an interval or load", "neither: all jobs of a batch arrive at time 0")
		}
	case a.Interval == 0 && a.Load == 0:
		return bad("neither interval nor load", "one of interval and load, above 0")
	case a.Interval != 0 && a.Load != 0:
		return bad("both interval and load", "one of interval and load")
	}
	return nil
}

func (c *Config) classProblems() (problems []model.Problem) {
	total := 0.0
	names := map[string]bool{}
	for i := range c.Classes {
		k := &c.Classes[i]
		total += k.Share
		if names[k.Name] {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("classes[%d].name", i), Found: fmt.Sprintf("%q twice", k.Name), Allowed: "a name of its own for each class"})
		}
		names[k.Name] = true
		for _, p := range k.problems() {
			p.Path = fmt.Sprintf("classes[%d].%s", i, p.Path)
			problems = append(problems, p)
		}
	}
	switch {
	case len(c.Classes) == 0:
		problems = append(problems, model.Problem{Path: "classes", Found: "no classes", Allowed: "at least one job type"})
	case total <= 0:
		problems = append(problems, model.Problem{Path: "classes", Found: "shares that sum to 0", Allowed: "at least one class with a share above 0"})
	}
	return problems
}

// problems returns the faults of the class, in the order of its fields.
func (c *ClassConfig) problems() (problems []model.Problem) {
	add := func(field string, p *model.Problem) {
		if p != nil {
			problems = append(problems, model.Problem{Path: field, Found: p.Found, Allowed: p.Allowed})
		}
	}
	if c.GoalFactor.Kind != "constant" { // which need not be a whole number
		add("goal-factor", c.GoalFactor.check())
	}
	if c.Goal > 0 && (c.GoalFactor.Kind != "constant" || c.GoalFactor.Mean > 0) {
		add("goal-factor", &model.Problem{Found: "both goal and goal-factor", Allowed: "at most one of them"})
	}
	add("maps", c.Maps.check())
	add("reduces", c.Reduces.check())
	add("map-length", c.MapLength.check())
	add("reduce-length", c.ReduceLength.check())
	for _, p := range c.Noise.Validate() {
		add("noise."+p.Path, &p)
	}
	return problems
}

// Generate returns the jobs, in order of submission. The configuration must be valid.
func Generate(c *Config, site workload.Site) []model.Job {
	if c.Draw > 0 {
		site.Seed = c.Draw
	}
	c = c.varied(site.Seed)
	var jobs []model.Job
	switch {
	case c.Preset != nil:
		jobs = c.Preset.Jobs(site)
		if !c.Preset.arrives() {
			return jobs
		}
	case c.Sampling == "stratified":
		jobs = stratified(c, site)
	default:
		jobs = random(c, site)
	}
	arrive(&c.Arrivals, site, jobs)
	return jobs
}

// job makes job i of the class; draw gives the place in 0..1 of each thing that is drawn.
func (c *ClassConfig) job(i int, site workload.Site, draw func(what uint64) float64) model.Job {
	j := model.Job{
		ID: model.JobID(i), Name: fmt.Sprintf("%s-%d", c.Name, i), Queue: c.Queue, Class: c.Name, After: model.None,
		User:     fmt.Sprintf("%s-user%d", c.Queue, int(draw(drawUser)*float64(c.Users))),
		Priority: c.Priority, Goal: c.Goal, GoalFactor: float64(c.GoalFactor.Quantile(draw(drawGoal))), ShuffleTail: c.ShuffleTail,
		Maps:         int32(min(max(math.Round(float64(c.Maps.Quantile(draw(drawMaps)))), 0), 1e7)),
		Reduces:      int32(min(max(math.Round(float64(c.Reduces.Quantile(draw(drawReduces)))), 0), 1e7)),
		MapLength:    c.Noise.Lengths(c.MapLength.Quantile(draw(drawMapLength))),
		ReduceLength: c.Noise.Lengths(c.ReduceLength.Quantile(draw(drawReduceLength))),
		Need:         c.Needs.Room(site.Model),
	}
	c.Data.Fill(&j, site)
	return j
}

// arrive sets the submission times.
func arrive(a *Arrivals, site workload.Site, jobs []model.Job) {
	if a.Process == "batch" {
		return
	}
	mean := a.Interval.Seconds()
	if a.Load > 0 {
		span := workload.Span
		if a.LoadOf == "all" {
			span = workload.SpanOfAll
		}
		mean = span(jobs, site, float64(a.Load)).Seconds() / float64(len(jobs))
	}
	gaps := rng.New(site.Seed, rng.ArrivalGap)
	gap := func(i int) float64 {
		if a.Process == "poisson" {
			return gaps.At(uint64(i), 0, 0).ExpFloat64()
		}
		return 1
	}
	at, sum := make([]float64, len(jobs)), 0.0
	for i := range jobs {
		sum += gap(i)
		at[i] = sum
	}
	if a.Load > 0 {
		// A Poisson process whose last arrival is known to end the span: the load is met exactly.
		mean *= float64(len(jobs)) / sum
	}
	for i := range jobs {
		jobs[i].Submit = model.Seconds(at[i] * mean)
	}
}

// SetDefaults fills what a scenario leaves out.
func (c *Config) SetDefaults() { *c = DefaultConfig() }
