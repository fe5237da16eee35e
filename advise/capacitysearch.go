// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/result"
)

// CapacitySearch is what a search over the queue settings of a file found.
type CapacitySearch struct {
	*experiment.SearchResult
	Skipped int                  // combinations that the scheduler refuses
	Old     experiment.Measured  // the file as it is, in the repetitions of Best; Difference is against Best
	Edits   []capacityxml.Change // from the file as it is to the best
	XML     []byte               // the file with them
}

// keep is the value that leaves a setting as it is in the file.
const keep = "keep"

// searchable are the settings of a queue that can be searched.
var searchable = []string{"capacity", "maximum-capacity", "minimum-user-limit-percent", "user-limit-factor", "supports-priority"}

// CapacityAxes returns the space of a search that names none: user limits, factors, maxima, and the
// capacity of the largest queue, each around the present settings.
func CapacityAxes(c *capacityxml.Config) []experiment.Axis {
	axes := []experiment.Axis{
		{Path: "minimum-user-limit-percent", Values: []string{keep, "25", "50", "100"}},
		{Path: "maximum-capacity", Values: []string{keep, "capacity", "none"}},
		{Path: "user-limit-factor", Values: []string{keep, "1", "2", "4"}},
	}
	if len(c.Queues) > 1 {
		largest := slices.MaxFunc(c.Queues, func(a, b capacityxml.Queue) int { return cmp.Compare(a.Capacity, b.Capacity) })
		axis := experiment.Axis{Path: "queue." + largest.Name + ".capacity"}
		for _, d := range []float64{-20, -10, 0, 10, 20} {
			v := largest.Capacity + d
			switch {
			case d == 0:
				axis.Values = append(axis.Values, keep)
			case v > 0 && v < 100:
				axis.Values = append(axis.Values, strconv.FormatFloat(v, 'f', -1, 64))
			}
		}
		axes = append(axes, axis)
	}
	return axes
}

// SearchCapacity searches the queue settings of a file. An axis is a setting of all queues, such as
// user-limit-factor, or of one, queue.NAME.user-limit-factor. Where the capacity of a queue is given,
// queues without one share the rest in proportion to what they have. Combinations that the scheduler
// would refuse are left out and counted. Options.Observe sees the file as it is, as policy 0, in the
// repetitions that the choice did not see.
func SearchCapacity(ctx context.Context, f *CapacityFile, q experiment.Search) (*CapacitySearch, error) {
	if _, err := CapacityChoices(q.Scenario, []*CapacityFile{f}); err != nil {
		return nil, err
	}
	if err := checkCapacityAxes(&f.Config, q.Axes); err != nil {
		return nil, err
	}
	out := &CapacitySearch{}
	points, err := out.points(f, q.Axes)
	if err != nil {
		return nil, err
	}
	quiet := q
	quiet.Options.Observe = nil
	if out.SearchResult, err = quiet.Among(ctx, points); err != nil {
		return nil, err
	}
	best, err := configured(&f.Config, out.Best.Point.Settings)
	if err != nil {
		return nil, err
	}
	out.XML, out.Edits = f.Edit(best)
	pair := []experiment.Point{{Choice: CapacityChoice(&f.Config, f.Label)}, {Choice: CapacityChoice(best, "best")}}
	measured, _, err := q.Again(ctx, pair, 1)
	if err != nil {
		return nil, err
	}
	out.Old = measured[0]
	return out, nil
}

// checkCapacityAxes refuses what names no setting or no queue, all at once.
func checkCapacityAxes(c *capacityxml.Config, axes []experiment.Axis) error {
	return CheckAxes(axes, func(a experiment.Axis) error {
		queue, key, err := cutCapacityPath(c, a.Path)
		for _, v := range a.Values {
			if err == nil {
				q := c.Queues[0]
				err = setQueue(&q, key, v)
			}
		}
		if err == nil && key == "capacity" && queue == "" {
			err = errors.New("allowed: the capacity of one queue, queue.NAME.capacity")
		}
		return err
	})
}

