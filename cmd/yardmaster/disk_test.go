// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestUnwritableFolder puts the result folder where no folder can be.
func TestUnwritableFolder(t *testing.T) {
	dir := inFolder(t, small)
	write(t, "file", "")
	places := []string{"file/out", "/proc/yardmaster/out"}
	if os.Geteuid() != 0 {
		if err := os.Mkdir("locked", 0o555); err != nil {
			t.Fatal(err)
		}
		places = append(places, "locked/out")
	}
	for _, place := range places {
		for _, command := range []string{"run", "compare", "sweep"} {
			args := []string{command, "s.yaml", "--out", place}
			if command == "sweep" {
				args = append(args, "--set", "seed=1,2", "--seeds", "1")
			}
			o := yardmaster(args...)
			o.want(t, exitFailed, "folder: ", filepath.Dir(place))
		}
	}
	wantFiles(t, dir, append([]string{"s.yaml", "file"}, dirsIfAny("locked")...)...)
}

func dirsIfAny(name string) []string {
	if _, err := os.Stat(name); err != nil {
		return nil
	}
	return []string{name + "/"}
}

// smallDisk mounts a file system of the given size, or skips the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})
	return disk
}

// TestFullDisk: a run that finds no space fails, says so, and leaves nothing half written.
func TestFullDisk(t *testing.T) {
	inFolder(t, small)
	for _, size := range []string{"4k", "16k", "64k"} { // the report alone is larger
		disk := smallDisk(t, size)
		for _, command := range []string{"run", "compare"} {
			yardmaster(command, "s.yaml", "--out", filepath.Join(disk, "out")).want(t, exitFailed, "writing results: ", "no space left on device")
			wantFiles(t, disk)
		}
	}
}

// TestFullDiskKeepsOldResults: the results of an earlier run survive a later one that fails.
func TestFullDiskKeepsOldResults(t *testing.T) {
	inFolder(t, small)
	disk := smallDisk(t, "600k")
	must(t, "run", "s.yaml", "--out", filepath.Join(disk, "out"))
	before := read(t, disk, "out/manifest.json")
	o := yardmaster("run", "--out", filepath.Join(disk, "out")) // the built-in scenario needs more
	o.want(t, exitFailed, "no space left on device")
	wantFiles(t, disk, prefixed("out/", runFiles)...)
	if read(t, disk, "out/manifest.json") != before {
		t.Error("the old results changed")
	}
}

// TestFullDiskSweep: what fits is in the journal, and the sweep goes on when there is space again.
func TestFullDiskSweep(t *testing.T) {
	inFolder(t, small)
	disk := smallDisk(t, "16k")
	args := []string{"sweep", "s.yaml", "--set", "cluster.racks=1,2,3,4", "--seeds", "20"}
	yardmaster(append(args, "-j", "1", "--out", filepath.Join(disk, "out"))...).want(t, exitFailed, "no space left on device")
	must(t, append(args, "--out", "whole")...)
	if err := os.CopyFS("moved", os.DirFS(filepath.Join(disk, "out"))); err != nil {
		t.Fatal(err)
	}
	o := must(t, append(args, "--out", "moved")...)
	if strings.Contains(o.out, " 0 kept from before") {
		t.Errorf("nothing was kept:\n%s", o.out)
	}
	wantSame(t, "whole", "moved", "sweep.csv", "summary.json")
}

// TestFullOutput: output that cannot be printed is a failure.
func TestFullOutput(t *testing.T) {
	inFolder(t, small)
	var errOut bytes.Buffer
	if code := run(context.Background(), []string{"run", "s.yaml", "--format", "json"}, full{}, &errOut, false); code != exitFailed {
		t.Errorf("run --format json: exit code %d, want 1", code)
	}
	if !strings.Contains(errOut.String(), "no space left on device") {
		t.Errorf("message: %s", errOut.String())
	}
}
