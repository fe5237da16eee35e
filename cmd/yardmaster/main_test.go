// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// small runs in milliseconds and has what most tests need: two queues, reduces, noise, locality.
const small = `
name: small
seeds: 3
cluster: {racks: 2, classes: [{nodes: 8, map-slots: 2, reduce-slots: 1}]}
locality: {rack: 1.1, remote: 1.3}
workload:
  generate:
    jobs: 60
    arrivals: {process: poisson, load: 90%}
    classes:
      - {name: tiny, share: 3, queue: prod, users: 3, goal: 60s, maps: {kind: uniform, low: 1, high: 4}, noise: {kind: lognormal, cv: 0.4}}
      - {name: large, queue: dev, priority: low, maps: {kind: uniform, low: 8, high: 30}, reduces: {kind: uniform, low: 1, high: 4},
         shuffle-tail: 2s, noise: {kind: exponential, cv: 0.5}}
policy: fair
policies: [fifo, fair, srpt]
`

// holds fails the test if the check returns an error.
func holds(t *testing.T, check func() error) {
	t.Helper()
	if err := check(); err != nil {
		t.Error(err)
	}
}

// TestMain removes the program that program built.
func TestMain(m *testing.M) {
	code := m.Run()
	if binaryFolder != "" {
		os.RemoveAll(binaryFolder)
	}
	os.Exit(code)
}

var (
	binaryFolder    string
	sourceFolder, _ = os.Getwd() // before a test changes it
)

// program builds yardmaster once, for tests that need a process to kill.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "yardmaster-test-")
	if err != nil {
		return "", err
	}
	binaryFolder = folder
	path := filepath.Join(folder, "yardmaster")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = sourceFolder
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// outcome is what a command left behind.
type outcome struct {
	code     int
	out, err string
}

// yardmaster runs a command in this process, with output that is not a terminal.
func yardmaster(args ...string) outcome {
	var out, err bytes.Buffer
	code := run(context.Background(), args, &out, &err, false)
	return outcome{code, out.String(), err.String()}
}

// must is yardmaster for a command that has to end well.
func must(t *testing.T, args ...string) outcome {
	t.Helper()
	o := yardmaster(args...)
	if o.code != exitDone || o.err != "" {
		t.Fatalf("yardmaster %q: exit code %d\n%s", args, o.code, o.err)
	}
	return o
}

// want checks exit code and error text; an error message stands alone, without a word on stdout.
func (o outcome) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", o.code, code, o.out, o.err)
	}
	for _, text := range texts {
		if !strings.Contains(o.err, text) {
			t.Errorf("stderr lacks %q: %s", text, o.err)
		}
	}
	if code == exitRefused && o.out != "" {
		t.Errorf("a refused input printed to stdout: %s", o.out)
	}
}

// inFolder makes a new working folder with a scenario file and returns its path.
func inFolder(t *testing.T, scenario string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, "s.yaml", scenario)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// tree lists all files below a folder, hidden ones too; an empty folder counts as one.
func tree(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		rel, _ := filepath.Rel(folder, path)
		if !d.IsDir() {
			files = append(files, rel)
		} else if inside, _ := os.ReadDir(path); len(inside) == 0 {
			files = append(files, rel+"/")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

func wantFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := tree(t, folder); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", folder, got, want)
	}
}

// wantSame compares files of two folders byte by byte.
func wantSame(t *testing.T, a, b string, names ...string) {
	t.Helper()
	for _, name := range names {
		if read(t, a, name) != read(t, b, name) {
			t.Errorf("%s differs between %s and %s", name, a, b)
		}
	}
}

// full is a writer on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
