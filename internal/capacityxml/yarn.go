// SPDX-License-Identifier: Apache-2.0

package capacityxml

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

const yarnPrefix = "yarn.scheduler.capacity."

// yarnQueueKeys and yarnGlobalKeys are those that are modelled.
var (
	yarnQueueKeys  = []string{"queues", "capacity", "maximum-capacity", "minimum-user-limit-percent", "user-limit-factor"}
	yarnGlobalKeys = []string{"minimum-user-limit-percent", "user-limit-factor", "maximum-applications",
		"per-node-heartbeat.multiple-assignments-enabled", "per-node-heartbeat.maximum-container-assignments"}
)

// notModelledYARN says of settings, by how their names end, why they have no effect here.
var notModelledYARN = []struct{ key, text string }{
	{"maximum-am-resource-percent", "not modelled: application masters take no room under this policy"},
	{"maximum-applications", "not modelled for a single queue: the limit of the system is shared out by capacity"},
	{"global-queue-max-application", "not modelled"},
	{"max-parallel-apps", "not modelled: as many applications run as other limits allow"},
	{"state", "not modelled: every queue takes jobs"},
	{"acl_submit_applications", "not modelled: every job is let in"},
	{"acl_administer_queue", "not modelled: it has no effect on jobs"},
	{"acl_application_max_priority", "not modelled: all jobs have the same priority"},
	{"maximum-application-lifetime", "not modelled: no job is killed for its age"},
	{"default-application-lifetime", "not modelled: no job is killed for its age"},
	{"ordering-policy", "not modelled: jobs of a queue are served in order of submission, queues by use over capacity"},
	{"ordering-policy.fair.enable-size-based-weight", "not modelled: jobs of a queue are served in order of submission"},
	{"priority", "not modelled: queues have no priority"},
	{"default-application-priority", "not modelled: all jobs have the same priority"},
	{"maximum-allocation-mb", "not modelled: no container is refused for its size"},
	{"maximum-allocation-vcores", "not modelled: no container is refused for its size"},
	{"disable_preemption", "not modelled: nothing is pre-empted"},
	{"weight", "not modelled: users have equal weights"},
	{"resource-calculator", "not modelled: room is counted in slots"},
	{"node-locality-delay", "not modelled: a job never waits for a node of its own rack (rack-wait-factor of a scenario does)"},
	{"rack-locality-additional-delay", "not modelled: jobs wait for local data as in Hadoop 1"},
	{"rack-locality-full-reset", "not modelled: jobs wait for local data as in Hadoop 1"},
	{"per-node-heartbeat.maximum-offswitch-assignments", "not modelled: the first off-switch map ends a heartbeat"},
	{"reservations-continue-look-all-nodes", "not modelled: nothing is reserved"},
	{"lazy-preemption-enabled", "not modelled: nothing is pre-empted"},
	{"queue-mappings", "not modelled: jobs go to the queue that they name"},
	{"queue-mappings-override.enable", "not modelled: jobs go to the queue that they name"},
	{"mapping-rule-format", "not modelled: jobs go to the queue that they name"},
	{"mapping-rule-json", "not modelled: jobs go to the queue that they name"},
	{"workflow-priority-mappings", "not modelled"},
	{"workflow-priority-mappings-override.enable", "not modelled"},
	{"legacy-queue-mode.enabled", "not modelled: queues have one capacity, as in the legacy mode"},
	{"allow-zero-capacity-sum", "not modelled: capacities must add up to 100"},
	{"application.fail-fast", "not modelled"},
	{"default-node-label-expression", "not modelled: nodes have no labels"},
	{"accessible-node-labels", "not modelled: nodes have no labels"},
}

// notModelledGroups are beginnings and middles of names with the same lot.
var notModelledGroups = []struct{ part, text string }{
	{"accessible-node-labels.", "not modelled: nodes have no labels"},
	{"schedule-asynchronously.", "not modelled: nodes are served as they report"},
	{"auto-create-child-queue.", "not modelled: no queue is made on the fly"},
	{"leaf-queue-template.", "not modelled: no queue is made on the fly"},
	{"auto-queue-creation-v2.", "not modelled: no queue is made on the fly"},
	{"intra-queue-preemption.", "not modelled: nothing is pre-empted"},
	{"multi-node-", "not modelled: nodes are served as they report"},
}

