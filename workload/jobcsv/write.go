// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/workload"
)

// Write writes the records in the order given, with the columns that at least one of them uses. It
// reads every cell back before it is written, so that Read never refuses what was written: records
// that it would refuse, such as two of one name, are an error that names all of them; what was written
// by then is of no use.
func Write(w io.Writer, records []workload.Record) error {
	return write(w, records, defaultLimits)
}

func write(w io.Writer, records []workload.Record, limit limits) error {
	log := &workload.Log{File: "jobcsv"}
	t := newTable(log, limit)
	t.columns = used(records)
	out := bufio.NewWriter(w)
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	fmt.Fprintln(out, strings.Join(names, ","))
	runs := limit.runs
	var row, cell []byte
	for i := range records {
		row = row[:0]
		ok := true
		t.rec = workload.NewRecord(fmt.Sprintf("record %d", i))
		for j, c := range t.columns {
			if j > 0 {
				row = append(row, ',')
			}
			cell = cell[:0]
			if c.said(&records[i]) {
				cell = c.write(cell, &records[i], &runs)
			}
			ok = t.cell(c, cell) && ok
			row = appendCell(row, cell)
		}
		row = append(row, '\n')
		if len(row) > limit.row {
			log.Refuse(t.rec.Where, rowField, fmt.Sprintf("a row of %d bytes", len(row)), fmt.Sprintf("at most %d bytes per row", limit.row))
		}
		t.finish(ok)
		if log.Err() == nil {
			out.Write(row)
		}
	}
	if err := log.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// used returns the columns that the records need, in the order of the table.
func used(records []workload.Record) []*column {
	var list []*column
	for i := range columns {
		c := &columns[i]
		need := c.name == nameColumn || c.name == submitColumn
		for j := 0; j < len(records) && !need; j++ {
			need = c.said(&records[j])
		}
		if need {
			list = append(list, c)
		}
	}
	return list
}

// appendCell appends a cell to a row, in quotes if it must be.
func appendCell(row, cell []byte) []byte {
	if !quoted(cell) {
		return append(row, cell...)
	}
	row = append(row, '"')
	for i, part := range bytes.Split(cell, []byte{'"'}) {
		if i > 0 {
			row = append(row, `""`...)
		}
		row = append(row, part...)
	}
	return append(row, '"')
}

// quoted reports whether a cell must stand in quotes.
func quoted(cell []byte) bool { return bytes.ContainsAny(cell, ",\"\r\n") }
