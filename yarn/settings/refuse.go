// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/queue"
)

// bounds refuses what the release refuses before it looks at queues.
func (r *reader) bounds() {
	const attempts = "yarn.resourcemanager.am.max-attempts"
	if n := r.int(attempts, 2); n <= 0 {
		r.refuse(attempts, "YarnRuntimeException", "Invalid rm am max attempts configuration, %s=%d, it should be a positive integer.", attempts, n)
	}
	for _, b := range []struct {
		what, unit  string
		least, most int
	}{{"memory", "mb", 1024, 8192}, {"vcores", "vcores", 1, 4}} {
		low, high := "yarn.scheduler.minimum-allocation-"+b.unit, "yarn.scheduler.maximum-allocation-"+b.unit
		if least, most := r.int(low, b.least), r.int(high, b.most); least <= 0 || most < least {
			r.refuseTogether(low, "YarnRuntimeException", "Invalid resource scheduler %s allocation configuration, %s=%d, %s=%d, min and max should be greater than 0, max should be no smaller than min.",
				b.what, low, least, high, most)
		}
	}
}

// own refuses what the release refuses of one queue by itself.
func (r *reader) own(q *Queue, key string) {
	most := queue.Resource{
		Memory: int64(r.int(key+"maximum-allocation-mb", r.int("yarn.scheduler.maximum-allocation-mb", 8192))),
		VCores: int64(r.int(key+"maximum-allocation-vcores", r.int("yarn.scheduler.maximum-allocation-vcores", 4)))}
	if all := r.out.MaxAlloc; most.Memory > all.Memory || most.VCores > all.VCores {
		r.refuseTogether(key+"maximum-allocation-mb", "IllegalArgumentException",
			"Queue maximum allocation cannot be larger than the cluster setting for queue %s max allocation per queue: %s cluster setting: %s", q.Path, javaResource(most), javaResource(all))
	}
	life, own := r.int(key+"maximum-application-lifetime", -1), r.int(key+"default-application-lifetime", -1)
	if life > 0 && own > life {
		r.refuseTogether(key+"default-application-lifetime", "YarnRuntimeException", "Default lifetime %d can't exceed maximum lifetime %d", own, life)
	}
	r.int(key+"default-application-priority", 0)
	if q.Parent >= 0 && r.out.Queues[q.Parent].Stopped && strings.EqualFold(r.p.Or(key+"state", ""), "RUNNING") {
		r.refuseTogether(key+"state", "IllegalArgumentException", "The parent queue:%s cannot be STOPPED as the child queue:%s is in RUNNING state.", r.out.Queues[q.Parent].Path, q.Path)
	}
}

// precision is how far the capacities of siblings may be from 100 %.
const precision = 0.0005

// check refuses children that the release refuses. It looks at a queue after those below it.
func (r *reader) check(parent *Queue, children []int) {
	if parent.Leaf || r.out.Vectors {
		return
	}
	var sum float32
	var modes []queue.Unit // of children that name a share
	for _, at := range children {
		c := &r.out.Queues[at]
		if c.Capacity != queue.All(queue.Percent, 0) && !slices.Contains(modes, c.Capacity.Memory.Unit) {
			modes = append(modes, c.Capacity.Memory.Unit)
		}
		sum += c.Capacity.Fraction()
	}
	switch {
	case len(modes) > 1:
		r.refuseTogether(Prefix+parent.Path+".queues", "IOException", "Parent queue '%s' have children queue used mixed of weight mode, percentage and absolute mode, it is not allowed, please double check, details:%s", parent.Path, r.modes(children))
	case len(modes) == 0 || modes[0] == queue.Percent:
		r.checkShares(parent, "", parent.Capacity == queue.All(queue.Percent, 0), sum)
	}
	r.checkLabels(parent, children)
}

// checkShares refuses percentages of children that are not all of their parent, or something of a parent that has
// nothing.
func (r *reader) checkShares(parent *Queue, label string, nothing bool, sum float32) {
	name := parent.Path[strings.LastIndexByte(parent.Path, '.')+1:]
	refuse := func(why string) {
		r.refuseTogether(Prefix+parent.Path+".queues", "IOException", "Illegal capacity sum of %s for children of queue %s for label=%s. %s", javaFloat(sum), name, label, why)
	}
	switch {
	case nothing:
		if sum != 0 {
			refuse(fmt.Sprintf("queue=%s has zero capacity, but childqueues have positive capacities", name))
		}
	case sum == 0:
		if !r.p.Bool(Prefix+parent.Path+".allow-zero-capacity-sum", false) {
			refuse("It is set to 0, but parent percent != 0, and doesn't allow children capacity to set to 0")
		}
	case math.Abs(float64(sum)-1) > precision:
		refuse("It should be either 0 or 1.0")
	}
}

