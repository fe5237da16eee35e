// SPDX-License-Identifier: Apache-2.0

package jhist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// unpacker reads events in Avro's binary form, one after the other and nothing between them. Only what a body holds is
// kept; the schema says how long everything else is.
type unpacker struct {
	in         *bufio.Reader
	kind, body *schema
	read       int64 // bytes of the event in hand
	depth      int
}

// What ends an event that cannot be read.
var (
	errRange = errors.New("a number outside of what the schema allows")
	errLong  = fmt.Errorf("an event of more than %d bytes", maxLine)
)

// next reads one event; io.EOF is the end of the events.
func (b *unpacker) next() (*event, error) {
	if head, err := b.in.Peek(len(header)); len(head) == 0 || string(head) == header || string(head) == "Avro-Bina" {
		if err != nil && err != io.EOF && len(head) == 0 {
			return nil, err
		}
		return nil, io.EOF
	}
	b.read, b.depth = 0, 0
	e := &event{Type: hadoop.Text{Given: true}, Event: map[string]body{}}
	kind, err := b.index(len(b.kind.symbols))
	if err != nil {
		return nil, err
	}
	e.Type.S = b.kind.symbols[kind]
	branch, err := b.index(len(b.body.union))
	if err != nil {
		return nil, err
	}
	record := b.body.union[branch]
	var fields body
	for i := range record.fields {
		f := &record.fields[i]
		if err := b.field(f, &fields); err != nil {
			return nil, err
		}
	}
	e.Event[record.name] = fields
	return e, nil
}

// places says where a body keeps the fields of events.
var places = func() map[string]int {
	m := map[string]int{}
	t := reflect.TypeFor[body]()
	for i := range t.NumField() {
		m[t.Field(i).Tag.Get("json")] = i
	}
	return m
}()

// field reads a field into the body, or past it.
func (b *unpacker) field(f *field, to *body) error {
	of := f.of
	place, known := places[f.name]
	if !known {
		return b.skip(of)
	}
	if of.kind == "union" {
		branch, err := b.index(len(of.union))
		if err != nil {
			return err
		}
		of = of.union[branch]
	}
	switch v := reflect.ValueOf(to).Elem().Field(place).Addr().Interface().(type) {
	case *hadoop.Text:
		if of.kind == "string" {
			text, err := b.text(true)
			*v = hadoop.Text{S: text, Given: true}
			return err
		}
	case *hadoop.Num:
		if of.kind == "int" || of.kind == "long" {
			n, err := b.long()
			*v = hadoop.Num{V: n, Given: true}
			return err
		}
	case *flag:
		if of.kind == "boolean" {
			c, err := b.byte()
			*v = c != 0
			return err
		}
	case *counters:
		if of.kind == "record" {
			return b.counters(of, v)
		}
	}
	return b.skip(of)
}

// counters reads the groups of counters.
func (b *unpacker) counters(of *schema, to *counters) error {
	for i := range of.fields {
		f := &of.fields[i]
		if f.name != "groups" || f.of.kind != "array" || f.of.items.kind != "record" {
			if err := b.skip(f.of); err != nil {
				return err
			}
			continue
		}
		err := b.blocks(func() error {
			to.Groups = append(to.Groups, group{})
			return b.group(f.of.items, &to.Groups[len(to.Groups)-1])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *unpacker) group(of *schema, to *group) error {
	for i := range of.fields {
		f := &of.fields[i]
		if f.name != "counts" || f.of.kind != "array" || f.of.items.kind != "record" {
			if err := b.skip(f.of); err != nil {
				return err
			}
			continue
		}
		err := b.blocks(func() error {
			to.Counts = append(to.Counts, count{})
			return b.count(f.of.items, &to.Counts[len(to.Counts)-1])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *unpacker) count(of *schema, to *count) (err error) {
	for i := range of.fields {
		f := &of.fields[i]
		switch {
		case f.name == "name" && f.of.kind == "string":
			to.Name.S, err = b.text(true)
			to.Name.Given = true
		case f.name == "value" && f.of.kind == "long":
			to.Value.V, err = b.long()
			to.Value.Given = true
		default:
			err = b.skip(f.of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// skip reads past a value.
func (b *unpacker) skip(s *schema) (err error) {
	if b.depth++; b.depth > deepest {
		return errDeep
	}
	defer func() { b.depth-- }()
	switch s.kind {
	case "boolean":
		_, err = b.byte()
	case "int", "long", "enum":
		_, err = b.long()
	case "float":
		err = b.discard(4)
	case "double":
		err = b.discard(8)
	case "bytes", "string":
		_, err = b.text(false)
	case "fixed":
		err = b.discard(s.size)
	case "record":
		for i := range s.fields {
			if err = b.skip(s.fields[i].of); err != nil {
				return err
			}
		}
	case "array":
		err = b.blocks(func() error { return b.skip(s.items) })
	case "map":
		err = b.blocks(func() error {
			if _, err := b.text(false); err != nil {
				return err
			}
			return b.skip(s.items)
		})
	case "union":
		var branch int
		if branch, err = b.index(len(s.union)); err == nil {
			err = b.skip(s.union[branch])
		}
	}
	return err
}

// blocks reads the items of an array or a map, which come in blocks with their number before them.
func (b *unpacker) blocks(item func() error) error {
	for {
		n, err := b.long()
		if err != nil || n == 0 {
			return err
		}
		if n < 0 { // then its size in bytes follows
			if n = -n; n < 0 {
				return errRange
			}
			if _, err := b.long(); err != nil {
				return err
			}
		}
		for range n {
			before := b.read
			if err := item(); err != nil {
				return err
			}
			if b.read == before { // items without content could go on for ever
				b.read += 1 << 10
			}
			if b.read > maxLine {
				return errLong
			}
		}
	}
}

func (b *unpacker) byte() (byte, error) {
	c, err := b.in.ReadByte()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if b.read++; b.read > maxLine {
		return 0, errLong
	}
	return c, err
}

// long reads a number of variable length, the sign in its lowest bit.
func (b *unpacker) long() (int64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		c, err := b.byte()
		if err != nil {
			return 0, err
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return int64(v>>1) ^ -int64(v&1), nil
		}
	}
	return 0, errRange
}

// index reads the number of one of n things.
func (b *unpacker) index(n int) (int, error) {
	v, err := b.long()
	if err == nil && (v < 0 || v >= int64(n)) {
		err = errRange
	}
	return int(v), err
}

// text reads a text, which is kept or not.
func (b *unpacker) text(keep bool) (string, error) {
	n, err := b.long()
	switch {
	case err != nil:
		return "", err
	case n < 0:
		return "", errRange
	case n > maxLine-b.read:
		return "", errLong
	case !keep:
		return "", b.discard(n)
	}
	b.read += n
	if head, err := b.in.Peek(int(min(n, int64(b.in.Size())))); err != nil { // before room is made for what is not there
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return "", err
	} else if int64(len(head)) == n {
		text := string(head)
		_, err = b.in.Discard(len(head))
		return text, err
	}
	text, err := io.ReadAll(io.LimitReader(b.in, n))
	if err == nil && int64(len(text)) < n {
		err = io.ErrUnexpectedEOF
	}
	return string(text), err
}

func (b *unpacker) discard(n int64) error {
	if b.read += n; b.read > maxLine {
		return errLong
	}
	_, err := b.in.Discard(int(n))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
