// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// readText returns all records and the log of a text.
func readText(t testing.TB, data string, mend bool, limit limits) ([]workload.Record, *workload.Log) {
	t.Helper()
	log := &workload.Log{File: "f.csv", Mend: mend}
	var records []workload.Record
	err := read(strings.NewReader(data), log, func(r *workload.Record) error {
		records = append(records, *r)
		return nil
	}, limit)
	if err != nil {
		t.Fatal(err)
	}
	return records, log
}

func TestRead(t *testing.T) {
	records, log := readText(t, strings.ReplaceAll(`submit,name,user,queue,class,after,priority,weight,goal,period,input,shuffle,output,maps,reduces,map_lengths,reduce_lengths,shuffle_tail,map_hosts,map_memory,map_vcores,reduce_memory,reduce_vcores

1.000000001,"a, ""b""
c",u,q,k,,very-high,2.5,1h,86400,3GiB,0,7,4,1,2x12.5 300ms  1,0,250ms,/r/h1 - /r/h%202 %2D,1GiB,2,4096,8
 12 ,d,,,,"a, ""b""
c",,,,,,,,,,3x1.5,,,,,,,
`, "\n", "\r\n"), false, defaultLimits)
	if err := log.Err(); err != nil {
		t.Fatal(err)
	}
	a, d := workload.NewRecord("line 3"), workload.NewRecord("line 5")
	a.Name, a.User, a.Queue, a.Class = "a, \"b\"\r\nc", "u", "q", "k"
	a.Submit, a.Priority, a.Weight, a.Goal, a.Period = model.Second+1, model.VeryHigh, 2.5, model.Hour, model.Day
	a.Input, a.Shuffle, a.Output, a.Maps, a.Reduces = 3*model.GiB, 0, 7, 4, 1
	a.MapLengths = []model.Time{12500 * model.Millisecond, 12500 * model.Millisecond, 300 * model.Millisecond, model.Second}
	a.ReduceLengths, a.ShuffleTail = []model.Time{0}, 250*model.Millisecond
	a.MapHosts = []string{"/r/h1", "", "/r/h 2", "-"}
	a.Memory = [model.Kinds]model.Bytes{model.GiB, 4096}
	a.VCores = [model.Kinds]int32{2, 8}
	d.Name, d.After, d.Submit, d.Maps = "d", a.Name, 12*model.Second, 3
	d.MapLengths = []model.Time{1500 * model.Millisecond, 1500 * model.Millisecond, 1500 * model.Millisecond}
	if want := []workload.Record{a, d}; !reflect.DeepEqual(records, want) {
		t.Errorf("\n got %+v\nwant %+v", records, want)
	}
}

func TestForms(t *testing.T) {
	for name, data := range map[string]string{
		"byte-order mark": "\ufeffname,submit\na,5\n",
		"no last newline": "name,submit\na,5",
		"all quoted":      "\"name\",\"submit\"\n\"a\",\"5\"\n",
		"quoted at end":   "submit,name\n5,\"a\"",
		"blanks":          " name , submit \na, 5\t\n",
		"unit":            "name,submit\na,5000ms\n",
		"decimals":        "name,submit\na,5.000000000\n",
	} {
		records, log := readText(t, data, false, defaultLimits)
		if log.Err() != nil || len(records) != 1 || records[0].Name != "a" || records[0].Submit != 5*model.Second {
			t.Errorf("%s: got %+v, %v", name, records, log.Err())
		}
	}
}

const known = "name, user, queue, class, submit, after, priority, weight, goal, period, input, shuffle, output, maps, reduces, " +
	"map_lengths, reduce_lengths, class_lengths, shuffle_tail, map_hosts, other_hosts, input_file, map_cycles, reduce_cycles, map_memory, map_vcores, reduce_memory, reduce_vcores, am_type, am_memory_mb, am_vcores, am_start, slow_start, map_asks, reduce_asks, label, waited, elapsed"

