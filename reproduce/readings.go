// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report"
)

// ReadingsConfig lays readings of a paper's text beside each other: where the text leaves something open, some
// experiments are run once for each reading, and all their figures are judged under each.
type ReadingsConfig struct {
	Name       string          `yaml:"name" required:"true" doc:"Name, by which it is run alone like an experiment."`
	Title      string          `yaml:"title" required:"true" doc:"What is read in several ways."`
	Source     string          `yaml:"source" required:"true" doc:"Where the text leaves it open."`
	Text       string          `yaml:"text,omitempty" doc:"What came of it."`
	Of         []string        `yaml:"of" required:"true" doc:"The experiments that are run under each reading."`
	Metrics    []string        `yaml:"metrics,omitempty" doc:"Queries that are shown of every policy beside the figures."`
	Seeds      int             `yaml:"seeds" min:"1" doc:"Repetitions."`
	QuickSeeds int             `yaml:"quick-seeds" min:"1" doc:"Repetitions with --quick."`
	Choices    []ReadingConfig `yaml:"choices" required:"true" doc:"The readings; the first is the one that the paper's experiments have."`
}

// ReadingConfig is one reading.
type ReadingConfig struct {
	Name string            `yaml:"name" required:"true" doc:"Name of the reading."`
	Text string            `yaml:"text" required:"true" doc:"What is read, and which sentences speak for it and against it."`
	Set  map[string]string `yaml:"set,omitempty" doc:"Settings on top of those of the experiments: path to value."`
}

// SetDefaults fills what the file leaves out.
func (c *ReadingsConfig) SetDefaults() { *c = ReadingsConfig{Seeds: 3, QuickSeeds: 1} }

func (c *ReadingsConfig) validate(e *Expected) (problems []model.Problem) {
	names := e.names()
	if slices.Contains(names, c.Name) {
		problems = append(problems, model.Problem{Path: "name", Found: c.Name, Allowed: "a name that no experiment has"})
	}
	for i, name := range c.Of {
		if !slices.Contains(names, name) {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("of[%d]", i), Found: name, Allowed: "the name of an experiment of this file"})
		}
	}
	for _, text := range c.Metrics {
		if _, err := metrics.ParseQuery(text); err != nil {
			problems = append(problems, model.Problem{Path: "metrics", Found: text, Allowed: err.Error()})
		}
	}
	return problems
}

// shown returns the experiment with a figure more for each query and policy.
func (c *ReadingsConfig) shown(fsys fs.FS, paper string, x *ExperimentConfig) (*ExperimentConfig, error) {
	out := *x
	s, err := x.scenario(fsys, paper, false)
	if err != nil {
		return nil, err
	}
	variants, err := x.Variants(s)
	if err != nil {
		return nil, err
	}
	out.Figures = slices.Clone(x.Figures)
	for _, text := range c.Metrics {
		for i := range variants {
			label := variants[i].Policy.Label()
			out.Figures = append(out.Figures, FigureConfig{Name: text + " under " + label, Source: c.Source, Metric: text, Policy: label})
		}
	}
	return &out, nil
}

// effort returns how much of the experiments is run under each reading.
func (c *ReadingsConfig) effort(quick bool) effort {
	if quick {
		return effort{seeds: c.QuickSeeds}
	}
	return effort{seeds: c.Seeds}
}

// on returns the experiment as it is read.
func (c *ReadingConfig) on(x *ExperimentConfig) *ExperimentConfig {
	changed := *x
	changed.changes = append(sorted(c.Set), x.changes...)
	return &changed
}

// Reading is what became of the figures of some experiments under several readings.
type Reading struct {
	*ReadingsConfig
	Rows []ReadingRow
	// True says of how many rows of an experiment the means are as the paper has it, by experiment of Of and choice.
	True [][]int
	All  []int // by experiment of Of: rows that have a reference
}

// ReadingRow is a figure of one of the experiments, with a finding for each choice.
type ReadingRow struct {
	Experiment string
	Findings   []Finding
	True       []bool // by choice: the means are as the paper has it, whatever the intervals
}

