// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/internal/browser"
	"github.com/yardmaster/yardmaster/report/plot"
)

// madePaper is a page with a chart of every mark.
func madePaper() *PaperPage {
	curve := plot.Series{Name: "a<b", Points: []plot.Point{{X: 10, Y: 2, Low: 1, High: 3}, {X: 20, Y: 4, Low: 3, High: 5}, {X: 30, Y: 3, Low: 3, High: 3}}}
	cloud := plot.Series{Name: "cloud", Mark: plot.Dots}
	for i := range 1000 {
		cloud.Points = append(cloud.Points, plot.Point{X: math.Pow(10, 1+float64(i%400)/100), Y: 1 + float64(i%37), Low: 1, High: 1})
	}
	bars := func(name string, v float64) plot.Series {
		return plot.Series{Name: name, Mark: plot.Bars, Points: []plot.Point{{X: 0, Y: v, Low: v - 1, High: v + 1}, {X: 1, Y: 2 * v, Low: 2 * v, High: 2 * v}}}
	}
	area := func(name string, v float64) plot.Series {
		return plot.Series{Name: name, Mark: plot.Area, Points: []plot.Point{{X: 0, Y: v}, {X: 1, Y: 2 * v}, {X: 2, Y: v}}}
	}
	return &PaperPage{Title: "<b>paper</b>", Subtitle: "a title", Version: "v1", Command: "yardmaster reproduce",
		Findings: []FindingRow{{Figure: "median", Source: "figure 1", Paper: "3", Ours: "2.4", Interval: "2.1 .. 2.7", Deviates: "-20.0 %", Verdict: "within"},
			{Figure: "order", Verdict: "deviates", Cause: "the cause"}, {Figure: "alone", Verdict: "no-reference"}},
		Charts: []plot.Chart{
			{Name: "curve", Title: "Curve", Source: "figure 6", X: plot.Axis{Label: "limit"}, Y: plot.Axis{Label: "slowdown", Zero: true}, Series: []plot.Series{curve, {Name: "c", Points: curve.Points[:1]}}},
			{Name: "dots", Title: "Dots", X: plot.Axis{Log: true}, Y: plot.Axis{Log: true}, Series: []plot.Series{cloud}, Levels: []plot.Level{{Name: "median", Y: 3}}},
			{Name: "bars", Title: "Bars", Categories: []string{"10", "32"}, Series: []plot.Series{bars("x", 2), bars("y", 3)}},
			{Name: "area", Title: "Area", Series: []plot.Series{area("j1", 1), area("j2", 2)}},
			{Name: "boxes", Title: "Boxes", Categories: []string{"PRJ", "CBT"}, Series: []plot.Series{{Name: "makespan", Mark: plot.Boxes,
				Points: []plot.Point{{X: 0, Y: 780, Low: 720, High: 830, Quartiles: [2]float64{760, 810}}, {X: 1, Y: 690, Low: 630, High: 780, Quartiles: [2]float64{670, 720}}}}}},
			{Name: "empty", Title: "Empty"},
		},
		Statements: [][]string{{"statement", "verdict"}, {"FIFO < fair", "holds: `run x`"}}}
}

func TestWritePaper(t *testing.T) {
	var b, again bytes.Buffer
	if err := WritePaper(&b, madePaper()); err != nil {
		t.Fatal(err)
	}
	if err := WritePaper(&again, madePaper()); err != nil || again.String() != b.String() {
		t.Error("two pages of one paper differ")
	}
	html := b.String()
	for _, text := range []string{"<b>paper</b>", "a<b", "http://", "https://", "<script", "NaN", "Inf"} {
		if strings.Contains(html, text) {
			t.Errorf("the page holds %q: it is not escaped, not self-contained or not finite", text)
		}
	}
	for text, want := range map[string]int{"<svg": 5, `class="dots`: 1, `class="bar s`: 6, `class="whisker`: 6, "<code>run x</code>": 1, "<th>verdict</th>": 2, "FIFO &lt; fair": 1, `class="area`: 2, `class="point`: 4, `class="level`: 1, "Nothing to draw": 1,
		"the cause": 1, "1 figures for which": 1, "verdict within": 1} {
		if got := strings.Count(html, text); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
}

// Areas are stacked: the second one begins where the first ends.
func TestAreasAreStacked(t *testing.T) {
	v := plot.NewView(&madePaper().Charts[3])
	top := func(path string) (x, y float64) {
		if _, err := fmt.Sscanf(path, "M%g %g", &x, &y); err != nil {
			t.Fatal(path, err)
		}
		return x, y
	}
	_, first := top(v.Shapes[0].Path)
	_, second := top(v.Shapes[1].Path)
	// heights of 1 and 1+2 of a scale that goes to 6
	if a, b := v.Bottom-first, v.Bottom-second; math.Abs(b/a-3) > 0.01 {
		t.Errorf("tops at %g and %g above the axis, want one to three", a, b)
	}
	if !strings.Contains(v.Shapes[1].Path, fmt.Sprintf("L%g %g", v.Left, first)) {
		t.Errorf("the second area %s does not come back along the first, at %g", v.Shapes[1].Path, first)
	}
}

// In a real browser the drawings have their size, fit narrow windows, and nothing is fetched.
func TestPaperInBrowser(t *testing.T) {
	ctx := browser.Start(t)
	openPaper(t, ctx, madePaper())
	for _, width := range []int64{1280, 420} {
		browser.Act(t, ctx, chromedp.EmulateViewport(width, 900))
		if wide := browser.Eval[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth + 1`); wide {
			t.Errorf("at a width of %d the page is wider than the window", width)
		}
		for _, name := range []string{"curve", "dots", "bars", "area"} {
			b := browser.Box(t, ctx, "#"+name+" svg")
			if b[2] < 300 || b[3] < 150 {
				t.Errorf("at a width of %d %s has the box %v", width, name, b)
			}
		}
	}
	if n := browser.Eval[int](t, ctx, `performance.getEntriesByType("resource").filter(r => !r.name.startsWith("data:")).length`); n != 0 {
		t.Errorf("%d things were fetched", n)
	}
	outside := browser.Eval[[]string](t, ctx, `[...document.querySelectorAll("svg.plot path.s0, svg.plot path.s1")].filter(p => {
		const b = p.getBBox(); return b.x < 50 || b.x + b.width > 595 || b.y < 8 || b.y + b.height > 290;
	}).map(p => p.getAttribute("class"))`)
	if len(outside) > 0 {
		t.Errorf("drawn outside the frame: %v", outside)
	}
}

func openPaper(t *testing.T, ctx context.Context, p *PaperPage) {
	t.Helper()
	var b bytes.Buffer
	if err := WritePaper(&b, p); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "paper.html")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	browser.Act(t, ctx, chromedp.EmulateViewport(1280, 900))
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+name), chromedp.WaitReady(chromedp.CSS("#charts"))); err != nil {
		t.Fatal(err)
	}
}
