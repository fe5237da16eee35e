// SPDX-License-Identifier: Apache-2.0

// Package report turns results into things that people read: one self-contained HTML page
// (Write) and a plain-text table for a terminal (Table).
//
// The page asks nothing of any network: style sheet, scripts and data are part of the file and a
// Content-Security-Policy forbids everything else. The Go side computes every figure and thins
// out what is too much to draw (sample.go, series.go); the scripts in assets/ only draw. To add a
// chart, add its figure to assets/page.html.tmpl, its data to data.go, and one script that
// registers it with chart(NAME, ...); assets.go lists the scripts in the order they are joined.
package report

import (
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/plot"
)

// Page is everything that one report shows.
type Page struct {
	Title, Subtitle  string       // such as "facebook-like", "3 policies x 10 seeds"
	Version, Command string       // shown in the footer
	Facts            [][2]string  // facts of the scenario: key, value
	Policies         []PolicyRun  // in the order compared; the first is the baseline
	Table            []Row        // the summary table
	Notes            []string     // such as warnings, "10 seeds; charts show seed 1"
	Texts            []TextTable  // further tables, behind the summary
	Caveats          []string     // what the model leaves out
	Trees            []QueueTree  // queues of YARN
	Course           *RackChart   // a plan of racks beside what happened; nil without one
	Maps             []plot.Chart // of jobs, where a policy tells small ones from large ones
}

// PolicyRun is the run that the charts show for one policy. Runs of one page are of the same
// workload: a job keeps its ID, name, queue and class under every policy.
type PolicyRun struct {
	Name  string
	Run   *metrics.Run
	Seeds []*Outline // of Run and of the other seeds; charts draw what they span as a band
}

// Row is one metric of the summary, with one cell per policy.
//
// Unit says how numbers are written: "s" are seconds, shown in the unit that suits the row;
// "share" are fractions shown in percent; anything else is written behind the number as it is.
type Row struct {
	Metric, Unit, Doc string
	Better            metrics.Better
	Cells             []Cell
}

// Cell is one policy's value of a metric. Low and High bound the mean if HasInterval is set. The
// difference is relative to the baseline (0.1 is +10 %) and is there if HasDiff is set.
type Cell struct {
	Mean, Low, High         float64
	HasInterval             bool
	Diff, DiffLow, DiffHigh float64
	HasDiff                 bool
	Better                  int  // +1 significantly better than the baseline, -1 worse, 0 undecided
	Empty                   bool // there is nothing to take a mean of
}

// Write writes the page. The bytes depend on p alone. It fails if p does not hold together (a row
// whose cells are not one per policy, a policy without a run), and if w does.
func Write(w io.Writer, p *Page) error {
	if err := p.check(); err != nil {
		return err
	}
	view, err := newView(p)
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, view)
}

func (p *Page) check() error {
	for _, r := range p.Table {
		if len(r.Cells) != len(p.Policies) {
			return fmt.Errorf("report: row %q has %d cells, want one for each of %d policies", r.Metric, len(r.Cells), len(p.Policies))
		}
	}
	for i, q := range p.Policies {
		if q.Run == nil {
			return fmt.Errorf("report: policy %d (%q) has no run", i, q.Name)
		}
	}
	return nil
}

// PageBudget is how many bytes a page may have.
const PageBudget = 2_000_000
