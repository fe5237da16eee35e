// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/browser"
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
