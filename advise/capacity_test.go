// SPDX-License-Identifier: Apache-2.0

package advise_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// sharedSite has a queue with short and long jobs of several users, and one with long jobs.
const sharedSite = `
name: site
seeds: 3
cluster: {racks: 1, classes: [{nodes: 10, map-slots: 4, reduce-slots: 2}]}
heartbeat: {interval: 300ms}
workload:
  generate:
    jobs: 60
    arrivals: {process: poisson, load: 90%}
    classes:
      - {name: tiny, share: 6, queue: prod, users: 4, maps: {kind: uniform, low: 1, high: 3}, map-length: 10s, noise: {kind: lognormal, cv: 0.3}}
      - {name: big, share: 2, queue: prod, users: 4, maps: {kind: uniform, low: 30, high: 80}, reduces: 4, map-length: 15s, reduce-length: 20s}
      - {name: batch, share: 2, queue: dev, users: 2, maps: {kind: uniform, low: 20, high: 60}, reduces: 2, map-length: 15s, reduce-length: 20s}
policy: fair
`

// capacityXML writes settings of the queues prod and dev: "prod.capacity=70".
func capacityXML(settings ...string) string {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		fmt.Fprintf(&b, "<property><name>mapred.capacity-scheduler.queue.%s</name><value>%s</value></property>\n", name, value)
	}
	return b.String() + "</configuration>\n"
}

