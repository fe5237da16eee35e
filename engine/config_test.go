// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rm"
)

// paths lists where faults were found.
func paths(problems []model.Problem) (list []string) {
	for _, p := range problems {
		list = append(list, p.Path)
	}
	return list
}

func TestIntervalText(t *testing.T) {
	for text, want := range map[string]Interval{"on-idle": OnIdle, "300ms": Interval(300 * model.Millisecond), "1.5s": Interval(1500 * model.Millisecond)} {
		var i Interval
		if err := i.UnmarshalText([]byte(text)); err != nil || i != want || i.String() != text {
			t.Errorf("%q reads as %d (%v) and is written %q", text, i, err, i)
		}
	}
	var i Interval
	if err := i.UnmarshalText([]byte("often")); err == nil {
		t.Error("often is an interval")
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(*Config)
		want   []string
	}{
		{"the defaults", func(*Config) {}, nil},
		{"limits on idle", func(c *Config) { c.Heartbeat.MaxTasks, c.Heartbeat.MaxOffSwitch = 1, 1 }, []string{"heartbeat.max-tasks", "heartbeat.max-off-switch"}},
		{"limits with heartbeats", func(c *Config) { c.Heartbeat = Heartbeat{Interval: Interval(model.Second), MaxMaps: 1} }, nil},
		{"heartbeats without end", func(c *Config) { c.Heartbeat.Interval = 999_999 }, []string{"heartbeat.interval"}},
		{"a rack farther than the rest", func(c *Config) { c.Locality = exec.Penalty{Rack: 2, Remote: 1.5} }, []string{"locality.remote"}},
	} {
		config := DefaultConfig()
		c.change(&config)
		if got := paths(config.Validate()); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestValidateFaults(t *testing.T) {
	c := DefaultConfig()
	last, beyond := int32(1), int32(2)
	c.Faults.Losses = []Loss{{Node: 4}, {Node: 5}, {Rack: &last}, {Rack: &beyond}, {Node: 1, Rack: &last}}
	c.Faults.MeanUptime = 59 * model.Second
	if got := paths(c.ValidateFaults(5, 2)); !slices.Equal(got, []string{"faults.losses[1].node", "faults.losses[3].rack", "faults.losses[4].node", "faults.mean-uptime"}) {
		t.Errorf("faults %q", got)
	}
	if !c.Faults.nodes() || !c.Faults.any() {
		t.Error("nodes are lost and nobody knows")
	}
	if c.Faults.None(); c.Faults.any() || len(c.ValidateFaults(5, 2)) != 0 {
		t.Error("faults are left")
	}
	if c.Faults.Speculation.On = true; c.Faults.nodes() || !c.Faults.any() {
		t.Error("speculation loses no nodes, but attempts")
	}
}

func TestValidateYarn(t *testing.T) {
	topology := &model.Topology{Model: model.Yarn, Classes: []model.NodeClass{{Name: "worker", Room: model.Room{8192, 8}}}, Nodes: make([]model.Node, 2)}
	for _, c := range []struct {
		why    string
		change func(*Config, *model.Topology)
		want   []string
	}{
		{"the defaults", func(*Config, *model.Topology) {}, nil},
		{"no section", func(c *Config, _ *model.Topology) { c.Yarn = nil }, nil},
		{"slots", func(_ *Config, t *model.Topology) { t.Model = model.Slots }, []string{"yarn"}},
		{"nodes that are lost", func(c *Config, _ *model.Topology) { c.Faults.MeanUptime = model.Hour }, []string{"yarn"}},
		{"a tuner that sees no load", func(c *Config, _ *model.Topology) { c.Yarn.Tuner = tuner("cbt", nil) }, []string{"yarn.tuner"}},
		{"a share below one master", func(c *Config, _ *model.Topology) { c.Yarn.Share = 0.1 }, []string{"yarn.am-share"}},
	} {
		config, own := DefaultConfig(), *topology
		config.Yarn = &rm.Rules{}
		config.Yarn.SetDefaults()
		c.change(&config, &own)
		if got := paths(config.ValidateYarn(&own)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestValidateJobs(t *testing.T) {
	topology := &model.Topology{Model: model.Slots, Classes: []model.NodeClass{{Name: "worker", Room: model.Room{2, 1}}}, Nodes: make([]model.Node, 1)}
	for _, c := range []struct {
		why    string
		change func(*model.Job)
		want   []string
	}{
		{"a plain job", func(*model.Job) {}, nil},
		{"after the first", func(j *model.Job) { j.After = 0 }, nil},
		{"after itself", func(j *model.Job) { j.After = 1 }, []string{"[1].after"}},
		{"too many tasks", func(j *model.Job) { j.Maps, j.MapLength = 10_000_001, model.Lengths{} }, []string{"[1].maps"}},
		{"less than no tasks", func(j *model.Job) { j.Reduces = -1 }, []string{"[1].maps"}},
		{"negative output", func(j *model.Job) { j.Output = -1 }, []string{"[1].input"}},
		{"before the start", func(j *model.Job) { j.Submit = -1 }, []string{"[1].submit"}},
		{"a goal in the past", func(j *model.Job) { j.Goal = -1 }, []string{"[1].goal"}},
		{"maps that fit nowhere", func(j *model.Job) { j.Need[model.Map] = model.Room{3, 0} }, []string{"[1].maps"}},
		{"no reduces, whose need does not matter", func(j *model.Job) { j.Need[model.Reduce] = model.Room{0, 2} }, nil},
		{"longer than a year", func(j *model.Job) { j.MapLength = model.Lengths{Mean: 366 * model.Day} }, []string{"[1].map-length"}},
		{"one length for two maps", func(j *model.Job) { j.Maps = 2 }, []string{"[1].map-lengths"}},
	} {
		one := tasks(times(1, 1), nil)
		one.Need = [model.Kinds]model.Room{{1, 0}, {0, 1}}
		jobs := []model.Job{one, one}
		c.change(&jobs[1])
		if got := paths(ValidateJobs(topology, jobs)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