// yarnNote is the warning that every file of YARN gets, for what it need not say to be so.
const yarnNote = "settings of YARN run under the rules of Hadoop 1: application masters take no room, jobs do not wait for their nodes (node-locality-delay), nothing is pre-empted"

func (r *reader) readYARN() {
	r.warn("", yarnNote, "")
	c := &r.f.Config
	c.MaximumSystemJobs = r.integer(yarnPrefix+"maximum-applications", 10000, 1, math.MaxInt32, naturalAllowed)
	c.InitPollInterval, c.InitWorkerThreads = 1, math.MaxInt16
	c.MaximumTasksPerHeartbeat = r.integer(yarnPrefix+"per-node-heartbeat.maximum-container-assignments", 100, -1, math.MaxInt32, "a whole number above 0, or -1 for no limit")
	if c.MaximumTasksPerHeartbeat <= 0 {
		c.MaximumTasksPerHeartbeat = 32767
	}
	if !r.boolean(yarnPrefix+"per-node-heartbeat.multiple-assignments-enabled", true) {
		c.MaximumTasksPerHeartbeat = 1
	}
	root := Queue{
		Name: "root", path: "root", Capacity: 100, MaximumCapacity: 100,
		MinimumUserLimitPercent: r.yarnPercent(yarnPrefix+"minimum-user-limit-percent", 100),
		UserLimitFactor:         r.yarnFactor(yarnPrefix+"user-limit-factor", 1),
		// YARN limits neither: an application is admitted by its master's container.
		MaximumInitializedActiveTasks: math.MaxInt32, MaximumInitializedActiveTasksPerUser: math.MaxInt32, InitAcceptJobsFactor: 1,
	}
	r.number(yarnPrefix+"root.capacity", 100, func(v float64) bool { return v == 100 }, "100: the root is the whole cluster")
	r.number(yarnPrefix+"root.maximum-capacity", 100, func(v float64) bool { return v == 100 || v == -1 }, "100: the root is the whole cluster")
	if _, ok := r.at[yarnPrefix+"root.queues"]; !ok {
		r.refuse(yarnPrefix+"root.queues", "missing property", "", "names of queues with commas between them")
	}
	r.children(root)
	if _, ok := r.at[yarnPrefix+"root.queues"]; ok && len(c.Queues) == 0 && len(r.errs) == 0 {
		r.refuse(yarnPrefix+"root.queues", "no queue", "", "names of queues with commas between them")
	}
	for i := range c.Queues {
		if q := &c.Queues[i]; q.UserLimitFactor < 0 { // -1: up to the maximum
			q.UserLimitFactor = 1
			if q.Capacity > 0 {
				q.UserLimitFactor = q.MaximumCapacity / q.Capacity
			}
		}
	}
	for _, p := range r.f.Properties {
		if !r.used[p.Name] {
			r.warnYARN(p.Name)
		}
	}
}

// children reads the queues below parent and appends the leaves.
func (r *reader) children(parent Queue) {
	at := yarnPrefix + parent.path + "."
	names := r.list(at + "queues")
	if len(names) == 0 {
		if parent.path == "root" {
			return
		}
		r.leaf(parent)
		return
	}
	if parent.path != "root" {
		r.warn(at+"queues", "the tree of queues is flattened: limits of "+parent.path+" as a whole are not modelled", "")
	}
	capacities := r.capacities(parent, names)
	for i, name := range names {
		q := parent
		q.Name, q.path = name, parent.path+"."+name
		at := yarnPrefix + q.path + "."
		maximum := r.number(at+"maximum-capacity", 100, func(v float64) bool { return isPercent(v) || v == -1 }, percentAllowed+", or -1 for all")
		if maximum < 0 {
			maximum = 100
		}
		if maximum < capacities[i] && parent.path == "root" {
			r.refuse(at+"maximum-capacity", "bad value", fmt.Sprintf("%g, below the capacity %g", maximum, capacities[i]), "at least the capacity")
		}
		q.Capacity, q.MaximumCapacity = parent.Capacity*capacities[i]/100, parent.MaximumCapacity*maximum/100
		q.MinimumUserLimitPercent = r.yarnPercent(at+"minimum-user-limit-percent", q.MinimumUserLimitPercent)
		q.UserLimitFactor = r.yarnFactor(at+"user-limit-factor", q.UserLimitFactor)
		r.children(q)
	}
}

