// SPDX-License-Identifier: Apache-2.0

package sls

import (
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
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

func record(where, name, queue string, submit model.Time) workload.Record {
	r := workload.NewRecord(where)
	r.Name, r.User, r.Queue, r.Submit = name, "default", queue, submit
	r.MapLengths, r.ReduceLengths = []model.Time{}, []model.Time{}
	return r
}

// The numbers are read by hand from Hadoop's inputsls.json.
func TestReadHadoopSample(t *testing.T) {
	got, log := read(t, tracetest.Sample(t, "inputsls.json"), false)
	if log.Err() != nil {
		t.Fatal(log.Err())
	}
	a := record("job 1", "job_1", "sls_queue_1", 0)
	a.Maps, a.Reduces = 3, 0
	a.MapLengths = []model.Time{(23707 - 6664) * ms, (21593 - 6665) * ms, (86613 - 68770) * ms}
	a.MapHosts = []string{"/default-rack/node1", "/default-rack/node3", "/default-rack/node2"}
	b := record("job 2", "job_2", "sls_queue_2", 105204*ms)
	b.Maps, b.Reduces = 2, 0
	b.MapLengths = []model.Time{(133985 - 111822) * ms, (131377 - 111788) * ms}
	b.MapHosts = []string{"/default-rack/node1", "/default-rack/node2"}
	if want := []workload.Record{a, b}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRead(t *testing.T) {
	text, err := os.ReadFile("testdata/jobs.json")
	if err != nil {
		t.Fatal(err)
	}
	a := record("job 1", "report", "prod", 1500*ms)
	a.User = "ada"
	a.Maps, a.Reduces = 4, 2
	a.MapLengths = []model.Time{4000 * ms, 4000 * ms, 4000 * ms, 5500 * ms}
	a.MapHosts = []string{"/rack1/node1", "/rack1/node1", "/rack1/node1", ""}
	a.ReduceLengths = []model.Time{9000 * ms, 9000 * ms}
	a.Memory = [model.Kinds]model.Bytes{2 * model.GiB, 4 * model.GiB}
	a.VCores = [model.Kinds]int32{2, 0}
	small, large := model.Ask{Need: model.Room{1024, 0}}, model.Ask{Need: model.Room{2048, 2}, Priority: 5}
	late := model.Ask{Need: model.Room{4096, 0}, Delay: 100 * ms}
	a.Asks = [model.Kinds][]model.Ask{{small, small, small, large}, {late, late}}
	a.Label = "gpu"
	want := []workload.Record{a}
	for _, name := range []string{"nightly_1", "nightly_2", "nightly_3"} {
		b := record("job 2", name, "batch", 30000*ms)
		b.Maps, b.Reduces, b.MapLengths = 1, 0, []model.Time{1000 * ms}
		want = append(want, b)
	}
	got, log := read(t, string(text), false)
	if log.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", log.Err(), got, want)
	}
	listed := "\n [" + strings.NewReplacer("2 }\n{", "2 },\n{", "\"gpu\"\n}", "\"gpu\"\n},").Replace(string(text)) + "]\n"
	got, log = read(t, listed, false)
	if log.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("in a list: %v\ngot  %+v\nwant %+v", log.Err(), got, want)
	}
	if got, log := read(t, " \n", false); len(got) > 0 || log.Err() != nil {
		t.Errorf("empty file: %d jobs, %v", len(got), log.Err())
	}
}

// Masters have sizes and kinds; what has no effect is said once, with its first place.
func TestApplications(t *testing.T) {
	got, log := read(t, `{"job.start.ms":0,"am.type":"mapreduce","am.memory-mb":2048,"am.vcores":2,"job.tasks":[{"duration.ms":1}]}
{"job.start.ms":0,"am.type":"mapreduce","yarn.sls.am.type":"dag","am.gpu":1,"job.tasks":[
 {"duration.ms":1,"container.execution.type":"OPPORTUNISTIC"},{"duration.ms":1,"container.allocation.id":3,"container.execution.type":"OPPORTUNISTIC"},
 {"duration.ms":1,"container.type":"reduce","container.host":"/r/n","container.memorymb":5}]}`, false)
	if log.Err() != nil || len(got) != 2 {
		t.Fatal(log.Err(), len(got))
	}
	if want := (model.Master{Need: model.Room{2048, 2}}); got[0].Master != want || got[1].Master.Kind != "dag" || got[0].Asks[model.Map] != nil {
		t.Errorf("%+v %+v", got[0], got[1])
	}
	want := []string{
		`x: job 2: am.type: "dag" runs under the master for MapReduce: maps first, then reduces`,
		`x: job 2: "am.gpu": unknown field, which has no effect; did you mean am.memory-mb?`,
		`x: job 2, job.tasks[0]: container.execution.type: "OPPORTUNISTIC" runs as GUARANTEED: there are no containers without a guarantee (and 1 more)`,
		`x: job 2, job.tasks[1]: container.allocation.id: not modelled: a container serves any task of its kind`,
		`x: job 2, job.tasks[2]: container.host: has no effect for a reduce, which runs anywhere`,
		`x: job 2, job.tasks[2]: "container.memorymb": unknown field, which has no effect; did you mean container.memory-mb?`,
	}
	if notes := log.Notes(); !slices.Equal(notes, want) {
		t.Errorf("got\n%s", strings.Join(notes, "\n"))
	}
}

