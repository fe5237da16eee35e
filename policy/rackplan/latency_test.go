// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// figure46 is figure 4.6: latencies in seconds by map-width (rows) and reduce-width (columns).
var figure46 = [15][15]float64{
	{630, 630, 630, 630, 630, 630, 630, 630, 630, 630, 630, 630, 630, 630, 630},
	{379, 373, 373, 373, 373, 373, 373, 373, 373, 373, 373, 373, 373, 373, 373},
	{295, 289, 287, 287, 287, 287, 287, 287, 287, 287, 287, 287, 287, 287, 287},
	{295, 289, 287, 286, 286, 286, 286, 286, 286, 286, 286, 286, 286, 286, 286},
	{295, 289, 287, 286, 285, 285, 285, 285, 285, 285, 285, 285, 285, 285, 285},
	{211, 205, 203, 202, 202, 201, 201, 201, 201, 201, 201, 201, 201, 401, 401},
	{211, 205, 203, 202, 202, 201, 201, 201, 201, 201, 372, 372, 372, 372, 372},
	{211, 205, 203, 202, 202, 201, 201, 201, 201, 351, 351, 351, 351, 351, 351},
	{211, 205, 203, 202, 202, 201, 201, 201, 334, 334, 334, 334, 334, 334, 334},
	{211, 205, 203, 202, 202, 201, 201, 320, 320, 320, 320, 320, 320, 320, 320},
	{211, 205, 203, 202, 202, 201, 309, 309, 309, 309, 309, 309, 309, 309, 309},
	{211, 205, 203, 202, 202, 201, 300, 300, 300, 300, 300, 300, 300, 300, 300},
	{211, 205, 203, 202, 202, 292, 292, 292, 292, 292, 292, 292, 292, 292, 292},
	{211, 205, 203, 202, 202, 286, 286, 286, 286, 286, 286, 286, 286, 286, 286},
	{211, 205, 203, 202, 202, 280, 280, 280, 280, 280, 280, 280, 280, 280, 280},
}

// exampleSite is the cluster of figure 4.6: 15 racks of 600 containers. Circuits of 100 Gbps are the text's; packets of
// 1 Gbps and a threshold of 2 GB are those with which the figure was drawn.
func exampleSite() *Site {
	containers := slices.Repeat([]int{600}, 15)
	return &Site{Containers: [model.Kinds][]int{containers, containers}, Shared: true, Packets: 1e9 / 8, Circuits: 100e9 / 8, Elephant: 2e9}
}

// exampleJob is the job of figure 4.6. The text has the number of its tasks; its shuffle data and the lengths of its
// tasks follow from the cells: 401 - 201 s between packets and circuits, 84 s between waves.
func exampleJob() *policy.Forecast {
	return &policy.Forecast{Tasks: [model.Kinds]int32{3472, 169}, Length: [model.Kinds]model.Time{84 * model.Second, 115 * model.Second}, Shuffle: 151.5e9}
}

// TestFigure46: all cells but one. Cell (6, 13) would need flows of 151.5 / 78 = 1.94 GB to be elephants, while flows of
// 151.5 / 77 = 1.97 GB in cell (7, 11) are none: one of the two is the figure's slip.
func TestFigure46(t *testing.T) {
	site, job := exampleSite(), exampleJob()
	for m := 1; m <= 15; m++ {
		for r := 1; r <= 15; r++ {
			ours, figure := site.Latency(job, Widths{m, r}, Figure).Seconds(), figure46[m-1][r-1]
			if close := math.Abs(ours-figure) <= 1.2; close == (m == 6 && r == 13) {
				t.Errorf("%d racks of maps, %d of reduces: %.2f s, the figure has %.0f s", m, r, ours, figure)
			}
		}
	}
}

// TestGreenZone: the feasible pairs are the figure's cells with one wave of maps over circuits.
func TestGreenZone(t *testing.T) {
	site, job := exampleSite(), exampleJob()
	feasible := map[Widths]bool{}
	for _, w := range site.Pairs(job, false) {
		feasible[w] = true
	}
	for m := 1; m <= 15; m++ {
		for r := 1; r <= 15; r++ {
			green := figure46[m-1][r-1] <= 211 && !(m == 6 && r == 13)
			if w := (Widths{m, r}); feasible[w] != green {
				t.Errorf("%v: feasible is %t, green in the figure %t", w, feasible[w], green)
			}
		}
	}
	p := &planner{site: site, rules: &Rules{Form: Figure}}
	if w := p.width(job, site.Pairs(job, false)); w != 20 { // (15, 5); (6, 12) and (12, 6) have 18
		t.Errorf("the job's width is %v, should be 20", w)
	}
}

// TestTextForm: as printed, a single rack of reduces is free, so that believing it there is nothing better.
func TestTextForm(t *testing.T) {
	site, job := exampleSite(), exampleJob()
	if got := site.Latency(job, Widths{6, 1}, Text); got != 199*model.Second {
		t.Errorf("(6, 1): %v, should be a wave of each and no shuffle: 199 s", got)
	}
	// 151.5 GB / 36 * 5 = 21.04 GB from each rack at 12.5 GB/s: 1.683 s.
	if got := site.Latency(job, Widths{6, 6}, Text).Seconds(); math.Abs(got-200.683) > 0.001 {
		t.Errorf("(6, 6): %v s, should be 200.683 s", got)
	}
	for _, w := range site.Pairs(job, false) {
		if site.Latency(job, w, Text) < site.Latency(job, Widths{6, 1}, Text) {
			t.Errorf("%v is faster than a single rack of reduces", w)
		}
	}
}

// TestPairsWithoutCircuits: a job whose flows are too small for circuits at any sensible width chooses among all pairs,
// and so does every job where there are no circuits.
func TestPairsWithoutCircuits(t *testing.T) {
	site, job := exampleSite(), exampleJob()
	job.Shuffle = 6 * site.Elephant // needs six racks of maps for a single wave: flows of one elephant, not larger
	if n := len(site.Pairs(job, false)); n != 15*15 {
		t.Errorf("%d pairs, should be all 225", n)
	}
	site, job = exampleSite(), exampleJob()
	site.Circuits = 0
	if n := len(site.Pairs(job, false)); n != 15*15 {
		t.Errorf("%d pairs without circuits, should be all 225", n)
	}
}

// TestPairsOfTheSameRacks: with maps and reduces in the same racks widths are equal.
func TestPairsOfTheSameRacks(t *testing.T) {
	pairs := exampleSite().Pairs(exampleJob(), true)
	if len(pairs) != 15 || pairs[0] != (Widths{1, 1}) || pairs[14] != (Widths{15, 15}) {
		t.Errorf("pairs %v, should be 1 to 15 racks for both", pairs)
	}
}
