// SPDX-License-Identifier: Apache-2.0

package swim

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// trace reads one of the published traces, or skips the test where they are not at hand.
func trace(t *testing.T, file string) []workload.Record {
	dir := os.Getenv("YARDMASTER_TRACES")
	if dir == "" {
		t.Skipf("%s: YARDMASTER_TRACES does not say where the Facebook traces are", file)
	}
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	records, log := read(t, string(data), false)
	if err := log.Err(); err != nil {
		t.Fatal(err)
	}
	return records
}

// TestFacebook2010 checks the facts that come with the traces.
func TestFacebook2010(t *testing.T) {
	records := trace(t, "FB-2010_samples_24_times_1hr_0.tsv")
	n := float64(len(records))
	var smallInput, smallShuffle, middleShuffle, maps, input, shuffle, output float64
	for i := range records {
		r := &records[i]
		if r.Input < 10*model.MiB {
			smallInput++
		}
		if r.Shuffle < model.MiB {
			smallShuffle++
		} else if r.Shuffle < 100*model.MiB {
			middleShuffle++
		}
		maps += float64(max(1, (r.Input+128*model.MiB-1)/(128*model.MiB)))
		input, shuffle, output = input+float64(r.Input), shuffle+float64(r.Shuffle), output+float64(r.Output)
	}
	for _, c := range []struct {
		name            string
		got, want, half float64 // half a unit of the last digit that is stated
	}{
		{"jobs", n, 24442, 0},
		{"% with input < 10 MiB", 100 * smallInput / n, 50.02, 0.005},
		{"% with shuffle < 1 MiB", 100 * smallShuffle / n, 68.70, 0.005},
		{"% with shuffle of 1-100 MiB", 100 * middleShuffle / n, 12.58, 0.005},
		{"TB of input", input / 1e12, 1082.6, 0.05},
		{"TB of shuffle", shuffle / 1e12, 437.9, 0.05},
		{"TB of output", output / 1e12, 339.4, 0.05},
		{"maps of 128 MiB", maps, 8084865, 0},
	} {
		if math.Abs(c.got-c.want) > c.half {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestFacebookCounts(t *testing.T) {
	for file, want := range map[string]int{
		"FB-2009_samples_24_times_1hr_0.tsv":                5894,
		"FB-2010_samples_24_times_1hr_withInputPaths_0.tsv": 25428,
	} {
		t.Run(strings.TrimSuffix(file, ".tsv"), func(t *testing.T) {
			if got := len(trace(t, file)); got != want {
				t.Errorf("got %d jobs, want %d", got, want)
			}
		})
	}
}

// Input paths are kept: more than a third of the jobs read a file that another one reads too.
func TestFacebookInputPaths(t *testing.T) {
	records := trace(t, "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv")
	readers := map[string]int{}
	for i := range records {
		readers[records[i].InputFile]++
	}
	sharing := 0
	for _, n := range readers {
		if n > 1 {
			sharing += n
		}
	}
	if len(readers) != 17158 || readers[""] != 0 || sharing != 9645 {
		t.Errorf("%d files, %d jobs without one, %d that share one", len(readers), readers[""], sharing)
	}
}

// By the default rules a few jobs of FB-2010 have a map of 16 to 25 hours, because they have no input, or
// reduces of 8 hours and more, because they have little shuffle data. The options of the cost model divide
// both.
func TestFacebookLongTasks(t *testing.T) {
	records := trace(t, "FB-2010_samples_24_times_1hr_0.tsv")
	site := workload.Site{Model: model.Containers, HDFS: hdfs.DefaultConfig()}
	long := func(cost workload.Cost) (maps, reduces []model.Job, longest model.Time) {
		for i := range records {
			j := cost.Apply(&records[i], site, workload.DefaultNeeds())
			if j.MapLength.Mean > 16*model.Hour {
				maps = append(maps, j)
			}
			if j.ReduceLength.Mean > 19*model.Hour {
				reduces = append(reduces, j)
			}
			longest = max(longest, j.MapLength.Mean, j.ReduceLength.Mean)
		}
		return maps, reduces, longest
	}
	cost := workload.DefaultCost()
	maps, reduces, longest := long(cost)
	if len(maps) != 4 || longest > 25*model.Hour {
		t.Errorf("%d jobs with maps above 16 h, longest task %v", len(maps), longest)
	}
	for _, j := range maps {
		if j.Input != 0 || j.Maps != 1 || j.Shuffle < 1.19e12 || j.Shuffle > 1.79e12 {
			t.Errorf("%s: %d maps, input %v, shuffle %v", j.Name, j.Maps, j.Input, j.Shuffle)
		}
	}
	if len(reduces) != 2 || reduces[0].Reduces != 61 || reduces[0].Output/1e12 != 85 || reduces[1].Reduces != 1 || reduces[1].Output/1e11 != 14 {
		t.Errorf("jobs with reduces above 19 h: %+v", reduces)
	}
	cost.MapsByShuffle, cost.ReducesByOutput = true, true
	if maps, reduces, longest = long(cost); len(maps)+len(reduces) > 0 || longest > 2*model.Hour {
		t.Errorf("with the options: %d and %d jobs, longest task %v", len(maps), len(reduces), longest)
	}
}