func TestSyntaxFaults(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", `line 1: row: found an empty file; allowed: a header and at least one job`},
		{"blank", "\n\n", `line 1: row: found an empty file; allowed: a header and at least one job`},
		{"header only", "name,submit\n", `line 2: row: found a header and no jobs; allowed: at least one job`},
		{"unknown column", "name,submit,map_length\na,1,2\n", `line 1: header: found column "map_length"; allowed: ` + known + `; did you mean "map_lengths"?`},
		{"strange column", "name,submit,qqqq\na,1,2\n", `line 1: header: found column "qqqq"; allowed: ` + known},
		{"nameless column", "name,submit,\na,1,2\n", `line 1: header: found column nothing; allowed: ` + known},
		{"duplicate column", "name,submit,name\na,1,b\n", `line 1: header: found column "name" twice; allowed: each column once`},
		{"missing columns", "user\nu\n", `line 1: header: found no column "name"; allowed: a header with at least name and submit` + "\n" +
			`line 1: header: found no column "submit"; allowed: a header with at least name and submit`},
		{"wide header", strings.Repeat(",", 380) + "\n", `line 1: header: found 381 columns; allowed: at most 38 columns`},
		{"broken header", "name,sub\"mit\n", `line 1: row: found a quote inside a cell that does not start with one; allowed: the cell in quotes, its own quotes doubled`},
		{"few columns", "name,submit\na\n", `line 2: columns: found 1 column; allowed: 2 columns, as in the header`},
		{"many columns", "name,submit\na,1,2\n", `line 2: columns: found 3 columns; allowed: 2 columns, as in the header`},
		{"cut off", "name,submit,user\na,1,u\nb,2", `line 3: columns: found 2 columns and no newline: the file is cut off; allowed: 3 columns, as in the header`},
		{"open quote", "name,submit\na,1\n\"b,2\nc,3\n", `line 3: name: found a quote that is never closed: the file is cut off, or a quote is missing; allowed: a closing quote`},
		{"open quote at end", "name,submit,user\na,1,\"", `line 2: user: found a quote that is never closed: the file is cut off, or a quote is missing; allowed: a closing quote`},
		{"quote in bare", "name,submit\na\"b,1\n", `line 2: name: found a quote inside a cell that does not start with one; allowed: the cell in quotes, its own quotes doubled`},
		{"after quote", "name,submit\na,\"1\"2\n", `line 2: submit: found text after a closing quote; allowed: a comma or the end of the row; quotes inside a cell are doubled`},
		{"long row", "name,submit\n" + strings.Repeat("x", 200) + ",1\n", `line 2: name: found a row of more than 100 bytes; allowed: at most 100 bytes per row, with every quote closed`},
		{"long quote", "name,submit\n\"" + strings.Repeat("x\n", 50) + "y\n", `line 2: name: found a row of more than 100 bytes; allowed: at most 100 bytes per row, with every quote closed`},
		{"nul", "name,submit\na\x00,1\n", `line 2: name: found binary data; allowed: text in UTF-8`},
		{"latin 1", "name,submit,user\na,1,\xe9\n", `line 2: user: found binary data; allowed: text in UTF-8`},
	} {
		_, log := readText(t, c.data, false, limits{row: 100 + 300*strings.Count(c.name, "header"), runs: 100})
		expect(t, c.name, c.want, log)
	}
}

// expect compares the faults of a log with messages.
func expect(t *testing.T, name, want string, log *workload.Log) {
	t.Helper()
	want = "f.csv: " + strings.ReplaceAll(want, "\n", "\nf.csv: ")
	if err := log.Err(); err == nil || err.Error() != want {
		t.Errorf("%s:\n got %v\nwant %s", name, err, want)
	}
}

