// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// part is holds for one of several checks of a test.
func part(t *testing.T, name string, check func() error) {
	t.Helper()
	t.Run(name, func(t *testing.T) { holds(t, check) })
}

// refused returns an error unless the command is refused as bad input.
func refused(args ...string) error {
	if o := yardmaster(args...); o.code != exitRefused {
		return fmt.Errorf("yardmaster %q: exit code %d, want 2: %.200s", args, o.code, o.err)
	}
	return nil
}

// done returns an error unless the command ends well.
func done(args ...string) error {
	if o := yardmaster(args...); o.code != exitDone {
		return fmt.Errorf("yardmaster %q: exit code %d, want 0: %.200s", args, o.code, o.err)
	}
	return nil
}

// TestMapOnlyCluster runs jobs without reduces on a cluster without reduce slots.
func TestMapOnlyCluster(t *testing.T) {
	inFolder(t, "{cluster: {classes: [{nodes: 4, map-slots: 2}]}, workload: {jobs: [{name: a, maps: 3}]}}")
	part(t, "run", func() error { return done("run", "s.yaml") })
	part(t, "compare", func() error { return done("compare", "s.yaml", "--seeds", "2") })
}

// TestNegativeWorkers must not hang.
func TestNegativeWorkers(t *testing.T) {
	skipIfShort(t)
	inFolder(t, small)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, "run", "s.yaml", "--jobs=-1")
		cmd.Run()
		if cmd.ProcessState.ExitCode() != exitRefused {
			return fmt.Errorf("--jobs=-1: %v, want exit code 2 (a run takes milliseconds; it was killed after 3 s)", cmd.ProcessState)
		}
		return nil
	})
}

// TestNoPanic gives scenarios that must not crash; each runs in a process of its own.
func TestNoPanic(t *testing.T) {
	skipIfShort(t)
	for name, set := range map[string]string{
		"policy without name": "policy={as: x}",
		"sum beyond int64":    "workload.generate.classes[0].map-length={kind: exponential, mean: 100000d}",
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, small)
			o := start(t, "run", "s.yaml", "--set", set).wait(t)
			holds(t, func() error {
				if o.code != exitRefused || strings.Contains(o.err, "goroutine") {
					return fmt.Errorf("--set %s: exit code %d, stderr %.200q", set, o.code, o.err)
				}
				return nil
			})
		})
	}
}

// TestReproduceEmptyExperiment: a paper with a slash and no experiment is not a request for all.
func TestReproduceEmptyExperiment(t *testing.T) {
	holds(t, func() error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // a refusal comes before anything runs
		var out, errOut bytes.Buffer
		if code := run(ctx, []string{"reproduce", "queueing/"}, &out, &errOut, false); code != exitRefused {
			return fmt.Errorf("reproduce queueing/: exit code %d, %.200s", code, errOut.String())
		}
		return nil
	})
}

// TestRefusedFlags gives values that mean nothing, which must not be accepted in silence.
func TestRefusedFlags(t *testing.T) {
	for name, args := range map[string][]string{
		"seeds of sweep": {"sweep", "s.yaml", "--set", "cluster.racks=1,2", "--seeds=-2"},
		"axis twice":     {"sweep", "s.yaml", "--set", "cluster.racks=1,2", "--set", "cluster.racks=2,3"},
		"no policy":      {"compare", "s.yaml", "--policies", ""},
		"empty policy":   {"compare", "s.yaml", "--policies", "fifo,,fair"},
		"rule NaN":       {"compare", "s.yaml", "--fail-if", "mean_wait>NaN"},
		"no slowdown":    {"compare", "s.yaml", "--set", "reference=false", "--fail-if", "mean_slowdown>0.5"},
		"name with ..":   {"run", "s.yaml", "--set", "name=../evil"},
		"name with /":    {"run", "s.yaml", "--set", "name=a/b"},
		"empty name":     {"run", "s.yaml", "--set", `name=""`},
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, small)
			holds(t, func() error { return refused(args...) })
		})
	}
}

// TestPolicyFlagKeepsSettings: --policy must not throw away a parameter that --set gave.
func TestPolicyFlagKeepsSettings(t *testing.T) {
	inFolder(t, strings.Replace(small, "policy: fair", "policy: delay", 1))
	must(t, "run", "s.yaml", "--set", "policy.delay.node-skips=7", "--out", "without")
	if !strings.Contains(string(readManifest(t, "without").Scenario), `"node-skips": 7`) {
		t.Error("--set policy.delay.node-skips=7 has no effect")
	}
	holds(t, func() error {
		o := yardmaster("run", "s.yaml", "--policy", "delay", "--set", "policy.delay.node-skips=7", "--out", "with")
		if o.code == exitDone && !strings.Contains(string(readManifest(t, "with").Scenario), `"node-skips": 7`) {
			return fmt.Errorf("--policy delay --set policy.delay.node-skips=7: the setting is dropped in silence")
		}
		return nil
	})
}

