// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// Expected is expected.yaml of a paper: its experiments and what was published about them.
type Expected struct {
	Title       string             `yaml:"title" required:"true" doc:"What the folder reproduces."`
	Experiments []ExperimentConfig `yaml:"experiments" required:"true" doc:"The experiments."`
}

// ExperimentConfig is one experiment: a scenario, settings, policies and figures.
type ExperimentConfig struct {
	Name       string            `yaml:"name" required:"true" doc:"Name of the experiment."`
	Scenario   string            `yaml:"scenario" required:"true" doc:"Scenario file in the same folder."`
	Set        map[string]string `yaml:"set,omitempty" doc:"Settings on top of the scenario: path to value."`
	Policies   []string          `yaml:"policies,omitempty" doc:"Policies to run; the scenario's if left out."`
	Seeds      int               `yaml:"seeds" min:"1" doc:"Repetitions."`
	QuickSeeds int               `yaml:"quick-seeds" min:"1" doc:"Repetitions with --quick."`
	Figures    []FigureConfig    `yaml:"figures" required:"true" doc:"What is compared."`
}

// SetDefaults fills what the file leaves out.
func (c *ExperimentConfig) SetDefaults() { *c = ExperimentConfig{Seeds: 10, QuickSeeds: 3} }

// FigureConfig is one published figure or statement.
type FigureConfig struct {
	Name   string    `yaml:"name" required:"true" doc:"What the figure is."`
	Source string    `yaml:"source" required:"true" doc:"Where it stands: table, figure, section, formula."`
	Metric string    `yaml:"metric,omitempty" doc:"Query for a number: METRIC or QUEUE.METRIC."`
	Policy string    `yaml:"policy,omitempty" doc:"Policy that the number is taken from; the only one if left out."`
	Value  *float64  `yaml:"value" doc:"The published value; left out where it is withheld or unreadable."`
	Within Tolerance `yaml:"within" doc:"When ours counts as the same: interval, or a share such as 2%."`
	Reason string    `yaml:"reason,omitempty" doc:"Why the tolerance is what it is."`
	Holds  string    `yaml:"holds,omitempty" doc:"Instead of a value: a relation that must be true of ours, such as fair@mean_slowdown < 0.6 * fifo@mean_slowdown."`
	Cause  string    `yaml:"cause,omitempty" doc:"If ours deviates: the cause that was found."`
}

// Tolerance is interval (the published value lies in our confidence interval) or a share of it.
type Tolerance struct {
	Interval bool
	Share    model.Fraction
}

// UnmarshalText reads interval or a share.
func (t *Tolerance) UnmarshalText(text []byte) error {
	if string(text) == "interval" {
		*t = Tolerance{Interval: true}
		return nil
	}
	*t = Tolerance{}
	return t.Share.UnmarshalText(text)
}

// MarshalText writes the form that UnmarshalText reads.
func (t Tolerance) MarshalText() ([]byte, error) {
	if t.Interval {
		return []byte("interval"), nil
	}
	return t.Share.MarshalText()
}

// Allowed describes the accepted text.
func (Tolerance) Allowed() string { return "interval, or a share such as 2%" }

// TypeName is the name of the type in the reference.
func (Tolerance) TypeName() string { return "interval or share" }

