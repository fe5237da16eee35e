// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// tabled adds to a page what its tables can hold: rows of queues, a table of changes, queues of YARN, many remarks.
func tabled(p *Page) *Page {
	for i := range p.Table[:2] {
		row := p.Table[i]
		row.Metric = madeQueues[i] + ".mean_wait"
		p.Table = append(p.Table, row)
	}
	p.Texts = []TextTable{{Title: "What changed by queue", Head: []string{"queue", "jobs", "under", "against", "waiting", "execution", "elapsed", "response ratio", "makespan", "node-local", "why"},
		Order: []int{0, 2, 10, 3, 1, 4, 5, 6, 7, 8, 9}}}
	for _, q := range madeQueues {
		p.Texts[0].Rows = append(p.Texts[0].Rows, []string{q, "1200", "old", "", "12.0 s", "80.1 s", "92.1 s", "1.20", "4000 s", "93.0 %", ""},
			[]string{"", "", "new, load +30 %", "old", "18.0 s (+50 %*)", "80.1 s (+0 %)", "98.1 s (+6 %*)", "1.25 (+4 %)", "4100 s (+2 %)", "92.0 %", "user limit +5.1 s, room −0.4 s"})
	}
	tree := QueueTree{Name: "site", Width: 10, Queues: []TreeQueue{{Name: "root", Path: "root", Guarantee: 1, Maximum: 1, Use: []float64{0.5, 0.25}}}}
	for _, q := range madeQueues {
		tree.Queues = append(tree.Queues, TreeQueue{Name: q, Path: "root." + q, Depth: 1, Guarantee: 0.3, Maximum: 0.8, Rules: "user: at least 25 %, 2 times the guarantee; masters 10 %", Use: []float64{0.5, 0}})
	}
	p.Trees = []QueueTree{tree}
	for i := range 5 {
		p.Caveats = append(p.Caveats, fmt.Sprintf("yarn.scheduler.capacity.root.production.some-property-%d: not modelled", i))
	}
	return p
}

// slid finds what can be scrolled sideways.
const slid = `[...document.querySelectorAll("*")].filter(e => e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX)).map(e => e.tagName + " " + (e.getAttribute("aria-label") || e.className))`

// TestScreens measures the page at three widths in both colour schemes: nothing overlaps or is cut off; on a phone every
// policy is there and nothing scrolls sideways; on a desk the first charts are within the first screen, and the cause of a
// change is in sight. Pictures go to the folder that YARDMASTER_SHOTS names.
func TestScreens(t *testing.T) {
	main := browser.Start(t)
	ctx, cancel := context.WithTimeout(main, 3*time.Minute)
	defer cancel()
	page := tabled(addCircuits(addNetwork(madePage(400, 5), 30)))
	open(t, ctx, page)
	for _, scheme := range []string{"light", "dark"} {
		browser.Scheme(t, ctx, scheme)
		for _, width := range []int64{390, 1280, 1920} {
			browser.Act(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Sleep(300*time.Millisecond))
			for _, fault := range browser.LayoutFaults(t, ctx) {
				t.Errorf("at %d, %s: %s", width, scheme, fault)
			}
			snap(t, ctx, fmt.Sprintf("screens-%d-%s", width, scheme))
			if width == 390 {
				checkPhone(t, ctx, page)
				continue
			}
			for _, chart := range []string{"elapsed-cdf", "limits"} {
				if bottom := browser.Eval[float64](t, ctx, `document.getElementById("chart-`+chart+`").getBoundingClientRect().bottom + scrollY`); bottom > 900 {
					t.Errorf("at %d the chart %s ends at %.0f px, want it within the first 900", width, chart, bottom)
				}
			}
			if right := browser.Eval[float64](t, ctx, `[...document.querySelectorAll("#changes th")].find(e => e.textContent === "why").getBoundingClientRect().right`); right > float64(width) {
				t.Errorf("at %d the cause of changes reaches to %.0f px", width, right)
			}
		}
	}
}

// checkPhone: every row of the summary shows every policy by name, and nothing has to be scrolled sideways.
func checkPhone(t *testing.T, ctx context.Context, p *Page) {
	t.Helper()
	if list := browser.Eval[[]string](t, ctx, slid); len(list) > 0 {
		t.Errorf("on a phone these scroll sideways: %q", list)
	}
	shown := browser.Eval[int](t, ctx, `[...document.querySelectorAll("#chart-summary td .who")].filter(e => e.checkVisibility() && e.getBoundingClientRect().right <= innerWidth && e.getBoundingClientRect().left >= 0).length`)
	if want := len(p.Table) * len(p.Policies); shown != want {
		t.Errorf("on a phone %d cells name their policy in sight, want %d", shown, want)
	}
}

// snap takes a picture of the whole page for people to look at, where YARDMASTER_SHOTS names a folder.
func snap(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	folder := os.Getenv("YARDMASTER_SHOTS")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestQueueColours: a queue has one colour in charts over time, in the rows of jobs, and in every table.
func TestQueueColours(t *testing.T) {
	main := browser.Start(t)
	ctx, cancel := context.WithTimeout(main, time.Minute)
	defer cancel()
	p := tabled(madePage(60, 2))
	lines := p.Policies[1].Run.Series.Lines
	lines[0], lines[2] = lines[2], lines[0] // a run may list its queues in another order
	open(t, ctx, p)
	browser.Eval[chromedp.Void](t, ctx, `[...document.querySelectorAll("#time-policy button")][1].click(); undefined`)
	for i, q := range []string{"ad-hoc", "production", "research"} {
		want := fmt.Sprintf("var(--k%d)", i)
		got := browser.Eval[[]string](t, ctx, `[...document.querySelectorAll(".key, #summary th, #queues th, #changes td")].filter(e => new RegExp("^\\s*`+q+`(\\.mean_wait|$)").test((e.querySelector("span") && e.matches("th") && e.closest("#summary") ? e.querySelector("span") : e).textContent)).map(e => e.querySelector(".swatch")).map(e => e && getComputedStyle(e).backgroundColor)`)
		colour := browser.Eval[string](t, ctx, `(() => { const e = document.createElement("p"); e.style.backgroundColor = "`+want+`"; document.body.append(e); const c = getComputedStyle(e).backgroundColor; e.remove(); return c; })()`)
		least := 4 // two charts, the queues, the changes
		if i > 0 {
			least = 5 // and a row of the summary
		}
		if len(got) < least {
			t.Errorf("%s is named %d times, want at least %d", q, len(got), least)
		}
		for _, c := range got {
			if c != colour {
				t.Errorf("%s has the colours %q, want %s", q, got, colour)
				break
			}
		}
	}
}
