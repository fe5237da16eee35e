// SPDX-License-Identifier: Apache-2.0

package answers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/browser"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
)

// points makes up a grid: a value falls along the first axis and rises along the second.
func points(axes ...experiment.Axis) (out []result.PointSummary) {
	var walk func(int, map[string]string, float64)
	walk = func(i int, settings map[string]string, v float64) {
		if i == len(axes) {
			p := result.PointSummary{Settings: map[string]string{}, Metrics: map[string][3]float64{}}
			for k, s := range settings {
				p.Settings[k] = s
			}
			for _, m := range drawnMetrics[:4] {
				p.Metrics[m] = [3]float64{v, 0.9 * v, 1.1 * v}
			}
			out = append(out, p)
			return
		}
		for k, value := range axes[i].Values {
			settings[axes[i].Path] = value
			walk(i+1, settings, v+float64(k)*[]float64{-10, 3}[i%2])
		}
	}
	walk(0, map[string]string{}, 100)
	return out
}

// pages are made-up answers of every command.
func pages() map[string]*report.Answer {
	skips := experiment.Axis{Path: "policy.delay.node-skips", Values: []string{"0", "40", "10"}}
	policy := experiment.Axis{Path: "policy", Values: []string{"fifo", "{delay: {node-skips: 40, rack-skips: 20}}"}}
	e := &advise.Explanation{Policy: "fair", Row: advise.JobRow{ID: 7, Name: "<b>job", Waiting: 30, Execution: 70, Blame: map[string]float64{"maps_running": 70}, Limits: map[string]float64{"room": 30}},
		Stages:  []advise.Stage{{From: 0, To: 30, State: "waiting for its first container", Limit: "room"}, {From: 30, To: 100, State: "all maps running"}},
		Holders: []advise.Holder{{Name: "other", Share: 0.7}}, WhatIf: []advise.Alternative{{Change: "policy srpt", Waiting: 1, Elapsed: 71}, {Change: "110 nodes (+10 %)", Waiting: 28, Elapsed: 99}}}
	back := &BacktestAnswer{Rows: []result.BacktestRow{{Jobs: 2}, {Queue: "prod", Jobs: 2, Elapsed: result.Accuracy{Median: -4, Absolute: 6}}},
		Jobs: []advise.BacktestJob{{Name: "a", Queue: "prod", Waited: [2]float64{1, 2}, Elapsed: [2]float64{10, 14}}, {Name: "b", Queue: "prod", Waited: [2]float64{0, 2}, Elapsed: [2]float64{100, 60}}}}
	traps := []advise.Trap{{Name: "one-user-at-a-time", Queue: "prod", Found: "minimum-user-limit-percent 100", Remedy: "lower it", Edits: []capacityxml.Change{{Property: "mapred.capacity-scheduler.queue.prod.minimum-user-limit-percent", Old: "100", New: "50"}},
		Cost: &advise.TrapCost{Victims: "jobs of prod", Jobs: 3, Others: [2]float64{10, 40}, Saved: [3]float64{5, 1, 9}, Sure: true}}, {Name: "stops"}}
	submit := 3.0
	goals := &advise.GoalCheck{Scenario: "goals", Jobs: []advise.GoalRow{{Job: "a", Submit: &submit, Goal: 50, Alone: 20, Slack: 30}, {Job: "late", Submit: &submit, Goal: 5, Alone: 20, Slack: -15}, {Job: "after"}},
		Conflicts: []advise.GoalConflict{{From: 1, To: 9, Pool: "map", Load: 1.4, Jobs: []string{"a", "late"}}}}
	interval := map[string][3]float64{"mean_elapsed": {10, 9, 11}}
	search := &result.SearchSummary{Scenario: "s", Objective: "lowest mean_elapsed", Metric: "mean_elapsed", Rungs: []result.Rung{{Candidates: 4, Seeds: 2}}, Seeds: []uint64{3, 4},
		Best:       result.SearchEntry{Settings: map[string]string{"policy.delay.node-wait": "1s"}, Metrics: interval, Feasible: true},
		Neighbours: []result.SearchEntry{{Settings: map[string]string{"policy.delay.node-wait": "4s"}, Axis: "policy.delay.node-wait", Metrics: interval, Difference: &[3]float64{-0.02, -0.05, 0.01}}}}
	return map[string]*report.Answer{
		"sweep of one": Sweep("one", []experiment.Axis{skips}, points(skips), 3), "sweep of two": Sweep("two", []experiment.Axis{skips, policy}, points(skips, policy), 3),
		"sweep of names": Sweep("names", []experiment.Axis{policy}, points(policy), 3), "search": Search(search), "explain": Explain(e), "backtest": Backtest("history", "conf", back),
		"lint": Lint("capacity-scheduler.xml", "shop", traps, 2), "no traps": Lint("capacity-scheduler.xml", "shop", nil, 2), "goals": Goals(goals),
	}
}

