// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/jobmap"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/report"
)

// Rows returns the table of the comparison: one row per query, one cell per policy.
func (c *Comparison) Rows() []report.Row {
	rows := make([]report.Row, len(c.Queries))
	for q, query := range c.Queries {
		m, _ := metrics.Describe(query.Metric)
		rows[q] = report.Row{Metric: query.String(), Unit: m.Unit, Doc: m.Doc, Better: m.Better}
		if m.Unit == metrics.Ratio || m.Unit == metrics.Count {
			rows[q].Unit = ""
		}
		for p := range c.Policies {
			rows[q].Cells = append(rows[q].Cells, c.cell(p, q, m.Better))
		}
	}
	return rows
}

func (c *Comparison) cell(p, q int, better metrics.Better) report.Cell {
	i := c.Mean(p, q)
	cell := report.Cell{Mean: i.Mean, Low: i.Low, High: i.High, HasInterval: i.Known(), Empty: i.N == 0}
	if p == 0 || cell.Empty {
		return cell
	}
	d, ok := c.Difference(0, p, q)
	if !ok {
		return cell
	}
	cell.Diff, cell.DiffLow, cell.DiffHigh, cell.HasDiff = d.Mean, d.Low, d.High, d.Known()
	if d.ExcludesZero() && better != metrics.Neither {
		cell.Better = -1
		if (d.Mean < 0) == (better == metrics.Lower) {
			cell.Better = 1
		}
	}
	return cell
}

// Labels returns the names of the policies in results.
func (c *Comparison) Labels() []string {
	labels := make([]string, len(c.Policies))
	for i := range c.Policies {
		labels[i] = c.Policies[i].Label()
	}
	return labels
}

// Verdicts says in words which policy won by each of the main metrics, and where none did.
func (c *Comparison) Verdicts() (lines []string) {
	why := "paired intervals include zero"
	if c.unlike() {
		why = "different numbers of jobs were refused or failed"
	}
	for q, query := range c.Queries {
		switch query.String() {
		case "mean_elapsed", "median_slowdown", "p95_slowdown", "mean_wait", "makespan":
		default:
			continue
		}
		if w, ok := c.Winner(q); ok {
			lines = append(lines, fmt.Sprintf("%s: %s wins", query, c.Policies[w].Label()))
		} else {
			lines = append(lines, fmt.Sprintf("%s: no winner (%s)", query, why))
		}
	}
	return lines
}

// spanned says which of n seeds the bands of charts span.
func spanned(n int) string {
	if n > report.MostOutlines {
		return fmt.Sprintf("the first %d seeds", report.MostOutlines)
	}
	return "all seeds"
}

// Page returns the report of the comparison.
func (c *Comparison) Page(version, command string) *report.Page {
	s := c.Scenario
	page := &report.Page{Title: s.Name, Version: version, Command: command, Table: c.Rows(), Facts: s.Facts(c.Policies...), Notes: s.Warnings(), Course: c.Course}
	if len(c.Policies) == 1 {
		page.Subtitle = c.Policies[0].Label()
	} else {
		page.Subtitle = strings.Join(c.Labels(), ", ")
	}
	if len(c.Seeds) == 1 {
		page.Facts = append(page.Facts, [2]string{"Seed", fmt.Sprint(c.Seeds[0])})
	} else {
		page.Facts = append(page.Facts, [2]string{"Seeds", fmt.Sprintf("%d to %d", c.Seeds[0], c.Seeds[len(c.Seeds)-1])})
		page.Notes = append(page.Notes, fmt.Sprintf("The table is over %s with common random numbers; intervals are 95 %%, differences are paired. Charts show seed %d; the pale bands span %s.", digits.Count(len(c.Seeds), "seed"), c.Seeds[0], spanned(len(c.Seeds))))
		if len(c.Policies)-c.Changed > 1 {
			page.Notes = append(page.Notes, c.Verdicts()...)
		}
	}
	if c.Prices != "" {
		page.Notes = append(page.Notes, c.Prices)
	}
	for p := range c.Policies {
		page.Policies = append(page.Policies, report.PolicyRun{Name: c.Policies[p].Label(), Run: c.Shown[p], Seeds: c.Outlines[p]})
		if m := c.jobMap(p); m != nil {
			page.Maps = append(page.Maps, m.Chart())
		}
	}
	return page
}

// jobMap returns the map of the jobs under a policy that tells small ones from large ones and keeps them apart, nil for any
// other.
func (c *Comparison) jobMap(p int) *jobmap.Map {
	_, params := c.Policies[p].Entry()
	h, ok := params.(interface{ Hybrid() *hybrid.Params })
	if !ok || h.Hybrid() == nil || !h.Hybrid().Placement {
		return nil
	}
	run := c.Shown[p]
	_, both := h.Hybrid().Class(c.Scenario.Cluster.Topology())
	if !both && !slices.ContainsFunc(run.Jobs, func(j metrics.Job) bool { return j.Stolen }) {
		return nil // all machines are of one kind
	}
	return jobmap.OfRun(c.Policies[p].Label(), run, h.Hybrid(), c.Scenario.Classifier())
}
