// SPDX-License-Identifier: Apache-2.0

package metrics

import "strings"

// The units of metrics.
const (
	Seconds = "s"
	Hours   = "h"
	Bytes   = "B"
	PerHour = "jobs/h"
	Share   = "share"
	Ratio   = "ratio"
	Count   = "count"
)

// Better is the direction in which a metric improves.
type Better uint8

// The directions. Neither is for what describes a run without judging it.
const (
	Neither Better = iota
	Lower
	Higher
)

// String returns the direction as a word.
func (b Better) String() string { return [...]string{"neither", "lower", "higher"}[b] }

// family is one metric, or several that differ in a key alone: blame_PART has one for each part.
type family struct {
	name   string // with the placeholder of the key, if there is one
	key    *key   // nil if the family is one metric
	unit   string
	text   string // what it is; the placeholder stands for the key
	note   string // what else the reference says
	better Better
	whole  bool // about the cluster's room or links as a whole, so that no queue, class, user, job or size has one
	alone  bool // made of run times alone in the empty cluster

	// What computes it. The second result is false where the run has no such number.
	job   func(*Job) float64                              // a number that every job has; the key is a statistic of it
	value func(g *Group, key string) (float64, bool)      // nil if job is set, or if only parts have it
	part  func(r *Run, n int, key string) (float64, bool) // of part n of a divided cluster; nil if parts do not have it
}

// key is what the placeholder in the name of a family stands for.
type key struct {
	placeholder string // in capitals
	choices     []Choice
	read        func(string) bool // reports whether a text that is not a choice is a key; nil if none is
}

// Choice is one of the things that a key may be.
type Choice struct {
	Name  string // in the names of metrics and in results
	Label string // what people read
	Text  string // a sentence
}

func (k *key) valid(text string) bool {
	for i := range k.choices {
		if k.choices[i].Name == text {
			return true
		}
	}
	return k.read != nil && k.read(text)
}

// match takes the name of a metric apart.
func (f *family) match(name string) (key string, ok bool) {
	if f.key == nil {
		return "", name == f.name
	}
	before, after, _ := strings.Cut(f.name, f.key.placeholder)
	if key, ok = strings.CutPrefix(name, before); ok {
		key, ok = strings.CutSuffix(key, after)
	}
	return key, ok && f.key.valid(key)
}

// fill puts a key in place of the placeholder, word by word: FROM_TO stands for two numbers.
func (f *family) fill(text, key string) string {
	if f.key == nil {
		return text
	}
	words := strings.Split(f.key.placeholder, "_")
	for i, value := range strings.SplitN(key, "_", len(words)) {
		text = strings.ReplaceAll(text, words[i], value)
	}
	return text
}

// names returns the names of the family's metrics, one for each choice of its key.
func (f *family) names() (names []string) {
	if f.key == nil {
		return []string{f.name}
	}
	for i := range f.key.choices {
		names = append(names, f.fill(f.name, f.key.choices[i].Name))
	}
	return names
}

// quantity returns the name of the number that statistics are taken of, "" if the family is none of these.
func (f *family) quantity() string {
	if f.job == nil {
		return ""
	}
	return strings.TrimPrefix(f.name, stat.placeholder+"_")
}

// of computes the metric with the key of a group.
func (f *family) of(g *Group, key string) (float64, bool) {
	switch {
	case f.job != nil:
		v := g.values(f)
		return statistic(key, v), len(v) > 0
	case f.value != nil:
		return f.value(g, key)
	}
	return 0, false
}

// find returns the family that a metric belongs to, and its key there.
func find(name string) (f *family, key string, ok bool) {
	for i := range families {
		if key, ok := families[i].match(name); ok {
			return &families[i], key, true
		}
	}
	return nil, "", false
}

// Metric is what is known about one named number of a run.
type Metric struct {
	Name   string
	Unit   string // one of the constants of this package
	Doc    string
	Better Better
	Alone  bool // made of run times alone in the empty cluster: it is 0 unless they are computed
}

// Describe returns what a metric means. The second result is false for an unknown name.
func Describe(name string) (Metric, bool) {
	f, key, ok := find(name)
	if !ok {
		return Metric{}, false
	}
	m := Metric{Name: name, Unit: f.unit, Doc: f.fill(f.text, key), Better: f.better, Alone: f.alone}
	if q := f.quantity(); q != "" {
		m.Doc = key + " of " + q + ": " + f.text
		if hasNoUnit(key) {
			m.Unit = Ratio
		}
	}
	return m, true
}

// Names returns the names of all metrics, with one percentile and one window as examples of all others.
func Names() (names []string) {
	for i := range families {
		names = append(names, families[i].names()...)
	}
	return names
}
