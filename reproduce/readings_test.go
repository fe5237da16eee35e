// SPDX-License-Identifier: Apache-2.0

package reproduce_test

import (
	"context"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/reproduce"
)

const tinyReadings = tinyExpected + `
readings:
  - name: lengths
    title: How long b is
    source: section 4
    metrics: [makespan]
    of: [one]
    choices:
      - {name: five, text: as it stands}
      - {name: two, text: shorter, set: {"workload.jobs[1].map-length": 2s}}
`

// Each reading is run and judged: the counts say of how many figures the means are as published, and the ranges reach from
// the least to the largest.
func TestReadings(t *testing.T) {
	r, err := reproduce.Reproduce(context.Background(), tinyPaper(tinyReadings), "tiny", "lengths", true, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]reproduce.Finding{}
	for _, f := range r.Findings {
		if f.Verdict != reproduce.NoReference || f.Experiment != "lengths" {
			t.Errorf("%+v", f)
		}
		lines[f.Figure] = f
	}
	for figure, want := range map[string][3]float64{
		"five: statements true of the means, of 7 (one)": {4, 4, 4}, // mean elapsed, wait of dev, order, zero
		"two: statements true of the means, of 7 (one)":  {3, 3, 3}, // (10 + 9 + 2) / 2 is not 12
		"over the readings (one): mean elapsed":          {12, 10.5, 12},
		"over the readings (one): makespan under srpt":   {15, 12, 15},
	} {
		if f, ok := lines[figure]; !ok || [3]float64{f.Ours, f.Low, f.High} != want {
			t.Errorf("%s: %g, %g to %g; want %v", figure, f.Ours, f.Low, f.High, want)
		}
	}
	page := r.Page("v", "c")
	if len(page.Readings) != 1 || len(page.Readings[0].Rows) != 10 || page.Readings[0].Rows[0].Range != "10.5 .. 12" || !page.Readings[0].Rows[0].Cells[1].Against || page.Readings[0].Rows[0].Cells[0].Against {
		t.Errorf("page %+v", page.Readings)
	}
}

func TestReadingsRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"of: [one]=of: [three]":            "the name of an experiment",
		"name: lengths=name: one":          "a name that no experiment has",
		"metrics: [makespan]=metrics: [x]": "metrics",
	} {
		old, changed, _ := strings.Cut(text, "=")
		_, err := reproduce.LoadExpected(tinyPaper(strings.Replace(tinyReadings, old, changed, 1)), "tiny")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", changed, err, want)
		}
	}
}
