// SPDX-License-Identifier: Apache-2.0

package yarnqueues

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// keep is the value that leaves a setting as it is.
const keep = "keep"

// Settings that can be searched: of a queue, and of the scheduler.
var (
	ofQueue     = []string{"capacity", "maximum-capacity", "minimum-user-limit-percent", "user-limit-factor", "maximum-am-resource-percent", "ordering-policy"}
	ofScheduler = []string{"node-locality-delay", "rack-locality-additional-delay", "per-node-heartbeat.maximum-offswitch-assignments", "per-node-heartbeat.maximum-container-assignments"}
)

// Axes returns the space of a search that names none.
func (s *Site) Axes() []experiment.Axis {
	return []experiment.Axis{
		{Path: "user-limit-factor", Values: []string{keep, "2", "10"}},
		{Path: "minimum-user-limit-percent", Values: []string{keep, "25", "100"}},
		{Path: "maximum-am-resource-percent", Values: []string{keep, "0.3", "0.6"}},
		{Path: "maximum-capacity", Values: []string{keep, "capacity", "100"}},
		{Path: "per-node-heartbeat.maximum-offswitch-assignments", Values: []string{keep, "10"}},
	}
}

// Search searches settings of the queues. An axis is a setting of all leaves, such as user-limit-factor, of one queue,
// queue.PATH.user-limit-factor, or of the scheduler. Where the capacity of a queue is given, its siblings share the rest as
// before. Combinations that the release refuses are left out and counted. The result has no text of a file.
func (s *Site) Search(ctx context.Context, q experiment.Search) (*advise.CapacitySearch, error) {
	if err := s.checkAxes(q.Axes); err != nil {
		return nil, err
	}
	grid, err := experiment.Combinations(q.Axes, "search", "candidates")
	if err != nil {
		return nil, err
	}
	out := &advise.CapacitySearch{}
	var points []experiment.Point
	seen := map[string]bool{}
	for _, settings := range grid {
		properties := s.properties(settings)
		c, err := s.with(properties)
		text := fmt.Sprint(s.edits(properties))
		switch {
		case err != nil:
			out.Skipped++
		case !seen[text]: // others mean the same
			seen[text] = true
			points = append(points, experiment.Point{Settings: settings, Choice: s.choice(c, advise.CapacitySettingsText(settings))})
		}
	}
	if len(points) == 0 {
		return nil, &strict.InputError{Err: errors.New("the release refuses every combination")}
	}
	quiet := q
	quiet.Options.Observe = nil
	if out.SearchResult, err = quiet.Among(ctx, points); err != nil {
		return nil, err
	}
	out.Edits = s.edits(s.properties(out.Best.Point.Settings))
	best := out.Best.Point.Choice
	best.As = "best"
	measured, _, err := q.Again(ctx, []experiment.Point{{Choice: s.Choice()}, {Choice: best}}, 1)
	if err != nil {
		return nil, err
	}
	out.Old = measured[0]
	return out, nil
}

// checkAxes refuses what names no setting or no queue, all at once.
func (s *Site) checkAxes(axes []experiment.Axis) error {
	return advise.CheckAxes(axes, func(a experiment.Axis) error {
		_, key, err := s.cut(a.Path)
		if err == nil && key == "capacity" && !strings.HasPrefix(a.Path, "queue.") {
			err = errors.New("allowed: the capacity of one queue, queue.PATH.capacity")
		}
		return err
	})
}

// cut takes an axis apart: the queues that it is about, none for the scheduler, and the setting.
func (s *Site) cut(path string) (queues []*settings.Queue, key string, err error) {
	if slices.Contains(ofScheduler, path) {
		return nil, path, nil
	}
	key = path
	rest, one := strings.CutPrefix(path, "queue.")
	if one {
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			return nil, "", errors.New("allowed: queue.PATH.SETTING")
		}
		rest, key = rest[:dot], rest[dot+1:]
	}
	var known []string
	for i := range s.Settings.Queues {
		q := &s.Settings.Queues[i]
		known = append(known, q.Path)
		if one && (q.Path == rest || strings.HasSuffix(q.Path, "."+rest)) || !one && q.Leaf {
			queues = append(queues, q)
		}
	}
	switch {
	case !slices.Contains(ofQueue, key):
		return nil, "", strict.Unknown("setting", key, append(slices.Clone(ofQueue), ofScheduler...))
	case one && len(queues) != 1:
		return nil, "", strict.Unknown("queue", rest, known)
	}
	return queues, key, nil
}

// properties returns what settings of a search mean, capacities first: a maximum may be that of the capacity.
func (s *Site) properties(settings []strict.Setting) map[string]string {
	out := map[string]string{}
	for _, capacities := range []bool{true, false} {
		for _, set := range settings {
			queues, key, err := s.cut(set.Path)
			if err != nil || set.Value == keep || (key == "capacity") != capacities {
				continue
			}
			if queues == nil {
				out[prefix+key] = set.Value
			}
			for _, q := range queues {
				value := set.Value
				if value == "capacity" {
					own, changed := out[prefix+q.Path+".capacity"]
					if value = own; !changed {
						value = s.of(q.Path, "capacity", "100")
					}
				}
				out[prefix+q.Path+"."+key] = value
				if key == "capacity" {
					s.shareRest(q, value, out)
				}
			}
		}
	}
	return out
}

// shareRest gives the siblings of a queue what its capacity leaves of 100, in proportion, in hundredths of a percent.
func (s *Site) shareRest(q *settings.Queue, value string, out map[string]string) {
	taken, err := strconv.ParseFloat(value, 64)
	others := 0.0
	var siblings []string
	var shares []float64
	for i := range s.Settings.Queues {
		if o := &s.Settings.Queues[i]; o.Parent == q.Parent && o != q {
			v, err2 := strconv.ParseFloat(s.of(o.Path, "capacity", "0"), 64)
			err = errors.Join(err, err2)
			siblings, shares = append(siblings, o.Path), append(shares, v)
			others += v
		}
	}
	if err != nil || others == 0 {
		return // weights, amounts: the release says whether it takes them
	}
	left := 100 - taken
	for i, path := range siblings {
		v := math.Round((100-taken)*shares[i]/others*100) / 100
		if i == len(siblings)-1 {
			v = math.Round(left*1e4) / 1e4
		}
		left -= v
		out[prefix+path+".capacity"] = strconv.FormatFloat(v, 'f', -1, 64)
	}
}