// read runs the experiments under all readings, and adds what came out to the reproduction: for each reading and
// experiment how many statements are true of the means, and for each figure the range over the readings.
func (r *Reproduction) read(ctx context.Context, fsys fs.FS, e *Expected, c *ReadingsConfig, opt experiment.Options) error {
	out := Reading{ReadingsConfig: c, All: make([]int, len(c.Of))}
	for of, name := range c.Of {
		x, err := c.shown(fsys, e.paper, &e.Experiments[slices.Index(e.names(), name)])
		if err != nil {
			return err
		}
		rows := make([]ReadingRow, len(x.Figures))
		for k := range c.Choices {
			changed := c.Choices[k].on(x)
			run, err := changed.run(ctx, fsys, e, c.effort(r.Quick), opt)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Choices[k].Name, err)
			}
			if err := changed.judgeInto(rows, run.Comparison); err != nil {
				return fmt.Errorf("%s: %w", c.Choices[k].Name, err)
			}
		}
		counts := make([]int, len(c.Choices))
		for i := range rows {
			rows[i].Experiment = name
			if rows[i].Findings[0].Verdict == NoReference {
				continue
			}
			out.All[of]++
			for k, ok := range rows[i].True {
				if ok {
					counts[k]++
				}
			}
		}
		out.True = append(out.True, counts)
		out.Rows = append(out.Rows, rows...)
	}
	r.Readings = append(r.Readings, out)
	r.Findings = append(r.Findings, out.findings(r.Paper)...)
	return nil
}

// judgeInto appends the findings of one reading to the rows, one per figure.
func (x *ExperimentConfig) judgeInto(rows []ReadingRow, c *experiment.Comparison) error {
	flat := ofMeans(c)
	for i := range x.Figures {
		f, err := x.Figures[i].judge(c)
		if err != nil {
			return err
		}
		mean, err := x.Figures[i].judge(flat)
		if err != nil {
			return err
		}
		rows[i].Findings = append(rows[i].Findings, f)
		rows[i].True = append(rows[i].True, mean.Verdict == Within || mean.Verdict == HoldsTrue)
	}
	return nil
}

// ofMeans returns a comparison in which all repetitions have the mean of each query, so that what is said of it is said of
// the means. There are enough of them that a share of 0 or 1 is taken as such.
func ofMeans(c *experiment.Comparison) *experiment.Comparison {
	const repetitions = 1000
	flat := *c
	flat.Seeds = make([]uint64, repetitions)
	flat.Values = make([][][]float64, len(c.Values))
	for p := range c.Values {
		for q := range c.Values[p] {
			flat.Values[p] = append(flat.Values[p], slices.Repeat([]float64{stats.Confidence(c.Values[p][q]).Mean}, repetitions))
		}
	}
	return &flat
}

// findings are the lines of the readings: counts and ranges, ours alone.
func (r *Reading) findings(paper string) (out []Finding) {
	add := func(figure, source string, ours, low, high float64) {
		out = append(out, Finding{Paper: paper, Experiment: r.Name, Figure: figure, Source: source, Ours: ours, Low: low, High: high, Verdict: NoReference})
	}
	for of, name := range r.Of {
		for k := range r.Choices {
			n := float64(r.True[of][k])
			add(fmt.Sprintf("%s: statements true of the means, of %d (%s)", r.Choices[k].Name, r.All[of], name), r.Source, n, n, n)
		}
	}
	for i := range r.Rows {
		low, high := r.Rows[i].span()
		f := &r.Rows[i].Findings[0]
		add(fmt.Sprintf("over the readings (%s): %s", r.Rows[i].Experiment, f.Figure), f.Source, f.Ours, low, high)
	}
	return out
}

// span is the range of ours over the readings.
func (r *ReadingRow) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range r.Findings {
		low, high = min(low, r.Findings[i].Ours), max(high, r.Findings[i].Ours)
	}
	return low, high
}

// table is the reading as the page shows it.
func (r *Reading) table() report.ReadingTable {
	t := report.ReadingTable{Name: r.Name, Title: r.Title, Source: r.Source, Text: r.Text}
	for k := range r.Choices {
		t.Choices = append(t.Choices, [2]string{r.Choices[k].Name, r.Choices[k].Text})
	}
	for of, name := range r.Of {
		row := report.ReadingRow{Figure: fmt.Sprintf("statements true of the means, of %d", r.All[of]), Experiment: name}
		for _, n := range r.True[of] {
			row.Cells = append(row.Cells, report.ReadingCell{Ours: fmt.Sprint(n)})
		}
		t.Counts = append(t.Counts, row)
	}
	for i := range r.Rows {
		f := &r.Rows[i].Findings[0]
		row := report.ReadingRow{Figure: f.Figure, Experiment: r.Rows[i].Experiment, Source: f.Source}
		if f.PaperValue != nil {
			row.Paper = fmt.Sprintf("%.4g", *f.PaperValue)
		}
		low, high := r.Rows[i].span()
		row.Range = fmt.Sprintf("%.4g .. %.4g", low, high)
		for k := range r.Rows[i].Findings {
			f := &r.Rows[i].Findings[k]
			cell := report.ReadingCell{Ours: fmt.Sprintf("%.4g", f.Ours), Verdict: f.Verdict}
			if f.Low < f.High {
				cell.Interval = fmt.Sprintf("%.3g .. %.3g", f.Low, f.High)
			}
			if f.Verdict != NoReference && !r.Rows[i].True[k] {
				cell.Against = true
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
