// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

const (
	// Prefix begins the names of the properties of the Capacity Scheduler.
	Prefix   = "yarn.scheduler.capacity."
	dominant = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
	memory   = "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator"
)

// Read makes settings of Hadoop's properties. The error is a *Fault: what the release refuses first, with what it would
// refuse after that.
func Read(p conf.Properties) (*Scheduler, error) {
	r := &reader{refusals: refusals{p: p}, names: slices.Sorted(maps.Keys(p)), out: &Scheduler{}}
	r.findLabels()
	r.bounds()
	r.cluster()
	r.heartbeat()
	r.preemption()
	r.queue("root", -1)
	r.checkMappings()
	if len(r.faults) > 0 {
		first := *r.faults[0]
		first.Later = r.faults[1:]
		return nil, &first
	}
	if fault := r.out.Overbooked(queue.Resource{}); fault != nil {
		fault.Found = r.p[fault.Property]
		return nil, fault
	}
	return r.out, nil
}

// reader makes settings of properties. After a fault it goes on with defaults.
type reader struct {
	refusals
	names []string // of the properties, sorted
	out   *Scheduler

	labels map[string][]string // properties that are shares of labels, by queue
}

// Fault is a setting that the release refuses to start with.
type Fault struct {
	Property string
	Found    string
	Kind     string // of the release's exception
	Text     string // of the release

	Again bool // of a refresh: the settings in force have such a fault too

	Later []*Fault // others in the same properties
}

// All returns the fault and the others in the same properties.
func (f *Fault) All() []*Fault { return append([]*Fault{f}, f.Later...) }

func (f *Fault) Error() string { return f.Kind + ":" + f.Text }

// refusals is what the release refuses of properties.
type refusals struct {
	p      conf.Properties
	faults []*Fault // in the order in which the release meets them
	unsure bool     // a value could not be used, so that what depends on several may only look wrong
}

// refuse notes a value that the release does not take. Of a property the first fault counts.
func (r *refusals) refuse(property, kind, format string, args ...any) {
	r.note(property, kind, fmt.Sprintf(format, args...))
	r.unsure = true
}

// refuseTogether notes values that the release does not take together, if all of them could be read.
func (r *refusals) refuseTogether(property, kind, format string, args ...any) {
	if !r.unsure {
		r.note(property, kind, fmt.Sprintf(format, args...))
	}
}

func (r *refusals) note(property, kind, text string) {
	if !slices.ContainsFunc(r.faults, func(f *Fault) bool { return f.Property == property }) {
		r.faults = append(r.faults, &Fault{Property: property, Found: r.p[property], Kind: kind, Text: text})
	}
}

func (r *reader) float(name string, missing float32) float32 {
	f, ok := r.p.Float(name, missing)
	if !ok {
		r.refuse(name, "NumberFormatException", "For input string: %q", r.p.Or(name, ""))
	}
	return f
}

func (r *reader) int(name string, missing int) int {
	n, ok := r.p.Int(name, missing)
	if !ok {
		r.refuse(name, "NumberFormatException", "For input string: %q", r.p.Or(name, ""))
	}
	return n
}

// cluster reads what holds for all queues.
func (r *reader) cluster() {
	s := r.out
	s.Calculator = queue.Memory{}
	switch c := r.p.Or(Prefix+"resource-calculator", memory); c {
	case dominant:
		s.Calculator = queue.Dominant{}
	case memory:
	default:
		r.refuse(Prefix+"resource-calculator", "ClassNotFoundException", "Class %s not found", c)
	}
	s.Vectors = !r.p.Bool(Prefix+"legacy-queue-mode.enabled", true)
	s.MinAlloc = queue.Resource{Memory: int64(r.int("yarn.scheduler.minimum-allocation-mb", 1024)), VCores: int64(r.int("yarn.scheduler.minimum-allocation-vcores", 1))}
	s.MaxAlloc = queue.Resource{Memory: int64(r.int("yarn.scheduler.maximum-allocation-mb", 8192)), VCores: int64(r.int("yarn.scheduler.maximum-allocation-vcores", 4))}
	s.MaxApps = r.int(Prefix+"maximum-applications", 10000)
	s.QueueMaxApps = r.int(Prefix+"global-queue-max-application", 0)
	s.MaxPriority = r.int("yarn.cluster.max-application-priority", 0)
	s.MaxAttempts = r.int("yarn.resourcemanager.am.max-attempts", 2)
	s.UserParallel = r.int(Prefix+"user.max-parallel-apps", math.MaxInt32)
	s.UserParallels = map[string]int{}
	for _, name := range r.names {
		if user, ok := strings.CutPrefix(name, Prefix+"user."); ok {
			if user, ok = strings.CutSuffix(user, ".max-parallel-apps"); ok {
				s.UserParallels[user] = math.MaxInt32 // where the value is no number, too: nobody looks before the user comes
				if n, ok := r.p.Int(name, math.MaxInt32); ok {
					s.UserParallels[user] = n
				}
			}
		}
	}
}

