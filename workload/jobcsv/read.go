// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// limits bound the memory that a file can ask for.
type limits struct {
	row  int   // bytes of a row
	runs int64 // tasks of all lists of lengths that a file leaves unwritten by the form 3x12.5
}

var defaultLimits = limits{row: 64 << 20, runs: 1 << 26}

// Field names of faults that are in no single column.
const (
	headerField  = "header"
	columnsField = "columns"
	rowField     = "row"
)

var _ workload.Reader = Read

// Read is the workload.Reader of this format. The record handed to yield is used again for the next
// row; its strings and lists may be kept.
func Read(r io.Reader, log *workload.Log, yield workload.Yield) error {
	return read(r, log, yield, defaultLimits)
}

func read(r io.Reader, log *workload.Log, yield workload.Yield, limit limits) error {
	in := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(len(mark))
	}
	s := scanner{in: in, limit: limit.row}
	t := newTable(log, limit)
	rows := 0
	for {
		fault, err := s.next()
		switch {
		case err == io.EOF:
			if rows == 0 {
				log.Refuse("line 1", rowField, "an empty file", "a header and at least one job")
			} else if rows == 1 {
				log.Refuse(line(s.line+1), rowField, "a header and no jobs", "at least one job")
			}
			return nil
		case err != nil:
			return fmt.Errorf("line %d: %w", s.line, err)
		case fault == nil && s.blank():
			continue
		}
		rows++
		if fault != nil {
			log.Refuse(line(fault.line), t.columnName(len(s.ends)), fault.found, fault.allowed)
		}
		switch {
		case rows == 1:
			if fault != nil || !t.header(&s) {
				return nil // without its header no row means anything
			}
		case fault == nil && t.row(&s):
			if err := yield(&t.rec); err != nil {
				return err
			}
		}
	}
}

func line(n int) string { return "line " + strconv.Itoa(n) }

// table turns the cells of rows into records.
type table struct {
	log     *workload.Log
	limit   limits
	columns []*column // of the file; nil for one that was refused
	names   Names
	runs    int64 // what is left of limit.runs

	rec   workload.Record
	field string // name of the column in hand, for messages
}

func newTable(log *workload.Log, limit limits) *table {
	return &table{log: log, limit: limit, runs: limit.runs}
}

// columnName returns the name of the i-th column for a message.
func (t *table) columnName(i int) string {
	if i < len(t.columns) && t.columns[i] != nil {
		return t.columns[i].name
	}
	return rowField
}

// header reads the names of the columns and reports whether rows can be read with them.
func (t *table) header(s *scanner) bool {
	where := line(s.start)
	if len(s.ends) > 10*len(columns) {
		t.log.Refuse(where, headerField, fmt.Sprintf("%d columns", len(s.ends)), fmt.Sprintf("at most %d columns", len(columns)))
		return false
	}
	known := columnNames()
	seen := map[string]bool{}
	for i := range s.ends {
		var found *column
		name := string(trim(s.cell(i)))
		for j := range columns {
			if columns[j].name == name {
				found = &columns[j]
			}
		}
		switch {
		case found == nil:
			t.log.Refuse(where, headerField, "column "+workload.Show(name), unknownColumn(name, known))
		case seen[name]:
			t.log.Refuse(where, headerField, "column "+workload.Show(name)+" twice", "each column once")
			found = nil
		}
		seen[name] = true
		t.columns = append(t.columns, found)
	}
	whole := true
	for _, name := range []string{nameColumn, submitColumn} {
		if !seen[name] {
			t.log.Refuse(where, headerField, "no column "+workload.Show(name), "a header with at least name and submit")
			whole = false
		}
	}
	return whole
}

// unknownColumn says what is allowed instead of the name.
func unknownColumn(name string, known []string) string {
	allowed := strings.Join(known, ", ")
	if len(name) > 60 { // nobody meant that
		return allowed
	}
	if near := strict.Nearest(name, known); near != "" {
		allowed += "; did you mean " + strconv.Quote(near) + "?"
	}
	return allowed
}

// row reads the scanner's row into t.rec and reports whether it is a good one.
func (t *table) row(s *scanner) bool {
	t.rec = workload.NewRecord(line(s.start))
	ok := true
	n := len(s.ends)
	if n != len(t.columns) {
		found := digits.Count(n, "column")
		if !s.ended && n < len(t.columns) {
			found += " and no newline: the file is cut off"
		}
		t.log.Refuse(t.rec.Where, columnsField, found, digits.Count(len(t.columns), "column")+", as in the header")
		ok = false
	}
	for i, c := range t.columns {
		// Of a row with the wrong number of cells only the name is read, for others may refer to it.
		if c != nil && i < n && (n == len(t.columns) || c.name == nameColumn) {
			ok = t.cell(c, s.cell(i)) && ok
		}
	}
	return t.finish(ok)
}

// cell reads one cell of a row.
func (t *table) cell(c *column, cell []byte) bool {
	t.field = c.name
	switch {
	case len(cell) == 0 && c.name == nameColumn:
		return t.refuse(cell, "a name")
	case len(cell) == 0 && c.name == submitColumn:
		return t.refuse(cell, allowedTime)
	case len(cell) == 0:
		return true
	case !isText(cell):
		t.log.Refuse(t.rec.Where, c.name, "binary data", "text in UTF-8")
		return false
	}
	return c.read(t, cell)
}

// finish checks what the cells of a row say together. ok tells whether each of them is good.
func (t *table) finish(ok bool) bool {
	r := &t.rec
	if r.After != "" && !t.names.Has(r.After) {
		t.log.Refuse(r.Where, afterColumn, workload.Show(r.After), "the name of a job that stands before this one")
		ok = false
	}
	if r.Name != "" {
		name, own := t.names.Claim(t.log, r.Where, r.Name)
		r.Name, ok = name, own && ok
	}
	return ok && t.tasks(&r.Maps, len(r.MapLengths), "map_lengths", "length", "map") &&
		t.tasks(&r.Maps, len(r.MapHosts), "map_hosts", "host", "map") &&
		t.tasks(&r.Maps, len(r.OtherHosts), "other_hosts", "list", "map") &&
		t.tasks(&r.Maps, len(r.Asks[model.Map]), "map_asks", "ask", "map") &&
		t.tasks(&r.Reduces, len(r.Asks[model.Reduce]), "reduce_asks", "ask", "reduce") &&
		t.tasks(&r.Reduces, len(r.ReduceLengths), "reduce_lengths", "length", "reduce")
}

// tasks checks that a list has an item for each of n tasks; where n is not given, the list determines it.
func (t *table) tasks(n *int32, items int, field, item, task string) bool {
	if items == 0 {
		return true
	}
	if *n == workload.Unknown {
		*n = int32(items)
	}
	if int(*n) != items {
		t.log.Refuse(t.rec.Where, field, digits.Count(items, item)+" for "+digits.Count(int(*n), task), "one "+item+" for each "+task)
		return false
	}
	return true
}
