// SPDX-License-Identifier: Apache-2.0

package control

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/fakerm"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
)

// TestLogOfAnother: the command of a controller that steers is started again. It is refused, and neither begins a log nor
// touches the one that is there. Nor does a later start, which is refused with what is allowed.
func TestLogOfAnother(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	sh := &measure.Shell{Ctx: t.Context(), Out: io.Discard, Err: io.Discard}
	state, dir := t.TempDir(), t.TempDir()
	start := func(log string) error {
		c := command(rm.URL, state)
		c.For, c.Log = model.Second, filepath.Join(dir, log)
		return c.Run(sh)
	}
	if err := start("monday.log"); err != nil {
		t.Fatal(err)
	}
	day, err := os.ReadFile(filepath.Join(dir, "monday.log"))
	if err != nil || !strings.HasPrefix(string(day), "tuner-log 1\n") {
		t.Fatalf("%q: %v", day, err)
	}

	steers, err := command(rm.URL, state).journal()
	if err != nil {
		t.Fatal(err)
	}
	var inUse *steer.InUse
	for _, log := range []string{"monday.log", "tuesday.log"} {
		if err := start(log); !errors.As(err, &inUse) {
			t.Errorf("%s while another one steers: %v", log, err)
		}
	}
	steers.Close()

	var input *strict.InputError
	if err := start("monday.log"); !errors.As(err, &input) || !strings.Contains(err.Error(), "monday.log: file exists; allowed: a new file") {
		t.Errorf("over a log that is there: %v", err)
	}
	if now, err := os.ReadFile(filepath.Join(dir, "monday.log")); err != nil || string(now) != string(day) {
		t.Errorf("monday's log was\n%s\nand is\n%s\n%v", day, now, err)
	}
	if err := start("tuesday.log"); err != nil {
		t.Errorf("after the refused starts: %v", err)
	}
}
