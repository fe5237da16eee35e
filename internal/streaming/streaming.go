// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/experiment"
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

// job is a batch of runs to be run on a cluster. What they measure goes into the journal.
type job struct {
	Cluster
	name    string
	task    Task
	inputs  []file // what is shipped beside the task
	batch   experiment.Batch
	journal *experiment.Journal
	log     io.Writer // what the hadoop command says
}

// rounds is how many jobs may be needed until nothing is missing.
const rounds = 4

// all brings the values of all runs into the journal. Nothing is left on the cluster then.
func (j *job) all(ctx context.Context) error {
	runs := make([]int, j.batch.Runs())
	for i := range runs {
		runs[i] = i
	}
	if len(j.missing(runs)) == 0 {
		return nil
	}
	err := j.complete(ctx, runs)
	if err == nil {
		j.clean(ctx)
	}
	return err
}

// missing lists those of the runs that the journal does not hold.
func (j *job) missing(runs []int) []int {
	return slices.DeleteFunc(slices.Clone(runs), func(i int) bool { return j.journal.Values(i) != nil })
}

// folder is where input and results are in the cluster's file system.
func (j *job) folder() string {
	return cmp.Or(j.HadoopFolder, "yardmaster-"+j.journal.Identity()[:16])
}

// clean removes what is on the cluster: everything is in the journal.
func (j *job) clean(ctx context.Context) {
	if _, err := j.hadoop(ctx, "fs", "-rm", "-r", "-skipTrash", j.folder()); err != nil {
		fmt.Fprintln(j.log, err)
	}
}

// some runs those of some runs that the journal does not hold yet, and returns their values in the order of the runs.
func (j *job) some(ctx context.Context, runs []int) ([][]float64, error) {
	if len(j.missing(runs)) > 0 {
		if err := j.complete(ctx, runs); err != nil {
			return nil, err
		}
	}
	values := make([][]float64, len(runs))
	for i, run := range runs {
		values[i] = j.journal.Values(run)
	}
	return values, nil
}

// complete brings the values of runs into the journal.
func (j *job) complete(ctx context.Context, runs []int) error {
	jar, err := j.jar()
	if err != nil {
		return err
	}
	binary, err := j.binary()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "yardmaster-streaming-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	archive := filepath.Join(work, "inputs.zip")
	if err := pack(archive, j.task, j.inputs); err != nil {
		return err
	}
	folder := j.folder()
	// A job that was left behind when this command was killed may have ended some runs since.
	if err := j.collect(ctx, folder+"/out-*"); err != nil {
		return err
	}
	for round := 1; len(j.missing(runs)) > 0; round++ {
		if round > rounds {
			return fmt.Errorf("%d runs are missing after %d jobs; see what the cluster says about them", len(j.missing(runs)), rounds)
		}
		name := fmt.Sprintf("%d", time.Now().UnixNano())
		ended := j.submit(ctx, submission{j.missing(runs), jar, binary, archive, work, folder, name})
		// A job that failed may have ended some runs.
		if err := j.collect(ctx, folder+"/out-"+name); err != nil {
			return errors.Join(ended, err)
		}
		if ended != nil {
			return ended
		}
	}
	return nil
}

// submission is one job.
type submission struct {
	runs                                     []int
	jar, binary, archive, work, folder, name string
}

// submit runs runs in one job and waits for its end.
func (j *job) submit(ctx context.Context, sub submission) error {
	var lines strings.Builder
	for _, i := range sub.runs {
		fmt.Fprintln(&lines, i)
	}
	input := filepath.Join(sub.work, "runs-"+sub.name)
	if err := os.WriteFile(input, []byte(lines.String()), 0o600); err != nil {
		return err
	}
	if _, err := j.hadoop(ctx, "fs", "-mkdir", "-p", sub.folder); err != nil {
		return err
	}
	if _, err := j.hadoop(ctx, "fs", "-put", input, sub.folder+"/runs-"+sub.name); err != nil {
		return err
	}
	args := []string{"jar", sub.jar, "-Dmapreduce.job.name=" + j.name, "-Dmapreduce.job.reduces=0", "-Dmapreduce.input.lineinputformat.linespermap=1",
		"-Dstream.map.input.ignoreKey=true", "-Dmapreduce.map.speculative=false", "-Dmapreduce.task.timeout=0",
		// The results of a task are in their place when it has ended, not when all have.
		"-Dmapreduce.fileoutputcommitter.algorithm.version=2"}
	for _, set := range j.HadoopSet {
		args = append(args, "-D"+set)
	}
	args = append(args, "-files", "file://"+sub.binary+"#yardmaster", "-archives", "file://"+sub.archive+"#inputs",
		"-inputformat", "org.apache.hadoop.mapred.lib.NLineInputFormat", "-input", sub.folder+"/runs-"+sub.name, "-output", sub.folder+"/out-"+sub.name,
		"-mapper", "./yardmaster sweep-task inputs/task.json")
	_, err := j.hadoop(ctx, args...)
	return err
}

// collect takes what tasks have written in the folders of a pattern into the journal.
func (j *job) collect(ctx context.Context, folders string) error {
	out, err := j.hadoop(ctx, "fs", "-cat", folders+"/part-*")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) { // there may be nothing yet, of which hadoop complains
		return err
	}
	return harvest(out, j.batch, func(run int, values []float64) error {
		if j.journal.Values(run) != nil {
			return nil
		}
		return j.journal.Add(run, values)
	})
}

// hadoop calls the hadoop command and returns what it prints.
func (j *job) hadoop(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, j.Hadoop, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(&errs, j.log)
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		text := strings.TrimSpace(errs.String())
		if at := strings.LastIndexByte(text, '\n'); at >= 0 {
			text = text[at+1:]
		}
		err = fmt.Errorf("%s %s: %w: %s", j.Hadoop, strings.Join(args[:2], " "), err, text)
	}
	return out.Bytes(), err
}
