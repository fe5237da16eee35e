// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/scenario"
)

// Expected is expected.yaml of a paper: its experiments and what was published about them.
type Expected struct {
	Title       string             `yaml:"title" required:"true" doc:"What the folder reproduces."`
	Experiments []ExperimentConfig `yaml:"experiments" required:"true" doc:"The experiments."`
	Charts      []ChartConfig      `yaml:"charts,omitempty" doc:"Drawings of the experiments' runs for the paper's page."`
	Readings    []ReadingsConfig   `yaml:"readings,omitempty" doc:"What the text leaves open, read in several ways."`
	Bands       BandConfig         `yaml:"bands" doc:"How far figures that deviate may move."`

	paper      string      // name of the folder
	deviations []Deviation // of deviations.yaml, in its order
}

// ExperimentConfig is one experiment: a scenario, settings, policies and figures.
type ExperimentConfig struct {
	Name       string            `yaml:"name" required:"true" doc:"Name of the experiment."`
	Like       string            `yaml:"like,omitempty" doc:"An experiment further up whose scenario, policies, figures and tables this one has too, where it gives none of its own: the same question of another workload or cluster."`
	Scenario   string            `yaml:"scenario,omitempty" doc:"Scenario file in the same folder; required without like."`
	Set        map[string]string `yaml:"set,omitempty" doc:"Settings on top of the scenario: path to value."`
	Policies   []ChoiceConfig    `yaml:"policies,omitempty" doc:"Policies to run, each a name or {NAME: PARAMETERS, as: LABEL, set: {PATH: VALUE}} with settings of its own; the scenario's if left out."`
	Grid       []string          `yaml:"grid,omitempty" doc:"Further policies: all combinations of policy.NAME.PARAMETER=VALUE,VALUE."`
	Seeds      int               `yaml:"seeds" min:"1" doc:"Repetitions."`
	QuickSeeds int               `yaml:"quick-seeds" min:"1" doc:"Repetitions with --quick."`
	QuickSet   map[string]string `yaml:"quick-set,omitempty" doc:"Settings on top of set with --quick, such as a shorter span of a trace. The figures are judged by the same rule, and their sources say so."`
	Figures    []FigureConfig    `yaml:"figures,omitempty" doc:"What is compared; may be left out with charts."`
	Tables     []TableConfig     `yaml:"tables,omitempty" doc:"Published tables: figures in rows and columns."`

	Causes map[string]CauseConfig `yaml:"causes,omitempty" doc:"Why figures of the experiment deviate, by name."`

	changes []strict.Setting // of Try, on top of Set
}

// SetDefaults fills what the file leaves out.
func (c *ExperimentConfig) SetDefaults() { *c = ExperimentConfig{Seeds: 10, QuickSeeds: 3} }

// FigureConfig is one published figure or statement.
type FigureConfig struct {
	Name   string    `yaml:"name" required:"true" doc:"What the figure is."`
	Source string    `yaml:"source" required:"true" doc:"Where it stands: table, figure, section, formula."`
	Metric string    `yaml:"metric,omitempty" doc:"Query for a number: METRIC or QUEUE.METRIC."`
	Policy string    `yaml:"policy,omitempty" doc:"Policy that the number is taken from; the only one if left out."`
	Value  *float64  `yaml:"value" doc:"The published value; left out where our copy of the paper has none."`
	Within Tolerance `yaml:"within" doc:"When our mean counts as the same: a share such as 2%, or a difference such as by 0.02."`
	Range  []float64 `yaml:"range,omitempty" doc:"Instead of within: [LOW, HIGH], which our mean must lie in."`
	Than   string    `yaml:"than,omitempty" doc:"The number is by how large a share the policy's value is below this policy's, repetition by repetition."`
	Over   string    `yaml:"over,omitempty" oneof:"mean,min,q1,median,q3,max,iqr" doc:"What is taken over the repetitions; the mean if left out; iqr is the range from quartile to quartile. Others than the mean have no interval."`
	Seeds  int       `yaml:"seeds,omitempty" min:"1" doc:"Use this number of repetitions only, the first ones, such as the paper's own number."`
	Pooled bool      `yaml:"pooled,omitempty" doc:"For a coefficient of variation (cv_...): over the jobs of all repetitions together, not the mean of those of each."`
	Reason string    `yaml:"reason,omitempty" doc:"Why the tolerance is what it is."`
	Holds  string    `yaml:"holds,omitempty" doc:"Instead of a value: a relation that must be true of ours, such as fair@mean_slowdown < 0.6 * fifo@mean_slowdown, or fair@makespan ~ fifo@makespan within 5%."`
	Cause  string    `yaml:"cause,omitempty" doc:"If ours deviates: the name of one of the experiment's causes."`
}

