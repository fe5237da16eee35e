// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestMain lets the test be the program that maps run, and the hadoop command.
func TestMain(m *testing.M) {
	sh := &measure.Shell{Ctx: context.Background(), Out: os.Stdout, Err: os.Stderr}
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "sweep-task":
		err = (&Map{Task: os.Args[2]}).Run(sh)
	case os.Getenv("YARD_TEST_HADOOP") != "":
		err = fakeHadoop(os.Getenv("YARD_TEST_HADOOP"), os.Args[1:])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fakeHadoop does what the hadoop command does, with a folder for the cluster's file system. Maps run in any order; one
// in four is lost with what it wrote, and half a line of it is left.
func fakeHadoop(root string, args []string) error {
	at := func(name string) string { return filepath.Join(root, name) }
	switch strings.Join(args[:2], " ") {
	case "fs -mkdir":
		return os.MkdirAll(at(args[3]), 0o755)
	case "fs -put":
		b, err := os.ReadFile(args[2])
		if err != nil {
			return err
		}
		return os.WriteFile(at(args[3]), b, 0o644)
	case "fs -cat":
		files, _ := filepath.Glob(at(args[2]))
		if len(files) == 0 {
			return fmt.Errorf("cat: `%s': No such file or directory", args[2])
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			os.Stdout.Write(b)
		}
		return nil
	case "fs -rm":
		return os.RemoveAll(at(args[4]))
	}
	return fakeJob(root, args)
}

func fakeJob(root string, args []string) error {
	option := func(name string) string { return args[slices.Index(args, name)+1] }
	work, err := os.MkdirTemp(root, "work")
	if err != nil {
		return err
	}
	binary, _ := strings.CutSuffix(strings.TrimPrefix(option("-files"), "file://"), "#yardmaster")
	if err := os.Symlink(binary, filepath.Join(work, "yardmaster")); err != nil {
		return err
	}
	archive, _ := strings.CutSuffix(strings.TrimPrefix(option("-archives"), "file://"), "#inputs")
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(work, "inputs"), z); err != nil {
		return err
	}
	input, err := os.ReadFile(filepath.Join(root, option("-input")))
	if err != nil {
		return err
	}
	out := filepath.Join(root, option("-output"))
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	lines := strings.Fields(string(input))
	rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for i, text := range lines {
		mapper := strings.Fields(option("-mapper"))
		cmd := exec.Command(mapper[0], mapper[1:]...)
		cmd.Dir, cmd.Stdin, cmd.Stderr = work, strings.NewReader(text+"\n"), os.Stderr
		b, err := cmd.Output()
		if err != nil {
			return err
		}
		if i%4 == 3 {
			b = append(b[:len(b)/2], '\n')
		}
		if err := os.WriteFile(filepath.Join(out, fmt.Sprintf("part-%05d", i)), b, 0o644); err != nil {
			return err
		}
		if os.Getenv("YARD_TEST_DIES") != "" && i == 4 {
			return fmt.Errorf("the job was killed")
		}
	}
	return nil
}

const small = `
cluster: {racks: 1, classes: [{nodes: 3, map-slots: 2, reduce-slots: 1}]}
workload:
  trace: {file: jobs/trace.csv}
seeds: 3
`

const trace = `name,submit,map_lengths,reduce_lengths
a,0,5x10,5
b,3,2x4,
c,9,7x6,3
`

type bench struct {
	folder string
	grid   *experiment.Grid
	task   Task
	file   string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "jobs"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := &bench{folder: dir, file: filepath.Join(dir, "small.yaml")}
	for name, text := range map[string]string{b.file: small, filepath.Join(dir, "jobs/trace.csv"): trace} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settings := []strict.Setting{{Path: "seed", Value: "5"}}
	s, _, err := scenario.LoadOrBuiltin(b.file, settings)
	if err != nil {
		t.Fatal(err)
	}
	axes := []experiment.Axis{{Path: "policy", Values: []string{"fifo", "fair"}}, {Path: "reference", Values: []string{"false", "true"}}}
	if b.grid, err = experiment.NewGrid(s, axes, 3); err != nil {
		t.Fatal(err)
	}
	b.task = Task{Settings: settings, Axes: axes, Seeds: 3}
	return b
}