// CheckAxes refuses axes that check refuses and those that are given twice, all at once.
func CheckAxes(axes []experiment.Axis, check func(experiment.Axis) error) error {
	var errs []error
	for i, a := range axes {
		err := check(a)
		if slices.ContainsFunc(axes[:i], func(b experiment.Axis) bool { return a.Path == b.Path }) {
			err = errors.New("given twice; allowed: one list of values for each setting")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--over %s: %w", a.Path, err))
		}
	}
	if len(errs) > 0 {
		return &strict.InputError{Err: errors.Join(errs...)}
	}
	return nil
}

// cutCapacityPath takes queue.NAME.KEY or KEY apart.
func cutCapacityPath(c *capacityxml.Config, path string) (queue, key string, err error) {
	key = path
	if rest, ok := strings.CutPrefix(path, "queue."); ok {
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			return "", "", errors.New("allowed: queue.NAME.SETTING")
		}
		queue, key = rest[:dot], rest[dot+1:]
		if c.Find(queue) == nil {
			return "", "", strict.Unknown("queue", queue, c.Names())
		}
	}
	if !slices.Contains(searchable, key) {
		return "", "", strict.Unknown("setting", key, searchable)
	}
	return queue, key, nil
}

// points returns the combinations that the scheduler accepts.
func (r *CapacitySearch) points(f *CapacityFile, axes []experiment.Axis) (points []experiment.Point, err error) {
	grid, err := experiment.Combinations(axes, "search", "candidates")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, settings := range grid {
		c, err := configured(&f.Config, settings)
		if err != nil {
			r.Skipped++
			continue
		}
		if text := fmt.Sprint(*c); !seen[text] { // others mean the same
			seen[text] = true
		} else {
			continue
		}
		points = append(points, experiment.Point{Settings: settings, Choice: CapacityChoice(c, CapacitySettingsText(settings))})
	}
	if len(points) == 0 {
		return nil, &strict.InputError{Err: errors.New("the scheduler refuses every combination: a maximum below the capacity, or capacities beyond 100")}
	}
	return points, nil
}

// configured returns the configuration with settings, or why the scheduler refuses it.
func configured(base *capacityxml.Config, settings []strict.Setting) (*capacityxml.Config, error) {
	c := base.Clone()
	fixed := map[string]bool{}
	for _, key := range searchable { // capacities first: a maximum may be that of the capacity
		for _, set := range settings {
			queue, k, err := cutCapacityPath(base, set.Path)
			if err != nil || k != key {
				continue
			}
			for i := range c.Queues {
				if queue == "" || c.Queues[i].Name == queue {
					if err := setQueue(&c.Queues[i], key, set.Value); err != nil {
						return nil, err
					}
					fixed[c.Queues[i].Name] = fixed[c.Queues[i].Name] || key == "capacity" && set.Value != keep
				}
			}
		}
		if key == "capacity" {
			if err := shareRest(&c, fixed); err != nil {
				return nil, err
			}
		}
	}
	choice := CapacityChoice(&c, "")
	if problems := choice.Params.(*hadoop1.Params).Validate(); len(problems) > 0 {
		return nil, fmt.Errorf("%s: found %s; allowed: %s", problems[0].Path, problems[0].Found, problems[0].Allowed)
	}
	return &c, nil
}

