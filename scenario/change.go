// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

// Change is a change of a scenario with a name.
type Change struct {
	Label    string           `json:"label"`
	Settings []strict.Setting `json:"settings"`
}

// changeWords are the changes that need no path; they may be relative.
var changeWords = []string{"nodes", "map-slots", "reduce-slots", "slow-start", "reduces", "load"}

// ParseChange reads what is changed, such as "nodes=-2; load=+30%": words with a number or a signed
// difference from the scenario, or any PATH=VALUE. under is what is compared: some words are settings of that. Where a
// setting names another policy they are the scenario's.
func ParseChange(s *Scenario, text string, under ...PolicyChoice) (*Change, error) {
	c := &Change{Label: Label(text)}
	var errs []error
	parts := strings.Split(text, ";")
	if slices.ContainsFunc(parts, namesPolicy) {
		under = nil
	}
	for _, part := range parts {
		path, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		path, value = strings.TrimSpace(path), strings.TrimSpace(value)
		var settings []strict.Setting
		var err error
		switch {
		case !ok || path == "" || value == "":
			err = fmt.Errorf("found %q; allowed: NAME=VALUE with %s, or PATH=VALUE", part, strings.Join(changeWords, ", "))
		case slices.Contains(changeWords, path):
			settings, err = wordSettings(s, path, value, under)
		default:
			settings = []strict.Setting{{Path: path, Value: value}}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--what-if %s: %w", text, err))
		}
		c.Settings = append(c.Settings, settings...)
	}
	if len(errs) > 0 {
		return nil, &strict.InputError{Err: errors.Join(errs...)}
	}
	return c, nil
}

// namesPolicy reports whether a part of a change sets the policy itself.
func namesPolicy(part string) bool {
	path, _, _ := strings.Cut(part, "=")
	return strings.TrimSpace(path) == "policy"
}

// Scenario returns the scenario as changed. A setting policy.NAME.PARAM is one of what is compared, see On, unless another
// names the policy.
func (c *Change) Scenario(s *Scenario) (*Scenario, error) {
	if c.replaces() {
		return Changed(s, c.Settings)
	}
	return Changed(s, slices.DeleteFunc(slices.Clone(c.Settings), isOwnParam))
}

// OfPolicies reports whether all settings are about policies, so that a changed choice is all there is to the change.
func (c *Change) OfPolicies() bool {
	return !slices.ContainsFunc(c.Settings, func(set strict.Setting) bool { return !setsPolicy(set) })
}

// On returns the scenario as changed, and what is compared on it. A setting policy.NAME.PARAM is one of every choice of the
// policy NAME, whichever way that came to be compared. A setting that names the policy takes the place of the only choice.
func (c *Change) On(s *Scenario, choices []PolicyChoice) (*Scenario, []PolicyChoice, error) {
	if err := c.check(choices); err != nil {
		return nil, nil, &strict.InputError{Err: err}
	}
	changed, err := c.Scenario(s)
	if err != nil {
		return nil, nil, err
	}
	if c.replaces() {
		return changed, []PolicyChoice{changed.Policy}, nil
	}
	out := make([]PolicyChoice, len(choices))
	for i := range choices {
		if out[i] = choices[i]; slices.ContainsFunc(c.Settings, setsPolicy) {
			out[i] = changed.labelled(choices[i])
		}
		var errs strict.Errors
		if out[i], errs = out[i].with(changed, c.Settings); len(errs) > 0 {
			return nil, nil, &strict.InputError{Err: errs}
		}
	}
	return changed, out, nil
}

// labelled returns the choice of the scenario with the label of another one, or that.
func (s *Scenario) labelled(choice PolicyChoice) PolicyChoice {
	for _, p := range append(slices.Clone(s.Policies), s.Policy) {
		if p.Label() == choice.Label() {
			return p
		}
	}
	return choice
}

// replaces reports whether a setting names the policy.
func (c *Change) replaces() bool {
	return slices.ContainsFunc(c.Settings, func(set strict.Setting) bool { return set.Path == "policy" })
}

// check refuses settings of policies that would have no effect on what is compared.
func (c *Change) check(choices []PolicyChoice) error {
	if c.replaces() {
		if len(choices) > 1 {
			return fmt.Errorf("--what-if policy: found %d policies that are compared; allowed: one, which it replaces", len(choices))
		}
		return nil
	}
	var names []string
	for i := range choices {
		if choices[i].Roles == nil && !slices.Contains(names, choices[i].Name) {
			names = append(names, choices[i].Name)
		}
	}
	var errs strict.Errors
	for _, set := range c.Settings {
		if name, ok := ownParam(set.Path); ok && !slices.Contains(names, name) {
			errs = append(errs, strict.Error{Path: set.Path, Problem: "a policy that is not compared", Found: strconv.Quote(name),
				Allowed: "a parameter of what is compared: " + strings.Join(names, ", "), Hint: strict.Nearest(name, names)})
		}
	}
	return errs.Err()
}

