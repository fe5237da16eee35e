// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
)

// relation is a statement about two measured numbers: TERM OP TERM, where a term is
// [FACTOR *] POLICY@METRIC or a number, and OP is one of <, <=, >, >=. For POLICY may stand the
// largest or smallest of several: max(one,two), min(one,two).
type relation struct {
	left, right term
	op          string
}

type term struct {
	factor   float64
	policies []string // none for a plain number
	of       string   // "max" or "min" of several policies
	query    metrics.Query
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
	if len(r.left.policies) == 0 {
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
	t.policies = []string{label}
	for _, of := range []string{"max", "min"} {
		if list, ok := strings.CutPrefix(label, of+"("); ok && strings.HasSuffix(list, ")") {
			t.of, t.policies = of, strings.Split(strings.TrimSuffix(list, ")"), ",")
			for i := range t.policies {
				t.policies[i] = strings.TrimSpace(t.policies[i])
			}
		}
	}
	var err error
	t.query, err = metrics.ParseQuery(metric)
	return t, err
}

// samples returns what was measured of the term without its factor, one number a repetition; ones for
// a plain number.
func (t *term) samples(c *experiment.Comparison) ([]float64, error) {
	if len(t.policies) == 0 {
		ones := make([]float64, len(c.Seeds))
		for i := range ones {
			ones[i] = 1
		}
		return ones, nil
	}
	var best []float64
	for _, name := range t.policies {
		p, err := c.Find(name)
		if err != nil {
			return nil, err
		}
		values := c.Values[p][slices.Index(c.Queries, t.query)]
		mean, least := metrics.Confidence(values).Mean, metrics.Confidence(best).Mean
		if best == nil || t.of == "max" && mean > least || t.of == "min" && mean < least {
			best = values
		}
	}
	return best, nil
}

// judgeRelation says whether the relation is true of the means. Ours is the ratio of the two measured
// numbers, without the factors, with its paired interval; or the number on the left against a plain
// one.
func (f *FigureConfig) judgeRelation(c *experiment.Comparison, out Finding) (Finding, error) {
	r, err := parseRelation(f.Holds)
	if err != nil {
		return out, err
	}
	left, err := r.left.samples(c)
	if err != nil {
		return out, err
	}
	right, err := r.right.samples(c)
	if err != nil {
		return out, err
	}
	a, b := r.left.factor*metrics.Confidence(left).Mean, r.right.factor*metrics.Confidence(right).Mean
	if share, ok := metrics.PairedShare(right, left); ok {
		out.Ours, out.Low, out.High = 1+share.Mean, 1+share.Low, 1+share.High
	} else {
		out.Ours, out.Low, out.High = a, a, a
	}
	holds := map[string]bool{"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[r.op]
	out.Verdict = HoldsTrue
	if !holds {
		out.Verdict, out.Cause = Deviates, f.Cause
	}
	return out, nil
}
