// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Numbers that no machine and no job has are refused at their field, before anything runs.
func TestImpossibleNumbers(t *testing.T) {
	inFolder(t, small)
	for _, c := range []struct{ set, found string }{
		{"workload.cost.noise.cv=1e300", "cv"},
		{"cluster.classes[0].speed=1e-300", "speed"},
		{"cluster.classes[0].clock=1Hz", "clock"},
		{"cluster.classes[0].cores=1e-300", "cores"},
		{"faults.speculation.interval=1ns", "interval"},
		{"faults.stragglers.slowdown=1e300", "slowdown"},
		{"faults.stragglers.cv=1e300", "cv"},
	} {
		part(t, c.set, func() error {
			o := yardmaster("run", "s.yaml", "--set", c.set)
			if o.code != exitRefused || !strings.Contains(o.err, c.found+": out of bounds") {
				return fmt.Errorf("exit code %d: %.300s", o.code, o.err)
			}
			return nil
		})
	}
	for _, factor := range []string{"NaN", "Inf", "-1", "0"} {
		if o := yardmaster("workload", "scale", "s.yaml", "--factor", factor, "--out", "x.csv"); o.code != exitRefused || !strings.Contains(o.err, "--factor") {
			t.Errorf("--factor %s: exit code %d: %.300s", factor, o.code, o.err)
		}
	}
}

// Jobs with as many bytes as fit into a number have too many tasks, or tasks that take too long.
func TestEnormousJobs(t *testing.T) {
	inFolder(t, small)
	const most = "9223372036854775807"
	for text, want := range map[string]string{
		"j\t0\t0\t" + most + "\t" + most + "\t" + most + "\n": "allowed: 0 to 10 million tasks",
		"j\t0\t0\t1\t" + most + "\t0\n":                       "allowed: at most a year",
		"j\t0\t0\t1\t1\t" + most + "\n":                       "allowed: at most a year",
	} {
		write(t, "big.tsv", text)
		write(t, "big.yaml", "cluster: {racks: 1, classes: [{nodes: 10, map-slots: 4, reduce-slots: 2}]}\nworkload: {trace: {file: big.tsv}}\n")
		yardmaster("run", "big.yaml").want(t, exitRefused, want)
	}
}

// An empty argument is what an unset variable of a shell leaves: it does not mean the default.
func TestEmptyArguments(t *testing.T) {
	inFolder(t, small)
	for _, args := range [][]string{{"run", "s.yaml", "--policy", ""}, {"run", "s.yaml", "--policy="}, {"run", "s.yaml", "--out", ""}, {"run", ""}} {
		if o := yardmaster(args...); o.code != exitRefused || !strings.Contains(o.err, "empty") {
			t.Errorf("%q: exit code %d: %.300s", args, o.code, o.err)
		}
	}
}

// Answers that cannot be written are no fault of the input.
func TestFlowsToAFullDisk(t *testing.T) {
	inFolder(t, small)
	if err := os.WriteFile("f.txt", []byte("topology 1 2 10 10 10 10\nflow 0 0 1 100 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	if code := run(t.Context(), []string{"flows", "f.txt"}, full{}, &errOut, false); code != exitFailed {
		t.Errorf("exit code %d, want %d: %s", code, exitFailed, errOut.String())
	}
}

// A device without end is refused with its name, in bounded memory.
func TestEndlessInput(t *testing.T) {
	skipIfShort(t)
	inFolder(t, small)
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	if o := yardmaster("run", "/dev/zero"); o.code != exitRefused || !strings.Contains(o.err, "/dev/zero: more than") {
		t.Errorf("exit code %d: %.300s", o.code, o.err)
	}
}

// A signal while input is read ends the program.
func TestInterruptedWhileReading(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(path, "run", pipe)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the program has opened its end
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd.Process.Signal(os.Interrupt)
	limit := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer limit.Stop()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(errOut.String(), "stopped") {
		t.Errorf("exit code %d, %q", code, errOut.String())
	}
}

// A paper's pages leave those of another paper and the user's own files alone.
func TestReproduceKeepsOtherPapers(t *testing.T) {
	skipIfShort(t)
	inFolder(t, small)
	must(t, "reproduce", "queueing/mm1", "--quick", "--out", "pages", "-q")
	for _, file := range []string{"pages/notes.txt", "pages/queueing/notes.txt", "pages/other/report.html"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "reproduce", "queueing/mm1", "--quick", "--out", "pages", "-q")
	wantFiles(t, "pages", "notes.txt", "other/report.html", "queueing/findings.json", "queueing/manifest.json", "queueing/notes.txt", "queueing/report.html")
}
