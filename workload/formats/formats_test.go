// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"strings"
	"testing"
)

const (
	swimText  = "a\t9\t9\t1\t2\t3\nb\t18\t9\t4\t5\t6\n"
	csvText   = "name,submit\na,9\nb,18\n"
	slsText   = `{"am.type":"mapreduce","job.start.ms":0,"job.id":"a","job.user":"u","job.queue.name":"q","job.tasks":[{"container.host":"/r/h","container.start.ms":0,"container.end.ms":5000,"container.priority":20,"container.type":"map"}]}`
	rumenText = `{"jobID":"job_1_1","user":"u","submitTime":1000,"mapTasks":[],"reduceTasks":[],"totalMaps":0}`
	histText  = "Avro-Json\n{}\n"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{swimText, "swim"},
		{"a\t1\n", "swim"},
		{"\ufeff\na\t1\t2\t3\t4\t5", "swim"},
		{csvText, "jobcsv"},
		{"\ufeff\"submit\", \"nmae\"\r\n", "jobcsv"},
		{"user,name", "jobcsv"},
		{slsText, "sls"},
		{"[\n" + slsText + "]", "sls"},
		{`{"job.start.ms": 1}`, "sls"},
		{rumenText, "rumen"},
		{histText, "jhist"},
		{"Avro-Binary\n", "jhist"},
	} {
		f, err := Detect([]byte(c.head))
		if err != nil || f.Name != c.want {
			t.Errorf("%.30q: got %v, %v, want %s", c.head, f, err, c.want)
		}
	}
}

const known = "jhist (Hadoop job history, .jhist in either form), sls (JSON of Hadoop's Scheduler Load Simulator), sls-synth (description of synthetic jobs for Hadoop's Scheduler Load Simulator), " +
	"rumen (JSON that Hadoop's Rumen made of job histories), jobcsv (Yardmaster's own CSV), swim (SWIM's tab-separated text)"

func TestDetectRefuses(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"", `format: found an unknown format that begins with ""; allowed: ` + known},
		{"hello world, this is text", `format: found an unknown format that begins with "hello world, this is"; allowed: ` + known},
		{"{\"a\":\t1}", `format: found an unknown format that begins with "{\"a\":\t1}"; allowed: ` + known},
		{"\x7fELF\x00\t", `format: found an unknown format that begins with "\x7fELF\x00\t"; allowed: ` + known},
	} {
		f, err := Detect([]byte(c.head))
		if f != nil || err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v, %v\nwant %s", c.head, f, err, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All {
		if f.Name == "" || seen[f.Name] || f.Doc == "" || strings.HasSuffix(f.Doc, ".") || f.Read == nil || f.Sniff == nil {
			t.Errorf("format %q: got an incomplete or second entry", f.Name)
		}
		seen[f.Name] = true
	}
}
