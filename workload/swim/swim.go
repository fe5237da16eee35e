// SPDX-License-Identifier: Apache-2.0

// Package swim reads the traces of the SWIM project: tab-separated text without a header, one job per
// line.
//
//	column            unit      note
//	name                        not empty
//	submit seconds    seconds   whole number since the origin of the trace
//	gap seconds       seconds   since the job before; informational, only its syntax is checked
//	map input bytes   bytes
//	shuffle bytes     bytes
//	output bytes      bytes
//	input path                  optional; jobs with the same path read the same blocks
//	output path                 optional; a record has no place for it, so it is not kept
//
// Every line has as many columns as the first: 6, 7 or 8. The published Facebook trace with input
// paths ends its 8 columns with one more tab, so 9 columns are read too where the ninth is empty.
// Lines end in \n or \r\n and hold at most 1 MiB. A byte-order mark before the first line is ignored.
//
// A trace says nothing about tasks, users or queues: task counts and lengths are left to the cost
// model, the user is "swim" and the queue "default".
package swim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

const (
	maxLine    = 1 << 20 // bytes of a line without its end
	maxColumns = 9
)

// The columns that are read.
const (
	nameColumn = iota
	submitColumn
	gapColumn
	inputColumn
	shuffleColumn
	outputColumn
	minColumns
	pathColumn = minColumns // where a line has it
)

var columnNames = [maxColumns]string{"name", "submit seconds", "gap seconds", "map input bytes",
	"shuffle bytes", "output bytes", "input path", "output path", "empty ninth column"}

// Field names of faults that are in no single column.
const (
	rowField     = "row"
	columnsField = "columns"
)

var byteOrderMark = []byte("\ufeff")

var _ workload.Reader = Read

// Read is the workload.Reader of this format. The record handed to yield is used again for the next
// line; its strings may be kept.
func Read(r io.Reader, log *workload.Log, yield workload.Yield) error {
	p := parser{in: bufio.NewReaderSize(r, maxLine+2), log: log}
	for {
		whole, err := p.next()
		if err != nil {
			if errors.Is(err, errEnd) {
				break
			}
			return fmt.Errorf("line %d: %w", p.line, err)
		}
		if !whole || !p.record() {
			continue
		}
		if err := yield(&p.rec); err != nil {
			return err
		}
	}
	if p.line == 0 {
		log.Refuse("line 1", rowField, "an empty file", "at least one job")
	}
	return nil
}

// errEnd says that the input is read to its end.
var errEnd = errors.New("end of input")

// parser holds what is reused from line to line.
type parser struct {
	in   *bufio.Reader
	log  *workload.Log
	line int // number of the current line, from 1

	text  []byte             // the current line without its end, valid until next
	ended bool               // it ended in a newline
	cells [maxColumns][]byte // the current line's columns
	want  int                // columns of every line, 0 before the first good one
	rec   workload.Record
	buf   []byte // name, input file and position of a record, before they become a string
}

// next moves to the next line. It reports false after a line that was refused as a whole, errEnd
// after the last line, and any other error if reading failed.
func (p *parser) next() (whole bool, err error) {
	text, err := p.in.ReadSlice('\n')
	if len(text) == 0 && err == io.EOF {
		return false, errEnd
	}
	p.line++
	long := false
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = p.in.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return false, err
	}
	p.ended = err == nil
	if p.line == 1 {
		text = bytes.TrimPrefix(text, byteOrderMark)
	}
	if p.ended && !long {
		text = bytes.TrimSuffix(text[:len(text)-1], []byte{'\r'})
	}
	if long || len(text) > maxLine {
		p.refuse(rowField, "a line of more than 1 MiB", "at most 1 MiB per line")
		return false, nil
	}
	p.text = text
	return true, nil
}

