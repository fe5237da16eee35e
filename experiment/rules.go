// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// Rule is one --fail-if: it holds when the mean of a query under a policy is above or below a
// number, or differs from the first policy's by more than a share.
type Rule struct {
	Text     string
	Query    metrics.Query
	Above    bool
	OrEqual  bool
	Relative bool
	Limit    float64

	index int // of the query in the comparison
}

// ParseRules reads rules for a comparison of policies on the scenario and returns its standard queries with
// those that the rules need added. A rule about something that the scenario does not have is an
// error.
func ParseRules(s *scenario.Scenario, texts []string, under ...scenario.PolicyChoice) ([]Rule, []metrics.Query, error) {
	queries := scenario.StandardQueries(s, under...)
	var rules []Rule
	var errs []error
	for _, text := range texts {
		r, err := parseRule(text)
		if err == nil {
			err = answers(s, r.Query)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--fail-if %s: %w", text, err))
			continue
		}
		if r.index = slices.Index(queries, r.Query); r.index < 0 {
			r.index = len(queries)
			queries = append(queries, r.Query)
		}
		rules = append(rules, r)
	}
	if len(errs) > 0 {
		return nil, nil, &strict.InputError{Err: errors.Join(errs...)}
	}
	return rules, queries, nil
}

// answers reports whether the scenario can answer the query.
func answers(s *scenario.Scenario, q metrics.Query) error {
	if !computes(s, q) {
		return errors.New("the scenario does not compute it; allowed: reference: true")
	}
	if q.By == "" || q.By == "size" || q.By == "part" { // ranges may be empty, and policies divide clusters
		return nil
	}
	jobs := s.Jobs(s.Seed)
	var known []string
	for i := range jobs {
		name := map[string]string{"queue": jobs[i].Queue, "class": jobs[i].Class, "user": jobs[i].User, "job": jobs[i].Name, "shuffle": model.ShuffleClassOf(float64(jobs[i].Shuffle)).String()}[q.By]
		if name == q.Value && (q.Class == "" || q.Class == jobs[i].Class) {
			return nil
		}
		if !slices.Contains(known, name) && len(known) < 20 {
			known = append(known, name)
		}
	}
	return fmt.Errorf("no %s %q in the workload; allowed: %s", q.By, q.Value, strings.Join(known, ", "))
}

// computes reports whether runs of the scenario have what the query's metric is made of. If not, it would be 0.
func computes(s *scenario.Scenario, q metrics.Query) bool {
	m, _ := metrics.Describe(q.Metric)
	return s.Reference || !m.Alone
}

func parseRule(text string) (Rule, error) {
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		return Rule{}, errors.New("allowed: METRIC>NUMBER, METRIC<NUMBER, METRIC>+10%")
	}
	r := Rule{Text: text, Above: text[i] == '>'}
	value := text[i+1:]
	if rest, ok := strings.CutPrefix(value, "="); ok {
		r.OrEqual, value = true, rest
	}
	var err error
	if r.Query, err = metrics.ParseQuery(strings.TrimSpace(text[:i])); err != nil {
		return Rule{}, err
	}
	value = strings.TrimSpace(value)
	if share, ok := strings.CutSuffix(value, "%"); ok {
		if share == "" || share[0] != '+' && share[0] != '-' {
			return Rule{}, fmt.Errorf("found %q; allowed: a signed share of the first policy's value, such as +10%%, or a plain number", value)
		}
		r.Relative, value = true, share
	}
	if r.Limit, err = strconv.ParseFloat(strings.TrimSuffix(value, "s"), 64); err != nil || math.IsNaN(r.Limit) || math.IsInf(r.Limit, 0) {
		return Rule{}, fmt.Errorf("found %q; allowed: a number, in seconds for times, or a signed share such as +10%%", value)
	}
	if r.Relative {
		r.Limit /= 100
	}
	return r, nil
}

// Judge returns an error that lists the rules which hold for a policy other than the first (or for
// the only one).
func Judge(rules []Rule, c *Comparison) error {
	var errs []error
	for _, r := range rules {
		for p := range c.Policies {
			if p == 0 && len(c.Policies) > 1 {
				continue
			}
			if c.Mean(p, r.index).N == 0 || r.Relative && c.Mean(0, r.index).N == 0 {
				errs = append(errs, fmt.Errorf("--fail-if %s: under %s or %s there is nothing to measure, because none of these jobs has ended", r.Text, c.Policies[0].Label(), c.Policies[p].Label()))
				continue
			}
			v := c.Mean(p, r.index).Mean
			if r.Relative {
				base := c.Mean(0, r.index).Mean
				if base == 0 {
					if v == 0 || (v > 0) != r.Above {
						continue
					}
					errs = append(errs, fmt.Errorf("--fail-if %s: %s has %.4g, %s has 0", r.Text, c.Policies[p].Label(), v, c.Policies[0].Label()))
					continue
				}
				v = v/base - 1
			}
			if r.holds(v) {
				errs = append(errs, r.describe(c, p, v))
			}
		}
	}
	return errors.Join(errs...)
}

func (r *Rule) holds(v float64) bool {
	if r.OrEqual && v == r.Limit {
		return true
	}
	return r.Above && v > r.Limit || !r.Above && v < r.Limit
}

func (r *Rule) describe(c *Comparison, p int, v float64) error {
	if r.Relative {
		d, _ := c.Difference(0, p, r.index)
		return fmt.Errorf("--fail-if %s holds: %s differs from %s by %+.1f %% (95 %% interval %+.1f to %+.1f %%)",
			r.Text, c.Policies[p].Label(), c.Policies[0].Label(), 100*v, 100*d.Low, 100*d.High)
	}
	return fmt.Errorf("--fail-if %s holds: %s has %.4g", r.Text, c.Policies[p].Label(), v)
}
