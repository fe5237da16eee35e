// SPDX-License-Identifier: Apache-2.0

package hadoop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/yardmaster/yardmaster/workload"
)

// maxValue is the longest text of one object. It bounds the memory that a damaged file can ask for.
const maxValue = 1 << 30

var errLong = errors.New("too long")

// Rows reads the objects of a file one by one: objects in a row with any white space between them,
// or the objects of one list. It holds one object at a time.
type Rows[T any] struct {
	log  *workload.Log
	noun string
	in   *input
	dec  *json.Decoder
	list bool // the file is one list
	end  bool
	at   int
	err  error
}

// NewRows returns the objects of r. Faults name an object by noun and number, counted from 1.
func NewRows[T any](r io.Reader, log *workload.Log, noun string) *Rows[T] {
	return newRows[T](r, log, noun, maxValue)
}

func newRows[T any](r io.Reader, log *workload.Log, noun string, most int) *Rows[T] {
	in := &input{r: bufio.NewReader(r), most: most}
	rows := &Rows[T]{log: log, noun: noun, in: in, dec: json.NewDecoder(in)}
	if first := in.skipSpace(); first == '[' {
		rows.list = true
		rows.end = !rows.token()
	}
	return rows
}

// Where returns the position of the object that Next returned.
func (r *Rows[T]) Where() string { return fmt.Sprintf("%s %d", r.noun, r.at) }

// Uncount takes back the number of the object that Next returned, which was none of the counted.
func (r *Rows[T]) Uncount() { r.at-- }

// Err returns why reading failed, nil at the end of the file or after a fault of its text.
func (r *Rows[T]) Err() error { return r.err }

// Next returns the next object that has the shape of a T. Objects of another shape are reported and
// left out. It returns false at the end of the file, when reading fails, and after text that is
// not JSON, which is reported and behind which nothing can be told.
func (r *Rows[T]) Next() (*T, bool) {
	for !r.end {
		r.in.left = r.in.most
		if r.list && !r.dec.More() {
			r.endList()
			return nil, false
		}
		v := new(T)
		err := r.dec.Decode(v)
		if err == io.EOF && !r.list {
			r.end = true
			return nil, false
		}
		r.at++
		var shape *json.UnmarshalTypeError
		switch {
		case err == nil:
			return v, true
		case errors.As(err, &shape):
			Shape(r.log, r.Where(), shape)
		default:
			r.stop(err)
		}
	}
	return nil, false
}

// endList expects the end of the list and of the file.
func (r *Rows[T]) endList() {
	if r.end = true; !r.token() {
		return
	}
	if _, err := r.dec.Token(); err != io.EOF {
		if r.in.err != nil {
			r.err = r.in.err
			return
		}
		r.log.Refuse(fmt.Sprintf("line %d", r.line()), "JSON", "more text behind the list", "the end of the file")
	}
}

func (r *Rows[T]) token() bool {
	_, err := r.dec.Token()
	if err != nil {
		r.at++
		r.stop(err)
	}
	return err == nil
}

// stop reports why the text cannot be read on.
func (r *Rows[T]) stop(err error) {
	r.end = true
	if r.in.err != nil && r.in.err != errLong {
		r.err = r.in.err
		return
	}
	where := fmt.Sprintf("%s, line %d", r.Where(), r.line())
	switch {
	case r.in.err == errLong:
		r.log.Refuse(where, "JSON", fmt.Sprintf("a %s of more than %d bytes", r.noun, r.in.most), "shorter ones")
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		r.log.Refuse(where, "JSON", "the end of the file inside the "+r.noun, "a whole JSON object")
	default:
		r.log.Refuse(where, "JSON", err.Error(), "a JSON object")
	}
}

// line returns the line at which the decoder gave up: it counts the lines of all that was handed to
// the decoder, less those behind the fault.
func (r *Rows[T]) line() int {
	rest, _ := io.ReadAll(r.dec.Buffered())
	at := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
	var value json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.NewDecoder(bytes.NewReader(rest)).Decode(&value); {
	case errors.As(err, &syntax):
		at = int(min(max(syntax.Offset-1, 0), int64(len(rest))))
	case err != nil:
		at = len(rest)
	}
	return 1 + r.in.lines - bytes.Count(rest[at:], []byte{'\n'})
}

// Shape reports a value that is not a list or an object where one is needed.
func Shape(log *workload.Log, where string, e *json.UnmarshalTypeError) {
	field, allowed := e.Field, "an object"
	if field == "" {
		field = "JSON"
	}
	if e.Type.Kind() == reflect.Slice {
		allowed = "a list"
	}
	log.Refuse(where, field, "a JSON "+e.Value, allowed)
}

// input counts lines, remembers the error of the reader below, and ends after left bytes.
type input struct {
	r     *bufio.Reader
	lines int
	most  int
	left  int
	err   error
}

// skipSpace returns the first byte that is not white space, without taking it; 0 at the end.
func (in *input) skipSpace() byte {
	for {
		b, err := in.r.ReadByte()
		switch {
		case err != nil:
			return 0 // Read meets it again
		case b == '\n':
			in.lines++
		case b != ' ' && b != '\t' && b != '\r':
			in.left = in.most
			_ = in.r.UnreadByte() // cannot fail behind ReadByte
			return b
		}
	}
}

// Read reads on, until the object has become too long.
func (in *input) Read(p []byte) (int, error) {
	if in.left <= 0 {
		in.err = errLong
		return 0, errLong
	}
	n, err := in.r.Read(p[:min(len(p), in.left)])
	in.left -= n
	in.lines += bytes.Count(p[:n], []byte{'\n'})
	if err != nil && err != io.EOF {
		in.err = err
	}
	return n, err
}

// Keys returns the names of the members of a JSON object, which must be valid, in its order. Of anything else it
// returns none.
func Keys(object []byte) (keys []string) {
	depth, name := 0, false // name: the next string at depth 1 is the name of a member
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '{', '[':
			depth++
			name = depth == 1 && object[i] == '{'
			if depth == 1 && !name {
				return nil
			}
		case '}', ']':
			depth--
		case ',':
			name = depth == 1
		case '"':
			start := i
			for i++; object[i] != '"'; i++ {
				if object[i] == '\\' {
					i++
				}
			}
			if depth == 1 && name {
				var key string
				if json.Unmarshal(object[start:i+1], &key) == nil {
					keys = append(keys, key)
				}
				name = false
			}
		}
	}
	return keys
}
