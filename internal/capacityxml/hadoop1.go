// SPDX-License-Identifier: Apache-2.0

package capacityxml

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

const (
	oldPrefix   = "mapred.capacity-scheduler."
	queuePrefix = oldPrefix + "queue."
	queueNames  = "mapred.queue.names"
)

// queueKeys and globalKeys are what release 0.20.203 reads.
var (
	queueKeys = []string{"capacity", "maximum-capacity", "supports-priority", "minimum-user-limit-percent", "user-limit-factor",
		"maximum-initialized-active-tasks", "maximum-initialized-active-tasks-per-user", "init-accept-jobs-factor"}
	globalKeys = []string{"maximum-system-jobs", "init-poll-interval", "init-worker-threads", "maximum-tasks-per-heartbeat", "maximum-tasks-after-offswitch",
		"default-supports-priority", "default-minimum-user-limit-percent", "default-user-limit-factor",
		"default-maximum-active-tasks-per-queue", "default-maximum-active-tasks-per-user", "default-init-accept-jobs-factor"}
)

// otherReleases names settings that earlier or later releases of Hadoop 1 read and this one does not.
var otherReleases = []string{"guaranteed-capacity", "reclaim-time-limit", "default-reclaim-time-limit", "reclaimCapacity.interval",
	"maximum-initialized-jobs-per-user", "default-maximum-initialized-jobs-per-user", "maximum-map-slots", "maximum-reduce-slots",
	"task.default-pmem-percentage-in-vmem", "task.limit.maxpmem", "task.limit.maxvmem"}

// notModelledOld names settings of Hadoop 1 outside of the scheduler's own that change what it does.
var notModelledOld = map[string]string{
	"mapred.cluster.map.memory.mb":        "slots by memory are not modelled: every task takes one slot",
	"mapred.cluster.reduce.memory.mb":     "slots by memory are not modelled: every task takes one slot",
	"mapred.cluster.max.map.memory.mb":    "slots by memory are not modelled: every task takes one slot",
	"mapred.cluster.max.reduce.memory.mb": "slots by memory are not modelled: every task takes one slot",
	"mapred.acls.enabled":                 "who may submit is not modelled: every job is let in",
}

func (r *reader) readHadoop1() {
	c := &r.f.Config
	c.MaximumSystemJobs = r.integer(oldPrefix+"maximum-system-jobs", 5000, 1, math.MaxInt32, naturalAllowed)
	c.InitPollInterval = r.integer(oldPrefix+"init-poll-interval", 3000, 1, math.MaxInt32, "milliseconds, a whole number above 0")
	c.InitWorkerThreads = r.integer(oldPrefix+"init-worker-threads", 5, 1, math.MaxInt32, naturalAllowed)
	c.MaximumTasksPerHeartbeat = r.integer(oldPrefix+"maximum-tasks-per-heartbeat", 32767, 1, math.MaxInt32, naturalAllowed)
	c.MaximumTasksAfterOffswitch = r.integer(oldPrefix+"maximum-tasks-after-offswitch", 0, 0, math.MaxInt32, "a whole number, at least 0")

	missing := r.queueDefaults()
	names := r.oldNames()
	for _, name := range names {
		c.Queues = append(c.Queues, r.oldQueue(name, missing))
	}
	switch {
	case len(names) == 0 && len(r.errs) == 0:
		r.refuse("", "no queue", "", "at least one queue with "+queuePrefix+"NAME.capacity")
	case len(r.errs) == 0:
		r.checkSum()
	}
	for _, p := range r.f.Properties {
		if !r.used[p.Name] {
			r.warnOld(p.Name, names)
		}
	}
}

func (r *reader) queueDefaults() Queue {
	return Queue{
		SupportsPriority:                     r.boolean(oldPrefix+"default-supports-priority", false),
		MinimumUserLimitPercent:              r.integer(oldPrefix+"default-minimum-user-limit-percent", 100, 1, 100, "a whole percentage from 1 to 100"),
		UserLimitFactor:                      r.number(oldPrefix+"default-user-limit-factor", 1, anyNumber, "a number"),
		MaximumInitializedActiveTasks:        r.integer(oldPrefix+"default-maximum-active-tasks-per-queue", 200000, 1, math.MaxInt32, naturalAllowed),
		MaximumInitializedActiveTasksPerUser: r.integer(oldPrefix+"default-maximum-active-tasks-per-user", 100000, 1, math.MaxInt32, naturalAllowed),
		InitAcceptJobsFactor:                 r.integer(oldPrefix+"default-init-accept-jobs-factor", 10, 1, math.MaxInt32, naturalAllowed),
	}
}

