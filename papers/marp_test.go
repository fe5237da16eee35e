// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/tune"
)

func batch(t *testing.T, settings ...strict.Setting) *scenario.Scenario {
	t.Helper()
	src, err := fs.ReadFile(papers.Files, "marp-2019/batch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse("batch.yaml", src, settings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The four points that calibrate marp-2019 are met, and every deviation has a cause.
func TestMARPCalibration(t *testing.T) {
	for _, name := range []string{"fifo-prj", "terasort"} {
		r, err := reproduce.Reproduce(context.Background(), papers.Files, "marp-2019", name, true, experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		points := 0
		for _, f := range r.Findings {
			if f.Verdict == reproduce.Deviates && f.Cause == "" {
				t.Errorf("%s: %s deviates without a cause", name, f.Figure)
			}
			if strings.Contains(f.Source, "(calibration)") {
				points++
				if f.Verdict != reproduce.Within {
					t.Errorf("%s: %s is %.1f s, paper %.1f s", name, f.Figure, f.Ours, *f.PaperValue)
				}
			}
		}
		if points != 2 {
			t.Errorf("%s: %d calibration points, want 2", name, points)
		}
	}
}

// What passes between a tuner and the simulated cluster is a log that makes the same tuner give the same
// advice again.
func TestTunersReplay(t *testing.T) {
	for _, tuner := range []string{"{cbt: {faithful: true}}", "{cbtws: {faithful: true}}", "{cbtwat: {faithful: true}}", "marp-auto"} {
		s := batch(t, strict.Setting{Path: "policy.tuner", Value: tuner})
		var log bytes.Buffer
		l := experiment.TunerLog(s, &log)
		if _, err := experiment.Compare(context.Background(), s, []scenario.PolicyChoice{s.Policy}, 1, scenario.StandardQueries(s), experiment.Options{Tuning: l, Check: true}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		rec, err := tune.ReadLog("tuning.log", &log)
		if err != nil {
			t.Fatal(err)
		}
		choice := s.TunerOf(&s.Policy)
		again, err := choice.New(s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(rec.Exchanges) < 10 {
			t.Errorf("%s: %d exchanges recorded", tuner, len(rec.Exchanges))
		}
		for _, m := range tune.Replay(again, rec) {
			t.Errorf("%s: %v", tuner, m)
		}
	}
}

// Steps of a tuner that are smaller than one application master are warned of.
func TestSmallStepsWarn(t *testing.T) {
	for tuner, want := range map[string]int{"cbt": 0, "{cbt: {increase: 0.039}}": 1, "{cbtws: {start: 0.02, increase: 0.02}}": 2, "marp-auto": 0} {
		s := batch(t, strict.Setting{Path: "policy.tuner", Value: tuner}, strict.Setting{Path: "policies", Value: "[]"})
		if got := s.Warnings(); len(got) != want {
			t.Errorf("%s: warnings %q, want %d", tuner, got, want)
		}
	}
}
