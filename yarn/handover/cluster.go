// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/tune"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Cluster is a cluster whose room YARN's resource manager gives.
type Cluster struct {
	Settings *settings.Scheduler
	Changes  []Change     // of the settings, while jobs run
	Reload   *tune.Reload // how a changed AM share comes to act; nil: at once
	Rules    Rules
	// Speculation is how masters look for tasks to try a second time, if the engine lets them.
	Speculation Speculation
	// Master returns the size of a job's master.
	Master func(*model.Job) queue.Resource
	// Start returns how long the master of a job needs from its container to its registration; nil: no time.
	Start func(*model.Job) model.Time
	// MapsFirst returns how many maps of a job must have ended before its master asks for reduces; nil: as the
	// engine's configuration says.
	MapsFirst func(*model.Job) int32
	// NewMaster returns the master of a job.
	NewMaster func(*model.Job, mapreduce.Work, mapreduce.Tasks) mapreduce.Master
	// Watch, if set, follows containers.
	Watch func(now model.Time, s Step, c *capacity.Container, t model.Task)
}

// NewCluster makes a cluster of the parameters of a scenario's resource manager; nil if they are those of a policy.
func NewCluster(params any, seed uint64) (*Cluster, error) {
	switch c := params.(type) {
	case *Config:
		settings, err := c.Settings()
		if err != nil {
			return nil, err
		}
		y := hosted(&c.Hosting, settings, seed)
		for i, r := range c.Refresh {
			after, err := c.SettingsAfter(i)
			if err != nil {
				return nil, err
			}
			y.Changes = append(y.Changes, Change{At: r.At, Settings: after})
		}
		return y, nil
	case *Fair:
		y := hosted(&c.Hosting, c.Settings(), seed)
		y.Rules.AtOnce = true
		y.Reload = &c.Reload
		return y, nil
	}
	return nil, nil
}

// hosted makes a cluster of settings of its scheduler and what else a scenario says.
func hosted(c *Hosting, settings *settings.Scheduler, seed uint64) *Cluster {
	h := c.Hadoop()
	_, memory := settings.Calculator.(queue.Memory)
	h.Asks.VCores = !memory
	scatter := rng.New(seed, rng.MasterStart)
	return &Cluster{
		Settings: settings, Speculation: h.Speculation,
		Rules:  Rules{NodeBeat: h.NodeBeat, MasterBeat: h.MasterBeat, Stay: c.Stay, Launch: c.Launch, Attempts: h.Attempts},
		Master: func(j *model.Job) queue.Resource { return MasterSize(j, h.Master) },
		Start: func(j *model.Job) model.Time {
			if j.Master.Start > 0 {
				return c.MasterLaunch + j.Master.Start
			}
			l := model.Lengths{Mean: c.Start, Noise: model.LogNormalNoise, CV: c.StartCV}
			sampler := rng.NewSampler(scatter, j.ID, &l)
			return c.MasterLaunch + sampler.Length(0, 0)
		},
		MapsFirst: func(j *model.Job) int32 {
			asks := asksOf(&h.Asks, j)
			return asks.MapsFirst(j.Maps)
		},
		NewMaster: func(j *model.Job, w mapreduce.Work, t mapreduce.Tasks) mapreduce.Master {
			asks := asksOf(&h.Asks, j)
			return mapreduce.NewAppMaster(w, &asks, t)
		},
	}
}

// asksOf returns how the master of a job asks: as the job says, otherwise as all do.
func asksOf(all *mapreduce.AskRules, j *model.Job) mapreduce.AskRules {
	asks := *all
	if share := j.Master.SlowStart; share != nil {
		asks.SlowStart = float32(*share)
	}
	return asks
}
