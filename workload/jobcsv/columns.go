// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"strconv"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// column is one column of the format. Its functions are the two directions of one translation.
type column struct {
	name string
	// read puts a cell that is not empty into t.rec, or notes what is wrong and reports false.
	read func(t *table, cell []byte) bool
	// said reports whether the record says anything; if not, its cell is empty.
	said func(r *workload.Record) bool
	// write appends the cell that read understands. It lowers runs as read does.
	write func(b []byte, r *workload.Record, runs *int64) []byte
}

// Columns that the reader treats by name.
const (
	nameColumn   = "name"
	submitColumn = "submit"
	afterColumn  = "after"
)

// columns lists all of them, in the order in which they are written.
var columns = []column{
	textColumn(nameColumn, func(r *workload.Record) *string { return &r.Name }),
	textColumn("user", func(r *workload.Record) *string { return &r.User }),
	textColumn("queue", func(r *workload.Record) *string { return &r.Queue }),
	textColumn("class", func(r *workload.Record) *string { return &r.Class }),
	submitAlways(timeColumn(submitColumn, func(r *workload.Record) *model.Time { return &r.Submit })),
	textColumn(afterColumn, func(r *workload.Record) *string { return &r.After }),
	{"priority", readPriority, func(r *workload.Record) bool { return r.Priority != model.Normal }, writePriority},
	numberColumn("weight", func(r *workload.Record) *float64 { return &r.Weight }),
	timeColumn("goal", func(r *workload.Record) *model.Time { return &r.Goal }),
	timeColumn("period", func(r *workload.Record) *model.Time { return &r.Period }),
	sizeColumn("input", workload.Unknown, func(r *workload.Record) *model.Bytes { return &r.Input }),
	sizeColumn("shuffle", workload.Unknown, func(r *workload.Record) *model.Bytes { return &r.Shuffle }),
	sizeColumn("output", workload.Unknown, func(r *workload.Record) *model.Bytes { return &r.Output }),
	countColumn("maps", workload.Unknown, func(r *workload.Record) *int32 { return &r.Maps }),
	countColumn("reduces", workload.Unknown, func(r *workload.Record) *int32 { return &r.Reduces }),
	lengthsColumn("map_lengths", func(r *workload.Record) *[]model.Time { return &r.MapLengths }),
	lengthsColumn("reduce_lengths", func(r *workload.Record) *[]model.Time { return &r.ReduceLengths }),
	{"class_lengths", readClasses, func(r *workload.Record) bool { return len(r.ByClass) > 0 }, writeClasses},
	timeColumn("shuffle_tail", func(r *workload.Record) *model.Time { return &r.ShuffleTail }),
	hostsColumn("map_hosts", func(r *workload.Record) *[]string { return &r.MapHosts }),
	hostsColumn("other_hosts", func(r *workload.Record) *[]string { return &r.OtherHosts }),
	textColumn("input_file", func(r *workload.Record) *string { return &r.InputFile }),
	numberColumn("map_cycles", func(r *workload.Record) *float64 { return &r.Cycles[model.Map] }),
	numberColumn("reduce_cycles", func(r *workload.Record) *float64 { return &r.Cycles[model.Reduce] }),
	sizeColumn("map_memory", 0, func(r *workload.Record) *model.Bytes { return &r.Memory[model.Map] }),
	countColumn("map_vcores", 0, func(r *workload.Record) *int32 { return &r.VCores[model.Map] }),
	sizeColumn("reduce_memory", 0, func(r *workload.Record) *model.Bytes { return &r.Memory[model.Reduce] }),
	countColumn("reduce_vcores", 0, func(r *workload.Record) *int32 { return &r.VCores[model.Reduce] }),
	textColumn("am_type", func(r *workload.Record) *string { return &r.Master.Kind }),
	countColumn("am_memory_mb", 0, func(r *workload.Record) *int32 { return &r.Master.Need[0] }),
	countColumn("am_vcores", 0, func(r *workload.Record) *int32 { return &r.Master.Need[1] }),
	timeColumn("am_start", func(r *workload.Record) *model.Time { return &r.Master.Start }),
	shareColumn("slow_start", func(r *workload.Record) **float64 { return &r.Master.SlowStart }),
	asksColumn("map_asks", model.Map),
	asksColumn("reduce_asks", model.Reduce),
	textColumn("label", func(r *workload.Record) *string { return &r.Label }),
	timeColumn("waited", func(r *workload.Record) *model.Time { return &r.Waited }),
	timeColumn("elapsed", func(r *workload.Record) *model.Time { return &r.Elapsed }),
}

func columnNames() []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].name
	}
	return names
}

func textColumn(name string, at func(*workload.Record) *string) column {
	return column{name,
		func(t *table, cell []byte) bool { *at(&t.rec) = csvtext.Bare(string(cell)); return true },
		func(r *workload.Record) bool { return *at(r) != "" },
		func(b []byte, r *workload.Record, _ *int64) []byte { return append(b, csvtext.Guard(*at(r))...) }}
}

func timeColumn(name string, at func(*workload.Record) *model.Time) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readTime(cell, at(&t.rec)) },
		func(r *workload.Record) bool { return *at(r) != 0 },
		func(b []byte, r *workload.Record, _ *int64) []byte { return at(r).AppendDecimal(b) }}
}

// submitAlways makes a column say 0 too: a job that is submitted at the origin says so.
func submitAlways(c column) column {
	c.said = func(*workload.Record) bool { return true }
	return c
}

func sizeColumn(name string, unsaid model.Bytes, at func(*workload.Record) *model.Bytes) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readSize(cell, at(&t.rec)) },
		func(r *workload.Record) bool { return *at(r) != unsaid },
		func(b []byte, r *workload.Record, _ *int64) []byte { return strconv.AppendInt(b, int64(*at(r)), 10) }}
}

func numberColumn(name string, at func(*workload.Record) *float64) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readNumber(cell, at(&t.rec)) },
		func(r *workload.Record) bool { return *at(r) != 0 },
		func(b []byte, r *workload.Record, _ *int64) []byte {
			return strconv.AppendFloat(b, *at(r), 'g', -1, 64)
		}}
}

func countColumn(name string, unsaid int32, at func(*workload.Record) *int32) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readCount(cell, at(&t.rec)) },
		func(r *workload.Record) bool { return *at(r) != unsaid },
		func(b []byte, r *workload.Record, _ *int64) []byte { return strconv.AppendInt(b, int64(*at(r)), 10) }}
}

func lengthsColumn(name string, at func(*workload.Record) *[]model.Time) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readLengths(cell, at(&t.rec)) },
		func(r *workload.Record) bool { return len(*at(r)) > 0 },
		func(b []byte, r *workload.Record, runs *int64) []byte { return appendLengths(b, *at(r), runs) }}
}
