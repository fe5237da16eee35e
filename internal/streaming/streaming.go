// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
)

// Cluster is the flags that say how Hadoop is called.
type Cluster struct {
	On           string   `enum:"here,hadoop" default:"here" help:"Where runs are run: here, or on a cluster by Hadoop Streaming (hadoop)."`
	Hadoop       string   `default:"hadoop" placeholder:"COMMAND" help:"The hadoop command (--on hadoop)."`
	StreamingJar string   `placeholder:"FILE" help:"hadoop-streaming.jar (--on hadoop); searched for beside the hadoop command if left out."`
	HadoopFolder string   `placeholder:"DIR" help:"Folder in the cluster's file system for input and results, removed at the end (--on hadoop)."`
	HadoopSet    []string `sep:"none" placeholder:"KEY=VALUE" help:"Property of the Hadoop job, such as mapreduce.job.queuename=batch (repeatable; --on hadoop)."`
	Binary       string   `placeholder:"FILE" help:"Static binary of this version for the cluster's machines, if this one does not run there (--on hadoop)."`
}

// Sweep is a sweep to be run on a cluster.
type Sweep struct {
	Cluster
	Task     Task
	Scenario string // file, empty for the built-in one
	Grid     *experiment.Grid
	Journal  *experiment.Journal
	Name     string    // of the job
	Log      io.Writer // what the hadoop command says
}

// rounds is how many jobs may be needed until nothing is missing.
const rounds = 4

// Run runs what the journal does not hold yet, and returns the values of all runs in grid order. Nothing is left on the
// cluster then.
func (s *Sweep) Run(ctx context.Context) ([][]float64, error) {
	all := make([]int, s.Grid.Runs())
	for i := range all {
		all[i] = i
	}
	if len(s.missing(all)) == 0 {
		return s.Grid.All(s.Journal), nil
	}
	values, err := s.Some(ctx, all)
	if err == nil {
		s.Clean(ctx)
	}
	return values, err
}

// missing lists those of the runs that the journal does not hold.
func (s *Sweep) missing(runs []int) []int {
	return slices.DeleteFunc(slices.Clone(runs), func(i int) bool { return s.Journal.Values(i) != nil })
}

// folder is where input and results are in the cluster's file system.
func (s *Sweep) folder() string {
	return cmp.Or(s.HadoopFolder, "yardmaster-"+s.Journal.Identity()[:16])
}

// Clean removes what is on the cluster: everything is in the journal.
func (s *Sweep) Clean(ctx context.Context) {
	if _, err := s.hadoop(ctx, "fs", "-rm", "-r", "-skipTrash", s.folder()); err != nil {
		fmt.Fprintln(s.Log, err)
	}
}

// Some runs those of some runs that the journal does not hold yet, and returns their values in the order of the runs.
func (s *Sweep) Some(ctx context.Context, runs []int) ([][]float64, error) {
	if len(s.missing(runs)) > 0 {
		if err := s.complete(ctx, runs); err != nil {
			return nil, err
		}
	}
	values := make([][]float64, len(runs))
	for i, run := range runs {
		values[i] = s.Journal.Values(run)
	}
	return values, nil
}

// complete brings the values of runs into the journal.
func (s *Sweep) complete(ctx context.Context, runs []int) error {
	s.Task.Queries = queries(s.Grid)
	if s.Scenario != "" {
		s.Task.Scenario = filepath.Base(s.Scenario)
	}
	jar, err := s.jar()
	if err != nil {
		return err
	}
	binary, err := s.binary()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "yardmaster-streaming-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	archive := filepath.Join(work, "inputs.zip")
	if err := s.pack(archive); err != nil {
		return err
	}
	folder := s.folder()
	// A job that was left behind when this command was killed may have ended some runs since.
	if err := s.collect(ctx, folder+"/out-*"); err != nil {
		return err
	}
	for round := 1; len(s.missing(runs)) > 0; round++ {
		if round > rounds {
			return fmt.Errorf("%d runs are missing after %d jobs; see what the cluster says about them", len(s.missing(runs)), rounds)
		}
		name := fmt.Sprintf("%d", time.Now().UnixNano())
		ended := s.submit(ctx, submission{s.missing(runs), jar, binary, archive, work, folder, name})
		// A job that failed may have ended some runs.
		if err := s.collect(ctx, folder+"/out-"+name); err != nil {
			return errors.Join(ended, err)
		}
		if ended != nil {
			return ended
		}
	}
	return nil
}

