// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
)

// A strong machine and four weak ones.
const twoKinds = `
reference: false
cluster:
  room: containers
  classes:
    - {name: scale-up, nodes: 1, racks: 1, containers: 8, cores: 8, speed: 2}
    - {name: scale-out, nodes: 4, racks: 1, containers: 8, cores: 8}
hdfs: {replication: 1}
durations: resources
tasks: {start-cpu: 10s}
workload: {cost: {maps-by-shuffle: true, reduces-by-output: true}, jobs: [{name: none, maps: 1}]}
`

func parseMachines(t *testing.T) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("machines.yaml", []byte(twoKinds), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A job of one map computes faster on the strong machine; one of many maps finds four times the disks and twice the
// cycles on the weak ones. Its lengths are those that it had there, and the second job of a shape is not run again.
func TestMeasure(t *testing.T) {
	s := parseMachines(t)
	one := model.Job{Maps: 1, Input: model.MiB}
	many := model.Job{Maps: 320, Input: 320 * 128 * model.MiB, Reduces: 4, Shuffle: model.GiB, Output: model.GiB}
	jobs := []model.Job{one, many, one}
	log, err := OpenMeasureLog(filepath.Join(t.TempDir(), "log"), s)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := Measure(t.Context(), s, jobs, 2, log)
	if err != nil {
		t.Fatal(err)
	}
	Label(jobs, taken)
	if jobs[0].Class != "scale-up" || jobs[1].Class != "scale-out" || !reflect.DeepEqual(taken[0], taken[2]) {
		t.Errorf("classes %s and %s, taken %v", jobs[0].Class, jobs[1].Class, taken)
	}
	// 1 s to start, 10 s of a core of the reference machine, and 1 MiB at 2 x 2.5 or 2.5 GHz, 40 cycles a byte: 8 and
	// 17 ms; its disk needs 10 ms.
	for c, want := range []float64{6.010, 11.017} {
		if l := jobs[0].ByClass[c]; math.Abs(l.Map.Seconds()-want) > 0.001 {
			t.Errorf("a map takes %v on %s, want %g s", l.Map, l.Class, want)
		}
	}
	if l := jobs[1].ByClass[1]; l.Reduce <= 0 || l.ShuffleTail < 0 || taken[1][1].Elapsed <= l.Map {
		t.Errorf("lengths %+v of a job that took %v", l, taken[1][1].Elapsed)
	}
	log.Close()

	// What the log holds is not measured again, and a torn line does not count.
	src, err := os.ReadFile(log.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), "\n"); n != 3 {
		t.Errorf("%d lines for two shapes: %s", n, src)
	}
	if err := os.WriteFile(log.file.Name(), src[:len(src)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := OpenMeasureLog(log.file.Name(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if len(again.known) != 1 {
		t.Errorf("%d shapes are known after a torn line, want 1", len(again.known))
	}
	other := *s
	other.Seed++
	if _, err := OpenMeasureLog(log.file.Name(), &other); err == nil {
		t.Error("a log of other machines was taken")
	}
}

// A large job is measured cut down, with as many bytes for each task.
func TestMeasuredShape(t *testing.T) {
	j := model.Job{Maps: 4 * mostMaps, Reduces: 10, Input: 4096, Shuffle: 400, Output: 40}
	if got, want := measuredShape(&j), (shape{mostMaps, 3, 1024, 100, 10, j.Cycles}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTrainRefuses(t *testing.T) {
	record := func(class string, maps int32) workload.Record {
		r := workload.NewRecord("")
		r.Class, r.Maps, r.Reduces, r.Shuffle = class, maps, 0, 0
		return r
	}
	for want, records := range map[string][]workload.Record{
		"jobs of the classes scale-up":              {record("scale-up", 1), record("scale-up", 2)},
		"jobs of the classes scale-out, large":      {record("scale-out", 1), record("large", 2)},
		"has no class or no number of tasks":        {record("", 1)},
		"job \"\" has no class or no number of tas": {record("scale-up", workload.Unknown)},
	} {
		if _, _, err := Train(t.Context(), records, "scale-up", 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	var records []workload.Record
	for i := range int32(200) {
		class := "scale-up"
		if i >= 60 {
			class = "scale-out"
		}
		records = append(records, record(class, 1+i))
	}
	c, cells, err := Train(t.Context(), records, "scale-up", 1)
	if err != nil || len(cells) != 25 || c.Validated < 0.95 || !(c.Decision(10, 0, 0) > 0) || !(c.Decision(150, 0, 0) < 0) {
		t.Errorf("%v, %d cells, %v", err, len(cells), c)
	}
}
