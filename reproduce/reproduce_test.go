// SPDX-License-Identifier: Apache-2.0

package reproduce_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/result"
)

// tinyScenario has one slot and two jobs of known length: under fifo a waits 0 s and takes 10 s, b
// waits 9 s and takes 14 s. Under srpt nothing changes, because a has started when b arrives.
const tinyScenario = `
name: tiny
cluster: {classes: [{nodes: 1, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  jobs:
    - {name: a, queue: prod, class: long, maps: 1, map-length: 10s}
    - {name: b, queue: dev, class: short, submit: 1s, maps: 1, map-length: 5s}
policies: [fifo, srpt]
`

const tinyExpected = `
title: A paper of two jobs
experiments:
  - name: one
    scenario: tiny.yaml
    seeds: 3
    quick-seeds: 2
    figures:
      - {name: mean elapsed, source: Table 1, metric: mean_elapsed, policy: fifo, value: 12, within: 1%}
      - {name: wait of dev, source: Table 2, metric: dev.mean_wait, value: 9, within: 0%}
      - {name: wait of long jobs, source: Fig. 3, metric: "class:long.mean_elapsed", value: 8, within: 10%, cause: longer}
      - {name: wait of user, source: Fig. 4, metric: "user:user.mean_wait"}
      - {name: order, source: section 5, holds: "srpt@mean_elapsed < 1.1 * fifo@mean_elapsed", cause: longer}
      - {name: tie, source: section 5, holds: "srpt@mean_elapsed <= fifo@mean_elapsed"}
      - {name: wrong order, source: section 6, holds: "srpt@mean_elapsed < 0.5 * fifo@mean_elapsed", cause: gain}
      - {name: zero, source: Table 7, metric: prod.mean_wait, value: 0, within: 5%}
    causes:
      longer: {text: a is longer here, checks: [yardmaster run tiny.yaml]}
      gain: {text: nothing to gain, checks: [one, two]}
  - name: two
    scenario: tiny.yaml
    set: {"workload.jobs[1].map-length": 2s}
    policies: [srpt]
    figures:
      - {name: mean elapsed, source: Table 8, metric: mean_elapsed, value: 10.5, within: 0%}
`

func tinyPaper(expected string) fstest.MapFS {
	return fstest.MapFS{
		"tiny/expected.yaml": {Data: []byte(expected)}, "tiny/tiny.yaml": {Data: []byte(tinyScenario)},
		"notes/README.md": {Data: []byte("not a paper")},
	}
}

