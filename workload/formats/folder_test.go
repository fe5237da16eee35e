// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yardmaster/yardmaster/model"
)

// history returns the history of a job of one map, which is submitted at that second.
func history(id string, second string) string {
	r := strings.NewReplacer("ID", id, "SECOND", second)
	return r.Replace(`Avro-Json
{"type":"record","name":"Event"}
{"type":"JOB_SUBMITTED","event":{"s":{"jobid":"ID","submitTime":SECOND000}}}
{"type":"MAP_ATTEMPT_STARTED","event":{"s":{"taskid":"t","attemptId":"a","startTime":SECOND500}}}
{"type":"MAP_ATTEMPT_FINISHED","event":{"s":{"taskid":"t","attemptId":"a","finishTime":SECOND900}}}
{"type":"JOB_FINISHED","event":{"s":{"jobid":"ID"}}}
`)
}

func tree(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

const mapMemory = `<configuration><property><name>mapreduce.map.memory.mb</name><value>512</value></property>
<property><name>mapreduce.reduce.memory.mb</name><value>-1</value></property><property><name>mapreduce.reduce.java.opts</name><value>-Xms1g -Xmx800m</value></property>
<property><name>mapreduce.map.cpu.vcores</name><value>2</value></property><property><name>yarn.app.mapreduce.am.resource.mb</name><value>${am}</value></property><property><name>am</name><value>2048</value></property>
<property><name>mapreduce.job.reduce.slowstart.completedmaps</name><value>0.5</value></property></configuration>`

// A done tree: files in any order and depth, compressed or not, configurations beside them or elsewhere.
func TestReadFolder(t *testing.T) {
	folder := tree(map[string]string{
		"2026/11/15/000000/job_1_0002-900-u-x.jhist":    history("job_1_0002", "900"),
		"2026/11/15/000000/job_1_0002_conf.xml":         mapMemory,
		"2026/11/16/000000/job_1_0001-100-u-x.jhist.gz": zip(t, history("job_1_0001", "100")),
		"2026/11/16/000000/.job_1_0001.jhist.crc":       "crc",
		"a.jhist":      history("job_1_0003", "300"),
		"_SUCCESS":     "",
		"conf/job.xml": "<configuration/>",
	})
	records, log, err := ReadFolder("done", folder, false)
	if err != nil || len(records) != 3 || len(log.Notes()) > 0 {
		t.Fatal(len(records), err, log.Notes())
	}
	for i, want := range []struct {
		name   string
		submit model.Time
	}{{"job_1_0001", 0}, {"job_1_0003", 200 * model.Second}, {"job_1_0002", 800 * model.Second}} {
		if r := &records[i]; r.Name != want.name || r.Submit != want.submit || r.MapLengths[0] != 400*model.Millisecond {
			t.Errorf("%d: %+v", i, r)
		}
	}
	r := &records[2]
	if r.Memory != [model.Kinds]model.Bytes{512 * model.MiB, 1000 * model.MiB} || r.VCores != [model.Kinds]int32{2, 0} || r.Master.Need != (model.Room{2048, 0}) || *r.Master.SlowStart != 0.5 {
		t.Errorf("%+v", r)
	}
	if r.Where != "2026/11/15/000000/job_1_0002-900-u-x.jhist, line 1" || records[0].Memory[0] != 0 || records[0].Master.SlowStart != nil {
		t.Errorf("%+v", records)
	}
}

// All faults of all files come at once, each with its file.
func TestReadFolderFaults(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing": {map[string]string{"x.txt": "x"}, `d: folder: files: found no file that ends in .jhist; allowed: at least one job history`},
		"two": {map[string]string{"a.jhist": "hello\n", "b.jhist": history("j", "1")[:100]},
			"d: a.jhist, line 1: header: found \"hello\"; allowed: Avro-Json or Avro-Binary\nd: b.jhist, line 3: JSON: found unexpected end of JSON input; allowed: one JSON object per line"},
		"one job twice": {map[string]string{"a.jhist": history("j", "1"), "b.jhist": history("j", "1")},
			`d: b.jhist, line 1: name: found "j", which a job before has; allowed: a name of its own for each job (--repair: renamed to "j#2")`},
		"empty": {map[string]string{"a.jhist": "", "b.jhist": history("j", "1"), "c.jhist.gz": zip(t, ""), "d.jhist": "\n \n"},
			"d: a.jhist, line 1: file: found no jobs; allowed: at least one job (--repair: dropped)\nd: c.jhist.gz, line 1: file: found no jobs; allowed: at least one job (--repair: dropped)\n" +
				"d: d.jhist, line 1: file: found no jobs; allowed: at least one job (--repair: dropped)"},
		"gzip": {map[string]string{"a.jhist": "\x1f\x8bx"}, `d: a.jhist, byte 0 when unpacked: gzip: found`},
		"configuration": {map[string]string{"a.jhist": history("job_1_1", "1"), "job_1_1_conf.xml": "<configuration>"},
			`d: job_1_1_conf.xml: configuration: found job_1_1_conf.xml:1:16: malformed XML: unexpected EOF; allowed: the configuration of job_1_1`},
	} {
		records, _, err := ReadFolder("d", tree(c.files), false)
		if err == nil || len(records) > 0 || !strings.HasPrefix(err.Error(), strings.SplitN(c.want, "found \"j\", which", 2)[0]) {
			t.Errorf("%s: %d records, %v\nwant %s", name, len(records), err, c.want)
		}
	}
	_, log, err := ReadFolder("d", tree(map[string]string{"a.jhist": history("job_1_1", "1"),
		"job_1_1_conf.xml": "<configuration><property><name>mapreduce.map.memory.mb</name><value>much</value></property></configuration>"}), false)
	if notes := log.Notes(); err != nil || len(notes) != 1 || notes[0] != `d: a.jhist, line 1: mapreduce.map.memory.mb: "much" is passed over: it is no number that it may have` {
		t.Errorf("%v, %q", err, notes)
	}
}

// With repair a file without any job is dropped as a job without any successful task is, and both are listed, each once; a
// folder of nothing else is refused.
func TestReadFolderDropsEmptyFiles(t *testing.T) {
	killed := history("killed", "1")
	killed = killed[:strings.Index(killed, `{"type":"MAP`)] + killed[strings.Index(killed, `{"type":"JOB_F`):]
	files := map[string]string{"a.jhist": "", "b.jhist": history("j", "1"), "c.jhist": killed}
	records, log, err := ReadFolder("d", tree(files), true)
	if err != nil || len(records) != 1 || records[0].Name != "j" || records[0].Submit != 0 {
		t.Fatal(records, err)
	}
	if r := log.Repaired; len(r) != 2 || r[0].String() != "a.jhist, line 1: file: found no jobs; allowed: at least one job; repaired: dropped" ||
		!strings.HasPrefix(r[1].String(), "c.jhist, line 1: outcome: found ") {
		t.Error(r)
	}
	delete(files, "b.jhist")
	if records, _, err := ReadFolder("d", tree(files), true); err == nil || len(records) > 0 || err.Error() != "d: line 1: file: found no jobs; allowed: at least one job" {
		t.Errorf("%d records, %v", len(records), err)
	}
}
