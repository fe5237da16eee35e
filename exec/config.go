// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
)

// Config says where the time that tasks take comes from. Its fields are sections of a scenario.
type Config struct {
	Durations string        `yaml:"durations" oneof:"replay,network,resources" doc:"Where the time that a task takes comes from: the workload's lengths (replay); input from afar and shuffle as flows, then the length (network); bytes and cycles that share cores, disks and links (resources)."`
	Locality  Penalty       `yaml:"locality" doc:"What a map pays for reading its block from afar (durations: replay)."`
	Network   network.Rules `yaml:"network" doc:"How links are shared (durations: network, resources)."`
	Shuffle   ShuffleRules  `yaml:"shuffle" doc:"How reduces fetch what maps made (durations: network, resources)."`
	Tasks     costs.Tasks   `yaml:"tasks" doc:"What tasks cost beside links (durations: resources)."`
}

// DefaultConfig returns the replay of the workload's lengths.
func DefaultConfig() Config {
	return Config{Durations: Replay, Locality: Penalty{Rack: 1, Remote: 1}, Network: network.DefaultRules(), Shuffle: defaultShuffle(), Tasks: costs.Default()}
}

// Penalty configures the cost of distance in the replay model.
type Penalty struct {
	Rack   float64 `yaml:"rack" min:"1" doc:"Factor on the length of a rack-local map."`
	Remote float64 `yaml:"remote" min:"1" doc:"Factor on the length of a map that reads from another rack."`
}

// The duration models: where the time that a task takes comes from.
const (
	Replay    = "replay"    // the workload's lengths
	Network   = "network"   // input from afar and shuffle travel as flows, then the length passes
	Resources = "resources" // bytes and cycles share cores, disks and links
)

// ShuffleRules configures how reduces fetch what maps made (durations: network, resources).
type ShuffleRules struct {
	Source  string         `yaml:"source" oneof:"map,node,rack" doc:"What map output is added up by before it travels: nothing (map: every copy is a flow of its own, for small cases), the node that made it, or its rack as a whole (for large clusters: the nodes of a rack count as sending the same)."`
	Copies  int32          `yaml:"parallel-copies" min:"0" doc:"Map outputs that a reduce fetches at a time; 0 means no limit. It decides the weight of a job's flows on a shared link."`
	Release model.Fraction `yaml:"release" min:"0" max:"1" doc:"Share of a job's maps that must have ended before the reduces are told of their output; 0 means that every map is told at once."`
}

func defaultShuffle() ShuffleRules { return ShuffleRules{Source: "node", Copies: 5, Release: 0.05} }

// Validate returns the faults that the types cannot express.
func (c *Config) Validate() (problems []model.Problem) {
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	if c.Locality.Remote < c.Locality.Rack {
		bad("locality.remote", fmt.Sprint(c.Locality.Remote), "at least the factor of locality.rack")
	}
	if c.Durations != Replay && c.Locality != (Penalty{Rack: 1, Remote: 1}) {
		bad("locality", fmt.Sprintf("factors %g and %g with durations: %s", c.Locality.Rack, c.Locality.Remote, c.Durations),
			"factors of 1: distance costs what the links say")
	}
	for _, p := range c.Network.Validate() {
		bad("network."+p.Path, p.Found, p.Allowed)
	}
	return problems
}

// ValidateNetwork returns the faults of the section network on a cluster of the given number of racks.
func (c *Config) ValidateNetwork(racks int) (problems []model.Problem) {
	if c.Network.Circuits == nil {
		return nil
	}
	if c.Durations == Replay {
		problems = append(problems, model.Problem{Path: "network.circuits", Found: "circuits with durations: replay",
			Allowed: "durations: network, or resources: nothing travels when lengths are replayed"})
	}
	for _, p := range c.Network.Circuits.Validate(racks) {
		p.Path = "network." + p.Path
		problems = append(problems, p)
	}
	return problems
}
