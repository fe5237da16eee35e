// SPDX-License-Identifier: Apache-2.0

package twin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/sls"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Twin is a cluster as scenarios describe it.
type Twin struct {
	Cluster    *cluster.Config
	Kind       rest.Kind
	Properties conf.Properties   // those that the model reads
	Past       []workload.Record // jobs that have ended
	Present    []workload.Record // applications that wait or run, with what they have yet to do
	Masters    advise.Masters    // how they start, as the past tells; no jobs if it does not
	Notes      []string          // what was assumed or left out

	seen int // of the notes, those about the present
}

// Sources are where a twin comes from. Only Cluster is needed.
type Sources struct {
	Cluster *rest.Client
	History *rest.History // ended jobs, from the JobHistoryServer
	Done    string        // or from a folder of history files
	Since   rest.Moment   // jobs that ended earlier are left out; of a History only
	Most    int           // jobs, the newest; of a History only
	Only    []string      // applications; jobs of others are left out; all if empty; of a History only
	Site    conf.Properties
	Alias   *Alias // nil: names stay
}

// Take asks the sources.
func Take(ctx context.Context, from Sources) (*Twin, error) {
	nodes, err := from.Cluster.Nodes(ctx, "NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONING")
	if err != nil {
		return nil, err
	}
	t := &Twin{}
	if err := t.nodes(nodes); err != nil {
		return nil, err
	}
	root, err := t.queues(ctx, from)
	if err != nil {
		return nil, err
	}
	if err := t.past(ctx, from); err != nil {
		return nil, err
	}
	t.Past = t.inQueues(t.Past, root)
	apps, err := from.Cluster.Apps(ctx, rest.Filter{States: rest.Unfinished, Requests: true})
	if err != nil {
		return nil, err
	}
	t.See(apps)
	from.Alias.apply(t)
	return t, nil
}

// See takes the applications that wait or run now, in place of those that it knew.
func (t *Twin) See(apps []rest.App) {
	t.Notes = t.Notes[:len(t.Notes)-t.seen]
	before := len(t.Notes)
	t.Present = t.present(apps)
	t.seen = len(t.Notes) - before
}

func (t *Twin) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// nodes takes the nodes that run, racks and nodes in the order of their names.
func (t *Twin) nodes(nodes []rest.Node) error {
	byRack := map[string][]sls.Node{}
	for i := range nodes {
		n := &nodes[i]
		if n.State != "RUNNING" {
			t.note("node %s is left out: it is %s", n.ID, n.State)
			continue
		}
		byRack[n.Rack] = append(byRack[n.Rack], sls.Node{Name: n.Host, Memory: n.Total.Memory, VCores: int32(n.Total.VCores), Labels: strings.Join(n.Labels, ",")})
	}
	var racks []sls.Rack
	for _, rack := range slices.Sorted(maps.Keys(byRack)) {
		list := byRack[rack]
		slices.SortFunc(list, func(a, b sls.Node) int { return strings.Compare(a.Name, b.Name) })
		for i := 1; i < len(list); i++ {
			if list[i].Name == list[i-1].Name {
				return fmt.Errorf("two NodeManagers on the host %s; allowed: one for each host name", list[i].Name)
			}
		}
		racks = append(racks, sls.Rack{Name: rack, Nodes: list})
	}
	if len(racks) == 0 {
		return errors.New("the cluster has no node that runs")
	}
	t.Cluster = scenario.ClusterOfRacks(racks, model.GiB, 1)
	if problems := t.Cluster.Validate(); len(problems) > 0 {
		return fmt.Errorf("the cluster's nodes: %s: found %s; allowed: %s", problems[0].Path, problems[0].Found, problems[0].Allowed)
	}
	return nil
}

