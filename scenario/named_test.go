// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

const named = `
cluster: {classes: [{nodes: 3, map-slots: 1, reduce-slots: 1}]}
workload:
  trace: {name: FB-2010}
  else: {jobs: 5, arrivals: {interval: 10s}, classes: [{name: a}]}
`

// traces makes a folder the one where named traces are found, with a trace of two jobs of this name.
func traces(t *testing.T, file string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, file), []byte("one\t0\t0\t1\t0\t0\ntwo\t9\t9\t1\t0\t0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("YARDMASTER_TRACES", folder)
}

func parseNamed(t *testing.T, src string, settings ...strict.Setting) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("named.yaml", []byte(src), settings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A trace is found by a published name or by its file's, and its hash is among the inputs.
func TestNamedTrace(t *testing.T) {
	for name, file := range map[string]string{
		"FB-2009": "FB-2009_samples_24_times_1hr_0.tsv", "FB-2010": "FB-2010_samples_24_times_1hr_0.tsv",
		"FB-2010-paths": "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv", "mine.tsv": "mine.tsv",
	} {
		traces(t, file)
		s := parseNamed(t, named, strict.Setting{Path: "workload.trace.name", Value: name})
		jobs := s.Jobs(1)
		if len(jobs) != 2 || jobs[1].Name != "two" || s.StandIn() != "" || len(s.Warnings()) != 0 || len(s.Inputs()) != 1 {
			t.Errorf("%s: %d jobs, %q, inputs %v", name, len(jobs), s.StandIn(), s.Inputs())
		}
		if pos, path := s.Where(&jobs[1]); pos.Line != 2 || path != "queue" {
			t.Errorf("%s: the second job is at %v, %s", name, pos, path)
		}
	}
}

// Where the trace is absent, else takes its place, a warning says so, and what is written is read alike.
func TestStandIn(t *testing.T) {
	for folder, why := range map[string]string{
		"":          "$YARDMASTER_TRACES does not say in which folder FB-2010_samples_24_times_1hr_0.tsv lies",
		t.TempDir(): "there is no FB-2010_samples_24_times_1hr_0.tsv in the folder $YARDMASTER_TRACES",
	} {
		t.Setenv("YARDMASTER_TRACES", folder)
		s := parseNamed(t, named)
		want := "without the trace FB-2010 (" + why + ") the jobs are those of workload.else"
		if s.StandIn() != want || len(s.Warnings()) != 1 || s.Warnings()[0] != want || len(s.Jobs(1)) != 5 || len(s.Inputs()) != 0 {
			t.Errorf("%q, warnings %q, %d jobs, inputs %v", s.StandIn(), s.Warnings(), len(s.Jobs(1)), s.Inputs())
		}
		again := parseNamed(t, string(s.JSON()))
		if again.StandIn() != want || string(again.JSON()) != string(s.JSON()) {
			t.Errorf("written and read again: %q\n%s\n%s", again.StandIn(), s.JSON(), again.JSON())
		}
		if _, path := s.Where(&s.Jobs(1)[0]); path != "workload.else.classes[0].queue" {
			t.Errorf("the queue is at %s", path)
		}
		more, err := s.With([]strict.Setting{{Path: "workload.else.jobs", Value: "7"}})
		if err != nil || len(more.Jobs(1)) != 7 {
			t.Errorf("with seven jobs: %v", err)
		}
	}
}

// The cost model of the scenario makes tasks of a stand-in that is given in bytes.
func TestStandInIsPriced(t *testing.T) {
	t.Setenv("YARDMASTER_TRACES", "")
	reduces := func(settings ...strict.Setting) (n int32) {
		settings = append([]strict.Setting{{Path: "workload.else", Value: "{arrivals: {interval: 10s}, preset: {fb-2010: {jobs: 100}}}"}}, settings...)
		for _, j := range parseNamed(t, named, settings...).Jobs(1) {
			n += j.Reduces
		}
		return n
	}
	if a, b := reduces(), reduces(strict.Setting{Path: "workload.cost.bytes-per-reduce", Value: "64MiB"}); a < 20 || b <= a {
		t.Errorf("%d reduces of 1 GiB, %d of 64 MiB", a, b)
	}
}

func TestNamedTraceRefusals(t *testing.T) {
	t.Setenv("YARDMASTER_TRACES", "")
	const cluster = "cluster: {classes: [{nodes: 3, map-slots: 1}]}\n"
	for src, want := range map[string]string{
		"workload: {trace: {name: FB-2010}}":              "workload.trace.name: impossible value; found FB-2010, but $YARDMASTER_TRACES does not say in which folder FB-2010_samples_24_times_1hr_0.tsv lies; allowed: a trace in that folder, or workload.else to take its place",
		"workload: {trace: {}}":                           "workload.trace.file: impossible value; found neither file nor name; allowed: exactly one of them",
		"workload: {trace: {name: FB-2010, file: a.tsv}}": "workload.trace.name: impossible value; found both file and name; allowed: exactly one of them",
		"workload: {trace: {name: ../a.tsv}}":             `workload.trace.name: impossible value; found "../a.tsv"; allowed: 1 to 100 printable characters`,
		"workload: {jobs: [{name: a}], else: {jobs: 5, arrivals: {interval: 10s}, classes: [{name: a}]}}":                "workload.else: impossible value; found else without the name of a trace; allowed: only beside trace.name",
		"workload: {trace: {name: x.tsv}, else: {jobs: 5, arrivals: {interval: 10s}}}":                                   "workload.else.classes",
		"workload: {trace: {name: x.tsv}, else: {jobs: 5, arrivals: {interval: 10s}, classes: [{name: a, reduces: 2}]}}": "workload.else.classes[0].reduces",
	} {
		_, err := scenario.Parse("bad.yaml", []byte(cluster+src), nil)
		var input *strict.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", src, err, want)
		}
	}
}

// A trace on the cluster of a scenario that names another one takes the place of both.
func TestTraceOnNamed(t *testing.T) {
	t.Setenv("YARDMASTER_TRACES", "")
	folder := t.TempDir()
	for name, text := range map[string]string{"named.yaml": named, "mine.tsv": "one\t0\t0\t1\t0\t0\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, _, err := scenario.LoadSite(filepath.Join(folder, "mine.tsv"), filepath.Join(folder, "named.yaml"), nil)
	if err != nil || len(s.Jobs(1)) != 1 || s.StandIn() != "" {
		t.Errorf("%v", err)
	}
}