// The verdicts, a closed list.
const (
	Within      = "within"       // a number inside its tolerance
	HoldsTrue   = "holds"        // a relation that the paper states is true of ours
	Deviates    = "deviates"     // with the cause
	NoReference = "no-reference" // ours alone
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

// Papers returns the names of the papers in fsys.
func Papers(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, err := fs.Stat(fsys, path.Join(e.Name(), "expected.yaml")); e.IsDir() && err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// LoadExpected reads the expected figures of a paper.
func LoadExpected(fsys fs.FS, paper string) (*Expected, error) {
	file := path.Join(paper, "expected.yaml")
	src, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	node, errs := strict.Parse(file, src)
	e := &Expected{}
	errs = append(errs, strict.Decode(node, e)...)
	for i := range e.Experiments {
		x := &e.Experiments[i]
		for k := range x.Figures {
			errs = append(errs, strict.Locate(node, fmt.Sprintf("experiments[%d].figures[%d]", i, k), x.Figures[k].validate())...)
		}
	}
	if len(errs) > 0 {
		return nil, &InputError{errs}
	}
	return e, nil
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
	return nil
}

// Reproduce runs the experiments of a paper whose names have the given prefix.
func Reproduce(ctx context.Context, fsys fs.FS, paper, only string, quick bool, opt Options) ([]Finding, error) {
	e, err := LoadExpected(fsys, paper)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	found := only == ""
	for i := range e.Experiments {
		x := &e.Experiments[i]
		if only != "" && x.Name != only {
			continue
		}
		found = true
		more, err := reproduceOne(ctx, fsys, paper, x, quick, opt)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", paper, x.Name, err)
		}
		findings = append(findings, more...)
	}
	if !found {
		names := make([]string, len(e.Experiments))
		for i := range names {
			names[i] = e.Experiments[i].Name
		}
		msg := fmt.Sprintf("paper %s has no experiment %q; allowed: %s", paper, only, strings.Join(names, ", "))
		return nil, &InputError{fmt.Errorf("%s", msg)}
	}
	return findings, nil
}

func reproduceOne(ctx context.Context, fsys fs.FS, paper string, x *ExperimentConfig, quick bool, opt Options) ([]Finding, error) {
	file := path.Join(paper, x.Scenario)
	src, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	var settings []Setting
	for _, p := range sortedKeys(x.Set) {
		settings = append(settings, Setting{p, x.Set[p]})
	}
	s, err := Parse(file, src, settings)
	if err != nil {
		return nil, err
	}
	choices := s.Policies
	if len(x.Policies) > 0 {
		if choices, err = s.Pick(x.Policies); err != nil {
			return nil, err
		}
	}
	if len(choices) == 0 {
		choices = []PolicyChoice{s.Policy}
	}
	queries := x.queries()
	seeds := x.Seeds
	if quick {
		seeds = x.QuickSeeds
	}
	c, err := Compare(ctx, s, choices, seeds, queries, opt)
	if err != nil {
		return nil, err
	}
	if c.Stopped {
		return nil, context.Canceled
	}
	var findings []Finding
	for i := range x.Figures {
		f, err := x.Figures[i].judge(c)
		if err != nil {
			return nil, err
		}
		f.Paper, f.Experiment = paper, x.Name
		findings = append(findings, f)
	}
	return findings, nil
}

// queries returns what the figures ask for, each once. The figures are valid.
func (x *ExperimentConfig) queries() (queries []metrics.Query) {
	add := func(q metrics.Query) {
		if !slices.Contains(queries, q) {
			queries = append(queries, q)
		}
	}
	for i := range x.Figures {
		if f := &x.Figures[i]; f.Metric != "" {
			q, _ := metrics.ParseQuery(f.Metric)
			add(q)
		} else {
			r, _ := parseRelation(f.Holds)
			add(r.left.query)
			if r.right.policy != "" {
				add(r.right.query)
			}
		}
	}
	return queries
}

// judge compares one figure with what was measured.
func (f *FigureConfig) judge(c *Comparison) (Finding, error) {
	out := Finding{Figure: f.Name, Source: f.Source, PaperValue: f.Value}
	if f.Holds != "" {
		return f.judgeRelation(c, out)
	}
	query, _ := metrics.ParseQuery(f.Metric)
	switch query.By {
	case "queue":
		out.Queue = query.Value
	case "class":
		out.Class = query.Value
	}
	p, err := c.find(f.Policy)
	if err != nil {
		return out, err
	}
	i := c.Mean(p, slices.Index(c.Queries, query))
	out.Ours, out.Low, out.High = i.Mean, i.Low, i.High
	if f.Value == nil {
		out.Verdict = NoReference
		return out, nil
	}
	if *f.Value != 0 {
		d := i.Mean / *f.Value - 1
		out.Deviation = &d
	}
	inside := math.Abs(i.Mean-*f.Value) <= float64(f.Within.Share)*math.Abs(*f.Value)
	if f.Within.Interval {
		inside = i.Known() && i.Low <= *f.Value && *f.Value <= i.High
	}
	out.Verdict = Within
	if !inside {
		out.Verdict, out.Cause = Deviates, f.Cause
	}
	return out, nil
}

// find returns the index of the policy with this label; empty means the first.
func (c *Comparison) find(label string) (int, error) {
	if label == "" {
		return 0, nil
	}
	if i := slices.Index(c.Labels(), label); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("policy %q is not among those of the experiment: %s", label, strings.Join(c.Labels(), ", "))
}
