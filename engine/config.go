// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
)

// Config says how the simulated Hadoop behaves. Its fields are sections of a scenario.
type Config struct {
	Heartbeat Heartbeat    `yaml:"heartbeat" doc:"When nodes ask for work."`
	Jobs      JobRules     `yaml:"jobs" doc:"How the tasks of a job depend on each other."`
	Durations string       `yaml:"durations" oneof:"replay,network,resources" doc:"Where the time that a task takes comes from: the workload's lengths (replay); input from afar and shuffle as flows, then the length (network); bytes and cycles that share cores, disks and links (resources)."`
	Locality  Penalty      `yaml:"locality" doc:"What a map pays for reading its block from afar (durations: replay)."`
	Network   NetworkRules `yaml:"network" doc:"How links are shared (durations: network, resources)."`
	Shuffle   ShuffleRules `yaml:"shuffle" doc:"How reduces fetch what maps made (durations: network, resources)."`
	Tasks     TaskCosts    `yaml:"tasks" doc:"What tasks cost beside links (durations: resources)."`
	Faults    FaultRules   `yaml:"faults" doc:"What goes wrong: nothing by default."`
	Yarn      *YarnRules   `yaml:"yarn" doc:"Application masters and the AM share (room: yarn); jobs have no masters if left out."`
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

// JobRules configures slow start, ramp-up and pre-emption.
type JobRules struct {
	SlowStart    model.Fraction `yaml:"slow-start" min:"0" max:"1" doc:"Share of the maps that must have ended before reduces may start."`
	RampUp       model.Fraction `yaml:"ramp-up" min:"0" max:"1" doc:"Where maps and reduces share room: the most of the room it can get that a job may hold with reduces while maps are pending."`
	Preempt      bool           `yaml:"preempt" doc:"Where maps and reduces share room: kill waiting reduces of a job whose maps find no room."`
	PreemptAfter model.Time     `yaml:"preempt-after" min:"0" doc:"How long maps must have found no room before reduces are killed."`
}

// Penalty configures the cost of distance in the replay model.
type Penalty struct {
	Rack   float64 `yaml:"rack" min:"1" doc:"Factor on the length of a rack-local map."`
	Remote float64 `yaml:"remote" min:"1" doc:"Factor on the length of a map that reads from another rack."`
}

// DefaultConfig returns on-idle heartbeats and Hadoop's defaults for jobs.
func DefaultConfig() Config {
	return Config{
		Jobs:      JobRules{SlowStart: 0.05, RampUp: 0.5, Preempt: true, PreemptAfter: model.Second},
		Durations: Replay, Locality: Penalty{Rack: 1, Remote: 1},
		Network: defaultNetwork(), Shuffle: defaultShuffle(), Tasks: defaultTasks(), Faults: defaultFaults(),
	}
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
	if c.Locality.Remote < c.Locality.Rack {
		problems = append(problems, model.Problem{Path: "locality.remote", Found: fmt.Sprint(c.Locality.Remote), Allowed: "at least the factor of locality.rack"})
	}
	return append(problems, c.validateDurations()...)
}

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
		if !fitsSome(t, j.Need[k]) {
			field := k.String() + "s"
			if t.Model == model.Yarn {
				field = k.String() + "-memory"
			}
			bad(field, fmt.Sprintf("a %s task that needs %s", k, t.Model.Describe(j.Need[k])), "a task that fits at least one node: "+describeLargest(t))
		}
		if l := j.Lengths(k); l.Mean > maxLength {
			bad(k.String()+"-length", l.Mean.String(), "at most a year")
		} else if len(l.Fixed) > 0 && len(l.Fixed) != int(j.Tasks(k)) {
			bad(k.String()+"-lengths", fmt.Sprintf("%d lengths for %d tasks", len(l.Fixed), j.Tasks(k)), "one length a task")
		}
	}
	return problems
}

// maxLength bounds the mean length of a task, maxDraw a single one, and maxTime the whole run, so that
// times never overflow.
const (
	maxLength = 365 * model.Day
	maxDraw   = 10 * maxLength
	maxTime   = 200 * maxLength
)

func fitsSome(t *model.Topology, need model.Room) bool {
	for i := range t.Classes {
		if t.Classes[i].Room.Fits(need) {
			return true
		}
	}
	return false
}

func describeLargest(t *model.Topology) string {
	s := ""
	for i := range t.Classes {
		if i > 0 {
			s += "; "
		}
		s += t.Classes[i].Name + " has " + t.Model.Describe(t.Classes[i].Room)
	}
	return s
}