// queues takes the properties that the model reads, of the scheduler and of the ResourceManager.
func (t *Twin) queues(ctx context.Context, from Sources) (root *rest.Queue, err error) {
	scheduler, err := from.Cluster.Scheduler(ctx)
	if err != nil {
		return nil, err
	}
	t.Kind = scheduler.Kind
	site, err := from.Cluster.Site(ctx)
	if err != nil {
		t.note("the ResourceManager does not show its properties (%v): Hadoop's defaults stand for them", err)
	}
	all := site.Clone()
	if all == nil {
		all = conf.Properties{}
	}
	maps.Copy(all, from.Site)
	if t.Kind == rest.Capacity {
		own, err := from.Cluster.Conf(ctx)
		if err != nil {
			t.note("the scheduler does not show its configuration (%v): its queues are taken as they stand", err)
			own = fromTree(scheduler.Root)
		}
		maps.Copy(all, own)
	}
	t.Properties = conf.Properties{}
	for name := range all {
		if e := conf.Find(name); e != nil && e.Missing == "" {
			t.Properties[name] = all.Or(name, "")
		}
	}
	return scheduler.Root, nil
}

// inQueues leaves out jobs of queues that the cluster no longer has.
func (t *Twin) inQueues(records []workload.Record, root *rest.Queue) []workload.Record {
	if t.Kind != rest.Capacity {
		return records
	}
	leaves := map[string]bool{}
	for q := range root.All() {
		if q.Leaf() {
			leaves[q.Path], leaves[q.Path[strings.LastIndex(q.Path, ".")+1:]] = true, true
		}
	}
	return slices.DeleteFunc(records, func(r workload.Record) bool {
		if !leaves[r.Queue] {
			t.note("job %s is left out: the cluster has no queue %q that takes applications", r.Name, r.Queue)
		}
		return !leaves[r.Queue]
	})
}

// fromTree rebuilds the settings of the Capacity Scheduler from what it shows of its queues.
func fromTree(root *rest.Queue) conf.Properties {
	const prefix = "yarn.scheduler.capacity."
	number := func(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.4g", f), ".0") }
	p := conf.Properties{}
	for q := range root.All() {
		set := func(key, value string) { p[prefix+q.Path+"."+key] = value }
		if q != root {
			set("capacity", number(q.Capacity))
			set("maximum-capacity", number(q.MaxCapacity))
		}
		if !q.Leaf() {
			names := make([]string, len(q.Children))
			for i, c := range q.Children {
				names[i] = c.Path[strings.LastIndex(c.Path, ".")+1:]
			}
			set("queues", strings.Join(names, ","))
			continue
		}
		set("maximum-am-resource-percent", number(q.AMShare))
		set("user-limit-factor", number(q.UserLimitFactor))
		set("minimum-user-limit-percent", number(q.UserLimit))
		set("ordering-policy", cmp.Or(q.Order, "fifo"))
	}
	return p
}

// past takes the jobs that have ended.
func (t *Twin) past(ctx context.Context, from Sources) (err error) {
	switch {
	case from.Done != "":
		trace, err := scenario.LoadTrace(from.Done, "", true)
		if err != nil {
			return err
		}
		for _, f := range trace.Repaired {
			t.note("%s: %s", from.Done, f)
		}
		t.Past = trace.Records
	case from.History != nil:
		var log *workload.Log
		if t.Past, log, err = jobsOf(ctx, from); err != nil {
			return err
		}
		for _, f := range append(log.Repaired, log.Faults...) {
			t.note("%s", f)
		}
		t.Notes = append(t.Notes, log.Notes()...)
	}
	if t.Masters, err = advise.MeasureMasters(t.Past); err != nil {
		t.Masters = advise.Masters{}
	}
	return nil
}

// config is YARN's resource manager with what was measured of its masters.
func (t *Twin) config() *handover.Config {
	c := handover.DefaultConfig()
	c.Properties = t.Properties
	if t.Masters.Jobs > 0 {
		c.MasterLaunch, c.Start = t.Masters.Launch, t.Masters.Start
	}
	return &c
}
