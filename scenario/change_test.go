// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// loaded has a workload that is made for a load of its cluster.
const loaded = `
name: site
cluster: {racks: 1, classes: [{nodes: 10, map-slots: 4, reduce-slots: 2}]}
workload:
  generate:
    jobs: 60
    arrivals: {process: poisson, load: 90%}
    classes:
      - {name: tiny, share: 6, queue: prod, maps: {kind: uniform, low: 1, high: 3}, map-length: 10s}
      - {name: big, share: 2, queue: dev, maps: {kind: uniform, low: 30, high: 80}, reduces: 4, map-length: 15s, reduce-length: 20s}
`

func site(t *testing.T) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("site.yaml", []byte(loaded), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A changed cluster meets the same jobs at the same times, though they were made for a load of the cluster as
// it was; more load shrinks the gaps, and a changed workload is made anew.
func TestChangesKeepJobs(t *testing.T) {
	s := site(t)
	jobs := s.Jobs(7)
	after := func(text string) *scenario.Scenario {
		c, err := scenario.ParseChange(s, text)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := scenario.Changed(s, c.Settings)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	if got := after("nodes=-5; map-slots=+1; slow-start=50%"); !reflect.DeepEqual(got.Jobs(7), jobs) || got.Cluster.Classes[0].Nodes != 5 || got.Cluster.Classes[0].MapSlots != 5 {
		t.Error("a changed cluster changed the jobs")
	}
	faster := after("load=+25%; nodes=-5").Jobs(7)
	for i := range jobs {
		if d := jobs[i].Submit - faster[i].Submit*5/4; d < -2 || d > 2 {
			t.Fatalf("job %d is submitted at %v instead of %v", i, faster[i].Submit, jobs[i].Submit)
		}
	}
	one := after("reduces=1").Jobs(7)
	for i := range jobs {
		if jobs[i].Reduces > 0 && (one[i].Reduces != 1 || one[i].ReduceLength.Mean != jobs[i].ReduceLength.Mean*model.Time(jobs[i].Reduces)) {
			t.Fatalf("job %d has %d reduces", i, one[i].Reduces)
		}
	}
	if reflect.DeepEqual(after("workload.generate.jobs=30").Jobs(7), jobs) {
		t.Error("a changed workload is the old one")
	}
}

func TestParseChangeRefusals(t *testing.T) {
	s := site(t)
	for _, text := range []string{"", "load", "load=30%", "load=+30", "load=-100%", "nodes=x", "nodes=-11", "map-slots=5%", "nodes=", "=3"} {
		_, err := scenario.ParseChange(s, text)
		var input *strict.InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := scenario.Changed(s, []strict.Setting{{Path: "cluster.rakcs", Value: "3"}}); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("%v", err)
	}
}

// Other jobs replace those of the workload at every seed; the scenario that they came from keeps its own.
func TestWithJobs(t *testing.T) {
	s := site(t)
	moved := scenario.WithJobs(s, func(seed uint64) []model.Job {
		jobs := s.Jobs(seed)
		for i := range jobs {
			jobs[i].Queue = "apart"
		}
		return jobs
	})
	if got := scenario.Queues(moved.Jobs(3)); !slices.Equal(got, []string{"apart"}) {
		t.Errorf("queues %v", got)
	}
	if got := scenario.OutlineOf(moved).Queues; !slices.Equal(got, []string{"apart"}) {
		t.Errorf("queues of the outline %v", got)
	}
	if got := scenario.Queues(s.Jobs(3)); len(got) != 2 {
		t.Errorf("queues of the workload %v", got)
	}
	if !reflect.DeepEqual(moved.Jobs(3), moved.Jobs(3)) || reflect.DeepEqual(moved.Jobs(3), moved.Jobs(4)) {
		t.Error("jobs do not follow the seed")
	}
}

// The outline is that of the jobs of the first seed, and follows settings; asking for it makes no job.
func TestOutlineOf(t *testing.T) {
	s := site(t)
	if got, want := scenario.OutlineOf(s).Queues, scenario.Queues(s.Jobs(s.Seed)); !slices.Equal(got, want) || scenario.OutlineOf(s).Goals {
		t.Errorf("outline %+v, want the queues %v and no goals", scenario.OutlineOf(s), want)
	}
	with, err := s.With([]strict.Setting{{Path: "workload.assign", Value: "[{queue: night, goal: 1h}]"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := scenario.OutlineOf(with); !got.Goals || !slices.Equal(got.Queues, []string{"night"}) {
		t.Errorf("outline %+v, want the queue night and goals", got)
	}
	if n := testing.AllocsPerRun(10, func() { scenario.OutlineOf(s) }); n > 0 {
		t.Errorf("asking for the outline allocates %v times", n)
	}
}

// A job is where its class or its entry is written; one that nobody names is where the jobs are.
func TestWhere(t *testing.T) {
	for name, c := range map[string]struct {
		src, path string
		job       model.Job
		line      int
	}{
		"class":   {loaded, "workload.generate.classes[1].queue", model.Job{Class: "big"}, 10},
		"unknown": {loaded, "workload.generate", model.Job{Class: "none"}, 6},
		"job": {"cluster: {classes: [{nodes: 4, map-slots: 1}]}\nworkload:\n  jobs:\n    - {name: a}\n    - {name: b, queue: dev}\n",
			"workload.jobs[1].queue", model.Job{Name: "b"}, 5},
	} {
		s, err := scenario.Parse("s.yaml", []byte(c.src), nil)
		if err != nil {
			t.Fatal(err)
		}
		if pos, path := s.Where(&c.job); path != c.path || pos.File != "s.yaml" || pos.Line != c.line {
			t.Errorf("%s: %s at %+v, want %s in line %d", name, path, pos, c.path, c.line)
		}
	}
}

// A name in results has no character that a folder cannot have.
func TestLabel(t *testing.T) {
	for text, want := range map[string]string{"old.xml": "old.xml", "nodes=-2; load=+30%": "nodes=-2; load=+30%", "a/b:c": "a-b-c", " .hidden": "hidden", "summary.json": "settings-summary.json"} {
		if got := scenario.Label(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Changes that are too long for a name keep the end of the property's name and the value, so that two values of one property,
// and two properties with one beginning, have two names.
func TestLabelsOfLongChanges(t *testing.T) {
	change := func(property, value string) string {
		return `hadoop, policy.yarn-capacity.properties["` + property + `"]=` + value
	}
	const masters = "yarn.scheduler.capacity.root.prod.maximum-am-resource-percent"
	deep := "yarn.scheduler.capacity.root." + strings.Repeat("département.", 9)
	short := "hadoop, policy.yarn-capacity.properties[-yarn.scheduler.capacity.root.a.capacity-]=40"
	names := map[string]string{}
	for text, want := range map[string]string{
		change("yarn.scheduler.capacity.root.a.capacity", "40"): short,
		short:                            short,
		change(masters, "0.4"):           "hadoop, root.prod.maximum-am-resource-percent=0.4",
		change(masters, "0.8"):           "hadoop, root.prod.maximum-am-resource-percent=0.8",
		change(masters, "0.8; nodes=-2"): "hadoop, root.prod.maximum-am-resource-percent=0.8; nodes=-2",
		change("mapreduce.job.reduce.slowstart.completedmaps", "0.0500000000000001"): "hadoop, mapreduce.job.reduce.slowstart.completedmaps=0.0500000000000001",
		change(deep+"capacity", "40"):         "",
		change(deep+"capacity", "50"):         "",
		change(deep+"maximum-capacity", "50"): "",
	} {
		got := scenario.Label(text)
		if want != "" && got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if want == "" && !strings.HasSuffix(got, text[strings.LastIndex(text, "]=")+1:]) {
			t.Errorf("%q, %d bytes: %q lacks the value", text, len(text), got)
		}
		if again := scenario.Label(got); len(got) > 100 || again != got {
			t.Errorf("%q, of %d bytes, is no name in results: that would be %q", got, len(got), again)
		}
		if other, taken := names[got]; taken && want != short {
			t.Errorf("%q and %q are both %q", text, other, got)
		}
		names[got] = text
	}
}

// A policy that watches the racks' links has nothing to watch in a single rack, which the result says.
func TestOneRackIsToldOf(t *testing.T) {
	for _, c := range []struct {
		racks, policy string
		want          int
	}{{"1", "nas", 1}, {"1", "shufflewatcher", 1}, {"1", "{order: fifo, place: nas}", 1}, {"2", "nas", 0}, {"1", "fair", 0}} {
		s, err := scenario.Parse("site.yaml", []byte(loaded), []strict.Setting{{Path: "durations", Value: "network"},
			{Path: "cluster.racks", Value: c.racks}, {Path: "policy", Value: c.policy}})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Warnings(); len(got) != c.want || c.want > 0 && !strings.HasPrefix(got[0], "one rack: ") {
			t.Errorf("%s in %s racks: warnings %q", c.policy, c.racks, got)
		}
	}
}

// Under deadline-min a long job without a goal may hardly ever end where nodes are lost at random, and one with a goal that
// is far away may take until then, which the result says.
func TestLostOutputIsToldOf(t *testing.T) {
	const text = `
cluster: {racks: 1, classes: [{nodes: 10, map-slots: 2, reduce-slots: 1}]}
workload:
  jobs: [{name: long, maps: 600, map-length: 30s, reduces: 1, reduce-length: 30s}]
faults: {mean-uptime: 1h}
policy: deadline-min
`
	for _, c := range []struct {
		path, value string
		want        int // 1: no goal, 2: a goal far away
	}{
		{"seed", "1", 1},
		{"workload.jobs[0].goal", "60d", 2},
		{"workload.jobs[0].goal", "10.02h", 2}, // twice 5 h of maps, and a reduce
		{"workload.jobs[0].goal", "9.9h", 0},
		{"policy", "{order: deadline-min, place: delay}", 1},
		{"policy", "deadline-max", 0},
		{"policy", "{deadline-min: {no-goal-slots: 20}}", 0},
		{"faults.mean-uptime", "0s", 0},
		{"faults.mean-uptime", "3h", 0}, // 5 h of maps, and every e-th loss costs output
		{"faults.expiry", "10h", 0},
		{"workload.jobs[0].goal", "1h", 0},
		{"workload.jobs[0].reduces", "0", 0},
	} {
		s, err := scenario.Parse("site.yaml", []byte(text), []strict.Setting{{Path: c.path, Value: c.value}})
		if err != nil {
			t.Fatal(err)
		}
		said := []string{"", "job long has no goal, and its maps take 5 h with 1 at a time", "for which few tasks at a time are enough: its maps take 5 h"}[c.want]
		if got := s.Warnings(); len(got) != min(c.want, 1) || !strings.Contains(strings.Join(got, ""), said) {
			t.Errorf("%s=%s: warnings %q", c.path, c.value, got)
		}
	}
}

// A cluster whose nodes have names loses the last ones, and gets new ones like those that it has.
func TestChangesOfNamedNodes(t *testing.T) {
	const src = `
cluster:
  racks: 2
  classes: [{name: a, nodes: 2, map-slots: 1}, {name: b, nodes: 1, map-slots: 2}]
  nodes: [{name: n1, rack: r1, class: a}, {name: n2, rack: r2, class: a}, {name: n3, rack: r1, class: b}]
hdfs: {replication: 1}
workload: {jobs: [{name: j, maps: 3}]}
`
	s, err := scenario.Parse("named.yaml", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"nodes=-1":    "n1/r1/a n3/r1/b in 1 racks",
		"nodes=+2":    "n1/r1/a n2/r2/a n3/r1/b added4/r1/a added5/r2/a in 2 racks",
		"nodes=+100%": "n1/r1/a n2/r2/a n3/r1/b added4/r1/a added5/r2/a added6/r1/b in 2 racks",
	} {
		c, err := scenario.ParseChange(s, text)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := scenario.Changed(s, c.Settings)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range changed.Cluster.Nodes {
			got += n.Name + "/" + n.Rack + "/" + n.Class + " "
		}
		if got += fmt.Sprintf("in %d racks", changed.Cluster.Racks); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A what-if sets the parameters of whatever policy of that name is compared, whether the scenario names it, the command line
// does, or a file of settings made it; one that none of them has is refused.
func TestChangeReachesWhatIsCompared(t *testing.T) {
	s := site(t)
	picked := func(names ...string) []scenario.PolicyChoice {
		choices, err := s.Pick(names)
		if err != nil {
			t.Fatal(err)
		}
		return choices
	}
	params := hadoop1.DefaultParams()
	params.Queues = []hadoop1.Queue{{Name: "prod", Capacity: 60, MaximumCapacity: -1}, {Name: "dev", Capacity: 40, MaximumCapacity: -1}}
	file := scenario.Named("capacity", &params)
	file.As = "old.xml"
	for text, c := range map[string]struct {
		choices []scenario.PolicyChoice
		want    string // the choices as they are written, or the refusal
	}{
		"policy.fair.by=user; policy.delay.node-wait=30s": {picked("fifo", "fair", "delay"), `fifo {"fair":{"by":"user" {"delay":{"by":"job" "node-wait":"30s"`},
		"policy.capacity.queues[1].capacity=40.5":         {[]scenario.PolicyChoice{file}, `{"name":"dev","capacity":40.5 "as":"old.xml"`},
		"policy=fair; policy.fair.by=pool":                {picked("fifo"), `{"fair":{"by":"pool"`},
		"policy.fair.by=pool; nodes=-5":                   {picked("fair"), `{"fair":{"by":"pool"`},
		"policy.fair.by=queue":                            {picked("fair", "fifo"), "policy.fair.by: bad value"},
		"policy.fair.bye=user":                            {picked("fair"), "policy.fair.bye: unknown field"},
		"policy.capacity.queues[0].capacity=20":           {[]scenario.PolicyChoice{file}, "policy.capacity.queues: impossible value"},
		"policy.far.by=user":                              {picked("fair", "fifo"), `found "far"; allowed: a parameter of what is compared: fair, fifo; did you mean "fair"?`},
		"policy=fair":                                     {picked("srpt", "fifo"), "found 2 policies that are compared"},
	} {
		change, err := scenario.ParseChange(s, text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, choices, err := change.On(s, c.choices); err != nil {
			got = err.Error()
		} else {
			for i := range choices {
				got += string(choices[i].MarshalNode().JSON("")) + "\n"
			}
		}
		for _, want := range strings.Fields(c.want) {
			if squeezed := strings.Join(strings.Fields(got), ""); !strings.Contains(squeezed, want) {
				t.Errorf("%s: %s is missing in\n%s", text, want, got)
			}
		}
	}
}

// The word slow-start is what the masters of each policy go by that is compared: the scenario's setting, or Hadoop's property
// under YARN's resource manager, which has the setting in vain.
func TestSlowStartReachesMasters(t *testing.T) {
	const property, own = "mapreduce.job.reduce.slowstart.completedmaps", 0.05
	queues := map[string]string{"yarn.scheduler.capacity.root.queues": "default", "yarn.scheduler.capacity.root.default.capacity": "100"}
	s, err := scenario.Parse("yarn.yaml", []byte("cluster: {room: yarn, classes: [{nodes: 4, memory: 8GiB, vcores: 8}]}\nworkload: {jobs: [{name: j, maps: 3, reduces: 1}]}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	conf := handover.DefaultConfig()
	conf.Properties = queues
	folder, fair, fifo := scenario.Named("yarn-capacity", &conf), scenario.Named("yarn-fair", nil), scenario.Named("fifo", nil)
	folder.As = "etc"
	for _, c := range []struct {
		text  string
		under []scenario.PolicyChoice
		jobs  model.Fraction
		yarn  string // the property of every choice under YARN
	}{
		{"slow-start=80%", []scenario.PolicyChoice{folder, fair}, own, "0.8"},
		{"slow-start=0.8; nodes=-1", []scenario.PolicyChoice{fifo, folder, fair}, 0.8, "0.8"},
		{"slow-start=80%", []scenario.PolicyChoice{fifo}, 0.8, ""},
		{"slow-start=80%; policy=fair", []scenario.PolicyChoice{folder}, 0.8, ""},
		{"jobs.slow-start=80%", []scenario.PolicyChoice{fifo, folder}, 0.8, ""},
	} {
		change, err := scenario.ParseChange(s, c.text, c.under...)
		if err != nil {
			t.Fatal(err)
		}
		changed, choices, err := change.On(s, c.under)
		if err != nil {
			t.Fatal(err)
		}
		if changed.Config.Jobs.SlowStart != c.jobs {
			t.Errorf("%s: jobs.slow-start is %v, want %v", c.text, changed.Config.Jobs.SlowStart, c.jobs)
		}
		for i := range choices {
			if y := choices[i].Yarn(); y != nil && y.Properties[property] != c.yarn {
				t.Errorf("%s: %s under %s is %q, want %q", c.text, property, choices[i].Label(), y.Properties[property], c.yarn)
			}
		}
	}
	if len(queues) != 2 {
		t.Errorf("a change changed the configuration itself: %v", queues)
	}
	for text, want := range map[string]string{"slow-start=late": `slow-start: found "late"; allowed: a share such as 70% or 0.7`, "slow-start=150%": "allowed: a number from 0 to 1"} {
		change, err := scenario.ParseChange(s, text, folder)
		if err == nil {
			_, _, err = change.On(s, []scenario.PolicyChoice{folder})
		}
		var input *strict.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Settings of several policies of the command line are all in force, and one of a list reaches the choice of a scenario that
// has it.
func TestSettingsOfSeveralPolicies(t *testing.T) {
	s, err := scenario.Parse("site.yaml", []byte(loaded), []strict.Setting{{Path: "policy.fair.by", Value: "user"}, {Path: "policy.delay.node-skips", Value: "7"}})
	if err != nil {
		t.Fatal(err)
	}
	choices, err := s.Pick([]string{"fair", "delay", "fifo"})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for i := range choices {
		all += string(choices[i].MarshalNode().JSON(""))
	}
	if all = strings.Join(strings.Fields(all), ""); !strings.Contains(all, `"by":"user"`) || !strings.Contains(all, `"node-skips":7`) {
		t.Errorf("the policies are %s", all)
	}

	listed := loaded + "policies: [{capacity: {queues: [{name: prod, capacity: 60}, {name: dev, capacity: 40}]}, as: old}]\n"
	for _, policy := range []string{"", "policy: fair\n"} {
		s, err = scenario.Parse("site.yaml", []byte(listed+policy), []strict.Setting{{Path: "policy.capacity.queues[0].user-limit-factor", Value: "3"}})
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(string(s.JSON())), ""); strings.Count(text, `"user-limit-factor":3`) != 1 || s.Policy.Name == "capacity" {
			t.Errorf("the scenario is %s", text)
		}
	}
	if _, err = scenario.Parse("site.yaml", []byte(listed), []strict.Setting{{Path: "policy.capacity.queues[9].user-limit-factor", Value: "3"}}); err == nil {
		t.Error("a queue that there is not is set")
	}
}
