// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// changed returns runs in which the settings are different that held the job back.
func changed(s *scenario.Scenario, choice scenario.PolicyChoice, job *metrics.Job, jobs []model.Job) (out []otherwise) {
	h := &heldSettings{s: s, choice: choice, job: job, jobs: jobs}
	counts := func(t model.Time) bool { return t > 0 && 50*t >= job.Elapsed() } // a fiftieth of its life
	for l, t := range job.Limits {
		if counts(t) {
			h.limit = model.Limit(l)
			h.change()
		}
	}
	if starved := job.Blame[metrics.MapsStarved] + job.Blame[metrics.ReducesStarved]; job.Maps > 0 && job.Reduces > 0 && counts(starved) {
		h.slowStart()
	}
	return h.out
}

// heldSettings collects changes of the settings behind a limit.
type heldSettings struct {
	s      *scenario.Scenario
	choice scenario.PolicyChoice
	job    *metrics.Job
	jobs   []model.Job
	limit  model.Limit
	out    []otherwise
}

func (h *heldSettings) add(text string, s *scenario.Scenario, choice scenario.PolicyChoice) {
	h.out = append(h.out, otherwise{change: text, limit: h.limit, about: true, s: s, choice: choice})
}

// with returns the choice with other parameters. Its tuner and its label stay.
func (h *heldSettings) with(params any) scenario.PolicyChoice {
	choice := h.choice
	choice.Params = params
	return choice
}

// change adds what can be changed about a limit.
func (h *heldSettings) change() {
	_, params := h.choice.Entry()
	switch p := params.(type) {
	case *handover.Config:
		h.yarn(p)
	case *handover.Fair:
		h.fair(p)
	case *hadoop1.Params:
		h.hadoop1(p)
	}
	if beat := h.s.Config.Heartbeat.Interval; h.limit == model.LimitHeartbeat && beat != engine.OnIdle && h.choice.Yarn() == nil {
		h.set("heartbeat.interval", model.Time(beat).String(), (model.Time(beat) / 2).String())
	}
	if rules := h.s.Config.Yarn; rules != nil && h.limit == model.LimitAMShare {
		h.set("yarn.am-share", fmt.Sprint(rules.Share), fmt.Sprint(min(2*rules.Share, 1)))
	}
	if h.limit == model.LimitShare && h.job.Goal > 0 {
		h.goal()
	}
}

// set changes a field of the scenario.
func (h *heldSettings) set(path, old, value string) {
	if s, err := scenario.Changed(h.s, []strict.Setting{{Path: path, Value: value}}); err == nil {
		h.add(fmt.Sprintf("%s %s -> %s", path, old, value), s, h.choice)
	}
}

// goal gives the job half of the time.
func (h *heldSettings) goal() {
	jobs := slices.Clone(h.jobs)
	j := &jobs[h.job.ID]
	old := j.Goal
	j.Goal /= 2
	h.add(fmt.Sprintf("its goal %v -> %v", old, j.Goal), scenario.WithJobs(h.s, func(uint64) []model.Job { return slices.Clone(jobs) }), h.choice)
}

// slowStart lets reduces come earlier or later.
func (h *heldSettings) slowStart() {
	h.limit = model.LimitRoom
	const name = "mapreduce.job.reduce.slowstart.completedmaps"
	if y := h.choice.Yarn(); y != nil {
		h.property(name, conf.Properties(y.Properties).Or(name, "0.05"), other("0.8", "0.05"))
		return
	}
	old := float64(h.s.Config.Jobs.SlowStart)
	h.set("jobs.slow-start", fmt.Sprint(old), other("0.8", "0.05")(old))
}

// other returns the one of two values that is further away.
func other(high, low string) func(float64) string {
	return func(old float64) string {
		if old < 0.5 {
			return high
		}
		return low
	}
}

