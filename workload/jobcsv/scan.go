// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// scanner cuts text into rows and rows into cells by the quoting rules of RFC 4180. Unlike
// encoding/csv it keeps line breaks inside quotes as they are, goes on after a fault, and bounds the
// memory of a row.
type scanner struct {
	in     *bufio.Reader
	limit  int // most bytes of a row
	line   int // lines read so far
	start  int // line on which the row starts
	opened int // line of the last opening quote

	cells []byte // of the row, one after the other, without quotes
	ends  []int  // where each of them ends
	long  []byte // a line that does not fit the buffer of in
	ended bool   // the row ended in a newline
}

// syntax is a fault of the row's form; the row is skipped.
type syntax struct {
	line           int
	found, allowed string
}

// state is where the scanner is within a row.
type state uint8

const (
	atStart    state = iota // of a cell
	inBare                  // in a cell without quotes
	inQuotes                // in a quoted cell
	afterQuote              // after a quote in a quoted cell
	atEnd                   // of the row
)

// next moves to the next row. It returns io.EOF after the last one and other errors if reading fails.
// After a fault it goes on with the next line.
func (s *scanner) next() (*syntax, error) {
	s.cells, s.ends, s.start = s.cells[:0], s.ends[:0], s.line+1
	at := atStart
	for at != atEnd {
		text, err := s.read(s.limit - len(s.cells))
		if err == errLong {
			return &syntax{s.start, fmt.Sprintf("a row of more than %d bytes", s.limit), fmt.Sprintf("at most %d bytes per row, with every quote closed", s.limit)}, nil
		}
		if err == io.EOF && at == inQuotes {
			return &syntax{s.opened, "a quote that is never closed: the file is cut off, or a quote is missing", "a closing quote"}, nil
		}
		if err != nil {
			return nil, err
		}
		var fault *syntax
		if at, fault = s.scan(text, at); fault != nil {
			return fault, nil
		}
	}
	return nil, nil
}

// scan reads one line of a row.
func (s *scanner) scan(text []byte, at state) (state, *syntax) {
	s.ended = false
	for i, c := range text {
		lineEnd := c == '\n' || c == '\r' && i == len(text)-2 && text[i+1] == '\n'
		switch {
		case at == inQuotes && c == '"':
			at = afterQuote
		case at == inQuotes:
			s.cells = append(s.cells, c)
		case lineEnd:
			s.ends, s.ended = append(s.ends, len(s.cells)), true
			return atEnd, nil
		case c == ',':
			s.ends = append(s.ends, len(s.cells))
			at = atStart
		case c == '"' && at == atStart:
			at, s.opened = inQuotes, s.line
		case c == '"' && at == afterQuote:
			s.cells = append(s.cells, c)
			at = inQuotes
		case c == '"':
			return at, &syntax{s.line, "a quote inside a cell that does not start with one", "the cell in quotes, its own quotes doubled"}
		case at == afterQuote:
			return at, &syntax{s.line, "text after a closing quote", "a comma or the end of the row; quotes inside a cell are doubled"}
		default:
			s.cells = append(s.cells, c)
			at = inBare
		}
	}
	if at != inQuotes { // the last line has no newline
		s.ends = append(s.ends, len(s.cells))
		at = atEnd
	}
	return at, nil
}

// errLong says that a line is longer than was allowed; it has been skipped.
var errLong = errors.New("line too long")

// read returns the next line with its newline, valid until the next call, or io.EOF.
func (s *scanner) read(most int) ([]byte, error) {
	text, err := s.in.ReadSlice('\n')
	if len(text) > 0 {
		s.line++
	}
	tooLong := len(text) > most
	if err == bufio.ErrBufferFull {
		s.long = append(s.long[:0], text...)
		for err == bufio.ErrBufferFull {
			text, err = s.in.ReadSlice('\n')
			tooLong = tooLong || len(s.long)+len(text) > most
			if !tooLong {
				s.long = append(s.long, text...)
			}
		}
		text = s.long
	}
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case tooLong:
		return nil, errLong
	case len(text) == 0:
		return nil, io.EOF
	}
	return text, nil
}

// cell returns the i-th cell of the row, valid until the next row.
func (s *scanner) cell(i int) []byte {
	start := 0
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.cells[start:s.ends[i]]
}

// blank reports whether the row is an empty line.
func (s *scanner) blank() bool { return len(s.ends) == 1 && s.ends[0] == 0 }