// setQueue changes one setting of a queue.
func setQueue(q *capacityxml.Queue, key, value string) error {
	if value == keep {
		return nil
	}
	number, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	bad := err != nil || math.IsNaN(number) || math.IsInf(number, 0)
	allowed := "a number, or keep"
	switch key {
	case "capacity":
		q.Capacity = number
	case "maximum-capacity":
		allowed = "a percentage, capacity for that of the queue, none, or keep"
		switch value {
		case "capacity":
			bad, number = false, q.Capacity
		case "none":
			bad, number = false, capacityxml.Unlimited
		}
		q.MaximumCapacity = number
	case "minimum-user-limit-percent":
		q.MinimumUserLimitPercent = int(number)
		bad = bad || number < 1 || number > 100 || number != math.Trunc(number)
		allowed = "a whole percentage from 1 to 100, or keep"
	case "user-limit-factor":
		q.UserLimitFactor = number
		bad = bad || number <= 0
		allowed = "a number above 0, or keep"
	case "supports-priority":
		q.SupportsPriority = value == "true"
		bad, allowed = value != "true" && value != "false", "true, false or keep"
	}
	if bad {
		return fmt.Errorf("found %q; allowed: %s", value, allowed)
	}
	return nil
}

// shareRest gives what the fixed capacities leave of 100 to the other queues, in proportion, in
// hundredths of a percent.
func shareRest(c *capacityxml.Config, fixed map[string]bool) error {
	rest, others := 100.0, 0.0
	last := -1
	any := false
	for i := range c.Queues {
		if q := &c.Queues[i]; fixed[q.Name] {
			rest -= q.Capacity
			any = true
		} else {
			others += q.Capacity
			last = i
		}
	}
	switch {
	case !any:
		return nil
	case rest < 0 || last < 0 && math.Abs(rest) > 1e-9 || last >= 0 && others == 0 && rest > 0:
		return fmt.Errorf("capacities leave %g %%", rest)
	}
	left := rest
	for i := range c.Queues {
		q := &c.Queues[i]
		switch {
		case fixed[q.Name]:
		case i == last:
			q.Capacity = math.Round(left*1e4) / 1e4
		default:
			q.Capacity = math.Round(rest*q.Capacity/others*100) / 100
			left -= q.Capacity
		}
	}
	return nil
}

// CapacitySearchSummary is what a search found, as JSON.
type CapacitySearchSummary struct {
	File       string                `json:"file"`
	Written    string                `json:"written,omitempty"`
	Objective  string                `json:"objective"`
	Rungs      []result.Rung         `json:"rungs"`
	Skipped    int                   `json:"skipped"`
	Best       map[string][3]float64 `json:"best"` // mean, low, high by metric
	Old        map[string][3]float64 `json:"old"`
	Difference [3]float64            `json:"difference"` // of the objective, old against best: mean, low, high; 0.1 is 10 % more
	Feasible   bool                  `json:"feasible"`
	Changes    []capacityxml.Change  `json:"changes"`
	Seeds      []uint64              `json:"seeds"`
}

// Summary returns what was found in the file; written is the file with the changes, if there is one.
func (r *CapacitySearch) Summary(file, written string) *CapacitySearchSummary {
	d := r.Old.Difference
	out := &CapacitySearchSummary{File: file, Written: written, Objective: r.Objective.String(), Rungs: r.Rungs, Skipped: r.Skipped, Feasible: r.Best.Feasible,
		Best: map[string][3]float64{}, Old: map[string][3]float64{}, Difference: [3]float64{d.Mean, d.Low, d.High}, Changes: r.Edits, Seeds: r.Seeds}
	if out.Changes == nil {
		out.Changes = []capacityxml.Change{}
	}
	for i, name := range r.Objective.Names() {
		b, o := r.Best.Intervals[i], r.Old.Intervals[i]
		out.Best[name], out.Old[name] = [3]float64{b.Mean, b.Low, b.High}, [3]float64{o.Mean, o.Low, o.High}
	}
	return out
}

// CapacitySettingsText writes settings for people: user-limit-factor=2 queue.prod.capacity=60.
func CapacitySettingsText(settings []strict.Setting) string {
	var parts []string
	for _, s := range settings {
		if s.Value != keep {
			parts = append(parts, s.Path+"="+s.Value)
		}
	}
	if len(parts) == 0 {
		return "as it is"
	}
	return strings.Join(parts, " ")
}
