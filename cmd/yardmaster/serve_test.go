// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/yardmaster/yardmaster/internal/browser"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/serve"
)

// benchScenario has two queues under limits, and jobs that wait for them.
const benchScenario = `name: shop
seeds: 2
reference: false
cluster: {racks: 1, classes: [{nodes: 4, map-slots: 2, reduce-slots: 1}]}
hdfs: {replication: 1}
workload:
  jobs:
    - {name: big, queue: prod, user: ann, maps: 60, map-length: 20s, reduces: 2, reduce-length: 10s}
    - {name: small, queue: prod, user: bob, submit: 5s, maps: 8, map-length: 10s}
    - {name: other, queue: dev, user: cat, submit: 6s, maps: 8, map-length: 10s}
policy:
  capacity:
    queues:
      - {name: prod, capacity: 70, minimum-user-limit-percent: 100}
      - {name: dev, capacity: 30}
`

// traceSize is the number of jobs of the trace FB-2010.
const traceSize = 24442

// bench serves a folder with the results of benchScenario and a run of many jobs, and opens it in a browser.
func bench(t *testing.T) (ctx context.Context, b *serve.Workbench, dir string) {
	t.Helper()
	main := browser.Start(t)
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.yaml"), []byte(benchScenario), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", filepath.Join(dir, "shop.yaml"), "--out", filepath.Join(dir, "shop")}, {"run", filepath.Join(dir, "shop.yaml"), "--policy", "fair", "--out", filepath.Join(dir, "shop-fair")}} {
		var out strings.Builder
		if err := command(t.Context(), args, &out, nil); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out.String())
		}
	}
	manyJobs(t, filepath.Join(dir, "fb-2010"))
	b = serving(t, dir)
	ctx, cancel := context.WithTimeout(main, 4*time.Minute)
	t.Cleanup(cancel)
	return ctx, b, dir
}

// serving serves a folder until the test is over.
func serving(t *testing.T, dir string) *serve.Workbench {
	t.Helper()
	b, stop := servingAt(t, dir, 0, command)
	t.Cleanup(stop)
	return b
}

// servingAt serves a folder at a port until stop is called.
func servingAt(t *testing.T, dir string, port int, command serve.Command) (b *serve.Workbench, stop func()) {
	t.Helper()
	served, cancel := context.WithCancel(t.Context())
	b, err := serve.New(served, dir, port, command)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- b.Serve(served) }()
	return b, func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// manyJobs puts a result of as many jobs as FB-2010 has into a folder: the trace itself where it is at hand, or jobs of