// jar finds the jar of Hadoop Streaming.
func (s *Sweep) jar() (string, error) {
	if s.StreamingJar != "" {
		return s.StreamingJar, nil
	}
	homes := []string{os.Getenv("HADOOP_HOME"), os.Getenv("HADOOP_MAPRED_HOME")}
	if command, err := exec.LookPath(s.Hadoop); err == nil {
		if real, err := filepath.EvalSymlinks(command); err == nil {
			homes = append(homes, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, home := range homes {
		if home == "" {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(home, "share/hadoop/tools/lib/hadoop-streaming-*.jar")) // the pattern is good
		if len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", &strict.InputError{Err: errors.New("--on hadoop: hadoop-streaming.jar is not where it usually is; allowed: --streaming-jar FILE")}
}

// binary returns what is shipped: a program that needs nothing of the machine that it runs on.
func (s *Sweep) binary() (string, error) {
	file := s.Binary
	if file == "" {
		own, err := os.Executable()
		if err != nil {
			return "", err
		}
		file = own
	}
	f, err := elf.Open(file)
	if err != nil {
		return "", &strict.InputError{Err: fmt.Errorf("--on hadoop: %s is no program for Linux (%w); allowed: --binary FILE", file, err)}
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "", &strict.InputError{Err: fmt.Errorf("--on hadoop: %s needs libraries that the cluster's machines may not have; allowed: --binary FILE, built with CGO_ENABLED=0", file)}
		}
	}
	return filepath.Abs(file)
}

// pack writes the task, the scenario and the files that it reads into an archive.
func (s *Sweep) pack(archive string) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, content []byte) error {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}
	task, err := json.MarshalIndent(s.Task, "", " ")
	if err != nil {
		return err
	}
	if err := add("task.json", task); err != nil {
		return err
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err == nil {
			err = add(f.name, content)
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, b.Bytes(), 0o600)
}

// file is a file to be shipped, and its name there: as beside the scenario.
type file struct{ path, name string }

// files lists the scenario and what it reads, over all points of the grid.
func (s *Sweep) files() ([]file, error) {
	if s.Scenario == "" {
		return nil, nil
	}
	folder := filepath.Dir(s.Scenario)
	paths := []string{s.Scenario}
	for p := range s.Grid.Points() {
		w := &s.Grid.Scenario(p).Workload
		if w.Trace != nil && w.Trace.File != "" {
			paths = append(paths, w.Trace.File)
		}
		for _, name := range []string{w.Classifier, w.Measure} {
			if _, err := os.Stat(filepath.Join(folder, name)); name != "" && err == nil {
				paths = append(paths, filepath.Join(folder, name))
			}
		}
	}
	base, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	var out []file
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			full, err := filepath.Abs(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(base, full)
			if err != nil || !filepath.IsLocal(name) {
				return &strict.InputError{Err: fmt.Errorf("--on hadoop: the scenario reads %s; allowed: files in its folder or below", path)}
			}
			if f := (file{full, filepath.ToSlash(name)}); !slices.Contains(out, f) {
				out = append(out, f)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// submission is one job.
type submission struct {
	runs                                     []int
	jar, binary, archive, work, folder, name string
}

// submit runs runs in one job and waits for its end.
func (s *Sweep) submit(ctx context.Context, sub submission) error {
	var lines strings.Builder
	for _, i := range sub.runs {
		fmt.Fprintln(&lines, i)
	}
	input := filepath.Join(sub.work, "runs-"+sub.name)
	if err := os.WriteFile(input, []byte(lines.String()), 0o600); err != nil {
		return err
	}
	if _, err := s.hadoop(ctx, "fs", "-mkdir", "-p", sub.folder); err != nil {
		return err
	}
	if _, err := s.hadoop(ctx, "fs", "-put", input, sub.folder+"/runs-"+sub.name); err != nil {
		return err
	}
	args := []string{"jar", sub.jar, "-Dmapreduce.job.name=" + s.Name, "-Dmapreduce.job.reduces=0", "-Dmapreduce.input.lineinputformat.linespermap=1",
		"-Dstream.map.input.ignoreKey=true", "-Dmapreduce.map.speculative=false", "-Dmapreduce.task.timeout=0",
		// The results of a task are in their place when it has ended, not when all have.
		"-Dmapreduce.fileoutputcommitter.algorithm.version=2"}
	for _, set := range s.HadoopSet {
		args = append(args, "-D"+set)
	}
	args = append(args, "-files", "file://"+sub.binary+"#yardmaster", "-archives", "file://"+sub.archive+"#inputs",
		"-inputformat", "org.apache.hadoop.mapred.lib.NLineInputFormat", "-input", sub.folder+"/runs-"+sub.name, "-output", sub.folder+"/out-"+sub.name,
		"-mapper", "./yardmaster sweep-task inputs/task.json")
	_, err := s.hadoop(ctx, args...)
	return err
}

// collect takes what tasks have written in the folders of a pattern into the journal.
func (s *Sweep) collect(ctx context.Context, folders string) error {
	out, err := s.hadoop(ctx, "fs", "-cat", folders+"/part-*")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) { // there may be nothing yet, of which hadoop complains
		return err
	}
	return harvest(out, s.Grid, func(run int, values []float64) error {
		if s.Journal.Values(run) != nil {
			return nil
		}
		return s.Journal.Add(run, values)
	})
}

// hadoop calls the hadoop command and returns what it prints.
func (s *Sweep) hadoop(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.Hadoop, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(&errs, s.Log)
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		text := strings.TrimSpace(errs.String())
		if at := strings.LastIndexByte(text, '\n'); at >= 0 {
			text = text[at+1:]
		}
		err = fmt.Errorf("%s %s: %w: %s", s.Hadoop, strings.Join(args[:2], " "), err, text)
	}
	return out.Bytes(), err
}
