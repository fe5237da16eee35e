// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/browser"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/result"
)

// lateJob is a job of the recorded history that waited for nearly five minutes; its queue is root.prod.
const lateJob, lateQueue = "job_1794729837477_0014", "root.prod"

// commented adds a comment to the recorded configuration, which has none.
func commented(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "site", "capacity-scheduler.xml")
	src := strings.Replace(read(t, file), "<configuration>", "<configuration>\n <!-- kept by the storage team -->", 1)
	write(t, file, src)
}

// bestOf returns the property that helps the job most by its explanation, its new value, and the what-if.
func bestOf(t *testing.T, e *advise.Explanation) (name, value string, best advise.Alternative) {
	t.Helper()
	for _, a := range e.WhatIf {
		if strings.HasPrefix(a.Change, "yarn.scheduler.capacity.") && (name == "" || a.Elapsed < best.Elapsed) {
			words := strings.Fields(a.Change) // NAME OLD -> NEW
			name, value, best = words[0], words[3], a
		}
	}
	if name == "" || best.Verdict != advise.Sooner {
		t.Fatalf("no setting would have helped: %+v", e.WhatIf)
	}
	return name, value, best
}

// TestAdministratorsStory goes in five commands from a configuration folder and a job history to a changed file: how far to
// trust the model, the day as it was, why a job waited and what would have helped, what that costs others, the file.
func TestAdministratorsStory(t *testing.T) {
	dir := yarnHistory(t)
	commented(t, dir)
	t.Chdir(dir)
	trust := completed(t, "backtest", "run/jhist", "--conf", "site", "--nodes", "site/nodes.json", "--seeds=2", "--out", "twin")
	if !strings.Contains(trust.out, "a change that is smaller than this says little") {
		t.Error(trust.out)
	}
	completed(t, "run", "twin", "--conf", "site", "--out", "day")
	e := parseJSON[advise.Explanation](t, completed(t, "explain", "day", lateJob, "--format", "json").out)
	name, value, best := bestOf(t, &e)
	if name != "yarn.scheduler.capacity.root.prod.maximum-am-resource-percent" || best.Others <= e.Others {
		t.Errorf("%s=%s is the best setting, under which others take %.1f s instead of %.1f s", name, value, best.Others, e.Others)
	}
	held := ""
	for _, s := range e.Said {
		held += s.Limit + " "
	}
	if !strings.Contains(held, "am_share") {
		t.Errorf("the job was held by %s", held)
	}
	cost := parseJSON[result.ComparisonSummary](t, completed(t, "compare", "day", "--policies", "site",
		"--what-if", fmt.Sprintf("policy.yarn-capacity.properties[%q]=%s", name, value), "--seeds=3", "--out", "cost", "--format", "json").out)
	for _, r := range cost.Changes {
		if r.By != "queue" {
			continue
		}
		m := r.Metrics["mean_wait"]
		if gains := m.After < m.Before; gains != (r.Name == lateQueue) || !m.Sure || !strings.Contains(r.Why, "am share") {
			t.Errorf("%s waits %.1f s before and %.1f s after, certain: %t, by %s", r.Name, m.Before, m.After, m.Sure, r.Why)
		}
	}
	completed(t, "capacity", "write", "cost", "--out", "new.xml")
	checkChanged(t, read(t, "new.xml"), read(t, "site/capacity-scheduler.xml"), name, value)

	yardmaster("capacity", "write", "cost", "--out", "site/capacity-scheduler.xml").want(t, exitRefused, "allowed: another file than the one")
	yardmaster("capacity", "write", "day").want(t, exitRefused, "nothing was changed; allowed: a result of compare --what-if")
	yardmaster("capacity", "write", "cost", "--policy", "none").want(t, exitRefused, `found "none"; allowed: `)
	yardmaster("explain", "twin", lateJob).want(t, exitRefused, "is a result of backtest, which keeps no jobs")
}

