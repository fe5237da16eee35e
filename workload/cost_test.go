// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"testing"

	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
)

func costSite(m model.RoomModel) Site {
	return Site{Model: m, Total: [model.Dims]int64{10, 10}, HDFS: hdfs.DefaultConfig()}
}

// Odd jobs are real: no input, more shuffle than input, 30 TB of shuffle.
func TestTasksFromBytes(t *testing.T) {
	cost := DefaultCost()
	for name, c := range map[string]struct {
		input, shuffle model.Bytes
		maps, reduces  int32
	}{
		"a block":        {128 * model.MiB, 0, 1, 0},
		"a byte more":    {128*model.MiB + 1, 1, 2, 1},
		"no input":       {0, 0, 1, 0},
		"unknown":        {Unknown, Unknown, 1, 0},
		"shuffle grows":  {1, 5 * model.GiB, 1, 5},
		"30 TB shuffled": {11 * model.TiB, 30e12, 11 << 13, 1000},
	} {
		r := NewRecord("line 1")
		r.Input, r.Shuffle = c.input, c.shuffle
		j := cost.Apply(&r, costSite(model.Slots), DefaultNeeds())
		if j.Maps != c.maps || j.Reduces != c.reduces {
			t.Errorf("%s: %d maps and %d reduces, want %d and %d", name, j.Maps, j.Reduces, c.maps, c.reduces)
		}
		if j.Input < 0 || j.Shuffle < 0 || j.MapLength.Mean <= 0 {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// The options divide the work of jobs without input and of jobs with more output than shuffle data.
func TestTasksByOption(t *testing.T) {
	cost := DefaultCost()
	cost.MapsByShuffle, cost.ReducesByOutput = true, true
	for name, c := range map[string]struct {
		input, shuffle, output model.Bytes
		maps, reduces          int32
	}{
		"with input":              {128*model.MiB + 1, 128 * model.GiB, 0, 2, 128},
		"no input":                {0, 1280*model.MiB + 1, 0, 11, 1},
		"unknown input":           {Unknown, 1280 * model.MiB, Unknown, 10, 1},
		"nothing":                 {0, 0, 0, 1, 0},
		"output of maps":          {1, 0, 512*model.MiB - 1, 1, 0},
		"output without shuffle":  {1, 0, 512 * model.MiB, 1, 1},
		"a byte of shuffle":       {1, 1, 0, 1, 1},
		"rounded down":            {1, model.GiB, 512*model.MiB - 1, 1, 1},
		"rounded up":              {1, model.GiB, 512 * model.MiB, 1, 2},
		"no more than max":        {1, 1, 85e12, 1, 1000},
		"sum beyond what fits":    {1, 1<<63 - 1, 1<<63 - 1, 1, 1000},
		"no input, much of it":    {0, 1 << 62, 0, 1<<31 - 1, 1000},
		"as much as fits":         {1<<63 - 1, 1<<63 - 1, 1<<63 - 1, 1<<31 - 1, 1000},
		"shuffle less than block": {0, 1, 0, 1, 1},
	} {
		r := NewRecord("line 1")
		r.Input, r.Shuffle, r.Output = c.input, c.shuffle, c.output
		j := cost.Apply(&r, costSite(model.Slots), DefaultNeeds())
		if j.Maps != c.maps || j.Reduces != c.reduces {
			t.Errorf("%s: %d maps and %d reduces, want %d and %d", name, j.Maps, j.Reduces, c.maps, c.reduces)
		}
	}
}

// Sizes that fill all bits make tasks that take too long to be run, not ones of a negative length.
func TestLengthsOfEnormousJobs(t *testing.T) {
	cost := DefaultCost()
	r := NewRecord("line 1")
	r.Maps, r.Reduces, r.Input, r.Shuffle, r.Output = 1, 1, 1<<63-1, 1<<63-1, 1<<63-1
	j := cost.Apply(&r, costSite(model.Slots), DefaultNeeds())
	if least := 2 * 365 * model.Day; j.MapLength.Mean < least || j.ReduceLength.Mean < least || j.ShuffleTail < least {
		t.Errorf("%v and %v, %v of shuffle", j.MapLength.Mean, j.ReduceLength.Mean, j.ShuffleTail)
	}
}

// 2 maps with 50 MB of input and 10 MB of map output each: 2 s + 60 MB / 20 MB/s = 5 s. 1 reduce with
// 20 MB of shuffle and 40 MB of output: 2 s + 60/20 = 5 s, and 10 % of 20 MB at 50 MB/s = 40 ms.
func TestLengthsFromBytes(t *testing.T) {
	cost := DefaultCost()
	r := NewRecord("line 1")
	r.Maps, r.Reduces, r.Input, r.Shuffle, r.Output = 2, 1, 100e6, 20e6, 40e6
	j := cost.Apply(&r, costSite(model.Slots), DefaultNeeds())
	if j.MapLength.Mean != 5*model.Second || j.ReduceLength.Mean != 5*model.Second || j.ShuffleTail != 40*model.Millisecond {
		t.Errorf("map %v, reduce %v, tail %v", j.MapLength.Mean, j.ReduceLength.Mean, j.ShuffleTail)
	}
	if j.MapLength.Noise != model.LogNormalNoise || j.MapLength.CV != 0.3 {
		t.Errorf("noise %+v", j.MapLength)
	}
}

// What a trace says is taken as it is.
func TestRecordsBeatTheCostModel(t *testing.T) {
	cost := DefaultCost()
	r := NewRecord("job 1")
	r.Maps, r.Reduces = 2, 1
	r.MapLengths, r.ReduceLengths, r.ShuffleTail = []model.Time{3, 4}, []model.Time{5}, 6
	r.Memory, r.VCores = [model.Kinds]model.Bytes{2 * model.GiB, 0}, [model.Kinds]int32{0, 3}
	j := cost.Apply(&r, costSite(model.Yarn), DefaultNeeds())
	if j.MapLength.Fixed[1] != 4 || j.ReduceLength.Fixed[0] != 5 || j.ShuffleTail != 6 {
		t.Errorf("%+v", j)
	}
	if want := [model.Kinds]model.Room{{2048, 1}, {1024, 3}}; j.Need != want {
		t.Errorf("needs %v, want %v", j.Need, want)
	}
}