// record reads the current line into p.rec and reports whether it is a good one.
func (p *parser) record() bool {
	if i := binary(p.text); i >= 0 {
		column := min(bytes.Count(p.text[:i], []byte{'\t'}), maxColumns-1)
		p.refuse(columnNames[column], "binary data (byte "+strconv.Itoa(i+1)+" of the line)", "text in UTF-8")
		return false
	}
	if !p.split() {
		return false
	}
	p.rec = workload.NewRecord("")
	p.rec.User, p.rec.Queue = "swim", "default"
	ok := true
	if len(p.cells[nameColumn]) == 0 {
		p.refuse(columnNames[nameColumn], "an empty name", "a name")
		ok = false
	}
	ok = p.submit() && ok
	ok = p.gap() && ok
	ok = p.size(inputColumn, &p.rec.Input) && ok
	ok = p.size(shuffleColumn, &p.rec.Shuffle) && ok
	ok = p.size(outputColumn, &p.rec.Output) && ok
	if ok {
		p.name()
	}
	return ok
}

// binary returns the position of the first byte of b that is not text, or -1.
func binary(b []byte) int {
	nul := bytes.IndexByte(b, 0)
	if utf8.Valid(b) {
		return nul
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if i == nul || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return nul
}

// split cuts the current line into cells and reports whether there are as many as there should be.
func (p *parser) split() bool {
	n := 0
	for rest, more := p.text, true; more; n++ {
		var cell []byte
		cell, rest, more = bytes.Cut(rest, []byte{'\t'})
		if n < maxColumns {
			p.cells[n] = cell
		}
	}
	good := n >= minColumns && n < maxColumns || n == maxColumns && len(p.cells[maxColumns-1]) == 0
	if good && p.want == 0 {
		p.want = n
	}
	if good && n == p.want {
		return true
	}
	allowed := "6, 7 or 8 columns, split by tabs"
	if p.want > 0 {
		allowed = fmt.Sprintf("%d columns, as in the lines before", p.want)
	}
	found := fmt.Sprintf("%d columns", n)
	switch {
	case len(p.text) == 0:
		found = "an empty line"
	case n == 1:
		found = "1 column"
	case n == maxColumns && n == p.want:
		found = "9 columns with a text in the last"
	}
	if !p.ended && n < max(p.want, minColumns) && len(p.text) > 0 {
		found += " and no newline: the file is cut off"
	}
	p.refuse(columnsField, found, allowed)
	return false
}

// name sets the record's name, input file and position, which share one string.
func (p *parser) name() {
	var path []byte
	if p.want > pathColumn {
		path = p.cells[pathColumn]
	}
	name := p.cells[nameColumn]
	p.buf = append(append(append(p.buf[:0], name...), path...), "line "...)
	p.buf = strconv.AppendInt(p.buf, int64(p.line), 10)
	all, end := string(p.buf), len(name)+len(path)
	p.rec.Name, p.rec.InputFile, p.rec.Where = all[:len(name)], all[len(name):end], all[end:]
}

func (p *parser) submit() bool {
	const most = int64(model.Forever / model.Second)
	v, kind := parse(p.cells[submitColumn])
	if kind != number || v < 0 || v > most {
		p.refuse(columnNames[submitColumn], workload.Show(p.cells[submitColumn]), fmt.Sprintf("a whole number from 0 to %d", most))
		return false
	}
	p.rec.Submit = model.Time(v) * model.Second
	return true
}

// gap checks the syntax only, as a sign of columns that are shifted: the submit times say it all.
func (p *parser) gap() bool {
	if _, kind := parse(p.cells[gapColumn]); kind == text {
		p.refuse(columnNames[gapColumn], workload.Show(p.cells[gapColumn]), "a whole number")
		return false
	}
	return true
}

func (p *parser) size(column int, to *model.Bytes) bool {
	const allowed = "a whole number from 0 to 9223372036854775807"
	cell := p.cells[column]
	v, kind := parse(cell)
	switch {
	case kind == text || kind == huge && cell[0] != '-':
		p.refuse(columnNames[column], workload.Show(cell), allowed)
		return false
	case kind == huge || v < 0:
		*to = 0
		return p.log.Mendable(p.where(), columnNames[column], workload.Show(cell), allowed, "taken as 0")
	}
	*to = model.Bytes(v)
	return true
}

func (p *parser) where() string { return "line " + strconv.Itoa(p.line) }

func (p *parser) refuse(field, found, allowed string) { p.log.Refuse(p.where(), field, found, allowed) }