// checkChanged: the text reads, and differs from the old one by that property alone.
func checkChanged(t *testing.T, text, old, name, value string) {
	t.Helper()
	if _, err := capacityxml.Read("new.xml", []byte(text)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !strings.Contains(text, "kept by the storage team") || !strings.Contains(text, name) || strings.Contains(old, name) {
		t.Errorf("the file is\n%s", text)
	}
	want := map[string]bool{}
	for line := range strings.Lines(old) {
		want[strings.TrimSpace(line)] = true
	}
	var more []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !want[line] {
			more = append(more, line)
		}
	}
	if all := strings.Join(more, ""); !strings.Contains(all, name) || !strings.Contains(all, "<value>"+value+"</value>") || strings.Count(all, "<name>") != 1 {
		t.Errorf("the file has these lines more: %q", more)
	}
}

// TestAdministratorsStoryInBrowser is the same story in the workbench, from the day as it was: the job among others, why it
// waited, the setting in the form, the paired differences, and the changed file as a download.
func TestAdministratorsStoryInBrowser(t *testing.T) {
	main := browser.Start(t)
	dir := yarnHistory(t)
	commented(t, dir)
	t.Chdir(dir)
	completed(t, "backtest", "run/jhist", "--conf", "site", "--nodes", "site/nodes.json", "--seeds=1", "--out", "twin")
	completed(t, "run", "twin", "--conf", "site", "--out", "day")
	b := serving(t, dir)
	ctx, cancel := context.WithTimeout(main, 5*time.Minute)
	defer cancel()
	log := browser.Listen(ctx)
	browser.Act(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.URL()))
	browser.Await(t, ctx, `document.getElementById("main")?.dataset.ready === "true"`)

	visit(t, ctx, "#/jobs?path=day")
	browser.Await(t, ctx, ready)
	browser.Eval[chromedp.Void](t, ctx, `[...document.querySelectorAll(".sheet .body .row")].find(r => r.textContent.includes("`+lateJob+`")).click(); undefined`)
	browser.Eval[chromedp.Void](t, ctx, `document.querySelector(".job button.main").click(); undefined`)
	browser.Await(t, ctx, `document.getElementById("explanation") || document.querySelector(".job .faults")`)
	var e advise.Explanation
	files, err := filepath.Glob(filepath.Join(dir, "day-explain-*", result.ExplanationName))
	if err != nil || len(files) != 1 {
		t.Fatalf("explanations: %v (%v)", files, err)
	}
	src, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(src, &e)
	}
	if err != nil {
		t.Fatal(err)
	}
	name, value, _ := bestOf(t, &e)

	visit(t, ctx, "#/ask?base=day&policy=site")
	browser.Eval[chromedp.Void](t, ctx, `(() => { const i = document.getElementById("further"); i.closest("details").open = true; i.value = "`+name+`"; i.parentElement.querySelector("button").click(); })()`)
	setField(t, ctx, `policy.yarn-capacity.properties["`+name+`"]`, value)
	browser.Eval[chromedp.Void](t, ctx, `document.getElementById("seeds").value = 2; document.querySelector("button[type=submit]").click(); undefined`)
	browser.Await(t, ctx, `location.hash.startsWith("#/result") && document.getElementById("paired") && document.querySelector("a[download]") || document.querySelector(".field.bad, .faults")`)
	if got := browser.Eval[string](t, ctx, `document.querySelector(".faults, .field.bad .fault")?.textContent || ""`); got != "" {
		t.Fatal(got)
	}
	if got := browser.Eval[string](t, ctx, `document.getElementById("paired").textContent`); !strings.Contains(got, "root.batch.mean_wait") {
		t.Errorf("the paired differences are %.200q", got)
	}
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`fetch(document.querySelector("a[download]").href).then(r => r.text())`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	checkChanged(t, text, read(t, "site/capacity-scheduler.xml"), name, value)
	if got := browser.Eval[string](t, ctx, `[...document.querySelectorAll(".command code")].map(e => e.textContent).find(t => t.includes("capacity write")) || ""`); !strings.HasPrefix(got, "yardmaster capacity write ") {
		t.Errorf("the command that writes the file is %q", got)
	}
	if list := log.Complaints(); len(list) > 0 {
		t.Errorf("the page wrote to the console:\n%s", strings.Join(list, "\n"))
	}
}
