// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/advise/yarnqueues"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/result"
)

// confFolder writes a configuration folder; properties are short: root.a.capacity 50.
func confFolder(t *testing.T, dir string, properties ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	text := "<configuration>\n"
	for _, p := range properties {
		name, value, _ := strings.Cut(p, " ")
		text += fmt.Sprintf("  <property><name>yarn.scheduler.capacity.%s</name><value>%s</value></property>\n", name, value)
	}
	write(t, dir+"/capacity-scheduler.xml", text+"  <!-- end -->\n</configuration>\n")
	write(t, dir+"/mapred-site.xml", "<configuration><property><name>yarn.app.mapreduce.am.resource.mb</name><value>1024</value></property></configuration>")
}

// completed is must for commands that say on stderr what is not modelled.
func completed(t *testing.T, args ...string) outcome {
	t.Helper()
	o := yardmaster(args...)
	if o.code != exitDone {
		t.Fatalf("%v: exit code %d\n%s", args, o.code, o.err)
	}
	return o
}

// yarnWorld is a cluster of 40 containers of 1 GiB with these jobs.
func yarnWorld(jobs string) string {
	return `
name: yarn
seeds: 2
reference: false
cluster: {room: yarn, classes: [{nodes: 10, memory: 4GiB, vcores: 8}]}
workload: {jobs: [` + jobs + `]}
`
}

// prodDev is prod 60, dev 40 with a and b of 50 each.
var prodDev = []string{"root.queues prod,dev", "root.prod.capacity 60", "root.dev.capacity 40", "root.dev.queues a,b", "root.dev.a.capacity 50", "root.dev.b.capacity 50",
	"root.prod.user-limit-factor 10", "root.dev.a.user-limit-factor 10", "root.dev.b.user-limit-factor 10"}

// tasksOf returns how many tasks of each queue run on average from 60 s to 120 s.
func tasksOf(t *testing.T, file string) map[string]float64 {
	t.Helper()
	sum, n := map[string]float64{}, map[string]float64{}
	for line := range strings.Lines(read(t, file)) {
		cells := strings.Split(strings.TrimSpace(line), ",") // time, series, key, value
		at, _ := strconv.ParseFloat(cells[0], 64)
		v, _ := strconv.ParseFloat(cells[3], 64)
		if cells[1] == "queue" && at >= 60 && at < 120 {
			sum[cells[2]] += v
			n[cells[2]]++
		}
	}
	for q := range sum {
		sum[q] /= n[q]
	}
	return sum
}

// Shares that YARN gives: 60 and 40 where a sibling is idle, no more than a parent's maximum, and everything to a lone
// job whose user limit allows it. Masters have a container each.
func TestYarnShares(t *testing.T) {
	const wide = "maps: 400, map-length: 300s"
	for _, c := range []struct {
		name, jobs string
		properties []string
		want       map[string]float64
	}{
		{"a sibling is idle", "{name: p, queue: prod, " + wide + "}, {name: b, queue: b, " + wide + "}", prodDev, map[string]float64{"prod": 23, "b": 15}},
		{"a parent's maximum", "{name: a, queue: a, " + wide + "}, {name: b, queue: b, " + wide + "}", append([]string{"root.dev.maximum-capacity 40"}, prodDev...), map[string]float64{"a": 7, "b": 7}},
		{"a lone job", "{name: b, queue: b, " + wide + "}", prodDev, map[string]float64{"b": 39}},
	} {
		inFolder(t, yarnWorld(c.jobs))
		confFolder(t, "conf", c.properties...)
		completed(t, "run", "s.yaml", "--conf", "conf", "--out", "out")
		got := tasksOf(t, "out/series.csv")
		for q, want := range c.want {
			if math.Abs(got[q]-want) > 1 {
				t.Errorf("%s: %s runs %.1f tasks, want %g", c.name, q, got[q], want)
			}
		}
	}
}

// A configuration that takes the place of all policies leaves nobody who goes by the section jobs: its settings are refused then,
// before there is a result that could not be read again.
func TestConfRefusesJobsOfOtherPolicies(t *testing.T) {
	inFolder(t, yarnWorld("{name: j, queue: q, maps: 3, reduces: 1}")+"jobs: {slow-start: 80%}\n")
	confFolder(t, "conf", "root.queues q", "root.q.capacity 100")
	for _, command := range []string{"run", "compare"} {
		yardmaster(command, "s.yaml", "--conf", "conf", "--out", command).want(t, exitRefused, "s.yaml:7:20: jobs.slow-start: ", "found 0.8; allowed: Hadoop's own", "its property mapreduce.job.reduce.slowstart.completedmaps")
	}
	completed(t, "compare", "s.yaml", "--conf", "conf", "--policies", "fifo", "--out", "both")
	completed(t, "explain", "both", "j", "--policy", "conf")
}