// that number.
func manyJobs(t *testing.T, folder string) {
	t.Helper()
	if os.Getenv("YARDMASTER_TRACES") != "" {
		file := filepath.Join(t.TempDir(), "fb-2010.yaml")
		src := "reference: false\ncluster: {racks: 30, classes: [{nodes: 600, map-slots: 6, reduce-slots: 2}]}\nworkload: {trace: {name: FB-2010}}\npolicy: fair\n"
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := command(t.Context(), []string{"run", file, "--out", folder}, &out, nil); err != nil {
			t.Fatal(err)
		}
		return
	}
	r := &metrics.Run{}
	for i := range traceSize {
		j := metrics.Job{ID: model.JobID(i), Name: fmt.Sprintf("job_%05d", i), User: fmt.Sprint("user", i%40), Queue: []string{"prod", "dev", "ad-hoc"}[i%3], Submit: model.Seconds(float64(i) * 3.5), Maps: int32(1 + i%700), Reduces: int32(i % 9)}
		j.FirstStart = j.Submit + model.Seconds(math.Mod(float64(i)*7.3, 90))
		j.Finish = j.FirstStart + model.Seconds(5+math.Mod(float64(i)*13.7, 4000))
		j.Limits[model.LimitRoom] = j.Waiting()
		r.Jobs = append(r.Jobs, j)
	}
	f, err := result.NewFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	m := &result.Manifest{Yardmaster: "test", Kind: "run", Command: "yardmaster run fb-2010.yaml", Scenario: []byte(`{"name":"fb-2010"}`), Policies: []string{"fair"}, Seeds: []uint64{1}}
	for name, write := range map[string]func(io.Writer) error{
		result.ManifestName: func(w io.Writer) error { return result.WriteJSON(w, m) },
		result.JobsName:     func(w io.Writer) error { return result.WriteJobs(w, r) },
	} {
		if err := f.Write(name, write); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
}

// visit opens a view and returns when it is there.
func visit(t *testing.T, ctx context.Context, view string) {
	t.Helper()
	browser.Eval[chromedp.Void](t, ctx, `document.getElementById("main").dataset.ready = "false"; location.hash === "`+view+`" ? location.reload() : location.hash = "`+view+`"; undefined`)
	browser.Await(t, ctx, `document.getElementById("main")?.dataset.ready === "true"`)
}

const ready = `document.querySelector(".sheet")?.dataset.ready === "true"`

func TestWorkbench(t *testing.T) {
	ctx, b, dir := bench(t)
	log := browser.Listen(ctx)
	browser.Act(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.URL()))
	browser.Await(t, ctx, `document.getElementById("main")?.dataset.ready === "true"`)
	if got := browser.Eval[string](t, ctx, `location.href`); strings.Contains(got, "token") {
		t.Errorf("the token stays in the address %s", got)
	}
	t.Run("search", func(t *testing.T) {
		browser.Act(t, ctx, chromedp.KeyEvent("fair"))
		if got := browser.Eval[string](t, ctx, `[...document.querySelectorAll(".list li a")].map(e => e.textContent).sort().join(" ")`); !strings.Contains(got, "shop-fair") || strings.Contains(got, "yaml") {
			t.Errorf("the search for fair finds %q", got)
		}
	})
	t.Run("jobs", func(t *testing.T) { checkJobs(t, ctx) })
	t.Run("explain", func(t *testing.T) { checkExplain(t, ctx) })
	t.Run("what-if", func(t *testing.T) { checkWhatIf(t, ctx, dir) })
	t.Run("cancel", func(t *testing.T) { checkCancel(t, ctx, dir) })
	t.Run("beside", func(t *testing.T) {
		visit(t, ctx, "#/beside?a=shop&b=shop-fair")
		if n := browser.Eval[int](t, ctx, `document.querySelectorAll("iframe").length`); n != 2 {
			t.Errorf("%d reports side by side, want 2", n)
		}
		if got := browser.Eval[string](t, ctx, `document.querySelector("#beside tbody").innerText`); !strings.Contains(got, "mean_wait") {
			t.Errorf("the metrics side by side are %q", got)
		}
	})
	t.Run("layout", func(t *testing.T) { checkLayouts(t, ctx) })
	if list := log.Complaints(); len(list) > 0 {
		t.Errorf("the page wrote to the console:\n%s", strings.Join(list, "\n"))
	}
	own, _, _ := strings.Cut(b.URL(), "/?")
	if list, any := log.Foreign(own + "/"); len(list) > 0 || !any {
		t.Errorf("the page asked others: %q (any at all: %t)", list, any)
	}
}

// checkJobs: all jobs of the trace are there, the first rows after less than a second of work, and a keystroke in the search
// takes less than a tenth of one.
func checkJobs(t *testing.T, ctx context.Context) {
	visit(t, ctx, "#/")
	start := browser.Work(t, ctx)
	browser.Eval[chromedp.Void](t, ctx, `location.hash = "#/jobs?path=fb-2010"; undefined`)
	browser.Await(t, ctx, `document.querySelectorAll(".sheet .body .row").length > 10`)
	first := browser.Work(t, ctx) - start
	browser.Await(t, ctx, ready)
	all := browser.Work(t, ctx) - start
	if got := browser.Eval[string](t, ctx, `document.getElementById("counted").textContent`); got != "24,442 jobs" {
		t.Errorf("the table says %q", got)
	}
	if n := browser.Eval[int](t, ctx, `document.querySelectorAll(".sheet .body .row").length`); n > 80 {
		t.Errorf("%d rows are elements; only those in view should be", n)
	}
	browser.Eval[chromedp.Void](t, ctx, `document.querySelector("input[type=search]").focus(); undefined`)
	worst := 0.0
	for _, key := range []string{"1", "7", "7", " ", "w", "a", "i", "t", "i", "n", "g", ">", "0"} {
		before := browser.Work(t, ctx)
		browser.Act(t, ctx, chromedp.KeyEvent(key))
		browser.Eval[int](t, ctx, `document.querySelector(".sheet").offsetHeight`)
		worst = max(worst, browser.Work(t, ctx)-before)
	}
	t.Logf("script and layout: first rows after %.0f ms, all %.0f ms, worst keystroke %.1f ms", 1000*first, 1000*all, 1000*worst)
	if first >= 1 {
		t.Errorf("the first rows took %.2f s of script and layout", first)
	}
	if worst >= 0.1 {
		t.Errorf("a keystroke took %.0f ms of script and layout", 1000*worst)
	}
	if got := browser.Eval[string](t, ctx, `document.getElementById("counted").textContent`); !strings.HasSuffix(got, " of 24,442 jobs") {
		t.Errorf("after a search the table says %q", got)
	}
	browser.Act(t, ctx, chromedp.KeyEvent(strings.Repeat(kb.Backspace, 13)))
	browser.Eval[chromedp.Void](t, ctx, `[...document.querySelectorAll(".head-row button")].find(b => b.textContent.startsWith("elapsed")).click(); undefined`)
	top := `[...document.querySelectorAll(".sheet .body .row")].slice(0, 2).map(r => r.querySelector(".cell").textContent)`
	ids := browser.Eval[[]string](t, ctx, top)
	if ids[0] == "0" && ids[1] == "1" {
		t.Errorf("sorting by elapsed time left the order %v", ids)
	}
}

