// SPDX-License-Identifier: Apache-2.0

// Package browser drives a headless Chromium in tests of pages.
package browser

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// Start starts a browser that ends with the test, or skips the test.
func Start(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("the browser test is left out with -short")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("the browser test needs chromium in PATH: ", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1280, 900))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // no timeout here: it would be the browser's
		t.Fatal(err)
	}
	return ctx
}

// Act does steps one after the other.
func Act(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Eval evaluates an expression in the page.
func Eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Await waits until an expression of the page holds, a minute at most. A page that is being left is asked again when the next
// one is there.
func Await(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	err := await(ctx, expression)
	for range 3 {
		if err == nil || !strings.Contains(err.Error(), "navigated or closed") {
			break
		}
		err = await(ctx, expression)
	}
	if err != nil {
		t.Fatalf("waiting for %s: %v", expression, err)
	}
}

func await(ctx context.Context, expression string) error {
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(async () => {
		for (const end = Date.now() + 60000; Date.now() < end;) {
			if (`+expression+`) return true;
			await new Promise(r => setTimeout(r, 30));
		}
		throw new Error("it does not hold after a minute; the page says " + document.getElementById("main")?.innerText.slice(0, 400));
	})()`, chromedp.EvalAwaitPromise))
	return err
}

// Box scrolls an element into view, lets the page handle that, and returns the element's left,
// top, width and height in the window.
func Box(t *testing.T, ctx context.Context, selector string) []float64 {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`(async () => {
		const e = document.querySelector("`+selector+`");
		e.scrollIntoView({block: "center", behavior: "instant"});
		for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
		const b = e.getBoundingClientRect();
		return [b.left, b.top, b.width, b.height];
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
	return v
}

// Scheme makes the page believe that its reader prefers light or dark.
func Scheme(t *testing.T, ctx context.Context, scheme string) {
	t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		t.Fatal(err)
	}
}

// Work returns how many seconds of processor time the page has spent in scripts, styles and layout since it was opened, by
// the browser's own count: what else the machine does is not in it.
func Work(t *testing.T, ctx context.Context) float64 {
	t.Helper()
	if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Call(ctx, performance.GetMetrics, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, m := range got.Metrics {
		switch m.Name {
		case "ScriptDuration", "LayoutDuration", "RecalcStyleDuration":
			sum += m.Value
		}
	}
	return sum
}

// Log is what a page wrote to the console and asked of the network.
type Log struct {
	mu         sync.Mutex
	complaints []string
	requests   []string
}

// Listen notes what the pages of ctx do from now on.
func Listen(ctx context.Context) *Log {
	l := &Log{}
	messages, sent := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			l.note(&l.complaints, m.String())
		}
	}()
	go func() {
		for e, err := range sent {
			if err != nil {
				return
			}
			l.note(&l.requests, e.Request.URL)
		}
	}()
	return l
}

func (l *Log) note(list *[]string, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*list = append(*list, text)
}

// Complaints returns what was written to the console.
func (l *Log) Complaints() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.complaints)
}

// Foreign returns the requests to any other address than those that begin with own, and whether there were any at all.
func (l *Log) Foreign(own string) (list []string, any bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.requests {
		if !strings.HasPrefix(u, own) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
			list = append(list, u)
		}
	}
	return list, len(l.requests) > 0
}

// layoutFaults finds, in the page itself, what is cut off at the right, texts that are wider than the box that hides
// the rest, and controls that lie over each other. What scrolls is left out, and so is what ends in an ellipsis, but for buttons.
const layoutFaults = `(() => {
	const out = [], W = document.documentElement.clientWidth, name = e => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (e.className && e.className.baseVal === undefined ? "." + e.className : "") + " " + JSON.stringify((e.textContent || "").trim().slice(0, 30));
	const shown = e => { if (!e.checkVisibility({visibilityProperty: true})) return false; const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0 && getComputedStyle(e).clipPath === "none"; };
	const scrolls = e => { for (let p = e.parentElement; p; p = p.parentElement) { const o = getComputedStyle(p); if (/auto|scroll|hidden/.test(o.overflowX) || /auto|scroll/.test(o.overflowY)) return p !== document.documentElement && p !== document.body; } return false; };
	if (document.documentElement.scrollWidth > W) out.push("the page is " + document.documentElement.scrollWidth + " wide in a window of " + W);
	for (const e of document.querySelectorAll("body *")) {
		if (!shown(e) || e.closest("svg") && e.tagName !== "svg") continue;
		const b = e.getBoundingClientRect(), s = getComputedStyle(e);
		if (!scrolls(e) && (b.right > W + 1 || b.left < -1) && !e.closest(".skip")) out.push(name(e) + " reaches to " + Math.round(b.right) + " of " + W);
		if (/hidden|clip/.test(s.overflowX) && (s.textOverflow !== "ellipsis" || e.tagName === "BUTTON") && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0) out.push(name(e) + " hides " + (e.scrollWidth - e.clientWidth) + " px");
	}
	const controls = [...document.querySelectorAll("a, button, input, select, summary, h1, h2, h3, label")].filter(e => shown(e) && !scrolls(e) && !e.closest(".skip"));
	for (let i = 0; i < controls.length; i++) for (let k = i + 1; k < controls.length; k++) {
		const a = controls[i], b = controls[k];
		if (a.contains(b) || b.contains(a)) continue;
		if (a.closest(".top") !== b.closest(".top")) continue;
		for (const x of a.getClientRects()) for (const y of b.getClientRects()) {
			if (Math.min(x.right, y.right) - Math.max(x.left, y.left) > 1.5 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 1.5) { out.push(name(a) + " overlaps " + name(b)); }
		}
	}
	return JSON.stringify([...new Set(out)].slice(0, 20));
})()`

// LayoutFaults says what overlaps or is cut off in the page as it is shown.
func LayoutFaults(t *testing.T, ctx context.Context) (list []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(Eval[string](t, ctx, layoutFaults)), &list); err != nil {
		t.Fatal(err)
	}
	return list
}
