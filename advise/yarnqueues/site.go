// SPDX-License-Identifier: Apache-2.0

package yarnqueues

import (
	"fmt"
	"maps"
	"slices"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/handover"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

const prefix = "yarn.scheduler.capacity."

// Site is a configuration on the cluster and the workload of a scenario.
type Site struct {
	Conf     *advise.YarnSite
	Scenario *scenario.Scenario
	Settings *settings.Scheduler
	config   *handover.Config
	master   queue.Resource // of jobs that do not say theirs
}

// New puts a configuration on a scenario. It fails if the release refuses the one, or cannot run the other.
func New(s *scenario.Scenario, y *advise.YarnSite) (*Site, error) {
	choices, err := advise.YarnChoices(s, []*advise.YarnSite{y})
	if err != nil {
		return nil, err
	}
	config := choices[0].Params.(*handover.Config)
	settings, err := config.Settings()
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	return &Site{Conf: y, Scenario: s, Settings: settings, config: config, master: config.Hadoop().Master}, nil
}

// Choice returns the scheduler as it is configured.
func (s *Site) Choice() scenario.PolicyChoice { return s.choice(s.config, s.Conf.Label) }

// choice returns the scheduler with another configuration. The tuner of the scenario stays.
func (s *Site) choice(c *handover.Config, label string) scenario.PolicyChoice {
	choice := s.Conf.Choice(s.Scenario)
	choice.Params, choice.As = c, label
	return choice
}

// with returns the configuration with other properties, or why the release refuses it.
func (s *Site) with(properties map[string]string) (*handover.Config, error) {
	c := *s.config
	c.Properties = conf.Properties(s.config.Properties).Clone()
	maps.Copy(c.Properties, properties)
	_, err := c.Settings()
	return &c, err
}

// edits lists what differs, by name.
func (s *Site) edits(properties map[string]string) (list []capacityxml.Change) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if old := conf.Properties(s.config.Properties).Or(name, ""); old != properties[name] {
			list = append(list, capacityxml.Change{Property: name, Old: old, New: properties[name]})
		}
	}
	return list
}

// of returns a setting of a queue, or the general one.
func (s *Site) of(path, name, missing string) string {
	p := conf.Properties(s.config.Properties)
	return p.Or(prefix+path+"."+name, p.Or(prefix+name, missing))
}

// leafOf returns the settings of the leaf that a job names.
func (s *Site) leafOf(j *model.Job) *settings.Queue {
	path, _ := s.Settings.Leaves().Find(j.Queue)
	for i := range s.Settings.Queues {
		if s.Settings.Queues[i].Path == path {
			return &s.Settings.Queues[i]
		}
	}
	panic(fmt.Sprintf("yarnqueues: no queue %q", j.Queue))
}

// masterOf returns the size of a job's master.
func (s *Site) masterOf(j *model.Job) queue.Resource { return handover.MasterSize(j, s.master) }
