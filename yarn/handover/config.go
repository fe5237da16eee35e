// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Config is a YARN cluster under the Capacity Scheduler as a scenario describes it.
type Config struct {
	Hosting `yaml:",inline"`
	Refresh []Refresh `yaml:"refresh,omitempty" doc:"Changes of properties while jobs run, as yarn rmadmin -refreshQueues brings them."`
}

// Hosting is Hadoop's own properties, and what no property says.
type Hosting struct {
	Properties   map[string]string `yaml:"properties" doc:"Hadoop's properties by name, as yarn-site.xml, capacity-scheduler.xml and mapred-site.xml give them."`
	MasterLaunch model.Time        `yaml:"am-launch" min:"0" doc:"From the container of an application master to the start of its process."`
	Start        model.Time        `yaml:"am-start-up" min:"0" doc:"From the start of a master's process to its first request, of jobs whose history does not say: registration, job set-up."`
	StartCV      float64           `yaml:"am-start-up-cv" min:"0" max:"10" doc:"How the start-up of masters scatters: coefficient of variation, lognormal."`
	Stay         model.Time        `yaml:"am-stay" min:"0" doc:"How long a master keeps its container after the job has ended."`
	Launch       model.Time        `yaml:"launch" min:"0" doc:"From a master's decision about a container to the first work of the task in it: localisation, process start."`
}

// Refresh is a change of the scheduler's properties at a time.
type Refresh struct {
	At         model.Time        `yaml:"at" min:"0" doc:"When the change acts."`
	Properties map[string]string `yaml:"properties" doc:"Properties that get another value; the others stay."`
}

// DefaultConfig returns a cluster without queues.
func DefaultConfig() Config { return Config{Hosting: defaultHosting()} }

// defaultHosting returns Hadoop's defaults. It has no constants for starts of processes; a master waits for five seconds
// before it ends.
func defaultHosting() Hosting {
	return Hosting{MasterLaunch: model.Second, Start: 4 * model.Second, Stay: 5 * model.Second, Launch: model.Second}
}

// Validate implements the check of parameters: a configuration that the release refuses is refused with its reasons.
func (c *Config) Validate() (problems []model.Problem) {
	if len(c.Properties) == 0 {
		return nil // a command may give them
	}
	_, err := c.Settings()
	problems = append(Refused("", err), c.check()...)
	for i := range c.Refresh {
		if len(problems) > 0 {
			break // a refresh changes what is there
		}
		_, err := c.SettingsAfter(i)
		problems = Refused(fmt.Sprintf("refresh[%d].", i), err)
	}
	return problems
}

// Refused returns why the release refuses properties, which stand below prefix: the faults of an error of the
// settings.
func Refused(prefix string, err error) (problems []model.Problem) {
	var fault *settings.Fault
	switch {
	case errors.As(err, &fault):
		for _, f := range fault.All() {
			problems = append(problems, refusal(prefix, f.Property, f.Found, "what YARN takes: "+f.Text))
		}
	case err != nil:
		problems = []model.Problem{{Path: prefix + "properties", Found: err.Error(), Allowed: "what YARN takes"}}
	}
	return problems
}

// refusal is a fault of one property.
func refusal(prefix, name, found, allowed string) model.Problem {
	return model.Problem{Path: prefix + propertyPath(name), Found: fmt.Sprintf("%q", found), Allowed: allowed}
}

// propertyPath is where a property stands in the parameters.
func propertyPath(name string) string { return fmt.Sprintf("properties[%q]", name) }

// Locate returns a problem as the fault of what it is about: of a property where that was set. Of one that was not set at
// knows no place, and of a problem with anything else nothing is known.
func Locate(p model.Problem, at func(property string) strict.Pos) strict.Error {
	quoted, ok := strings.CutPrefix(p.Path, "properties[")
	name, err := strconv.Unquote(strings.TrimSuffix(quoted, "]"))
	if !ok || err != nil {
		return strict.Error{Path: p.Path, Problem: "impossible value", Found: p.Found, Allowed: p.Allowed}
	}
	return strict.Error{Pos: at(name), Path: name, Problem: "impossible value", Found: p.Found, Allowed: p.Allowed}
}

