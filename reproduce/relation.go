// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// relation is a statement about two measured numbers: TERM OP TERM, where a term is
// [FACTOR *] POLICY@METRIC or a number, and OP is one of <, <=, >, >=; or TERM ~ TERM within SHARE, which
// says that the two are similar. POLICY may also be the largest or smallest of several: max(one,two),
// min(one,two); or one over another, one/two: the ratio of the metric under both, repetition by repetition; or the spread
// of one, spread(one): how far each repetition is from the mean of all.
type relation struct {
	left, right term
	op          string
	band        float64 // of ~
}

type term struct {
	factor   float64
	policies []string // none for a plain number
	of       string   // "max" or "min" of several policies, or the "spread" of one
	over     string   // whose value the other's is divided by; empty: nobody's
	query    metrics.Query
}

func parseRelation(text string) (relation, error) {
	i := strings.IndexAny(text, "<>~")
	if i < 0 {
		return relation{}, errors.New("POLICY@METRIC < [FACTOR *] POLICY@METRIC, with <, <=, > or >=, or POLICY@METRIC ~ POLICY@METRIC within SHARE")
	}
	r := relation{op: text[i : i+1]}
	rest := text[i+1:]
	if r.op != "~" && strings.HasPrefix(rest, "=") {
		r.op, rest = r.op+"=", rest[1:]
	}
	var err error
	if r.op == "~" {
		other, share, _ := strings.Cut(rest, " within ")
		var band model.Fraction
		if band.UnmarshalText([]byte(strings.TrimSpace(share))) != nil || band <= 0 {
			return relation{}, fmt.Errorf("~ with a band, such as within 10%%, found %q", share)
		}
		rest, r.band = other, float64(band)
	}
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
	for _, of := range []string{"max", "min", "spread"} {
		if list, ok := strings.CutPrefix(label, of+"("); ok && strings.HasSuffix(list, ")") {
			t.of, t.policies = of, strings.Split(strings.TrimSuffix(list, ")"), ",")
			for i := range t.policies {
				t.policies[i] = strings.TrimSpace(t.policies[i])
			}
		}
	}
	if one, other, ok := strings.Cut(label, "/"); ok && t.of == "" {
		t.policies, t.over = []string{strings.TrimSpace(one)}, strings.TrimSpace(other)
	}
	var err error
	t.query, err = metrics.ParseQuery(metric)
	return t, err
}

// samples returns what was measured of the term without its factor, one number per repetition; ones for
// a plain number. There is a list for each policy that the statement must be true of: for all of
// them where all says so, else for the one with the largest or smallest mean.
func (t *term) samples(c *experiment.Comparison, all bool) (lists [][]float64, err error) {
	if len(t.policies) == 0 {
		ones := make([]float64, len(c.Seeds))
		for i := range ones {
			ones[i] = 1
		}
		return [][]float64{ones}, nil
	}
	for _, name := range t.policies {
		p, err := c.Find(name)
		if err != nil {
			return nil, err
		}
		lists = append(lists, c.Values[p][slices.Index(c.Queries, t.query)])
	}
	if t.over != "" {
		p, err := c.Find(t.over)
		if err != nil {
			return nil, err
		}
		lists[0] = ratios(lists[0], c.Values[p][slices.Index(c.Queries, t.query)])
	}
	if t.of == "spread" {
		lists[0] = deviations(lists[0])
	}
	if all {
		return lists, nil
	}
	best := 0
	for i := range lists {
		mean, extreme := stats.Confidence(lists[i]).Mean, stats.Confidence(lists[best]).Mean
		if t.of == "max" && mean > extreme || t.of == "min" && mean < extreme {
			best = i
		}
	}
	return lists[best : best+1], nil
}

// deviations returns how far each value is from the mean of all.
func deviations(values []float64) []float64 {
	mean := stats.Confidence(values).Mean
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Abs(v - mean)
	}
	return out
}

