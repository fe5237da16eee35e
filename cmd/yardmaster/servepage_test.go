// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/browser"
	"github.com/yardmaster/yardmaster/serve"
)

// heldBench is a workbench over a folder with one result, shop. Its command notes what is asked for, and every run lasts until
// it is let go.
type heldBench struct {
	dir          string
	asked, letGo chan []string
	served       *serve.Workbench
	stop         func() // ends the server
}

// run implements serve.Command.
func (h *heldBench) run(ctx context.Context, args []string, _ io.Writer, _ func(experiment.Progress)) error {
	h.asked <- args
	select {
	case <-h.letGo:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// holding serves the result of a scenario and opens it in a browser.
func holding(t *testing.T, scenario string) (context.Context, *heldBench) {
	t.Helper()
	main := browser.Start(t)
	h := &heldBench{dir: t.TempDir(), asked: make(chan []string, 20), letGo: make(chan []string)}
	file := filepath.Join(h.dir, "shop.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := command(t.Context(), []string{"run", file, "--out", filepath.Join(h.dir, "shop")}, io.Discard, nil); err != nil {
		t.Fatal(err)
	}
	h.served, h.stop = servingAt(t, h.dir, 0, h.run)
	t.Cleanup(func() { h.stop() })
	ctx, cancel := context.WithTimeout(main, 4*time.Minute)
	t.Cleanup(cancel)
	browser.Act(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(h.served.URL()))
	browser.Await(t, ctx, `document.getElementById("main")?.dataset.ready === "true"`)
	return ctx, h
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
	ctx, h := holding(t, odd)
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
	if args := strings.Join(<-h.asked, " "); !strings.Contains(args, "--what-if cluster.racks=2 --seeds") {
		t.Errorf("asked for is %s", args)
	}
}

// askWhatIf fills in the form and starts a run.
func askWhatIf(t *testing.T, ctx context.Context, h *heldBench) {
	t.Helper()
	visit(t, ctx, "#/ask?base=shop")
	setField(t, ctx, "cluster.racks", "2")
	press(t, ctx, "Run it")
	<-h.asked
	browser.Await(t, ctx, `document.querySelector(".run")?.dataset.state === "running"`)
}

// Runs that wait leave the page what it needs to answer, however many there are, and a run that ends leaves the reader where
// he is by then.
func TestWorkbenchManyRuns(t *testing.T) {
	ctx, h := holding(t, benchScenario)
	visit(t, ctx, "#/jobs?path=shop")
	browser.Await(t, ctx, ready)
	const asked = 10
	for range asked {
		browser.Eval[chromedp.Void](t, ctx, `document.querySelector(".sheet .body .row").click(); undefined`)
		press(t, ctx, "Explain this job")
		browser.Await(t, ctx, `document.querySelector(".run")`)
	}
	press(t, ctx, "Cancel")
	browser.Await(t, ctx, `document.querySelector(".run").dataset.state === "cancelled"`)
	visit(t, ctx, "#/")
	for range asked - 1 {
		h.letGo <- <-h.asked
	}

	askWhatIf(t, ctx, h)
	visit(t, ctx, "#/jobs?path=shop")
	browser.Await(t, ctx, ready)
	h.letGo <- nil
	browser.Await(t, ctx, `document.querySelector(".said")?.textContent.startsWith("shop-what-if: done in ")`)
	if got := browser.Eval[string](t, ctx, `location.hash`); got != "#/jobs?path=shop" {
		t.Errorf("a run that ended led to %s", got)
	}
	askWhatIf(t, ctx, h)
	h.letGo <- nil
	browser.Await(t, ctx, `location.hash.startsWith("#/result")`)
}

// A page whose server has stopped says so and lets its reader ask again, also where a new server is at the same port.
func TestWorkbenchStopped(t *testing.T) {
	ctx, h := holding(t, benchScenario)
	log := browser.Listen(ctx)
	told := func(want string) {
		t.Helper()
		press(t, ctx, "Cancel")
		browser.Await(t, ctx, `document.querySelector(".faults")`)
		if got := browser.Eval[string](t, ctx, `document.querySelector(".faults").textContent`); !strings.HasPrefix(got, want) {
			t.Errorf("the page says %q, want %q", got, want)
		}
		if browser.Eval[bool](t, ctx, `document.querySelector("button.main").disabled`) {
			t.Error("nothing can be asked any more")
		}
	}
	address, err := url.Parse(h.served.URL())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	askWhatIf(t, ctx, h)
	h.stop()
	h.served, h.stop = servingAt(t, h.dir, port, h.run)
	told("Open the URL that yardmaster serve printed")

	browser.Act(t, ctx, chromedp.Navigate(h.served.URL()))
	askWhatIf(t, ctx, h)
	h.stop()
	told("The server does not answer.")
	h.stop = func() {}
	for _, text := range log.Complaints() {
		if strings.Contains(text, "Uncaught") {
			t.Errorf("the console says %s", text)
		}
	}
}
