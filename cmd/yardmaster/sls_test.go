// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// slsFolder writes the inputs of a small run: one job of one map and one reduce on one node.
func slsFolder(t *testing.T, queue string) (dir string, args []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"jobs.json": `{"job.id": "j1", "job.start.ms": 500, "job.queue.name": "` + queue + `", "job.user": "ann", "job.tasks": [
			{"container.type": "map", "container.duration.ms": 2000}, {"container.type": "reduce", "container.duration.ms": 3000}]}`,
		"nodes.json": `{"rack": "r1", "nodes": [{"node": "n1", "memory-mb": 4096, "vcores": 4}]}`,
		"capacity-scheduler.xml": `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>q</value></property>
			<property><name>yarn.scheduler.capacity.root.q.capacity</name><value>100</value></property></configuration>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"sls", "--tracetype=SLS", "--tracelocation=" + dir + "/jobs.json", "--nodes=" + dir + "/nodes.json", "--conf=" + dir, "--output-dir=" + dir + "/out"}
}

func TestSLS(t *testing.T) {
	dir, args := slsFolder(t, "q")
	if o := yardmaster(args...); o.code != exitDone || o.out != "" {
		t.Fatal(o.code, o.out, o.err)
	}
	for name, want := range map[string]string{
		"jobruntime.csv": "JobID,real_start_time,real_end_time,simulate_start_time,simulate_end_time,job\napplication_0_0001,500,0,500,",
		"apps.csv":       "j1,q,ann,500,0.500,0.500,",
		"containers.csv": "container_0_0001_01_000003,j1,0,1024,n1,",
	} {
		got, err := os.ReadFile(filepath.Join(dir, "out", name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	src, err := os.ReadFile(filepath.Join(dir, "out", "realtimetrack.json"))
	if err != nil {
		t.Fatal(err)
	}
	var looks []map[string]int
	if err := json.Unmarshal(src, &looks); err != nil || len(looks) < 10 || looks[len(looks)-1]["running.containers"] != 0 || looks[4]["queue.q.allocated.memory"] == 0 {
		t.Errorf("%v\n%s", err, src)
	}
}

func TestSLSRefusesQueue(t *testing.T) {
	_, args := slsFolder(t, "p")
	o := yardmaster(args...)
	if o.code != exitRefused || !strings.Contains(o.err, `jobs.json: job 1, queue: cannot run; found "p"; allowed: a queue that takes applications: root.q`) {
		t.Error(o.code, o.err)
	}
}

// What is refused of the configuration, the nodes and the trace comes at once; a property with its file and line.
func TestSLSRefusesAllAtOnce(t *testing.T) {
	dir, args := slsFolder(t, "q")
	for name, text := range map[string]string{
		"jobs.json":  `[{"am.type": 3}]`,
		"nodes.json": `{"nodes": 3}`,
		"capacity-scheduler.xml": "<configuration>\n<property><name>yarn.scheduler.capacity.root.queues</name><value>q</value></property>\n" +
			"<property><name>yarn.scheduler.capacity.root.q.capacity</name><value>all</value></property>\n" +
			"<property><name>yarn.scheduler.capacity.root.q.state</name><value>IDLE</value></property>\n" +
			"<property><name>yarn.sls.nm.vcores</name><value>-3</value></property>\n</configuration>\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := yardmaster(args...)
	for _, want := range []string{
		`capacity-scheduler.xml:3:1: yarn.scheduler.capacity.root.q.capacity: impossible value; found "all"; allowed: what YARN takes: For input string: "all"`,
		`capacity-scheduler.xml:4:1: yarn.scheduler.capacity.root.q.state: impossible value; found "IDLE"; allowed: what YARN takes: No enum constant`,
		`capacity-scheduler.xml:5:1: yarn.sls.nm.vcores: impossible value; found "-3"`, "nodes.json: ", "jobs.json: job 1: am.type: ",
	} {
		if o.code != exitRefused || strings.Count(o.err, want) != 1 {
			t.Errorf("exit code %d, want once %s in\n%s", o.code, want, o.err)
		}
	}
}

// A simulated run writes its decisions as decide does: a master is activated, then given its container.
func TestRunDecisions(t *testing.T) {
	dir, _ := slsFolder(t, "q")
	write(t, filepath.Join(dir, "s.yaml"), `
cluster: {room: yarn, classes: [{nodes: 3, memory: 4GiB, vcores: 4}]}
workload: {jobs: [{name: j, queue: q, user: ann, maps: 2, reduces: 1, map-length: 5s, reduce-length: 5s}]}
`)
	args := []string{"run", dir + "/s.yaml", "--conf", dir, "--out", dir + "/result", "--decisions", dir + "/decisions"}
	if o := yardmaster(args...); o.code != exitDone {
		t.Fatal(o.err)
	}
	lines := strings.Split(read(t, dir, "decisions"), "\n")
	for i, want := range []string{"1 0 activate queue=root.q user=ann app=1 att=1 prio=0", " allocate node=node", " allocate node=node", " allocate node=node"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %q, want %q", i+1, lines[i], want)
		}
	}
	if n := strings.Count(strings.Join(lines, "\n"), " release "); n != 4 {
		t.Errorf("%d containers have ended, want the master's and three\n%s", n, strings.Join(lines, "\n"))
	}
	yardmaster("run", dir+"/s.yaml", "--out", dir+"/result", "--decisions", dir+"/d2").want(t, exitRefused, "allowed only with --conf")
}
