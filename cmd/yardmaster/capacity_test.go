// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/console"
)

// oldXML and newXML are settings for the queues of small.
const (
	oldXML = `<configuration>
<property><name>mapred.capacity-scheduler.queue.prod.capacity</name><value>60</value></property>
<property><name>mapred.capacity-scheduler.queue.dev.capacity</name><value>40</value></property>
</configuration>
`
	newXML = `<configuration>
<property><name>mapred.capacity-scheduler.queue.prod.capacity</name><value>60</value></property>
<property><name>mapred.capacity-scheduler.queue.dev.capacity</name><value>40</value></property>
<property><name>mapred.capacity-scheduler.queue.dev.maximum-capacity</name><value>40</value></property>
<property><name>mapred.capacity-scheduler.default-minimum-user-limit-percent</name><value>25</value></property>
</configuration>
`
	brokenXML = `<configuration>
<property><name>mapred.capacity-scheduler.queue.prod.capacity</name><value>160</value></property>
<property><name>mapred.capacity-scheduler.queue.prod.capacity</name><value>60</value></property>
<property><name>mapred.capacity-scheduler.queue.dev.capacity</name><value>40</value></property>
</configuration>
`
)

func withSettings(t *testing.T) {
	t.Helper()
	inFolder(t, small)
	write(t, "old.xml", oldXML)
	write(t, "new.xml", newXML)
	write(t, "broken.xml", brokenXML)
	write(t, "typo.xml", strings.Replace(oldXML, "prod.capacity", "prod.capcity", 1))
	write(t, "warned.xml", strings.Replace(oldXML, "</configuration>", "<property><name>mapred.capacity-scheduler.queue.dev.maximum-capcity</name><value>40</value></property>\n</configuration>", 1))
	write(t, "cut.xml", oldXML[:100])
}

// Every command on settings refuses a broken, a cut and a mistyped file with every fault and its line, and
// prints nothing; a mistyped flag gets exit code 2 as well.
func TestCapacityRefusals(t *testing.T) {
	withSettings(t)
	for _, args := range [][]string{
		{"capacity", "explain", "FILE"}, {"capacity", "lint", "FILE", "--workload", "s.yaml"}, {"compare", "s.yaml", "--capacity", "FILE"},
		{"capacity", "search", "FILE", "--workload", "s.yaml", "--objective", "mean_wait"}, {"backtest", "jobs.csv", "--config", "FILE"}, {"run", "s.yaml", "--capacity", "FILE"},
	} {
		with := func(file string) outcome {
			list := append([]string{}, args...)
			for i := range list {
				if list[i] == "FILE" {
					list[i] = file
				}
			}
			return yardmaster(list...)
		}
		with("broken.xml").want(t, exitRefused, `broken.xml:2:1: mapred.capacity-scheduler.queue.prod.capacity: bad value; found "160"`, "broken.xml:3:1: mapred.capacity-scheduler.queue.prod.capacity: duplicate property; found it on line 2 before")
		with("typo.xml").want(t, exitRefused, "typo.xml:2:1: mapred.capacity-scheduler.queue.prod.capacity: missing property")
		with("cut.xml").want(t, exitRefused, "cut.xml:2:", "malformed XML")
		with("none.xml").want(t, exitRefused, "none.xml")
	}
	for _, args := range []string{"capacity explian old.xml", "capacity lint old.xml --worklod s.yaml", "capacity lint old.xml", "capacity search old.xml --objective mean_wait",
		"capacity search old.xml --workload s.yaml --objective mean_wiat", "capacity search old.xml --workload s.yaml --objective mean_wait --over user-limit-fator=1",
		"capacity search old.xml --workload s.yaml --objective mean_wait --out ./old.xml", "backtest s.yaml --config old.xml", "compare s.yaml --capacity old.xml --what-if load=30",
		"compare s.yaml --what-if cluster.rakcs=3", "compare s.yaml --capacity old.xml,old.xml", "capacity explain old.xml --workload s.yaml --on s.yaml"} {
		o := yardmaster(strings.Fields(args)...)
		if o.code != exitRefused || o.err == "" {
			t.Errorf("%s: exit code %d\n%s", args, o.code, o.err)
		}
	}
}

// An unknown property is a warning on stderr with its line and the nearest name; the command goes on.
func TestCapacityWarnings(t *testing.T) {
	withSettings(t)
	o := yardmaster("capacity", "explain", "warned.xml", "--on", "s.yaml")
	if o.code != exitDone || o.err != `warning: warned.xml:4:1: mapred.capacity-scheduler.queue.dev.maximum-capcity: unknown property, which has no effect; did you mean "mapred.capacity-scheduler.queue.dev.maximum-capacity"?`+"\n" {
		t.Errorf("%d: %s", o.code, o.err)
	}
}