func (r *reader) leaf(q Queue) {
	if other := r.f.Config.Find(q.Name); other != nil {
		r.refuse(yarnPrefix+q.path+".capacity", "duplicate queue", fmt.Sprintf("%s beside %s", q.path, other.path), "a name of its own for each leaf")
		return
	}
	r.f.Config.Queues = append(r.f.Config.Queues, q)
}

// capacities returns the shares of the children in percent: all percentages that add up to 100, or all
// weights.
func (r *reader) capacities(parent Queue, names []string) []float64 {
	out := make([]float64, len(names))
	sum, weights, bad := 0.0, 0, false
	for i, name := range names {
		property := yarnPrefix + parent.path + "." + name + ".capacity"
		text, ok := r.get(property)
		if !ok {
			continue // YARN: 0
		}
		number, weight := strings.CutSuffix(text, "w")
		if weight {
			weights++
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(number, "%"), 64)
		if err != nil || math.IsInf(v, 0) || !(v >= 0) || !weight && v > 100 {
			bad = true
			r.refuse(property, "bad value", quote(text), percentAllowed+", or a weight such as 2w (absolute resources are not modelled)")
			continue
		}
		out[i], sum = v, sum+v
	}
	last := yarnPrefix + parent.path + "." + names[len(names)-1] + ".capacity"
	if r.at[last] == nil {
		last = yarnPrefix + parent.path + ".queues"
	}
	switch {
	case bad:
	case weights > 0 && weights < len(names):
		r.refuse(last, "mixed capacities", fmt.Sprintf("%d weights for %d queues", weights, len(names)), "all percentages or all weights below "+parent.path)
	case weights > 0 && sum > 0:
		for i := range out {
			out[i] *= 100 / sum
		}
	case math.Abs(sum-100) > 1e-2:
		r.refuse(last, "bad sum of capacities", fmt.Sprintf("%g %% over %d queues", sum, len(names)), "100 below "+parent.path)
	}
	return out
}

// yarnPercent reads a percentage, which YARN also takes with a fraction.
func (r *reader) yarnPercent(name string, missing int) int {
	v := r.number(name, float64(missing), func(v float64) bool { return v > 0 && v <= 100 }, "a percentage above 0, at most 100")
	whole := max(1, int(math.Round(v)))
	if float64(whole) != v {
		r.warn(name, fmt.Sprintf("taken as %d: fractions of a percent are not modelled", whole), "")
	}
	return whole
}

func (r *reader) yarnFactor(name string, missing float64) float64 {
	return r.number(name, missing, func(v float64) bool { return v > 0 || v == -1 }, "a number above 0, or -1 for no limit")
}

// warnYARN says why a property that nobody read has no effect.
func (r *reader) warnYARN(property string) {
	rest, ours := strings.CutPrefix(property, yarnPrefix)
	for _, n := range notModelledYARN {
		if rest == n.key || strings.HasSuffix(rest, "."+n.key) {
			r.warn(property, n.text, "")
			return
		}
	}
	for _, g := range notModelledGroups {
		if strings.HasPrefix(rest, g.part) || strings.Contains(rest, "."+g.part) {
			r.warn(property, g.text, "")
			return
		}
	}
	dot := strings.LastIndexByte(rest, '.')
	switch {
	case !ours:
		r.warn(property, "unknown property, which has no effect", "")
	case strings.HasPrefix(rest, "root.") && slices.Contains(yarnQueueKeys, rest[dot+1:]):
		r.warn(property, fmt.Sprintf("no queue %s is in the list of its parent, so this has no effect", rest[:dot]), r.nearQueue(rest[:dot], rest[dot+1:]))
	case strings.HasPrefix(rest, "root."):
		r.warn(property, "unknown property, which has no effect", near(yarnPrefix+rest[:dot+1], rest[dot+1:], r.yarnKeys(yarnQueueKeys)))
	default:
		r.warn(property, "unknown property, which has no effect", near(yarnPrefix, rest, r.yarnKeys(yarnGlobalKeys)))
	}
}

func (r *reader) nearQueue(path, key string) string {
	var paths []string
	for _, q := range r.f.Config.Queues {
		paths = append(paths, q.path)
	}
	if n := strict.Nearest(path, paths); n != "" {
		return yarnPrefix + n + "." + key
	}
	return ""
}

// yarnKeys adds the names that are known but not modelled.
func (r *reader) yarnKeys(modelled []string) []string {
	all := slices.Clone(modelled)
	for _, n := range notModelledYARN {
		all = append(all, n.key)
	}
	return all
}