// Properties that are refused come at once, those of all configurations, each with its file and line; those of a scenario with its
// line there, a job that a policy refuses with that of the job.
func TestRefusedPropertiesHaveALine(t *testing.T) {
	inFolder(t, yarnWorld("{name: j, queue: q, maps: 3, reduces: 1}"))
	confFolder(t, "one", "root.queues q,r", "root.q.capacity all", "root.q.state IDLE")
	confFolder(t, "two", "root.queues q,r", "root.q.capacity 50", "root.r.capacity 40")
	yardmaster("compare", "s.yaml", "--conf", "one,two").want(t, exitRefused,
		`one/capacity-scheduler.xml:3:3: yarn.scheduler.capacity.root.q.capacity: impossible value; found "all"; allowed: what YARN takes: For input string: "all"`,
		`one/capacity-scheduler.xml:4:3: yarn.scheduler.capacity.root.q.state: impossible value; found "IDLE"; allowed: what YARN takes: No enum constant`,
		`two/capacity-scheduler.xml:2:3: yarn.scheduler.capacity.root.queues: impossible value; found "q,r"; allowed: what YARN takes: Illegal capacity sum of 0.9 `)
	yardmaster("run", "s.yaml", "--conf", "two/capacity-scheduler.xml").want(t, exitRefused, "two/capacity-scheduler.xml:2:3: yarn.scheduler.capacity.root.queues: ")

	const of = "yarn.scheduler.capacity.root"
	own := func(state string) string {
		return yarnWorld("{name: j, queue: q, maps: 3}, {name: k, queue: r, maps: 3}") + "policy:\n  yarn-capacity:\n    properties:\n      " + of + ".queues: q\n      " +
			of + ".q.capacity: 100\n      " + of + ".q.state: " + state + "\n      yarn.app.mapreduce.am.resource.mb: 1024\n"
	}
	write(t, "s.yaml", strings.Replace(own("IDLE"), ": 1024", ": none", 1))
	yardmaster("run", "s.yaml").want(t, exitRefused, `s.yaml:12:45: policy.yarn-capacity.properties["`+of+`.q.state"]: impossible value; found "IDLE"; allowed: what YARN takes: No enum constant`,
		`s.yaml:13:42: policy.yarn-capacity.properties["yarn.app.mapreduce.am.resource.mb"]: impossible value; found "none"; allowed: a whole number from 1`)
	write(t, "s.yaml", own("RUNNING"))
	yardmaster("run", "s.yaml").want(t, exitRefused, `s.yaml:6:66: workload.jobs[1].queue: impossible value; found "r"; allowed: a queue that takes applications: root.q, under the policy yarn-capacity`)
	yardmaster("run", "s.yaml", "--set", `policy.yarn-capacity.properties["`+of+`.q.capacity"]=90`).want(t, exitRefused, "s.yaml:10:", `root.queues"]: impossible value; found "q"`, "Illegal capacity sum of 0.9 ")
}

// The limit on masters matters: with 0.1 one of ten jobs runs at a time, with 0.9 many do.
func TestYarnMastersMatter(t *testing.T) {
	var jobs []string
	for i := range 10 {
		jobs = append(jobs, fmt.Sprintf("{name: j%d, queue: q, user: u%d, maps: 3, map-length: 60s}", i, i))
	}
	inFolder(t, yarnWorld(strings.Join(jobs, ", ")))
	confFolder(t, "old", "root.queues q", "root.q.capacity 100", "maximum-am-resource-percent 0.05")
	confFolder(t, "new", "root.queues q", "root.q.capacity 100", "maximum-am-resource-percent 0.9")
	o := parseJSON[result.ComparisonSummary](t, completed(t, "compare", "s.yaml", "--conf", "old,new", "--format", "json").out)
	for _, r := range o.Changes {
		if m := r.Metrics["mean_elapsed"]; r.By == "queue" && (!m.Sure || m.After > 0.5*m.Before || !strings.Contains(r.Why, "am share")) {
			t.Errorf("%s: %.1f s before, %.1f s after: %s", r.Name, m.Before, m.After, r.Why)
		}
	}
}

