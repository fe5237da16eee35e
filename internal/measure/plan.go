// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// PlanHybrid is the command plan hybrid.
type PlanHybrid struct {
	Scenario string   `arg:"" help:"Scenario file (YAML) with a class of scale-up machines and a class of scale-out machines, and their prices."`
	Budget   float64  `placeholder:"N" help:"What all machines together may cost, in the unit of price; what the scenario's cost if left out."`
	Up       []int    `placeholder:"N,N" help:"Numbers of scale-up machines to try; 0, 1, 2, 4 and so on up to half of the budget if left out."`
	Set      []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario (repeatable)."`
	Seeds    int      `default:"3" help:"Repetitions of each cluster."`
	Format   string   `enum:"table,json" default:"table" help:"What to print: table or json."`
	Page     string   `placeholder:"FILE" help:"Write a page with the curves to this file (HTML)."`
}

// Help implements kong's detailed help.
func (PlanHybrid) Help() string {
	return `Tries clusters of the same price with more and more scale-up machines in place of
scale-out machines, on the same jobs, and says how many to replace: as long as the
mean completion time of all jobs falls, by the paired interval where there are
several seeds. Racks keep their number of machines.

Examples:
  yardmaster plan hybrid my.yaml --budget 50000
  yardmaster plan hybrid my.yaml --up 0,1,2,3 --seeds 5 --page plan.html`
}

// Replacement is one of the clusters that were tried.
type Replacement struct {
	ScaleUp  int     `json:"scale_up"`
	ScaleOut int     `json:"scale_out"`
	Price    float64 `json:"price"`
	// Seconds: means over the repetitions; those of a class are left out where no job has it.
	Makespan float64  `json:"makespan"`
	All      float64  `json:"mean_elapsed"`
	Small    *float64 `json:"mean_elapsed_small,omitempty"`
	Large    *float64 `json:"mean_elapsed_large,omitempty"`
	// Change is what the step from the cluster before does to the mean completion time of all jobs, as a share of it.
	Change *stats.Interval `json:"change,omitempty"`
}

// HybridPlan is the answer: which of the clusters to buy.
type HybridPlan struct {
	Budget   float64       `json:"budget"`
	Seeds    int           `json:"seeds"`
	Clusters []Replacement `json:"clusters"`
	Advised  int           `json:"advised"`  // index into Clusters: after it, more scale-up machines do not pay
	Replaced int           `json:"replaced"` // scale-out machines that it has less than the first cluster
}

// kinds finds the two classes of a scenario.
func kinds(s *scenario.Scenario) (up, out int, err error) {
	fault := func(found, allowed string) error {
		return &strict.InputError{Err: fmt.Errorf("%s: cluster.classes: found %s; allowed: %s", s.Name, found, allowed)}
	}
	up, out = -1, -1
	for i := range s.Cluster.Classes {
		switch c := &s.Cluster.Classes[i]; {
		case c.Store:
		case c.Name == hybrid.DefaultClass:
			up = i
		case out < 0:
			out = i
		default:
			return 0, 0, fault("several classes beside "+hybrid.DefaultClass, "one, the machines to replace")
		}
	}
	if up < 0 || out < 0 {
		return 0, 0, fault(fmt.Sprintf("%d classes", len(s.Cluster.Classes)), "a class "+hybrid.DefaultClass+" and a class of the machines to replace")
	}
	for _, i := range []int{up, out} {
		if c := &s.Cluster.Classes[i]; c.Price == 0 {
			return 0, 0, fault("no price of "+c.Name, fmt.Sprintf("a price of each class, such as by --set cluster.classes[%d].price=1000", i))
		}
	}
	return up, out, nil
}

// market is what can be bought.
type market struct {
	s       *scenario.Scenario
	up, out int // classes
	budget  float64
}

// numbers returns the scale-out machines beside a number of scale-up machines, and what all cost.
func (m *market) numbers(ups int) (outs int, price float64) {
	pu, po := m.s.Cluster.Classes[m.up].Price, m.s.Cluster.Classes[m.out].Price
	outs = int(math.Floor((m.budget-float64(ups)*pu)/po + 1e-9))
	return outs, float64(ups)*pu + float64(outs)*po
}

