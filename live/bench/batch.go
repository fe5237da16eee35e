// SPDX-License-Identifier: Apache-2.0

// Package bench runs batches of jobs on a real cluster and measures them: it submits each job at its time with the user's
// hadoop command, looks at the cluster every second, and waits for the end of all.
package bench

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
)

// Batch is the jobs that are submitted together.
type Batch struct {
	SleepJar    string `yaml:"sleep-jar" doc:"Jar with SleepJob, such as …/hadoop-mapreduce-client-jobclient-3.4.2-tests.jar."`
	ExamplesJar string `yaml:"examples-jar" doc:"Jar with the example programs, such as …/hadoop-mapreduce-examples-3.4.2.jar."`
	Jobs        []Job  `yaml:"jobs" required:"true" doc:"The jobs."`
}

// Job is one job of a batch.
type Job struct {
	Name    string     `yaml:"name" doc:"Its name."`
	User    string     `yaml:"user" doc:"Who submits it (HADOOP_USER_NAME); whoever runs the command if left out."`
	Queue   string     `yaml:"queue" doc:"Its queue."`
	At      model.Time `yaml:"at" min:"0" doc:"When it is submitted, since the beginning of the batch."`
	Program string     `yaml:"program" doc:"sleep, or a program of the examples such as terasort or wordcount."`
	Args    []string   `yaml:"args,omitempty" doc:"Arguments of the program; {run} stands for the number of the run, so that outputs do not collide."`

	Maps    int        `yaml:"maps" min:"0" doc:"Maps of a SleepJob."`
	Reduces int        `yaml:"reduces" min:"0" doc:"Reduces of a SleepJob."`
	Map     model.Time `yaml:"map" min:"0" doc:"Length of each of its maps."`
	Reduce  model.Time `yaml:"reduce" min:"0" doc:"Length of each of its reduces."`
}

// SetDefaults fills what a batch leaves out.
func (j *Job) SetDefaults() {
	*j = Job{Program: "sleep", Maps: 1, Map: model.Second, Reduce: model.Second}
}

// Load reads a batch: a YAML file, or a trace of any format whose jobs become SleepJobs with as many tasks of the mean
// lengths. The jars and the queue are for traces; a job of a trace keeps its queue if no other is given.
func Load(file, sleepJar, queue string) (*Batch, error) {
	if ext := filepath.Ext(file); ext != ".yaml" && ext != ".yml" {
		t, err := scenario.LoadTrace(file, "", false)
		if err != nil {
			return nil, err
		}
		return fromTrace(t.Records, sleepJar, queue), nil
	}
	src, err := scenario.ReadInput(file)
	if err != nil {
		return nil, err
	}
	b := &Batch{}
	node, errs := strict.Parse(file, src)
	if node != nil {
		errs = append(errs, strict.Decode(node, b)...)
	}
	if len(errs) > 0 {
		return nil, &strict.InputError{Err: errs}
	}
	if sleepJar != "" {
		b.SleepJar = sleepJar
	}
	for i := range b.Jobs {
		if queue != "" && b.Jobs[i].Queue == "" {
			b.Jobs[i].Queue = queue
		}
		if b.Jobs[i].Name == "" {
			b.Jobs[i].Name = fmt.Sprintf("job%d", i+1)
		}
	}
	return b, b.check(file)
}

// check refuses jobs that cannot be submitted.
func (b *Batch) check(file string) error {
	if len(b.Jobs) == 0 {
		return &strict.InputError{Err: fmt.Errorf("%s: no jobs; allowed: at least one", file)}
	}
	for i := range b.Jobs {
		jar, field := b.jar(&b.Jobs[i])
		if jar == "" {
			return &strict.InputError{Err: fmt.Errorf("%s: job %s runs %s; allowed: with %s", file, b.Jobs[i].Name, b.Jobs[i].Program, field)}
		}
	}
	return nil
}

// jar is where a job's program is, and the field that says it.
func (b *Batch) jar(j *Job) (path, field string) {
	if j.Program == "sleep" {
		return b.SleepJar, "sleep-jar"
	}
	return b.ExamplesJar, "examples-jar"
}

// fromTrace turns jobs of a trace into SleepJobs.
func fromTrace(records []workload.Record, sleepJar, queue string) *Batch {
	b := &Batch{SleepJar: sleepJar}
	for i := range records {
		r := &records[i]
		j := Job{Name: r.Name, User: r.User, Queue: r.Queue, At: r.Submit, Program: "sleep",
			Maps: max(int(r.Maps), len(r.MapLengths)), Reduces: max(int(r.Reduces), len(r.ReduceLengths), 0), Map: mean(r.MapLengths), Reduce: mean(r.ReduceLengths)}
		if queue != "" {
			j.Queue = queue
		}
		b.Jobs = append(b.Jobs, j)
	}
	return b
}

func mean(list []model.Time) model.Time {
	if len(list) == 0 {
		return model.Second
	}
	sum := model.Time(0)
	for _, d := range list {
		sum += d / model.Time(len(list))
	}
	return sum
}

// args are the arguments of the hadoop command for a job of a run.
func (b *Batch) args(j *Job, tag string, run int) []string {
	jar, _ := b.jar(j)
	args := []string{"jar", jar, j.Program, "-Dmapreduce.job.tags=" + tag}
	if j.Queue != "" {
		args = append(args, "-Dmapreduce.job.queuename="+j.Queue)
	}
	if j.Program != "sleep" {
		args = append(args, "-Dmapreduce.job.name="+j.Name)
		for _, a := range j.Args {
			args = append(args, strings.ReplaceAll(a, "{run}", fmt.Sprint(run)))
		}
		return args
	}
	ms := func(d model.Time) string { return fmt.Sprint(int64(max(d/model.Millisecond, 1))) }
	return append(args, "-m", fmt.Sprint(j.Maps), "-r", fmt.Sprint(j.Reduces), "-mt", ms(j.Map), "-rt", ms(j.Reduce), "-recordt", "100", "-name", j.Name)
}