func TestCellFaults(t *testing.T) {
	const (
		times   = `; allowed: seconds from 0 to 9223372036.854775807 with up to 9 decimals, or a time with its unit such as 300ms`
		sizes   = `; allowed: bytes from 0 to 9223372036854775807, or a size with its unit such as 128MiB`
		counts  = `; allowed: a whole number from 0 to 2147483647`
		lengths = `; allowed: times split by spaces, such as 12.5 300ms, or 3x12.5 for three of a kind`
		hosts   = `; allowed: texts split by spaces, with %20 for a space and %25 for a percent sign`
		before  = `; allowed: the name of a job that stands before this one`
	)
	for _, c := range []struct{ columns, row, want string }{
		{"name,submit", ",1", `line 2: name: found nothing; allowed: a name`},
		{"name,submit", "a,", `line 2: submit: found nothing` + times},
		{"name,submit", "a,soon", `line 2: submit: found "soon"` + times},
		{"name,submit", "a,-1", `line 2: submit: found "-1"` + times},
		{"name,submit", "a,-1s", `line 2: submit: found "-1s"` + times},
		{"name,submit", "a,1.", `line 2: submit: found "1."` + times},
		{"name,submit", "a,.5", `line 2: submit: found ".5"` + times},
		{"name,submit", "a,1.0000000001", `line 2: submit: found "1.0000000001"` + times},
		{"name,submit", "a,9223372036.854775808", `line 2: submit: found "9223372036.854775808"` + times},
		{"name,submit,goal", "a,1,5 parsecs", `line 2: goal: found "5 parsecs"` + times},
		{"name,submit,period", "a,1,-5", `line 2: period: found "-5"` + times},
		{"name,submit,shuffle_tail", "a,1,1e3", `line 2: shuffle_tail: found "1e3"` + times},
		{"name,submit,input", "a,1,much", `line 2: input: found "much"` + sizes},
		{"name,submit,input", "a,1,-5", `line 2: input: found "-5"` + sizes + ` (--repair: taken as 0)`},
		{"name,submit,shuffle", "a,1,-5MiB", `line 2: shuffle: found "-5MiB"` + sizes + ` (--repair: taken as 0)`},
		{"name,submit,output", "a,1,9223372036854775808", `line 2: output: found "9223372036854775808"` + sizes},
		{"name,submit,output", "a,1,--5MiB", `line 2: output: found "--5MiB"` + sizes},
		{"name,submit,map_memory", "a,1,1.5", `line 2: map_memory: found "1.5"` + sizes},
		{"name,submit,maps", "a,1,-1", `line 2: maps: found "-1"` + counts},
		{"name,submit,reduces", "a,1,2147483648", `line 2: reduces: found "2147483648"` + counts},
		{"name,submit,reduce_vcores", "a,1, ", `line 2: reduce_vcores: found " "` + counts},
		{"name,submit,weight", "a,1,0", `line 2: weight: found "0"; allowed: a number above 0`},
		{"name,submit,weight", "a,1,-2", `line 2: weight: found "-2"; allowed: a number above 0`},
		{"name,submit,weight", "a,1,NaN", `line 2: weight: found "NaN"; allowed: a number above 0`},
		{"name,submit,weight", "a,1,Inf", `line 2: weight: found "Inf"; allowed: a number above 0`},
		{"name,submit,weight", "a,1,0x1p3", `line 2: weight: found "0x1p3"; allowed: a number above 0`},
		{"name,submit,priority", "a,1,urgent", `line 2: priority: found "urgent"; allowed: one of very-high, high, normal, low, very-low`},
		{"name,submit,map_lengths", "a,1,1 two", `line 2: map_lengths: found "two"` + lengths},
		{"name,submit,map_lengths", "a,1,0x5", `line 2: map_lengths: found "0x5"` + lengths},
		{"name,submit,map_lengths", "a,1,x5", `line 2: map_lengths: found "x5"` + lengths},
		{"name,submit,map_lengths", "a,1,2x", `line 2: map_lengths: found "2x"` + lengths},
		{"name,submit,reduce_lengths", "a,1,1 -1", `line 2: reduce_lengths: found "-1"` + lengths},
		{"name,submit,map_lengths,reduce_lengths", "a,1,51x1,52x1", `line 2: reduce_lengths: found "52x1"; allowed: at most 100 tasks of a file unwritten by NxT`},
		{"name,submit,maps,map_lengths", "a,1,4,1 2 3", `line 2: map_lengths: found 3 lengths for 4 maps; allowed: one length for each map`},
		{"name,submit,reduces,reduce_lengths", "a,1,0,1", `line 2: reduce_lengths: found 1 length for 0 reduces; allowed: one length for each reduce`},
		{"name,submit,map_lengths,map_hosts", "a,1,7,h1 h2", `line 2: map_hosts: found 2 hosts for 1 map; allowed: one host for each map`},
		{"name,submit,map_hosts", "a,1,h%2", `line 2: map_hosts: found "h%2"` + hosts},
		{"name,submit,map_hosts", "a,1,h%zz", `line 2: map_hosts: found "h%zz"` + hosts},
		{"name,submit,map_hosts", "a,1,h%00", `line 2: map_hosts: found "h%00"` + hosts},
		{"name,submit,map_hosts", "a,1,h%ff", `line 2: map_hosts: found "h%ff"` + hosts},
		{"name,submit", "a,1\na,2", `line 3: name: found "a" twice; allowed: a name of its own for each job (--repair: renamed "a#2")`},
		{"name,submit,after", "a,1,z", `line 2: after: found "z"` + before},
		{"name,submit,after", "a,1,a", `line 2: after: found "a"` + before},
		{"name,submit,after", "a,1,b\nb,1,", `line 2: after: found "b"` + before},
		{"name,submit,after", "a,x,\nb,1,a", `line 2: submit: found "x"` + times},
		{"name,submit,after", "a,1\nb,1,a", `line 2: columns: found 2 columns; allowed: 3 columns, as in the header`},
		{"name,submit,maps", "a,x,y", `line 2: submit: found "x"` + times + "\n" + `line 2: maps: found "y"` + counts},
	} {
		_, log := readText(t, c.columns+"\n"+c.row+"\n", false, limits{row: 1000, runs: 100})
		expect(t, c.columns+": "+c.row, c.want, log)
	}
}