// TestHelpExampleOnBuiltin: the help of run shows --set policy.delay.node-skips=20.
func TestHelpExampleOnBuiltin(t *testing.T) {
	inFolder(t, small)
	part(t, "set", func() error {
		return done("run", "--set", "workload.generate.jobs=5", "--set", "cluster.racks=10", "--set", "policy.delay.node-skips=20")
	})
	part(t, "policy and set", func() error {
		return done("run", "--set", "workload.generate.jobs=5", "--policy", "delay", "--set", "policy.delay.node-skips=20")
	})
}

// TestLabelsAsFolders: a label becomes a folder, so it must be fit for one.
func TestLabelsAsFolders(t *testing.T) {
	for _, label := range []string{"fair/job", "summary.json", "..", `a\b`, ""} {
		t.Run(label, func(t *testing.T) {
			inFolder(t, small)
			holds(t, func() error {
				return refused("compare", "s.yaml", "--set", fmt.Sprintf("policies=[{fair: {}, as: %q}, fifo]", label))
			})
		})
	}
	inFolder(t, small)
	must(t, "compare", "s.yaml", "--seeds", "2", "--set", "policies=[{fair: {}, as: fair by job}, fifo]", "--out", "out")
	must(t, "explain", "out", "1", "--policy", "fair by job", "--no-what-if")
}

// TestSweepKeepsForeignFolder: sweep must not mix its files with those of a run.
func TestSweepKeepsForeignFolder(t *testing.T) {
	inFolder(t, small)
	must(t, "run", "s.yaml", "--out", "out")
	before := read(t, "out/summary.json")
	holds(t, func() error {
		yardmaster("sweep", "s.yaml", "--set", "cluster.racks=1,2", "--seeds", "1", "--out", "out")
		if read(t, "out/summary.json") != before {
			return fmt.Errorf("sweep wrote over summary.json and manifest.json of a run: %q", tree(t, "out"))
		}
		return nil
	})
}

// TestRunKeepsSweep: run must not delete the journal of a sweep.
func TestRunKeepsSweep(t *testing.T) {
	inFolder(t, small)
	must(t, "sweep", "s.yaml", "--set", "cluster.racks=1,2", "--seeds", "1", "--out", "out")
	holds(t, func() error {
		yardmaster("run", "s.yaml", "--out", "out")
		if _, err := os.Stat("out/journal.jsonl"); err != nil {
			return fmt.Errorf("run replaced the folder of a sweep with its journal: %w", err)
		}
		return nil
	})
}

// TestFullOutputTable: a table that cannot be printed is a failure too.
func TestFullOutputTable(t *testing.T) {
	inFolder(t, small)
	for _, args := range []string{"run s.yaml", "compare s.yaml", "policies", "policies fair"} {
		part(t, args, func() error {
			var errOut bytes.Buffer
			if code := run(context.Background(), strings.Fields(args), full{}, &errOut, false); code != exitFailed {
				return fmt.Errorf("%s > /dev/full: exit code %d, want 1", args, code)
			}
			return nil
		})
	}
}

// TestWarmupOfAllJobs: a warm-up that leaves no job is a fault of the scenario, with its line.
func TestWarmupOfAllJobs(t *testing.T) {
	inFolder(t, "warmup: 60\n"+small)
	holds(t, func() error {
		if o := yardmaster("run", "s.yaml"); o.code != exitRefused || !strings.Contains(o.err, "s.yaml:1:9: warmup") {
			return fmt.Errorf("warmup of all jobs: %.200s", o.err)
		}
		return nil
	})
}

// One job is a job.
func TestOneOfEach(t *testing.T) {
	inFolder(t, "reference: false\nhdfs: {replication: 1}\ncluster: {classes: [{nodes: 1, map-slots: 1}]}\nworkload: {jobs: [{name: j, maps: 1, map-length: 1s}]}\n")
	yardmaster("run", "s.yaml").want(t, exitDone, "")
	if o := yardmaster("run", "s.yaml", "--out", "again"); !strings.Contains(o.out, "seed 1: 1 job, 1 task\n") {
		t.Errorf("%s", o.out)
	}
	if o := yardmaster("compare", "s.yaml", "--policies", "fifo,fair", "--seeds", "1"); !strings.Contains(o.out, " over 1 seed; ") {
		t.Errorf("%s", o.out)
	}
}
