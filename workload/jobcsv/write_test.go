// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// drawText draws texts that try the quoting: commas, quotes, line breaks, percent signs, spaces.
func drawText(min int) *rapid.Generator[string] {
	letter := rapid.OneOf(
		rapid.SampledFrom([]rune(",\"\n\r\t %-=+@'x1 é漢🙂\u0085\u00a0\ufeff#")),
		rapid.Rune().Filter(func(r rune) bool { return r != 0 }))
	return rapid.Map(rapid.SliceOfN(letter, min, 8), func(r []rune) string { return string(r) })
}

func drawTime() *rapid.Generator[model.Time] {
	return rapid.Custom(func(t *rapid.T) model.Time {
		most := rapid.SampledFrom([]int64{0, 10, 1e9, 1e13, math.MaxInt64}).Draw(t, "most")
		return model.Time(rapid.Int64Range(0, most).Draw(t, "time"))
	})
}

func drawLengths(t *rapid.T, tasks int32) []model.Time {
	if tasks < 1 || rapid.Bool().Draw(t, "no lengths") {
		return nil
	}
	few := rapid.SliceOfN(drawTime(), 1, 3).Draw(t, "few")
	return rapid.SliceOfN(rapid.SampledFrom(few), int(tasks), int(tasks)).Draw(t, "lengths")
}

func drawAsks(t *rapid.T, tasks int32) []model.Ask {
	if tasks < 1 || rapid.Bool().Draw(t, "no asks") {
		return nil
	}
	number := rapid.Int32Range(0, math.MaxInt32)
	few := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.Ask {
		return model.Ask{Need: model.Room{number.Draw(t, "memory"), number.Draw(t, "vcores")}, Priority: number.Draw(t, "priority"), Delay: drawTime().Draw(t, "delay")}
	}), 1, 3).Draw(t, "few asks")
	return rapid.SliceOfN(rapid.SampledFrom(few), int(tasks), int(tasks)).Draw(t, "asks")
}

func drawRecord(t *rapid.T, names []string) workload.Record {
	r := workload.NewRecord("")
	r.Name = drawText(1).Filter(func(s string) bool {
		for _, n := range names {
			if n == s {
				return false
			}
		}
		return true
	}).Draw(t, "name")
	r.User, r.Queue, r.Class = drawText(0).Draw(t, "user"), drawText(0).Draw(t, "queue"), drawText(0).Draw(t, "class")
	if len(names) > 0 && rapid.Bool().Draw(t, "waits") {
		r.After = rapid.SampledFrom(names).Draw(t, "after")
	}
	for i, name := range []string{"scale-up", "a=b %"}[:rapid.IntRange(0, 2).Draw(t, "classes")] {
		r.ByClass = append(r.ByClass, model.ClassLengths{Class: name, Map: drawTime().Draw(t, "map"), Reduce: model.Time(i), ShuffleTail: drawTime().Draw(t, "class tail")})
	}
	r.Submit, r.Goal, r.Period, r.ShuffleTail = drawTime().Draw(t, "submit"), drawTime().Draw(t, "goal"), drawTime().Draw(t, "period"), drawTime().Draw(t, "tail")
	r.Priority = model.Priority(rapid.IntRange(0, model.Priorities-1).Draw(t, "priority"))
	r.Weight = rapid.OneOf(rapid.Just(0.), rapid.Float64Range(5e-324, math.MaxFloat64)).Draw(t, "weight")
	sizes := rapid.Int64Range(workload.Unknown, math.MaxInt64)
	r.Input, r.Shuffle, r.Output = model.Bytes(sizes.Draw(t, "input")), model.Bytes(sizes.Draw(t, "shuffle")), model.Bytes(sizes.Draw(t, "output"))
	r.Maps, r.Reduces = rapid.Int32Range(workload.Unknown, 6).Draw(t, "maps"), rapid.Int32Range(workload.Unknown, 6).Draw(t, "reduces")
	r.MapLengths, r.ReduceLengths = drawLengths(t, r.Maps), drawLengths(t, r.Reduces)
	if r.Maps > 0 && rapid.Bool().Draw(t, "hosts known") {
		r.MapHosts = rapid.SliceOfN(drawText(0), int(r.Maps), int(r.Maps)).Draw(t, "hosts")
	}
	if r.Maps > 0 && rapid.Bool().Draw(t, "replicas known") {
		r.OtherHosts = rapid.SliceOfN(drawText(0), int(r.Maps), int(r.Maps)).Draw(t, "other hosts")
	}
	r.InputFile, r.Label, r.Master.Kind = drawText(0).Draw(t, "file"), drawText(0).Draw(t, "label"), drawText(0).Draw(t, "am type")
	r.Master.Start = drawTime().Draw(t, "am start")
	r.Master.Need = model.Room{rapid.Int32Range(0, math.MaxInt32).Draw(t, "am memory"), rapid.Int32Range(0, math.MaxInt32).Draw(t, "am vcores")}
	if rapid.Bool().Draw(t, "slow start known") {
		share := rapid.Float64Range(0, 1).Draw(t, "slow start")
		r.Master.SlowStart = &share
	}
	r.Asks = [model.Kinds][]model.Ask{drawAsks(t, r.Maps), drawAsks(t, r.Reduces)}
	for k := range r.Memory {
		r.Memory[k] = model.Bytes(rapid.Int64Range(0, math.MaxInt64).Draw(t, "memory"))
		r.VCores[k] = rapid.Int32Range(0, math.MaxInt32).Draw(t, "vcores")
	}
	return r
}

