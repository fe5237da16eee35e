// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"

	"github.com/yardmaster/yardmaster/experiment"
)

// CauseConfig is why figures of an experiment deviate, and what shows it.
type CauseConfig struct {
	Text   string   `yaml:"text" required:"true" doc:"The cause that was found; or that none is known, and what was ruled out."`
	Checks []string `yaml:"checks" required:"true" doc:"Commands that show it: yardmaster ..., or go test ..."`
}

func (c *CauseConfig) String() string {
	return c.Text + " (shown by: " + strings.Join(c.Checks, "; ") + ")"
}

// BandConfig says how wide the bands of deviations.yaml are made.
type BandConfig struct {
	Least  model.Fraction `yaml:"least" min:"0" max:"1" doc:"Least that a figure may move, as a share of ours."`
	Reason string         `yaml:"reason,omitempty" doc:"Why."`
}

// Deviation is one line of deviations.yaml: a figure that deviates with all repetitions or with those of
// --quick, and the band that ours is to stay in with both.
type Deviation struct {
	Experiment string    `yaml:"experiment" required:"true" doc:"Name of the experiment."`
	Figure     string    `yaml:"figure" required:"true" doc:"Name of the figure."`
	Paper      *float64  `yaml:"paper" doc:"The published value, or nothing for a relation."`
	Ours       float64   `yaml:"ours" required:"true" doc:"Ours with all repetitions."`
	Band       []float64 `yaml:"band" required:"true" doc:"[LOW, HIGH] that ours must lie in."`
	Full       string    `yaml:"full,omitempty" oneof:"deviates,within,holds,undecided" doc:"The verdict with all repetitions; deviates if left out."`
	Quick      string    `yaml:"quick,omitempty" oneof:"deviates,within,holds,undecided" doc:"The verdict with --quick; deviates if left out."`
}

// deviationsFile is deviations.yaml, which the command reproduce --bands writes.
type deviationsFile struct {
	Deviations []Deviation `yaml:"deviations,omitempty" doc:"The figures that deviate."`
}

// verdict returns the verdict that the line expects.
func (d *Deviation) verdict(quick bool) string {
	v := d.Full
	if quick {
		v = d.Quick
	}
	if v == "" {
		v = Deviates
	}
	return v
}

// change says in words what of the finding is not as the line has it; d is nil where there is no line.
func (d *Deviation) change(f *Finding, quick bool) string {
	switch {
	case d == nil && f.Verdict == Deviates:
		return "deviates, and deviations.yaml does not have it"
	case d == nil:
		return ""
	case f.Verdict == Deviates && d.verdict(quick) != Deviates:
		return fmt.Sprintf("deviates; its verdict was %s", d.verdict(quick))
	case f.Verdict != d.verdict(quick) && d.verdict(quick) == Deviates:
		return fmt.Sprintf("no longer deviates from the paper; its verdict is %s", f.Verdict)
	case f.Verdict != d.verdict(quick):
		return fmt.Sprintf("its verdict is %s; it was %s", f.Verdict, d.verdict(quick))
	case !(d.Band[0] <= f.Ours && f.Ours <= d.Band[1]):
		return fmt.Sprintf("ours moved to %.4g, out of its band %.4g to %.4g", f.Ours, d.Band[0], d.Band[1])
	}
	return ""
}

// deviation returns the line about a figure, or nil.
func (e *Expected) deviation(experiment, figure string) *Deviation {
	for i := range e.deviations {
		if d := &e.deviations[i]; d.Experiment == experiment && d.Figure == figure {
			return d
		}
	}
	return nil
}

// Deviations returns the lines of deviations.yaml.
func (e *Expected) Deviations() []Deviation { return e.deviations }

