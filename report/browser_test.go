// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// chartNames are the charts of the page; each has an element chart-NAME.
var chartNames = []string{
	"summary", "slowdown-cdf", "elapsed-cdf", "variability", "ranges", "scatter",
	"containers", "utilisation", "jobs", "gantt", "blame", "limits", "blame-ranges",
}

// slowdownCharts are those that a page without slowdown has not.
var slowdownCharts = []string{"slowdown-cdf", "variability", "ranges", "scatter"}

// open writes the page to a file, opens it, and returns when every chart is drawn.
func open(t *testing.T, ctx context.Context, p *Page) (url string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, p); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	url = "file://" + name
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	names := chartNames
	if hasNetwork(p.Policies) {
		names = append(slices.Clone(names), "rack-links", "rack-traffic")
	}
	if hasCircuits(p.Policies) {
		names = append(slices.Clone(names), "circuits", "circuit-demand")
	}
	for _, c := range names {
		if c == "summary" && len(p.Table) == 0 || slices.Contains(slowdownCharts, c) && lacksSlowdown(p.Policies) != "" {
			continue
		}
		if err := chromedp.Do(ctx, chromedp.WaitReady(chromedp.CSS("#chart-"+c+`[data-drawn="true"]`))); err != nil {
			t.Fatalf("chart %s was not drawn: %v", c, err)
		}
	}
	return url
}

// place scrolls a chart into view and returns the box of the surface that takes the pointer:
// left, top, width, height.
func place(t *testing.T, ctx context.Context, chart string) []float64 {
	t.Helper()
	return browser.Box(t, ctx, "#chart-"+chart+" .surface")
}

func TestPageInBrowser(t *testing.T) {
	main := browser.Start(t)
	ctx, cancel := context.WithTimeout(main, 2*time.Minute)
	defer cancel()
	var complaints, requests []string
	messages, sent := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	done := make(chan struct{}, 2)
	go func() {
		defer func() { done <- struct{}{} }()
		for m, err := range messages {
			if err != nil {
				return
			}
			complaints = append(complaints, m.String())
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		for e, err := range sent {
			if err != nil {
				return
			}
			requests = append(requests, e.Request.URL)
		}
	}()
	url := open(t, ctx, addCircuits(addNetwork(madePage(4000, 3), 30)))

	t.Run("tooltip", func(t *testing.T) { checkTooltips(t, ctx) })
	t.Run("zoom", func(t *testing.T) { checkZoom(t, ctx) })
	t.Run("legend", func(t *testing.T) { checkLegend(t, ctx) })
	t.Run("theme", func(t *testing.T) { checkTheme(t, ctx) })
	t.Run("width", func(t *testing.T) { checkWidth(t, ctx) })

	cancel()
	<-done
	<-done
	if len(complaints) > 0 {
		t.Errorf("the page wrote to the console:\n%s", strings.Join(complaints, "\n"))
	}
	other := slices.DeleteFunc(requests, func(u string) bool { return u == url || strings.HasPrefix(u, "data:") })
	if len(requests) == 0 || len(other) > 0 {
		t.Errorf("requests: %q, want the page itself and nothing else", requests)
	}
}

func checkTooltips(t *testing.T, ctx context.Context) {
	for chart, want := range map[string]string{
		"slowdown-cdf": "slowdown up to", "elapsed-cdf": "completion time up to", "variability": "over the median",
		"ranges": "of task time", "containers": "production", "utilisation": "reduce", "jobs": "waiting", "gantt": "elapsed",
		"rack-links": "up", "rack-traffic": "of all that went over links", "circuits": "being switched", "circuit-demand": "of all that went over circuits",
	} {
		b := place(t, ctx, chart)
		browser.Act(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, b[0]+b[2]/2, b[1]+b[3]/2))
		text := browser.Eval[string](t, ctx, `document.getElementById("tip").hidden ? "" : document.getElementById("tip").innerText`)
		if !strings.Contains(text, want) {
			t.Errorf("tooltip of %s is %q, want it to say %q", chart, text, want)
		}
	}
	for selector, want := range map[string]string{"#chart-summary td.better": "the interval excludes zero", "#chart-blame .part": "per job"} {
		b := browser.Box(t, ctx, selector)
		browser.Act(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, b[0]+b[2]/2, b[1]+b[3]/2))
		if text := browser.Eval[string](t, ctx, `document.getElementById("tip").innerText`); !strings.Contains(text, want) {
			t.Errorf("tooltip of %s is %q, want it to say %q", selector, text, want)
		}
	}
}