const good = `{"job.start.ms":0,"job.id":"g","job.tasks":[{"duration.ms":1}]}`

func with(task string) string { return `{"job.start.ms":0,"job.tasks":[` + task + `]}` }

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		jobs             int
	}{
		{"binary", "\x00\x01\x02", `x: job 1, line 1: JSON: found invalid character '\x00' looking for beginning of value; allowed: a JSON object`, 0},
		{"not JSON", good + "\n\nhello", `x: job 2, line 3: JSON: found invalid character 'h' looking for beginning of value; allowed: a JSON object`, 1},
		{"truncated", good + "\n{\"job.start.ms\": 5,\n\"job.tasks\": [", `x: job 2, line 3: JSON: found the end of the file inside the job; allowed: a whole JSON object`, 1},
		{"key", "{\n \"a\": 1,\n }\n" + good, `x: job 1, line 3: JSON: found invalid character '}' looking for beginning of object key string; allowed: a JSON object`, 0},
		{"truncated list", "[" + good + ",\n", `x: job 2, line 2: JSON: found the end of the file inside the job; allowed: a whole JSON object`, 1},
		{"list without comma", "[" + good + "\n" + good + "]", `x: job 2, line 2: JSON: found expected comma after array element; allowed: a JSON object`, 1},
		{"behind the list", "[" + good + "]\n" + good, `x: line 2: JSON: found more text behind the list; allowed: the end of the file`, 1},
		{"number", "7 " + good, `x: job 1: JSON: found a JSON number; allowed: an object`, 1},
		{"null", "null " + good, "x: job 1: job.start.ms: found nothing; allowed: a whole number from 0 to 9223372036854\n" +
			`x: job 1: job.tasks: found nothing; allowed: at least one task`, 1},
		{"tasks are an object", `{"job.tasks":{}} ` + good, `x: job 1: job.tasks: found a JSON object; allowed: a list`, 1},
		{"task is a string", with(`"a"`) + good, `x: job 1: job.tasks: found a JSON string; allowed: an object`, 1},
		{"no start", `{"job.tasks":[{"duration.ms":1}]}` + good, `x: job 1: job.start.ms: found nothing; allowed: a whole number from 0 to 9223372036854`, 1},
		{"no tasks", `{"job.start.ms":0,"job.tasks":[]}` + good, `x: job 1: job.tasks: found nothing; allowed: at least one task`, 1},
		{"no end", with(`{"container.start.ms":4}`), `x: job 1, job.tasks[0]: container.end.ms: found nothing; allowed: a whole number from 0 to 9223372036854`, 0},
		{"wrong types", `{"job.start.ms":true,"job.id":5,"job.user":["u"],"job.queue.name":{"a":1,"b":2},"job.tasks":[{"duration.ms":1.5},{"duration.ms":"x"}]}`,
			"x: job 1: job.start.ms: found true; allowed: a whole number from 0 to 9223372036854\n" +
				"x: job 1: job.id: found 5; allowed: a string\n" +
				"x: job 1: job.queue.name: found an object; allowed: a string\n" +
				"x: job 1: job.user: found a list; allowed: a string\n" +
				"x: job 1, job.tasks[0]: duration.ms: found 1.5; allowed: a whole number from 0 to 9223372036854\n" +
				`x: job 1, job.tasks[1]: duration.ms: found "x"; allowed: a whole number from 0 to 9223372036854`, 0},
		{"negative", with(`{"duration.ms":1},{"duration.ms":-1}`), `x: job 1, job.tasks[1]: duration.ms: found -1; allowed: a whole number from 0 to 9223372036854`, 0},
		{"too late", `{"job.start.ms":9223372036855,"job.tasks":[{"duration.ms":1}]}`, `x: job 1: job.start.ms: found 9223372036855; allowed: a whole number from 0 to 9223372036854`, 0},
		{"overflow", with(`{"container.duration.ms":99999999999999999999}`), `x: job 1, job.tasks[0]: container.duration.ms: found 99999999999999999999; allowed: a whole number from 0 to 9223372036854`, 0},
		{"type", with(`{"duration.ms":1,"container.type":"stream"}`), `x: job 1, job.tasks[0]: container.type: found "stream"; allowed: map or reduce`, 0},
		{"empty type", with(`{"duration.ms":1,"container.type":""}`), `x: job 1, job.tasks[0]: container.type: found ""; allowed: map or reduce`, 0},
		{"priority", with(`{"duration.ms":1,"container.priority":7}`), `x: job 1, job.tasks[0]: container.priority: found 7; allowed: 5 or 20 (map), 10 (reduce), or any beside container.type`, 0},
		{"memory", with(`{"duration.ms":1,"container.memory-mb":0}`), `x: job 1, job.tasks[0]: container.memory-mb: found 0; allowed: a whole number from 1 to 8796093022207`, 0},
		{"cores", with(`{"duration.ms":1,"container.vcores":2147483648}`), `x: job 1, job.tasks[0]: container.vcores: found 2147483648; allowed: a whole number from 0 to 2147483647`, 0},
		{"job.count", `{"job.start.ms":0,"job.count":10000001,"job.tasks":[{"duration.ms":1}]}`, `x: job 1: job.count: found 10000001; allowed: a whole number from 1 to 10000000`, 0},
		{"count", with(`{"duration.ms":1,"count":10000001}`), `x: job 1, job.tasks[0]: count: found 10000001; allowed: a whole number from 1 to 10000000`, 0},
		{"all counts", with(`{"duration.ms":1,"count":9999999},{"duration.ms":1},{"duration.ms":1}`), `x: job 1: job.tasks: found 10000001 tasks; allowed: at most 10000000`, 0},
	} {
		got, log := read(t, c.text, true)
		if err := log.Err(); err == nil || err.Error() != c.want || len(got) != c.jobs {
			t.Errorf("%s: %d jobs, error\n%v\nwant\n%s", c.name, len(got), err, c.want)
		}
	}
}