func findings(t *testing.T, only string) []reproduce.Finding {
	t.Helper()
	r, err := reproduce.Reproduce(context.Background(), tinyPaper(tinyExpected), "tiny", only, true, experiment.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings
}

// TestVerdicts covers the closed list of verdicts on figures whose values follow from tinyScenario.
func TestVerdicts(t *testing.T) {
	want := []struct {
		figure, queue, class, verdict, cause string
		ours                                 float64
	}{
		{"mean elapsed", "", "", reproduce.Within, "", 12}, // (10 + 14) / 2
		{"wait of dev", "dev", "", reproduce.Within, "", 9},
		{"wait of long jobs", "", "long", reproduce.Deviates, "a is longer here (shown by: yardmaster run tiny.yaml)", 10},
		{"wait of user", "", "", reproduce.NoReference, "", 4.5}, // (0 + 9) / 2
		{"order", "", "", reproduce.HoldsTrue, "", 1},            // the ratio without the factor: 12 / 12
		{"tie", "", "", reproduce.Undecided, "", 1},
		{"wrong order", "", "", reproduce.Deviates, "nothing to gain (shown by: one; two)", 1},
		{"zero", "prod", "", reproduce.Within, "", 0},
		{"mean elapsed", "", "", reproduce.Within, "", 10.5}, // (10 + 9 + 2) / 2
	}
	got := findings(t, "")
	if len(got) != len(want) {
		t.Fatalf("%d findings, want %d", len(got), len(want))
	}
	for i, w := range want {
		f := got[i]
		if f.Paper != "tiny" || f.Figure != w.figure || f.Queue != w.queue || f.Class != w.class || f.Verdict != w.verdict || f.Cause != w.cause || f.Ours != w.ours {
			t.Errorf("%d: got %+v, want %+v", i, f, w)
		}
	}
	if d := got[2].Deviation; d == nil || *d != 0.25 {
		t.Errorf("deviation of 10 from 8: %v, want 0.25", d)
	}
	if got[7].Deviation != nil || got[3].PaperValue != nil {
		t.Errorf("a deviation from 0 and a value that the paper lacks must be null: %+v %+v", got[7], got[3])
	}
}

// TestTables covers figures in rows and columns, differences, relations over several policies and variation
// over all repetitions. Under fifo a elapses 10 s and b 14 s, so their coefficient of variation is
// sqrt(8) / 12 in every repetition and, as the sample variance of each is taken, over all of them.
func TestTables(t *testing.T) {
	const expected = `
title: Tables
experiments:
  - name: one
    scenario: tiny.yaml
    quick-seeds: 2
    figures:
      - {name: largest, source: x, holds: "max(fifo, srpt)@mean_elapsed <= 1.01 * min(fifo,srpt)@mean_elapsed"}
      - {name: variation, source: x, metric: cv_elapsed, policy: fifo, value: 0.2357, within: by 0.0001, pooled: true}
    tables:
      - name: elapsed of {row}
        source: Table 1
        metric: "{row}.mean_elapsed"
        columns: [fifo, srpt]
        rows: [prod, dev]
        values: [[10, 10.4], [14.5, 13]]
        within: by 0.5
        causes: {dev srpt: shorter, dev: longer}
      - {name: "class of {row}", source: Table 2, metric: "{row}&class:long.mean_elapsed", columns: [srpt], rows: [prod]}
    causes:
      shorter: {text: shorter there, checks: [a]}
      longer: {text: longer here, checks: [b]}
`
	got, err := reproduce.Reproduce(context.Background(), tinyPaper(expected), "tiny", "", true, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range got.Findings {
		lines = append(lines, strings.Join([]string{f.Figure, f.Queue, f.Class, f.Verdict, f.Cause}, "|"))
	}
	want := []string{
		"largest|||holds|", "variation|||within|",
		"fifo: elapsed of prod|prod||within|", "srpt: elapsed of prod|prod||within|",
		"fifo: elapsed of dev|dev||within|", "srpt: elapsed of dev|dev||deviates|shorter there (shown by: a)",
		"srpt: class of prod|prod|long|no-reference|",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// TestFindingKeys holds the JSON to the documented keys, all present, all finite.
func TestFindingKeys(t *testing.T) {
	var b bytes.Buffer
	if err := result.WriteJSON(&b, findings(t, "one")); err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(b.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	keys := []string{"cause", "class", "deviation", "experiment", "figure", "high", "low", "ours", "paper", "paper_value", "queue", "source", "verdict"}
	if len(rows) != 8 {
		t.Errorf("%d rows, want the 8 figures of experiment one", len(rows))
	}
	for _, row := range rows {
		if got := slices.Sorted(maps.Keys(row)); !slices.Equal(got, keys) {
			t.Errorf("keys %v, want %v", got, keys)
		}
	}
}

// TestDeviationsFile holds findings against deviations.yaml, and refuses lines of it that cannot be.
func TestDeviationsFile(t *testing.T) {
	paper := tinyPaper(tinyExpected)
	run := func(lines string) (*reproduce.Reproduction, error) {
		paper["tiny/deviations.yaml"] = &fstest.MapFile{Data: []byte("deviations:\n" + lines)}
		return reproduce.Reproduce(context.Background(), paper, "tiny", "one", true, experiment.Options{})
	}
	const long, order = "  - {experiment: one, figure: wait of long jobs, paper: 8, ours: 10, band: [9.5, 10.5]}\n", "  - {experiment: one, figure: wrong order, ours: 1, band: [0.95, 1.05]}\n"
	for name, c := range map[string]struct {
		lines string
		want  []string // of the changes
	}{
		"as listed":  {long + order, nil},
		"not listed": {long, []string{"tiny/one, wrong order: deviates, and deviations.yaml does not have it"}},
		"moved":      {strings.Replace(long, "ours: 10, band: [9.5, 10.5]", "ours: 11, band: [10.5, 11.5]", 1) + order, []string{"tiny/one, wait of long jobs: ours moved to 10, out of its band 10.5 to 11.5"}},
		"agrees":     {long + order + "  - {experiment: one, figure: mean elapsed, ours: 12, band: [11, 13], full: within}\n", []string{"tiny/one, mean elapsed: no longer deviates from the paper; its verdict is within"}},
	} {
		r, err := run(c.lines)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Changes, c.want) {
			t.Errorf("%s: %q, want %q", name, r.Changes, c.want)
		}
	}
	for lines, want := range map[string]string{
		strings.Replace(long, "wait of", "weight of", 1):  "a figure of expected.yaml",
		strings.Replace(long, "[9.5, 10.5]", "[9.5]", 1):  "with ours, 10, between them",
		strings.Replace(long, "[9.5, 10.5]", "[8, 9]", 1): "with ours, 10, between them",
		long + long: "one line for each figure",
		"  - {experiment: one, figure: tie, ours: 1, band: [1, 1]}\n": "figures with a cause",
	} {
		var input *strict.InputError
		if _, err := run(lines); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an InputError with %q", lines, err, want)
		}
	}
}

// TestWriteBands writes a file that the same paper is then judged by, and Try leaves alone.
func TestWriteBands(t *testing.T) {
	paper := tinyPaper(strings.Replace(tinyExpected, "experiments:", "bands: {least: 5%}\nexperiments:", 1))
	var b bytes.Buffer
	all, err := reproduce.WriteBands(context.Background(), paper, "tiny", "", experiment.Options{}, &b)
	if err != nil {
		t.Fatal(err)
	}
	full, err := reproduce.Reproduce(context.Background(), paper, "tiny", "", false, experiment.Options{})
	if err != nil || len(all) != len(full.Findings) || len(all) <= 2 {
		t.Fatalf("%d findings beside the lines, want the %d of the full run: %v", len(all), len(full.Findings), err)
	}
	for i, f := range full.Findings {
		if all[i].Experiment != f.Experiment || all[i].Figure != f.Figure || all[i].Ours != f.Ours || all[i].Verdict != f.Verdict {
			t.Errorf("finding %d is %+v, want %+v", i, all[i], f)
		}
	}
	if n := strings.Count(b.String(), "  - {"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, b.String())
	}
	paper["tiny/deviations.yaml"] = &fstest.MapFile{Data: b.Bytes()}
	for _, quick := range []bool{false, true} {
		r, err := reproduce.Reproduce(context.Background(), paper, "tiny", "", quick, experiment.Options{})
		if err != nil || len(r.Changes) > 0 {
			t.Errorf("quick %v: %v, changes %q", quick, err, r.Changes)
		}
	}
	trial := reproduce.Trial{Only: "one", Set: []strict.Setting{{Path: "workload.jobs[0].map-length", Value: "20s"}}, Seeds: 1}
	r, err := reproduce.Try(context.Background(), paper, "tiny", trial, experiment.Options{})
	if err != nil || len(r.Changes) > 0 || r.Findings[2].Ours != 20 {
		t.Errorf("%v, %+v", err, r)
	}
}

// An experiment may be shortened for --quick: its figures are judged by the same rule and say so, and bands are made of
// both runs.
func TestQuickSet(t *testing.T) {
	paper := tinyPaper(`
title: A paper of two jobs
experiments:
  - name: one
    scenario: tiny.yaml
    seeds: 3
    quick-seeds: 2
    quick-set: {"workload.jobs[0].map-length": 6s}
    policies: [fifo]
    figures:
      - {name: mean elapsed, source: Table 1, metric: mean_elapsed, value: 8, within: 1%, cause: long}
    causes: {long: {text: a is longer here, checks: [yardmaster run tiny.yaml]}}
`)
	var b bytes.Buffer
	if _, err := reproduce.WriteBands(context.Background(), paper, "tiny", "one", experiment.Options{}, &b); err != nil {
		t.Fatal(err)
	}
	if want := "paper: 8, ours: 12, band: [8, 12], quick: within}"; !strings.Contains(b.String(), want) {
		t.Errorf("bands %s, want %s", b.String(), want)
	}
	paper["tiny/deviations.yaml"] = &fstest.MapFile{Data: b.Bytes()}
	for quick, want := range map[bool]reproduce.Finding{
		false: {Source: "Table 1", Ours: 12, Verdict: reproduce.Deviates},
		true:  {Source: "Table 1; quick: workload.jobs[0].map-length=6s", Ours: 8, Verdict: reproduce.Within},
	} {
		r, err := reproduce.Reproduce(context.Background(), paper, "tiny", "", quick, experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Findings[0]
		if f.Source != want.Source || f.Ours != want.Ours || f.Verdict != want.Verdict || len(r.Changes) > 0 {
			t.Errorf("quick %t: %+v, changes %q", quick, f, r.Changes)
		}
	}
	_, err := reproduce.WriteBands(context.Background(), paper, "tiny", "two", experiment.Options{}, &b)
	var input *strict.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), `no experiment "two"`) {
		t.Errorf("bands of an unknown experiment: %v", err)
	}
}

// An experiment that is like another asks the same of other jobs.
func TestLike(t *testing.T) {
	paper := tinyPaper(`
title: A paper of two jobs
experiments:
  - name: one
    scenario: tiny.yaml
    quick-seeds: 2
    policies: [fifo]
    figures:
      - {name: mean elapsed, source: Table 1, metric: mean_elapsed}
  - {name: two, like: one, set: {"workload.jobs[0].map-length": 6s}}
`)
	r, err := reproduce.Reproduce(context.Background(), paper, "tiny", "", true, experiment.Options{})
	if err != nil || len(r.Findings) != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	for i, want := range []reproduce.Finding{{Experiment: "one", Ours: 12}, {Experiment: "two", Ours: 8}} {
		if f := r.Findings[i]; f.Experiment != want.Experiment || f.Figure != "mean elapsed" || f.Ours != want.Ours {
			t.Errorf("finding %+v, want %+v", f, want)
		}
	}
}

// TestReproduceRefusals names what is wrong with a request or with expected.yaml.
func TestReproduceRefusals(t *testing.T) {
	one := func(figure string) string {
		return "title: x\nexperiments: [{name: one, scenario: tiny.yaml, figures: [" + figure + "]}]\n"
	}
	table := func(values string) string {
		return "title: x\nexperiments: [{name: one, scenario: tiny.yaml, tables: [{name: a, source: b, metric: '{row}.jobs', columns: [fifo], rows: [prod, dev], " + values + "}]}]\n"
	}
	for name, c := range map[string]struct{ expected, only, want string }{
		"experiment": {tinyExpected, "three", `no experiment "three"; allowed: one, two`},
		"like":       {"title: x\nexperiments: [{name: one, like: two}, {name: two, scenario: tiny.yaml}]\n", "", "the name of an experiment further up"},
		"scenario":   {"title: x\nexperiments: [{name: one}]\n", "", "a scenario file in the same folder, or like"},
		"neither":    {one("{name: a, source: b}"), "", "metric and holds both given or both left out"},
		"metric":     {one("{name: a, source: b, metric: mean_wiat}"), "", `unknown metric "mean_wiat"`},
		"relation":   {one(`{name: a, source: b, holds: "fifo@mean_wait"}`), "", "POLICY@METRIC"},
		"tolerance":  {one("{name: a, source: b, metric: mean_wait, value: 1, within: about}"), "", "a share such as 2%, or a difference such as by 0.02"},
		"interval":   {one("{name: a, source: b, metric: mean_wait, value: 1, within: interval}"), "", "a share such as 2%"},
		"cause":      {one("{name: a, source: b, metric: mean_wait, value: 1, cause: x}"), "", `names cause "x"`},
		"all":        {table("causes: {all: x}"), "", "ROW COLUMN, ROW or COLUMN of the table"},
		"no figures": {"title: x\nexperiments: [{name: one, scenario: tiny.yaml}]\n", "", "neither figures nor tables"},
		"rows":       {table("values: [[1]]"), "", "1 rows of values; allowed: 2, one for each row"},
		"columns":    {table("values: [[1, 2], [3]]"), "", "2 values; allowed: 1, one for each column"},
		"difference": {one("{name: a, source: b, metric: mean_wait, value: 1, within: by -1}"), "", "a difference such as by 0.02"},
		"field":      {one("{name: a, source: b, metric: mean_wait, vlaue: 1}"), "", `did you mean "value"?`},
	} {
		_, err := reproduce.Reproduce(context.Background(), tinyPaper(c.expected), "tiny", c.only, true, experiment.Options{})
		var input *strict.InputError
		if err == nil || !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an InputError with %q", name, err, c.want)
		}
	}
}

func TestPapersListsFoldersWithFigures(t *testing.T) {
	names, err := reproduce.Papers(tinyPaper(tinyExpected))
	if err != nil || !slices.Equal(names, []string{"tiny"}) {
		t.Errorf("papers %v, %v", names, err)
	}
}

// TestQuickUsesFewerSeeds counts the runs by their progress.
func TestQuickUsesFewerSeeds(t *testing.T) {
	for quick, want := range map[bool]int{true: 2 * 2, false: 3 * 2} { // seeds times policies
		total := 0
		opt := experiment.Options{Workers: 1, Progress: func(p experiment.Progress) { total = p.Total }}
		if _, err := reproduce.Reproduce(context.Background(), tinyPaper(tinyExpected), "tiny", "one", quick, opt); err != nil {
			t.Fatal(err)
		}
		if total != want {
			t.Errorf("quick %v: %d runs, want %d", quick, total, want)
		}
	}
}
