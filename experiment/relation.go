// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/metrics"
)

// relation is a statement about two measured numbers: TERM OP TERM, where a term is
// [FACTOR *] POLICY@METRIC or a number, and OP is one of <, <=, >, >=.
type relation struct {
	left, right term
	op          string
}

type term struct {
	factor float64
	policy string // empty for a plain number
	query  metrics.Query
}

func parseRelation(text string) (relation, error) {
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		return relation{}, errors.New("POLICY@METRIC < [FACTOR *] POLICY@METRIC, with <, <=, > or >=")
	}
	r := relation{op: text[i : i+1]}
	rest := text[i+1:]
	if strings.HasPrefix(rest, "=") {
		r.op, rest = r.op+"=", rest[1:]
	}
	var err error
	if r.left, err = parseTerm(text[:i]); err != nil {
		return relation{}, err
	}
	if r.left.policy == "" {
		return relation{}, errors.New("a measured number on the left: POLICY@METRIC")
	}
	r.right, err = parseTerm(rest)
	return r, err
}

func parseTerm(text string) (term, error) {
	t := term{factor: 1}
	text = strings.TrimSpace(text)
	if factor, rest, ok := strings.Cut(text, "*"); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(factor), 64)
		if err != nil {
			return t, fmt.Errorf("a number before *, found %q", factor)
		}
		t.factor, text = f, strings.TrimSpace(rest)
	}
	label, metric, ok := strings.Cut(text, "@")
	if !ok {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return t, fmt.Errorf("POLICY@METRIC or a number, found %q", text)
		}
		t.factor *= f
		return t, nil
	}
	t.policy = label
	var err error
	t.query, err = metrics.ParseQuery(metric)
	return t, err
}

// value returns the term's mean.
func (t *term) value(c *Comparison) (float64, error) {
	if t.policy == "" {
		return t.factor, nil
	}
	p, err := c.find(t.policy)
	if err != nil {
		return 0, err
	}
	return t.factor * c.Mean(p, slices.Index(c.Queries, t.query)).Mean, nil
}

// judgeRelation says whether the relation is true of ours. Ours is the ratio of the two sides.
func (f *FigureConfig) judgeRelation(c *Comparison, out Finding) (Finding, error) {
	r, err := parseRelation(f.Holds)
	if err != nil {
		return out, err
	}
	left, err := r.left.value(c)
	if err != nil {
		return out, err
	}
	right, err := r.right.value(c)
	if err != nil {
		return out, err
	}
	out.Ours = left
	if r.right.policy != "" && right != 0 {
		out.Ours = left / right
	}
	out.Low, out.High = out.Ours, out.Ours
	holds := map[string]bool{"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[r.op]
	out.Verdict = HoldsTrue
	if !holds {
		out.Verdict, out.Cause = Deviates, f.Cause
	}
	return out, nil
}
