// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

func zip(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// list returns the jobs in short form.
func list(records []workload.Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%s@%v", r.Name, r.Submit)
		if r.After != "" {
			b.WriteString(" after " + r.After)
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestReadAll(t *testing.T) {
	zipped := zip(t, swimText)
	for _, c := range []struct{ name, data, format, want string }{
		{"swim", swimText, "", "a@9s; b@18s"},
		{"swim by name", swimText, "swim", "a@9s; b@18s"},
		{"jobcsv", csvText, "", "a@9s; b@18s"},
		{"sls", slsText, "", "a@0s"},
		{"gzip", zipped, "", "a@9s; b@18s"},
		{"gzip by name", zipped, "swim", "a@9s; b@18s"},
		{"gzip in parts", zip(t, swimText[:7]) + zip(t, swimText[7:]), "", "a@9s; b@18s"},
		{"same time", "name,submit\na,9\nb,9\n", "", "a@9s; b@9s"},
		{"think time", "name,submit,after\na,9,\nb,1,a\nc,9,\nd,0,b\n", "", "a@9s; b@1s after a; c@9s; d@0s after b"},
	} {
		records, log, err := ReadAll("f", strings.NewReader(c.data), c.format, false)
		if err != nil || list(records) != c.want || len(log.Repaired) > 0 || log.File != "f" {
			t.Errorf("%s: got %s, %v, want %s", c.name, list(records), err, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	zipped := zip(t, swimText)
	damaged := zipped[:len(zipped)-8] + "\x00\x00\x00\x00" + zipped[len(zipped)-4:]
	for _, c := range []struct{ name, data, format, want string }{
		{"empty", "", "", `f: line 1: file: found an empty file; allowed: at least one job`},
		{"empty by name", "", "swim", `f: line 1: row: found an empty file; allowed: at least one job`},
		{"empty gzip", zip(t, ""), "", `f: line 1: file: found an empty file; allowed: at least one job`},
		{"unknown", "hello", "", `f: line 1: format: found an unknown format that begins with "hello"; allowed: ` + known},
		{"unknown in gzip", zip(t, "hello"), "", `f: line 1: format: found an unknown format that begins with "hello"; allowed: ` + known},
		{"name", swimText, "swmi", `f: format: found "swmi"; allowed: jhist, sls, sls-synth, rumen, jobcsv, swim; did you mean "swim"?`},
		{"far name", swimText, "xml", `f: format: found "xml"; allowed: jhist, sls, sls-synth, rumen, jobcsv, swim`},
		{"reader's fault", "a\tx\t9\t1\t2\t3\n", "", `f: line 1: submit seconds: found "x"; allowed: a whole number from 0 to 9223372036`},
		{"cut gzip", zipped[:len(zipped)-12], "", `f: byte 25 when unpacked: gzip: found the end of the file inside compressed data: it is cut off; allowed: a whole gzip file`},
		{"cut gzip header", zipped[:5], "", `f: byte 0 when unpacked: gzip: found the end of the file inside compressed data: it is cut off; allowed: a whole gzip file`},
		{"cut gzip header by name", zipped[:5], "swim", `f: byte 0 when unpacked: gzip: found the end of the file inside compressed data: it is cut off; allowed: a whole gzip file`},
		{"bad gzip header", "\x1f\x8b\x07" + zipped[3:], "", `f: byte 0 when unpacked: gzip: found something that is not a gzip header; allowed: gzip files, one after the other, and nothing else`},
		{"gzip and more", zipped + "something else", "", `f: byte 25 when unpacked: gzip: found something that is not a gzip header; allowed: gzip files, one after the other, and nothing else`},
		{"bad gzip checksum", damaged, "", `f: byte 25 when unpacked: gzip: found a wrong checksum: the data is damaged; allowed: a whole gzip file`},
		{"bad gzip data", zipped[:10] + "\xff\xff\xff\xff\xff", "", `f: byte 0 when unpacked: gzip: found data that cannot be unpacked: it is damaged; allowed: a whole gzip file`},
		{"namesakes", swimText + "a\t18\t0\t1\t1\t1\n", "", `f: line 3: name: found "a" twice; allowed: a name of its own for each job (--repair: renamed "a#2")`},
		{"going back", swimText + "c\t17\t0\t1\t1\t1\n", "", `f: line 3: submit: found 17s, which is before 18s of line 2; allowed: times that do not go back (--repair: sorted by submit time)`},
		{"going back twice", swimText + "c\t17\t0\t1\t1\t1\nd\t5\t0\t1\t1\t1\n", "", `f: line 3: submit: found 17s, which is before 18s of line 2, and 1 more that go back; allowed: times that do not go back (--repair: sorted by submit time)`},
		{"after", "name,submit,after\na,9,b\nb,9,\n", "", `f: line 2: after: found "b"; allowed: the name of a job that stands before this one`},
		{"all at once", "a\tx\t9\t1\t2\t3\n" + swimText + swimText, "", `f: line 1: submit seconds: found "x"; allowed: a whole number from 0 to 9223372036
f: line 4: name: found "a" twice; allowed: a name of its own for each job (--repair: renamed "a#2")
f: line 5: name: found "b" twice; allowed: a name of its own for each job (--repair: renamed "b#2")
f: line 4: submit: found 9s, which is before 18s of line 3; allowed: times that do not go back (--repair: sorted by submit time)`},
	} {
		records, log, err := ReadAll("f", strings.NewReader(c.data), c.format, false)
		if err == nil || err.Error() != c.want || records != nil || log == nil {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
		if refused := new(workload.TraceError); c.format != "swmi" && c.format != "xml" && !errors.As(err, &refused) {
			t.Errorf("%s: got %T, want a *workload.TraceError", c.name, err)
		}
	}
}

func TestBomb(t *testing.T) {
	log := &workload.Log{File: "f"}
	records, err := readAll(strings.NewReader(zip(t, strings.Repeat(swimText, 1000))), "", log, 16*model.KiB)
	want := "f: byte 0 when unpacked: gzip: found more than 16KiB of data; allowed: at most 16KiB of data when unpacked"
	if err != nil || records != nil || log.Err() == nil || log.Err().Error() != want {
		t.Errorf("got %v, %v\nwant %s", err, log.Err(), want)
	}
	log = &workload.Log{File: "f"}
	if records, err := readAll(strings.NewReader(zip(t, swimText)), "", log, model.Bytes(len(swimText))); err != nil || log.Err() != nil || len(records) != 2 {
		t.Errorf("got %v, %v for a file of just the size that is allowed", err, log.Err())
	}
}

func TestMend(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"namesakes", swimText + "a\t18\t0\t1\t1\t1\na#2\t18\t0\t1\t1\t1\na\t18\t0\t1\t1\t1\n", "a@9s; b@18s; a#2@18s; a#2#2@18s; a#3@18s"},
		{"order", "name,submit,after\na,9,\nb,1,a\nc,3,\nd,0,b\ne,3,\n", "c@3s; e@3s; a@9s; b@1s after a; d@0s after b"},
	} {
		records, log, err := ReadAll("f", strings.NewReader(c.data), "", true)
		if err != nil || list(records) != c.want || len(log.Repaired) == 0 {
			t.Errorf("%s: got %s, %v, want %s", c.name, list(records), err, c.want)
		}
	}
}

// TestCheck tries what only some readers can hand on.
func TestCheck(t *testing.T) {
	job := func(name string, submit model.Time, after string) workload.Record {
		r := workload.NewRecord("job " + name)
		r.Name, r.Submit, r.After = name, submit, after
		return r
	}
	for _, c := range []struct {
		name    string
		records []workload.Record
		mend    bool
		want    string
	}{
		{"none", nil, true, "f: line 1: file: found no jobs; allowed: at least one job"},
		{"unnamed", []workload.Record{job("", 1, ""), job("job 1", 2, ""), job("", 3, "")}, false, "job 1#2@0.000000001s; job 1@0.000000002s; job 3@0.000000003s"},
		{"before the origin", []workload.Record{job("a", 0, ""), job("b", -model.Second, ""), job("c", 5, "b")}, true, "b@0s; c@0.000000005s after b; a@1s"},
		{"only before the origin", []workload.Record{job("a", -5, "")}, false, "f: job a: submit: found -0.000000005s, which is before 0s of the origin; allowed: times that do not go back (--repair: sorted by submit time)"},
		{"circle", []workload.Record{job("a", 0, "b"), job("b", 0, "a")}, true, `f: job a: after: found "b"; allowed: the name of a job that stands before this one`},
	} {
		log := &workload.Log{File: "f", Mend: c.mend}
		got := list(check(c.records, log))
		if err := log.Err(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestReadingFails(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, data := range []string{"", "hel", swimText, zip(t, swimText)[:20]} {
		_, log, err := ReadAll("f", io.MultiReader(strings.NewReader(data), iotest.ErrReader(broken)), "", true)
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f: ") || log.Err() != nil {
			t.Errorf("%q: got %v, log %v", data, err, log.Err())
		}
	}
}

func TestFacebook(t *testing.T) {
	dir := os.Getenv("YARDMASTER_TRACES")
	if dir == "" {
		t.Skip("YARDMASTER_TRACES does not say where the Facebook traces are")
	}
	for file, want := range map[string]int{
		"FB-2009_samples_24_times_1hr_0.tsv":                5894,
		"FB-2010_samples_24_times_1hr_0.tsv":                24442,
		"FB-2010_samples_24_times_1hr_withInputPaths_0.tsv": 25428,
	} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(data), zip(t, string(data))} {
			if records, _, err := ReadAll(file, strings.NewReader(text), "", false); err != nil || len(records) != want {
				t.Errorf("%s: got %d jobs, %v, want %d", file, len(records), err, want)
			}
		}
	}
}
