// SPDX-License-Identifier: Apache-2.0

package tune_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// build makes the tuner that a recording names.
func build(t testing.TB, name, params string, seed uint64) tune.Tuner {
	t.Helper()
	e, ok := tune.All.Find(name)
	if !ok {
		t.Fatalf("no tuner %q", name)
	}
	p := e.Params()
	n, errs := strict.Parse("params", []byte(params))
	errs = append(errs, strict.Decode(n, p)...)
	if v, ok := p.(interface{ Validate() []model.Problem }); ok {
		errs = append(errs, strict.Locate(n, "", v.Validate())...)
	}
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	tuner, err := e.New(tune.Env{Seed: seed}, p)
	if err != nil {
		t.Fatal(err)
	}
	return tuner
}

func readLog(t testing.TB, file string) *tune.Recording {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := tune.ReadLog(file, bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// replayAll replays every log of a folder and returns them.
func replayAll(t *testing.T, pattern string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no logs at %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			rec := readLog(t, file)
			for _, m := range tune.Replay(build(t, rec.Tuner, rec.Params, rec.Seed), rec) {
				t.Errorf("%s %v", file, m)
			}
			for i := 1; i < len(rec.Exchanges); i++ {
				if at, next := rec.Exchanges[i].Observation.Time, rec.Exchanges[i-1].Advice.Next; at != next {
					t.Errorf("%s:%d: observed at %v, but the advice before asked for %v", file, rec.Exchanges[i].Line, at, next)
				}
			}
		})
	}
}

// TestFaithful replays observations for which the thesis's scripts were carried out by hand.
func TestFaithful(t *testing.T) { replayAll(t, "testdata/faithful/*.txt") }

// TestMended replays observations on which the scripts fail and the tuners by default do not.
func TestMended(t *testing.T) { replayAll(t, "testdata/mended/*.txt") }

// TestFaithfulCanFail shows that the logs hold the tuners to the scripts: with the faults mended, or
// one number changed, a log no longer fits.
func TestFaithfulCanFail(t *testing.T) {
	for _, c := range []struct{ log, params string }{
		{"cbt", "{faithful: true, idle: 14}"},
		{"cbt", "{faithful: true, progress: 94}"},
		{"cbt", "{faithful: false}"},
		{"cbt-left-behind", "{faithful: false}"},
		{"cbt-too-early", "{faithful: false}"},
		{"cbtws", "{faithful: true, progress: 89}"},
		{"cbtws", "{faithful: true, locked: 14s}"},
		{"cbtws-empty-average", "{faithful: false}"},
		{"cbtws-empty-average", "{faithful: true, previous: 0}"},
		{"cbtwat", "{faithful: true, explore: 1}"},
		{"cbtwat", "{faithful: true, samples: 4}"},
	} {
		rec := readLog(t, "testdata/faithful/"+c.log+".txt")
		if len(tune.Replay(build(t, rec.Tuner, c.params, rec.Seed), rec)) == 0 {
			t.Errorf("%s replays with %s too", c.log, c.params)
		}
	}
}

func TestReadLogRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "log:"},
		{"tuner-log 2\n", "log:1: found \"tuner-log 2\"; allowed: tuner-log 1"},
		{"tuner-log 1\nseed x\n", "log:2: found \"x\""},
		{"tuner-log 1\nat 1s idle\n-> 0.1 done\n", "log:2: idle has no value"},
		{"tuner-log 1\nat 1s iddle 3\n-> 0.1 done\n", "log:2: iddle: unknown word"},
		{"tuner-log 1\nat 1s am 3\n-> 0.1 done\n", "log:2: am: found \"3\": the unit is missing"},
		{"tuner-log 1\nat 1s apps a:dead:3\n-> 0.1 done\n", "log:2: found state \"dead\"; allowed: pending, running, finished"},
		{"tuner-log 1\nat 1s apps a:3\n-> 0.1 done\n", "log:2: found \"a:3\""},
		{"tuner-log 1\n-> 0.1 done\n", "log:2: advice without an observation"},
		{"tuner-log 1\nat 1s\nat 2s\n", "log:3: two observations"},
		{"tuner-log 1\nat 1s\n-> 0.1 soon\n", "log:3: found \"soon\""},
		{"tuner-log 1\nat 1s\n", "the last observation has no advice"},
		{"tuner-log 1\n!! 3 refused: no\n", "log:2: a refusal without advice"},
		{"tuner-log 1\nwhat\n", "log:2: found \"what\""},
	} {
		_, err := tune.ReadLog("log", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

// desk is an actuator that refuses every other value.
type desk struct {
	value float64
	calls int
}

func (d *desk) Apply(share float64) error {
	d.calls++
	if d.calls%2 == 1 {
		return &tune.Refused{Share: share, Reason: "the file cannot be written"}
	}
	d.value = share
	return nil
}
func (d *desk) ReadBack() tune.Reading[float64]   { return tune.Got(d.value) }
func (d *desk) Latency() tune.Reading[model.Time] { return tune.Got(15 * model.Second) }

// TestLoop records a loop with refusals and replays its log.
func TestLoop(t *testing.T) {
	var text bytes.Buffer
	log := tune.NewLog(&text, "cbt", "{start: 0.1}", 3)
	d := &desk{value: 0.5}
	loop := tune.Loop{Tuner: build(t, "cbt", "{start: 0.1}", 3), Actuator: d, Recorder: log}
	now := model.Time(0)
	for i := range 20 {
		o := tune.Observation{Time: now, Idle: tune.Got(float64(i * 7 % 40)), Pending: tune.Got(3), Running: tune.Got(1), AppsKnown: true}
		for j, id := range []string{"a", "b", "c", "d"} {
			app := tune.App{ID: id, State: tune.Running, Progress: tune.Got(float64(i*(4-j)) + 0.1)}
			if j > 0 {
				app.Memory, app.Containers = tune.Got(3*model.GiB), tune.Got(2)
			}
			o.Apps = append(o.Apps, app)
		}
		now = loop.Step(&o).Next
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "\n!! 0.1 refused: share 0.1 refused: the file cannot be written\n") {
		t.Errorf("the log does not tell the refusal:\n%s", &text)
	}
	rec, err := tune.ReadLog("log", &text)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Exchanges) != 20 || rec.Exchanges[0].Refused == "" || rec.Exchanges[0].Observation.Written.Value != 0.5 {
		t.Errorf("read back %d exchanges, the first %+v", len(rec.Exchanges), rec.Exchanges[0])
	}
	for _, m := range tune.Replay(build(t, rec.Tuner, rec.Params, rec.Seed), rec) {
		t.Error(m)
	}
	if d.value != rec.Exchanges[19].Advice.Share {
		t.Errorf("the desk holds %v", d.value)
	}
}

// TestLogKeepsError writes to a full disk.
func TestLogKeepsError(t *testing.T) {
	log := tune.NewLog(fullDisk{}, "cbt", "", 1)
	for range 1000 {
		log.Observed(&tune.Observation{})
	}
	if err := log.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestAuto replays observations for which the advice of marp-auto was worked out by hand.
func TestAuto(t *testing.T) { replayAll(t, "testdata/auto/*.txt") }
