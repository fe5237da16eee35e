// SPDX-License-Identifier: Apache-2.0

package slssynth

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/tracetest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// The generators give what those of Java and of Commons Math 3.6.1 give, asked of them.
func TestGenerators(t *testing.T) {
	r := &jdk{}
	r.seed(2)
	if got := fmt.Sprint(r.long(), r.below(59), r.below(64), r.double(), r.long()); got != "-4959463499243013640 55 0 0.49682259343089075 -260524486875061426" {
		t.Error(got)
	}
	w := newWell(-123456789012345)
	if got := fmt.Sprintf("%d %v %.12f %.12f %.12f", int32(w.next()), w.double(), w.normal(), w.normal(), w.normal()); got != "630265764 0.7455361960237188 1.583928843822 1.051430476213 0.753691482103" {
		t.Error(got)
	}
	for range 1000 {
		w.next()
	}
	if got := int32(w.next()); got != -1086630770 {
		t.Error(got)
	}
}

// lines returns the jobs as SLS was made to print them: name, user, queue, submission since the first, type and tasks.
func lines(records []workload.Record) string {
	var b strings.Builder
	for i := range records {
		r := &records[i]
		fmt.Fprintf(&b, "%s %s %s %d", r.Name, r.User, r.Queue, r.Submit/model.Millisecond)
		for k, list := range [][]model.Time{r.MapLengths, r.ReduceLengths} {
			for n, l := range list {
				need := model.Room{int32(r.Memory[k] / model.MiB), r.VCores[k]}
				if r.Asks[k] != nil {
					need = r.Asks[k][n].Need
				}
				fmt.Fprintf(&b, " %s:%d:%d:%d", model.Kind(k), l/model.Millisecond, need[0], need[1])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestAsSLS: the jobs that SLS 3.4.2 makes of a description with every kind of sample, task by task.
func TestAsSLS(t *testing.T) {
	text, err := os.ReadFile("testdata/mix.json")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("testdata/mix.out")
	if err != nil {
		t.Fatal(err)
	}
	got, log := tracetest.Read(t, Read, string(text), false)
	if log.Err() != nil {
		t.Fatal(log.Err())
	}
	var want strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(string(recorded)), "\n") {
		f := strings.Fields(line)
		name := fmt.Sprintf("%s_%06d", f[0][:strings.LastIndexByte(f[0], '_')], i) // its process had made others before
		fmt.Fprintf(&want, "%s %s %s %s", name, f[1], f[2], f[3])
		for _, task := range f[7:] {
			fmt.Fprintf(&want, " %s", task[:strings.LastIndexByte(task, ':')])
		}
		want.WriteByte('\n')
		var submit, deadline int64
		fmt.Sscan(f[3], &submit)
		fmt.Sscan(f[5], &deadline)
		if goal := model.Time(max(deadline-submit, 0)) * model.Millisecond; deadline < 0 && got[i].Goal != 0 || deadline > 0 && got[i].Goal != goal {
			t.Errorf("%s: goal %v, deadline %d", name, got[i].Goal, deadline)
		}
	}
	if lines(got) != want.String() {
		t.Errorf("got\n%s\nwant\n%s", lines(got), want.String())
	}
}

// Hadoop's own sample in the older form: the first jobs that SLS makes of it.
func TestHadoopSample(t *testing.T) {
	got, log := tracetest.Read(t, Read, tracetest.Sample(t, "syn.json"), false)
	const want = `class_1_000000 foobar sls_queue_1 0 map:10:1024:1 map:10:1024:1 map:12:1024:1 map:10:1024:1 reduce:22:2048:2 reduce:19:2048:2 reduce:19:2048:2
class_1_000001 foobar sls_queue_1 0 map:7:1024:1 map:12:1024:1 map:13:1024:1 map:9:1024:1 reduce:25:2048:2 reduce:16:2048:2 reduce:17:2048:2 reduce:27:2048:2
class_1_000002 foobar sls_queue_1 32000 map:10:1024:1 map:8:1024:1 map:7:1024:1 reduce:15:2048:2 reduce:21:2048:2 reduce:17:2048:2 reduce:21:2048:2
`
	if log.Err() != nil || len(got) != 10 || lines(got[:3]) != want {
		t.Errorf("%v, %d jobs\n%s", log.Err(), len(got), lines(got))
	}
	if notes := log.Notes(); len(notes) != 2 || !strings.HasPrefix(notes[0], "x: trace: num_nodes: passed over") || !strings.HasPrefix(notes[1], "x: job 1: reservation: not modelled") {
		t.Errorf("%q", notes)
	}
}

const (
	one   = `{"class_name":"c","user_name":"u","class_weight":1,"type":"mapreduce","deadline_factor":{"val":1},"duration":{"val":1},"reservation":{"val":0},"tasks":[TASK]}`
	plain = `{"type":"map","priority":20,"count":{"val":1},"time":{"val":5},"max_memory":{"val":1},"max_vcores":{"val":1}}`
)

func with(task string) string {
	return `{"num_jobs":1,"workloads":[{"workload_weight":1,"queue_name":"q","job_classes":[` + strings.Replace(one, "TASK", task, 1) + `],"time_distribution":[{"time":0,"weight":1}]}]}`
}

func TestFaults(t *testing.T) {
	swap := func(a, b string) string { return strings.Replace(with(plain), a, b, 1) }
	in := func(text string) string { return `x: workloads[0], job_classes[0]: tasks[0].count` + text }
	for _, c := range []struct{ name, text, want string }{
		{"jobs", swap(`"num_jobs":1`, `"num_jobs":0`), `x: trace: num_jobs: found 0; allowed: a whole number from 1 to 10000000`},
		{"no workloads", `{"num_jobs":1}`, `x: trace: workloads: found nothing; allowed: at least one`},
		{"weights", swap(`"workload_weight":1`, `"workload_weight":0`), `x: trace: workload_weight: found weights that add up to 0; allowed: a sum above 0`},
		{"negative weight", swap(`"class_weight":1`, `"class_weight":-1`), `x: workloads[0]: class_weight: found -1; allowed: numbers of at least 0`},
		{"no count", swap(`"count":{"val":1},`, ``), in(`: found nothing; allowed: val, val and std, or discrete`)},
		{"mean", swap(`"count":{"val":1}`, `"count":{"val":0,"std":1}`), in(`: found a mean of 0 with a deviation of 1; allowed: a mean above 0 and a deviation of at least 0`)},
		{"distribution", swap(`"count":{"val":1}`, `"count":{"val":1,"std":1,"dist":"GAMMA"}`), in(`.dist: found "GAMMA"; allowed: LOGNORM or NORM`)},
		{"both", swap(`"count":{"val":1}`, `"count":{"val":1,"discrete":[1]}`), in(`: found several kinds of samples; allowed: val, val and std, or discrete`)},
		{"values", swap(`"count":{"val":1}`, `"count":{"discrete":["many"]}`), in(`.discrete: found "many"; allowed: numbers`)},
		{"value weights", swap(`"count":{"val":1}`, `"count":{"discrete":[1],"weights":[1,2]}`), in(`.weights: found 2 weights for 1 values; allowed: one for each value`)},
		{"too many", swap(`"count":{"val":1}`, `"count":{"val":10000001}`), `x: job 1: tasks: found 10000001 tasks of 1024 MiB and 1 vcores; allowed: at most 10000000 tasks, containers of at most 1073741824`},
		{"shape", `{"num_jobs":"many"}`, `x: trace 1: num_jobs: found a JSON string; allowed: an object`},
		{"cut off", with(plain)[:50], `x: trace 1, line 1: JSON: found the end of the file inside the trace; allowed: a whole JSON object`},
	} {
		got, log := tracetest.Read(t, Read, c.text, true)
		if err := log.Err(); err == nil || err.Error() != c.want || len(got) > 0 {
			t.Errorf("%s: %d jobs, error\n%v\nwant\n%s", c.name, len(got), err, c.want)
		}
	}
}

// FuzzRead: whatever the description, reading ends and lists fit.
func FuzzRead(f *testing.F) {
	f.Add(plain, true)
	f.Add(`{"type":"reduce","count":{"val":2,"std":1},"time":{"discrete":["5",6]},"max_memory":{"val":1,"std":0,"dist":"NORM"},"max_vcores":{"val":1}}`, false)
	f.Fuzz(func(t *testing.T, task string, mend bool) {
		if len(task) > 400 || strings.Contains(task, "num_jobs") {
			return
		}
		log := &workload.Log{File: "x", Mend: mend}
		var got []workload.Record
		tasks := 0
		err := Read(strings.NewReader(with(task)), log, func(r *workload.Record) error {
			tasks += int(r.Maps + r.Reduces)
			got = append(got, *r)
			return nil
		})
		if err != nil || len(got) > 1 {
			t.Error(err, len(got))
		}
		if tasks < 1000 {
			tracetest.Sane(t, got, log)
		}
	})
}