func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func site(t *testing.T, settings ...strict.Setting) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("site.yaml", []byte(sharedSite), settings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func capacityFile(t *testing.T, settings ...string) *advise.CapacityFile {
	t.Helper()
	files, err := advise.LoadCapacity(put(t, "c.xml", capacityXML(settings...)))
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

func lint(t *testing.T, s *scenario.Scenario, f *advise.CapacityFile) map[string]advise.Trap {
	t.Helper()
	list, err := advise.Lint(context.Background(), s, f, 3, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	traps := map[string]advise.Trap{}
	for _, trap := range list {
		traps[trap.Name+" "+trap.Queue] = trap
	}
	if len(traps) != len(list) {
		t.Errorf("a trap is named twice in %+v", list)
	}
	return traps
}

// The default settings have all four traps of the thesis. The remedies are settings that the
// scheduler accepts, and a trap's cost is that of its victims.
func TestLintFindsTraps(t *testing.T) {
	traps := lint(t, site(t), capacityFile(t, "prod.capacity=70", "dev.capacity=30"))
	for _, want := range []string{"no-maximum prod", "no-maximum dev", "one-user-at-a-time prod", "one-user-at-a-time dev", "low-user-limit-factor prod", "low-user-limit-factor dev", "short-with-long prod"} {
		trap, ok := traps[want]
		if !ok || trap.Cost == nil || trap.Cost.Jobs == 0 || trap.Remedy == "" || trap.Source == "" {
			t.Errorf("%s: %+v", want, trap)
		}
	}
	if len(traps) != 7 {
		t.Errorf("%d traps: %v", len(traps), traps)
	}
	short := traps["short-with-long prod"].Cost
	if !(short.Waiting[0] > 2*short.Waiting[1]) || short.Saved[0] <= 0 {
		t.Errorf("a queue of their own does not help short jobs: %+v", short)
	}
	factor := traps["low-user-limit-factor dev"]
	if factor.Cost.Saved[0] <= 0 || len(factor.Edits) != 1 || factor.Edits[0].New != "3.34" {
		t.Errorf("a larger factor does not help long jobs of dev: %+v %+v", factor.Edits, factor.Cost)
	}
}

// Without the traps none is found: equal maxima, shares for users, factors that reach the maximum, and
// no short jobs beside long ones.
func TestLintFindsNothing(t *testing.T) {
	s := site(t, strict.Setting{Path: "workload.generate.classes[0].maps", Value: "10"})
	traps := lint(t, s, capacityFile(t, "prod.capacity=70", "prod.maximum-capacity=70", "prod.minimum-user-limit-percent=25",
		"dev.capacity=30", "dev.maximum-capacity=30", "dev.minimum-user-limit-percent=50"))
	if len(traps) != 0 {
		t.Errorf("%v", traps)
	}
}

// Settings that stop jobs for ever are named without a run that would never end; percentages that leave no slot are
// named without a cost.
func TestLintStaticTraps(t *testing.T) {
	traps := lint(t, site(t), capacityFile(t, "prod.capacity=70", "prod.user-limit-factor=0", "dev.capacity=30"))
	if len(traps) != 1 || traps["users-stopped prod"].Found == "" {
		t.Errorf("%+v", traps)
	}
	traps = lint(t, site(t), capacityFile(t, "prod.capacity=70", "dev.capacity=29", "tiny.capacity=1", "tiny.maximum-capacity=2"))
	if traps["no-slot-left tiny"].Found == "" || traps["maximum-without-effect tiny"].Found == "" || traps["no-slot-left tiny"].Cost != nil {
		t.Errorf("%+v", traps)
	}
}

// What a policy did to the same jobs is told for every group; limits that the settings add are named.
func TestChanges(t *testing.T) {
	s := site(t)
	files, err := advise.LoadCapacity(put(t, "old.xml", capacityXML("prod.capacity=70", "dev.capacity=30")),
		put(t, "new.xml", capacityXML("prod.capacity=70", "dev.capacity=30", "dev.maximum-capacity=30")))
	if err != nil {
		t.Fatal(err)
	}
	choices, err := advise.CapacityChoices(s, files)
	if err != nil {
		t.Fatal(err)
	}
	change, err := scenario.ParseChange(s, "load=+30%; nodes=-1; reduces=1")
	if err != nil {
		t.Fatal(err)
	}
	wantSettings := []strict.Setting{{Path: "workload.stretch", Value: "0.7692307692307692"}, {Path: "cluster.classes[0].nodes", Value: "9"}, {Path: "workload.reduces", Value: "1"}}
	if !reflect.DeepEqual(change.Settings, wantSettings) {
		t.Errorf("settings %v, want %v", change.Settings, wantSettings)
	}
	variants, err := experiment.Variants(s, choices, []*scenario.Change{change})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]result.ChangeRow
	for _, workers := range []int{1, 3} {
		changes := advise.NewChanges(s, variants, 2)
		c, err := experiment.CompareVariants(context.Background(), s, variants, 2, scenario.StandardQueries(s), experiment.Options{Workers: workers, Check: true, Observe: changes.Observe})
		if err != nil {
			t.Fatal(err)
		}
		if c.Changed != 2 {
			t.Errorf("%d variants count as changed, want 2", c.Changed)
		}
		rows = append(rows, changes.Rows(2))
	}
	if !reflect.DeepEqual(rows[0], rows[1]) {
		t.Error("the number of workers changes the rows")
	}
	against := map[string]string{"new.xml": "old.xml", "old.xml, load=+30%; nodes=-1; reduces=1": "old.xml", "new.xml, load=+30%; nodes=-1; reduces=1": "old.xml, load=+30%; nodes=-1; reduces=1"}
	seen := map[string]int{}
	for _, r := range rows[0] {
		seen[r.By]++
		if r.Against != against[r.Variant] {
			t.Errorf("%s is compared with %q", r.Variant, r.Against)
		}
		if r.Name == "dev" && r.Variant == "new.xml" && (!strings.HasPrefix(r.Why, "queue maximum +") || r.Metrics["mean_elapsed"].Difference[0] <= 0) {
			t.Errorf("dev under a maximum: %+v", r)
		}
	}
	if seen["queue"] != 2*3 || seen["class"] != 3*3 || seen["user"] != 6*3 {
		t.Errorf("rows by group: %v", seen)
	}
}

// history simulates the site under settings and returns the run as a trace with what jobs took.
func history(t *testing.T, s *scenario.Scenario, f *advise.CapacityFile) string {
	t.Helper()
	choices, err := advise.CapacityChoices(s, []*advise.CapacityFile{f})
	if err != nil {
		t.Fatal(err)
	}
	c, err := experiment.Compare(context.Background(), s, choices, 1, scenario.StandardQueries(s), experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trace, err := experiment.GeneratedTrace(context.Background(), s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]*metrics.Job{}
	for i := range c.Shown[0].Jobs {
		at[c.Shown[0].Jobs[i].Name] = &c.Shown[0].Jobs[i]
	}
	for i := range trace.Records {
		r := &trace.Records[i]
		r.Waited, r.Elapsed = at[r.Name].Waiting(), at[r.Name].Elapsed()
	}
	b, err := trace.CSV()
	if err != nil {
		t.Fatal(err)
	}
	return put(t, "history.csv", string(b))
}

func backtest(t *testing.T, past string, f *advise.CapacityFile) []result.BacktestRow {
	t.Helper()
	s, _, err := scenario.LoadSite(past, put(t, "on.yaml", sharedSite), nil)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := advise.CapacityChoices(s, []*advise.CapacityFile{f})
	if err != nil {
		t.Fatal(err)
	}
	b, err := advise.NewBacktest(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Compare(context.Background(), s, choices, 1, nil, experiment.Options{Observe: b.Observe}); err != nil {
		t.Fatal(err)
	}
	return b.Rows(1)
}

// A history that was made under the same settings, with the same seed, is predicted to the nanosecond;
// under other settings it is not.
func TestBacktest(t *testing.T) {
	f := capacityFile(t, "prod.capacity=70", "dev.capacity=30")
	past := history(t, site(t), f)
	rows := backtest(t, past, f)
	if len(rows) != 3 || rows[0].Jobs != 60 || rows[1].Queue != "dev" || rows[1].Jobs+rows[2].Jobs != 60 {
		t.Fatalf("%+v", rows)
	}
	for _, r := range rows {
		for _, a := range []result.Accuracy{r.Waiting, r.Elapsed} {
			if a.Absolute > 1e-9 || a.Order < 1-1e-9 || a.Actual <= 0 {
				t.Errorf("queue %q: %+v", r.Queue, a)
			}
		}
	}
	other := backtest(t, past, capacityFile(t, "prod.capacity=20", "prod.maximum-capacity=20", "dev.capacity=80"))
	if other[0].Elapsed.Absolute < 1 || other[0].Elapsed.Order > 0.99 {
		t.Errorf("under other settings: %+v", other[0])
	}
}

// A workload that is not a history, or is changed, cannot be held against anything.
func TestBacktestNeedsAHistory(t *testing.T) {
	if _, err := advise.NewBacktest(site(t), 1); err == nil {
		t.Error("a generated workload was taken")
	}
	past := history(t, site(t), capacityFile(t, "prod.capacity=70", "dev.capacity=30"))
	s, _, err := scenario.LoadSite(past, put(t, "on.yaml", sharedSite), []strict.Setting{{Path: "workload.stretch", Value: "0.5"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := advise.NewBacktest(s, 1); err == nil {
		t.Error("a changed workload was taken")
	}
}

// The search keeps the file where nothing is better, and writes only what differs.
func TestSearchCapacity(t *testing.T) {
	s := site(t)
	f := capacityFile(t, "prod.capacity=70", "dev.capacity=30")
	o, err := experiment.ParseObjective(s, "dev.mean_elapsed", []string{"prod.mean_elapsed<=1000"})
	if err != nil {
		t.Fatal(err)
	}
	axes := []experiment.Axis{{Path: "queue.dev.user-limit-factor", Values: []string{"keep", "1", "3.3"}}, {Path: "queue.dev.capacity", Values: []string{"keep", "20"}},
		{Path: "maximum-capacity", Values: []string{"keep", "25"}}}
	r, err := advise.SearchCapacity(context.Background(), f, experiment.Search{Scenario: s, Axes: axes, Objective: o, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := advise.CapacitySettingsText(r.Best.Point.Settings); got != "queue.dev.user-limit-factor=3.3" {
		t.Errorf("best is %s", got)
	}
	if r.Rungs[0].Candidates != 4 || r.Skipped != 6 { // a maximum of 25 is below the capacity of prod; factor 1 is what the file has
		t.Errorf("%+v, %d skipped", r.Rungs, r.Skipped)
	}
	if r.Old.Difference.Mean <= 0 || len(r.Edits) != 1 || !strings.Contains(string(r.XML), "queue.dev.user-limit-factor</name>\n    <value>3.3</value>") {
		t.Errorf("%+v\n%s", r.Edits, r.XML)
	}
	for _, bad := range []experiment.Axis{{Path: "queue.dve.capacity", Values: []string{"3"}}, {Path: "user-limit-fator", Values: []string{"1"}},
		{Path: "capacity", Values: []string{"10"}}, {Path: "user-limit-factor", Values: []string{"0"}}, {Path: "queue.dev", Values: []string{"0"}}} {
		_, err := advise.SearchCapacity(context.Background(), f, experiment.Search{Scenario: s, Axes: []experiment.Axis{bad}, Objective: o, Seeds: 2})
		var input *strict.InputError
		if !errors.As(err, &input) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// The whole space that a search takes by itself is one that the scheduler accepts, and the file as it
// is belongs to it.
func TestCapacityAxes(t *testing.T) {
	f := capacityFile(t, "prod.capacity=95", "dev.capacity=5")
	for _, a := range advise.CapacityAxes(&f.Config) {
		if a.Values[0] != "keep" && a.Values[2] != "keep" {
			t.Errorf("%v leaves out the file as it is", a)
		}
	}
}

// Limits in slots: 28 of 40 for 70 %, 12 for 30 %. With 25 % two users may hold half each, from four on
// a quarter.
func TestExplainCapacity(t *testing.T) {
	s := site(t)
	e, err := advise.ExplainCapacity(s, capacityFile(t, "prod.capacity=70", "prod.minimum-user-limit-percent=25", "prod.maximum-capacity=80", "dev.capacity=30", "dev.user-limit-factor=2"), true)
	if err != nil {
		t.Fatal(err)
	}
	prod, dev := e.Queues[0], e.Queues[1]
	if !reflect.DeepEqual(prod.Capacity, []int64{28, 14}) || !reflect.DeepEqual(prod.Maximum, []int64{32, 16}) || !reflect.DeepEqual(dev.Maximum, []int64{40, 20}) {
		t.Errorf("%+v %+v", prod, dev)
	}
	if got, want := fmt.Sprint(prod.UserLimits), "[[28 14] [14 7] [10 5] [7 4] [7 4] [7 4] [7 4]]"; got != want {
		t.Errorf("limits of users %s, want %s", got, want)
	}
	if len(e.Users) != 6 || e.Users[0].Queue != "prod" || fmt.Sprint(e.Users[0].Alone, e.Users[0].Beside) != "[28 14] [7 4]" {
		t.Errorf("%+v", e.Users)
	}
}

// Jobs that the settings cannot run are refused where they are written.
func TestUnknownQueues(t *testing.T) {
	_, err := advise.CapacityChoices(site(t), []*advise.CapacityFile{capacityFile(t, "prod.capacity=60", "dve.capacity=40")})
	if err == nil || !strings.Contains(err.Error(), `workload.generate.classes[2].queue: unknown queue; found "dev" of job`) || !strings.Contains(err.Error(), `did you mean "dve"?`) || !strings.HasPrefix(err.Error(), "site.yaml:13:") {
		t.Errorf("%v", err)
	}
	_, err = advise.CapacityChoices(site(t), []*advise.CapacityFile{capacityFile(t, "prod.capacity=60", "dev.capacity=40", "dev.maximum-initialized-active-tasks-per-user=30")})
	if err == nil || !strings.Contains(err.Error(), "the job is turned away; found") {
		t.Errorf("%v", err)
	}
	past := history(t, site(t), capacityFile(t, "prod.capacity=70", "dev.capacity=30"))
	s, _, err := scenario.LoadSite(past, put(t, "on.yaml", sharedSite), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = advise.CapacityChoices(s, []*advise.CapacityFile{capacityFile(t, "prod.capacity=100")})
	if err == nil || !strings.HasPrefix(err.Error(), past+":") || !strings.Contains(err.Error(), `queue: unknown queue; found "dev" of job`) {
		t.Errorf("%v", err)
	}
}

// Jobs of a YARN history name queues by their path.
func TestYARNQueueNames(t *testing.T) {
	xml := strings.NewReplacer("mapred.capacity-scheduler.queue.", "yarn.scheduler.capacity.root.").Replace(capacityXML("queues=prod,dev", "prod.capacity=70", "dev.capacity=30"))
	files, err := advise.LoadCapacity(put(t, "y.xml", xml))
	if err != nil {
		t.Fatal(err)
	}
	s := site(t, strict.Setting{Path: "workload.generate.classes[2].queue", Value: "root.dev"})
	choices, err := advise.CapacityChoices(s, files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Compare(context.Background(), s, choices, 1, scenario.StandardQueries(s), experiment.Options{Check: true}); err != nil {
		t.Fatal(err)
	}
}