// TestRoundTrip: what Write writes, Read reads back to the same records but for Where. The limit on
// runs is low in some cases, so that lists are also written out.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := limits{row: 1 << 20, runs: rapid.SampledFrom([]int64{0, 3, 1000}).Draw(t, "runs")}
		var records []workload.Record
		var names []string
		for range rapid.IntRange(1, 4).Draw(t, "jobs") {
			r := drawRecord(t, names)
			records, names = append(records, r), append(names, r.Name)
		}
		var b bytes.Buffer
		if err := write(&b, records, limit); err != nil {
			t.Fatal(err)
		}
		log := &workload.Log{}
		i := 0
		err := read(&b, log, func(r *workload.Record) error {
			got := *r
			got.Where = ""
			if !reflect.DeepEqual(got, records[i]) {
				t.Fatalf("\n got %+v\nwant %+v", got, records[i])
			}
			i++
			return nil
		}, limit)
		if err != nil || log.Err() != nil || i != len(records) {
			t.Fatalf("got %d of %d records: %v, %v", i, len(records), err, log.Err())
		}
	})
}

func TestWriteIsCompact(t *testing.T) {
	r := workload.NewRecord("")
	r.Name, r.Maps = "a", 10000
	for range r.Maps {
		r.MapLengths = append(r.MapLengths, 12500*model.Millisecond)
	}
	r.MapLengths[9999] = model.Second
	var b strings.Builder
	if err := Write(&b, []workload.Record{r}); err != nil {
		t.Fatal(err)
	}
	if want := "name,submit,maps,map_lengths\na,0,10000,9999x12.5 1\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestWriteRefusesWhatReadRefuses(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(r *workload.Record)
	}{
		{`record 1: name: found nothing; allowed: a name`, func(r *workload.Record) { r.Name = "" }},
		{`record 1: name: found "a" twice; allowed: a name of its own for each job (--repair: renamed "a#2")`, func(r *workload.Record) { r.Name = "a" }},
		{`record 1: user: found binary data; allowed: text in UTF-8`, func(r *workload.Record) { r.User = "\xff" }},
		{`record 1: after: found "z"; allowed: the name of a job that stands before this one`, func(r *workload.Record) { r.After = "z" }},
		{`record 1: submit: found "-1"; ` + "allowed: " + allowedTime, func(r *workload.Record) { r.Submit = -model.Second }},
		{`record 1: priority: found "priority?"; allowed: one of very-high, high, normal, low, very-low`, func(r *workload.Record) { r.Priority = 5 }},
		{`record 1: weight: found "NaN"; allowed: a number above 0`, func(r *workload.Record) { r.Weight = math.NaN() }},
		{`record 1: input: found "-2"; allowed: ` + allowedSize + ` (--repair: taken as 0)`, func(r *workload.Record) { r.Input = -2 }},
		{`record 1: map_lengths: found 1 length for 2 maps; allowed: one length for each map`, func(r *workload.Record) { r.Maps, r.MapLengths = 2, []model.Time{1} }},
		{`record 1: map_hosts: found "a%00"; allowed: ` + allowedHosts, func(r *workload.Record) { r.MapHosts = []string{"a\x00"} }},
	} {
		a, b := workload.NewRecord(""), workload.NewRecord("")
		a.Name, b.Name = "a", "b"
		c.edit(&b)
		err := Write(&bytes.Buffer{}, []workload.Record{a, b})
		if err == nil || err.Error() != "jobcsv: "+c.want {
			t.Errorf("\n got %v\nwant jobcsv: %s", err, c.want)
		}
	}
	r := workload.NewRecord("")
	r.Name = strings.Repeat("x", 100)
	if err := write(&bytes.Buffer{}, []workload.Record{r}, limits{row: 100}); err == nil || err.Error() != "jobcsv: record 0: row: found a row of 103 bytes; allowed: at most 100 bytes per row" {
		t.Errorf("got %v for a long row", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWritePassesErrorsOn(t *testing.T) {
	if err := Write(fullDisk{}, nil); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v, want disk full", err)
	}
}
