// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Vary gives every seed a batch of another shape. What the workload states becomes the upper end.
type Vary struct {
	Jobs     int  `yaml:"jobs,omitempty" min:"1" doc:"Fewest jobs: their number is drawn evenly from this to generate.jobs; all of them if left out."`
	Interval bool `yaml:"interval,omitempty" doc:"The mean gap between two jobs is drawn evenly from 0s to arrivals.interval."`
	Mix      bool `yaml:"mix,omitempty" doc:"The share of each class is multiplied by an exponential draw, so that some seeds have mostly one kind of job."`
}

func (c *Config) varyProblems() (problems []model.Problem) {
	v := c.Vary
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: "vary." + path, Found: found, Allowed: allowed})
	}
	switch {
	case v == nil:
		return nil
	case c.Preset != nil:
		bad("jobs", "a preset that varies", "classes: a preset has its own jobs")
		return problems
	}
	if v.Jobs > c.Jobs {
		bad("jobs", fmt.Sprintf("at least %d of %d jobs", v.Jobs, c.Jobs), "at most generate.jobs")
	}
	if v.Interval && c.Arrivals.Interval == 0 {
		bad("interval", "no interval to vary", "arrivals.interval above 0s")
	}
	return problems
}

// varied returns the workload of one seed.
func (c *Config) varied(seed uint64) *Config {
	v := c.Vary
	if v == nil {
		return c
	}
	out := *c
	draws := rng.New(seed, rng.Vary)
	if v.Jobs > 0 {
		out.Jobs = v.Jobs + rng.Below(draws.Uint64(0, 0, 0), c.Jobs-v.Jobs+1)
	}
	if v.Interval {
		// Never 0, which would mean that none is given.
		out.Arrivals.Interval = max(model.Time(draws.At(1, 0, 0).Float64()*float64(c.Arrivals.Interval)), 1)
	}
	if v.Mix {
		out.Classes = slices.Clone(c.Classes)
		for i := range out.Classes {
			out.Classes[i].Share *= draws.At(2, uint64(i), 0).ExpFloat64()
		}
	}
	return &out
}