// check returns why the properties cannot be used beside the scheduler's settings.
func (h *Hosting) check() []model.Problem {
	r := reader{Properties: h.Properties}
	r.all()
	return r.problems
}

// Settings returns the settings of the scheduler.
func (c *Config) Settings() (*settings.Scheduler, error) {
	if len(c.Properties) == 0 {
		return nil, &strict.InputError{Err: errors.New("yarn-capacity has no queues; allowed: --conf with a folder of Hadoop's files, or its parameter properties, " +
			"such as yarn.scheduler.capacity.root.queues: default and yarn.scheduler.capacity.root.default.capacity: 100")}
	}
	return settings.Read(c.Properties)
}

// SettingsAfter returns the settings after a refresh and those before it in the list.
func (c *Config) SettingsAfter(refresh int) (*settings.Scheduler, error) {
	p := conf.Properties(c.Properties).Clone()
	for _, r := range c.Refresh[:refresh+1] {
		maps.Copy(p, r.Properties)
	}
	return settings.Read(p)
}

// Hadoop is what the properties say beside the scheduler's settings.
type Hadoop struct {
	NodeBeat, MasterBeat model.Time
	Master               queue.Resource
	Asks                 mapreduce.AskRules
	Attempts             int // of a master
	Speculation          Speculation
}

// Speculation is how masters look for tasks to try a second time.
type Speculation struct {
	Kinds            [model.Kinds]bool // which are tried (mapreduce.map.speculative, mapreduce.reduce.speculative)
	Threshold        float64           // standard deviations above the mean (mapreduce.job.speculative.slowtaskthreshold)
	Least            int               // that many at a time are allowed in any case (….minimum-allowed-tasks)
	OfAll, OfRunning float64           // and these shares of the tasks, and of those that run (….speculative-cap-total-tasks, ….speculative-cap-running-tasks)
	Again, After     model.Time        // to the next look: after one in vain, and after a second attempt (….retry-after-no-speculate, ….retry-after-speculate)
}

// Hadoop reads the properties of a valid configuration.
func (h *Hosting) Hadoop() Hadoop {
	r := reader{Properties: h.Properties}
	return r.all()
}

// reader reads properties and notes what is wrong with them, of each the first fault.
type reader struct {
	conf.Properties
	problems []model.Problem
}

func (r *reader) bad(name, allowed string) {
	p := refusal("", name, r.Or(name, ""), allowed)
	if !slices.ContainsFunc(r.problems, func(q model.Problem) bool { return q.Path == p.Path }) {
		r.problems = append(r.problems, p)
	}
}

func (r *reader) number(name string, missing, least int) int {
	n, ok := r.Int(name, missing)
	if !ok || n < least {
		r.bad(name, fmt.Sprintf("a whole number from %d", least))
	}
	return n
}

func (r *reader) share(name string, missing float32) float32 {
	f, ok := r.Float(name, missing)
	if !ok || !(f >= 0 && f <= 1) { // NaN is neither
		r.bad(name, "a number from 0 to 1")
	}
	return f
}

func (r *reader) float(name string, missing float32) float32 {
	f, ok := r.Float(name, missing)
	if !ok {
		r.bad(name, "a number")
	}
	return f
}

