// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// readings moves over a chart and returns those lines of the tooltip that have a span over seeds: value, lowest, highest.
const readings = `(chart => {
	const surface = document.querySelector("#chart-" + chart + " .surface"), box = surface.getBoundingClientRect(), list = [];
	for (let x = 3; x < box.width; x += 7) {
		surface.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + x, clientY: box.top + box.height / 2}));
		for (const line of document.querySelectorAll("#tip td:nth-child(3)")) {
			const m = /^(?:mean )?([\d.,]+).*? \(([\d.,]+).* to ([\d.,]+).* over seeds\)/.exec(line.textContent);
			if (m) list.push(m.slice(1).map(v => Number(v.replaceAll(",", ""))));
		}
	}
	return list;
})`

// The seed that a page shows is one of those whose span a tooltip names, so its value lies within, also where the span is kept
// in wider buckets of time or in steps of whole percent.
func TestSeedShownLiesInSpan(t *testing.T) {
	ctx, cancel := context.WithTimeout(browser.Start(t), time.Minute)
	defer cancel()
	open(t, ctx, madePage(4000, 3))
	for _, chart := range []string{"slowdown-cdf", "elapsed-cdf", "variability", "ranges", "utilisation", "jobs"} {
		list := browser.Eval[[][3]float64](t, ctx, readings+`("`+chart+`")`)
		if len(list) < 20 {
			t.Errorf("%s: %d readings have a span", chart, len(list))
		}
		for _, r := range list {
			if r[0] < r[1] || r[0] > r[2] {
				t.Errorf("%s reads %v (%v to %v over seeds)", chart, r[0], r[1], r[2])
			}
		}
	}
}

// A page of many policies keeps fewer shares of a distribution, and these in even steps, as the page reads them: of 1, 2, ...
// 100 jobs a share of k in n is at or below 100 k / n.
func TestSharesAreEven(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(i + 1)
	}
	o := &Outline{elapsed: atShares(values)}
	for policies := range 100 {
		d := newBands([]*Outline{o, o}, nil, &series{}, boundsFor(policies+1))
		n := len(d.Elapsed.Low) - 1
		for k, v := range d.Elapsed.Low[1:] {
			if want := float64(100 * (k + 1) / n); v != want {
				t.Fatalf("%d policies: share %d of %d is %v, want %v", policies+1, k+1, n, v, want)
			}
		}
	}
}
