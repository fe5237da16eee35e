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

func TestValidateOn(t *testing.T) {
	topology := &model.Topology{Model: model.Yarn, Classes: []model.NodeClass{{Name: "worker", Room: model.Room{8192, 8}}}, Nodes: make([]model.Node, 2)}
	for _, c := range []struct {
		why    string
		change func(*Config, *model.Topology)
		want   []string
	}{
		{"the defaults", func(*Config, *model.Topology) {}, nil},
		{"no section", func(c *Config, _ *model.Topology) { c.Yarn = nil }, nil},
		{"slots", func(_ *Config, t *model.Topology) { t.Model = model.Slots }, []string{"yarn"}},
		{"set-up tasks without slots", func(c *Config, _ *model.Topology) { c.Jobs.SetUp = 1 }, []string{"jobs"}},
		{"clean-up tasks on slots", func(c *Config, t *model.Topology) { c.Jobs.CleanUp, t.Model, c.Yarn = 1, model.Slots, nil }, nil},
		{"clean-up tasks on nodes that are lost", func(c *Config, t *model.Topology) {
			c.Jobs.CleanUp, t.Model, c.Yarn, c.Faults.MeanUptime = 1, model.Slots, nil, model.Hour
		}, []string{"jobs"}},
		{"nodes that are lost", func(c *Config, _ *model.Topology) { c.Faults.MeanUptime = model.Hour }, []string{"yarn"}},
		{"a tuner that sees no load", func(c *Config, _ *model.Topology) { c.Yarn.Tuner = tuner("cbt", nil) }, []string{"yarn.tuner"}},
		{"a share below one master", func(c *Config, _ *model.Topology) { c.Yarn.Share = 0.1 }, []string{"yarn.am-share"}},
	} {
		config, own := DefaultConfig(), *topology
		config.Yarn = &rm.Rules{}
		config.Yarn.SetDefaults()
		c.change(&config, &own)
		if got := paths(config.ValidateOn(&own)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
