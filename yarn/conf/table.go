// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Entry is a property that the resource manager or its Capacity Scheduler reads.
type Entry struct {
	Name    string // <q> stands for the path of a queue, <u> for a user, <l> for a label, <k> for another key
	Default string // of release 3.4.1
	Type    string
	Missing string // what its absence changes; empty if it is modelled
}

const (
	cs         = "yarn.scheduler.capacity."
	labels     = "nodes have no labels"
	byPriority = "queues with higher priority take nothing from others for their reservations"
	oneByOne   = "nodes are served one by one, at their heartbeats"
	openTo     = "everybody may submit and administer"
	created    = "queues do not come to be by themselves"
	placed     = "applications go to the queue that they name"
	endless    = "applications have no lifetime"
)

// Table lists every property that is read or known to be left out, by name.
var Table = sorted(scheduler, monitor, mapReduce, nodes)

func sorted(lists ...[]Entry) []Entry {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// scheduler are the properties of the resource manager and its Capacity Scheduler.
var scheduler = []Entry{
	{"yarn.acl.enable", "false", "boolean", openTo},
	{"yarn.cluster.max-application-priority", "0", "whole number", ""},
	{"yarn.node-labels.enabled", "false", "boolean", labels},
	{"yarn.resourcemanager.am.max-attempts", "2", "whole number", ""},
	{"yarn.resourcemanager.scheduler.class", "CapacityScheduler", "class", "it is always the Capacity Scheduler"},
	{"yarn.resourcemanager.scheduler.monitor.enable", "false", "boolean", ""},
	{"yarn.resourcemanager.scheduler.monitor.policies", "ProportionalCapacityPreemptionPolicy", "classes", ""},
	{cs + "<q>.accessible-node-labels", "*", "labels", labels},
	{cs + "<q>.accessible-node-labels.<l>.capacity", "0", "percent", labels},
	{cs + "<q>.accessible-node-labels.<l>.maximum-am-resource-percent", "as the queue", "share", labels},
	{cs + "<q>.accessible-node-labels.<l>.maximum-capacity", "100", "percent", labels},
	{cs + "<q>.acl_administer_queue", "root: *", "users and groups", openTo},
	{cs + "<q>.acl_application_max_priority", "", "list", "priorities are cut by the cluster's maximum alone"},
	{cs + "<q>.acl_submit_applications", "root: *", "users and groups", openTo},
	{cs + "<q>.auto-create-child-queue.enabled", "false", "boolean", created},
	{cs + "<q>.allow-zero-capacity-sum", "false", "boolean", "the capacities of children add up to 100"},
	{cs + "<q>.auto-create-child-queue.fail-on-exceeding-parent-capacity", "false", "boolean", created},
	{cs + "<q>.auto-create-child-queue.management-policy", "", "class", created},
	{cs + "<q>.auto-create-child-queue.max-queues", "1000", "whole number", created},
	{cs + "<q>.auto-queue-creation-v2.enabled", "false", "boolean", created},
	{cs + "<q>.auto-queue-creation-v2.max-queues", "1000", "whole number", created},
	{cs + "<q>.auto-queue-creation-v2.maximum-queue-depth", "2", "whole number", created},
	{cs + "<q>.auto-queue-creation-v2.queue-auto-removal.enable", "true", "boolean", created},
	{cs + "<q>.leaf-queue-template.<k>", "", "as of the queue", created},
	{cs + "<q>.multi-node-sorting-policy", "", "name", oneByOne},
	{cs + "<q>.capacity", "0, root: 100", "percent, weight (2w) or vector", ""},
	{cs + "<q>.default-application-lifetime", "-1", "seconds", endless},
	{cs + "<q>.default-application-priority", "0", "whole number", "an application without a priority has 0"},
	{cs + "<q>.default-node-label-expression", "", "label", labels},
	{cs + "<q>.disable_preemption", "as the parent, root: false", "boolean", ""},
	{cs + "<q>.intra-queue-preemption.disable_preemption", "as the parent, root: false", "boolean", ""},
	{cs + "<q>.max-parallel-apps", "max-parallel-apps", "whole number", ""},
	{cs + "<q>.maximum-allocation-mb", "yarn.scheduler.maximum-allocation-mb", "MB", "the cluster's maximum holds"},
	{cs + "<q>.maximum-allocation-vcores", "yarn.scheduler.maximum-allocation-vcores", "vcores", "the cluster's maximum holds"},
	{cs + "<q>.maximum-am-resource-percent", "maximum-am-resource-percent", "share", ""},
	{cs + "<q>.maximum-application-lifetime", "-1", "seconds", endless},
	{cs + "<q>.maximum-applications", "maximum-applications x share of the cluster", "whole number", ""},
	{cs + "<q>.maximum-capacity", "100", "percent or vector", ""},
	{cs + "<q>.minimum-user-limit-percent", "minimum-user-limit-percent", "percent", ""},
	{cs + "<q>.ordering-policy", "leaf: fifo, parent: utilization", "fifo, fair; utilization, priority-utilization", ""},
	{cs + "<q>.ordering-policy.fair.enable-size-based-weight", "false", "boolean", ""},
	{cs + "<q>.priority", "0", "whole number", ""},
	{cs + "<q>.queues", "", "names", ""},
	{cs + "<q>.state", "RUNNING", "RUNNING or STOPPED", ""},
	{cs + "<q>.user-limit-factor", "user-limit-factor", "factor, -1: no bound", ""},
	{cs + "<q>.user-settings.<u>.weight", "1", "factor", ""},
	{cs + "application.fail-fast", "false", "boolean", "nothing is recovered"},
	{cs + "global-queue-max-application", "", "whole number", ""},
	{cs + "lazy-preemption-enabled", "false", "boolean", "a pre-empted container ends when its wait is over, whoever asks for its room"},
	{cs + "ordering-policy.priority-utilization.underutilized-preemption.enabled", "false", "boolean", byPriority},
	{cs + "ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms", "60000", "milliseconds", byPriority},
	{cs + "ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation", "false", "boolean", byPriority},
	{cs + "legacy-queue-mode.enabled", "true", "boolean", ""},
	{cs + "max-parallel-apps", "2147483647", "whole number", ""},
	{cs + "maximum-am-resource-percent", "0.1", "share", ""},
	{cs + "maximum-applications", "10000", "whole number", ""},
	{cs + "minimum-user-limit-percent", "100", "percent", ""},
	{cs + "multi-node-placement-enabled", "false", "boolean", oneByOne},
	{cs + "node-locality-delay", "40", "opportunities", ""},
	{cs + "per-node-heartbeat.maximum-container-assignments", "100", "containers, -1: no bound", ""},
	{cs + "per-node-heartbeat.maximum-offswitch-assignments", "1", "containers", ""},
	{cs + "per-node-heartbeat.multiple-assignments-enabled", "true", "boolean", ""},
	{cs + "auto-queue-creation-v2.queue-expiration-time", "300", "seconds", created},
	{cs + "mapping-rule-format", "legacy", "legacy or json", placed},
	{cs + "mapping-rule-json", "", "rules", placed},
	{cs + "mapping-rule-json-file", "", "file", placed},
	{cs + "multi-node-sorting.policy.names", "", "names", oneByOne},
	{cs + "queue-mappings", "", "rules", placed},
	{cs + "queue-mappings-override.enable", "false", "boolean", placed},
	{cs + "rack-locality-additional-delay", "-1", "opportunities", ""},
	{cs + "rack-locality-full-reset", "true", "boolean", ""},
	{cs + "reservations-continue-look-all-nodes", "true", "boolean", ""},
	{cs + "resource-calculator", "DefaultResourceCalculator", "Default- or DominantResourceCalculator", ""},
	{cs + "schedule-asynchronously.enable", "false", "boolean", oneByOne},
	{cs + "schedule-asynchronously.maximum-pending-backlogs", "100", "whole number", oneByOne},
	{cs + "schedule-asynchronously.maximum-threads", "1", "whole number", oneByOne},
	{cs + "schedule-asynchronously.scheduling-interval-ms", "5", "milliseconds", oneByOne},
	{cs + "user-limit-factor", "1", "factor, -1: no bound", ""},
	{cs + "user.<u>.max-parallel-apps", "user.max-parallel-apps", "whole number", ""},
	{cs + "user.max-parallel-apps", "2147483647", "whole number", ""},
	{cs + "workflow-priority-mappings-override.enable", "false", "boolean", "an application has the priority that it names"},
	{cs + "workflow-priority-mappings", "", "rules", "an application has the priority that it names"},
	{"yarn.scheduler.maximum-allocation-mb", "8192", "MB", ""},
	{"yarn.scheduler.maximum-allocation-vcores", "4", "vcores", ""},
	{"yarn.scheduler.minimum-allocation-mb", "1024", "MB", ""},
	{"yarn.scheduler.minimum-allocation-vcores", "1", "vcores", ""},
}

// Find returns the entry of a property, nil if there is none.
func Find(name string) *Entry {
	for i := range Table {
		if match(strings.Split(Table[i].Name, "."), strings.Split(name, ".")) {
			return &Table[i]
		}
	}
	return nil
}

// match compares names part by part: <q> stands for root and any parts after it, other parts in brackets for one.
func match(pattern, name []string) bool {
	if len(pattern) == 0 || len(name) == 0 {
		return len(pattern) == len(name)
	}
	switch p := pattern[0]; {
	case p == "<q>":
		if name[0] != "root" {
			return false
		}
		for n := 1; n <= len(name); n++ {
			if match(pattern[1:], name[n:]) {
				return true
			}
		}
		return false
	case strings.HasPrefix(p, "<") || p == name[0]:
		return match(pattern[1:], name[1:])
	}
	return false
}

// Unmodelled returns what the properties set and this model leaves out, by name: the property and what that
// changes. Properties that nobody here reads are left alone.
func (p Properties) Unmodelled() []Entry {
	var out []Entry
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if e := Find(name); e != nil && e.Missing != "" && p.Or(name, "") != e.Default {
			out = append(out, Entry{Name: name, Default: e.Default, Type: e.Type, Missing: e.Missing})
		}
	}
	return out
}

// WriteReference writes the page of all properties.
func WriteReference(w io.Writer) {
	fmt.Fprintln(w, "# Properties of YARN and MapReduce\n\n"+
		"Written by `make docs` from the table in `yarn/conf`. Defaults are those of Hadoop 3.4.1. `<q>` stands for the path of a\n"+
		"queue, `<u>` for a user, `<l>` for a label. A property that is set and not modelled is named by a warning, and so is what acts by default and is not\n"+
		"modelled. How the files are read is said in [yarn.md](yarn.md).\n\n"+
		"| property | default | type | |\n|---|---|---|---|")
	for _, e := range Table {
		modelled := "modelled"
		if release := since[e.Name]; release != "" {
			modelled += ", since " + release
		}
		if e.Missing != "" {
			modelled = "not " + modelled + ": " + e.Missing
		}
		if what := acts[e.Name]; what != "" {
			modelled += "; the default acts: " + what
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", e.Name, strings.ReplaceAll(e.Default, "*", `\*`), e.Type, modelled)
	}
}