func (r *reader) heartbeat() {
	s := r.out
	s.NodeDelay = r.int(Prefix+"node-locality-delay", 40)
	s.RackDelay = r.int(Prefix+"rack-locality-additional-delay", -1)
	s.RackFullReset = r.p.Bool(Prefix+"rack-locality-full-reset", true)
	s.OffSwitch = r.int(Prefix+"per-node-heartbeat.maximum-offswitch-assignments", 1)
	if s.OffSwitch < 1 {
		s.OffSwitch = 1
	}
	s.Multiple = r.p.Bool(Prefix+"per-node-heartbeat.multiple-assignments-enabled", true)
	s.MaxAssign = r.int(Prefix+"per-node-heartbeat.maximum-container-assignments", 100)
	s.Reserves = true
	s.ContinueLook = r.p.Bool(Prefix+"reservations-continue-look-all-nodes", true)
}

// queue reads a queue and those below it, and returns its place.
func (r *reader) queue(path string, parent int) int {
	at := len(r.out.Queues)
	key := Prefix + path + "."
	children := r.p.List(key + "queues")
	q := Queue{Path: path, Parent: parent, Leaf: len(children) == 0 && parent >= 0}
	if parent < 0 && len(children) == 0 {
		r.refuseTogether(key+"queues", "IllegalStateException", "Queue configuration missing child queue names for root")
	}
	q.Capacity, q.Maximum = queue.All(queue.Percent, 100), r.maximum(key+"maximum-capacity")
	if parent >= 0 {
		q.Capacity = r.capacity(key + "capacity")
	}
	if q.Maximum.Uniform(queue.Absolute) && !r.out.Vectors && !q.Capacity.Uniform(queue.Absolute) {
		q.Maximum = queue.All(queue.Percent, 100) // amounts do not bound percentages and weights
	}
	r.own(&q, key)
	closed(r, &q, key)
	q.Priority = r.int(key+"priority", 0)
	q.Stopped = r.state(key+"state") || parent >= 0 && r.out.Queues[parent].Stopped
	q.Parallel = r.int(key+"max-parallel-apps", r.int(Prefix+"max-parallel-apps", math.MaxInt32))
	if q.Leaf {
		r.leaf(&q, key)
	} else {
		q.ByPriority = r.byPriority(key + "ordering-policy")
	}
	r.out.Queues = append(r.out.Queues, q)
	places := make([]int, len(children))
	for i, name := range children {
		places[i] = r.queue(path+"."+name, at)
	}
	r.check(&r.out.Queues[at], places)
	return at
}

// state reports whether a queue is stopped.
func (r *reader) state(name string) bool {
	switch state := strings.ToUpper(r.p.Or(name, "RUNNING")); state {
	case "RUNNING", "DRAINING":
	case "STOPPED":
		return true
	default:
		r.refuse(name, "IllegalArgumentException", "No enum constant org.apache.hadoop.yarn.api.records.QueueState.%s", state)
	}
	return false
}

// policies is where the release has the orders of a leaf that may be named by their class.
const policies = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy."

// fair reports whether applications of a leaf are ordered by use.
func (r *reader) fair(name string) bool {
	switch policy := r.p.Or(name, "fifo"); policy {
	case "fair", policies + "FairOrderingPolicy":
		return true
	case "fifo", "fifo-with-partitions", "fifo-for-pending-apps", policies + "FifoOrderingPolicy":
	default:
		r.refuse(name, "ClassNotFoundException", "%s", policy)
	}
	return false
}

// byPriority reports whether queues of a parent are ordered by their priority first.
func (r *reader) byPriority(name string) bool {
	switch policy := r.p.Or(name, "utilization"); policy {
	case "priority-utilization":
		return true
	case "utilization":
	default:
		r.refuse(name, "ClassNotFoundException", "%s", policy)
	}
	return false
}

func (r *reader) leaf(q *Queue, key string) {
	q.Users.Percent = r.float(key+"minimum-user-limit-percent", r.float(Prefix+"minimum-user-limit-percent", 100))
	q.Users.Factor = r.float(key+"user-limit-factor", r.float(Prefix+"user-limit-factor", 1))
	q.MasterShare = r.float(key+"maximum-am-resource-percent", r.float(Prefix+"maximum-am-resource-percent", 0.1))
	q.MaxApps = r.int(key+"maximum-applications", -1)
	q.Fair = r.fair(key + "ordering-policy")
	q.BySize = q.Fair && r.p.Bool(key+"ordering-policy.fair.enable-size-based-weight", false)
	q.Weights = map[string]float32{}
	settings := key + "user-settings."
	for at, _ := slices.BinarySearch(r.names, settings); at < len(r.names) && strings.HasPrefix(r.names[at], settings); at++ {
		name := r.names[at]
		if user, ok := strings.CutSuffix(name[len(settings):], ".weight"); ok {
			w := r.float(name, 1)
			q.Weights[user] = w
			if most := 100 / q.Users.Percent; w < 0 || w > most {
				r.refuseTogether(name, "IOException", "Weight (%s) for user %q must be between 0 and 100 / %s (= %s, the number of concurrent active users in %s)",
					javaFloat(w), user, javaFloat(q.Users.Percent), javaFloat(most), q.Path)
			}
		}
	}
}

// javaFloat prints a number of 32 bits as Java does in the range that percentages have.
func javaFloat(f float32) string {
	text := strconv.FormatFloat(float64(f), 'f', -1, 32)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