// checkExplain opens a job by the keyboard alone and has it explained.
func checkExplain(t *testing.T, ctx context.Context) {
	visit(t, ctx, "#/jobs?path=shop")
	browser.Await(t, ctx, ready)
	browser.Eval[chromedp.Void](t, ctx, `document.querySelector(".sheet").focus(); undefined`)
	browser.Act(t, ctx, chromedp.KeyEvent(kb.ArrowDown+kb.ArrowDown+kb.Enter))
	if got := browser.Eval[string](t, ctx, `document.querySelector(".job h2").textContent`); got != "small" {
		t.Fatalf("the keyboard opened %q, want small", got)
	}
	if n := browser.Eval[int](t, ctx, `document.querySelectorAll(".job .rows svg g").length`); n != 3 {
		t.Errorf("%d rows beside the job's, want all 3", n)
	}
	browser.Eval[chromedp.Void](t, ctx, `document.querySelector(".job button.main").focus(); undefined`)
	browser.Act(t, ctx, chromedp.KeyEvent(kb.Enter))
	browser.Await(t, ctx, `document.getElementById("explanation") || document.querySelector(".job .faults")`)
	if got := browser.Eval[string](t, ctx, `document.querySelector(".job .faults")?.textContent || ""`); got != "" {
		t.Fatal(got)
	}
	if got := browser.Eval[string](t, ctx, `document.querySelector(".job .command code").textContent`); !strings.HasPrefix(got, "yardmaster explain ") {
		t.Errorf("the command is %q", got)
	}
}

// setField types a value into the field of a setting.
func setField(t *testing.T, ctx context.Context, path, value string) {
	t.Helper()
	browser.Eval[chromedp.Void](t, ctx, `(() => { const i = [...document.querySelectorAll(".field")].find(f => f.dataset.path === `+fmt.Sprintf("%q", path)+`).querySelector("input"); i.closest("details").open = true; i.value = ""; i.focus(); })()`)
	browser.Act(t, ctx, chromedp.KeyEvent(value))
}

const userLimit = "policy.capacity.queues[0].minimum-user-limit-percent"

// checkWhatIf changes a setting, sees a bad value refused at its field, runs a good one, and sees the paired difference.
func checkWhatIf(t *testing.T, ctx context.Context, dir string) {
	visit(t, ctx, "#/ask?base=shop")
	setField(t, ctx, userLimit, "250")
	browser.Act(t, ctx, chromedp.KeyEvent(kb.Enter))
	browser.Await(t, ctx, `document.querySelector(".field.bad") || document.querySelector(".faults")`)
	got := browser.Eval[[]string](t, ctx, `[...document.querySelectorAll(".field.bad")].map(f => f.dataset.path + ": " + f.querySelector(".fault").textContent)`)
	if len(got) != 1 || !strings.HasPrefix(got[0], userLimit) || !strings.Contains(got[0], "250") {
		t.Fatalf("the refused value stands at %q", got)
	}
	var out strings.Builder
	err := command(t.Context(), []string{"compare", filepath.Join(dir, "shop"), "--what-if", userLimit + "=250", "--out", filepath.Join(dir, "never")}, &out, nil)
	if err == nil || !strings.Contains(got[0], strings.TrimSpace(err.Error())) {
		t.Errorf("the page says %q, the command line %v", got[0], err)
	}
	setField(t, ctx, userLimit, "25")
	browser.Act(t, ctx, chromedp.KeyEvent(kb.Enter))
	browser.Await(t, ctx, `location.hash.startsWith("#/result") && document.getElementById("paired") || document.querySelector(".field.bad, .faults")`)
	table := browser.Eval[string](t, ctx, `document.getElementById("paired")?.textContent || document.querySelector(".faults, .field.bad")?.textContent || ""`)
	if !strings.Contains(table, "minimum-user-limit-percent=25") || !strings.Contains(table, "%") {
		t.Errorf("the paired differences are %.300q", table)
	}
	if _, err := result.ReadManifest(filepath.Join(dir, "shop-what-if")); err != nil {
		t.Error(err)
	}
}

