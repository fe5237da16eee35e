// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"fmt"
	"path/filepath"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// YarnSite is the configuration of a YARN cluster: a folder of Hadoop's files, or a single one.
type YarnSite struct {
	*conf.Site
	Path   string            // of the folder or file
	Label  string            // its name in results
	Hashes map[string]string // of the files that were read
	Sizes  []string          // which nodes of the scenario that it was chosen for have others than it gives them
}

// LoadYarn reads configurations.
func LoadYarn(paths ...string) ([]*YarnSite, error) {
	var sites []*YarnSite
	labels := map[string]bool{}
	for _, path := range paths {
		y := &YarnSite{Hashes: map[string]string{}}
		site, err := conf.ReadSite(func(file string) ([]byte, error) {
			src, err := scenario.ReadInput(file)
			if err == nil {
				y.Hashes[file] = result.Hash(src)
			}
			return src, err
		}, path)
		if err != nil {
			return nil, &strict.InputError{Err: err}
		}
		y.Site, y.Path, y.Label = site, path, yarnLabel(path)
		if labels[y.Label] {
			return nil, &strict.InputError{Err: fmt.Errorf("--conf %s: its name in results is %q like that of another; allowed: folders of different names", path, y.Label)}
		}
		labels[y.Label] = true
		sites = append(sites, y)
	}
	return sites, nil
}

// yarnLabel names results after the last part of a path.
func yarnLabel(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return scenario.Label(filepath.Base(path))
}

// read returns the properties of the configuration without those that nobody reads.
func (y *YarnSite) read() conf.Properties {
	p := conf.Properties{}
	for name := range y.Properties {
		if e := conf.Find(name); e != nil && e.Missing == "" {
			p[name] = y.Or(name, "")
		}
	}
	return p
}

// Choice returns YARN's resource manager with the configuration, and what the scenario says of it beside that: the times of
// masters, and who changes the AM share. Properties that nobody reads are left out.
func (y *YarnSite) Choice(s *scenario.Scenario) scenario.PolicyChoice {
	c := handover.DefaultConfig()
	if own, ok := s.Policy.Params.(*handover.Config); ok {
		c = *own
	}
	c.Properties = y.read()
	choice := scenario.Named("yarn-capacity", &c)
	choice.As, choice.Tuner = y.Label, s.Policy.Tuner
	return choice
}

// YarnChoices returns the resource manager with each configuration, after a check that it can run the scenario.
func YarnChoices(s *scenario.Scenario, sites []*YarnSite) ([]scenario.PolicyChoice, error) {
	var choices []scenario.PolicyChoice
	var errs strict.Errors
	for _, y := range sites {
		choice := y.Choice(s)
		at := func(problems []model.Problem) (errs strict.Errors) {
			for _, p := range problems {
				e := handover.Locate(p, y.At)
				if e.File == "" {
					e = choice.Refusal(p)
				}
				errs = append(errs, e)
			}
			return errs
		}
		errs = append(errs, choice.FaultsOn(s, at)...)
		y.compareSizes(&s.Cluster)
		choices = append(choices, choice)
	}
	if len(errs) > 0 {
		return nil, &strict.InputError{Err: errs}
	}
	return choices, nil
}

// At returns where a property was set, of one that was not the configuration as a whole.
func (y *YarnSite) At(property string) strict.Pos {
	if at := y.Site.At(property); at.File != "" {
		return at
	}
	return strict.Pos{File: y.Path}
}

// Settings returns what the configuration says about a scenario beside its scheduler: the sizes of containers of
// jobs that do not say theirs.
func (y *YarnSite) Settings() []strict.Setting {
	var out []strict.Setting
	for _, p := range []struct{ name, path, unit string }{
		{"mapreduce.map.memory.mb", "workload.needs.map-memory", "MiB"}, {"mapreduce.reduce.memory.mb", "workload.needs.reduce-memory", "MiB"},
		{"mapreduce.map.cpu.vcores", "workload.needs.map-vcores", ""}, {"mapreduce.reduce.cpu.vcores", "workload.needs.reduce-vcores", ""},
	} {
		missing := 1
		if p.unit != "" {
			missing = 1024
		}
		n, ok := y.Int(p.name, missing)
		if !ok || n <= 0 { // -1: as the size of the heap says, or this
			n = missing
		}
		out = append(out, strict.Setting{Path: p.path, Value: fmt.Sprint(n, p.unit)})
	}
	return out
}

// Node returns the memory and the vcores that the configuration gives a node.
func (y *YarnSite) Node() (model.Bytes, int32) {
	memory, _ := y.Int("yarn.nodemanager.resource.memory-mb", 8192)
	vcores, _ := y.Int("yarn.nodemanager.resource.cpu-vcores", 8)
	return model.Bytes(max(memory, 1)) * model.MiB, int32(max(vcores, 1))
}

// NodeSettings returns a scenario's cluster as a file of nodes gives it. Nodes without a size have that of the
// configuration.
func (y *YarnSite) NodeSettings(file string) ([]strict.Setting, error) {
	memory, vcores := y.Node()
	c, _, err := scenario.ClusterFromNodes(file, false, memory, vcores)
	if err != nil {
		return nil, err
	}
	return []strict.Setting{{Path: "cluster", Value: string(strict.Encode(c).JSON(""))}, {Path: "hdfs.replication", Value: fmt.Sprint(Replicas(c))}}, nil
}

// Replicas returns how many replicas of a block a cluster holds: three, or one on each node if it has fewer.
func Replicas(c *cluster.Config) int { return min(len(c.Nodes), 3) }

// Warnings returns what the configuration says in vain or hardly means, and, once it is chosen for a scenario, which nodes of
// that are of another size than it gives them.
func (y *YarnSite) Warnings() []string {
	list := y.Site.Warnings()
	c := handover.Config{Hosting: handover.Hosting{Properties: y.read()}}
	if settings, err := c.Settings(); err == nil { // what the release refuses is refused with its reason
		list = append(list, settings.Odd()...)
	}
	return append(list, y.Sizes...)
}

// compareSizes says which nodes are of another size than the configuration gives them, if it gives them one.
func (y *YarnSite) compareSizes(c *cluster.Config) {
	y.Sizes = nil
	memory, vcores := y.Node()
	_, given := y.Properties["yarn.nodemanager.resource.memory-mb"]
	_, givenToo := y.Properties["yarn.nodemanager.resource.cpu-vcores"]
	for i := range c.Classes {
		k := &c.Classes[i]
		if given && k.Memory != memory || givenToo && k.VCores != vcores {
			have := "have"
			if k.Nodes == 1 {
				have = "has"
			}
			y.Sizes = append(y.Sizes, fmt.Sprintf("%s of the scenario %s %v and %d vcores each, and %s says %v and %d", digits.Count(k.Nodes, "node"), have, k.Memory, k.VCores, y.Label, memory, vcores))
		}
	}
}
