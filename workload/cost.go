// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// Cost is the cost model: it turns the bytes of a trace that has no durations into tasks and their
// lengths. Where a trace says the number or the lengths of tasks, those are taken.
//
// The defaults are those of a plain Hadoop node: 2 s to start a task, 20 MB/s through a map or a
// reduce (disk, parsing and user code together), 50 MB/s for what a reduce still copies after the
// last map. Bytes per reduce and the cap decide the number of shuffle transfers of a whole trace:
// 1 GiB is Hive's old default per reducer, and 1,000 keeps a 30 TB shuffle from becoming 30,000
// reduces.
//
// Two options are for traces with jobs that have no input but much shuffle data, or much output but
// little shuffle data: by default those have a single map or reduce that runs for a day. MapsByShuffle
// and ReducesByOutput divide that work. The latter counts as SWIM's replay tool does
// (GenerateReplayScript: shuffle and output over bytes per reduce, rounded), but leaves a job
// without shuffle data map-only where its output is below half of BytesPerReduce.
type Cost struct {
	BytesPerReduce model.Bytes `yaml:"bytes-per-reduce" above:"0" doc:"Shuffle data that one reduce takes; it decides the number of reduces."`
	MaxReduces     int32       `yaml:"max-reduces" min:"1" doc:"Most reduces of a job."`
	MapOverhead    model.Time  `yaml:"map-overhead" min:"0" doc:"Time that every map takes beside its data."`
	ReduceOverhead model.Time  `yaml:"reduce-overhead" min:"0" doc:"Time that every reduce takes beside its data."`
	MapRate        model.Rate  `yaml:"map-rate" above:"0" doc:"Input and map output that a map works through in a second."`
	ShuffleRate    model.Rate  `yaml:"shuffle-rate" above:"0" doc:"Shuffle data that a reduce copies in a second after the last map."`
	ReduceRate     model.Rate  `yaml:"reduce-rate" above:"0" doc:"Shuffle data and output that a reduce works through in a second."`
	ShuffleOverlap float64     `yaml:"shuffle-overlap" min:"0" max:"1" doc:"Share of the shuffle that is over when the last map ends."`
	Noise          Noise       `yaml:"noise" doc:"How task lengths scatter around what the bytes say."`

	MapsByShuffle   bool `yaml:"maps-by-shuffle,omitempty" doc:"A job without input has one map for each block of its shuffle data, not a single one."`
	ReducesByOutput bool `yaml:"reduces-by-output,omitempty" doc:"Reduces are counted by shuffle data and output together, rounded, and at least one where there is shuffle data; not by shuffle data alone, rounded up."`
}

// DefaultCost returns the defaults of the cost model.
func DefaultCost() Cost {
	return Cost{BytesPerReduce: model.GiB, MaxReduces: 1000,
		MapOverhead: 2 * model.Second, ReduceOverhead: 2 * model.Second,
		MapRate: 20e6, ShuffleRate: 50e6, ReduceRate: 20e6, ShuffleOverlap: 0.9,
		Noise: Noise{Kind: "lognormal", CV: 0.3}}
}

// Apply turns a record into a job at the site. Its name, user, queue and class are taken over; ID
// and After are set by the caller.
func (c *Cost) Apply(r *Record, site Site, needs Needs) model.Job {
	j := model.Job{
		Name: r.Name, User: r.User, Queue: r.Queue, Class: r.Class, Submit: r.Submit, After: model.None,
		Priority: r.Priority, Weight: r.Weight, Goal: r.Goal, Period: r.Period,
		Maps: c.maps(r, site), Reduces: c.reduces(r),
		Input: max(r.Input, 0), Shuffle: max(r.Shuffle, 0), Output: max(r.Output, 0),
		InputFile: r.InputFile, Cycles: r.Cycles,
		Need:   recordNeeds(r, needs).Room(site.Model),
		Master: r.Master, Asks: r.Asks, Label: r.Label, Blocks: site.Hosts.blocks(r),
	}
	if r.Input == Unknown && j.Maps > 0 && len(r.MapHosts) > 0 {
		j.Input = model.Bytes(j.Maps) * site.HDFS.BlockSize // blocks exist, their size is not known
	}
	c.lengths(r, &j)
	j.ByClass = r.ByClass
	return j
}

// maps is one per block of input, or of shuffle data where MapsByShuffle says so, at least one, unless
// the record says.
func (c *Cost) maps(r *Record, site Site) int32 {
	if r.Maps != Unknown {
		return r.Maps
	}
	bytes := max(r.Input, 0)
	if bytes == 0 && c.MapsByShuffle {
		bytes = max(r.Shuffle, 0)
	}
	return int32(min(max(pieces(bytes, site.HDFS.BlockSize), 1), math.MaxInt32))
}

// reduces is one for each BytesPerReduce of shuffle data, up to the cap; none without any. With
// ReducesByOutput the output counts too.
func (c *Cost) reduces(r *Record) int32 {
	if r.Reduces != Unknown {
		return r.Reduces
	}
	shuffle := max(r.Shuffle, 0)
	if !c.ReducesByOutput {
		return int32(min(pieces(shuffle, c.BytesPerReduce), model.Bytes(c.MaxReduces)))
	}
	n := math.Round((float64(shuffle) + float64(max(r.Output, 0))) / float64(c.BytesPerReduce))
	if shuffle > 0 {
		n = max(n, 1)
	}
	return int32(min(n, float64(c.MaxReduces)))
}

func (c *Cost) lengths(r *Record, j *model.Job) {
	perMap, perReduce := share(float64(j.Input)+float64(j.Shuffle), j.Maps), share(float64(j.Shuffle), j.Reduces)
	j.MapLength = c.Noise.Lengths(c.MapOverhead + over(perMap, c.MapRate))
	j.ReduceLength = c.Noise.Lengths(c.ReduceOverhead + over(perReduce+share(float64(j.Output), j.Reduces), c.ReduceRate))
	j.ShuffleTail = over(perReduce*(1-c.ShuffleOverlap), c.ShuffleRate)
	if r.MapLengths != nil {
		j.MapLength = model.Lengths{Fixed: r.MapLengths}
	}
	if r.ReduceLengths != nil {
		j.ReduceLength, j.ShuffleTail = model.Lengths{Fixed: r.ReduceLengths}, r.ShuffleTail
	}
}

// pieces is how many of the given size the bytes fill, the last one perhaps in part.
func pieces(bytes, size model.Bytes) model.Bytes {
	n := bytes / size
	if bytes%size > 0 {
		n++
	}
	return n
}

func share(bytes float64, tasks int32) float64 {
	if tasks <= 0 {
		return 0
	}
	return bytes / float64(tasks)
}

// over is how long bytes take at the rate; more than any task may take is cut off there, so that it fits.
func over(bytes float64, rate model.Rate) model.Time {
	return model.Seconds(min(bytes/float64(rate), 100*365*model.Day.Seconds()))
}

func recordNeeds(r *Record, needs Needs) *Needs {
	for k, n := range map[model.Kind]struct {
		memory *model.Bytes
		vcores *int32
	}{model.Map: {&needs.MapMemory, &needs.MapVCores}, model.Reduce: {&needs.ReduceMemory, &needs.ReduceVCores}} {
		if r.Memory[k] > 0 {
			*n.memory = r.Memory[k]
		}
		if r.VCores[k] > 0 {
			*n.vcores = r.VCores[k]
		}
	}
	return &needs
}
