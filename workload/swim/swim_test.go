// SPDX-License-Identifier: Apache-2.0

package swim

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// read returns all records and the log of a text.
func read(t testing.TB, data string, mend bool) ([]workload.Record, *workload.Log) {
	t.Helper()
	log := &workload.Log{File: "f.tsv", Mend: mend}
	var records []workload.Record
	err := Read(strings.NewReader(data), log, func(r *workload.Record) error {
		records = append(records, *r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, log
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct{ data, first, second string }{
		"6 columns":         {"a\t9\t9\t1762\t0\t14347\nb\t18\t7\t970\t609\t697\n", "", ""},
		"7 columns":         {"a\t9\t9\t1762\t0\t14347\tin1\nb\t18\t9\t970\t609\t697\tin2\n", "in1", "in2"},
		"8 columns":         {"a\t9\t9\t1762\t0\t14347\tin1\tout1\nb\t18\t9\t970\t609\t697\t\t\n", "in1", ""},
		"published paths":   {"a\t9\t9\t1762\t0\t14347\tin1\t\t\nb\t18\t9\t970\t609\t697\tin2\t\t\n", "in1", "in2"},
		"no last newline":   {"a\t9\t9\t1762\t0\t14347\nb\t18\t9\t970\t609\t697", "", ""},
		"carriage returns":  {"a\t9\t9\t1762\t0\t14347\r\nb\t18\t9\t970\t609\t697\r\n", "", ""},
		"byte-order mark":   {"\ufeffa\t9\t9\t1762\t0\t14347\nb\t18\t9\t970\t609\t697\n", "", ""},
		"gaps say nothing":  {"a\t9\t-4\t1762\t0\t14347\nb\t18\t99999999999999999999\t970\t609\t697\n", "", ""},
		"numbers with 0s":   {"a\t0009\t9\t001762\t-0\t14347\nb\t18\t9\t970\t609\t697\n", "", ""},
		"longest line":      {"a\t9\t9\t1762\t0\t14347\t" + strings.Repeat("p", maxLine-20) + "\r\nb\t18\t9\t970\t609\t697\tq\r\n", strings.Repeat("p", maxLine-20), "q"},
		"empty input paths": {"a\t9\t9\t1762\t0\t14347\t\nb\t18\t9\t970\t609\t697\t\n", "", ""},
	} {
		records, log := read(t, c.data, false)
		if err := log.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a, b := workload.NewRecord("line 1"), workload.NewRecord("line 2")
		a.Name, a.User, a.Queue, a.Submit = "a", "swim", "default", 9*model.Second
		a.Input, a.Shuffle, a.Output = 1762, 0, 14347
		b.Name, b.User, b.Queue, b.Submit = "b", "swim", "default", 18*model.Second
		b.Input, b.Shuffle, b.Output = 970, 609, 697
		a.InputFile, b.InputFile = c.first, c.second
		if got, want := fmt.Sprintf("%+v", records), fmt.Sprintf("%+v", []workload.Record{a, b}); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	const good = "a\t9\t9\t1\t2\t3\n"
	long := strings.Repeat("x", maxLine+1)
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", `line 1: row: found an empty file; allowed: at least one job`},
		{"one column", "hello\n", `line 1: columns: found 1 column; allowed: 6, 7 or 8 columns, split by tabs`},
		{"few columns", good + "b\t9\t0\t1\t2\n", `line 2: columns: found 5 columns; allowed: 6 columns, as in the lines before`},
		{"other columns", good + "b\t9\t0\t1\t2\t3\tpath\n", `line 2: columns: found 7 columns; allowed: 6 columns, as in the lines before`},
		{"many columns", "b\t9\t0\t1\t2\t3\t4\t5\t6\t7\n", `line 1: columns: found 10 columns; allowed: 6, 7 or 8 columns, split by tabs`},
		{"full ninth", "b\t9\t0\t1\t2\t3\t4\t5\t6\n", `line 1: columns: found 9 columns; allowed: 6, 7 or 8 columns, split by tabs`},
		{"full ninth later", "a\t9\t0\t1\t2\t3\t4\t5\t\nb\t9\t0\t1\t2\t3\t4\t5\t6\n", `line 2: columns: found 9 columns with a text in the last; allowed: 9 columns, as in the lines before`},
		{"empty line", good + "\n" + good, `line 2: columns: found an empty line; allowed: 6 columns, as in the lines before`},
		{"truncated", good + "b\t9\t0\t1\t2", `line 2: columns: found 5 columns and no newline: the file is cut off; allowed: 6 columns, as in the lines before`},
		{"truncated first", "b\t9", `line 1: columns: found 2 columns and no newline: the file is cut off; allowed: 6, 7 or 8 columns, split by tabs`},
		{"no name", "\t9\t9\t1\t2\t3\n", `line 1: name: found an empty name; allowed: a name`},
		{"submit", "a\tsoon\t9\t1\t2\t3\n", `line 1: submit seconds: found "soon"; allowed: a whole number from 0 to 9223372036`},
		{"submit empty", "a\t\t9\t1\t2\t3\n", `line 1: submit seconds: found nothing; allowed: a whole number from 0 to 9223372036`},
		{"submit negative", "a\t-9\t9\t1\t2\t3\n", `line 1: submit seconds: found "-9"; allowed: a whole number from 0 to 9223372036`},
		{"submit large", "a\t9223372037\t9\t1\t2\t3\n", `line 1: submit seconds: found "9223372037"; allowed: a whole number from 0 to 9223372036`},
		{"gap", "a\t9\t9.5\t1\t2\t3\n", `line 1: gap seconds: found "9.5"; allowed: a whole number`},
		{"input", "a\t9\t9\t1e3\t2\t3\n", `line 1: map input bytes: found "1e3"; allowed: a whole number from 0 to 9223372036854775807`},
		{"input long", "a\t9\t9\t" + strings.Repeat("é", 70) + "\t2\t3\n", `line 1: map input bytes: found "` + strings.Repeat("é", 60) + `..."; allowed: a whole number from 0 to 9223372036854775807`},
		{"shuffle large", "a\t9\t9\t1\t9223372036854775808\t3\n", `line 1: shuffle bytes: found "9223372036854775808"; allowed: a whole number from 0 to 9223372036854775807`},
		{"output negative", "a\t9\t9\t1\t2\t-3\n", `line 1: output bytes: found "-3"; allowed: a whole number from 0 to 9223372036854775807 (--repair: taken as 0)`},
		{"output minus", "a\t9\t9\t1\t2\t-\n", `line 1: output bytes: found "-"; allowed: a whole number from 0 to 9223372036854775807`},
		{"nul", "a\t9\t9\t1\t2\x00\t3\n", `line 1: shuffle bytes: found binary data (byte 10 of the line); allowed: text in UTF-8`},
		{"latin 1", "caf\xe9\t9\t9\t1\t2\t3\n", `line 1: name: found binary data (byte 4 of the line); allowed: text in UTF-8`},
		{"nul before latin 1", "a\x00caf\xe9\t9\t9\t1\t2\t3\n", `line 1: name: found binary data (byte 2 of the line); allowed: text in UTF-8`},
		{"long", long + "\n" + good, `line 1: row: found a line of more than 1 MiB; allowed: at most 1 MiB per line`},
		{"longer", good + long + long + long, `line 2: row: found a line of more than 1 MiB; allowed: at most 1 MiB per line`},
		{"two in a line", "a\tx\ty\t1\t2\t3\n", `line 1: submit seconds: found "x"; allowed: a whole number from 0 to 9223372036` + "\n" +
			`line 1: gap seconds: found "y"; allowed: a whole number`},
	} {
		_, log := read(t, c.data, false)
		want := "f.tsv: " + strings.ReplaceAll(c.want, "\n", "\nf.tsv: ")
		if err := log.Err(); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, want)
		}
	}
}

func TestBadLinesAreLeftOut(t *testing.T) {
	records, log := read(t, "a\t1\t1\t1\t1\t1\nb\tx\t1\t1\t1\t1\n\xff\nc\t3\t1\t1\t1\t1\n", false)
	if len(records) != 2 || records[0].Name != "a" || records[1].Name != "c" || records[1].Where != "line 4" || len(log.Faults) != 2 {
		t.Errorf("got %+v, faults %v", records, log.Faults)
	}
}

func TestMendNegativeSizes(t *testing.T) {
	records, log := read(t, "a\t9\t9\t-1\t-99999999999999999999\t3\n", true)
	if log.Err() != nil || len(records) != 1 || records[0].Input != 0 || records[0].Shuffle != 0 || records[0].Output != 3 {
		t.Fatalf("got %+v, %v", records, log.Err())
	}
	want := `line 1: map input bytes: found "-1"; allowed: a whole number from 0 to 9223372036854775807; repaired: taken as 0`
	if len(log.Repaired) != 2 || log.Repaired[0].String() != want {
		t.Errorf("got %v, want first %s", log.Repaired, want)
	}
}

func TestErrorsArePassedOn(t *testing.T) {
	broken := errors.New("disk on fire")
	const good = "a\t9\t9\t1\t2\t3\n"
	log := &workload.Log{}
	n := 0
	count := func(*workload.Record) error { n++; return nil }
	err := Read(io.MultiReader(strings.NewReader(good+"b\t9"), iotest.ErrReader(broken)), log, count)
	if !errors.Is(err, broken) || err.Error() != "line 2: disk on fire" || n != 1 || log.Err() != nil {
		t.Errorf("got %v after %d jobs, log %v", err, n, log.Err())
	}
	stop := errors.New("enough")
	if err := Read(strings.NewReader(good+good), log, func(*workload.Record) error { return stop }); err != stop {
		t.Errorf("got %v from a yield that fails, want its error", err)
	}
	records := 0
	if err := Read(iotest.OneByteReader(strings.NewReader(good+good)), log, func(*workload.Record) error { records++; return nil }); err != nil || records != 2 {
		t.Errorf("got %d records, %v byte by byte", records, err)
	}
}

func TestAllocations(t *testing.T) {
	data := generate(20000)
	per := testing.AllocsPerRun(5, func() {
		if err := Read(strings.NewReader(data), &workload.Log{}, func(*workload.Record) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
	if per > 20000+20 {
		t.Errorf("got %.0f allocations for 20,000 jobs, want one string per job", per)
	}
}

// generate returns a trace of n jobs that looks like the published ones.
func generate(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "job%d\t%d\t%d\t%d\t%d\t%d\n", i, 3*i, 3, i*7919%1000003*100003, i*104729%10007*1009, i*31%1009)
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{100, 24442, 1000000} {
		b.Run(fmt.Sprintf("jobs=%d", n), func(b *testing.B) {
			data := generate(n)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Read(strings.NewReader(data), &workload.Log{}, func(*workload.Record) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