func TestCapacityExplain(t *testing.T) {
	withSettings(t)
	o := must(t, "capacity", "explain", "new.xml", "--workload", "s.yaml")
	for _, want := range []string{"new.xml (Hadoop 1) on 8 worker nodes", "  prod   60 %      9          4", "  dev    40 %      6          3", "users of small"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	var e struct {
		Queues []struct {
			Name string
			Room []int
		}
	}
	if err := json.Unmarshal([]byte(must(t, "capacity", "explain", "new.xml", "--on", "s.yaml", "--format", "json").out), &e); err != nil || len(e.Queues) != 2 || e.Queues[0].Room[0] != 9 {
		t.Errorf("%v: %+v", err, e)
	}
}

// A run with settings is explained from its folder, like any other.
func TestRunCapacity(t *testing.T) {
	withSettings(t)
	if o := must(t, "run", "s.yaml", "--capacity", "new.xml"); !strings.Contains(o.out, "small under new.xml, seed 1") {
		t.Errorf("%s", o.out)
	}
	if e := must(t, "explain", "results/small", "3"); !strings.Contains(e.out, "under new.xml") {
		t.Errorf("%s", e.out)
	}
}

// The lint is deterministic, names what the file has, and with --strict ends with 1.
func TestCapacityLint(t *testing.T) {
	withSettings(t)
	args := []string{"capacity", "lint", "old.xml", "--workload", "s.yaml"}
	a, b := must(t, args...), must(t, append(args, "-j", "1")...)
	if a.out != b.out {
		t.Errorf("%s\n%s", a.out, b.out)
	}
	for _, want := range []string{"no-maximum, queue prod (capacity-2013 §6.2.2, §6.4.2, §6.5)", "one-user-at-a-time, queue prod", "with it ", "without it ", "costs are means over 3 repetitions"} {
		if !strings.Contains(a.out, want) {
			t.Errorf("no %q in\n%s", want, a.out)
		}
	}
	var traps []map[string]any
	if err := json.Unmarshal([]byte(must(t, append(args, "--format", "json")...).out), &traps); err != nil || len(traps) < 2 {
		t.Errorf("%v: %v", err, traps)
	}
	write(t, "stop.xml", strings.Replace(oldXML, "</configuration>", "<property><name>mapred.capacity-scheduler.default-user-limit-factor</name><value>0</value></property></configuration>", 1))
	o := yardmaster("capacity", "lint", "stop.xml", "--workload", "s.yaml", "--strict")
	if o.code != exitFailed || !strings.Contains(o.out, "users-stopped, queue prod") {
		t.Errorf("%d\n%s%s", o.code, o.out, o.err)
	}
}

// A comparison of files tells what changed, and explain finds a job of a changed scenario again.
func TestCompareCapacity(t *testing.T) {
	withSettings(t)
	args := []string{"compare", "s.yaml", "--capacity", "old.xml", "--capacity", "new.xml", "--what-if", "load=+30%", "--seeds", "2"}
	o := must(t, args...)
	for _, want := range []string{"What changed by queue", "What changed by user", "What changed by class", "new.xml, load=+30%  old.xml, load=+30%", "queue maximum +"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	if page := read(t, "results", "small-compare", "report.html"); !strings.Contains(page, "What changed by queue") {
		t.Error("the page does not tell what changed")
	}
	var m struct {
		Inputs  map[string]string
		Changes map[string]any
	}
	if err := json.Unmarshal([]byte(read(t, "results", "small-compare", "manifest.json")), &m); err != nil || m.Inputs["new.xml"] == "" || len(m.Changes) != 2 {
		t.Errorf("%v: %+v", err, m)
	}
	if e := must(t, "explain", "results/small-compare", "3", "--policy", "new.xml, load=+30%"); !strings.Contains(e.out, "under new.xml, load=+30%") {
		t.Errorf("%s", e.out)
	}
	if again := must(t, append(args, "-j", "1")...); again.out != o.out {
		t.Error("the number of workers changes the output")
	}
}

// The file that is found is read by everything that reads the old one, and differs as was said.
func TestCapacitySearch(t *testing.T) {
	withSettings(t)
	o := must(t, "capacity", "search", "old.xml", "--workload", "s.yaml", "--objective", "mean_elapsed", "--over", "user-limit-factor=keep,3", "--over", "queue.prod.capacity=keep,50", "--seeds", "2", "--out", "best.xml")
	best := read(t, "best.xml")
	if !strings.Contains(o.out, "written to best.xml") || !strings.Contains(o.out, "  + mapred.capacity-scheduler.queue.prod.user-limit-factor = 3") || !strings.Contains(best, "queue.prod.user-limit-factor</name>\n    <value>3</value>") {
		t.Errorf("%s\n%s", o.out, best)
	}
	must(t, "capacity", "explain", "best.xml", "--on", "s.yaml")
	bad := yardmaster("capacity", "search", "old.xml", "--workload", "s.yaml", "--objective", "mean_elapsed", "--over", "user-limit-factor=keep,3", "--subject-to", "mean_wait<0.001", "--seeds", "2", "--out", "no.xml")
	if _, err := os.Stat("no.xml"); bad.code != exitFailed || err == nil || !strings.Contains(bad.err, "no candidate keeps the rules") {
		t.Errorf("%d, %v\n%s", bad.code, err, bad.err)
	}
}

// A history is held against what happened, by backtest and above a what-if.
func TestBacktestCommand(t *testing.T) {
	withSettings(t)
	write(t, "jobs.csv", "name,user,queue,submit,maps,map_lengths,waited,elapsed\na,ann,prod,0,1,10,2,12\nb,bob,dev,5,2,20 20,3,24\n")
	o := must(t, "backtest", "jobs.csv", "--config", "old.xml", "--on", "s.yaml", "--seeds", "2")
	for _, want := range []string{"jobs.csv under old.xml, 2 repetitions", "  all    2     waiting  2.5 s", "               elapsed  18.0 s", "  dev    1", "its elapsed time by"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(must(t, "backtest", "jobs.csv", "--config", "old.xml", "--on", "s.yaml", "--format", "json").out), &rows); err != nil || len(rows) != 3 {
		t.Errorf("%v: %v", err, rows)
	}
	write(t, "h.yaml", "name: h\nseeds: 2\ncluster: {classes: [{nodes: 8, map-slots: 2, reduce-slots: 1}]}\nworkload: {trace: {file: jobs.csv}}\n")
	if c := must(t, "compare", "h.yaml", "--capacity", "old.xml,new.xml"); !strings.HasPrefix(c.out, console.BacktestTitle) {
		t.Errorf("%s", c.out)
	}
	if c := must(t, "compare", "jobs.csv", "--on", "s.yaml", "--capacity", "old.xml,new.xml", "--seeds", "2", "--out", "past"); !strings.HasPrefix(c.out, console.BacktestTitle) || !strings.Contains(c.out, "jobs.csv: old.xml, new.xml over 2 seeds") {
		t.Errorf("%s", c.out)
	}
	must(t, "explain", "past", "b", "--policy", "new.xml")
	yardmaster("compare", "s.yaml", "--on", "s.yaml").want(t, exitRefused, "allowed only with a trace")
	for _, args := range []string{"capacity lint old.xml --workload jobs.csv --on s.yaml --seeds 2", "capacity search old.xml --workload jobs.csv --on s.yaml --objective mean_wait --over user-limit-factor=1,2 --seeds 2"} {
		if c := must(t, strings.Fields(args)...); !strings.HasPrefix(c.out, console.BacktestTitle) {
			t.Errorf("%s\n%s", args, c.out)
		}
	}
	write(t, "plain.csv", "name,user,queue,submit,maps,map_lengths\na,ann,prod,0,1,10\n")
	yardmaster("backtest", "plain.csv", "--config", "old.xml", "--on", "s.yaml").want(t, exitRefused, "does not say what its jobs really took")
	write(t, "other.csv", "name,user,queue,submit,maps,map_lengths,waited,elapsed\na,ann,prod,0,1,10,2,12\nb,bob,sales,5,2,20 20,3,24\n")
	yardmaster("backtest", "other.csv", "--config", "old.xml", "--on", "s.yaml").want(t, exitRefused, `other.csv:3:1: queue: unknown queue; found "sales" of job "b"; allowed: the queues of old.xml: prod, dev`)
}

// A full disk behind a pipe is not overlooked.
func TestCapacityPipe(t *testing.T) {
	withSettings(t)
	for _, args := range []string{"capacity explain old.xml --on s.yaml", "capacity lint old.xml --workload s.yaml --seeds 1", "capacity search old.xml --workload s.yaml --objective mean_wait --over user-limit-factor=1,2 --seeds 1"} {
		var err bytes.Buffer
		if code := run(context.Background(), strings.Fields(args), full{}, &err, false); code != exitFailed || !strings.Contains(err.String(), "no space left") {
			t.Errorf("%s: exit code %d, %s", args, code, err.String())
		}
	}
}
