// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/policies"
)

var rewriteGolden = flag.Bool("rewrite", false, "rewrite testdata/golden.txt; say in the commit which fault was mended")

// goldenWorkload has what policies and duration models look at: queues, users, priorities, goals,
// jobs without input, without reduces and without maps, noise, bytes.
const goldenWorkload = `
workload:
  generate:
    jobs: 40
    arrivals: {process: poisson, interval: 9s}
    classes:
      - {name: tiny, share: 4, queue: prod, users: 3, goal: 120s, input: 300MB, shuffle-ratio: 0.4, output-ratio: 0.3,
         maps: {kind: uniform, low: 1, high: 4}, reduces: {kind: uniform, low: 0, high: 1}, map-length: 12s, noise: {kind: lognormal, cv: 0.4}}
      - {name: large, share: 3, queue: dev, users: 2, priority: low, input: 3GB, shuffle-ratio: 1.2, output-ratio: 1,
         maps: {kind: uniform, low: 8, high: 70}, reduces: {kind: uniform, low: 1, high: 6}, map-length: 20s, reduce-length: 25s, shuffle-tail: 4s,
         noise: {kind: exponential, cv: 0.5}}
      - {name: odd, queue: batch, priority: high, maps: {kind: uniform, low: 0, high: 3}, reduces: {kind: uniform, low: 1, high: 2},
         map-length: 5s, reduce-length: 8s}
`

// goldenScenarios are the worlds in which every policy runs. Each field of engine.Config that opens
// a path of its own through the engine is set in one of them.
var goldenScenarios = []struct{ name, world string }{
	{"replay-slots", `
cluster: {racks: 2, classes: [{nodes: 7, map-slots: 2, reduce-slots: 1}, {name: fast, nodes: 3, map-slots: 3, reduce-slots: 2, speed: 1.5}]}
locality: {rack: 1.1, remote: 1.3}`},
	{"replay-beats", `
cluster: {room: containers, racks: 3, classes: [{nodes: 9, containers: 3}]}
heartbeat: {interval: 300ms, max-maps: 2, max-reduces: 1, max-off-switch: 1}
locality: {rack: 1.1, remote: 1.3}`},
	{"replay-yarn", `
cluster: {room: yarn, racks: 2, classes: [{nodes: 8, memory: 6GiB, vcores: 4}]}
heartbeat: {interval: 1s, max-tasks: 2, on-end: true}`},
	{"network-exact", `
cluster: {room: containers, racks: 3, oversubscription: 6, classes: [{nodes: 9, containers: 3, link: 200Mbps}]}
durations: network`},
	{"network-tick", `
cluster: {racks: 3, oversubscription: 6, classes: [{nodes: 9, map-slots: 2, reduce-slots: 2, link: 200Mbps}]}
durations: network
network: {refresh: 500ms}
shuffle: {source: rack, parallel-copies: 3}`},
	{"network-circuits", `
cluster: {room: containers, racks: 3, oversubscription: 6, classes: [{nodes: 9, containers: 3, link: 200Mbps}]}
durations: network
network: {circuits: {rate: 500Mbps, elephant: 20MB, age: 20s}}
shuffle: {source: rack}`},
	{"resources", `
cluster: {room: yarn, racks: 2, classes: [{nodes: 8, memory: 6GiB, vcores: 4, page-cache: 4GB, disk-streams: [100%, 80%, 70%]}]}
durations: resources
shuffle: {source: map}
tasks: {overlap: false, sort-buffer: 20MB, reduce-buffer: 50MB, merge-cycles: 20}`},
	{"resources-cached", `
cluster: {racks: 2, classes: [{nodes: 8, nodes-per-host: 2, map-slots: 2, reduce-slots: 1, page-cache: 2GB, disk-cv: 0.1}]}
heartbeat: {interval: 500ms}
durations: resources
tasks: {start-cpu: 500ms, sort-buffer: 10MB, merge-factor: 3, reduce-buffer: 50MB, file-cache: true, write-back: true, stream-output: true, output-replication: 2}`},
	{"faults-replay", `
cluster: {racks: 2, classes: [{nodes: 10, map-slots: 2, reduce-slots: 1}]}
` + goldenFaults},
	{"faults-network", `
cluster: {room: containers, racks: 3, oversubscription: 6, classes: [{nodes: 9, containers: 3, link: 200Mbps}]}
durations: network
` + goldenFaults},
	{"faults-resources", `
cluster: {racks: 2, classes: [{nodes: 10, map-slots: 2, reduce-slots: 1}]}
durations: resources
` + goldenFaults},
	{"faults-circuits", `
cluster: {racks: 3, oversubscription: 6, classes: [{nodes: 9, map-slots: 2, reduce-slots: 2, link: 200Mbps}]}
durations: resources
network: {circuits: {rate: 500Mbps, interval: 500ms, elephant: 10MB, planes: 2}}
` + strings.Replace(goldenFaults, "{node: 3, at", "{rack: 1, at", 1)},
	{"masters-replay", `
cluster: {room: yarn, racks: 2, classes: [{nodes: 8, memory: 6GiB, vcores: 4}]}
heartbeat: {interval: 1s, max-tasks: 1, on-end: true}
yarn: {am-share: 0.2, am-share-formula: capacity}`},
	{"masters-tuned", `
cluster: {room: yarn, classes: [{nodes: 3, nodes-per-host: 3, memory: 16GiB, vcores: 12, cores: 12, page-cache: 4GB}]}
heartbeat: {interval: 1s, max-tasks: 1, on-end: true}
durations: resources
tasks: {file-cache: true, write-back: true, stream-output: true}
yarn: {am-share-formula: fair-2.7.5, am-share: 0.25, tuner: marp-auto}`},
}