// Every page is a function of its answer, escapes what users wrote, and has the figures that the command promises.
func TestPages(t *testing.T) {
	want := map[string][]string{
		"sweep of one": {"mean_elapsed", "How much each setting matters", "All points"}, "sweep of two": {"The best is framed", "class=\"best\"", "class=\"heat\""}, "sweep of names": {"class=\"bar"},
		"search": {"Sensitivity around the best", "How it was found"}, "explain": {"Time-line", "Who used the room while it waited", "What-ifs", "policy srpt", "&lt;b&gt;job"},
		"backtest": {"predicted against seen", "Errors by queue", "Worst jobs"}, "lint": {"What each remedy saves", "one-user-at-a-time", "it stops jobs"}, "no traps": {"No trap was found"},
		"goals": {"From submission to goal", "short even alone", "140 % of the map room"},
	}
	again := pages()
	for name, page := range pages() {
		var b, c bytes.Buffer
		if err := report.WriteAnswer(&b, page); err != nil {
			t.Fatal(err)
		}
		if err := report.WriteAnswer(&c, again[name]); err != nil || b.String() != c.String() {
			t.Errorf("%s: two pages of one answer differ", name)
		}
		for _, text := range want[name] {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%s lacks %q", name, text)
			}
		}
		for _, text := range []string{"<b>job", "NaN", "Inf", "https://"} {
			if strings.Contains(b.String(), text) {
				t.Errorf("%s holds %q", name, text)
			}
		}
	}
}

// A metric that only the last point has is drawn, and its cell is empty at the others.
func TestSweepShowsWhatSomePointsHave(t *testing.T) {
	axis := experiment.Axis{Path: "reference", Values: []string{"false", "true"}}
	list := points(axis)
	list[1].Metrics["mean_slowdown"] = [3]float64{2, 2, 2}
	page, drawn := Sweep("s", []experiment.Axis{axis}, list, 1), false
	for _, p := range page.Parts {
		drawn = drawn || p.Chart != nil && p.Chart.Name == "mean_slowdown" && len(p.Chart.Series[0].Points) == 1
		if table := p.Table; table != nil {
			if last := len(table.Head) - 1; table.Head[last] != "mean_slowdown" || table.Rows[0][last] != "" || table.Rows[1][last] != "2" {
				t.Errorf("the table shows %q, %q", table.Head, table.Rows)
			}
		}
	}
	if !drawn {
		t.Error("no chart of the slowdown")
	}
}

// What a page of a search shows is the objective, although the name of a bound is longer.
func TestSearchShowsTheObjective(t *testing.T) {
	found := map[string][3]float64{"makespan": {10, 9, 11}, "mean_elapsed": {77, 70, 84}, "mean_slowdown": {3, 3, 3}}
	page := Search(&result.SearchSummary{Objective: "lowest makespan subject to mean_elapsed<=80 and mean_slowdown<=4", Metric: "makespan", Best: result.SearchEntry{Metrics: found}})
	for _, p := range page.Parts {
		if c := p.Chart; c != nil && c.Name == "objective" && (c.Series[0].Name != "makespan" || c.Series[0].Points[0].Y != 10) {
			t.Errorf("the chart shows %+v, want makespan 10", c.Series[0])
		}
		if table := p.Table; table != nil && table.Title == "Candidates" && (table.Head[3] != "makespan" || table.Rows[0][3] != "10 (9 to 11)") {
			t.Errorf("the table shows %q, %q", table.Head, table.Rows)
		}
	}
}

// The pages fit windows of three widths, and each figure saves what it shows.
func TestPagesInBrowser(t *testing.T) {
	ctx := browser.Start(t)
	log := browser.Listen(ctx)
	for name, page := range pages() {
		file := filepath.Join(t.TempDir(), "report.html")
		var b bytes.Buffer
		if err := report.WriteAnswer(&b, page); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		browser.Act(t, ctx, chromedp.Navigate("file://"+file))
		for _, width := range []int64{390, 1280, 1920} {
			browser.Act(t, ctx, chromedp.EmulateViewport(width, 900))
			for _, fault := range browser.LayoutFaults(t, ctx) {
				t.Errorf("%s at %d: %s", name, width, fault)
			}
		}
		saved := browser.Eval[string](t, ctx, `(() => {
			const texts = [], made = URL.createObjectURL;
			URL.createObjectURL = b => { texts.push(b.type + ":" + b.size); return "data:,"; };
			HTMLAnchorElement.prototype.click = () => {};
			document.querySelectorAll("button[data-save]").forEach(b => b.click());
			URL.createObjectURL = made;
			return texts.join(" ");
		})()`)
		if figures := strings.Count(b.String(), "<figure"); strings.Count(saved, "text/csv:") != figures || strings.Count(saved, "image/svg+xml:") != strings.Count(b.String(), `data-save="svg"`) {
			t.Errorf("%s: %d figures save %s", name, figures, saved)
		}
	}
	if list := log.Complaints(); len(list) > 0 {
		t.Error(fmt.Sprint("the pages wrote to the console: ", list))
	}
}
