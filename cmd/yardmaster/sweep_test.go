// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/experiment"
)

// sweepArgs is a grid of 72 runs of some ten milliseconds each.
func sweepArgs(folder string, more ...string) []string {
	return append([]string{"sweep", "s.yaml", "--set", "policy=fifo,fair,srpt", "--set", "cluster.racks=1,2,4",
		"--set", "workload.generate.jobs=800", "--seeds", "8", "--out", folder}, more...)
}

const sweepRuns = 72

// child is a yardmaster in a process of its own, killed at the end of the test.
type child struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
	done     chan error
}

func start(t *testing.T, args ...string) *child {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(path, args...), done: make(chan error, 1)}
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.done <- c.cmd.Wait() }()
	t.Cleanup(func() { c.cmd.Process.Kill() })
	return c
}

// wait waits for the end of the process and returns what it left.
func (c *child) wait(t *testing.T) outcome {
	t.Helper()
	select {
	case <-c.done:
	case <-time.After(30 * time.Second):
		c.cmd.Process.Kill()
		<-c.done
		t.Fatalf("%q hangs", c.cmd.Args)
	}
	return outcome{c.cmd.ProcessState.ExitCode(), c.out.String(), c.err.String()}
}

// untilLines returns when the journal has that many whole lines, or false when the process has ended.
func (c *child) untilLines(t *testing.T, folder string, lines int) bool {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if src, err := os.ReadFile(filepath.Join(folder, experiment.JournalName)); err == nil && bytes.Count(src, []byte("\n")) >= lines {
			return true
		}
		select {
		case err := <-c.done:
			c.done <- err
			return false
		default:
		}
	}
	t.Fatalf("no %d lines in the journal of %s", lines, folder)
	return false
}

// wholeLines returns the journal without a torn last line.
func wholeLines(t *testing.T, folder string) string {
	t.Helper()
	src := read(t, folder, experiment.JournalName)
	return src[:strings.LastIndexByte(src, '\n')+1]
}

func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes")
	}
}

// TestSweepSurvivesKills kills a sweep at ten random moments, tears its journal by hand every other
// time, and lets it end: nothing is lost and nothing is run twice.
func TestSweepSurvivesKills(t *testing.T) {
	skipIfShort(t)
	inFolder(t, small)
	must(t, sweepArgs("whole")...)
	r := rand.New(rand.NewPCG(4, 2))
	before := ""
	for kill := range 10 {
		c := start(t, sweepArgs("killed")...)
		alive := c.untilLines(t, "killed", strings.Count(before, "\n")+1+r.IntN(3))
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond) // a moment within a run
		c.cmd.Process.Kill()
		if c.wait(t); !alive {
			t.Fatalf("the sweep ended before kill %d: make the grid larger\n%s", kill, c.err.String())
		}
		now := wholeLines(t, "killed")
		if !strings.HasPrefix(now, before) {
			t.Fatalf("kill %d: the journal lost lines", kill)
		}
		if before = now; kill%2 == 1 {
			write(t, "killed/"+experiment.JournalName, now+`{"run":70,"values":[1.5,`)
		}
	}
	kept := strings.Count(before, "\n") - 1
	o := start(t, sweepArgs("killed", "-j", "2")...).wait(t)
	o.want(t, exitDone)
	if !strings.Contains(o.out, "kept from before") || kept < 10 || kept >= sweepRuns {
		t.Errorf("%d runs kept:\n%s", kept, o.out)
	}
	if !strings.HasPrefix(wholeLines(t, "killed"), before) {
		t.Error("the last sweep lost lines")
	}
	wantEachRunOnce(t, "killed")
	wantSame(t, "whole", "killed", "sweep.csv", "summary.json")
	wantFiles(t, "killed", "journal.jsonl", "manifest.json", "report.html", "summary.json", "sweep.csv")
}

// wantEachRunOnce reads the journal: a head and every run of the grid exactly once.
func wantEachRunOnce(t *testing.T, folder string) {
	t.Helper()
	times := make([]int, sweepRuns)
	for line := range strings.Lines(strings.SplitAfterN(read(t, folder, experiment.JournalName), "\n", 2)[1]) {
		var l struct{ Run int }
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Run >= sweepRuns {
			t.Fatalf("line %q: %v", line, err)
		}
		times[l.Run]++
	}
	for run, n := range times {
		if n != 1 {
			t.Errorf("run %d is in the journal %d times", run, n)
		}
	}
}

// TestSweepTwice: a second sweep on a folder in use, and one of another grid, are refused.
func TestSweepTwice(t *testing.T) {
	skipIfShort(t)
	inFolder(t, small)
	c := start(t, sweepArgs("out")...)
	if !c.untilLines(t, "out", 2) {
		t.Fatalf("the sweep ended: %s", c.err.String())
	}
	yardmaster(sweepArgs("out")...).want(t, exitFailed, "out is in use by another sweep")
	c.wait(t).want(t, exitDone)
	wantEachRunOnce(t, "out")
	journal := read(t, "out", experiment.JournalName)
	for _, more := range [][]string{{"--set", "seed=1,2"}, {"--seeds", "9"}, {"--seed", "2"}} {
		yardmaster(sweepArgs("out", more...)...).want(t, exitRefused, "out holds a sweep of another grid or version; choose another folder with --out")
	}
	if read(t, "out", experiment.JournalName) != journal {
		t.Error("a refused sweep changed the journal")
	}
	again := must(t, sweepArgs("out")...)
	if !strings.Contains(again.out, "0 runs done now, 72 kept from before") {
		t.Errorf("nothing was left to do:\n%s", again.out)
	}
}

// TestSweepInterrupted presses Ctrl-C: exit code 1, the message says what was kept, and the same
// command goes on.
func TestSweepInterrupted(t *testing.T) {
	skipIfShort(t)
	inFolder(t, small)
	must(t, sweepArgs("whole")...)
	for _, lines := range []int{2, 9, 30} {
		c := start(t, sweepArgs("out")...)
		if !c.untilLines(t, "out", lines) {
			t.Skip("the machine is too fast for this grid")
		}
		c.cmd.Process.Signal(syscall.SIGINT)
		o := c.wait(t)
		holds(t, func() error { return stoppedSweep(o, "out") })
		wantFiles(t, "out", "journal.jsonl")
	}
	must(t, sweepArgs("out")...)
	wantEachRunOnce(t, "out")
	wantSame(t, "whole", "out", "sweep.csv", "summary.json")
}

var keptRuns = regexp.MustCompile(`^yardmaster: stopped; (\d+) of 72 runs are kept in \w+, the same command goes on from there\n$`)

// stoppedSweep checks what an interrupted sweep said and left.
func stoppedSweep(o outcome, folder string) error {
	m := keptRuns.FindStringSubmatch(o.err)
	if o.code != exitFailed || m == nil || o.out != "" {
		return fmt.Errorf("interrupted sweep: exit code %d, stdout %.200q, stderr %.200q", o.code, o.out, o.err)
	}
	src, err := os.ReadFile(folder + "/" + experiment.JournalName)
	if n := bytes.Count(src, []byte("\n")) - 1; err != nil || m[1] != strconv.Itoa(n) {
		return fmt.Errorf("the journal has %d runs, the message says %s (%v)", n, m[1], err)
	}
	return nil
}
