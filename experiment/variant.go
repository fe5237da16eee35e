// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Variant is one of the things that a comparison compares: a policy on a scenario, which may be a
// changed one.
type Variant struct {
	Scenario *Scenario
	Policy   PolicyChoice
	Change   *Change // nil where the scenario is as it was
}

func policiesOf(variants []Variant) []PolicyChoice {
	choices := make([]PolicyChoice, len(variants))
	for i := range variants {
		choices[i] = variants[i].Policy
	}
	return choices
}

// shared holds the repetitions of every scenario that variants share.
type shared struct {
	lot  []int // of each variant
	reps [][]*Repetition
	left [][]atomic.Int32 // variants that have yet to meet the repetition
}

func newShared(variants []Variant, seeds []uint64) *shared {
	sh := &shared{}
	var scenarios []*Scenario
	for _, v := range variants {
		lot := slices.Index(scenarios, v.Scenario)
		if lot < 0 {
			lot = len(scenarios)
			scenarios = append(scenarios, v.Scenario)
			reps := make([]*Repetition, len(seeds))
			for i, seed := range seeds {
				reps[i] = NewRepetition(v.Scenario, seed)
			}
			sh.reps, sh.left = append(sh.reps, reps), append(sh.left, make([]atomic.Int32, len(seeds)))
		}
		sh.lot = append(sh.lot, lot)
		for i := range seeds {
			sh.left[lot][i].Add(1)
		}
	}
	return sh
}

func (sh *shared) of(variant, rep int) *Repetition { return sh.reps[sh.lot[variant]][rep] }

func (sh *shared) done(variant, rep int) {
	lot := sh.lot[variant]
	if sh.left[lot][rep].Add(-1) == 0 {
		sh.reps[lot][rep].release()
	}
}

// Change is a change of a scenario with a name.
type Change struct {
	Label    string    `json:"label"`
	Settings []Setting `json:"settings"`
}

// changeWords are the changes that need no path; they may be relative.
var changeWords = []string{"nodes", "map-slots", "reduce-slots", "slow-start", "reduces", "load"}

// ParseChange reads what is changed, such as "nodes=-2; load=+30%": words with a number or a signed
// difference from the scenario, or any PATH=VALUE.
func ParseChange(s *Scenario, text string) (*Change, error) {
	c := &Change{Label: label(text)}
	var errs []error
	for part := range strings.SplitSeq(text, ";") {
		path, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		path, value = strings.TrimSpace(path), strings.TrimSpace(value)
		var settings []Setting
		var err error
		switch {
		case !ok || path == "" || value == "":
			err = fmt.Errorf("found %q; allowed: NAME=VALUE with %s, or PATH=VALUE", part, strings.Join(changeWords, ", "))
		case slices.Contains(changeWords, path):
			settings, err = wordSettings(s, path, value)
		default:
			settings = []Setting{{path, value}}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--what-if %s: %w", text, err))
		}
		c.Settings = append(c.Settings, settings...)
	}
	if len(errs) > 0 {
		return nil, &InputError{errors.Join(errs...)}
	}
	return c, nil
}

// wordSettings turns a word and its value into settings of the scenario.
func wordSettings(s *Scenario, word, value string) (out []Setting, err error) {
	switch word {
	case "slow-start":
		return []Setting{{"jobs.slow-start", value}}, nil
	case "reduces":
		return []Setting{{"workload.reduces", value}}, nil
	case "load":
		v, err := relative(value, 1)
		if err != nil || v <= 0 || value[0] != '+' && value[0] != '-' || !strings.HasSuffix(value, "%") {
			return nil, fmt.Errorf("load: found %q; allowed: a signed percentage above -100, such as +30%%", value)
		}
		return []Setting{{"workload.stretch", strconv.FormatFloat(s.Workload.Stretch/v, 'g', -1, 64)}}, nil
	}
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
		out = append(out, Setting{fmt.Sprintf("cluster.classes[%d].%s", i, word), strconv.FormatFloat(v, 'f', -1, 64)})
		if word == "nodes" && !strings.HasSuffix(value, "%") {
			break // so many nodes more or less, not of each class
		}
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

// Variants returns every policy on the scenario as it is, then every policy on each change of it.
func Variants(s *Scenario, choices []PolicyChoice, changes []*Change) ([]Variant, error) {
	var out []Variant
	for i := range choices {
		out = append(out, Variant{Scenario: s, Policy: choices[i]})
	}
	for _, c := range changes {
		changed, err := Changed(s, c.Settings)
		if err != nil {
			return nil, err
		}
		for _, choice := range choices {
			choice.As = label(choice.Label() + ", " + c.Label)
			out = append(out, Variant{Scenario: changed, Policy: choice, Change: c})
		}
	}
	for i := range out {
		for k := range i {
			if out[i].Policy.Label() == out[k].Policy.Label() {
				return nil, &InputError{fmt.Errorf("%q is compared twice; allowed: different policies, files and changes", out[i].Policy.Label())}
			}
		}
	}
	return out, nil
}

// Changed returns the scenario with further settings and the same jobs: a workload that is made for a
// load is not made again for another cluster, unless a setting is about the workload itself. s is a
// scenario as it was read.
func Changed(s *Scenario, settings []Setting) (*Scenario, error) {
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
func makesJobs(set Setting) bool {
	switch set.Path {
	case "workload.stretch", "workload.reduces":
		return false
	case "cluster", "cluster.room", "seed":
		return true
	}
	return strings.HasPrefix(set.Path, "workload") || strings.HasPrefix(set.Path, "hdfs")
}