// timeRange is the range of time that a chart shows.
func timeRange(t *testing.T, ctx context.Context, chart string) [2]float64 {
	t.Helper()
	v := browser.Eval[[]float64](t, ctx, `[+document.getElementById("chart-`+chart+`").dataset.from, +document.getElementById("chart-`+chart+`").dataset.to]`)
	return [2]float64{v[0], v[1]}
}

func checkZoom(t *testing.T, ctx context.Context) {
	all := timeRange(t, ctx, "containers")
	ticks := `[...document.querySelectorAll("#chart-containers .axis text")].map(e => e.textContent).join("|")`
	before := browser.Eval[string](t, ctx, ticks)
	b := place(t, ctx, "containers")
	y := b[1] + b[3]/2
	browser.Act(t, ctx, chromedp.DragAndDropXY(b[0]+b[2]*0.25, y, b[0]+b[2]*0.5, y))
	got := timeRange(t, ctx, "containers")
	want := [2]float64{all[1] * 0.25, all[1] * 0.5}
	for i := range got {
		if d := got[i] - want[i]; d > all[1]*0.01 || d < -all[1]*0.01 {
			t.Errorf("after dragging the range is %v, want about %v", got, want)
		}
	}
	if browser.Eval[string](t, ctx, ticks) == before {
		t.Error("the ticks of the axis did not change")
	}
	for _, chart := range []string{"gantt", "rack-links"} {
		if other := timeRange(t, ctx, chart); other != got {
			t.Errorf("%s shows %v, want the same range %v", chart, other, got)
		}
	}
	browser.Act(t, ctx, chromedp.Click(chromedp.CSS("#zoom-reset")))
	if got := timeRange(t, ctx, "containers"); got != all {
		t.Errorf("after the reset the range is %v, want %v", got, all)
	}
	b = place(t, ctx, "gantt")
	y = b[1] + b[3]/2
	browser.Act(t, ctx, chromedp.DragAndDropXY(b[0]+b[2]*0.4, y, b[0]+b[2]*0.5, y))
	if timeRange(t, ctx, "containers") == all {
		t.Error("dragging over the jobs did not zoom the other charts")
	}
	browser.Act(t, ctx, chromedp.MouseClickXY(b[0]+9, y), chromedp.MouseClickXY(b[0]+9, y, chromedp.ClickCount(2)))
	if got := timeRange(t, ctx, "gantt"); got != all {
		t.Errorf("after a double click the range is %v, want %v", got, all)
	}
}

func checkLegend(t *testing.T, ctx context.Context) {
	lines := `document.querySelectorAll("#chart-elapsed-cdf .line").length`
	if n := browser.Eval[int](t, ctx, lines); n != 3 {
		t.Fatalf("%d curves, want 3", n)
	}
	chip := `document.querySelectorAll("#chart-slowdown-cdf")[0].closest("figure").querySelectorAll(".chip")[1]`
	browser.Eval[chromedp.Void](t, ctx, chip+`.click()`)
	if n := browser.Eval[int](t, ctx, lines); n != 2 {
		t.Errorf("%d curves after hiding one, want 2", n)
	}
	browser.Eval[chromedp.Void](t, ctx, chip+`.click()`)
	if n := browser.Eval[int](t, ctx, lines); n != 3 {
		t.Errorf("%d curves after showing it again, want 3", n)
	}
}

func checkTheme(t *testing.T, ctx context.Context) {
	ground := `getComputedStyle(document.body).backgroundColor`
	before := browser.Eval[string](t, ctx, ground)
	browser.Act(t, ctx, chromedp.Evaluate[chromedp.Void](`document.getElementById("theme").click()`))
	if browser.Eval[string](t, ctx, ground) == before {
		t.Error("the button did not change the theme")
	}
}

func checkWidth(t *testing.T, ctx context.Context) {
	for _, width := range []int64{1280, 700, 420} {
		browser.Act(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Sleep(200*time.Millisecond))
		if w := browser.Eval[int64](t, ctx, `document.documentElement.scrollWidth`); w > width {
			t.Errorf("the page is %d wide in a window of %d", w, width)
		}
	}
}