func isOwnParam(set strict.Setting) bool { _, ok := ownParam(set.Path); return ok }

// setsPolicy reports whether a setting is about policies.
func setsPolicy(set strict.Setting) bool {
	for _, name := range []string{"policy", "policies"} {
		if rest, ok := strings.CutPrefix(set.Path, name); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// slowStart returns what makes reduces wait for a share of the maps: the scenario's setting, and under YARN's resource manager
// the property of each such policy.
func slowStart(value string, under []PolicyChoice) ([]strict.Setting, error) {
	const property = "mapreduce.job.reduce.slowstart.completedmaps"
	own := strict.Setting{Path: "jobs.slow-start", Value: value}
	if len(under) == 0 {
		return []strict.Setting{own}, nil
	}
	var out []strict.Setting
	for i := range under {
		set := own
		if under[i].Yarn() != nil {
			var share model.Fraction
			if err := share.UnmarshalText([]byte(value)); err != nil {
				return nil, fmt.Errorf("slow-start: found %q; allowed: %s", value, share.Allowed())
			}
			set = strict.Setting{Path: fmt.Sprintf("policy.%s.properties[%q]", under[i].Name, property), Value: share.String()}
		}
		if !slices.Contains(out, set) {
			out = append(out, set)
		}
	}
	return out, nil
}

// wordSettings turns a word and its value into settings of the scenario and of what is compared.
func wordSettings(s *Scenario, word, value string, under []PolicyChoice) (out []strict.Setting, err error) {
	switch word {
	case "slow-start":
		return slowStart(value, under)
	case "reduces":
		return []strict.Setting{{Path: "workload.reduces", Value: value}}, nil
	case "load":
		v, err := relative(value, 1)
		if err != nil || v <= 0 || value[0] != '+' && value[0] != '-' || !strings.HasSuffix(value, "%") {
			return nil, fmt.Errorf("load: found %q; allowed: a signed percentage above -100, such as +30%%", value)
		}
		return []strict.Setting{{Path: "workload.stretch", Value: strconv.FormatFloat(s.Workload.Stretch/v, 'g', -1, 64)}}, nil
	}
	resized := s.Cluster
	for i := range s.Cluster.Classes {
		k := &s.Cluster.Classes[i]
		was := map[string]float64{"nodes": float64(k.Nodes), "map-slots": float64(k.MapSlots), "reduce-slots": float64(k.ReduceSlots)}[word]
		v, err := relative(value, was)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", word, err)
		}
		if v = math.Round(v); v < 0 || v > math.MaxInt32 {
			return nil, fmt.Errorf("%s: found %q of %g; allowed: at least 0", word, value, was)
		}
		out = append(out, strict.Setting{Path: fmt.Sprintf("cluster.classes[%d].%s", i, word), Value: strconv.FormatFloat(v, 'f', -1, 64)})
		if word == "nodes" && len(resized.Nodes) > 0 {
			resized.Nodes, resized.Racks = resized.Resized(i, int(v))
		}
		if word == "nodes" && !strings.HasSuffix(value, "%") {
			break // a number of nodes is taken from or added to the first class, not each
		}
	}
	if word == "nodes" && len(resized.Nodes) > 0 {
		out = append(out, strict.Setting{Path: "cluster.nodes", Value: string(strict.Encode(resized.Nodes).JSON(""))},
			strict.Setting{Path: "cluster.racks", Value: strconv.Itoa(resized.Racks)})
	}
	return out, nil
}

// relative reads a number: as it is, with a sign as a difference from was, with % as a share of it.
func relative(value string, was float64) (float64, error) {
	number, share := strings.CutSuffix(value, "%")
	v, err := strconv.ParseFloat(number, 64)
	signed := strings.HasPrefix(value, "+") || strings.HasPrefix(value, "-")
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0) || share && !signed:
		return 0, fmt.Errorf("found %q; allowed: a number, a difference such as +2 or a signed share such as -10%%", value)
	case share:
		return was * (1 + v/100), nil
	case signed:
		return was + v, nil
	}
	return v, nil
}

// Changed returns the scenario with further settings and the same jobs: a workload that is made for a
// load is not made again for another cluster, unless a setting is about the workload itself. s is a
// scenario as it was read.
func Changed(s *Scenario, settings []strict.Setting) (*Scenario, error) {
	out, err := s.With(settings)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(settings, makesJobs) {
		base := *s
		base.Workload.Stretch, base.Workload.Reduces = out.Workload.Stretch, out.Workload.Reduces
		out.jobs = base.Jobs
	}
	return out, nil
}

// makesJobs reports whether a setting is about how jobs are made.
func makesJobs(set strict.Setting) bool {
	switch set.Path {
	case "workload.stretch", "workload.reduces":
		return false
	case "cluster", "cluster.room", "seed":
		return true
	}
	return strings.HasPrefix(set.Path, "workload") || strings.HasPrefix(set.Path, "hdfs")
}
