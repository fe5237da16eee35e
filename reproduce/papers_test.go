// SPDX-License-Identifier: Apache-2.0

package reproduce_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/reproduce"
)

// Folders below a paper without figures of its own are its chapters; what lies below a paper with figures is not.
func TestPapersListsChapters(t *testing.T) {
	file := &fstest.MapFile{}
	names, err := reproduce.Papers(fstest.MapFS{
		"a/expected.yaml": file, "a/more/expected.yaml": file, "thesis/README.md": file, "thesis/two/expected.yaml": file,
		"thesis/one/expected.yaml": file, "thesis/notes/README.md": file, "thesis/one/deep/expected.yaml": file, "z/expected.yaml": file,
	})
	if want := []string{"a", "thesis/one", "thesis/two", "z"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("papers %v, %v; want %v", names, err, want)
	}
}

func TestFind(t *testing.T) {
	names := []string{"queueing", "thesis/nas", "thesis/packer", "thesis-2", "thesisbook/x"}
	const all = "; allowed: queueing, thesis/nas, thesis/packer, thesis-2, thesisbook/x, thesis, thesisbook"
	for text, want := range map[string]string{
		"queueing":              "queueing",
		"queueing/mm1":          "queueing: mm1",
		"thesis":                "thesis/nas thesis/packer",
		"thesis/nas":            "thesis/nas",
		"thesis/nas/day":        "thesis/nas: day",
		"thesis-2":              "thesis-2",
		"quueing/mm1":           `unknown paper "quueing"` + all + `; did you mean "queueing"?`,
		"thesis/nass":           `unknown paper "thesis/nass"` + all + `; did you mean "thesis/nas"?`,
		"thesis/packr/online/x": `unknown paper "thesis/packr"` + all + `; did you mean "thesis/packer"?`,
		"thesi":                 `unknown paper "thesi"` + all + `; did you mean "thesis"?`,
		"queueing/":             "reproduce queueing/: allowed: PAPER or PAPER/CHAPTER, and /EXPERIMENT behind it",
		"thesis/":               "reproduce thesis/: allowed: PAPER or PAPER/CHAPTER, and /EXPERIMENT behind it",
	} {
		found, only, err := reproduce.Find(names, text)
		got := strings.Join(found, " ")
		if only != "" {
			got += ": " + only
		}
		var input *strict.InputError
		if err != nil {
			got = err.Error()
		}
		if got != want || err != nil && !errors.As(err, &input) {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// A chapter is reproduced under its whole name.
func TestChapter(t *testing.T) {
	files := fstest.MapFS{}
	for name, file := range tinyPaper(tinyExpected) {
		files["thesis/"+name] = file
	}
	r, err := reproduce.Reproduce(context.Background(), files, "thesis/tiny", "two", true, experiment.Options{})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Paper != "thesis/tiny" || r.Findings[0].Experiment != "two" || r.Findings[0].Verdict != reproduce.Within {
		t.Errorf("%v, %+v", err, r)
	}
}

// Without the trace of an experiment none of its figures has a reference, whatever deviations.yaml says, and no bands are
// made of them; experiments beside it are judged as ever.
func TestStandInHasNoReference(t *testing.T) {
	t.Setenv("YARDMASTER_TRACES", "")
	paper := tinyPaper(`
title: A paper on a trace
experiments:
  - name: one
    scenario: traced.yaml
    quick-seeds: 2
    figures:
      - {name: mean elapsed, source: Table 1, metric: mean_elapsed, policy: fifo, value: 12, within: 1%, cause: x}
      - {name: order, source: section 5, holds: "srpt@mean_elapsed < 0.1 * fifo@mean_elapsed"}
    causes: {x: {text: y, checks: [z]}}
  - name: two
    scenario: tiny.yaml
    quick-seeds: 2
    figures:
      - {name: mean elapsed, source: Table 1, metric: mean_elapsed, policy: fifo, value: 12, within: 1%}
`)
	paper["tiny/traced.yaml"] = &fstest.MapFile{Data: []byte(`
cluster: {classes: [{nodes: 1, map-slots: 1}]}
hdfs: {replication: 1}
workload: {trace: {name: FB-2010}, else: {jobs: 2, arrivals: {interval: 5s}, classes: [{name: a}]}}
policies: [fifo, srpt]
`)}
	paper["tiny/deviations.yaml"] = &fstest.MapFile{Data: []byte("deviations:\n  - {experiment: one, figure: mean elapsed, paper: 12, ours: 10, band: [9.5, 10.5]}\n")}
	r, err := reproduce.Reproduce(context.Background(), paper, "tiny", "", true, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		without := f.Verdict == reproduce.NoReference && f.PaperValue == nil && f.Deviation == nil && strings.HasPrefix(f.Cause, "without the trace FB-2010 (")
		if without != (f.Experiment == "one") {
			t.Errorf("%+v", f)
		}
	}
	if len(r.Changes) > 0 || len(r.Findings) != 3 {
		t.Errorf("%d findings, changes %q", len(r.Findings), r.Changes)
	}
	var b bytes.Buffer
	_, err = reproduce.WriteBands(context.Background(), paper, "tiny", "", experiment.Options{}, &b)
	if err == nil || !strings.Contains(err.Error(), "tiny/one: without the trace FB-2010") || b.Len() > 0 {
		t.Errorf("bands of a stand-in: %v, %s", err, b.String())
	}
}
