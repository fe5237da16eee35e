// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// Up to forty policies differ in the colour or the dashes of their lines, and each has the same swatch in the legend, where one
// is chosen, and in the head of the summary.
func TestLinesOfManyPolicies(t *testing.T) {
	ctx, cancel := context.WithTimeout(browser.Start(t), time.Minute)
	defer cancel()
	const policies = 40
	open(t, ctx, madePage(20, policies))
	for what, list := range map[string]string{
		"lines":    `[...document.querySelectorAll("#chart-elapsed-cdf path.line")].map(e => e.getAttribute("stroke") + " " + e.getAttribute("stroke-dasharray"))`,
		"swatches": `[...document.querySelectorAll("#glance .chip .swatch")].map(e => getComputedStyle(e).backgroundColor + " " + getComputedStyle(e).maskImage)`,
	} {
		got := browser.Eval[[]string](t, ctx, list)
		if slices.Sort(got); len(got) != policies || len(slices.Compact(got)) != policies {
			t.Errorf("of %d %s some are alike: %q", len(got), what, got)
		}
	}
	swatches := func(of string) []string {
		return browser.Eval[[]string](t, ctx, `[...document.querySelectorAll("`+of+` .swatch")].map(e => getComputedStyle(e).backgroundColor + " " + getComputedStyle(e).maskImage)`)
	}
	legend := swatches("#glance .chip")
	for _, of := range []string{"#summary thead", "#time-policy", "#summary tbody tr:first-child .who"} {
		if got := swatches(of); !slices.Equal(got, legend) {
			t.Errorf("the swatches of %s are %q, those of the legend %q", of, got, legend)
		}
	}
	snap(t, ctx, "lines")
}
