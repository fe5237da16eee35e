// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/internal/browser"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// Long names of policies that differ at one end stay different beside their bars, and all of them are within the drawing,
// whatever their script.
func TestNamesOfRows(t *testing.T) {
	ctx, cancel := context.WithTimeout(browser.Start(t), time.Minute)
	defer cancel()
	names := []string{"conf1-capacity-scheduler.xml, load=+30%", "conf1-capacity-scheduler.xml", "conf2-capacity-scheduler.xml, load=+30%",
		"日本語スケジューラーの非常に長い名前テスト", strings.Repeat("W", 20), "fifo"}
	p := madePage(40, len(names))
	for i := range p.Policies {
		p.Policies[i].Name = names[i]
	}
	open(t, ctx, p)
	for _, chart := range []string{"blame", "limits"} {
		rows := `[...document.querySelectorAll("#chart-` + chart + ` .row-name")]`
		texts := browser.Eval[[]string](t, ctx, rows+`.map(e => e.textContent)`)
		if len(texts) != len(names) || texts[5] != "fifo" || !strings.HasPrefix(texts[0], "conf1-") || !strings.HasSuffix(texts[0], "+30%") {
			t.Errorf("%s: the rows are %q", chart, texts)
		}
		if slices.Sort(texts); len(slices.Compact(texts)) != len(names) {
			t.Errorf("%s: rows have one name: %q", chart, texts)
		}
		if cut := browser.Eval[[]string](t, ctx, rows+`.filter(e => e.getBoundingClientRect().left < document.getElementById("chart-`+chart+`").getBoundingClientRect().left).map(e => e.textContent)`); len(cut) > 0 {
			t.Errorf("%s: cut off at the left: %q", chart, cut)
		}
	}
	snap(t, ctx, "names")
}

// Long names of queues end in an ellipsis in legends: no entry is drawn beyond its own box, over the next, and the page is as
// wide as its window.
func TestNamesInLegends(t *testing.T) {
	ctx, cancel := context.WithTimeout(browser.Start(t), time.Minute)
	defer cancel()
	p := madePage(40, 1)
	for i, q := range madeQueues {
		long := strings.Repeat(q+".", 8)
		for j := range p.Policies[0].Run.Jobs {
			if job := &p.Policies[0].Run.Jobs[j]; job.Queue == q {
				job.Queue = long
			}
		}
		p.Policies[0].Run.Series.Lines[i].Key = long
	}
	open(t, ctx, p)
	for _, width := range []int64{1280, 400} {
		browser.Act(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Sleep(200*time.Millisecond))
		if over := browser.Eval[[]string](t, ctx, `[...document.querySelectorAll(".key")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)`); len(over) > 0 {
			t.Errorf("at %d these reach beyond their boxes: %q", width, over)
		}
		if w := browser.Eval[int64](t, ctx, `document.documentElement.scrollWidth`); w > width {
			t.Errorf("the page is %d wide in a window of %d", w, width)
		}
	}
	if n := browser.Eval[int](t, ctx, `document.querySelectorAll("figure:has(#chart-containers) .key").length`); n != len(madeQueues) {
		t.Errorf("%d entries, want %d", n, len(madeQueues))
	}
}

// The names of the median and of the 95th percentile do not lie over each other: one name where they are equal, two that stand
// apart where they are near, above all dots and between them alike.
func TestNamesOfLevels(t *testing.T) {
	main := browser.Start(t)
	ctx, cancel := context.WithTimeout(main, time.Minute)
	defer cancel()
	for name, c := range map[string]struct {
		slow  func(i int) float64 // slowdown of job i of 50
		names int
	}{
		"equal": {func(int) float64 { return 3 }, 1},
		"near":  {func(i int) float64 { return []float64{1, 40, 41, 50, 100}[i%5] }, 2},
		"top":   {func(i int) float64 { return []float64{1, 9000, 9500, 10000, 10000}[i%5] }, 2},
		"apart": {func(i int) float64 { return float64(1 + i) }, 2},
	} {
		r := jobsOf(50, func(i int, j *metrics.Job) { j.Finish = model.Seconds(c.slow(i)) })
		open(t, ctx, &Page{Title: "levels", Policies: []PolicyRun{{Name: "a", Run: r}}})
		boxes := browser.Eval[[][2]float64](t, ctx, `[...document.querySelectorAll("#chart-scatter .level-name")].map(e => e.getBoundingClientRect()).map(b => [b.top, b.bottom])`)
		if len(boxes) != c.names || c.names == 2 && boxes[1][1] > boxes[0][0]+3 {
			t.Errorf("%s: the names of levels are at %v", name, boxes)
		}
		if top := browser.Box(t, ctx, "#chart-scatter .surface")[1]; boxes[len(boxes)-1][0] < top-3 {
			t.Errorf("%s: a name begins %v px above the drawing", name, top-boxes[len(boxes)-1][0])
		}
	}
}