// tries returns the numbers of scale-up machines that are tried unless the user says them.
func (m *market) tries() []int {
	list := []int{0}
	for n := 1; float64(n)*m.s.Cluster.Classes[m.up].Price <= m.budget/2; n *= 2 {
		list = append(list, n)
	}
	return list
}

// variant returns the scenario with a cluster of such machines.
func (m *market) variant(ups, outs int) (experiment.Variant, error) {
	var classes []cluster.ClassConfig
	for i := range m.s.Cluster.Classes {
		c := m.s.Cluster.Classes[i]
		n := map[int]int{m.up: ups, m.out: outs}[i]
		if i == m.up || i == m.out {
			if n == 0 {
				continue
			}
			if c.OwnRacks > 0 {
				perRack := (c.Nodes + c.OwnRacks - 1) / c.OwnRacks
				c.OwnRacks = (n + perRack - 1) / perRack
			}
			c.Nodes = n
		}
		classes = append(classes, c)
	}
	settings := []strict.Setting{{Path: "cluster.classes", Value: string(strict.Encode(classes).JSON(""))}}
	changed, err := scenario.Changed(m.s, settings)
	if err != nil {
		return experiment.Variant{}, err
	}
	choice := changed.Policy
	choice.As = fmt.Sprintf("%d-up-%d-out", ups, outs)
	return experiment.Variant{Scenario: changed, Policy: choice, Change: &scenario.Change{Label: choice.As, Settings: settings}}, nil
}

// Plan tries the clusters. up may be nil.
func Plan(ctx context.Context, s *scenario.Scenario, budget float64, up []int, seeds int) (*HybridPlan, error) {
	m := &market{s: s, budget: budget}
	var err error
	if m.up, m.out, err = kinds(s); err != nil {
		return nil, err
	}
	if budget == 0 {
		for i := range s.Cluster.Classes {
			m.budget += float64(s.Cluster.Classes[i].Nodes) * s.Cluster.Classes[i].Price
		}
	}
	if up == nil {
		up = m.tries()
	}
	p := &HybridPlan{Budget: m.budget, Seeds: seeds}
	var variants []experiment.Variant
	for i, ups := range up {
		outs, price := m.numbers(ups)
		if ups < 0 || outs < 0 || ups+outs == 0 || i > 0 && ups <= up[i-1] {
			return nil, &strict.InputError{Err: fmt.Errorf("%d scale-up machines for %g; allowed: rising numbers that the budget pays for", ups, m.budget)}
		}
		v, err := m.variant(ups, outs)
		if err != nil {
			return nil, err
		}
		variants = append(variants, v)
		p.Clusters = append(p.Clusters, Replacement{ScaleUp: ups, ScaleOut: outs, Price: price})
	}
	names := []string{"makespan", "mean_elapsed", "class:" + s.Cluster.Classes[m.up].Name + ".mean_elapsed", "class:" + s.Cluster.Classes[m.out].Name + ".mean_elapsed"}
	if s.Machines() == nil { // no job has a class
		names = names[:2]
	}
	var queries []metrics.Query
	for _, name := range names {
		q, err := metrics.ParseQuery(name)
		if err != nil {
			return nil, err
		}
		queries = append(queries, q)
	}
	c, err := experiment.CompareVariants(ctx, s, variants, seeds, queries, experiment.Options{})
	if err != nil {
		return nil, err
	}
	p.fill(c)
	return p, nil
}

// fill takes over what was measured and finds where it stops paying: at the cluster after which the next one is not
// better, by the interval if there is one.
func (p *HybridPlan) fill(c *experiment.Comparison) {
	pays := true
	for i := range p.Clusters {
		r := &p.Clusters[i]
		r.Makespan, r.All = c.Mean(i, 0).Mean, c.Mean(i, 1).Mean
		if len(c.Queries) > 2 {
			small, large := c.Mean(i, 2).Mean, c.Mean(i, 3).Mean
			r.Small, r.Large = &small, &large
		}
		if i == 0 {
			continue
		}
		if change, ok := stats.PairedShare(c.Values[i-1][1], c.Values[i][1]); ok {
			r.Change = &change
		}
		if pays = pays && r.Change != nil && r.Change.High < 0; pays {
			p.Advised = i
		}
	}
	p.Replaced = p.Clusters[0].ScaleOut - p.Clusters[p.Advised].ScaleOut
}

