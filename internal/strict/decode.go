// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshaler is implemented by types that may be written in several shapes, such as a name or a
// mapping. UnmarshalNode reads n, which is never null, into the receiver, which holds the
// default, and reports faults to d. The usual way to read one of the shapes is to hand n on to
// d.Sub("", n, &plain) with a type that has no UnmarshalNode.
type Unmarshaler interface {
	UnmarshalNode(n *Node, d *Decoder)
}

// Defaulter is implemented by types whose new values, as items of lists and maps or behind
// pointers, do not start from zero.
type Defaulter interface {
	SetDefaults()
}

// Decoder decodes one value at one path. Unmarshalers get one and must not keep it.
type Decoder struct {
	path string
	errs *Errors
}

// Decode reads the tree n into dst, a pointer to a struct (or to any supported type) that holds
// the defaults. Fields absent from n keep them. It goes on after an error and returns all of
// them; the fields in error keep their defaults, and a list the place of its items in error. A nil tree changes nothing.
func Decode(n *Node, dst any) Errors { return DecodeAt(n, "", dst) }

// DecodeAt is Decode for a part of a file: path is where n stands, for the messages.
func DecodeAt(n *Node, path string, dst any) Errors {
	var errs Errors
	d := &Decoder{path: path, errs: &errs}
	d.Sub("", n, dst)
	errs.sort()
	return errs
}

// Path returns the path of the value that is being decoded.
func (d *Decoder) Path() string { return d.path }

// Sub decodes n into what dst points to and reports whether that went without error. The suffix,
// such as ".name", "[2]" or "", leads from the decoder's path to n. A nil n changes nothing.
func (d *Decoder) Sub(suffix string, n *Node, dst any) bool {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("strict: decoding into %T, which is not a pointer", dst))
	}
	if n == nil {
		return true
	}
	return d.at(suffix).decode(n, v.Elem(), rules{})
}

// Bad reports that the value n at the decoder's path is wrong: the problem in two or three words
// and what would be allowed. What was found is taken from n.
func (d *Decoder) Bad(n *Node, problem, allowed string) {
	d.Report(Error{Pos: n.Pos, Path: d.path, Problem: problem, Found: n.found(), Allowed: allowed})
}

// BadName reports that the scalar n is none of the names allowed, with the nearest as a hint.
func (d *Decoder) BadName(n *Node, allowed []string) {
	d.Report(Error{
		Pos: n.Pos, Path: d.path, Problem: probValue, Found: n.found(),
		Allowed: "one of " + strings.Join(allowed, ", "), Hint: Nearest(n.Text, allowed),
	})
}

// Below returns the path of a field of the value that is being decoded.
func (d *Decoder) Below(field string) string { return strings.TrimPrefix(d.path+"."+field, ".") }

// Report adds an error as it stands.
func (d *Decoder) Report(e Error) { *d.errs = append(*d.errs, e) }

// UnknownKey reports the key, one of n.Keys, as an unknown field beside the allowed names.
func (d *Decoder) UnknownKey(key *Node, allowed []string) {
	d.Report(Error{
		Pos: key.Pos, Path: join(d.path, keyStep(key.Text)), Problem: probUnknown,
		Found: quote(key.Text), Allowed: strings.Join(allowed, ", "), Hint: Nearest(key.Text, allowed),
	})
}

func (d *Decoder) at(suffix string) *Decoder {
	return &Decoder{path: join(d.path, suffix), errs: d.errs}
}

// decode reads n into v, which is addressable, and reports success.
func (d *Decoder) decode(n *Node, v reflect.Value, r rules) bool {
	before := len(*d.errs)
	switch {
	case n.Kind == Bad:
		return false
	case v.Kind() == reflect.Pointer:
		d.pointer(n, v, r)
	case n.Kind == Null:
		d.Bad(n, probNull, describe(v.Type(), r))
	case isShaped(v.Type()):
		v.Addr().Interface().(Unmarshaler).UnmarshalNode(n, d)
	case isText(v.Type()):
		d.text(n, v, r)
	case v.Kind() == reflect.Struct:
		d.structure(n, v)
	case v.Kind() == reflect.Slice:
		d.list(n, v, r)
	case v.Kind() == reflect.Map:
		d.mapping(n, v, r)
	default:
		d.scalar(n, v, r)
	}
	return len(*d.errs) == before
}

