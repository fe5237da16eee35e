// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// jobsOf makes n equal jobs and lets edit change each.
func jobsOf(n int, edit func(i int, j *metrics.Job)) *metrics.Run {
	r := &metrics.Run{}
	for i := range n {
		j := metrics.Job{ID: model.JobID(i), FirstStart: model.Second, Finish: 3 * model.Second, Size: 2 * model.Second, Reference: model.Second}
		if edit != nil {
			edit(i, &j)
		}
		r.Jobs = append(r.Jobs, j)
	}
	return r
}

// edgePages are pages that are unusual and still have to be drawn.
func edgePages() map[string]*Page {
	one := func(r *metrics.Run) *Page { return &Page{Title: "edge", Policies: []PolicyRun{{"a", r}}} }
	half := madePage(30, 2)
	half.Policies[1].Run = &metrics.Run{}
	pages := map[string]*Page{
		"nothing":      {Title: "edge"},
		"no jobs":      one(&metrics.Run{}),
		"one job":      one(jobsOf(1, nil)),
		"equal jobs":   one(jobsOf(50, nil)),
		"half missing": half,
		"no reference": one(jobsOf(20, func(_ int, j *metrics.Job) { j.Reference = 0 })),
		"some reference": one(jobsOf(20, func(i int, j *metrics.Job) {
			if i%2 == 0 {
				j.Reference = 0
			}
		})),
		"zeroes": one(jobsOf(20, func(i int, j *metrics.Job) {
			*j = metrics.Job{ID: j.ID, Reference: model.Second}
		})),
		"huge": one(jobsOf(20, func(i int, j *metrics.Job) {
			j.Finish, j.Size = model.Forever-1, model.Forever/model.Time(i+1)
			j.Blame[0] = j.Finish
		})),
		"names": one(jobsOf(3, func(i int, j *metrics.Job) {
			j.Name, j.Queue, j.Class = `</script><b id="evil">`, strings.Repeat("queue<i>", 40), string(rune('a'+i))
		})),
		"eight": madePage(300, 8),
	}
	return pages
}

func TestEdgePagesInBrowser(t *testing.T) {
	main := browser.Start(t)
	for name, p := range edgePages() {
		t.Run(name, func(t *testing.T) {
			tab, closeTab := chromedp.NewContext(main)
			defer closeTab()
			if err := chromedp.Do(tab); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(tab, time.Minute)
			defer cancel()
			messages := chromedp.Console(ctx)
			open(t, ctx, p)
			if bad := browser.Eval[string](t, ctx, `(document.querySelector("main").outerHTML.match(/.{60}(NaN|Infinity|undefined|\[object).{20}/) || [""])[0]`); bad != "" {
				t.Errorf("the page shows what is not a number: %s", bad)
			}
			if browser.Eval[bool](t, ctx, `document.getElementById("evil") !== null`) {
				t.Error("a name became markup")
			}
			if w := browser.Eval[int](t, ctx, `document.documentElement.scrollWidth`); w > 1280 {
				t.Errorf("the page is %d wide", w)
			}
			if text := browser.Eval[string](t, ctx, `document.querySelector("main").innerText`); name == "no reference" && strings.Count(text, "Slowdown is left out") != 1 {
				t.Errorf("without references the page says %q", text)
			}
			browser.Eval[chromedp.Void](t, ctx, `console.log("end")`)
			for m, err := range messages {
				if err != nil {
					t.Fatal(err)
				}
				if m.Text == "end" {
					break
				}
				t.Errorf("console: %s", m)
			}
		})
	}
}