// causeOf returns why the figure deviates. A figure that does so with the repetitions of --quick alone needs no
// cause of its own.
func (x *ExperimentConfig) causeOf(f *FigureConfig, known *Deviation, paper string) string {
	if c, ok := x.Causes[f.Cause]; ok {
		return c.String()
	}
	if known != nil && known.verdict(false) != Deviates && len(x.QuickSet) > 0 {
		return fmt.Sprintf("with --quick only, which shortens the experiment; in full ours is %.4g, %s (shown by: yardmaster reproduce %s/%s)",
			known.Ours, known.verdict(false), paper, x.Name)
	}
	if known != nil && known.verdict(false) != Deviates {
		return fmt.Sprintf("with %s only; with %d ours is %.4g, %s (shown by: yardmaster reproduce %s/%s)",
			digits.Count(x.QuickSeeds, "repetition"), x.Seeds, known.Ours, known.verdict(false), paper, x.Name)
	}
	return ""
}

// readDeviations reads deviations.yaml of the paper, if there is one.
func (e *Expected) readDeviations(fsys fs.FS, paper string) error {
	file := path.Join(paper, "deviations.yaml")
	src, err := fs.ReadFile(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	node, errs := strict.Parse(file, src)
	var all deviationsFile
	errs = append(errs, strict.Decode(node, &all)...)
	for i := range all.Deviations {
		if p := e.refuse(&all.Deviations[i]); p != nil {
			errs = append(errs, strict.Locate(node, fmt.Sprintf("deviations[%d]", i), []model.Problem{*p})...)
			continue
		}
		e.deviations = append(e.deviations, all.Deviations[i])
	}
	if len(errs) > 0 {
		return &strict.InputError{Err: errs}
	}
	return nil
}

// refuse returns what is wrong with a line of deviations.yaml.
func (e *Expected) refuse(d *Deviation) *model.Problem {
	if len(d.Band) != 2 || !(d.Band[0] <= d.Ours && d.Ours <= d.Band[1]) {
		return &model.Problem{Path: "band", Found: fmt.Sprint(d.Band), Allowed: fmt.Sprintf("[LOW, HIGH] with ours, %g, between them", d.Ours)}
	}
	if e.deviation(d.Experiment, d.Figure) != nil {
		return &model.Problem{Path: "figure", Found: d.Figure, Allowed: "one line for each figure"}
	}
	for i := range e.Experiments {
		x := &e.Experiments[i]
		for k := range x.Figures {
			f := &x.Figures[k]
			if x.Name != d.Experiment || f.Name != d.Figure {
				continue
			}
			if f.Cause == "" && d.verdict(false) == Deviates {
				return &model.Problem{Path: "figure", Found: d.Figure, Allowed: "figures with a cause in expected.yaml"}
			}
			return nil
		}
	}
	return &model.Problem{Path: "figure", Found: d.Experiment + ", " + d.Figure, Allowed: "a figure of expected.yaml"}
}

// WriteBands runs the paper in full and writes deviations.yaml anew: a line for each figure that deviates with all
// repetitions or with what --quick makes, which are the first of them or runs of their own where an experiment is
// shortened. Its band reaches from the smaller to the larger of both means, and on each side further by the half-width of the
// interval of the full run, or by the paper's least share. With the name of an experiment it writes the lines of that one.
// It returns what the full run found, deviating or not.
func WriteBands(ctx context.Context, fsys fs.FS, paper, only string, opt experiment.Options, out io.Writer) (all []Finding, err error) {
	e, err := loadFigures(fsys, paper)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# SPDX-License-Identifier: Apache-2.0\n#\n# Written by `yardmaster reproduce %s --bands`; the difference is for a person to review.\n", paper)
	fmt.Fprintf(&b, "# A band reaches from ours with all repetitions to ours with --quick, and further by %g %% or the half-width of the interval.\ndeviations:\n", 100*float64(e.Bands.Least))
	found := false
	for i := range e.Experiments {
		x := &e.Experiments[i]
		if len(x.Figures) == 0 || only != "" && x.Name != only {
			continue
		}
		found = true
		findings, err := e.lines(ctx, fsys, x, opt, &b)
		if err != nil {
			return nil, err
		}
		all = append(all, findings...)
	}
	if only != "" && !found {
		return nil, e.withoutFigures(only)
	}
	_, err = io.WriteString(out, b.String())
	return all, err
}

// withoutFigures is the error about an experiment that bands are asked of and that has no figures.
func (e *Expected) withoutFigures(name string) error {
	return unknown(fmt.Sprintf("paper %s has no experiment %q with figures", e.paper, name), name, e.names())
}

// bandEfforts returns how much of the experiment is run for its bands: all repetitions, and what --quick makes where that
// is not the first of them.
func (x *ExperimentConfig) bandEfforts() []effort {
	much, little := x.effort(false), x.effort(true)
	if little.short {
		return []effort{much, little}
	}
	much.seeds = max(much.seeds, little.seeds)
	return []effort{much}
}

// bandPlan says what is run for bands, which need the trace that the experiment names.
func (x *ExperimentConfig) bandPlan(fsys fs.FS, e *Expected, much effort) (*runs, error) {
	r, err := x.plan(fsys, e, much)
	if err == nil && r.standIn != "" {
		err = &strict.InputError{Err: fmt.Errorf("%s/%s: %s, which are not held against the paper; allowed: the trace", e.paper, x.Name, r.standIn)}
	}
	return r, err
}

// lines writes a line for each figure of the experiment that deviates, and returns what was found of all.
func (e *Expected) lines(ctx context.Context, fsys fs.FS, x *ExperimentConfig, opt experiment.Options, b *strings.Builder) (all []Finding, err error) {
	efforts := x.bandEfforts()
	made := make([]*runs, len(efforts))
	for i, much := range efforts {
		if made[i], err = x.bandPlan(fsys, e, much); err != nil {
			return nil, err
		}
		if err = made[i].run(ctx, opt); err != nil {
			return nil, err
		}
	}
	c, short := made[0], made[len(made)-1]
	for k := range x.Figures {
		full, err := x.Figures[k].judge(first(c.Comparison, x.Seeds))
		if err != nil {
			return nil, err
		}
		quick, err := x.Figures[k].judge(first(short.Comparison, x.QuickSeeds))
		if err != nil {
			return nil, err
		}
		if full.Verdict == Deviates || quick.Verdict == Deviates {
			b.WriteString(e.line(x.Name, &full, &quick))
		}
		full.Paper, full.Experiment = e.paper, x.Name
		all = append(all, full)
	}
	return all, nil
}

// first returns the comparison as it would be with its first n repetitions alone.
func first(c *experiment.Comparison, n int) *experiment.Comparison {
	short := *c
	n = min(n, len(c.Seeds))
	short.Seeds = c.Seeds[:n]
	short.Values = make([][][]float64, len(c.Values))
	for p := range c.Values {
		for q := range c.Values[p] {
			short.Values[p] = append(short.Values[p], c.Values[p][q][:n])
		}
	}
	return &short
}

// line is the deviation as a line of the file.
func (e *Expected) line(name string, full, quick *Finding) string {
	margin := max(float64(e.Bands.Least)*math.Abs(full.Ours), (full.High-full.Low)/2)
	low, high := min(full.Ours, quick.Ours)-margin, max(full.Ours, quick.Ours)+margin
	if min(full.Ours, quick.Ours) >= 0 {
		low = max(low, 0)
	}
	text := fmt.Sprintf("  - {experiment: %s, figure: %s", strconv.Quote(name), strconv.Quote(full.Figure))
	if full.PaperValue != nil {
		text += fmt.Sprintf(", paper: %g", *full.PaperValue)
	}
	text += fmt.Sprintf(", ours: %.4g, band: [%.4g, %.4g]", full.Ours, low, high)
	if full.Verdict != Deviates {
		text += ", full: " + full.Verdict
	}
	if quick.Verdict != Deviates {
		text += ", quick: " + quick.Verdict
	}
	return text + "}\n"
}

// Changed returns an error that says which figures are not where deviations.yaml has them.
func Changed(done []*Reproduction) error {
	var changes []string
	for _, r := range done {
		changes = append(changes, r.Changes...)
	}
	if len(changes) == 0 {
		return nil
	}
	return fmt.Errorf("figures that are not where deviations.yaml has them (%d):\n  %s", len(changes), strings.Join(changes, "\n  "))
}
