// SPDX-License-Identifier: Apache-2.0

// Package slssynth reads the synthetic traces of Hadoop's Scheduler Load Simulator (trace type SYNTH): one JSON object that
// describes workloads by distributions, in the form with samples or the older one with averages and deviations.
//
// The jobs are those that SLS itself makes of the description: the generators, the order of draws and the order
// of jobs submitted in the same second are its own. What a job's record takes:
//
//   - The name is that of its class and a number, CLASS_000000, as in SLS; the class is that of the description.
//   - Submit counts from the first job's submission, which SLS takes for the start of its run.
//   - A task's length is its time, in milliseconds: so SLS runs it, though the older form speaks of seconds.
//   - Memory and vcores are those of the tasks, at least 1024 MiB and 1. Tasks of a type other than map and reduce
//     run as maps.
//   - A job that has a reservation in SLS has its deadline as a goal; reservations themselves are not modelled.
//
// num_nodes and nodes_per_rack describe a cluster. SLS asks for a random node for each task; here tasks run anywhere.
package slssynth

import (
	"fmt"
	"io"
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

var _ workload.Reader = Read

type trace struct {
	Nodes     int64     `json:"num_nodes"`
	Jobs      int64     `json:"num_jobs"`
	Seed      int64     `json:"rand_seed"`
	Workloads []mixture `json:"workloads"`
	weights   []float64
}

// mixture is one of the workloads of a trace.
type mixture struct {
	Weight  float64 `json:"workload_weight"`
	Queue   string  `json:"queue_name"`
	Classes []class `json:"job_classes"`
	Times   []struct {
		Time   int32   `json:"time"`
		Weight float64 `json:"weight"`
	} `json:"time_distribution"`
	classes, times []float64 // weights
}

type class struct {
	Name        string  `json:"class_name"`
	User        string  `json:"user_name"`
	Weight      float64 `json:"class_weight"`
	Type        string  `json:"type"`
	Deadline    *sample `json:"deadline_factor"`
	Duration    *sample `json:"duration"`
	Reservation *sample `json:"reservation"`
	Tasks       []task  `json:"tasks"`
	older
}

type task struct {
	Type      string  `json:"type"`
	Count     *sample `json:"count"`
	Time      *sample `json:"time"`
	Memory    *sample `json:"max_memory"`
	VCores    *sample `json:"max_vcores"`
	Priority  int32   `json:"priority"`
	Execution string  `json:"execution_type"`
}

// older are the fields of the form without samples.
type older struct {
	Maps            float64 `json:"mtasks_avg"`
	MapsStd         float64 `json:"mtasks_stddev"`
	Reduces         float64 `json:"rtasks_avg"`
	ReducesStd      float64 `json:"rtasks_stddev"`
	DurationAvg     float64 `json:"dur_avg"`
	DurationStd     float64 `json:"dur_stddev"`
	MapTime         float64 `json:"mtime_avg"`
	MapTimeStd      float64 `json:"mtime_stddev"`
	ReduceTime      float64 `json:"rtime_avg"`
	ReduceTimeStd   float64 `json:"rtime_stddev"`
	MapMemory       float64 `json:"map_max_memory_avg"`
	MapMemoryStd    float64 `json:"map_max_memory_stddev"`
	ReduceMemory    float64 `json:"reduce_max_memory_avg"`
	ReduceMemoryStd float64 `json:"reduce_max_memory_stddev"`
	MapVCores       float64 `json:"map_max_vcores_avg"`
	MapVCoresStd    float64 `json:"map_max_vcores_stddev"`
	ReduceVCores    float64 `json:"reduce_max_vcores_avg"`
	ReduceVCoresStd float64 `json:"reduce_max_vcores_stddev"`
	Chance          float64 `json:"chance_of_reservation"`
	Factor          float64 `json:"deadline_factor_avg"`
	FactorStd       float64 `json:"deadline_factor_stddev"`
	MapExecution    string  `json:"map_execution_type"`
	ReduceExecution string  `json:"reduce_execution_type"`
}

// modern turns the older form into the one with samples.
func (c *class) modern() {
	if c.Tasks != nil {
		return
	}
	o := &c.older
	c.Type = "mapreduce"
	c.Deadline, c.Duration, c.Reservation = spread(o.Factor, o.FactorStd), spread(o.DurationAvg, o.DurationStd), constant(o.Chance)
	c.Tasks = []task{
		{"map", spread(o.Maps, o.MapsStd), spread(o.MapTime, o.MapTimeStd), spread(o.MapMemory, o.MapMemoryStd), spread(o.MapVCores, o.MapVCoresStd), 20, o.MapExecution},
		{"reduce", spread(o.Reduces, o.ReducesStd), spread(o.ReduceTime, o.ReduceTimeStd), spread(o.ReduceMemory, o.ReduceMemoryStd), spread(o.ReduceVCores, o.ReduceVCoresStd), 10, o.ReduceExecution},
	}
}

// Read reads a description and makes its jobs. It is a workload.Reader.
func Read(r io.Reader, log *workload.Log, yield workload.Yield) error {
	rows := hadoop.NewRows[trace](r, log, "trace")
	t, ok := rows.Next()
	if !ok {
		return rows.Err()
	}
	rand := &jdk{}
	rand.seed(t.Seed)
	if !t.init(log, rand) {
		return nil
	}
	if t.Nodes > 0 {
		log.Note("trace", "num_nodes", "passed over: the nodes are those of the scenario")
	}
	jobs := t.plan(rand)
	for i := range jobs {
		rec := jobs[i].record(i, jobs[0].submit, rand, log)
		if rec == nil {
			return nil
		}
		if err := yield(rec); err != nil {
			return err
		}
	}
	return nil
}

// init checks the description and seeds its distributions, in the order of SLS.
func (t *trace) init(log *workload.Log, rand *jdk) bool {
	all := &hadoop.Check{Log: log, At: func() string { return "trace" }}
	if t.Jobs < 1 || t.Jobs > hadoop.MaxTasks {
		all.Refuse("num_jobs", fmt.Sprint(t.Jobs), fmt.Sprintf("a whole number from 1 to %d", hadoop.MaxTasks))
	}
	if len(t.Workloads) == 0 {
		all.Refuse("workloads", "nothing", "at least one")
	}
	for i := range t.Workloads {
		w := &t.Workloads[i]
		c := &hadoop.Check{Log: log, At: func() string { return fmt.Sprintf("workloads[%d]", i) }}
		t.weights = append(t.weights, w.Weight)
		w.init(c, rand)
		all.Bad = all.Bad || c.Bad
	}
	checkWeights(all, "workload_weight", t.weights)
	return !all.Bad
}

func (w *mixture) init(c *hadoop.Check, rand *jdk) {
	if len(w.Classes) == 0 || len(w.Times) == 0 {
		c.Refuse("job_classes and time_distribution", "nothing", "at least one of each")
		return
	}
	for i := range w.Classes {
		k := &w.Classes[i]
		kc := &hadoop.Check{Log: c.Log, At: func() string { return fmt.Sprintf("%s, job_classes[%d]", c.At(), i) }}
		w.classes = append(w.classes, k.Weight)
		k.modern()
		k.init(kc, rand)
		c.Bad = c.Bad || kc.Bad
	}
	for _, s := range w.Times {
		w.times = append(w.times, s.Weight)
		if s.Time < 0 {
			c.Refuse("time_distribution", fmt.Sprint(s.Time), "seconds from 0 on")
		}
	}
	checkWeights(c, "class_weight", w.classes)
	checkWeights(c, "time_distribution", w.times)
}

func (k *class) init(c *hadoop.Check, rand *jdk) {
	k.Deadline.init(c, "deadline_factor", rand)
	k.Duration.init(c, "duration", rand)
	k.Reservation.init(c, "reservation", rand)
	for i := range k.Tasks {
		t := &k.Tasks[i]
		at := fmt.Sprintf("tasks[%d].", i)
		t.Count.init(c, at+"count", rand)
		t.Time.init(c, at+"time", rand)
		t.Memory.init(c, at+"max_memory", rand)
		t.VCores.init(c, at+"max_vcores", rand)
		if t.Type != "map" && t.Type != "reduce" {
			c.Log.Note(c.At(), at+"type", hadoop.Quote(t.Type)+" runs as map")
		}
		if t.Execution != "" && t.Execution != "GUARANTEED" {
			c.Log.Note(c.At(), at+"execution_type", hadoop.Quote(t.Execution)+" runs as GUARANTEED: there are no containers without a guarantee")
		}
	}
}

// checkWeights refuses weights of which no thing can be drawn.
func checkWeights(c *hadoop.Check, field string, weights []float64) {
	total := 0.0
	for _, w := range weights {
		if w < 0 {
			c.Refuse(field, fmt.Sprint(w), "numbers of at least 0")
			return
		}
		total += w
	}
	if len(weights) > 0 && !(total > 0 && total < math.MaxFloat64) {
		c.Refuse(field, fmt.Sprintf("weights that add up to %g", total), "a sum above 0")
	}
}

// job is one that was planned: its class, queue and second of submission.
type job struct {
	submit int64
	queue  string
	class  *class
}

// plan draws the jobs and returns them in order of submission.
func (t *trace) plan(rand *jdk) []job {
	var queue heap
	for range t.Jobs {
		w := &t.Workloads[min(weighted(t.weights, rand), len(t.Workloads)-1)]
		submit := w.submission(rand)
		k := &w.Classes[min(weighted(w.classes, rand), len(w.Classes)-1)]
		queue.add(job{submit, w.Queue, k})
	}
	jobs := make([]job, 0, t.Jobs)
	for len(queue) > 0 {
		jobs = append(jobs, queue.poll())
	}
	return jobs
}

// submission draws a second inside one of the spans of time.
func (w *mixture) submission(rand *jdk) int64 {
	at := min(weighted(w.times, rand), len(w.Times)-1)
	start, end := w.Times[at].Time, w.Times[min(at+1, len(w.Times)-1)].Time
	if end > start {
		return int64(start) + int64(rand.below(end-start))
	}
	return int64(start)
}

// record draws the tasks of a job. It returns nil after a fault.
func (j *job) record(id int, origin int64, rand *jdk, log *workload.Log) *workload.Record {
	where := fmt.Sprintf("job %d", id+1)
	r := workload.NewRecord(where)
	k := j.class
	r.Name, r.Class, r.User, r.Queue = fmt.Sprintf("%s_%06d", k.Name, id), k.Name, k.User, j.queue
	r.Submit = model.Time(j.submit-origin) * model.Second
	if k.Type != "mapreduce" {
		r.Master.Kind = k.Type
		log.Note(where, "type", hadoop.Quote(k.Type)+" runs under the master for MapReduce: maps first, then reduces")
	}
	duration := k.Duration.whole(rand)
	reserved := rand.double() <= k.Reservation.next(rand)
	factor := k.Deadline.next(rand)
	if goal := math.Ceil(factor * float64(duration) * 1000); reserved && goal > 0 && goal < float64(hadoop.MaxMillis) {
		r.Goal = model.Time(goal) * model.Millisecond
		log.Note(where, "reservation", "not modelled; the deadline is kept as a goal")
	}
	rand.seed(rand.long())
	r.MapLengths, r.ReduceLengths = []model.Time{}, []model.Time{}
	for i := range k.Tasks {
		if !k.Tasks[i].fill(&r, rand, log) {
			return nil
		}
	}
	r.Maps, r.Reduces = int32(len(r.MapLengths)), int32(len(r.ReduceLengths))
	for kind := range r.Asks {
		if same(r.Asks[kind]) {
			r.Asks[kind] = nil
		}
	}
	log.NoteAsks(&r)
	if r.Maps+r.Reduces == 0 {
		log.Mendable(where, "tasks", "none", "at least one task", "dropped")
	}
	return &r
}

// fill draws the tasks of one type and reports whether there are not too many.
func (t *task) fill(r *workload.Record, rand *jdk, log *workload.Log) bool {
	n := t.Count.whole(rand)
	memory, vcores := max(t.Memory.whole(rand), 1024), max(t.VCores.whole(rand), 1)
	if n+int64(len(r.MapLengths)+len(r.ReduceLengths)) > hadoop.MaxTasks || memory > 1<<30 || vcores > 1<<30 {
		log.Refuse(r.Where, "tasks", fmt.Sprintf("%d tasks of %d MiB and %d vcores", n, memory, vcores), fmt.Sprintf("at most %d tasks, containers of at most %d", hadoop.MaxTasks, 1<<30))
		return false
	}
	kind, lengths := model.Map, &r.MapLengths
	if t.Type == "reduce" {
		kind, lengths = model.Reduce, &r.ReduceLengths
	}
	ask := model.Ask{Need: model.Room{int32(memory), int32(vcores)}}
	if t.Priority != [model.Kinds]int32{20, 10}[kind] {
		ask.Priority = t.Priority
	}
	r.Memory[kind] = max(r.Memory[kind], model.Bytes(memory)*model.MiB)
	r.VCores[kind] = max(r.VCores[kind], int32(vcores))
	for range n {
		ms := t.Time.whole(rand)
		*lengths = append(*lengths, model.Time(min(max(ms, 0), hadoop.MaxMillis))*model.Millisecond)
		r.Asks[kind] = append(r.Asks[kind], ask)
	}
	return true
}

// same reports whether asks say no more than the sizes of the record.
func same(asks []model.Ask) bool {
	for i := range asks {
		if asks[i] != asks[0] || asks[i].Priority != 0 {
			return false
		}
	}
	return true
}
