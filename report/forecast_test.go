// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// forecastPage is a page whose runs have estimates of completion, with gaps.
func forecastPage() *Page {
	p := madePage(40, 2)
	for i := range p.Policies {
		s := &p.Policies[i].Run.Series
		n := len(s.Lines[0].Values)
		off, free := make([]float64, n), make([]float64, n)
		for k := range off {
			off[k], free[k] = 0.5-float64(k)/float64(n), float64(k%7)
			if k%5 == 0 {
				off[k] = math.NaN()
			}
		}
		s.Lines = append(s.Lines, metrics.Line{Name: "error", Key: "job-00001", Values: off}, metrics.Line{Name: "free", Key: "map", Values: free})
	}
	return p
}

func TestMergeKnown(t *testing.T) {
	nan := math.NaN()
	js, err := json.Marshal(mergeKnown([]float64{nan, 1, nan, nan, 3, 5, 7}, 2))
	if err != nil || string(js) != "[1,null,4,7]" {
		t.Errorf("%s, %v", js, err)
	}
}

// Free room of different pools shares an axis: half of 8192 MiB and a quarter of 8 vcores are free. The run stays as it is.
func TestFreeShares(t *testing.T) {
	memory, vcores := []float64{4096, 8192}, []float64{2, 0}
	r := &metrics.Run{Pools: []string{"memory", "vcores"}, Capacity: []int64{8192, 8}, Series: metrics.Series{Width: model.Second, Lines: []metrics.Line{
		{Name: metrics.LineFree, Key: "memory", Values: memory}, {Name: metrics.LineFree, Key: "vcores", Values: vcores}}}}
	free := newSeries(r, maxBuckets, nil).Free
	if len(free) != 2 || !slices.Equal(free[0].Values, coarse{0.5, 1}) || !slices.Equal(free[1].Values, coarse{0.25, 0}) {
		t.Errorf("%+v", free)
	}
	if memory[0] != 4096 || vcores[0] != 2 {
		t.Error("the values of the run were changed")
	}
}

// The charts of estimates are there only if there is something to draw.
func TestForecastCharts(t *testing.T) {
	for _, c := range []struct {
		page *Page
		want bool
	}{{forecastPage(), true}, {madePage(40, 1), false}} {
		var b strings.Builder
		if err := Write(&b, c.page); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), `id="chart-forecast-error"`); got != c.want {
			t.Errorf("chart of errors: %t, want %t", got, c.want)
		}
	}
	ctx := browser.Start(t)
	open(t, ctx, forecastPage())
	for _, chart := range []string{"forecast-error", "free"} {
		if err := chromedp.Do(ctx, chromedp.WaitReady(chromedp.CSS("#chart-"+chart+`[data-drawn="true"]`))); err != nil {
			t.Fatal(err)
		}
		if n := browser.Eval[int](t, ctx, `document.querySelectorAll("#chart-`+chart+` path.line").length`); n < 1 {
			t.Errorf("%s: %d lines are drawn", chart, n)
		}
	}
	if n := browser.Eval[int](t, ctx, `document.querySelectorAll("#chart-forecast-error path.line").length`); n < 3 {
		t.Errorf("gaps are drawn over: %d pieces", n)
	}
}