// Files of YARN are judged by YARN's rules on a cluster with memory, and by those of Hadoop 1 if that is wanted, or the
// cluster has slots.
func TestCapacityCommandsOnYarn(t *testing.T) {
	inFolder(t, yarnWorld("{name: a, queue: b, user: ann, maps: 60, reduces: 4, map-length: 30s}, {name: b, queue: b, user: ann, submit: 5s, maps: 4, map-length: 30s}, {name: c, queue: b, user: bob, submit: 6s, maps: 4, map-length: 30s}"))
	properties := append([]string{}, prodDev[:6]...)
	confFolder(t, "conf", properties...)
	for _, path := range []string{"conf", "conf/capacity-scheduler.xml"} {
		e := parseJSON[yarnqueues.Explanation](t, completed(t, "capacity", "explain", path, "--workload", "s.yaml", "--format", "json").out)
		b := e.Queues[len(e.Queues)-1]
		// A lone user gets one container past 20 % of 40 GiB; with masters of 1.5 GiB of the file alone, rounded up, the same.
		if b.Path != "root.dev.b" || b.Guarantee != 8192 || b.Maximum != 40960 || b.Reach[0] != 9216 || len(e.Users) != 2 || e.Users[0].Alone != 9216 {
			t.Errorf("%s: %+v %+v", path, b, e.Users)
		}
	}
	if text := completed(t, "capacity", "explain", "conf", "--workload", "s.yaml").out; !strings.Contains(text, "a lone user") || !strings.Contains(text, "9216 (22.5 %)") {
		t.Error(text)
	}
	old := completed(t, "capacity", "explain", "conf/capacity-scheduler.xml", "--workload", "s.yaml", "--hadoop1")
	if !strings.Contains(old.out, "room that one user may hold") {
		t.Error(old.out)
	}
	if o := completed(t, "run", "s.yaml", "--capacity", "conf/capacity-scheduler.xml"); !strings.Contains(o.err, "--conf simulates YARN's own") {
		t.Error(o.err)
	}
	write(t, "slots.yaml", small)
	if o := yardmaster("capacity", "explain", "conf/capacity-scheduler.xml", "--on", "slots.yaml"); !strings.Contains(o.err, "is judged by the rules of Hadoop 1") {
		t.Error(o.err)
	}
	yardmaster("capacity", "explain", "conf", "--on", "slots.yaml").want(t, exitRefused, "allowed: one with cluster.room: yarn")

	traps := map[string]advise.Trap{}
	for _, trap := range parseJSON[[]advise.Trap](t, completed(t, "capacity", "lint", "conf", "--workload", "s.yaml", "--format", "json").out) {
		traps[trap.Name+" "+trap.Queue] = trap
	}
	for _, name := range []string{"one-job-of-a-user root.dev.b", "waiting-user-counts root.dev.b", "one-off-switch root", "low-user-limit-factor root.dev.b"} {
		if trap, ok := traps[name]; !ok || trap.Cost == nil || trap.Cost.Verdict == "" || len(trap.Edits) == 0 {
			t.Errorf("%s: %+v", name, trap)
		}
	}
	if cost := traps["low-user-limit-factor root.dev.b"].Cost; cost.Verdict != advise.WorthIt || cost.Net[0] <= 0 {
		t.Errorf("a factor of 5 on an idle cluster: %+v", cost)
	}

	completed(t, "capacity", "search", "conf", "--workload", "s.yaml", "--objective", "mean_elapsed", "--over", "user-limit-factor=keep,5", "--over", "queue.prod.capacity=keep,50", "--out", "best.xml")
	best := read(t, "best.xml")
	if _, err := capacityxml.Read("best.xml", []byte(best)); err != nil || !strings.Contains(best, "<!-- end -->") || !strings.Contains(best, "root.dev.b.user-limit-factor") {
		t.Errorf("%v\n%s", err, best)
	}
	yardmaster("capacity", "search", "conf", "--workload", "s.yaml", "--objective", "mean_elapsed", "--over", "queue.prd.capacity=50", "--over", "user-limit-fator=1").want(t, exitRefused, `did you mean "user-limit-factor"?`, `unknown queue "prd"`)
}