func TestReadingGoesOn(t *testing.T) {
	records, log := readText(t, "name,submit\na,1\nb\"c,2\nd,3,4\n,5\ne,6\n", false, defaultLimits)
	if len(records) != 2 || records[0].Name != "a" || records[1].Name != "e" || records[1].Where != "line 6" || len(log.Faults) != 3 {
		t.Errorf("got %+v, faults %v", records, log.Faults)
	}
}

func TestMend(t *testing.T) {
	records, log := readText(t, "name,submit,input,after\na,1,-5,\na#2,2,-5GiB,a\na,3,1,a#2\na,4,1,\na#2,5,1,\n", true, defaultLimits)
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%s after %q: %d", r.Name, r.After, r.Input))
	}
	if want := `[a after "": 0 a#2 after "a": 0 a#3 after "a#2": 1 a#4 after "": 1 a#2#2 after "": 1]`; fmt.Sprint(got) != want || log.Err() != nil {
		t.Errorf("got %v, %v\nwant %s", got, log.Err(), want)
	}
	if len(log.Repaired) != 5 || log.Repaired[2].String() != `line 4: name: found "a" twice; allowed: a name of its own for each job; repaired: renamed "a#3"` {
		t.Errorf("got repairs %v", log.Repaired)
	}
}

func TestErrorsArePassedOn(t *testing.T) {
	broken, stop := errors.New("disk on fire"), errors.New("enough")
	log := &workload.Log{}
	n := 0
	count := func(*workload.Record) error { n++; return nil }
	err := Read(io.MultiReader(strings.NewReader("name,submit\na,1\n\"b"), iotest.ErrReader(broken)), log, count)
	if !errors.Is(err, broken) || n != 1 || log.Err() != nil {
		t.Errorf("got %v after %d jobs, log %v", err, n, log.Err())
	}
	if err := Read(strings.NewReader("name,submit\na,1\n"), log, func(*workload.Record) error { return stop }); err != stop {
		t.Errorf("got %v from a yield that fails, want its error", err)
	}
}
