// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// Preset is the workload of a published experiment: exactly one of its fields is given, and an
// empty mapping takes all its defaults.
type Preset struct {
	Facebook     *Facebook     `yaml:"facebook" doc:"The 1,121 jobs of slowdown-2015 §V-C in a random order; arrivals says when they come."`
	Capacity2013 *Capacity2013 `yaml:"capacity-2013" doc:"The 100 jobs of capacity-2013 table 4.1, submitted as in §4.4.3."`
	Deadline2010 *Deadline2010 `yaml:"deadline-2010" doc:"The four jobs of deadline-2010 §V-A."`
	FB2010       *FB2010       `yaml:"fb-2010" doc:"Jobs in bytes with the shares and sizes of SWIM's trace FB-2010; arrivals says when they come, workload.cost what tasks they have."`
}

// source is what each preset implements.
type source interface {
	// Jobs returns the jobs of the site's seed, numbered from 0, in order of submission.
	Jobs(workload.Site) []model.Job
	// problems returns the faults that the types cannot express.
	problems() []model.Problem
}

// given lists the presets that are given, with their names.
func (p *Preset) given() (names []string, sources []source) {
	if p.Facebook != nil {
		names, sources = append(names, "facebook"), append(sources, p.Facebook)
	}
	if p.Capacity2013 != nil {
		names, sources = append(names, "capacity-2013"), append(sources, p.Capacity2013)
	}
	if p.Deadline2010 != nil {
		names, sources = append(names, "deadline-2010"), append(sources, p.Deadline2010)
	}
	if p.FB2010 != nil {
		names, sources = append(names, "fb-2010"), append(sources, p.FB2010)
	}
	return names, sources
}

// arrives reports whether the jobs come by the arrivals of the configuration; other presets say
// themselves when.
func (p *Preset) arrives() bool { return p.Facebook != nil || p.FB2010 != nil }

func (p *Preset) problems() []model.Problem {
	names, sources := p.given()
	if len(sources) != 1 {
		return []model.Problem{{Path: "preset", Found: fmt.Sprintf("%d presets", len(sources)), Allowed: "exactly one of facebook, capacity-2013, deadline-2010 and fb-2010"}}
	}
	problems := sources[0].problems()
	for i := range problems {
		problems[i].Path = "preset." + names[0] + "." + problems[i].Path
	}
	return problems
}

// Jobs returns the jobs of the one preset that is given.
func (p *Preset) Jobs(site workload.Site) []model.Job {
	_, sources := p.given()
	return sources[0].Jobs(site)
}
