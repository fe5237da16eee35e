// SPDX-License-Identifier: Apache-2.0

package changed

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
)

// hadoop1Of returns the properties of Hadoop 1 that the parameters of its scheduler are. A queue has the settings that hold
// for it, whether they are its own or the default; so a default that no queue takes is not among them. What no file of
// Hadoop 1 has stands there under its name in a scenario.
func hadoop1Of(p *hadoop1.Params) (map[string]string, error) {
	if p.InitPollInterval%model.Millisecond != 0 {
		return nil, fmt.Errorf("init-poll-interval is %v, and %s has whole milliseconds", p.InitPollInterval, FileName)
	}
	if len(p.Queues) == 0 {
		return nil, errors.New("no queue is configured")
	}
	c := capacityxml.Config{MaximumSystemJobs: p.MaximumSystemJobs, InitPollInterval: int(p.InitPollInterval / model.Millisecond), InitWorkerThreads: p.InitWorkerThreads,
		MaximumTasksPerHeartbeat: p.MaximumTasksPerHeartbeat, MaximumTasksAfterOffswitch: p.MaximumTasksAfterOffswitch}
	for i := range p.Queues {
		q := &p.Queues[i]
		s := p.Settings(q)
		one := capacityxml.Queue{Name: q.Name, Capacity: q.Capacity, MaximumCapacity: q.MaximumCapacity, SupportsPriority: s.SupportsPriority,
			MinimumUserLimitPercent: s.MinimumUserLimitPercent, UserLimitFactor: s.UserLimitFactor, MaximumInitializedActiveTasks: s.MaximumActiveTasks,
			MaximumInitializedActiveTasksPerUser: s.MaximumActiveTasksOfUser, InitAcceptJobsFactor: s.InitAcceptJobsFactor}
		if one.MaximumCapacity <= 0 {
			one.MaximumCapacity = capacityxml.Unlimited
		}
		c.Queues = append(c.Queues, one)
	}
	out := c.Hadoop1()
	maps.Copy(out, map[string]string{"rules": p.Rules, "free-reduces": fmt.Sprint(p.FreeReduces), "lend-empty": fmt.Sprint(p.LendEmpty),
		"locality-wait-factor": fmt.Sprint(p.LocalityWaitFactor), "rack-wait-factor": fmt.Sprint(p.RackWaitFactor)})
	return out, nil
}

// says reports whether a file has the settings of Hadoop 1 that were not changed, and notes one of YARN.
func (f *File) says(name string, src []byte) bool {
	read, err := capacityxml.Read(name, src)
	if err != nil {
		return false
	}
	if read.Dialect == capacityxml.YARN {
		f.foreign = name
		return false
	}
	has := read.Config.Hadoop1()
	return !slices.ContainsFunc(slices.Sorted(maps.Keys(has)), func(property string) bool { return f.before[property] != has[property] })
}