// Tolerance is a share of the published value or a difference from it.
type Tolerance struct {
	Share model.Fraction
	By    float64
}

// UnmarshalText reads a share or a difference.
func (t *Tolerance) UnmarshalText(text []byte) (err error) {
	*t = Tolerance{}
	if by, ok := strings.CutPrefix(string(text), "by "); ok {
		if t.By, err = strconv.ParseFloat(by, 64); err == nil && !(t.By >= 0 && t.By < math.Inf(1)) {
			err = fmt.Errorf("bad difference %q", by)
		}
		return err
	}
	return t.Share.UnmarshalText(text)
}

// MarshalText writes the form that UnmarshalText reads.
func (t Tolerance) MarshalText() ([]byte, error) {
	if t.By > 0 {
		return fmt.Appendf(nil, "by %g", t.By), nil
	}
	return t.Share.MarshalText()
}

// Allowed describes the accepted text.
func (Tolerance) Allowed() string { return "a share such as 2%, or a difference such as by 0.02" }

// TypeName is the name of the type in the reference.
func (Tolerance) TypeName() string { return "share or difference" }

// The verdicts, a closed list.
const (
	Within      = "within"       // a number whose mean is inside its tolerance
	HoldsTrue   = "holds"        // a relation that the paper states is true of ours: the paired interval excludes equality
	Undecided   = "undecided"    // a relation that our repetitions cannot tell: the interval includes equality
	Deviates    = "deviates"     // with the cause
	NoReference = "no-reference" // ours alone: our copy of the paper has no value, or the jobs are not those of its trace
)

// Finding is one line of a reproduction. The JSON keys are fixed.
type Finding struct {
	Paper      string   `json:"paper"`
	Experiment string   `json:"experiment"`
	Figure     string   `json:"figure"`
	Queue      string   `json:"queue"`
	Class      string   `json:"class"`
	Source     string   `json:"source"`
	PaperValue *float64 `json:"paper_value"`
	Ours       float64  `json:"ours"`
	Low        float64  `json:"low"`
	High       float64  `json:"high"`
	Deviation  *float64 `json:"deviation"` // relative to the paper's value
	Verdict    string   `json:"verdict"`
	Cause      string   `json:"cause"`
}

// LoadExpected reads the expected figures of a paper and its known deviations.
func LoadExpected(fsys fs.FS, paper string) (*Expected, error) {
	e, err := loadFigures(fsys, paper)
	if err != nil {
		return nil, err
	}
	return e, e.readDeviations(fsys, paper)
}

// loadFigures reads expected.yaml.
func loadFigures(fsys fs.FS, paper string) (*Expected, error) {
	file := path.Join(paper, "expected.yaml")
	src, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	node, errs := strict.Parse(file, src)
	e := &Expected{paper: paper}
	errs = append(errs, strict.Decode(node, e)...)
	for i := range e.Experiments {
		at, x := fmt.Sprintf("experiments[%d]", i), &e.Experiments[i]
		errs = append(errs, strict.Locate(node, at, x.inherit(e.Experiments[:i]))...)
		errs = append(errs, strict.Locate(node, at, x.complete())...)
	}
	for i := range e.Charts {
		errs = append(errs, strict.Locate(node, fmt.Sprintf("charts[%d]", i), e.Charts[i].validate(e))...)
	}
	for i := range e.Readings {
		errs = append(errs, strict.Locate(node, fmt.Sprintf("readings[%d]", i), e.Readings[i].validate(e))...)
	}
	for i := range e.Experiments {
		x := &e.Experiments[i]
		drawn := slices.ContainsFunc(e.Charts, func(c ChartConfig) bool { return c.Experiment == x.Name })
		if len(x.Figures)+len(x.Tables) == 0 && !drawn {
			errs = append(errs, strict.Locate(node, fmt.Sprintf("experiments[%d]", i), []model.Problem{
				{Found: "neither figures nor tables, and no chart draws it", Allowed: "at least one of them"}})...)
		}
	}
	if len(errs) > 0 {
		return nil, &strict.InputError{Err: errs}
	}
	return e, nil
}

// inherit takes what the experiment leaves out from the one before it that it is like.
func (x *ExperimentConfig) inherit(before []ExperimentConfig) []model.Problem {
	if x.Like == "" {
		if x.Scenario == "" {
			return []model.Problem{{Path: "scenario", Found: "missing", Allowed: "a scenario file in the same folder, or like"}}
		}
		return nil
	}
	i := slices.IndexFunc(before, func(o ExperimentConfig) bool { return o.Name == x.Like })
	if i < 0 {
		return []model.Problem{{Path: "like", Found: x.Like, Allowed: "the name of an experiment further up"}}
	}
	of := &before[i]
	x.Scenario = cmp.Or(x.Scenario, of.Scenario)
	if x.Policies == nil && x.Grid == nil {
		x.Policies, x.Grid = of.Policies, of.Grid
	}
	if x.Figures == nil && x.Tables == nil { // those of its tables are among its figures
		x.Figures = slices.Clone(of.Figures)
	}
	return nil
}