// checkCancel watches the progress of a long run and stops it; what is left of it is a whole result of the seeds that were
// done, if any were.
func checkCancel(t *testing.T, ctx context.Context, dir string) {
	visit(t, ctx, "#/ask")
	setField(t, ctx, "cluster.racks", "4")
	browser.Eval[chromedp.Void](t, ctx, `document.getElementById("seeds").value = 10000; document.getElementById("name").value = "never"; undefined`)
	browser.Act(t, ctx, chromedp.KeyEvent(kb.Enter))
	browser.Await(t, ctx, `document.querySelector("progress")?.value > 0`)
	if got := browser.Eval[string](t, ctx, `document.querySelector(".run p").textContent`); !strings.Contains(got, "of 20000 runs") {
		t.Errorf("the progress says %q", got)
	}
	browser.Eval[chromedp.Void](t, ctx, `[...document.querySelectorAll(".run button")].find(b => b.textContent === "Cancel").click(); undefined`)
	browser.Await(t, ctx, `!["waiting", "running"].includes(document.querySelector(".run").dataset.state)`)
	if got := browser.Eval[string](t, ctx, `document.querySelector(".run").dataset.state`); got != "cancelled" {
		t.Errorf("the run is %s, want cancelled", got)
	}
	if hidden, err := filepath.Glob(filepath.Join(dir, ".*never*")); err != nil || len(hidden) > 0 {
		t.Errorf("the cancelled run left %v (%v)", hidden, err)
	}
	folder := filepath.Join(dir, "never")
	if _, err := os.Stat(folder); err != nil {
		return // it was cancelled before a seed was done
	}
	if m, err := result.ReadManifest(folder); err != nil || len(m.Seeds) == 0 || len(m.Seeds) >= 10000 {
		t.Errorf("the folder is no whole result of the seeds that were done: %v", err)
	}
}

// layoutViews are the views whose layout is measured, each with what shows that it is there.
var layoutViews = map[string]string{
	"#/":                             `document.querySelector(".list li")`,
	"#/result?path=shop":             `document.querySelector("iframe")?.dataset.loaded`,
	"#/result?path=shop-what-if":     `document.querySelector("iframe")?.dataset.loaded`,
	"#/jobs?path=fb-2010":            ready,
	"#/ask?base=shop":                `document.querySelector(".field")`,
	"#/beside?a=shop&b=shop-fair":    `document.querySelectorAll("iframe[data-loaded]").length === 2`,
	"#/result?path=shop-explain-1":   `document.querySelector("iframe")?.dataset.loaded`,
	"#/jobs?path=shop-what-if&open=": ready,
}

// checkLayouts measures every view at three widths in both colour schemes, and takes pictures where YARDMASTER_SHOTS names a folder.
func checkLayouts(t *testing.T, ctx context.Context) {
	for view, there := range layoutViews {
		visit(t, ctx, view)
		browser.Await(t, ctx, there)
		if strings.HasSuffix(view, "open=") {
			browser.Eval[chromedp.Void](t, ctx, `document.querySelector(".sheet .body .row").click(); undefined`)
		}
		for _, scheme := range []string{"light", "dark"} {
			browser.Scheme(t, ctx, scheme)
			for _, width := range []int64{390, 1280, 1920} {
				browser.Act(t, ctx, chromedp.EmulateViewport(width, 900))
				browser.Eval[int](t, ctx, `document.body.offsetHeight`)
				for _, fault := range browser.LayoutFaults(t, ctx) {
					t.Errorf("%s at %d, %s: %s", view, width, scheme, fault)
				}
				shoot(t, ctx, fmt.Sprintf("%s-%d-%s", strings.Trim(strings.NewReplacer("#/", "bench-", "?", "-", "=", "-", "&", "-").Replace(view), "-"), width, scheme))
			}
		}
	}
}

// shoot takes a picture of the page for people to look at.
func shoot(t *testing.T, ctx context.Context, name string) {
	folder := os.Getenv("YARDMASTER_SHOTS")
	if folder == "" {
		return
	}
	browser.Act(t, ctx, chromedp.Sleep(700*time.Millisecond)) // frames are drawn later than the page
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}