func (b *bench) journal(t *testing.T, name string) *experiment.Journal {
	t.Helper()
	j, err := experiment.OpenJournal(filepath.Join(b.folder, name), b.grid, "v")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func (b *bench) csv(t *testing.T, values [][]float64) string {
	t.Helper()
	var out bytes.Buffer
	if err := b.grid.WriteCSV(&out, values); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func (b *bench) sweep(t *testing.T, j *experiment.Journal) *Sweep {
	t.Helper()
	return &Sweep{Cluster: FakeCluster(t, b.folder), Task: b.task, Scenario: b.file, Grid: b.grid, Journal: j, Log: io.Discard}
}

// FakeCluster returns a cluster whose file system is the folder hdfs of a folder. Its machines have other traces than
// those here: one job that is called theirs.
func FakeCluster(t *testing.T, folder string) Cluster {
	t.Helper()
	root, traces := filepath.Join(folder, "hdfs"), filepath.Join(folder, "theirs")
	for _, dir := range []string{root, traces} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(folder, "hadoop")
	text := fmt.Sprintf("#!/bin/sh\nYARDMASTER_TRACES='%s' YARD_TEST_HADOOP='%s' exec '%s' \"$@\"\n", traces, root, os.Args[0])
	for name, text := range map[string]string{script: text, filepath.Join(traces, "FB-2010_samples_24_times_1hr_0.tsv"): "theirs\t0\t0\t1\t0\t0\n"} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := Cluster{On: "hadoop", Hadoop: script, StreamingJar: "streaming.jar"}
	if _, err := c.binary(); err != nil {
		t.Skip(err) // a race detector is in the way
	}
	return c
}

// TestNamedTraces: the traces that a sweep has by name are shipped, and where there is none here, none of the cluster's is
// read.
func TestNamedTraces(t *testing.T) {
	for name, trace := range map[string]string{"ours": "one\t0\t0\t1000000000\t0\t0\ntwo\t9\t9\t2000000000\t0\t0\n", "none": ""} {
		b := newBench(t)
		text := strings.Replace(small, "trace: {file: jobs/trace.csv}", "trace: {name: FB-2010}\n  else: {jobs: 5, arrivals: {interval: 10s}, classes: [{name: a}]}", 1)
		ours := filepath.Join(b.folder, "ours.d")
		if err := errors.Join(os.WriteFile(b.file, []byte(text), 0o644), os.Mkdir(ours, 0o755)); err != nil {
			t.Fatal(err)
		}
		if trace != "" {
			if err := os.WriteFile(filepath.Join(ours, "FB-2010_samples_24_times_1hr_0.tsv"), []byte(trace), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("YARDMASTER_TRACES", ours)
		s, _, err := scenario.LoadOrBuiltin(b.file, b.task.Settings)
		if err != nil || (s.StandIn() == "") != (trace != "") {
			t.Fatal(s.StandIn(), err)
		}
		b.task.Seeds = 1
		if b.grid, err = experiment.NewGrid(s, b.task.Axes, 1); err != nil {
			t.Fatal(err)
		}
		here, err := experiment.Sweep(t.Context(), b.grid, b.journal(t, "here"), experiment.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		there, err := b.sweep(t, b.journal(t, "there")).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := b.csv(t, there), b.csv(t, here); got != want {
			t.Errorf("%s: on the cluster\n%s\nhere\n%s", name, got, want)
		}
	}
}

// TestSameBytes: a sweep on a cluster that loses some results equals the one here; killed in the middle and resumed, too.
func TestSameBytes(t *testing.T) {
	b := newBench(t)
	values, err := experiment.Sweep(t.Context(), b.grid, b.journal(t, "here"), experiment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := b.csv(t, values)
	if values, err = b.sweep(t, b.journal(t, "there")).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.csv(t, values); got != want {
		t.Errorf("on the cluster\n%s\nhere\n%s", got, want)
	}

	j := b.journal(t, "killed")
	t.Setenv("YARD_TEST_DIES", "1")
	if _, err := b.sweep(t, j).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the job was killed") {
		t.Fatal(err)
	}
	if n := j.Len(); n != 4 {
		t.Errorf("%d runs were kept of the five that ran, one of them lost", n)
	}
	os.Unsetenv("YARD_TEST_DIES")
	if values, err = b.sweep(t, j).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.csv(t, values); got != want {
		t.Errorf("resumed\n%s\nhere\n%s", got, want)
	}
	if left, _ := os.ReadDir(filepath.Join(b.folder, "hdfs")); slices.ContainsFunc(left, func(d os.DirEntry) bool { return strings.HasPrefix(d.Name(), "yardmaster") }) {
		t.Errorf("left in the cluster's file system: %v", left)
	}
}

func TestRefused(t *testing.T) {
	b := newBench(t)
	s := b.sweep(t, b.journal(t, "x"))
	s.StreamingJar = ""
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--streaming-jar FILE") {
		t.Error(err)
	}
	s.StreamingJar, s.Binary = "streaming.jar", b.file
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "is no program for Linux") {
		t.Error(err)
	}
	s.Binary, s.Scenario = "", filepath.Join(b.folder, "other", "elsewhere.yaml")
	if err := os.Mkdir(filepath.Dir(s.Scenario), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Scenario, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "files in its folder or below") {
		t.Error(err)
	}
}
