// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// names returns the properties in the order of their names.
func (p Properties) names() []string { return slices.Sorted(maps.Keys(p)) }

// Warnings returns, once per run, what is allowed and does not do what it may be meant to: what the files say twice or in
// vain, properties that are not modelled or not known, values that count as not set, settings of queues that do not exist,
// and what acts in the release without being set and is not modelled.
func (s *Site) Warnings() []string {
	var list []string
	for _, e := range s.notes {
		list = append(list, e.Error())
	}
	queues := s.queues()
	var idle []string
	for _, name := range s.names() {
		e := Find(name)
		text, hint := "", ""
		switch {
		case e == nil && strings.HasPrefix(name, cs):
			text, hint = "unknown property, which has no effect", nearest(name, queues)
		case e == nil:
			idle = append(idle, name)
		case !s.exists(e, name, queues):
			text, hint = "no such queue is in the list of its parent, so this has no effect", nearest(name, queues)
		case e.Missing != "" && s.Or(name, "") != e.Default:
			text = "not modelled: " + e.Missing
		case e.Type == "boolean" && !isBool(s.Or(name, "")):
			text = fmt.Sprintf("%s is neither true nor false, so the default %s counts", quote(s.Or(name, "")), e.Default)
		}
		if text != "" {
			list = append(list, strict.Error{Pos: s.at[name], Path: name, Problem: text, Hint: hint}.Error())
		}
	}
	return append(list, append(unread(idle), s.acting()...)...)
}

// unread says in one line which properties nobody reads.
func unread(names []string) []string {
	const shown = 5
	if len(names) == 0 {
		return nil
	}
	text := strings.Join(names[:min(len(names), shown)], ", ")
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{"no effect on what is simulated: " + text}
}

// acting says in one line which rules act in the release unless they are switched off, and are not modelled.
func (s *Site) acting() []string {
	var list []string
	for i := range Table {
		e := &Table[i]
		if what := acts[e.Name]; what != "" && s.Or(e.Name, e.Default) == e.Default {
			list = append(list, fmt.Sprintf("%s=%s (%s)", e.Name, e.Default, what))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []string{"not modelled, though the release does it by default: " + strings.Join(list, ", ")}
}

func isBool(text string) bool {
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}

// queues returns the paths of all queues that the lists of their parents name.
func (p Properties) queues() []string {
	paths := []string{"root"}
	for i := 0; i < len(paths) && i < 100_000; i++ {
		for _, child := range p.List(cs + paths[i] + ".queues") {
			paths = append(paths, paths[i]+"."+child)
		}
	}
	return paths
}

// exists reports whether the queue that a property is about exists; of a property about no queue it is true.
func (s *Site) exists(e *Entry, name string, queues []string) bool {
	if !strings.HasPrefix(e.Name, cs+"<q>") {
		return true
	}
	rest := name[len(cs):]
	for _, q := range queues {
		if strings.HasPrefix(rest, q+".") && match(strings.Split(e.Name[len(cs+"<q>."):], "."), strings.Split(rest[len(q)+1:], ".")) {
			return true
		}
	}
	return false
}

// nearest returns the property that was probably meant: the same key of another queue, or another key of the same queue.
func nearest(name string, queues []string) string {
	var candidates []string
	for i := range Table {
		pattern := Table[i].Name
		key, ofQueue := strings.CutPrefix(pattern, cs+"<q>.")
		switch {
		case strings.Contains(key, "<"):
		case !ofQueue && strings.HasPrefix(pattern, cs):
			candidates = append(candidates, pattern)
		case ofQueue && len(queues) <= 1000:
			for _, q := range queues {
				candidates = append(candidates, cs+q+"."+key)
			}
		}
	}
	near := strict.Nearest(name, candidates)
	if near == name || !akin(near, name) {
		return ""
	}
	return near
}

// akin reports whether two names differ in a few letters only: all of them share a long beginning.
func akin(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return max(len(a), len(b))-n <= 30 && n > len(cs)
}
