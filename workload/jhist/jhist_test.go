// SPDX-License-Identifier: Apache-2.0

package jhist

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/yardmaster/yardmaster/internal/tracetest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

func sample(t testing.TB) string {
	text, err := os.ReadFile("testdata/wordcount.jhist")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func read(t testing.TB, text string, mend bool) ([]workload.Record, *workload.Log) {
	t.Helper()
	return tracetest.Read(t, Read, text, mend)
}

const ms = model.Millisecond

// wordcount is the job of testdata/wordcount.jhist. The first attempt of map 0 failed, so its length
// is that of the second: 22500 - 10000. The reduce had its data at 24000, 1500 ms after the last map.
func wordcount(line int, submit model.Time) workload.Record {
	r := workload.NewRecord(fmt.Sprintf("line %d", line))
	r.Name, r.Class, r.User, r.Queue = "job_1699999000000_0007", "word count", "ada", "root.prod"
	r.Submit, r.Priority = submit, model.High
	r.Maps, r.Reduces = 2, 1
	r.MapLengths = []model.Time{12500 * ms, 14800 * ms}
	r.ReduceLengths = []model.Time{7000 * ms}
	r.ShuffleTail = 1500 * ms
	r.MapHosts = []string{"/rack-a/node1.example.org", "/default-rack/node3.example.org"}
	r.Input, r.Shuffle, r.Output = 134217850+67108986, 52428800, 26214400
	r.Memory[model.Map] = 1536 * model.MiB
	r.OtherHosts = []string{"/rack-b/node2.example.org", ""}
	r.Master.Start = 2500 * ms // from 1500 to 4000
	since := func(t model.Time) model.Time { return max(0, t*ms-submit) }
	r.Past = &workload.Past{MasterStart: since(1500), MasterHost: "node4.example.org", Initialised: since(4000), Finished: since(31200), Runs: [model.Kinds][]workload.Run{
		{{Asked: since(4100), Start: since(10000), End: since(22500), Host: "/rack-a/node1.example.org"}, {Asked: since(4110), Start: since(5200), End: since(20000), Host: "/rack-b/node2.example.org"}},
		{{Asked: since(4120), Start: since(18000), End: since(31000), Host: "/rack-b/node2.example.org"}}}}
	if submit == 0 { // the tasks of a job that was moved behind them began before its submission
		r.Waited, r.Elapsed = 5200*ms, 31000*ms
	}
	return r
}

func TestRead(t *testing.T) {
	got, log := read(t, sample(t), false)
	if log.Err() != nil {
		t.Fatal(log.Err())
	}
	if want := []workload.Record{wordcount(1, 0)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Two files in a row: the second job counts from the first one's submission.
func TestReadConcatenated(t *testing.T) {
	second := strings.ReplaceAll(sample(t), `"submitTime":1700000000000`, `"submitTime":1700000060001`)
	got, log := read(t, sample(t)+second, false)
	if log.Err() != nil {
		t.Fatal(log.Err())
	}
	lines := strings.Count(sample(t), "\n")
	if want := []workload.Record{wordcount(1, 0), wordcount(1+lines, 60001*ms)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A map whose output was lost counts with the attempt that ran again; one whose task failed does not
// count; TASK_FINISHED chooses among finished attempts.
func TestWhichAttemptCounts(t *testing.T) {
	for _, c := range []struct {
		name, events string
		want         []model.Time
	}{
		{"last", attempts("m0 a0 1000 2000", "m0 a1 1000 5000"), []model.Time{4000 * ms}},
		{"chosen", attempts("m0 a0 1000 2000", "m0 a1 1000 5000") + line("TASK_FINISHED", `"taskid":"m0","taskType":"MAP","successfulAttemptId":"a0"`), []model.Time{1000 * ms}},
		{"lost", attempts("m0 a0 1000 2000", "m0 a1 1000 5000") + line("MAP_ATTEMPT_KILLED", `"taskid":"m0","attemptId":"a1"`), []model.Time{1000 * ms}},
		{"failed task", attempts("m0 a0 1000 2000", "m1 a1 1000 5000") + line("TASK_FAILED", `"taskid":"m0","taskType":"MAP"`), []model.Time{4000 * ms}},
		{"setup task", attempts("m0 a0 1000 2000") + line("TASK_STARTED", `"taskid":"s","taskType":"JOB_SETUP"`) + line("SETUP_ATTEMPT_STARTED", `"taskid":"s"`), []model.Time{1000 * ms}},
	} {
		got, log := read(t, start+c.events+line("JOB_KILLED", `"jobid":"j"`), false)
		if log.Err() != nil || len(got) != 1 || !reflect.DeepEqual(got[0].MapLengths, c.want) || got[0].Maps != int32(len(c.want)) {
			t.Errorf("%s: got %+v, %v; want maps %v", c.name, got, log.Err(), c.want)
		}
	}
}

const head = "Avro-Json\n{\"type\":\"record\"}\n"

var start = head + line("JOB_SUBMITTED", `"jobid":"j","jobName":{"string":"n"},"userName":"u","submitTime":{"long":10},"jobQueueName":null`)

func line(kind, fields string) string {
	return `{"type":"` + kind + `","event":{"r":{` + fields + "}}}\n"
}

// attempts returns the start and the end of map attempts, each given as task, attempt, start, end.
func attempts(list ...string) (events string) {
	for _, a := range list {
		f := strings.Fields(a)
		id := `"taskid":"` + f[0] + `","attemptId":"` + f[1] + `",`
		events += line("MAP_ATTEMPT_STARTED", id+`"startTime":`+f[2]) + line("MAP_ATTEMPT_FINISHED", id+`"finishTime":`+f[3])
	}
	return events
}

func TestFaults(t *testing.T) {
	end := line("JOB_FINISHED", `"jobid":"j"`)
	one := attempts("m0 a0 1000 2000")
	for _, c := range []struct{ name, text, want string }{
		{"binary", "Obj\x01\x04\x14avro.codec", `x: line 1: header: found "Obj\x01\x04\x14avro.codec"; allowed: Avro-Json or Avro-Binary`},
		{"binary form", "Avro-Binary\n{}\n", `x: line 2: schema: found "{}"; allowed: the Avro schema of the events`},
		{"header only", "\nAvro-Json\n", `x: line 2: schema: found nothing; allowed: the Avro schema of the events, and the events`},
		{"no schema", "Avro-Json\n" + end, `x: line 2: schema: found "{\"type\":\"JOB_FINISHED\",\"event\":{\"r\":{\"jobid\":\"j\"}}}"; allowed: the Avro schema of the events`},
		{"no events", head, `x: line 1: event: found no JOB_SUBMITTED; allowed: one per job`},
		{"truncated", start + one + end[:20], `x: line 6: JSON: found unexpected end of JSON input; allowed: one JSON object per line`},
		{"not JSON", start + "hello\n" + one + end, `x: line 4: JSON: found invalid character 'h' looking for beginning of value; allowed: one JSON object per line`},
		{"not an object", start + "[1]\n" + one + end, `x: line 4: JSON: found a JSON array; allowed: an object`},
		{"event is a string", start + `{"type":"TASK_STARTED","event":"x"}` + "\n" + one + end, `x: line 4: event: found a JSON string; allowed: an object`},
		{"no type", start + `{"event":{"r":{}}}` + "\n" + end, `x: line 4: type: found nothing; allowed: the type of an event`},
		{"no event", start + `{"type":"TASK_STARTED"}` + "\n" + end, `x: line 4: event: found 0 records; allowed: one, under the name of its type`},
		{"two records", start + `{"type":"TASK_STARTED","event":{"a":{},"b":{}}}` + "\n" + end, `x: line 4: event: found 2 records; allowed: one, under the name of its type`},
		{"no submit time", head + line("JOB_SUBMITTED", `"jobid":"j"`), `x: line 3: submitTime: found nothing; allowed: a whole number from 0 to 9223372036854`},
		{"negative", head + line("JOB_SUBMITTED", `"jobid":"j","submitTime":-5`), `x: line 3: submitTime: found -5; allowed: a whole number from 0 to 9223372036854`},
		{"overflow", head + line("JOB_SUBMITTED", `"jobid":"j","submitTime":99999999999999999999`), `x: line 3: submitTime: found 99999999999999999999; allowed: a whole number from 0 to 9223372036854`},
		{"wrong types", head + line("JOB_SUBMITTED", `"jobid":7,"userName":[1],"submitTime":{"long":"x"}`), "x: line 3: jobid: found 7; allowed: a string\n" +
			"x: line 3: userName: found a list; allowed: a string\n" + `x: line 3: submitTime: found "x"; allowed: a whole number from 0 to 9223372036854`},
		{"no job ID", head + line("JOB_SUBMITTED", `"submitTime":1`), `x: line 3: jobid: found nothing; allowed: the ID of a job`},
		{"two jobs", start + line("JOB_SUBMITTED", `"jobid":"k","submitTime":1`), `x: line 4: jobid: found "k" behind "j"; allowed: one job behind each line Avro-Json`},
		{"too many tasks", start + line("JOB_INITED", `"totalMaps":10000001,"totalReduces":0`), `x: line 4: totalMaps: found 10000001; allowed: a whole number from 0 to 10000000`},
		{"no task ID", start + line("MAP_ATTEMPT_STARTED", `"attemptId":"a"`), `x: line 4: taskid: found nothing; allowed: the ID of a task`},
		{"no attempt ID", start + line("MAP_ATTEMPT_STARTED", `"taskid":"a"`), `x: line 4: attemptId: found nothing; allowed: the ID of an attempt`},
		{"no task type", start + line("TASK_STARTED", `"taskid":"a"`), `x: line 4: taskType: found nothing; allowed: MAP, REDUCE or the type of another task`},
		{"not started", start + line("MAP_ATTEMPT_FINISHED", `"taskid":"a","attemptId":"b"`), `x: line 4: attemptId: found "b", which has not started; allowed: an attempt that started on a line before`},
		{"counters are a list", start + line("MAP_ATTEMPT_FINISHED", `"taskid":"a","attemptId":"b","counters":[]`), `x: line 4: event.counters: found a JSON array; allowed: an object`},
		{"counter", start + line("MAP_ATTEMPT_STARTED", `"taskid":"a","attemptId":"b","startTime":1`) +
			line("MAP_ATTEMPT_FINISHED", `"taskid":"a","attemptId":"b","finishTime":2,"counters":{"groups":[{"counts":[{"name":"HDFS_BYTES_READ","value":1.5}]}]}`),
			`x: line 5: counter HDFS_BYTES_READ: found 1.5; allowed: a whole number from 0 to 9223372036854775807`},
	} {
		got, log := read(t, c.text, true)
		if err := log.Err(); err == nil || err.Error() != c.want || len(got) > 0 {
			t.Errorf("%s: %d jobs, error\n%v\nwant\n%s", c.name, len(got), err, c.want)
		}
	}
}

func TestMendableFaults(t *testing.T) {
	end := line("JOB_FINISHED", `"jobid":"j"`)
	reduce := line("REDUCE_ATTEMPT_STARTED", `"taskid":"r","attemptId":"r0","startTime":100`)
	for _, c := range []struct {
		name, text, want string
		jobs             int
	}{
		{"ends before start", start + attempts("m0 a0 2000 1500") + end,
			`x: line 5: finishTime: found 1500, 500 ms before startTime; allowed: not before startTime (--repair: length 0)`, 1},
		{"no success", start + end,
			`x: line 1: outcome: found "FINISHED", no task succeeded; allowed: a job with at least one successful task (--repair: dropped)`, 0},
		{"no end", start + attempts("m0 a0 1 2"),
			`x: line 1: event: found none that ends the job; allowed: JOB_FINISHED, JOB_FAILED or JOB_KILLED (--repair: the tasks that have succeeded are taken)`, 1},
		{"tasks missing", start + line("JOB_INITED", `"totalMaps":2,"totalReduces":0`) + attempts("m0 a0 1 2") + end,
			`x: line 1: totalMaps: found 2 for 1 tasks that are listed; allowed: as many as are listed (--repair: the listed tasks are taken)`, 1},
		{"priority", start + attempts("m0 a0 1 2") + line("JOB_PRIORITY_CHANGED", `"priority":"URGENT"`) + end,
			`x: line 6: priority: found "URGENT"; allowed: VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW (--repair: taken as NORMAL)`, 1},
		{"sorted behind the end", start + reduce + line("REDUCE_ATTEMPT_FINISHED", `"taskid":"r","attemptId":"r0","finishTime":200,"sortFinishTime":201`) + end,
			`x: line 5: sortFinishTime: found 201; allowed: from the start 100 to the end 200 of the attempt (--repair: taken as the nearer of the two)`, 1},
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

// A fault leaves out its job and no other.
func TestFaultLeavesOutOneJob(t *testing.T) {
	bad := start + "hello\n"
	got, log := read(t, sample(t)+bad+sample(t), false)
	if len(got) != 2 || len(log.Faults) != 1 {
		t.Errorf("%d jobs, %v", len(got), log.Err())
	}
}

func TestLongLine(t *testing.T) {
	long := io.MultiReader(strings.NewReader(start), &repeat{'x', maxLine + 1<<20}, strings.NewReader("\n"+sample(t)))
	log := &workload.Log{File: "x"}
	jobs := 0
	err := Read(long, log, func(*workload.Record) error { jobs++; return nil })
	want := `x: line 4: JSON: found a line of more than 67108864 bytes; allowed: shorter lines`
	if err != nil || jobs != 1 || log.Err() == nil || log.Err().Error() != want {
		t.Errorf("%d jobs, %v, %v", jobs, err, log.Err())
	}
}

type repeat struct {
	b    byte
	left int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), r.left)
	for i := range p[:n] {
		p[i] = r.b
	}
	r.left -= n
	return n, nil
}

func TestErrorsPassOn(t *testing.T) {
	broken := errors.New("broken")
	text := sample(t)
	err := Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), &workload.Log{}, func(*workload.Record) error { return nil })
	if err != broken {
		t.Errorf("reading: %v", err)
	}
	err = Read(strings.NewReader(text+text), &workload.Log{}, func(*workload.Record) error { return broken })
	if err != broken {
		t.Errorf("yield: %v", err)
	}
}

// spell turns bytes into a history: the first letters stand for whole lines, the rest for themselves. Inputs that are
// short as fuzzing sees them are many lines long; of long ones it would try all parts to make them shorter.
func spell(word string) string {
	lines := []string{
		head, start, "\n", `{"type":"`, `","event":{"r":{`, "}}}\n", `"taskid":"m0","attemptId":"a0",`, `"taskid":"r0","attemptId":"a1",`,
		attempts("m0 a0 1000 2000"), attempts("m0 a1 1000 5000"), attempts("m1 a2 9 8"),
		line("JOB_FINISHED", `"jobid":"j","finishTime":9`), line("JOB_KILLED", `"jobid":"j"`), line("JOB_INITED", `"totalMaps":2,"totalReduces":0,"launchTime":5,"uberized":true`),
		line("TASK_STARTED", `"taskid":"m0","taskType":"MAP","splitLocations":",/a/b,c"`), line("TASK_FINISHED", `"taskid":"m0","taskType":"MAP","successfulAttemptId":"a0"`),
		line("TASK_FAILED", `"taskid":"m0","taskType":"MAP"`), line("MAP_ATTEMPT_KILLED", `"taskid":"m0","attemptId":"a1"`),
		line("REDUCE_ATTEMPT_STARTED", `"taskid":"r0","attemptId":"a1","startTime":5`),
		line("REDUCE_ATTEMPT_FINISHED", `"taskid":"r0","attemptId":"a1","finishTime":9,"sortFinishTime":7,"counters":{"groups":[{"counts":[{"name":"HDFS_BYTES_WRITTEN","value":7}]}]}`),
		line("AM_STARTED", `"startTime":5,"nodeManagerHost":"h"`), line("NORMALIZED_RESOURCE", `"taskType":"MAP","memory":512`),
		line("JOB_PRIORITY_CHANGED", `"priority":"HIGH"`), line("JOB_QUEUE_CHANGED", `"jobQueueName":"q"`), `"startTime":`, `"finishTime":`,
	}
	var b strings.Builder
	for i := range len(word) {
		if at := int(word[i] - 'A'); word[i] >= 'A' && at < len(lines) {
			b.WriteString(lines[at])
		} else {
			b.WriteByte(word[i])
		}
	}
	return b.String()
}

func FuzzRead(f *testing.F) {
	for _, word := range []string{"BIJM", "BOIL", "ACA\nnull", "BUNVWXOIJPQRSTL", "BDxEGY5FBK"} {
		f.Add(word, true)
		f.Add(word, false)
	}
	f.Fuzz(func(t *testing.T, word string, mend bool) {
		got, log := read(t, spell(word), mend)
		tracetest.Sane(t, got, log)
	})
}

func TestSpell(t *testing.T) {
	if got, log := read(t, spell("BUNVWXOIJPRSTL"), true); len(got) != 1 || log.Err() != nil {
		t.Errorf("%d jobs, %v", len(got), log.Err())
	}
}