// hadoop1 changes settings of the policy capacity.
func (h *heldSettings) hadoop1(p *hadoop1.Params) {
	at := slices.IndexFunc(p.Queues, func(q hadoop1.Queue) bool { return q.Name == h.job.Queue })
	try := func(text string, change func(c *hadoop1.Params, q *hadoop1.Queue)) {
		c := *p
		c.Queues = slices.Clone(p.Queues)
		change(&c, &c.Queues[at])
		h.add(text, h.s, h.with(&c))
	}
	switch {
	case at < 0:
	case h.limit == model.LimitInit:
		try(fmt.Sprintf("init-poll-interval %v -> %v", p.InitPollInterval, p.InitPollInterval/2), func(c *hadoop1.Params, _ *hadoop1.Queue) { c.InitPollInterval /= 2 })
	case h.limit == model.LimitQueueMax:
		try(fmt.Sprintf("maximum-capacity of %s %g -> none", h.job.Queue, p.Queues[at].MaximumCapacity), func(_ *hadoop1.Params, q *hadoop1.Queue) { q.MaximumCapacity = -1 })
	case h.limit == model.LimitUser:
		factor := p.DefaultUserLimitFactor
		if own := p.Queues[at].UserLimitFactor; own != nil {
			factor = *own
		}
		double := 2 * factor
		try(fmt.Sprintf("user-limit-factor of %s %g -> %g", h.job.Queue, factor, double), func(_ *hadoop1.Params, q *hadoop1.Queue) { q.UserLimitFactor = &double })
	}
}

// yarn changes properties of YARN's Capacity Scheduler.
func (h *heldSettings) yarn(c *handover.Config) {
	settings, err := c.Settings()
	if err != nil {
		return
	}
	path, _ := settings.Leaves().Find(h.job.Queue)
	const prefix = "yarn.scheduler.capacity."
	double := func(most float64) func(float64) string {
		return func(old float64) string { return strconv.FormatFloat(min(2*old, most), 'g', 6, 64) }
	}
	to := func(value string) func(float64) string { return func(float64) string { return value } }
	p := conf.Properties(c.Properties)
	general := func(name, missing string) string { return p.Or(prefix+name, missing) }
	queue := func(path, name, missing string, to func(float64) string) {
		h.property(prefix+path+"."+name, p.Or(prefix+path+"."+name, missing), to)
	}
	masters := func() {
		queue(path, "maximum-am-resource-percent", general("maximum-am-resource-percent", "0.1"), double(1))
	}
	switch h.limit {
	case model.LimitUser:
		queue(path, "user-limit-factor", general("user-limit-factor", "1"), double(100))
		queue(path, "minimum-user-limit-percent", general("minimum-user-limit-percent", "100"), to("100"))
	case model.LimitQueueMax:
		queue(path, "maximum-capacity", "100", to("100"))
	case model.LimitParentMax:
		for at := strings.LastIndexByte(path, '.'); at > len("root"); at = strings.LastIndexByte(path[:at], '.') {
			queue(path[:at], "maximum-capacity", "100", to("100"))
		}
	case model.LimitAMShare:
		masters()
	case model.LimitUserAMShare:
		masters()
		queue(path, "user-limit-factor", general("user-limit-factor", "1"), double(100))
	case model.LimitHeartbeat:
		name := "per-node-heartbeat.maximum-offswitch-assignments"
		h.property(prefix+name, general(name, "1"), to("10"))
	case model.LimitLocality:
		h.property(prefix+"node-locality-delay", general("node-locality-delay", "40"), to("0"))
	case model.LimitInit:
		queue(path, "max-parallel-apps", "2147483647", to("2147483647"))
	}
}

// fair changes settings of YARN's Fair Scheduler.
func (h *heldSettings) fair(f *handover.Fair) {
	more := *f
	more.Share = min(2*f.Share, 1)
	if h.limit == model.LimitAMShare && more.Share > f.Share { // -1 is all already
		h.add(fmt.Sprintf("max-am-share %g -> %g", f.Share, more.Share), h.s, h.with(&more))
	}
}

// property changes a property of YARN, unless it has the value already or the release refuses it.
func (h *heldSettings) property(name, old string, to func(float64) string) {
	number, ok := conf.ParseFloat(old, 64)
	if !ok {
		return
	}
	value := to(number)
	properties := map[string]string{}
	maps.Copy(properties, h.choice.Yarn().Properties)
	properties[name] = value
	_, params := h.choice.Entry()
	switch p := params.(type) {
	case *handover.Config:
		c := *p
		c.Properties, params = properties, &c
	case *handover.Fair:
		f := *p
		f.Properties, params = properties, &f
	}
	if choice := h.with(params); value != old && len(choice.Problems()) == 0 {
		h.add(fmt.Sprintf("%s %s -> %s", name, old, value), h.s, choice)
	}
}
