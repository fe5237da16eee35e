// SPDX-License-Identifier: Apache-2.0

package rumen

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/yardmaster/yardmaster/internal/tracetest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

const ms = model.Millisecond

func read(t testing.TB, text string, mend bool) ([]workload.Record, *workload.Log) {
	t.Helper()
	return tracetest.Read(t, Read, text, mend)
}

// Hadoop's 2jobs2min-rumen-jh.json holds two runs of TeraGen with 96 maps that read 82 to 86 bytes and
// no reduces. Times written as differences are read from the file by eye; the other lengths and the
// sums over 96 maps were added up by a separate script, not by this reader.
func TestReadHadoopSample(t *testing.T) {
	traces := os.Getenv("YARDMASTER_TRACES")
	if traces == "" {
		t.Skip("YARDMASTER_TRACES is not set; it lies beside the samples of Hadoop, of which this test reads 2jobs2min-rumen-jh.json")
	}
	text, err := os.ReadFile(filepath.Join(traces, "..", "samples", "2jobs2min-rumen-jh.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, log := read(t, string(text), false)
	if log.Err() != nil || len(got) != 2 {
		t.Fatalf("%d jobs, %v", len(got), log.Err())
	}
	for i, want := range []struct {
		name        string
		submit      model.Time
		first, last model.Time
		sum         model.Time
		start, end  model.Time
	}{
		{"job_1369942127770_1205", 0, (1371222078206 - 1371222061163) * ms, 17843 * ms, 2024885 * ms, (1371222061150 - 1371222054499) * ms, (1371222142884 - 1371222054499) * ms},
		{"job_1369942127770_1206", (1371222159703 - 1371222054499) * ms, 22163 * ms, (1371222241726 - 1371222228399) * ms, 1961401 * ms, (1371222166282 - 1371222159703) * ms, (1371222249913 - 1371222159703) * ms},
	} {
		r := got[i]
		sum := model.Time(0)
		for _, l := range r.MapLengths {
			sum += l
		}
		if len(r.MapLengths) != 96 || r.MapLengths[0] != want.first || r.MapLengths[95] != want.last || sum != want.sum {
			t.Errorf("job %d: %d maps, lengths %v ... sum %v", i, len(r.MapLengths), r.MapLengths[0], sum)
		}
		expect := workload.NewRecord(r.Where)
		expect.Name, expect.Class, expect.User, expect.Queue, expect.Submit = want.name, "TeraGen", "jenkins", "sls_queue_1", want.submit
		expect.Maps, expect.Reduces = 96, 0
		expect.MapLengths, expect.ReduceLengths = r.MapLengths, []model.Time{}
		expect.Input, expect.Shuffle, expect.Output = 8248, 0, 40_000_000_000
		expect.Memory = [model.Kinds]model.Bytes{200 * model.MiB, 200 * model.MiB}
		expect.Waited, expect.Elapsed = want.start, want.end
		if !reflect.DeepEqual(r, expect) {
			t.Errorf("got  %+v\nwant %+v", r, expect)
		}
	}
}

// In the first job the last map ends at 22500 (in ms behind submission), so reduce 0 still copies
// until 24500: 2000. Reduce 1 starts at 40000 and, without a sort time, copies until 43000: 3000. The
// mean is 2500. The second job was killed and keeps its one successful map.
func TestRead(t *testing.T) {
	text, err := os.ReadFile("testdata/jobs.json")
	if err != nil {
		t.Fatal(err)
	}
	a := workload.NewRecord("job 1")
	a.Name, a.Class, a.User, a.Queue, a.Priority = "job_201311010000_0001", "sort logs", "ada", "prod", model.VeryHigh
	a.Maps, a.Reduces = 2, 2
	a.MapLengths = []model.Time{10000 * ms, 20000 * ms}
	a.ReduceLengths = []model.Time{6000 * ms, 7000 * ms}
	a.ShuffleTail = 2500 * ms
	a.Waited, a.Elapsed = 2500*ms, 50000*ms
	a.MapHosts, a.OtherHosts = []string{"/rack1/node1", ""}, []string{"/rack2/node5", ""}
	a.Input, a.Shuffle, a.Output = 1500, 700, 170
	a.Memory[model.Map] = model.GiB
	b := workload.NewRecord("job 2")
	b.Name, b.User, b.Queue, b.Submit = "job_201311010000_0002", "bob", "default", 60250*ms
	b.Maps, b.Reduces, b.Shuffle = 1, 0, 0
	b.MapLengths, b.ReduceLengths = []model.Time{1500 * ms}, []model.Time{}
	b.Waited, b.Elapsed = 1750*ms, 3250*ms
	got, log := read(t, string(text), false)
	if want := []workload.Record{a, b}; log.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", log.Err(), got, want)
	}
}

// A job that stands behind a later one keeps its distance.
func TestSubmitBeforeTheFirst(t *testing.T) {
	got, log := read(t, jobText(`"submitTime":5000`, ok)+jobText(`"submitTime":3000`, ok), false)
	if log.Err() != nil || len(got) != 2 || got[0].Submit != 0 || got[1].Submit != -2000*ms {
		t.Errorf("%+v, %v", got, log.Err())
	}
}

const ok = `{"attempts":[{"result":"SUCCESS","startTime":1,"finishTime":2}]}`

func jobText(fields, maps string) string {
	return `{"jobID":"j",` + fields + `,"mapTasks":[` + maps + `]}`
}

func attemptText(fields string) string {
	return jobText(`"submitTime":0`, `{"attempts":[{"result":"FAILED"},{"result":"SUCCESS",`+fields+`}]}`)
}

func TestFaults(t *testing.T) {
	good := jobText(`"submitTime":0`, ok)
	for _, c := range []struct {
		name, text, want string
		jobs             int
	}{
		{"binary", "\x1f\x8b\x08", `x: job 1, line 1: JSON: found invalid character '\x1f' looking for beginning of value; allowed: a JSON object`, 0},
		{"truncated", good + "\n" + good[:30], `x: job 2, line 2: JSON: found the end of the file inside the job; allowed: a whole JSON object`, 1},
		{"tasks are a number", `{"jobID":"j","submitTime":0,"mapTasks":3}` + good, `x: job 1: mapTasks: found a JSON number; allowed: a list`, 1},
		{"attempts are an object", jobText(`"submitTime":0`, `{"attempts":{}}`) + good, `x: job 1: mapTasks.attempts: found a JSON object; allowed: a list`, 1},
		{"no ID", `{"submitTime":0,"mapTasks":[` + ok + `]}` + good, `x: job 1: jobID: found nothing; allowed: the ID of a job`, 1},
		{"no submit time", jobText(`"submitTime":-1`, ok) + good, `x: job 1: submitTime: found nothing; allowed: a whole number from 0 to 9223372036854`, 1},
		{"negative", jobText(`"submitTime":-2`, ok), `x: job 1: submitTime: found -2; allowed: a whole number from 0 to 9223372036854`, 0},
		{"wrong types", `{"jobID":1,"jobName":{},"user":true,"queue":[],"outcome":2,"priority":3,"submitTime":"now","totalMaps":1e3,"mapTasks":[` + ok + `]}`,
			"x: job 1: jobID: found 1; allowed: a string\n" +
				"x: job 1: jobName: found an object; allowed: a string\n" +
				"x: job 1: user: found true; allowed: a string\n" +
				"x: job 1: queue: found a list; allowed: a string\n" +
				"x: job 1: outcome: found 2; allowed: a string\n" +
				"x: job 1: priority: found 3; allowed: a string\n" +
				"x: job 1: submitTime: found \"now\"; allowed: a whole number from 0 to 9223372036854\n" +
				"x: job 1: totalMaps: found 1e3; allowed: a whole number from 0 to 10000000", 0},
		{"too many tasks", jobText(`"submitTime":0,"totalReduces":10000001`, ok), `x: job 1: totalReduces: found 10000001; allowed: a whole number from 0 to 10000000`, 0},
		{"memory", jobText(`"submitTime":0,"jobMapMB":-3`, ok), `x: job 1: jobMapMB: found -3; allowed: a whole number from 0 to 8796093022207`, 0},
		{"no times", attemptText(`"startTime":-1`), "x: job 1, mapTasks[0].attempts[1]: startTime: found nothing; allowed: a whole number from 0 to 9223372036854\n" +
			"x: job 1, mapTasks[0].attempts[1]: finishTime: found nothing; allowed: a whole number from 0 to 9223372036854", 0},
		{"bytes", attemptText(`"startTime":1,"finishTime":2,"hdfsBytesRead":-7`), `x: job 1, mapTasks[0].attempts[1]: hdfsBytesRead: found -7; allowed: a whole number from 0 to 9223372036854775807`, 0},
		{"bytes overflow", attemptText(`"startTime":1,"finishTime":2,"hdfsBytesRead":9223372036854775808`), `x: job 1, mapTasks[0].attempts[1]: hdfsBytesRead: found 9223372036854775808; allowed: a whole number from 0 to 9223372036854775807`, 0},
		{"sum of bytes", jobText(`"submitTime":0`, strings.Replace(ok, "{", `{"inputBytes":9223372036854775807,`, 1)+","+strings.Replace(ok, "{", `{"inputBytes":1,`, 1)),
			`x: job 1: input: found more than 9223372036854775807 bytes over all tasks; allowed: a sum that fits into 63 bits`, 0},
		{"host", jobText(`"submitTime":0`, strings.Replace(ok, "{", `{"preferredLocations":[{"layers":["r",5]}],`, 1)), `x: job 1, mapTasks[0]: preferredLocations: found 5; allowed: a string`, 0},
		{"result", jobText(`"submitTime":0`, `{"attempts":[{"result":1}]},`+ok), `x: job 1, mapTasks[0].attempts[0]: result: found 1; allowed: a string`, 0},
	} {
		got, log := read(t, c.text, true)
		if err := log.Err(); err == nil || err.Error() != c.want || len(got) != c.jobs {
			t.Errorf("%s: %d jobs, error\n%v\nwant\n%s", c.name, len(got), err, c.want)
		}
	}
}

func TestMendableFaults(t *testing.T) {
	reduce := func(fields string) string {
		return `{"jobID":"j","submitTime":0,"reduceTasks":[{"attempts":[{"result":"SUCCESS",` + fields + `}]}]}`
	}
	for _, c := range []struct {
		name, text, want string
		jobs             int
	}{
		{"ends before start", attemptText(`"startTime":500,"finishTime":400`),
			`x: job 1, mapTasks[0].attempts[1]: finishTime: found 400, 100 ms before startTime; allowed: not before startTime (--repair: length 0)`, 1},
		{"no success", `{"jobID":"j","submitTime":0,"outcome":"KILLED","mapTasks":[{"attempts":[{"result":"KILLED"}]}]}`,
			`x: job 1: outcome: found "KILLED", no task succeeded; allowed: a job with at least one successful task (--repair: dropped)`, 0},
		{"tasks missing", jobText(`"submitTime":0,"outcome":"SUCCESS","totalMaps":4`, ok),
			`x: job 1: totalMaps: found 4 for 1 tasks that are listed; allowed: as many as are listed (--repair: the listed tasks are taken)`, 1},
		{"priority", jobText(`"submitTime":0,"priority":"urgent"`, ok),
			`x: job 1: priority: found "urgent"; allowed: VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW (--repair: taken as NORMAL)`, 1},
		{"sorted before the start", reduce(`"startTime":100,"finishTime":200,"sortFinished":99`),
			`x: job 1, reduceTasks[0].attempts[0]: sortFinished: found 99; allowed: from the start 100 to the end 200 of the attempt (--repair: taken as the nearer of the two)`, 1},
		{"shuffled behind the end", reduce(`"startTime":100,"finishTime":200,"shuffleFinished":300`),
			`x: job 1, reduceTasks[0].attempts[0]: shuffleFinished: found 300; allowed: from the start 100 to the end 200 of the attempt (--repair: taken as the nearer of the two)`, 1},
	} {
		got, log := read(t, c.text, false)
		if err := log.Err(); err == nil || err.Error() != c.want || len(got) > 0 {
			t.Errorf("%s: %d jobs, error\n%v\nwant\n%s", c.name, len(got), err, c.want)
		}
		got, log = read(t, c.text, true)
		if log.Err() != nil || len(log.Repaired) != 1 || len(got) != c.jobs {
			t.Errorf("%s, mended: %d jobs, %d repairs, %v", c.name, len(got), len(log.Repaired), log.Err())
		}
	}
}

func TestErrorsPassOn(t *testing.T) {
	broken := errors.New("broken")
	text := jobText(`"submitTime":0`, ok)
	err := Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), &workload.Log{}, func(*workload.Record) error { return nil })
	if err != broken {
		t.Errorf("reading: %v", err)
	}
	if err := Read(strings.NewReader(text), &workload.Log{}, func(*workload.Record) error { return broken }); err != broken {
		t.Errorf("yield: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/jobs.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text), true)
	f.Add("["+jobText(`"submitTime":0,"priority":"LOW"`, ok)+"]", false)
	f.Add(attemptText(`"startTime":500,"finishTime":400,"hdfsBytesWritten":1`), true)
	f.Add(`{"jobID":"j","submitTime":9,"reduceTasks":[{"attempts":[{"result":"SUCCESS","startTime":1,"finishTime":9,"sortFinished":7}]}]}`, true)
	f.Fuzz(func(t *testing.T, text string, mend bool) {
		got, log := read(t, text, mend)
		tracetest.Sane(t, got, log)
	})
}
