// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// smallRun is one job of a map and a reduce on a divided cluster of three nodes.
func smallRun(m model.RoomModel) *Run {
	jobs := []model.Job{{Name: "j", Maps: 1, Reduces: 1, Goal: 60 * sec, Need: [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)}}}
	c := NewCollector(seriesTopology(m, model.Room{2, 2}), jobs)
	c.Divide([]int{0, 0, 1})
	s := script{c}
	s.job(0, record.JobSubmitted, 0)
	s.job(1, record.JobAdmitted, 0)
	s.task(2, record.TaskStarted, model.Map, 0, 0)
	s.task(12, record.TaskEnded, model.Map, 0, 10)
	s.task(12, record.TaskStarted, model.Reduce, 0, 0)
	s.task(12, record.TaskComputing, model.Reduce, 0, 0)
	s.task(20, record.TaskEnded, model.Reduce, 0, 8)
	s.job(20, record.JobEnded, 0)
	return c.Run([]model.Time{15 * sec})
}

// TestFamilies: every metric has a unit, a text and one place in the table; it can be asked for, and some run
// answers.
func TestFamilies(t *testing.T) {
	units := []string{Seconds, Hours, Bytes, PerHour, Share, Ratio, Count}
	runs := []*Run{smallRun(model.Slots), smallRun(model.Containers), smallRun(model.Yarn),
		{Jobs: []Job{{Name: "j", Finish: sec, Reduces: 1, Paired: 1}}, Stored: Stored{80, 50}, Speeds: Speeds{[]int64{1}, 1}}} // beside a reduce of another job
	for i := range families {
		f := &families[i]
		if !slices.Contains(units, f.unit) || f.text == "" || f.better > Higher {
			t.Errorf("%s: unit %q, text %q, better %d", f.name, f.unit, f.text, f.better)
		}
		if how := btoi(f.job != nil) + btoi(f.value != nil); how > 1 || how == 0 && f.part == nil || (f.job != nil) != (f.key == stat) {
			t.Errorf("%s is computed in %d ways", f.name, how)
		}
		if f.key != nil && (!strings.Contains(f.name, f.key.placeholder) || len(f.key.choices) == 0) {
			t.Errorf("%s has no place for %s, or there is nothing to put there", f.name, f.key.placeholder)
		}
		for _, name := range f.names() {
			m, ok := Describe(name)
			if !ok || m.Name != name || m.Doc == "" || !slices.Contains(units, m.Unit) || f.key != nil && strings.Contains(m.Doc, f.key.placeholder) {
				t.Errorf("%s: %+v, %t", name, m, ok)
			}
			if other, _, _ := find(name); other != f {
				t.Errorf("%s of the family %s belongs to %s as well", name, f.name, other.name)
			}
			for by, text := range map[string]string{"": name, "job": "job:j." + name, "part": "part:1." + name} {
				q, err := ParseQuery(text)
				if f.allows(by) != (err == nil) {
					t.Errorf("%s: %v", text, err)
				}
				if err == nil && !slices.ContainsFunc(runs, func(r *Run) bool {
					v, ok := q.Of(All(r, 0))
					return ok && !math.IsNaN(v) && !math.IsInf(v, 0)
				}) {
					t.Errorf("%s has no value", text)
				}
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestChoices: parts and limits have names of their own and say what they are.
func TestChoices(t *testing.T) {
	if len(PartChoices()) != Parts || len(LimitChoices()) != model.Limits {
		t.Errorf("%d parts, %d limits", len(PartChoices()), len(LimitChoices()))
	}
	seen := map[string]bool{}
	for _, c := range append(PartChoices(), LimitChoices()...) {
		if c.Name == "" || c.Label == "" || c.Text == "" || seen[c.Name] {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
	}
	for p := range Part(Parts) {
		if _, ok := Describe(p.Metric()); !ok {
			t.Errorf("%s is not a metric", p.Metric())
		}
	}
	for l := range model.Limit(model.Limits) {
		if _, ok := Describe(LimitMetric(l)); !ok {
			t.Errorf("%s is not a metric", LimitMetric(l))
		}
	}
}

// TestNearest: a query that is nearly right is told what it was meant to be.
func TestNearest(t *testing.T) {
	for text, want := range map[string]string{
		"mean_wiat":                "mean_wait",
		"p95wait":                  "p95_wait",
		"p90_slowdwon":             "p90_slowdown",
		"mean_slow":                "mean_slowdown",
		"prod.mean_wiat":           "prod.mean_wait",
		"root.prod.v99_slowdonw":   "root.prod.v99_slowdown",
		"class:small.makspan":      "class:small.makespan",
		"limit_queue_max":          "limit_queue_maximum",
		"blame_map_starved":        "blame_maps_starved",
		"held_hour_map":            "held_hours_map",
		"prod.utilisation_map":     "utilisation_map",
		"part:2.utilization_map":   "part:2.utilisation_map",
		"part:2.workshare":         "part:2.work_share",
		"nothing like any of them": "",
		"":                         "",
	} {
		_, err := ParseQuery(text)
		if err == nil {
			t.Errorf("%s was read", text)
			continue
		}
		_, hint, found := strings.Cut(err.Error(), "; did you mean ")
		if found != (want != "") || found && hint != `"`+want+`"?` {
			t.Errorf("%s: hint %s, want %q", text, hint, want)
		}
	}
}
