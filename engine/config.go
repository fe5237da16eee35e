// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/forecast"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rm"
)

// Config says how the simulated Hadoop behaves. Its fields are sections of a scenario.
type Config struct {
	Heartbeat   Heartbeat       `yaml:"heartbeat" doc:"When nodes ask for work."`
	Jobs        mapreduce.Rules `yaml:"jobs" doc:"How the tasks of a job depend on each other."`
	exec.Config `yaml:",inline"`
	Faults      mishap.Rules   `yaml:"faults" doc:"What goes wrong: nothing by default."`
	Forecasts   forecast.Rules `yaml:"forecasts,omitempty" doc:"How wrong the forecasts of recurring jobs are that planners are given: not at all by default."`
	Yarn        *rm.Rules      `yaml:"yarn" doc:"Application masters and the AM share (room: yarn); jobs have no masters if left out."`
}

// Heartbeat configures when nodes ask for work.
type Heartbeat struct {
	Interval     Interval `yaml:"interval" doc:"Time between two heartbeats of a node, with a random first offset; on-idle: a node asks as soon as it has room."`
	MaxTasks     int32    `yaml:"max-tasks,omitempty" min:"0" doc:"Tasks that one heartbeat may be given; 0 means no limit."`
	MaxMaps      int32    `yaml:"max-maps,omitempty" min:"0" doc:"Maps that one heartbeat may be given; 0 means no limit."`
	MaxReduces   int32    `yaml:"max-reduces,omitempty" min:"0" doc:"Reduces that one heartbeat may be given; 0 means no limit."`
	OnEnd        bool     `yaml:"on-end,omitempty" doc:"A node sends another heartbeat at once when a task of it ends, as YARN's do."`
	MaxOffSwitch int32    `yaml:"max-off-switch,omitempty" min:"0" doc:"Maps read from another rack that one heartbeat may be given before it ends; 0 means no limit."`
}

// Interval is the time between heartbeats; 0 is on-idle.
type Interval model.Time

// OnIdle makes a node ask as soon as it has room.
const OnIdle Interval = 0

// Allowed describes the accepted text of an Interval.
func (Interval) Allowed() string { return "on-idle, or " + model.Time(0).Allowed() }

// TypeName is the name of the type in the reference.
func (Interval) TypeName() string { return "on-idle or duration" }

// UnmarshalText reads on-idle or a duration.
func (i *Interval) UnmarshalText(text []byte) error {
	if string(text) == "on-idle" {
		*i = OnIdle
		return nil
	}
	return (*model.Time)(i).UnmarshalText(text)
}

// String returns the text form.
func (i Interval) String() string {
	if i == OnIdle {
		return "on-idle"
	}
	return model.Time(i).String()
}

// MarshalText writes the form that UnmarshalText reads.
func (i Interval) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// DefaultConfig returns on-idle heartbeats and Hadoop's defaults for jobs.
func DefaultConfig() Config {
	return Config{Jobs: mapreduce.DefaultRules(), Config: exec.DefaultConfig(), Faults: mishap.DefaultRules(), Forecasts: forecast.DefaultRules()}
}

// Validate returns the faults that the types cannot express.
func (c *Config) Validate() (problems []model.Problem) {
	h := &c.Heartbeat
	if h.Interval == OnIdle {
		for _, f := range []struct {
			name  string
			value int32
		}{{"max-tasks", h.MaxTasks}, {"max-maps", h.MaxMaps}, {"max-reduces", h.MaxReduces}, {"max-off-switch", h.MaxOffSwitch}} {
			if f.value != 0 {
				problems = append(problems, model.Problem{Path: "heartbeat." + f.name, Found: fmt.Sprintf("%d with on-idle heartbeats", f.value),
					Allowed: "0 with on-idle heartbeats; set heartbeat.interval to use limits"})
			}
		}
	} else if h.Interval < Interval(model.Millisecond) {
		problems = append(problems, model.Problem{Path: "heartbeat.interval", Found: h.Interval.String(), Allowed: "on-idle, or at least 1ms"})
	}
	return append(problems, c.Config.Validate()...)
}

// ValidateOn returns the faults of the sections jobs and yarn on a cluster.
func (c *Config) ValidateOn(t *model.Topology) (problems []model.Problem) {
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	if (c.Jobs.SetUp > 0 || c.Jobs.CleanUp > 0) && (t.Model != model.Slots || c.Faults.Nodes()) {
		bad("jobs", "set-up or clean-up tasks", "these with map slots, and without nodes that are lost: they are not started again")
	}
	y := c.Yarn
	if y == nil {
		return problems
	}
	if t.Model != model.Yarn {
		bad("yarn", "a cluster without memory and vcores", "the section only with cluster.room: yarn")
		return problems
	}
	if c.Faults.Nodes() {
		bad("yarn", "nodes that are lost", "the section without faults.losses and faults.mean-uptime: masters are not started again")
	}
	if y.Tuner.Name != "" && c.Durations != exec.Resources {
		bad("yarn.tuner", fmt.Sprintf("%s with durations: %s", y.Tuner.Name, c.Durations), "durations: resources, from which the use of the CPU follows")
	}
	if y.AMCPU > 0 && c.Durations != exec.Resources {
		bad("yarn.am-start-cpu", fmt.Sprintf("%v with durations: %s", y.AMCPU, c.Durations), "durations: resources, in which cores are shared")
	}
	for _, p := range y.Validate(t) {
		bad("yarn."+p.Path, p.Found, p.Allowed)
	}
	return problems
}

// ValidateManaged returns what does not go with a resource manager of YARN.
func (c *Config) ValidateManaged() (problems []model.Problem) {
	bad := func(found, allowed string) {
		problems = append(problems, model.Problem{Found: found, Allowed: allowed})
	}
	if c.Yarn != nil {
		bad("the section yarn beside a resource manager of YARN", "one of the two: masters are part of a resource manager")
	}
	if rules := c.Faults.Speculation; rules.On {
		if c.Durations != exec.Replay {
			bad(fmt.Sprintf("second attempts of tasks with durations: %s", c.Durations), "faults.speculation.on with durations: replay under a resource manager of YARN")
		}
		rules.On = false
		if rules != mishap.DefaultRules().Speculation {
			bad("settings of faults.speculation beside on", "Hadoop's own under a resource manager of YARN: its properties mapreduce.job.speculative.…")
		}
	}
	return problems
}

// maxTime bounds the whole run, so that times never overflow.
const maxTime = 200 * cluster.MaxLength