// pairs returns the samples of both sides that the statement is about, pair by pair. max(a,b) < x says so of
// a and of b, so each is held against x; max(a,b) > x says so of one of them, so the one with the
// larger mean is.
func (r *relation) pairs(c *experiment.Comparison) (pairs [][2][]float64, err error) {
	less, similar := strings.HasPrefix(r.op, "<"), r.op == "~"
	lefts, err := r.left.samples(c, similar || (r.left.of == "max") == less)
	if err != nil {
		return nil, err
	}
	rights, err := r.right.samples(c, similar || (r.right.of == "min") == less)
	if err != nil {
		return nil, err
	}
	for _, a := range lefts {
		for _, b := range rights {
			pairs = append(pairs, [2][]float64{a, b})
		}
	}
	return pairs, nil
}

// verdict holds the statement against one pair of samples. The interval is that of the ratio of the two
// without their factors, or of the left side alone where the right side is zero. The last
// result grows as the mean speaks against the statement.
func (r *relation) verdict(left, right []float64) (verdict string, i stats.Interval, against float64) {
	low, high := 0.0, 0.0
	if share, ok := stats.PairedShare(right, left); ok && stats.Confidence(right).Mean > 0 {
		i = stats.Interval{Mean: 1 + share.Mean, Low: 1 + share.Low, High: 1 + share.High, N: share.N}
		if len(r.right.policies) == 0 {
			i = r.left.atEdge(i)
		}
		equal := r.right.factor / r.left.factor
		low, high, against = i.Low-equal, i.High-equal, i.Mean/equal
		if r.op == "~" {
			return similar(i, equal/(1+r.band), equal*(1+r.band)), i, max(against, 1/against)
		}
	} else {
		d := make([]float64, len(left))
		for k := range d {
			d[k] = r.left.factor*left[k] - r.right.factor*right[k]
		}
		difference := stats.Confidence(d)
		i = stats.Confidence(left)
		low, high, against = difference.Low, difference.High, difference.Mean
		if r.op == "~" {
			return Undecided, i, against // nothing to take a share of
		}
	}
	if strings.HasPrefix(r.op, ">") {
		low, high, against = -high, -low, -against
	}
	switch {
	case !i.Known():
		return Undecided, i, against
	case high < 0:
		return HoldsTrue, i, against
	case low > 0:
		return Deviates, i, against
	}
	return Undecided, i, against
}

// atEdge widens the interval of a share that was 0, or 1, in every repetition: these have no spread, but n of them do
// not exclude a chance of 1 - 0.025^(1/n) of the opposite.
func (t *term) atEdge(i stats.Interval) stats.Interval {
	m, ok := metrics.Describe(t.query.Metric)
	if !ok || m.Unit != "share" || i.Low != i.High || i.N == 0 {
		return i
	}
	chance := 1 - math.Pow(0.025, 1/float64(i.N))
	switch i.Mean {
	case 0:
		i.High = chance
	case 1:
		i.Low = 1 - chance
	}
	return i
}

// similar says whether the whole interval lies inside the band, outside it, or across an edge.
func similar(i stats.Interval, low, high float64) string {
	switch {
	case !i.Known():
		return Undecided
	case i.Low > low && i.High < high:
		return HoldsTrue
	case i.Low > high || i.High < low:
		return Deviates
	}
	return Undecided
}

// judgeRelation holds a statement against what was measured. It holds if the paired interval of every pair
// that it is about excludes equality on the right side, and deviates if that of one pair excludes it on the
// other; else the repetitions cannot tell. The finding shows the pair that decides.
func (f *FigureConfig) judgeRelation(c *experiment.Comparison, out Finding) (Finding, error) {
	r, err := parseRelation(f.Holds)
	if err != nil {
		return out, err
	}
	pairs, err := r.pairs(c)
	if err != nil {
		return out, err
	}
	grave := []string{HoldsTrue, Undecided, Deviates}
	worst := 0.0
	for k, pair := range pairs {
		verdict, i, against := r.verdict(pair[0], pair[1])
		more := slices.Index(grave, verdict) - slices.Index(grave, out.Verdict)
		if k == 0 || more > 0 || more == 0 && against > worst {
			out.Verdict, worst = verdict, against
			out.Ours, out.Low, out.High = i.Mean, i.Low, i.High
		}
	}
	return out, nil
}
