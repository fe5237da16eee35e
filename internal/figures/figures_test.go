// SPDX-License-Identifier: Apache-2.0

package figures

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/streaming"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/reproduce"
)

// What does not go together is refused before anything is run.
func TestRefused(t *testing.T) {
	hadoop := streaming.Cluster{On: "hadoop"}
	for name, c := range map[string]struct {
		Command
		trial reproduce.Trial
		want  string
	}{
		"unknown paper":       {Command: Command{Paper: "quueing"}, want: "queueing"},
		"bands of all papers": {Command: Command{Bands: true}, want: "--bands: allowed: one PAPER"},
		"bands with --quick":  {Command: Command{Paper: "queueing", Bands: true, Fast: true}, want: "--bands: allowed"},
		"bands with --seeds":  {Command: Command{Paper: "queueing", Bands: true}, trial: reproduce.Trial{Seeds: 2}, want: "--bands: allowed"},
		"pages from maps":     {Command: Command{Paper: "queueing", Out: t.TempDir(), Cluster: hadoop}, want: "--out with --on hadoop"},
	} {
		w := &World{Ctx: t.Context(), Out: io.Discard, Err: io.Discard, Still: func() {}}
		err := c.Reproduce(w, c.trial)
		var refused *strict.InputError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An experiment is printed, and written as a page beside what was there.
func TestPage(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(folder, "mine.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := Command{Paper: "queueing/mm1", Fast: true, Out: folder, Format: "table"}
	w := &World{Ctx: t.Context(), Out: &out, Err: io.Discard, Line: "yardmaster reproduce queueing/mm1", Still: func() {}}
	if err := c.Reproduce(w, reproduce.Trial{}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{other, filepath.Join(folder, "queueing/report.html"), filepath.Join(folder, "queueing/findings.json")} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(out.String(), "queueing/mm1") || !strings.Contains(out.String(), "page in ") {
		t.Errorf("printed\n%s", out.String())
	}
}