// pointer reads an optional value. It makes a new target, so that defaults are never shared.
func (d *Decoder) pointer(n *Node, v reflect.Value, r rules) {
	if n.Kind == Null {
		v.SetZero()
		return
	}
	target := fresh(v.Type().Elem())
	if !v.IsNil() {
		target.Set(v.Elem())
	}
	if d.decode(n, target, r) {
		v.Set(target.Addr())
	}
}

// fresh returns a new addressable value of type t with its defaults.
func fresh(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if s, ok := v.Interface().(Defaulter); ok {
		s.SetDefaults()
	}
	return v.Elem()
}

func (d *Decoder) structure(n *Node, v reflect.Value) {
	fields := fieldsOf(v.Type())
	if n.Kind != Mapping {
		d.Bad(n, probType, "a mapping with the fields "+strings.Join(names(fields), ", "))
		return
	}
	seen := make([]bool, len(fields))
	for i, key := range n.Keys {
		known := false
		for j, f := range fields {
			if f.name == key.Text {
				known, seen[j] = true, true
				d.at(keyStep(f.name)).decode(n.Items[i], v.FieldByIndex(f.index), f.rules)
			}
		}
		if !known {
			d.UnknownKey(key, names(fields))
		}
	}
	for j, f := range fields {
		if f.required && !seen[j] {
			d.Report(Error{Pos: n.Pos, Path: join(d.path, keyStep(f.name)), Problem: probMissing, Allowed: describe(f.typ, f.rules)})
		}
	}
}

func (d *Decoder) list(n *Node, v reflect.Value, r rules) {
	if n.Kind != Sequence {
		d.Bad(n, probType, "a list")
		return
	}
	out := reflect.Zero(v.Type())
	for i, item := range n.Items {
		e := fresh(v.Type().Elem())
		d.at(indexStep(i)).decode(item, e, r)
		out = reflect.Append(out, e)
	}
	v.Set(out)
}

func (d *Decoder) mapping(n *Node, v reflect.Value, r rules) {
	if v.Type().Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strict: %v: the keys of a map must be strings", v.Type()))
	}
	if n.Kind != Mapping {
		d.Bad(n, probType, "a mapping")
		return
	}
	out := reflect.MakeMap(v.Type())
	ok := true
	for i, key := range n.Keys {
		e := fresh(v.Type().Elem())
		ok = d.at(keyStep(key.Text)).decode(n.Items[i], e, r) && ok
		out.SetMapIndex(reflect.ValueOf(key.Text).Convert(v.Type().Key()), e)
	}
	switch {
	case ok && len(n.Keys) == 0:
		v.SetZero()
	case ok:
		v.Set(out)
	}
}

func (d *Decoder) text(n *Node, v reflect.Value, r rules) {
	if n.Kind != Scalar {
		d.Bad(n, probType, describe(v.Type(), r))
		return
	}
	out := reflect.New(v.Type())
	out.Elem().Set(v)
	err := out.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Text))
	if err != nil {
		allowed := describe(v.Type(), r)
		e := Error{Pos: n.Pos, Path: d.path, Problem: probValue, Found: n.found(), Allowed: allowed}
		if list, ok := strings.CutPrefix(allowed, "one of "); ok {
			e.Hint = Nearest(n.Text, strings.Split(list, ", "))
		} else if cause := err.Error(); len(cause) <= maxCause || allowedBy(v.Type()) == "" {
			e.Problem += ": " + cause
		}
		d.Report(e)
		return
	}
	if !r.inBounds(out.Elem()) {
		d.Bad(n, probBounds, r.allowed())
		return
	}
	v.Set(out.Elem())
}

// maxCause is the length up to which the message of an UnmarshalText is shown beside what its
// type allows; a longer one only repeats the list of units.
const maxCause = 24