// oldNames returns the names of the queues.
func (r *reader) oldNames() (names []string) {
	if _, ok := r.at[queueNames]; ok {
		return r.list(queueNames)
	}
	for _, p := range r.f.Properties {
		if name, _, ok := cutQueue(p.Name); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// cutQueue takes mapred.capacity-scheduler.queue.NAME.KEY apart.
func cutQueue(property string) (name, key string, ok bool) {
	rest, ok := strings.CutPrefix(property, queuePrefix)
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot <= 0 {
		return "", "", false
	}
	return rest[:dot], rest[dot+1:], true
}

func (r *reader) oldQueue(name string, missing Queue) Queue {
	at := queuePrefix + name + "."
	q := missing
	q.Name = name
	if _, ok := r.at[at+"capacity"]; !ok {
		r.errs = append(r.errs, strict.Error{Pos: r.queuePos(name), Path: at + "capacity", Problem: "missing property", Allowed: percentAllowed + " for every queue"})
	}
	q.Capacity = r.number(at+"capacity", 0, isPercent, percentAllowed)
	q.MaximumCapacity = r.number(at+"maximum-capacity", Unlimited, func(v float64) bool { return v <= 100 }, "a percentage up to 100, or -1 for no limit")
	if q.MaximumCapacity <= 0 {
		q.MaximumCapacity = Unlimited
	} else if q.MaximumCapacity < q.Capacity {
		r.refuse(at+"maximum-capacity", "bad value", fmt.Sprintf("%g, below the capacity %g", q.MaximumCapacity, q.Capacity), "at least the capacity, or -1 for no limit")
	}
	q.SupportsPriority = r.boolean(at+"supports-priority", q.SupportsPriority)
	q.MinimumUserLimitPercent = r.integer(at+"minimum-user-limit-percent", q.MinimumUserLimitPercent, 1, 100, "a whole percentage from 1 to 100")
	q.UserLimitFactor = r.number(at+"user-limit-factor", q.UserLimitFactor, anyNumber, "a number")
	if q.UserLimitFactor <= 0 {
		name := at + "user-limit-factor"
		if r.at[name] == nil {
			name = oldPrefix + "default-user-limit-factor"
		}
		r.warn(name, fmt.Sprintf("%g stops every user of the queue %s", q.UserLimitFactor, q.Name), "")
	}
	q.MaximumInitializedActiveTasks = r.integer(at+"maximum-initialized-active-tasks", q.MaximumInitializedActiveTasks, 1, math.MaxInt32, naturalAllowed)
	q.MaximumInitializedActiveTasksPerUser = r.integer(at+"maximum-initialized-active-tasks-per-user", q.MaximumInitializedActiveTasksPerUser, 1, math.MaxInt32, naturalAllowed)
	if q.MaximumInitializedActiveTasksPerUser > q.MaximumInitializedActiveTasks {
		name := at + "maximum-initialized-active-tasks-per-user"
		if r.at[name] == nil {
			name = at + "maximum-initialized-active-tasks"
		}
		r.refuse(name, "bad value", fmt.Sprintf("%d tasks per user, %d per queue", q.MaximumInitializedActiveTasksPerUser, q.MaximumInitializedActiveTasks), "at most as many per user as per queue")
	}
	q.InitAcceptJobsFactor = r.integer(at+"init-accept-jobs-factor", q.InitAcceptJobsFactor, 1, math.MaxInt32, naturalAllowed)
	return q
}

// queuePos returns the first property of a queue, or the list of names.
func (r *reader) queuePos(name string) strict.Pos {
	for _, p := range r.f.Properties {
		if q, _, ok := cutQueue(p.Name); ok && q == name {
			return r.pos(p.Name)
		}
	}
	return r.pos(queueNames)
}

// checkSum refuses what the release does: the sum of the capacities, added up as 32-bit numbers and
// rounded down, must be 100.
func (r *reader) checkSum() {
	sum, last := float32(0), ""
	for _, q := range r.f.Config.Queues {
		sum += float32(q.Capacity)
		last = queuePrefix + q.Name + ".capacity"
	}
	if math.Floor(float64(sum)) != 100 {
		r.refuse(last, "bad sum of capacities", fmt.Sprintf("%.6g %% over %d queues", sum, len(r.f.Config.Queues)), "100, or less than 1 more")
	}
}

// warnOld says why a property that nobody read has no effect.
func (r *reader) warnOld(property string, names []string) {
	if text, ok := notModelledOld[property]; ok {
		r.warn(property, text, "")
		return
	}
	if name, key, ok := cutQueue(property); ok {
		switch {
		case slices.Contains(otherReleases, key):
			r.warn(property, "a setting of another release, which this one does not read", "")
		case !slices.Contains(queueKeys, key):
			r.warn(property, "unknown property, which has no effect", near(queuePrefix+name+".", key, queueKeys))
		default:
			r.warn(property, fmt.Sprintf("queue %q is not in %s, so this has no effect", name, queueNames), near(queuePrefix, name, names))
		}
		return
	}
	key, ok := strings.CutPrefix(property, oldPrefix)
	switch {
	case slices.Contains(otherReleases, key):
		r.warn(property, "a setting of another release, which this one does not read", "")
	case ok:
		r.warn(property, "unknown property, which has no effect", near(oldPrefix, key, globalKeys))
	default:
		all := []string{queueNames}
		for _, k := range globalKeys {
			all = append(all, oldPrefix+k)
		}
		r.warn(property, "unknown property, which has no effect", strict.Nearest(property, all))
	}
}

// near returns the known name that was probably meant, with its prefix.
func near(prefix, key string, known []string) string {
	if n := strict.Nearest(key, known); n != "" {
		return prefix + n
	}
	return ""
}