func TestMendableFaults(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		check            func(*workload.Record) bool
	}{
		{"ends before start", with(`{"container.start.ms":500,"container.end.ms":400}`),
			`x: job 1, job.tasks[0]: container.end.ms: found 400, 100 ms before container.start.ms; allowed: not before container.start.ms (--repair: length 0)`,
			func(r *workload.Record) bool { return r.MapLengths[0] == 0 }},
		{"count", with(`{"duration.ms":1,"count":0}`),
			`x: job 1, job.tasks[0]: count: found 0; allowed: a whole number from 1 to 10000000 (--repair: taken as 1, as SLS does)`,
			func(r *workload.Record) bool { return r.Maps == 1 }},
		{"host", with(`{"duration.ms":1,"container.host":"node1"}`),
			`x: job 1, job.tasks[0]: container.host: found "node1"; allowed: /rack/node (--repair: taken as /default-rack/node1)`,
			func(r *workload.Record) bool { return r.MapHosts[0] == "/default-rack/node1" }},
	} {
		got, log := read(t, c.text, false)
		if err := log.Err(); err == nil || err.Error() != c.want || len(got) > 0 {
			t.Errorf("%s: %d jobs, error\n%v\nwant\n%s", c.name, len(got), err, c.want)
		}
		got, log = read(t, c.text, true)
		if log.Err() != nil || len(log.Repaired) != 1 || len(got) != 1 || !c.check(&got[0]) {
			t.Errorf("%s, mended: %+v, %d repairs, %v", c.name, got, len(log.Repaired), log.Err())
		}
	}
}

func TestErrorsPassOn(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "  ", "[", good, good[:20], "[" + good} {
		err := Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), &workload.Log{}, func(*workload.Record) error { return nil })
		if err != broken {
			t.Errorf("reading behind %q: %v", text, err)
		}
	}
	for _, text := range []string{good, strings.Replace(good, "{", `{"job.count":5,`, 1)} {
		if err := Read(strings.NewReader(text), &workload.Log{}, func(*workload.Record) error { return broken }); err != broken {
			t.Errorf("yield: %v", err)
		}
	}
}

// errEnough ends a job that is repeated millions of times.
var errEnough = errors.New("enough")

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/jobs.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text), true)
	f.Add("["+good+","+good+"]", false)
	f.Add(with(`{"container.start.ms":500,"container.end.ms":400,"container.host":"a/b"}`), true)
	f.Add(with(`{"duration.ms":"5","count":-1,"container.type":"reduce"}`)+`{"rack":"r","nodes":[{"node":"n"}]}`, true)
	f.Fuzz(func(t *testing.T, text string, mend bool) {
		log := &workload.Log{File: "x", Mend: mend}
		jobs := 0
		err := Read(strings.NewReader(text), log, func(r *workload.Record) error {
			if jobs++; jobs > 1000 {
				return errEnough
			}
			if len(r.MapLengths) != int(r.Maps) || len(r.ReduceLengths) != int(r.Reduces) || r.MapHosts != nil && len(r.MapHosts) != int(r.Maps) || r.Submit < 0 {
				t.Errorf("does not fit: %+v", r)
			}
			for _, l := range append(r.MapLengths[:len(r.MapLengths):len(r.MapLengths)], r.ReduceLengths...) {
				if l < 0 {
					t.Fatalf("negative length: %+v", r)
				}
			}
			return nil
		})
		if err != nil && err != errEnough {
			t.Error(err)
		}
		if _, err := ReadNodes(strings.NewReader(text), log); err != nil {
			t.Error(err)
		}
	})
}
