// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// TestShots takes pictures of the page for people to look at, in both themes and two widths, and
// writes them to the folder that YARDMASTER_SHOTS names.
func TestShots(t *testing.T) {
	folder := os.Getenv("YARDMASTER_SHOTS")
	if folder == "" {
		t.Skip("set YARDMASTER_SHOTS to a folder to take pictures of the page")
	}
	ctx := browser.Start(t)
	browser.Act(t, ctx, chromedp.EmulateViewport(1280, 900))
	takeZoomed(t, ctx, folder)
	for name, p := range map[string]*Page{"five": madePage(24442, 5), "one": madePage(40, 1), "racks": addNetwork(madePage(400, 3), 30), "circuits": addCircuits(addNetwork(madePage(400, 2), 20)), "many-racks": addNetwork(madePage(40, 1), 90), "none": {Title: "nothing"}} {
		open(t, ctx, p)
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 700} {
				features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}
				if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
					t.Fatal(err)
				}
				browser.Act(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Sleep(300*time.Millisecond))
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(folder, fmt.Sprintf("%s-%s-%d.png", name, theme, width))
				if err := os.WriteFile(file, picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// takeZoomed takes pictures of what the reader can do: zoom, stack by job, scroll, point.
func takeZoomed(t *testing.T, ctx context.Context, folder string) {
	open(t, ctx, madePage(24442, 5))
	b := place(t, ctx, "containers")
	y := b[1] + b[3]/2
	browser.Act(t, ctx, chromedp.DragAndDropXY(b[0]+b[2]*0.4, y, b[0]+b[2]*0.42, y))
	browser.Eval[chromedp.Void](t, ctx, `[...document.querySelectorAll(".choice button")].filter(b => b.textContent === "job" || b.textContent === "class").forEach(b => b.click())`)
	for _, chart := range []string{"containers", "gantt", "scatter", "ranges"} {
		b := place(t, ctx, chart)
		browser.Act(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, b[0]+b[2]*0.5, b[1]+b[3]*0.7), chromedp.Sleep(200*time.Millisecond))
		picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "zoomed-"+chart+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
