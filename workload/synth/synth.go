// SPDX-License-Identifier: Apache-2.0

// Package synth generates workloads: jobs of several classes with random sizes, arriving by a
// stated process. Everything drawn is keyed by (seed, purpose, job), so a workload is a function of
// its configuration, the site and the seed.
package synth

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/workload"
)

// Config describes a synthetic workload.
type Config struct {
	Jobs     int           `yaml:"jobs" min:"1" max:"10000000" required:"true" doc:"Number of jobs."`
	Arrivals Arrivals      `yaml:"arrivals" doc:"When jobs arrive."`
	Classes  []ClassConfig `yaml:"classes" required:"true" doc:"Job types and how common they are."`
}

// Arrivals describes when jobs arrive.
type Arrivals struct {
	Process  string         `yaml:"process" oneof:"poisson,uniform,batch" doc:"Exponential gaps, equal gaps, or all jobs at time 0."`
	Interval model.Time     `yaml:"interval,omitempty" min:"0" doc:"Mean gap between two jobs; leave it out when load is given."`
	Load     model.Fraction `yaml:"load,omitempty" min:"0" doc:"Target system load of the busiest pool of room: gaps are scaled so that the jobs' work is this share of the room over the span of arrivals."`
}

// ClassConfig describes one job type.
type ClassConfig struct {
	Name           string           `yaml:"name" required:"true" doc:"Name of the class in results."`
	Share          float64          `yaml:"share" min:"0" doc:"How common the class is, relative to the others."`
	Queue          string           `yaml:"queue" doc:"Queue or pool of its jobs."`
	Users          int              `yaml:"users" min:"1" doc:"Number of users its jobs are dealt out to."`
	Priority       model.Priority   `yaml:"priority" doc:"One of five priorities."`
	Goal           model.Time       `yaml:"goal,omitempty" min:"0" doc:"Completion-time goal, counted from submission; 0s means none."`
	Maps           Dist[Count]      `yaml:"maps" doc:"Number of maps of a job."`
	Reduces        Dist[Count]      `yaml:"reduces" doc:"Number of reduces of a job."`
	MapLength      Dist[model.Time] `yaml:"map-length" doc:"Mean map length of a job."`
	ReduceLength   Dist[model.Time] `yaml:"reduce-length" doc:"Mean reduce length of a job, after its data has arrived."`
	ShuffleTail    model.Time       `yaml:"shuffle-tail,omitempty" min:"0" doc:"How long a reduce still copies after the last map."`
	Noise          workload.Noise   `yaml:"noise" doc:"How the task lengths of one job scatter around its mean."`
	NoInput        bool             `yaml:"no-input,omitempty" doc:"The maps read no blocks, so locality does not matter."`
	workload.Needs `yaml:",inline"`
}

// SetDefaults fills what a scenario leaves out.
func (c *ClassConfig) SetDefaults() {
	*c = ClassConfig{Share: 1, Queue: "default", Users: 1, Priority: model.Normal,
		Maps: Constant[Count](1), Reduces: Constant[Count](0),
		MapLength: Constant(10 * model.Second), ReduceLength: Constant(10 * model.Second),
		Noise: workload.Noise{Kind: "none"}, Needs: workload.DefaultNeeds()}
}

// DefaultConfig returns Poisson arrivals.
func DefaultConfig() Config { return Config{Arrivals: Arrivals{Process: "poisson"}} }

// Validate returns the faults that the types cannot express.
func (c *Config) Validate() (problems []model.Problem) {
	a := &c.Arrivals
	switch {
	case a.Process == "batch":
		if a.Interval != 0 || a.Load != 0 {
			problems = append(problems, model.Problem{Path: "arrivals", Found: "a batch with an interval or load", Allowed: "neither: all jobs of a batch arrive at time 0"})
		}
	case a.Interval == 0 && a.Load == 0:
		problems = append(problems, model.Problem{Path: "arrivals", Found: "neither interval nor load", Allowed: "one of interval and load, above 0"})
	case a.Interval != 0 && a.Load != 0:
		problems = append(problems, model.Problem{Path: "arrivals", Found: "both interval and load", Allowed: "one of interval and load"})
	}
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
	add("maps", c.Maps.check())
	add("reduces", c.Reduces.check())
	add("map-length", c.MapLength.check())
	add("reduce-length", c.ReduceLength.check())
	for _, p := range c.Noise.Validate() {
		add("noise."+p.Path, &p)
	}
	return problems
}

// Generate returns the jobs. The configuration must be valid.
func Generate(c *Config, site workload.Site) []model.Job {
	picks := rng.New(site.Seed, "job-class")
	shapes := rng.New(site.Seed, "job-shape")
	total := 0.0
	for i := range c.Classes {
		total += c.Classes[i].Share
	}
	jobs := make([]model.Job, c.Jobs)
	for i := range jobs {
		u := picks.At(uint64(i), 0, 0).Float64() * total
		k := 0
		for k < len(c.Classes)-1 && u >= c.Classes[k].Share {
			u -= c.Classes[k].Share
			k++
		}
		jobs[i] = c.Classes[k].job(i, site, shapes)
	}
	arrive(c, site, jobs)
	return jobs
}

func (c *ClassConfig) job(i int, site workload.Site, shapes *rng.Stream) model.Job {
	draw := func(purpose uint64) float64 { return shapes.At(uint64(i), purpose, 0).Float64() }
	j := model.Job{
		ID: model.JobID(i), Name: fmt.Sprintf("%s-%d", c.Name, i), Queue: c.Queue, Class: c.Name, After: model.None,
		User:     fmt.Sprintf("%s-user%d", c.Queue, int(draw(0)*float64(c.Users))),
		Priority: c.Priority, Goal: c.Goal, ShuffleTail: c.ShuffleTail,
		Maps:         int32(min(max(math.Round(float64(c.Maps.Quantile(draw(1)))), 0), 1e7)),
		Reduces:      int32(min(max(math.Round(float64(c.Reduces.Quantile(draw(2)))), 0), 1e7)),
		MapLength:    c.Noise.Lengths(c.MapLength.Quantile(draw(3))),
		ReduceLength: c.Noise.Lengths(c.ReduceLength.Quantile(draw(4))),
		Need:         c.Needs.Room(site.Model),
	}
	if !c.NoInput {
		j.Input = model.Bytes(j.Maps) * site.HDFS.BlockSize
	}
	return j
}

// arrive sets the submission times.
func arrive(c *Config, site workload.Site, jobs []model.Job) {
	if c.Arrivals.Process == "batch" {
		return
	}
	mean := c.Arrivals.Interval.Seconds()
	if c.Arrivals.Load > 0 {
		mean = workload.Span(jobs, site, float64(c.Arrivals.Load)).Seconds() / float64(len(jobs))
	}
	gaps := rng.New(site.Seed, "arrival-gap")
	gap := func(i int) float64 {
		if c.Arrivals.Process == "poisson" {
			return gaps.At(uint64(i), 0, 0).ExpFloat64()
		}
		return 1
	}
	at, sum := make([]float64, len(jobs)), 0.0
	for i := range jobs {
		sum += gap(i)
		at[i] = sum
	}
	if c.Arrivals.Load > 0 {
		// A Poisson process whose last arrival is known to end the span: the load is met exactly.
		mean *= float64(len(jobs)) / sum
	}
	for i := range jobs {
		jobs[i].Submit = model.Seconds(at[i] * mean)
	}
}

// SetDefaults fills what a scenario leaves out.
func (c *Config) SetDefaults() { *c = DefaultConfig() }
