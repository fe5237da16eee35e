// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// settings of the machine under which results must be the same bytes: processors and workers.
var machines = []struct{ procs, workers int }{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {2, 2}, {2, 7}}

// onMachines calls f for each of machines with the name of a folder of its own.
func onMachines(t *testing.T, f func(folder string, workers string)) (folders []string) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i, m := range machines {
		runtime.GOMAXPROCS(m.procs)
		folder := fmt.Sprintf("machine%d", i)
		f(folder, fmt.Sprint(m.workers))
		folders = append(folders, folder)
	}
	return folders
}

// TestRunIsDeterministic runs every policy of the registry under several room models.
func TestRunIsDeterministic(t *testing.T) {
	for _, name := range replayed() {
		for room, set := range map[string]string{
			"slots": "seed=1", "heartbeats": "heartbeat={interval: 300ms, max-tasks: 1}",
			"yarn": "cluster={room: yarn, racks: 2, classes: [{nodes: 8, memory: 3GiB, vcores: 2}]}",
		} {
			if testing.Short() && room != "slots" {
				continue
			}
			t.Run(name+"/"+room, func(t *testing.T) {
				inFolder(t, small)
				folders := onMachines(t, func(folder, workers string) {
					must(t, "run", "s.yaml", "--policy", name, "-j", workers, "--set", set, "--out", folder)
				})
				for _, f := range folders[1:] {
					wantSame(t, folders[0], f, "jobs.csv", "summary.json", "series.csv")
				}
			})
		}
	}
}

// TestCompareIsDeterministic compares all policies at once.
func TestCompareIsDeterministic(t *testing.T) {
	inFolder(t, small)
	names := replayed()
	folders := onMachines(t, func(folder, workers string) {
		must(t, "compare", "s.yaml", "--policies", strings.Join(names, ","), "--seeds", "5", "-j", workers, "--out", folder)
	})
	for _, f := range folders[1:] {
		wantSame(t, folders[0], f, "summary.json")
		for _, name := range names {
			wantSame(t, filepath.Join(folders[0], name), filepath.Join(f, name), "jobs.csv", "summary.json", "series.csv")
		}
	}
}

// TestCommonRandomNumbers: a job has the same submission and size under every policy, since local
// and remote maps take the same time here.
func TestCommonRandomNumbers(t *testing.T) {
	inFolder(t, small)
	must(t, "compare", "s.yaml", "--set", "locality={rack: 1, remote: 1}", "--policies", strings.Join(replayed(), ","))
	first := rows(t, "results/small-compare/fifo/jobs.csv")
	for _, name := range replayed() {
		for i, row := range rows(t, "results/small-compare/"+name+"/jobs.csv") {
			for _, column := range []string{"id", "name", "submit", "maps", "reduces", "reference"} {
				if row[column] != first[i][column] {
					t.Errorf("%s, job %s: %s is %s, under fifo %s", name, row["id"], column, row[column], first[i][column])
				}
			}
			if row["reduces"] == "0" && row["size"] != first[i]["size"] { // a reduce's size has its wait for maps in it
				t.Errorf("%s, job %s: size %s, under fifo %s", name, row["id"], row["size"], first[i]["size"])
			}
		}
	}
}

// TestSweepIsDeterministic: the order of the rows does not depend on who finishes first.
func TestSweepIsDeterministic(t *testing.T) {
	inFolder(t, small)
	folders := onMachines(t, func(folder, workers string) {
		must(t, "sweep", "s.yaml", "--set", "policy=fifo,srpt", "--set", "workload.generate.jobs=200,2,20", "-j", workers, "--out", folder)
	})
	for _, f := range folders[1:] {
		wantSame(t, folders[0], f, "sweep.csv", "summary.json")
	}
}

// replayed are the policies that run with durations: replay.
func replayed() (names []string) {
	for i := range policies.All {
		if !policies.All[i].Needs.Has(policy.LinkLoads) {
			names = append(names, policies.All[i].Name)
		}
	}
	return names
}