func (r *reader) all() Hadoop {
	millis := func(name string) model.Time { return model.Time(r.number(name, 1000, 1)) * model.Millisecond }
	seconds := func(name string, missing, least int) model.Time {
		return model.Time(r.number(name, missing, least)) * model.Second
	}
	asks := mapreduce.DefaultAskRules()
	asks.SlowStart = r.share("mapreduce.job.reduce.slowstart.completedmaps", asks.SlowStart)
	asks.RampUp = float64(r.share("yarn.app.mapreduce.am.job.reduce.rampup.limit", float32(asks.RampUp)))
	asks.PreemptShare = float64(r.share("yarn.app.mapreduce.am.job.reduce.preemption.limit", float32(asks.PreemptShare)))
	asks.PreemptDelay = seconds("mapreduce.job.reducer.preempt.delay.sec", 0, 0)
	asks.Unconditional = seconds("mapreduce.job.reducer.unconditional-preempt.delay.sec", 300, -1)
	return Hadoop{
		NodeBeat:   millis("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"),
		MasterBeat: millis("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms"),
		Master: queue.Resource{Memory: int64(r.number("yarn.app.mapreduce.am.resource.mb", 1536, 1)),
			VCores: int64(r.number("yarn.app.mapreduce.am.resource.cpu-vcores", 1, 0))},
		Asks: asks,
		Speculation: Speculation{
			Kinds:     [model.Kinds]bool{r.Bool("mapreduce.map.speculative", true), r.Bool("mapreduce.reduce.speculative", true)},
			Threshold: float64(r.float("mapreduce.job.speculative.slowtaskthreshold", 1)),
			Least:     r.number("mapreduce.job.speculative.minimum-allowed-tasks", 10, 0),
			OfAll:     float64(r.share("mapreduce.job.speculative.speculative-cap-total-tasks", 0.01)),
			OfRunning: float64(r.share("mapreduce.job.speculative.speculative-cap-running-tasks", 0.1)),
			Again:     model.Time(r.number("mapreduce.job.speculative.retry-after-no-speculate", 1000, 1)) * model.Millisecond,
			After:     model.Time(r.number("mapreduce.job.speculative.retry-after-speculate", 15000, 1)) * model.Millisecond,
		},
		Attempts: r.number("mapreduce.am.max-attempts", 2, 1),
	}
}

// ValidateOn implements the check of parameters on a cluster and its jobs.
func (c *Config) ValidateOn(t *model.Topology, jobs []model.Job) []model.Problem {
	if t.Model != model.Yarn {
		return []model.Problem{{Found: "a cluster without memory and vcores", Allowed: "cluster.room: yarn"}}
	}
	if len(c.Properties) == 0 {
		return nil // a command may give them
	}
	settings, err := c.Settings()
	if err != nil {
		return nil // Validate says so
	}
	master := c.Hadoop().Master
	return Fits(settings, t, jobs, func(j *model.Job) queue.Resource { return MasterSize(j, master) })
}

// MasterSize returns the size of a job's master: what the job says, otherwise what all have.
func MasterSize(j *model.Job, all queue.Resource) queue.Resource {
	if own := j.Master.Need; own[0] > 0 {
		all.Memory = int64(own[0])
	}
	if own := j.Master.Need; own[1] > 0 {
		all.VCores = int64(own[1])
	}
	return all
}

// Fits returns the faults of a workload on a cluster with these settings: a queue that does not exist, a container
// above the largest that is given. Paths begin with the number of the job.
func Fits(s *settings.Scheduler, t *model.Topology, jobs []model.Job, master func(*model.Job) queue.Resource) (problems []model.Problem) {
	most := queue.Resource{}
	for i := range t.Classes {
		most = most.Most(Resource(t.Classes[i].Room))
	}
	most = most.Least(s.MaxAlloc)
	leaves := s.Leaves()
	for i := range jobs {
		j := &jobs[i]
		bad := func(field, found, allowed string) {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("[%d].%s", i, field), Found: found, Allowed: allowed})
		}
		if _, ok := leaves.Find(j.Queue); !ok {
			bad("queue", fmt.Sprintf("%q", j.Queue), "a queue that takes applications: "+leaves.String())
		}
		if r := master(j); !r.Within(most) {
			bad("master", "an application master of "+describe(r), "at most "+describe(most))
		}
		for k, need := range j.Need {
			if r := Resource(need); j.Tasks(model.Kind(k)) > 0 && !r.Within(most) {
				bad(model.Kind(k).String()+"-memory", "a container of "+describe(r), "at most "+describe(most))
			}
		}
	}
	return problems
}

// AppPriority returns the priority of an application as Hadoop counts it: 5 is very high, 1 very low.
func AppPriority(p model.Priority) int { return int(model.VeryLow-p) + 1 }

// Resource returns room as the scheduler counts it.
func Resource(r model.Room) queue.Resource {
	return queue.Resource{Memory: int64(r[0]), VCores: int64(r[1])}
}

// Room returns what the scheduler counts as room.
func Room(r queue.Resource) model.Room { return model.Room{int32(r.Memory), int32(r.VCores)} }

func describe(r queue.Resource) string { return model.Yarn.Describe(Room(r)) }
