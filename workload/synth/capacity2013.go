// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// Capacity2013 is the workload of the simulations of capacity-2013: 100 jobs of seven types, 50 in
// each of two halves of the cluster, each with a user of its own (§4.3.3). In both halves the jobs
// come in the same order and at the same instants, one per second (§4.4.3).
//
// Table 4.1 gives numbers of tasks, ratios of data and "compute", but no lengths: those were made
// by MRPERF from disks, network and CPU. For the replay model they are derived: a map reads one
// block of the site's HDFS, so input = maps x block size, shuffle = input x shuffle ratio, output =
// shuffle x output ratio; workload.Cost turns these bytes into lengths; and the computation is
// added to the overhead of each task: its input bytes x compute / cycles-per-second. The thesis has
// no unit for compute; MRPERF's job files have cycles per byte (§3.1), which is taken. With 64 MiB
// blocks (the HDFS default of §1) this gives maps of 9 s for type 1 and 16.5 s for type 3. Under
// durations: resources the lengths are not used: the bytes and compute, as cycles per byte, are.
type Capacity2013 struct {
	Pattern string        `yaml:"pattern" oneof:"long-first,interleaved,separate" required:"true" doc:"Order of submission: all long jobs, then all short ones; four short jobs, then a long one; or the latter with queues of their own for short and long jobs."`
	Burst   int           `yaml:"burst" min:"1" doc:"Jobs of a half that come at once: one per second, or as many every that many seconds (capacity-2013 §7.3.3 proposes bursts)."`
	Clock   float64       `yaml:"cycles-per-second" above:"0" doc:"Speed of a core: compute in cycles per byte is turned into time by it."`
	Cost    workload.Cost `yaml:"cost" doc:"How bytes become task lengths. Numbers of tasks are those of the thesis."`
}

// SetDefaults fills what a scenario leaves out: the cost model's defaults without noise, because
// MRPERF's tasks have none (§3.3), and the 2.5 GHz of §4.1.1, the only cores of the thesis's
// simulation platform whose speed it states.
func (c *Capacity2013) SetDefaults() {
	*c = Capacity2013{Burst: 1, Clock: 2.5e9, Cost: workload.DefaultCost()}
	c.Cost.Noise = workload.Noise{Kind: "none"}
}

func (c *Capacity2013) problems() (problems []model.Problem) {
	for _, p := range c.Cost.Noise.Validate() {
		p.Path = "cost.noise." + p.Path
		problems = append(problems, p)
	}
	return problems
}

// capacityType is one row of table 4.1, with its columns.
type capacityType struct {
	jobType        int
	nature         string
	percent        int // in the job mix of 100 jobs
	maps, reducers int32
	shuffleRatio   float64 // map output / map input
	outputRatio    float64 // reduce output / reduce input
	mapCompute     float64
	reduceCompute  float64
}

// capacityTypes is table 4.1 of capacity-2013.
var capacityTypes = [...]capacityType{
	{1, "data transformation", 8, 100, 15, 1, 1, 5, 40},
	{2, "aggregate and expand", 6, 200, 1, 0.025, 3, 40, 5},
	{3, "expand and aggregate", 4, 400, 30, 3, 0.025, 40, 40},
	{4, "data summary", 2, 800, 8, 0.075, 0.0005, 20, 20},
	{5, "small job", 48, 1, 1, 1, 1, 1, 1},
	{6, "small job", 24, 2, 1, 1, 1, 1, 1},
	{7, "small job", 8, 10, 1, 1, 1, 1, 1},
}

// long reports whether jobs of the type are long: more than 10 maps (§4.3.3).
func (t *capacityType) long() bool { return t.maps > 10 }

// halves is how many queues share the jobs equally: Queue 1 and Queue 2.
const halves = 2

// order returns the types of the 50 jobs of one half, as positions in the table. The thesis does
// not say how types follow each other among the long and among the short jobs; here in the order
// of the table.
func (c *Capacity2013) order() (order []int) {
	var long, short []int
	for i := range capacityTypes {
		t := &capacityTypes[i]
		for range t.percent / halves {
			if t.long() {
				long = append(long, i)
			} else {
				short = append(short, i)
			}
		}
	}
	if c.Pattern == "long-first" {
		return append(long, short...)
	}
	ratio := len(short) / len(long) // 4 : 1
	for i, l := range long {
		order = append(order, short[i*ratio:(i+1)*ratio]...)
		order = append(order, l)
	}
	return order
}

// queue returns the queue of a job of the type in a half, 0 or 1. With separate queues, 1 and 2 are
// those of short jobs, 3 and 4 those of long ones (§6.4).
func (c *Capacity2013) queue(t *capacityType, half int) string {
	if c.Pattern == "separate" && t.long() {
		half += halves
	}
	return fmt.Sprintf("queue%d", half+1)
}

// Jobs returns the 100 jobs in order of submission, those of the first half before those of the
// second.
func (c *Capacity2013) Jobs(site workload.Site) (jobs []model.Job) {
	for at, i := range c.order() {
		for half := range halves {
			id := len(jobs)
			r := workload.NewRecord("")
			r.Name, r.User = fmt.Sprintf("type%d-%d", capacityTypes[i].jobType, id), fmt.Sprintf("user%d", id)
			r.Queue = c.queue(&capacityTypes[i], half)
			r.Submit = model.Time(at-at%c.Burst) * model.Second
			j := capacityTypes[i].job(c, &r, site)
			j.ID = model.JobID(id)
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// job fills in what table 4.1 says and what follows from it.
func (t *capacityType) job(c *Capacity2013, r *workload.Record, site workload.Site) model.Job {
	r.Class = fmt.Sprintf("type%d", t.jobType)
	r.Maps, r.Reduces = t.maps, t.reducers
	r.Input = model.Bytes(t.maps) * site.HDFS.BlockSize
	r.Shuffle = model.Bytes(float64(r.Input) * t.shuffleRatio)
	r.Output = model.Bytes(float64(r.Shuffle) * t.outputRatio)
	compute := func(bytes model.Bytes, tasks int32, cycles float64) model.Time {
		return model.Seconds(float64(bytes) / float64(tasks) * cycles / c.Clock)
	}
	cost := c.Cost
	cost.MapOverhead += compute(r.Input, t.maps, t.mapCompute)
	cost.ReduceOverhead += compute(r.Shuffle, t.reducers, t.reduceCompute)
	r.Cycles = [model.Kinds]float64{t.mapCompute, t.reduceCompute}
	return cost.Apply(r, site, workload.DefaultNeeds())
}
