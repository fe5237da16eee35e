// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// terminal opens a pseudo-terminal: the end of the user and the end of the program.
func terminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	t.Cleanup(func() { user.Close() })
	var number, unlocked int32
	for _, call := range []struct {
		request uintptr
		value   *int32
	}{{syscall.TIOCSPTLCK, &unlocked}, {syscall.TIOCGPTN, &number}} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, user.Fd(), call.request, uintptr(unsafe.Pointer(call.value))); e != 0 {
			t.Skipf("no terminal: %v", e)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	t.Cleanup(func() { program.Close() })
	return user, program
}

var runsDone = regexp.MustCompile(`(\d+)/(\d+) runs`)

// interrupted starts the program on a terminal, presses Ctrl-C when it shows that this many runs are
// done, and returns what the terminal showed beside the outcome.
func interrupted(t *testing.T, runs int, args ...string) (o outcome, shown string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	user, tty := terminal(t)
	var out bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, &out, tty
	cmd.Env = append(os.Environ(), "TERM=xterm")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer limit.Stop()
	t.Cleanup(func() { cmd.Process.Kill() })
	tty.Close()
	pressed, all, buffer := false, "", make([]byte, 4096)
	for {
		n, err := user.Read(buffer) // fails when the last process has closed the terminal
		if all += string(buffer[:n]); err != nil {
			break
		}
		for _, m := range runsDone.FindAllStringSubmatch(all, -1) {
			if done, _ := strconv.Atoi(m[1]); done >= runs && !pressed {
				pressed = true
				user.Write([]byte{3}) // Ctrl-C
			}
		}
	}
	cmd.Wait()
	if !pressed {
		t.Fatalf("%q ended before it could be interrupted: %q", args, all)
	}
	last := all[strings.LastIndexAny(all, "\r\x1b")+1:]
	if i := strings.LastIndex(all, "yardmaster: "); i >= 0 {
		last = strings.ReplaceAll(all[i:], "\r\n", "\n")
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), last}, all
}

var keptSeeds = regexp.MustCompile(`^yardmaster: stopped; kept (\d+) of 200 seeds in out\n`)

// TestCompareInterrupted presses Ctrl-C in a comparison of 200 seeds: those that are done are kept
// and make a folder like that of a comparison of that many seeds.
func TestCompareInterrupted(t *testing.T) {
	skipIfShort(t)
	for _, runs := range []int{9, 17, 30} {
		t.Run(fmt.Sprint(runs), func(t *testing.T) {
			inFolder(t, small)
			o, shown := interrupted(t, runs, "compare", "--seeds", "200", "--out", "out", "--set", "workload.generate.jobs=150")
			if !strings.Contains(shown, "/800 runs  ") || !strings.Contains(shown, "\r\x1b[K") { // 200 seeds, 4 policies
				t.Errorf("progress: %q", shown)
			}
			holds(t, func() error {
				m := keptSeeds.FindStringSubmatch(o.err)
				if o.code != exitFailed || m == nil {
					return fmt.Errorf("exit code %d, stderr %.300q", o.code, o.err)
				}
				must(t, "compare", "--seeds", m[1], "--out", "same", "--set", "workload.generate.jobs=150")
				wantSame(t, "out", "same", "summary.json", "fifo/jobs.csv", "srpt/jobs.csv")
				wantFiles(t, "out", tree(t, "same")...)
				if n := len(readManifest(t, "out").Seeds); m[1] != strconv.Itoa(n) {
					return fmt.Errorf("the manifest has %d seeds, the message says %s", n, m[1])
				}
				return nil
			})
			if entries, _ := os.ReadDir("."); len(entries) > 3 { // s.yaml, out, same
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

// TestRunInterrupted presses Ctrl-C in a run: nothing is kept and nothing is left behind.
func TestRunInterrupted(t *testing.T) {
	skipIfShort(t)
	inFolder(t, small)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd := exec.Command(path, "run", "--out", "out", "--set", "workload.generate.jobs=100000", "--set", "reference=false")
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer limit.Stop()
	time.Sleep(300 * time.Millisecond) // the run takes minutes
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	wantFiles(t, ".", "s.yaml")
	holds(t, func() error {
		if code := cmd.ProcessState.ExitCode(); code != exitFailed || errOut.String() != "yardmaster: stopped\n" {
			return fmt.Errorf("exit code %d, stderr %.200q", code, errOut.String())
		}
		return nil
	})
}
