// SPDX-License-Identifier: Apache-2.0

package tracetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	target = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)
	pace   = regexp.MustCompile(`elapsed: \d+s, execs: (\d+)`)
)

// least is how many executions a target must reach in a second of processor time: below it fuzzing finds nothing in the
// time that anybody gives it.
const least = 1000

// TestFuzzing fuzzes every target of the module for the time that $YARDMASTER_FUZZ says, and fails for those that crash or
// are slow.
func TestFuzzing(t *testing.T) {
	span := os.Getenv("YARDMASTER_FUZZ")
	if span == "" {
		t.Skip("skipped: set YARDMASTER_FUZZ=60s (make fuzz); it takes as long for each target")
	}
	targets := fuzzTargets(t, "../..")
	if len(targets) < 10 {
		t.Fatalf("found %d targets", len(targets))
	}
	for _, at := range targets {
		t.Run(at[0]+"/"+at[1], func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "fuzz.test")
			build := exec.Command("go", "test", "-c", "-fuzz", at[1], "-o", program, "./"+at[0])
			build.Dir = "../.."
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			run := exec.Command(program, "-test.run", "^$", "-test.fuzz", "^"+at[1]+"$", "-test.fuzztime", span, "-test.fuzzminimizetime", "100x", "-test.fuzzcachedir", dir)
			run.Dir = filepath.Join("../..", at[0])
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			spent := run.ProcessState.UserTime() + run.ProcessState.SystemTime()
			if n := int(float64(executions(t, string(out))) / spent.Seconds()); n < least {
				t.Errorf("%d executions in a second of processor time, at least %d are wanted: make its seeds shorter or its work less\n%s", n, least, out)
			} else {
				t.Logf("%d executions in a second of processor time", n)
			}
		})
	}
}

// executions returns how many a run of fuzzing had made when it last said so.
func executions(t *testing.T, out string) int {
	all := pace.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		t.Fatalf("no pace in\n%s", out)
	}
	n, _ := strconv.Atoi(all[len(all)-1][1])
	return n
}

// fuzzTargets returns folder and name of every target below a folder.
func fuzzTargets(t *testing.T, root string) (list [][2]string) {
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		for _, m := range target.FindAllStringSubmatch(string(src), -1) {
			list = append(list, [2]string{filepath.ToSlash(folder), m[1]})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestExecutions(t *testing.T) {
	out := "fuzz: elapsed: 3s, execs: 10 (3/sec), new interesting: 0 (total: 4)\nfuzz: elapsed: 11s, execs: 220 (0/sec), new interesting: 0 (total: 4)\nPASS\n"
	if got := executions(t, out); got != 220 {
		t.Errorf("%d", got)
	}
}