const onLabel = ".accessible-node-labels."

// ofLabel returns the queue and the label of a property that is a share of the nodes of a label; none of any other.
func ofLabel(name string) (path, label string) {
	path, label, ok := strings.Cut(strings.TrimPrefix(name, Prefix), onLabel)
	label, is := strings.CutSuffix(label, ".capacity")
	if !ok || !is {
		return "", ""
	}
	return path, label
}

// findLabels lists, for each queue, its shares of the nodes of a label.
func (r *reader) findLabels() {
	r.labels = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(r.p)) {
		if path, label := ofLabel(name); label != "" {
			r.labels[path] = append(r.labels[path], name)
		}
	}
}

// checkLabels refuses percentages of children on the nodes of a label, as those on other nodes. Of the root every label
// is whole.
func (r *reader) checkLabels(parent *Queue, children []int) {
	sums := map[string]float32{}
	for _, at := range children {
		for _, name := range r.labels[r.out.Queues[at].Path] {
			text, _ := r.p.Text(name)
			if !isVector(text) && !strings.HasSuffix(text, "w") {
				_, label := ofLabel(name)
				sums[label] += r.number(name, text) / 100
			}
		}
	}
	for _, label := range slices.Sorted(maps.Keys(sums)) {
		whole := float32(1)
		if parent.Parent >= 0 {
			whole, _ = r.p.Float(Prefix+parent.Path+onLabel+label+".capacity", 0)
		}
		r.checkShares(parent, label, whole == 0, sums[label])
	}
}

// checkMappings refuses rules of placement that the release refuses. The rules themselves are not modelled.
func (r *reader) checkMappings() {
	const name = Prefix + "queue-mappings"
	if r.p.Or(Prefix+"mapping-rule-format", "legacy") != "legacy" {
		return
	}
	for _, rule := range r.p.List(name) {
		parts := strings.Split(rule, ":")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		switch {
		case len(parts) != 3 || slices.Contains(parts, ""):
			r.refuse(name, "IllegalArgumentException", "Illegal queue mapping %s", rule)
		case parts[0] != "u" && parts[0] != "g":
			r.refuse(name, "IllegalArgumentException", "unknown mapping prefix %s", parts[0])
		default:
			r.checkTarget(name, parts[2])
		}
	}
}

// checkTarget refuses a queue that a rule names and that does not exist. Variables are known only when an application
// comes.
func (r *reader) checkTarget(name, target string) {
	if strings.HasPrefix(target, "%") {
		return
	}
	find := func(path string) *Queue {
		for i := range r.out.Queues {
			if q := &r.out.Queues[i]; q.Path == path || strings.HasSuffix(q.Path, "."+path) {
				return q
			}
		}
		return nil
	}
	q, dot := find(target), strings.LastIndexByte(target, '.')
	switch {
	case q != nil && !q.Leaf:
		r.refuseTogether(name, "YarnException", "Target queue '%s' but it's not a leaf queue.", target)
	case q != nil:
	case dot < 0:
		r.refuseTogether(name, "YarnException", "Path root '%s' does not exist. Path '%s' is invalid", target, target)
	case strings.Contains(target, "%"):
		if p := find(target[:dot]); p != nil && p.Leaf {
			r.refuseTogether(name, "YarnException", "Queue path '%s' is invalid because '%s' is a leaf queue, which can have no other queues under it.", target, p.Path)
		}
	case !r.p.Bool(Prefix+fullPath(find(target[:dot]))+".auto-create-child-queue.enabled", false) && !r.p.Bool(Prefix+fullPath(find(target[:dot]))+".auto-queue-creation-v2.enabled", false):
		r.refuseTogether(name, "YarnException", "Mapping rule specified a parent queue '%s', but it is not a dynamic parent queue, and no queue exists with name '%s' under it.", target[:dot], target[dot+1:])
	}
}

func fullPath(q *Queue) string {
	if q == nil {
		return ""
	}
	return q.Path
}

// modes lists the units of a queue's children as the release does.
func (r *reader) modes(children []int) string {
	var list []string
	for _, at := range children {
		c := &r.out.Queues[at]
		mode := [...]string{"percentage", "weight", "absolute"}[c.Capacity.Memory.Unit]
		list = append(list, fmt.Sprintf("{Queue=%s, label= uses %s mode}.", c.Path, mode))
	}
	return strings.Join(list, " ")
}