// Without --workload the cluster alone of --on counts: its jobs may be in queues that the configuration does not have.
func TestCapacityExplainOnAnotherWorkload(t *testing.T) {
	inFolder(t, yarnWorld("{name: a, queue: elsewhere, maps: 60, map-length: 30s}"))
	confFolder(t, "conf", prodDev...)
	e := parseJSON[yarnqueues.Explanation](t, completed(t, "capacity", "explain", "conf", "--on", "s.yaml", "--format", "json").out)
	if e.Memory != 40960 || len(e.Queues) != 5 || len(e.Users) != 0 {
		t.Errorf("%+v", e)
	}
	yardmaster("capacity", "explain", "conf", "--workload", "s.yaml").want(t, exitRefused, `found "elsewhere"; allowed: a queue that takes applications: root.prod, root.dev.a, root.dev.b`)
}

// A file in UTF-16 is told from one of Hadoop 1 by what it says, not by its bytes, and means what it means in UTF-8. It is not
// searched, because the file with the best settings could not be written.
func TestYarnFileInUTF16(t *testing.T) {
	inFolder(t, yarnWorld("{name: a, queue: prod, user: ann, maps: 10, map-length: 30s}"))
	confFolder(t, "conf", prodDev...)
	text := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(read(t, "conf/capacity-scheduler.xml"))) {
		text = binary.LittleEndian.AppendUint16(text, unit)
	}
	write(t, "wide.xml", string(text))
	for _, args := range [][]string{{"capacity", "explain", "FILE", "--on", "s.yaml", "--format", "json"}, {"capacity", "lint", "FILE", "--workload", "s.yaml", "--format", "json"}} {
		var out []string
		for _, file := range []string{"conf/capacity-scheduler.xml", "wide.xml"} {
			args[2] = file
			out = append(out, completed(t, args...).out)
		}
		if out[0] != out[1] {
			t.Errorf("%v: in UTF-8\n%s\nin UTF-16\n%s", args, out[0], out[1])
		}
	}
	yardmaster("capacity", "search", "wide.xml", "--workload", "s.yaml", "--objective", "mean_elapsed", "--over", "user-limit-factor=keep,5").want(t, exitRefused, "wide.xml:1:", "malformed XML")
}

// Two values of one property, whose name alone is nearly as long as that of a folder may be, are two results, and a file can be
// written of either.
func TestTwoValuesOfALongProperty(t *testing.T) {
	inFolder(t, yarnWorld("{name: a, queue: prod, user: ann, maps: 4, map-length: 30s}"))
	confFolder(t, "hadoop", prodDev...)
	completed(t, "run", "s.yaml", "--conf", "hadoop", "--out", "day")
	const property = `policy.yarn-capacity.properties["yarn.scheduler.capacity.root.prod.maximum-am-resource-percent"]`
	completed(t, "compare", "day", "--policies", "hadoop", "--what-if", property+"=0.4", "--what-if", property+"=0.8", "--out", "cost")
	for _, value := range []string{"0.4", "0.8"} {
		completed(t, "capacity", "write", "cost", "--policy", "hadoop, root.prod.maximum-am-resource-percent="+value, "--out", value+".xml")
		if text := read(t, value+".xml"); !strings.Contains(text, "<value>"+value+"</value>") {
			t.Errorf("%s is not in\n%s", value, text)
		}
	}
}

// What the release takes but hardly anybody means is said once wherever a configuration is read, with what follows; what is
// usual is not.
func TestOddSettingsAreSaid(t *testing.T) {
	inFolder(t, yarnWorld("{name: a, queue: prod, user: ann, maps: 4, map-length: 30s}"))
	confFolder(t, "usual", prodDev...)
	confFolder(t, "odd", append([]string{"root.dev.a.maximum-capacity 0", "root.dev.b.maximum-capacity NaN"}, prodDev...)...)
	said := []string{"yardmaster: warning: yarn.scheduler.capacity.root.dev.a.maximum-capacity: 0: nothing starts in the queue\n",
		"yardmaster: warning: yarn.scheduler.capacity.root.dev.b.maximum-capacity: NaN: nothing starts in the queue\n"}
	for _, args := range [][]string{
		{"capacity", "explain", "odd", "--on", "s.yaml"},
		{"capacity", "explain", "odd/capacity-scheduler.xml", "--on", "s.yaml"},
		{"capacity", "lint", "odd", "--workload", "s.yaml"},
		{"run", "s.yaml", "--conf", "odd", "--out", "out"},
		{"compare", "s.yaml", "--conf", "usual,odd", "--out", "both"},
	} {
		o := completed(t, args...)
		for _, text := range said {
			if n := strings.Count(o.err, text); n != 1 {
				t.Errorf("%v says %d times %sin\n%s", args, n, text, o.err)
			}
		}
		if strings.Contains(o.out, "-9223372036854775808") {
			t.Errorf("%v: what is no number is an amount in\n%s", args, o.out)
		}
	}
	if o := completed(t, "capacity", "explain", "usual", "--on", "s.yaml"); strings.Contains(o.err, "nothing starts") {
		t.Error(o.err)
	}
	if caveats := strings.Join(readManifest(t, "out").Caveats, "\n"); !strings.Contains(caveats, "root.dev.a.maximum-capacity: 0") {
		t.Errorf("the manifest lacks it: %s", caveats)
	}
}

