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

// reader turns properties into settings.
type reader struct {
	f        *File
	at       map[string]*Property
	used     map[string]bool
	errs     strict.Errors
	warnings strict.Errors
}

func newReader(f *File) *reader {
	r := &reader{f: f, at: map[string]*Property{}, used: map[string]bool{}}
	for i := range f.Properties {
		r.at[f.Properties[i].Name] = &f.Properties[i]
	}
	return r
}

func (r *reader) read() {
	old, yarn := "", ""
	for _, p := range r.f.Properties {
		switch {
		case strings.HasPrefix(p.Name, oldPrefix) && old == "":
			old = p.Name
		case strings.HasPrefix(p.Name, yarnPrefix) && yarn == "":
			yarn = p.Name
		}
	}
	switch {
	case old != "" && yarn != "":
		r.refuse(yarn, "mixed settings", fmt.Sprintf("settings of YARN beside those of Hadoop 1 (%s)", old), "one of the two")
	case yarn != "":
		r.f.Dialect = YARN
		r.readYARN()
	default:
		r.readHadoop1()
	}
}

// pos returns where a property stands; the whole file if it does not.
func (r *reader) pos(name string) strict.Pos {
	if p := r.at[name]; p != nil {
		return strict.Pos{File: r.f.Name, Line: p.Line, Col: 1}
	}
	return strict.Pos{File: r.f.Name}
}

func (r *reader) refuse(name, problem, found, allowed string) {
	r.errs = append(r.errs, strict.Error{Pos: r.pos(name), Path: name, Problem: problem, Found: found, Allowed: allowed})
}

func (r *reader) warn(name, text, hint string) {
	r.warnings = append(r.warnings, strict.Error{Pos: r.pos(name), Path: name, Problem: text, Hint: hint})
}

// get returns the text of a property.
func (r *reader) get(name string) (string, bool) {
	r.used[name] = true
	p := r.at[name]
	if p == nil {
		return "", false
	}
	return p.Value, true
}

// number reads a number, which keep must accept.
func (r *reader) number(name string, missing float64, keep func(float64) bool, allowed string) float64 {
	text, ok := r.get(name)
	if !ok {
		return missing
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || !keep(v) {
		r.refuse(name, "bad value", quote(text), allowed)
		return missing
	}
	return v
}

// integer reads a whole number of at least least, and at most most.
func (r *reader) integer(name string, missing, least, most int, allowed string) int {
	text, ok := r.get(name)
	if !ok {
		return missing
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < least || v > most {
		r.refuse(name, "bad value", quote(text), allowed)
		return missing
	}
	return v
}

func (r *reader) boolean(name string, missing bool) bool {
	text, ok := r.get(name)
	switch {
	case !ok:
		return missing
	case text == "true" || text == "false":
		return text == "true"
	}
	r.refuse(name, "bad value", quote(text), "true or false")
	return missing
}

// list reads names with commas between them, each once.
func (r *reader) list(name string) (names []string) {
	text, _ := r.get(name)
	for _, n := range strings.Split(text, ",") {
		switch n = strings.TrimSpace(n); {
		case n == "":
		case strings.ContainsAny(n, "${} \t\n"):
			r.refuse(name, "bad value", quote(n), "names of queues with commas between them")
		case slices.Contains(names, n):
			r.refuse(name, "duplicate queue", quote(n), "each queue once")
		default:
			names = append(names, n)
		}
	}
	return names
}

const (
	percentAllowed = "a percentage from 0 to 100"
	naturalAllowed = "a whole number above 0"
)

func isPercent(v float64) bool { return v >= 0 && v <= 100 }

func anyNumber(float64) bool { return true }
