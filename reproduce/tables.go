// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// TableConfig is a published table, or one of ours in the same form: a figure for each row and column.
// The columns are policies of the experiment, by their labels.
type TableConfig struct {
	Name    string            `yaml:"name" required:"true" doc:"What the table shows; {row} stands for the row."`
	Source  string            `yaml:"source" required:"true" doc:"Where it stands."`
	Metric  string            `yaml:"metric" required:"true" doc:"Query for the numbers; {row} stands for the row."`
	Columns []string          `yaml:"columns" required:"true" doc:"Policies, one per column."`
	Rows    []string          `yaml:"rows" required:"true" doc:"Names of the rows."`
	Values  [][]float64       `yaml:"values" doc:"The published values, a list for each row; left out where our copy of the paper has none."`
	Within  Tolerance         `yaml:"within" doc:"When ours counts as the same."`
	Reason  string            `yaml:"reason,omitempty" doc:"Why the tolerance is what it is."`
	Pooled  bool              `yaml:"pooled,omitempty" doc:"As in a figure."`
	Causes  map[string]string `yaml:"causes,omitempty" doc:"Names of the causes of deviations, by ROW COLUMN, ROW or COLUMN; the first that is there counts."`
}

// figures returns the figures of the table, row by row.
func (t *TableConfig) figures() (figures []FigureConfig, problems []model.Problem) {
	if t.Values != nil && len(t.Values) != len(t.Rows) {
		problems = append(problems, model.Problem{Path: "values", Found: fmt.Sprintf("%d rows of values", len(t.Values)), Allowed: fmt.Sprintf("%d, one for each row", len(t.Rows))})
	}
	for _, key := range slices.Sorted(maps.Keys(t.Causes)) {
		if !t.has(key) {
			problems = append(problems, model.Problem{Path: "causes", Found: key, Allowed: "ROW COLUMN, ROW or COLUMN of the table"})
		}
	}
	for i, row := range t.Rows {
		if i < len(t.Values) && len(t.Values[i]) != len(t.Columns) {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("values[%d]", i), Found: fmt.Sprintf("%d values", len(t.Values[i])), Allowed: fmt.Sprintf("%d, one for each column", len(t.Columns))})
			continue
		}
		fill := func(text string) string { return strings.ReplaceAll(text, "{row}", row) }
		for k, column := range t.Columns {
			f := FigureConfig{Name: column + ": " + fill(t.Name), Source: t.Source, Metric: fill(t.Metric), Policy: column,
				Within: t.Within, Reason: t.Reason, Pooled: t.Pooled, Cause: t.cause(row, column)}
			if i < len(t.Values) {
				f.Value = &t.Values[i][k]
			}
			if k == 0 {
				for _, p := range f.validate() {
					problems = append(problems, model.Problem{Path: "metric", Found: f.Metric, Allowed: p.Allowed})
				}
			}
			figures = append(figures, f)
		}
	}
	return figures, problems
}

func (t *TableConfig) cause(row, column string) string {
	for _, key := range []string{row + " " + column, row, column} {
		if cause, ok := t.Causes[key]; ok {
			return cause
		}
	}
	return ""
}

// has reports whether the key names a cell, a row or a column.
func (t *TableConfig) has(key string) bool {
	for _, row := range t.Rows {
		for _, column := range t.Columns {
			if key == row+" "+column || key == row || key == column {
				return true
			}
		}
	}
	return false
}

// meanOf returns the query for the mean of the quantity whose coefficient of variation q asks for.
func meanOf(q metrics.Query) metrics.Query {
	q.Metric = "mean_" + strings.TrimPrefix(q.Metric, "cv_")
	return q
}

// pooled returns the coefficient of variation over the jobs of all repetitions together, from the mean
// and variation of each; every repetition has as many jobs. There is one such number, so no interval.
func pooled(c *experiment.Comparison, p int, q metrics.Query) stats.Interval {
	cvs, means := c.Values[p][slices.Index(c.Queries, q)], c.Values[p][slices.Index(c.Queries, meanOf(q))]
	sum, squares := 0.0, 0.0
	for i, m := range means {
		sum += m
		squares += m * m * (1 + cvs[i]*cvs[i])
	}
	n := float64(len(means))
	mean := sum / n
	v := math.Sqrt(max(0, squares/n/(mean*mean)-1))
	return stats.Interval{Mean: v, Low: v, High: v, N: len(means)}
}
