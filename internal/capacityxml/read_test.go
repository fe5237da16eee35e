// SPDX-License-Identifier: Apache-2.0

package capacityxml

import (
	"fmt"
	"strings"
	"testing"
)

// xmlOf writes properties, one per line from line 2 on: "name=value".
func xmlOf(properties ...string) string {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for _, p := range properties {
		name, value, _ := strings.Cut(p, "=")
		name = strings.Replace(name, "q:", "mapred.capacity-scheduler.queue.", 1)
		name = strings.Replace(name, "g:", "mapred.capacity-scheduler.", 1)
		name = strings.Replace(name, "y:", "yarn.scheduler.capacity.", 1)
		fmt.Fprintf(&b, "<property><name>%s</name><value>%s</value></property>\n", name, value)
	}
	b.WriteString("</configuration>\n")
	return b.String()
}

func mustRead(t *testing.T, properties ...string) *File {
	t.Helper()
	f, err := Read("c.xml", []byte(xmlOf(properties...)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Settings that a file leaves out are the release's defaults; a queue's own setting wins over the
// file's default.
func TestHadoop1(t *testing.T) {
	f := mustRead(t, "q:prod.capacity=70", "q:dev.capacity= 30 ", "q:dev.maximum-capacity=50", "g:default-minimum-user-limit-percent=50",
		"q:dev.minimum-user-limit-percent=25", "q:prod.supports-priority=true", "q:prod.maximum-capacity=0", "g:init-poll-interval=5000")
	want := Config{
		Queues: []Queue{
			{Name: "prod", Capacity: 70, MaximumCapacity: -1, SupportsPriority: true, MinimumUserLimitPercent: 50, UserLimitFactor: 1,
				MaximumInitializedActiveTasks: 200000, MaximumInitializedActiveTasksPerUser: 100000, InitAcceptJobsFactor: 10},
			{Name: "dev", Capacity: 30, MaximumCapacity: 50, MinimumUserLimitPercent: 25, UserLimitFactor: 1,
				MaximumInitializedActiveTasks: 200000, MaximumInitializedActiveTasksPerUser: 100000, InitAcceptJobsFactor: 10},
		},
		MaximumSystemJobs: 5000, InitPollInterval: 5000, InitWorkerThreads: 5, MaximumTasksPerHeartbeat: 32767,
	}
	if got, want := fmt.Sprintf("%+v", f.Config), fmt.Sprintf("%+v", want); got != want || f.Dialect != Hadoop1 || f.Warnings != nil {
		t.Errorf("%s\n%v\nwant\n%s", got, f.Warnings, want)
	}
}

// A YARN file: percentages below each parent become shares of the cluster, weights become percentages.
func TestYARN(t *testing.T) {
	f := mustRead(t, "y:root.queues=prod, dev", "y:root.prod.capacity=60", "y:root.dev.capacity=40", "y:root.dev.queues=a,b",
		"y:root.dev.a.capacity=1w", "y:root.dev.b.capacity=3w", "y:root.dev.maximum-capacity=50", "y:root.dev.b.maximum-capacity=80",
		"y:root.prod.user-limit-factor=-1", "y:minimum-user-limit-percent=33.3")
	got := ""
	for _, q := range f.Config.Queues {
		got += fmt.Sprintf("%s %g max %g user %d%% x%.4g\n", q.Name, q.Capacity, q.MaximumCapacity, q.MinimumUserLimitPercent, q.UserLimitFactor)
	}
	want := "prod 60 max 100 user 33% x1.667\na 10 max 50 user 33% x1\nb 30 max 40 user 33% x1\n"
	if got != want || f.Dialect != YARN {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	wantWarnings(t, f, "c.xml: "+yarnNote,
		"c.xml:5:1: yarn.scheduler.capacity.root.dev.queues: the tree of queues is flattened: limits of root.dev as a whole are not modelled",
		"c.xml:11:1: yarn.scheduler.capacity.minimum-user-limit-percent: taken as 33: fractions of a percent are not modelled")
}

func wantWarnings(t *testing.T, f *File, want ...string) {
	t.Helper()
	got := ""
	if f.Warnings != nil {
		got = f.Warnings.Error()
	}
	if got != strings.Join(want, "\n") {
		t.Errorf("warnings\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// What has no effect is said, with its line and the nearest name that would have one.
func TestWarnings(t *testing.T) {
	q := "mapred.capacity-scheduler.queue."
	wantWarnings(t, mustRead(t, "q:a.capacity=100", "q:a.maximum-capacty=50", "q:a.guaranteed-capacity=3", "g:maximum-system-job=3", "q:a.user-limit-factor=0",
		"mapred.cluster.map.memory.mb=1024", "mapred.capacity-scheduler-init-poll-interval=3"),
		`c.xml:3:1: `+q+`a.maximum-capacty: unknown property, which has no effect; did you mean "`+q+`a.maximum-capacity"?`,
		`c.xml:4:1: `+q+`a.guaranteed-capacity: a setting of another release, which this one does not read`,
		`c.xml:5:1: mapred.capacity-scheduler.maximum-system-job: unknown property, which has no effect; did you mean "mapred.capacity-scheduler.maximum-system-jobs"?`,
		`c.xml:6:1: `+q+`a.user-limit-factor: 0 stops every user of the queue a`,
		`c.xml:7:1: mapred.cluster.map.memory.mb: slots by memory are not modelled: every task takes one slot`,
		`c.xml:8:1: mapred.capacity-scheduler-init-poll-interval: unknown property, which has no effect; did you mean "mapred.capacity-scheduler.init-poll-interval"?`)
	wantWarnings(t, mustRead(t, "mapred.queue.names=a", "q:a.capacity=100", "q:b.capacity=100"),
		`c.xml:4:1: `+q+`b.capacity: queue "b" is not in mapred.queue.names, so this has no effect`)
	y := "yarn.scheduler.capacity."
	wantWarnings(t, mustRead(t, "y:root.queues=prod", "y:root.prod.capacity=100", "y:root.prod.state=RUNNING", "y:root.prd.capacity=3", "y:root.prod.user-limit-facto=3",
		"y:maximum-am-resource-percent=0.2", "y:root.prod.accessible-node-labels.gpu.capacity=50", "y:node-localty-delay=40", "yarn.resourcemanager.x=1"),
		"c.xml: "+yarnNote,
		`c.xml:4:1: `+y+`root.prod.state: not modelled: every queue takes jobs`,
		`c.xml:5:1: `+y+`root.prd.capacity: no queue root.prd is in the list of its parent, so this has no effect; did you mean "`+y+`root.prod.capacity"?`,
		`c.xml:6:1: `+y+`root.prod.user-limit-facto: unknown property, which has no effect; did you mean "`+y+`root.prod.user-limit-factor"?`,
		`c.xml:7:1: `+y+`maximum-am-resource-percent: not modelled: application masters take no room under this policy`,
		`c.xml:8:1: `+y+`root.prod.accessible-node-labels.gpu.capacity: not modelled: nodes have no labels`,
		`c.xml:9:1: `+y+`node-localty-delay: unknown property, which has no effect; did you mean "`+y+`node-locality-delay"?`,
		`c.xml:10:1: yarn.resourcemanager.x: unknown property, which has no effect`)
}

// Everything that is wrong comes at once, with its line.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"all at once": {xmlOf("q:a.capacity=101", "q:a.maximum-capacity=x", "q:b.capacity=30", "q:b.maximum-capacity=20", "q:b.supports-priority=yes",
			"q:c.minimum-user-limit-percent=0", "q:b.capacity=40", "g:maximum-system-jobs=0", "q:b.maximum-initialized-active-tasks=10"), `
c.xml:2:1: mapred.capacity-scheduler.queue.a.capacity: bad value; found "101"; allowed: a percentage from 0 to 100
c.xml:3:1: mapred.capacity-scheduler.queue.a.maximum-capacity: bad value; found "x"; allowed: a percentage up to 100, or -1 for no limit
c.xml:5:1: mapred.capacity-scheduler.queue.b.maximum-capacity: bad value; found 20, below the capacity 30; allowed: at least the capacity, or -1 for no limit
c.xml:6:1: mapred.capacity-scheduler.queue.b.supports-priority: bad value; found "yes"; allowed: true or false
c.xml:7:1: mapred.capacity-scheduler.queue.c.capacity: missing property; allowed: a percentage from 0 to 100 for every queue
c.xml:7:1: mapred.capacity-scheduler.queue.c.minimum-user-limit-percent: bad value; found "0"; allowed: a whole percentage from 1 to 100
c.xml:8:1: mapred.capacity-scheduler.queue.b.capacity: duplicate property; found it on line 4 before; allowed: each property once
c.xml:9:1: mapred.capacity-scheduler.maximum-system-jobs: bad value; found "0"; allowed: a whole number above 0
c.xml:10:1: mapred.capacity-scheduler.queue.b.maximum-initialized-active-tasks: bad value; found 100000 tasks per user, 10 per queue; allowed: at most as many per user as per queue`},
		"sum below":  {xmlOf("q:a.capacity=50", "q:b.capacity=49.99"), "c.xml:3:1: mapred.capacity-scheduler.queue.b.capacity: bad sum of capacities; found 99.99 % over 2 queues; allowed: 100, or less than 1 more"},
		"no queue":   {xmlOf("g:maximum-system-jobs=3"), "c.xml: no queue; allowed: at least one queue with mapred.capacity-scheduler.queue.NAME.capacity"},
		"named only": {xmlOf("mapred.queue.names=a,b,a", "q:a.capacity=100"), "c.xml:2:1: mapred.capacity-scheduler.queue.b.capacity: missing property; allowed: a percentage from 0 to 100 for every queue\nc.xml:2:1: mapred.queue.names: duplicate queue; found \"a\"; allowed: each queue once"},
		"mixed":      {xmlOf("q:a.capacity=100", "y:root.queues=a"), "c.xml:3:1: yarn.scheduler.capacity.root.queues: mixed settings; found settings of YARN beside those of Hadoop 1 (mapred.capacity-scheduler.queue.a.capacity); allowed: one of the two"},
		"yarn": {xmlOf("y:root.queues=a,b,c", "y:root.a.capacity=50", "y:root.b.capacity=[memory=1024]", "y:root.c.capacity=5w", "y:root.a.maximum-capacity=40", "y:user-limit-factor=0"), `
c.xml:4:1: yarn.scheduler.capacity.root.b.capacity: bad value; found "[memory=1024]"; allowed: a percentage from 0 to 100, or a weight such as 2w (absolute resources are not modelled)
c.xml:6:1: yarn.scheduler.capacity.root.a.maximum-capacity: bad value; found 40, below the capacity 50; allowed: at least the capacity
c.xml:7:1: yarn.scheduler.capacity.user-limit-factor: bad value; found "0"; allowed: a number above 0, or -1 for no limit`},
		"yarn sum":                     {xmlOf("y:root.queues=a,b", "y:root.a.capacity=50"), "c.xml:2:1: yarn.scheduler.capacity.root.queues: bad sum of capacities; found 50 % over 2 queues; allowed: 100 below root"},
		"yarn none":                    {xmlOf("y:root.a.capacity=50"), "c.xml: yarn.scheduler.capacity.root.queues: missing property; allowed: names of queues with commas between them"},
		"empty":                        {"", "c.xml:1:1: no settings; found no <configuration>; allowed: a capacity-scheduler.xml"},
		"another encoding":             {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<configuration/>", `c.xml:1:44: another encoding; found "ISO-8859-1"; allowed: a file in UTF-8 that says so, or says nothing`},
		"not closed":                   {"<configuration>\n<property><name>a</name>\n", "c.xml:3:1: malformed XML: unexpected EOF"},
		"wrong end":                    {"<configuration>\n<property>\n</configuration>", "c.xml:3:17: malformed XML: element <property> closed by </configuration>"},
		"a duplicate before the fault": {"<configuration>\n<property><name>a</name><value/></property>\n<property><name>a</name><value/></property><", "c.xml:3:1: a: duplicate property; found it on line 2 before; allowed: each property once\nc.xml:3:45: malformed XML: unexpected EOF"},
		"html":                         {"<html></html>", "c.xml:1:1: wrong element; found <html>; allowed: one <configuration> around all properties"},
		"two roots":                    {xmlOf("q:a.capacity=100") + "<configuration/>", "c.xml:4:1: wrong element; found <configuration>; allowed: one <configuration> around all properties"},
		"text":                         {"<configuration>\nhello</configuration>", "c.xml:1:16: text outside of a property; found \"hello\"; allowed: <property> elements"},
		"no name":                      {"<configuration>\n<property><value>3</value></property>\n<property><name>x</name></property></configuration>", "c.xml:2:1: property without a name; allowed: <name> and <value> in every <property>\nc.xml:3:1: x: property without a value; allowed: <name> and <value> in every <property>"},
		"include":                      {"<configuration>\n<xi:include href='x'/></configuration>", "c.xml:2:1: not supported; found an include; allowed: all settings in one file"},
		"two values":                   {"<configuration>\n<property><name>x</name><value>1</value><value>2</value></property></configuration>", "c.xml:2:41: duplicate value; found \"2\"; allowed: one <value> a property"},
	} {
		_, err := Read("c.xml", []byte(c.src))
		if err == nil || strings.TrimPrefix(c.want, "\n") != err.Error() {
			t.Errorf("%s:\n%v\nwant\n%s", name, err, strings.TrimPrefix(c.want, "\n"))
		}
	}
}

// Sums that the release lets pass.
func TestSums(t *testing.T) {
	mustRead(t, "q:a.capacity=50", "q:b.capacity=50.9")
	mustRead(t, "q:a.capacity=100", "q:b.capacity=0")
	ten := make([]string, 10)
	for i := range ten {
		ten[i] = fmt.Sprintf("q:q%d.capacity=10", i)
	}
	mustRead(t, ten...)
	if _, err := Read("c.xml", []byte(xmlOf("q:a.capacity=33.3", "q:b.capacity=33.3", "q:c.capacity=33.3"))); err == nil {
		t.Error("33.3 three times was accepted")
	}
}