// goldenSettings make jobs of this workload move between queues, or some of them recur.
var goldenSettings = map[string]string{
	"fbq": "policy.fbq.limits=[150s]", "tags": "policy.tags.limits=[150s]", "sita": "policy.sita.limits=[150s]", "comp": "policy.comp.queues=4",
	"corral": "workload.assign=[{share: 60%, period: 1h}]", "jobpacker": "workload.assign=[{share: 60%, period: 1h}]",
}

const goldenFaults = `
faults:
  stragglers: {share: 20%, slowdown: 4}
  losses: [{node: 3, at: 100s, for: 60s}, {node: 5, at: 150s}]
  mean-uptime: 20min
  mean-repair: 1min
  expiry: 0s
  speculation: {on: true, interval: 5s, after: 10s}
`

// TestGolden pins the bytes of results: a change that means to keep the model's behaviour proves it
// here, and one that mends a fault shows which worlds it moves.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("120 runs")
	}
	golden := filepath.Join(sourceFolder, "testdata", "golden.txt")
	src, err := os.ReadFile(golden)
	if err != nil && !*rewriteGolden {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(src)) {
		if name, hash, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			want[name] = hash
		}
	}
	t.Chdir(t.TempDir())
	got := map[string]string{}
	for _, s := range goldenScenarios {
		write(t, s.name+".yaml", "seed: 7\n"+strings.TrimSpace(s.world)+goldenWorkload)
		names := policies.All.Names()
		if !strings.Contains(s.world, "durations:") {
			names = replayed()
		}
		for _, name := range names {
			got[s.name+" "+name] = goldenRun(t, s.name, name)
		}
	}
	if *rewriteGolden {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			fmt.Fprintf(&b, "%s: %s\n", name, got[name])
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != want[name] {
			t.Errorf("%s: results have changed (-rewrite accepts them)\n got %s\nwant %s", name, got[name], want[name])
		}
	}
}

// goldenRun returns a short hash of each file with results, and the number of jobs that ended.
func goldenRun(t *testing.T, scenario, policy string) string {
	args := []string{"run", scenario + ".yaml", "--policy", policy, "--out", "out", "--check"}
	if setting, ok := goldenSettings[policy]; ok {
		args = append(args, "--set", setting)
	}
	o := yardmaster(args...)
	if o.code != exitDone {
		t.Fatalf("%s under %s: %s", scenario, policy, o.err)
	}
	var summary struct {
		Metrics json.RawMessage `json:"metrics"`
		Queues  json.RawMessage `json:"queues"`
		Classes json.RawMessage `json:"classes"`
	}
	if err := json.Unmarshal([]byte(read(t, "out", "summary.json")), &summary); err != nil {
		t.Fatal(err)
	}
	hash := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12] }
	return fmt.Sprintf("jobs %s series %s figures %s", hash(read(t, "out", "jobs.csv")), hash(read(t, "out", "series.csv")),
		hash(string(summary.Metrics)+string(summary.Queues)+string(summary.Classes)))
}
