// SPDX-License-Identifier: Apache-2.0

package capacityxml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Change is one property that an edit changed.
type Change struct {
	Property string `json:"property"`
	Old      string `json:"old"` // empty if the file did not have it
	New      string `json:"new"`
}

// Edit returns the text of the file with the queue settings of c, and what changed. All else, comments
// too, stays as it is. c must have the queues of the file. Settings that are as before are not
// written down, even where they are defaults.
func (f *File) Edit(c *Config) ([]byte, []Change) {
	var changes []Change
	for i := range c.Queues {
		before := f.Config.Find(c.Queues[i].Name)
		if before == nil {
			continue
		}
		for _, s := range settings(before, &c.Queues[i]) {
			if s.old != s.now {
				changes = append(changes, f.change(before, s))
			}
		}
	}
	return f.apply(changes), changes
}

// Rewrite returns the text of a file of any properties with changed ones; new ones come at its end. All else, comments
// too, stays as it is.
func Rewrite(name string, src []byte, changes []Change) ([]byte, error) {
	f := &File{Name: name, src: src}
	errs, whole := f.scan()
	if !whole {
		return nil, errs.Err()
	}
	return f.apply(changes), nil
}

// Hadoop1 returns the settings by the properties of Hadoop 1. Each queue has all of its own, so none is a default-….
func (c *Config) Hadoop1() map[string]string {
	out := map[string]string{
		queueNames:                                  strings.Join(c.Names(), ","),
		oldPrefix + "maximum-system-jobs":           strconv.Itoa(c.MaximumSystemJobs),
		oldPrefix + "init-poll-interval":            strconv.Itoa(c.InitPollInterval),
		oldPrefix + "init-worker-threads":           strconv.Itoa(c.InitWorkerThreads),
		oldPrefix + "maximum-tasks-per-heartbeat":   strconv.Itoa(c.MaximumTasksPerHeartbeat),
		oldPrefix + "maximum-tasks-after-offswitch": strconv.Itoa(c.MaximumTasksAfterOffswitch),
	}
	for i := range c.Queues {
		q := &c.Queues[i]
		for _, s := range settings(q, q) {
			out[queuePrefix+q.Name+"."+s.key] = s.now
		}
	}
	return out
}

// setting is one setting of a queue before and after.
type setting struct{ key, old, now string }

func settings(a, b *Queue) []setting {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	return []setting{
		{"capacity", number(a.Capacity), number(b.Capacity)},
		{"maximum-capacity", number(a.MaximumCapacity), number(b.MaximumCapacity)},
		{"supports-priority", strconv.FormatBool(a.SupportsPriority), strconv.FormatBool(b.SupportsPriority)},
		{"minimum-user-limit-percent", strconv.Itoa(a.MinimumUserLimitPercent), strconv.Itoa(b.MinimumUserLimitPercent)},
		{"user-limit-factor", number(a.UserLimitFactor), number(b.UserLimitFactor)},
		{"maximum-initialized-active-tasks", strconv.Itoa(a.MaximumInitializedActiveTasks), strconv.Itoa(b.MaximumInitializedActiveTasks)},
		{"maximum-initialized-active-tasks-per-user", strconv.Itoa(a.MaximumInitializedActiveTasksPerUser), strconv.Itoa(b.MaximumInitializedActiveTasksPerUser)},
		{"init-accept-jobs-factor", strconv.Itoa(a.InitAcceptJobsFactor), strconv.Itoa(b.InitAcceptJobsFactor)},
	}
}

func (f *File) change(q *Queue, s setting) Change {
	c := Change{Property: queuePrefix + q.Name + "." + s.key, New: s.now}
	if f.Dialect == YARN {
		c.Property = yarnPrefix + q.path + "." + s.key
		if s.key == "maximum-capacity" && s.now == "-1" {
			c.New = "100"
		}
	}
	for i := range f.Properties {
		if f.Properties[i].Name == c.Property {
			c.Old = f.Properties[i].Value
		}
	}
	return c
}

// apply puts new values in the place of the old ones, and new properties at the end.
func (f *File) apply(changes []Change) []byte {
	type splice struct {
		from, to int
		text     string
	}
	var splices []splice
	for _, c := range changes {
		at := len(f.Properties) - 1
		for at >= 0 && f.Properties[at].Name != c.Property { // of one given twice the last counts
			at--
		}
		if at >= 0 {
			p := &f.Properties[at]
			splices = append(splices, splice{p.from, p.to, "<value>" + escape(c.New) + "</value>"})
			continue
		}
		splices = append(splices, splice{f.end, f.end, fmt.Sprintf("  <property>\n    <name>%s</name>\n    <value>%s</value>\n  </property>\n", escape(c.Property), escape(c.New))})
	}
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	done := 0
	for _, s := range splices {
		out.Write(f.src[done:s.from])
		out.WriteString(s.text)
		done = s.to
	}
	out.Write(f.src[done:])
	return out.Bytes()
}

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}