// complete adds the figures of the tables, and returns the faults of both.
func (x *ExperimentConfig) complete() (problems []model.Problem) {
	within := func(path string, more []model.Problem) {
		for _, p := range more {
			p.Path = strings.TrimSuffix(path+"."+p.Path, ".")
			problems = append(problems, p)
		}
	}
	for k := range x.Figures {
		within(fmt.Sprintf("figures[%d]", k), x.Figures[k].validate())
	}
	for k := range x.Tables {
		figures, more := x.Tables[k].figures()
		within(fmt.Sprintf("tables[%d]", k), more)
		x.Figures = append(x.Figures, figures...)
	}
	for i := range x.Figures {
		if cause := x.Figures[i].Cause; cause != "" {
			if _, ok := x.Causes[cause]; !ok {
				problems = append(problems, model.Problem{Path: "causes", Found: fmt.Sprintf("figure %q names cause %q", x.Figures[i].Name, cause),
					Allowed: "one of " + strings.Join(slices.Sorted(maps.Keys(x.Causes)), ", ")})
			}
		}
	}
	return problems
}

func (f *FigureConfig) validate() []model.Problem {
	if (f.Metric == "") == (f.Holds == "") {
		return []model.Problem{{Found: "metric and holds both given or both left out", Allowed: "exactly one of them"}}
	}
	if f.Holds != "" {
		if _, err := parseRelation(f.Holds); err != nil {
			return []model.Problem{{Path: "holds", Found: f.Holds, Allowed: err.Error()}}
		}
		return nil
	}
	if _, err := metrics.ParseQuery(f.Metric); err != nil {
		return []model.Problem{{Path: "metric", Found: f.Metric, Allowed: err.Error()}}
	}
	if n := len(f.Range); n != 0 && (n != 2 || f.Range[0] > f.Range[1]) {
		return []model.Problem{{Path: "range", Found: fmt.Sprint(f.Range), Allowed: "[LOW, HIGH]"}}
	}
	return nil
}

// Reproduction is what became of a paper's experiments.
type Reproduction struct {
	Paper, Title string
	Quick        bool
	Findings     []Finding
	Statements   [][]string   // the table of the paper's statements, head first; empty if it has none
	Charts       []plot.Chart // in the order of the file
	Readings     []Reading    // in the order of the file
	// Changes says in words which figures are not where deviations.yaml has them: new deviations, deviations
	// that ended, and those that left their band.
	Changes []string

	drawn [][]plot.Chart // by chart of the file
}

// Reproduce runs the experiments of a paper: all, or the one of the given name.
func Reproduce(ctx context.Context, fsys fs.FS, paper, only string, quick bool, opt experiment.Options) (*Reproduction, error) {
	e, err := LoadExpected(fsys, paper)
	if err != nil {
		return nil, err
	}
	return e.reproduce(ctx, fsys, &Reproduction{Paper: paper, Title: e.Title, Quick: quick}, only, opt)
}

// reproduce runs the experiments, all or one.
func (e *Expected) reproduce(ctx context.Context, fsys fs.FS, out *Reproduction, only string, opt experiment.Options) (*Reproduction, error) {
	out.drawn = make([][]plot.Chart, len(e.Charts))
	var err error
	if out.Statements, err = statements(fsys, out.Paper); err != nil {
		return nil, err
	}
	parts, err := e.parts(fsys, only, out.Quick)
	if err == nil && opt.Measured == nil {
		opt.Kept, err = kept(parts)
	}
	if err != nil {
		return nil, err
	}
	for i := range e.Experiments {
		x := &e.Experiments[i]
		if only != "" && x.Name != only {
			continue
		}
		if err := out.add(ctx, fsys, e, x, opt); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", out.Paper, x.Name, err)
		}
	}
	for i := range e.Readings {
		c := &e.Readings[i]
		if only != "" && c.Name != only {
			continue
		}
		if err := out.read(ctx, fsys, e, c, opt); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", out.Paper, c.Name, err)
		}
	}
	out.Charts = slices.Concat(out.drawn...)
	return out, nil
}

// names returns the names of the experiments.
func (e *Expected) names() []string {
	names := make([]string, len(e.Experiments))
	for i := range names {
		names[i] = e.Experiments[i].Name
	}
	return names
}

