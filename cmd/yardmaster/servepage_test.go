// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/browser"
	"github.com/yardmaster/yardmaster/serve"
)

// heldRuns stands for the command in a workbench: it notes what is asked for, and every run lasts until it is let go.
type heldRuns struct{ asked, letGo chan []string }

// run implements serve.Command.
func (h *heldRuns) run(ctx context.Context, args []string, _ io.Writer, _ func(experiment.Progress)) error {
	h.asked <- args
	select {
	case <-h.letGo:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// page serves the folder of one result, shop, whose runs are held, and opens it in a browser. stop ends the server.
func page(t *testing.T, scenario string) (ctx context.Context, runs *heldRuns, b *serve.Workbench, stop func()) {
	t.Helper()
	main := browser.Start(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "shop.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := command(t.Context(), []string{"run", file, "--out", filepath.Join(dir, "shop")}, io.Discard, nil); err != nil {
		t.Fatal(err)
	}
	runs = &heldRuns{make(chan []string, 20), make(chan []string)}
	b, stop = servingAt(t, dir, 0, runs.run)
	ctx, cancel := context.WithTimeout(main, 4*time.Minute)
	t.Cleanup(cancel)
	browser.Act(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.URL()))
	browser.Await(t, ctx, `document.getElementById("main")?.dataset.ready === "true"`)
	return ctx, runs, b, stop
}

// press clicks the button that says text.
func press(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	browser.Eval[chromedp.Void](t, ctx, `[...document.querySelectorAll("main button")].find(b => b.textContent === "`+text+`").click(); undefined`)
}

// Texts with line breaks, spaces at their ends and signs that begin a formula are shown as they are, and a what-if changes
// what was changed by hand alone.
func TestWorkbenchTexts(t *testing.T) {
	odd := strings.NewReplacer("name: big", `name: "two\nlines"`, "name: small", `name: "=1+2"`, "user: bob", `user: " bob "`, "user: cat", `user: "''-u"`).Replace(benchScenario)
	ctx, runs, _, stop := page(t, odd)
	defer stop()
	visit(t, ctx, "#/jobs?path=shop")
	browser.Await(t, ctx, ready)
	cells := browser.Eval[[]string](t, ctx, `[...document.querySelectorAll(".sheet .body .row")].map(r => [...r.children].map(c => c.textContent).join("|"))`)
	if len(cells) != 3 || !strings.Contains(cells[0], "|two\nlines|") || !strings.Contains(cells[1], "|=1+2|") || !strings.Contains(cells[2], "|''-u|") {
		t.Errorf("the table of jobs says %q", cells)
	}
	visit(t, ctx, "#/ask?base=shop")
	if got := browser.Eval[string](t, ctx, `document.querySelector(".count").textContent`); got != "nothing changed yet" {
		t.Errorf("the form that was just opened says %q", got)
	}
	if got := browser.Eval[string](t, ctx, `[...document.querySelectorAll("textarea")].map(a => a.value).join()`); got != "two\nlines" {
		t.Errorf("the fields of several lines hold %q", got)
	}
	setField(t, ctx, "cluster.racks", "2")
	press(t, ctx, "Run it")
	if args := strings.Join(<-runs.asked, " "); !strings.Contains(args, "--what-if cluster.racks=2 --seeds") {
		t.Errorf("asked for is %s", args)
	}
}
