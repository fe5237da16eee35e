// SPDX-License-Identifier: Apache-2.0

package look

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/recorded"
	"github.com/yardmaster/yardmaster/live/connect"
	"github.com/yardmaster/yardmaster/live/rest"
)

// cluster plays the recorded cluster of package twin.
func cluster(t *testing.T) string {
	return recorded.Play(t, recorded.Pairs(t, filepath.Join("..", "twin", "testdata", "cluster.tar.gz"))).URL
}

// stopping ends a command after it has written a text some times.
type stopping struct {
	said  strings.Builder
	text  string
	times int
	stop  func()
}

func (s *stopping) Write(b []byte) (int, error) {
	if s.times -= strings.Count(string(b), s.text); s.times <= 0 {
		s.stop()
	}
	return s.said.Write(b)
}

var (
	clocks = regexp.MustCompile(`\d\d:\d\d:\d\d`)
	dates  = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
)

func timeless(s string) string {
	return dates.ReplaceAllString(clocks.ReplaceAllString(s, "TIME"), "DATE")
}

// A recording shows what the cluster showed, look by look; without a history no end is expected.
func TestWatchReplays(t *testing.T) {
	url := cluster(t)
	with := replayed(t, url, url)
	for _, text := range []string{"5 applications run, 1 wait", "the queue's limit of masters: asks for 512 MiB", "root.batch", "application_1794771129492_0003", "Sleep job - c1", "expected to end", "(in "} {
		if !strings.Contains(with, text) {
			t.Errorf("no %q in\n%s", text, with)
		}
	}
	if strings.Contains(with, "?") {
		t.Errorf("jobs of the history have an expected end:\n%s", with)
	}
	if without := replayed(t, url, ""); strings.Contains(without, "(in ") {
		t.Errorf("an end is expected from nothing:\n%s", without)
	}
	if err := (&Watch{}).Run(&measure.Shell{Ctx: context.Background()}); err == nil {
		t.Error("neither an address nor a recording was refused")
	}
}

// replayed records three looks and returns what the recording shows, which must be what was seen.
func replayed(t *testing.T, url, history string) string {
	t.Helper()
	tape := filepath.Join(t.TempDir(), "tape")
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	live := &stopping{text: "capacityScheduler, 4 nodes", times: 3, stop: stop}
	c := &Watch{URL: []string{url}, History: history, Most: 100, Every: time.Millisecond, Record: tape}
	if err := c.Run(&measure.Shell{Ctx: ctx, Out: live}); err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	if err := (&Watch{Replay: tape, Most: 100}).Run(&measure.Shell{Ctx: context.Background(), Out: &again}); err != nil {
		t.Fatal(err)
	}
	if timeless(live.said.String()) != timeless(again.String()) {
		t.Errorf("live:\n%s\nreplayed:\n%s", live.said.String(), again.String())
	}
	return again.String()
}

// The limit is named with its numbers; what is not known stays in the scheduler's words.
func TestWhy(t *testing.T) {
	for text, want := range map[string]string{
		"[Sun Nov 15 08:07:40 +0000 2026] Application is added to the scheduler and is not yet activated. User's AM resource limit exceeded.  Details : AM Partition = <DEFAULT_PARTITION>; AM Resource Request = <memory:512, vCores:1>; Queue Resource Limit for AM = <memory:1280, vCores:1>; User AM Resource Limit of the queue = <memory:768, vCores:1>; Queue AM Resource Usage = <memory:512, vCores:1>; ": "the user's limit of masters: asks for 512 MiB, a user may have 768 MiB, the queue may have 1280 MiB, the queue has 512 MiB",
		"[date] Something new. Details : x = 1": "Something new.",
		"":                                      "not said",
	} {
		if got := why(&rest.App{State: rest.StateAccepted, Diagnostics: text}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := why(&rest.App{State: rest.StateRunning, Diagnostics: "old news"}); got != "" {
		t.Errorf("an application that runs waits for %q", got)
	}
}

// What a cluster calls its applications neither moves the cursor nor makes lines of its own: not in a look, not in a note.
func TestNamesThatObey(t *testing.T) {
	pairs := recorded.Pairs(t, filepath.Join("..", "twin", "testdata", "cluster.tar.gz"))
	for i := range pairs {
		if p := &pairs[i]; strings.HasPrefix(p.Request.Path, "/apps") {
			p.Response.Body = strings.ReplaceAll(p.Response.Body, `"name":"Sleep job`, `"name":"\u001b[2J\nSleep job`)
		}
	}
	url := recorded.Play(t, pairs).URL
	var out, errs strings.Builder
	c := &Import{Flags: connect.Flags{URL: []string{url}}, Out: filepath.Join(t.TempDir(), "twin"), History: url, Most: 100}
	if err := c.Run(&measure.Shell{Ctx: context.Background(), Out: &out, Err: &errs}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"import": errs.String(), "watch": replayed(t, url, url)} {
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\nSleep") || !strings.Contains(text, `\x1b[2J\nSleep job`) {
			t.Errorf("%s prints\n%q", name, text)
		}
	}
}

// The command import makes a folder and says how well it predicts.
func TestImport(t *testing.T) {
	url := cluster(t)
	var out, errs strings.Builder
	c := &Import{Flags: connect.Flags{URL: []string{url}}, Out: filepath.Join(t.TempDir(), "twin"), History: url, Most: 100}
	if err := c.Run(&measure.Shell{Ctx: context.Background(), Out: &out, Err: &errs}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Backtest: predicted against what happened", "mean absolute error of elapsed: ", "measured in 6 jobs", "4 nodes, capacityScheduler, 6 jobs that ended, 6 applications"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("no %q in\n%s", text, out.String())
		}
	}
	t.Log("\n" + out.String())
}
