// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"fmt"
	"reflect"
	"strconv"
)

// Field describes one field of a file for a reference page or for help.
type Field struct {
	Path     string // such as cluster.nodes, jobs[].maps or queues.<name>.share
	Type     string // in human words: duration, list of sizes, mapping, ...
	Default  string // as one would write it; "" when there is none
	Allowed  string // the values, the notation and the bounds; "" when the type says all
	Doc      string // one sentence, from the doc tag
	Required bool
}

// Fields lists all fields of v, a struct of defaults or a pointer to one, in order; the fields of
// a struct follow it. Items of lists and maps are described by a new value with its defaults. A
// type that contains itself is not entered a second time.
func Fields(v any) []Field {
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer {
		rv = rv.Elem()
	}
	if rv.Kind() != reflect.Struct {
		panic(fmt.Sprintf("strict: Fields of %T, which is not a struct", v))
	}
	w := fieldWalker{open: map[reflect.Type]bool{}}
	w.structure("", rv)
	return w.out
}

type fieldWalker struct {
	out  []Field
	open map[reflect.Type]bool // the types being walked
}

func (w *fieldWalker) structure(path string, v reflect.Value) {
	if w.open[v.Type()] {
		return
	}
	w.open[v.Type()] = true
	defer delete(w.open, v.Type())
	for _, f := range fieldsOf(v.Type()) {
		fv := v.FieldByIndex(f.index)
		at := join(path, keyStep(f.name))
		d := Field{Path: at, Type: typeName(f.typ), Allowed: allowedFor(f), Doc: f.doc, Required: f.required}
		if !f.required {
			d.Default = defaultText(fv)
		}
		w.out = append(w.out, d)
		w.below(at, fv.Type(), fv)
	}
}

// below describes the structs that a value of type t holds; v may be invalid.
func (w *fieldWalker) below(path string, t reflect.Type, v reflect.Value) {
	if isOwn(t) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsValid() && !v.IsNil() {
			v = v.Elem()
		} else {
			v = reflect.Value{}
		}
		w.below(path, t.Elem(), v)
	case reflect.Slice:
		w.below(path+"[]", t.Elem(), reflect.Value{})
	case reflect.Map:
		w.below(path+".<name>", t.Elem(), reflect.Value{})
	case reflect.Struct:
		if !v.IsValid() {
			v = fresh(t)
		}
		w.structure(path, v)
	}
}

// allowedFor says what the leaves of a field may be, beyond what the type's name says.
func allowedFor(f field) string {
	what, limits := allowedBy(leaf(f.typ)), f.rules.allowed()
	if what != "" && limits != "" {
		return what + " (" + limits + ")"
	}
	return what + limits
}

// defaultText writes a default on one line; a struct has none, its fields do.
func defaultText(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		return defaultText(v.Elem())
	}
	if v.Kind() == reflect.Struct && !isOwn(v.Type()) {
		return ""
	}
	n := encode(v)
	switch {
	case n == nil || n.Kind == Null:
		return ""
	case n.Kind == Scalar && n.Text == "":
		return `""`
	case n.Kind == Scalar && n.Quoted && !isText(v.Type()) && (isNumber(n.Text) || isBool(n.Text)):
		return strconv.Quote(n.Text)
	case n.Kind == Scalar:
		return n.Text
	}
	return string(n.JSON(""))
}