// rows returns the table of the plan.
func (p *HybridPlan) rows() [][]string {
	seconds := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.0f s", *v)
	}
	rows := [][]string{{"", "scale-up", "scale-out", "price", "all jobs", "small", "large", "makespan", "step"}}
	for i := range p.Clusters {
		r := &p.Clusters[i]
		mark, step := "", "-"
		if i == p.Advised {
			mark = "*"
		}
		if r.Change != nil {
			step = fmt.Sprintf("%+.1f %% (%+.1f .. %+.1f)", 100*r.Change.Mean, 100*r.Change.Low, 100*r.Change.High)
		}
		rows = append(rows, []string{mark, fmt.Sprint(r.ScaleUp), fmt.Sprint(r.ScaleOut), fmt.Sprintf("%g", r.Price), seconds(&r.All), seconds(r.Small), seconds(r.Large), seconds(&r.Makespan), step})
	}
	return rows
}

// advice says what to do in a sentence.
func (p *HybridPlan) advice() string {
	best := &p.Clusters[p.Advised]
	if p.Advised == 0 {
		return "No scale-out machine is worth replacing: the next cluster is no better."
	}
	text := fmt.Sprintf("Replace %d scale-out machines by %d scale-up machines", p.Replaced, best.ScaleUp)
	if p.Advised == len(p.Clusters)-1 {
		return text + ": every cluster that was tried is better than the one before; try more."
	}
	return text + fmt.Sprintf("; %d no longer pay.", p.Clusters[p.Advised+1].ScaleUp)
}

// page returns the plan with its curves.
func (p *HybridPlan) page(name string) *report.PaperPage {
	chart := plot.Chart{Name: "completion", Title: "Mean completion time, and makespan", Text: p.advice(),
		X: plot.Axis{Label: "scale-up machines", Zero: true}, Y: plot.Axis{Label: "seconds", Log: true}}
	for _, line := range []struct {
		name  string
		value func(*Replacement) *float64
	}{
		{"all jobs", func(r *Replacement) *float64 { return &r.All }}, {"small jobs", func(r *Replacement) *float64 { return r.Small }},
		{"large jobs", func(r *Replacement) *float64 { return r.Large }}, {"makespan", func(r *Replacement) *float64 { return &r.Makespan }},
	} {
		series := plot.Series{Name: line.name}
		for i := range p.Clusters {
			if v := line.value(&p.Clusters[i]); v != nil {
				series.Points = append(series.Points, plot.Point{X: float64(p.Clusters[i].ScaleUp), Y: *v, Low: *v, High: *v})
			}
		}
		if series.Points != nil {
			chart.Series = append(chart.Series, series)
		}
	}
	return &report.PaperPage{Title: "How many machines to replace", Subtitle: name, Notes: []string{p.advice()},
		Facts: [][2]string{{"Budget", fmt.Sprintf("%g", p.Budget)}, {"Seeds", fmt.Sprint(p.Seeds)}}, Charts: []plot.Chart{chart}}
}

// Run implements the command.
func (c *PlanHybrid) Run(sh *Shell) error {
	var settings []strict.Setting
	for _, text := range c.Set {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return &strict.InputError{Err: fmt.Errorf("--set %s: allowed: PATH=VALUE, such as cluster.classes[0].price=5000", text)}
		}
		settings = append(settings, strict.Setting{Path: path, Value: value})
	}
	if c.Seeds < 1 || c.Budget < 0 || math.IsInf(c.Budget, 0) || math.IsNaN(c.Budget) {
		return &strict.InputError{Err: fmt.Errorf("--seeds %d --budget %g: allowed: at least one seed, and a budget of at least 0", c.Seeds, c.Budget)}
	}
	s, _, err := scenario.LoadOrBuiltin(c.Scenario, settings)
	if err != nil {
		return err
	}
	plan, err := Plan(sh.Ctx, s, c.Budget, c.Up, c.Seeds)
	if err != nil {
		return err
	}
	if c.Page != "" {
		var page bytes.Buffer
		if err := report.WritePaper(&page, plan.page(s.Name)); err != nil {
			return err
		}
		if err := result.WriteFile(c.Page, page.Bytes()); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		b, err := json.MarshalIndent(plan, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(sh.Out, "%s\n", b)
		}
		return err
	}
	printColumns(sh.Out, plan.rows())
	_, err = fmt.Fprintf(sh.Out, "\n%s\n", plan.advice())
	return err
}