// add runs one experiment and adds its findings and charts.
func (r *Reproduction) add(ctx context.Context, fsys fs.FS, e *Expected, x *ExperimentConfig, opt experiment.Options) error {
	c, err := x.run(ctx, fsys, e, x.effort(r.Quick), opt)
	if err != nil {
		return err
	}
	add := func(f Finding) {
		f.Paper, f.Experiment = r.Paper, x.Name
		f.Source += c.shortened
		if c.standIn != "" {
			f.PaperValue, f.Deviation, f.Verdict, f.Cause = nil, nil, NoReference, c.standIn
		}
		r.Findings = append(r.Findings, f)
	}
	for i := range x.Figures {
		f, err := x.Figures[i].judge(c.Comparison)
		if err != nil {
			return err
		}
		if c.standIn != "" {
			add(f)
			continue
		}
		known := e.deviation(x.Name, f.Figure)
		if f.Verdict == Deviates {
			f.Cause = x.causeOf(&x.Figures[i], known, r.Paper)
		}
		if change := known.change(&f, r.Quick); change != "" {
			r.Changes = append(r.Changes, fmt.Sprintf("%s/%s, %s: %s", r.Paper, x.Name, f.Figure, change))
		}
		add(f)
	}
	for i := range e.Charts {
		if e.Charts[i].Experiment != x.Name {
			continue
		}
		d := &drawer{ChartConfig: &e.Charts[i], c: c.Comparison, points: c.points, first: len(c.Policies) - len(c.points)}
		charts, err := d.draw()
		if err != nil {
			return err
		}
		r.drawn[i] = charts
		for _, f := range d.findings {
			add(f)
		}
	}
	return nil
}

// runs is an experiment as it is run: the policies that it names and behind them the points of its grid.
type runs struct {
	*experiment.Comparison // what became of them; nil before they are run
	contest                experiment.Contest
	points                 []experiment.Point
	standIn                string // why jobs are not those of a trace that a scenario names; empty if they are

	shortened string // what of the experiment --quick changed beside repetitions, in words; empty if nothing
}

// effort is how much of an experiment is run.
type effort struct {
	seeds int
	short bool // with quick-set
}

// effort returns how much of the experiment is run, with --quick or in full.
func (x *ExperimentConfig) effort(quick bool) effort {
	if quick {
		return effort{x.QuickSeeds, len(x.QuickSet) > 0}
	}
	return effort{seeds: x.Seeds}
}

// run runs the experiment.
func (x *ExperimentConfig) run(ctx context.Context, fsys fs.FS, e *Expected, much effort, opt experiment.Options) (*runs, error) {
	out, err := x.plan(fsys, e, much)
	if err == nil {
		err = out.run(ctx, opt)
	}
	return out, err
}

// run fills the comparison.
func (r *runs) run(ctx context.Context, opt experiment.Options) (err error) {
	r.Comparison, err = r.contest.Compare(ctx, opt)
	if err == nil && r.Stopped {
		err = context.Canceled
	}
	return err
}

// plan says what is run.
func (x *ExperimentConfig) plan(fsys fs.FS, e *Expected, much effort) (*runs, error) {
	s, err := x.scenario(fsys, e.paper, much.short)
	if err != nil {
		return nil, err
	}
	variants, err := x.Variants(s)
	if err != nil {
		return nil, err
	}
	out := &runs{}
	if much.short {
		between := "; quick: "
		for _, set := range sorted(x.QuickSet) {
			out.shortened += between + set.Path + "=" + set.Value
			between = ", "
		}
	}
	if out.points, err = x.grid(s); err != nil {
		return nil, err
	}
	for i := range out.points {
		variants = append(variants, experiment.Variant{Scenario: s, Policy: out.points[i].Choice})
	}
	for i := range variants {
		if out.standIn == "" {
			out.standIn = variants[i].Scenario.StandIn()
		}
	}
	out.contest = experiment.Contest{Scenario: s, Variants: variants, Seeds: much.seeds, Queries: x.queries(e)}
	return out, nil
}

// scenario returns the experiment's scenario with its settings, those of --quick among them where it is short.
func (x *ExperimentConfig) scenario(fsys fs.FS, paper string, short bool) (*scenario.Scenario, error) {
	file := path.Join(paper, x.Scenario)
	src, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	settings := sorted(x.Set)
	if short {
		settings = append(settings, sorted(x.QuickSet)...)
	}
	return scenario.Parse(file, src, append(settings, x.changes...))
}

// grid returns the policies of the experiment's grid.
func (x *ExperimentConfig) grid(s *scenario.Scenario) ([]experiment.Point, error) {
	var axes []experiment.Axis
	for _, text := range x.Grid {
		axis, err := experiment.ParseAxis(text)
		if err != nil {
			return nil, err
		}
		axes = append(axes, axis)
	}
	if len(axes) == 0 {
		return nil, nil
	}
	return experiment.PolicyGrid(s, axes)
}