// A remedy that saves its victims little and costs others much is not worth it, and no failure of --strict.
func TestLintWeighsOthers(t *testing.T) {
	// A short job of prod waits for a long map of dev; a maximum for dev would make its 100 maps run in twice the time.
	inFolder(t, yarnWorld("{name: d, queue: dev, user: ann, maps: 195, map-length: 60s}, {name: p, queue: prod, user: bob, submit: 10s, maps: 1, map-length: 30s}"))
	confFolder(t, "conf", "root.queues prod,dev", "root.prod.capacity 50", "root.dev.capacity 50", "root.dev.user-limit-factor 10")
	o := completed(t, "capacity", "lint", "conf", "--workload", "s.yaml", "--strict")
	if !strings.Contains(o.out, "verdict: not worth it: without it all jobs together lose") {
		t.Error(o.out)
	}
}

// What the model leaves out of a configuration stands in the manifest and on the page, beside the tree of queues with
// what each used.
func TestCaveatsTravel(t *testing.T) {
	inFolder(t, yarnWorld("{name: b, queue: b, maps: 40, map-length: 60s}"))
	confFolder(t, "conf", append([]string{"root.dev.b.disable_preemption true", "root.dev.b.maximum-capcity 50"}, prodDev...)...)
	o := completed(t, "run", "s.yaml", "--conf", "conf", "--out", "out")
	caveats := readManifest(t, "out").Caveats
	page := read(t, "out/report.html")
	if len(caveats) == 0 || !strings.Contains(strings.Join(caveats, "\n"), "maximum-capcity") {
		t.Errorf("caveats %q", caveats)
	}
	for _, text := range caveats {
		if !strings.Contains(o.err, text) {
			t.Errorf("not on stderr: %s", text)
		}
	}
	for _, want := range []string{`class="caveats"`, "maximum-capcity", `id="queues"`, "use over time", "<polygon points="} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	completed(t, "capacity", "explain", "conf", "--workload", "s.yaml", "--out", "queues.html")
	if page := read(t, "queues.html"); !strings.Contains(page, "Queues of conf") || !strings.Contains(page, "What users reach") || !strings.Contains(page, "maximum-capcity") {
		t.Error("the page of explain lacks the tree or what is left out")
	}
	inFolder(t, small)
	if m := must(t, "run", "s.yaml"); strings.Contains(read(t, "results/small/report.html"), `class="caveats"`) {
		t.Error("caveats without a configuration", m.err)
	}
}

// A cluster whose vcores are full is not said to be nearly idle: each measure of room has its use, and a load is that of
// the busier one.
func TestVCoresAreSeen(t *testing.T) {
	inFolder(t, `
name: vcores
seeds: 1
reference: false
cluster: {room: yarn, classes: [{nodes: 4, memory: 64GiB, vcores: 4}]}
workload:
  generate: {jobs: 60, arrivals: {load: 70%}, classes: [{name: c, maps: {kind: constant, mean: 8}, map-length: 20s}]}
`)
	must(t, "run", "s.yaml", "--out", "out")
	s := parseJSON[struct{ Metrics map[string]float64 }](t, read(t, "out/summary.json"))
	memory, vcores := s.Metrics["utilisation_memory"], s.Metrics["utilisation_vcores"]
	if vcores < 0.5 || vcores > 0.9 || memory > 0.1 {
		t.Errorf("%.2f of the memory and %.2f of the vcores are in use at a load of 0.7", memory, vcores)
	}
	if series := read(t, "out/series.csv"); !strings.Contains(series, ",utilisation,vcores,") {
		t.Error("no series of vcores")
	}
}
