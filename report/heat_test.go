// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/yardmaster/yardmaster/internal/browser"
)

// The labels of a map's columns stand beside each other and within the drawing, however many and however long they are.
func TestLabelsOfColumns(t *testing.T) {
	ctx, cancel := context.WithTimeout(browser.Start(t), time.Minute)
	defer cancel()
	a := &Answer{Title: "maps"}
	for _, label := range []string{"%d s", "%d.5 min", "%d,000 s after", "10 %d", "容量スケジューラー%d", "a policy with a long name, load=+%d"} {
		for _, n := range []int{1, 2, 7, 31, 96} {
			h := &Heat{Title: fmt.Sprintf(label, n), Rows: []string{"a"}, Values: [][]float64{make([]float64, n)}, Best: [2]int{-1, -1}}
			for c := range n {
				h.Cols = append(h.Cols, fmt.Sprintf(label, 100+c))
			}
			a.Parts = append(a.Parts, Part{Heat: h})
		}
	}
	name := filepath.Join(t.TempDir(), "answer.html")
	var b strings.Builder
	if err := WriteAnswer(&b, a); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	browser.Act(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+name))
	for _, fault := range browser.Eval[[]string](t, ctx, `[...document.querySelectorAll("svg.plot")].flatMap(s => {
		const out = [], texts = [...s.querySelectorAll("text[dy='16']")], own = s.getBoundingClientRect(), boxes = texts.map(e => e.getBoundingClientRect());
		if (!texts.length) out.push(s.getAttribute("aria-label") + ": no labels");
		boxes.forEach((b, i) => {
			if (b.right > own.right || b.left < own.left) out.push(s.getAttribute("aria-label") + ": " + texts[i].textContent + " is cut off");
			if (i && b.left < boxes[i - 1].right + 1) out.push(s.getAttribute("aria-label") + ": " + texts[i].textContent + " touches the label before");
		});
		return out;
	})`) {
		t.Error(fault)
	}
	snap(t, ctx, "heat")
}
