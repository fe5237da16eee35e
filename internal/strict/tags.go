// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// field is one tagged struct field.
type field struct {
	name                string
	index               []int // for reflect.Value.FieldByIndex
	typ                 reflect.Type
	doc                 string
	required, omitEmpty bool
	rules               rules
}

// rules are the limits that tags put on the leaves of a field.
type rules struct {
	oneof           []string
	min, max, above string
}

// fieldsOf lists the tagged fields of struct type t in order, those of inlined structs in their
// place. It panics on a fault in the tags.
func fieldsOf(t reflect.Type) []field {
	fields := appendFields(nil, t, nil)
	for i, f := range fields {
		for _, g := range fields[:i] {
			if f.name == g.name {
				panic(fmt.Sprintf("strict: %v has two fields named %q", t, f.name))
			}
		}
	}
	return fields
}

func appendFields(fields []field, t reflect.Type, index []int) []field {
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, ok := sf.Tag.Lookup("yaml")
		if !ok || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		at := append(slices.Clone(index), i)
		switch {
		case !sf.IsExported() && !(sf.Anonymous && options == "inline"):
			panic(fmt.Sprintf("strict: %v.%s has a yaml tag but is not exported", t, sf.Name))
		case options == "inline":
			if name != "" || sf.Type.Kind() != reflect.Struct {
				panic(fmt.Sprintf("strict: %v.%s: only a struct without a name can be inline", t, sf.Name))
			}
			fields = appendFields(fields, sf.Type, at)
			continue
		case name == "" || options != "" && options != "omitempty":
			panic(fmt.Sprintf("strict: %v.%s has the bad tag yaml:%q", t, sf.Name, tag))
		}
		f := field{
			name: name, index: at, typ: sf.Type, doc: sf.Tag.Get("doc"),
			required: sf.Tag.Get("required") == "true", omitEmpty: options == "omitempty",
			rules: rules{min: sf.Tag.Get("min"), max: sf.Tag.Get("max"), above: sf.Tag.Get("above")},
		}
		if s := sf.Tag.Get("oneof"); s != "" {
			f.rules.oneof = strings.Split(s, ",")
		}
		f.rules.mustFit(leaf(sf.Type), fmt.Sprintf("%v.%s", t, sf.Name))
		fields = append(fields, f)
	}
	return fields
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// leaf returns the type that rules on a field of type t apply to.
func leaf(t reflect.Type) reflect.Type {
	for !isOwn(t) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			t = t.Elem()
			continue
		}
		break
	}
	return t
}

var (
	unmarshalerType     = reflect.TypeFor[Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// isOwn reports whether t reads itself.
func isOwn(t reflect.Type) bool {
	return isShaped(t) || isText(t)
}

func isShaped(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshalerType)
}

func isText(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(textUnmarshalerType)
}

// mustFit panics when the rules make no sense for leaves of type t.
func (r rules) mustFit(t reflect.Type, where string) {
	if r.oneof != nil && (t.Kind() != reflect.String || isOwn(t)) {
		panic(fmt.Sprintf("strict: %s: oneof needs a string", where))
	}
	for _, bound := range []string{r.min, r.max, r.above} {
		if bound == "" {
			continue
		}
		if _, err := parseBound(t, bound); err != nil {
			panic(fmt.Sprintf("strict: %s: bad bound %q: %v", where, bound, err))
		}
	}
}

// allowed describes the rules; "" when there are none.
func (r rules) allowed() string {
	var parts []string
	if r.oneof != nil {
		parts = append(parts, "one of "+strings.Join(r.oneof, ", "))
	}
	if r.above != "" {
		parts = append(parts, "above "+r.above)
	}
	if r.min != "" {
		parts = append(parts, "at least "+r.min)
	}
	if r.max != "" {
		parts = append(parts, "at most "+r.max)
	}
	return strings.Join(parts, ", ")
}

// inBounds reports whether the number v, which has been read already, is within the bounds.
func (r rules) inBounds(v reflect.Value) bool {
	holds := func(bound string, ok func(c int) bool) bool {
		if bound == "" {
			return true
		}
		b, err := parseBound(v.Type(), bound)
		return err == nil && ok(compare(v, b))
	}
	return holds(r.min, func(c int) bool { return c >= 0 }) &&
		holds(r.max, func(c int) bool { return c <= 0 }) &&
		holds(r.above, func(c int) bool { return c > 0 })
}

// parseBound reads a bound in the notation of type t, which must be numeric at heart.
func parseBound(t reflect.Type, text string) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if !v.CanInt() && !v.CanUint() && !v.CanFloat() || isShaped(t) {
		return v, fmt.Errorf("%v is not a number", t)
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return v, u.UnmarshalText([]byte(text))
	}
	var err error
	switch {
	case v.CanInt():
		var i int64
		i, err = strconv.ParseInt(text, 10, t.Bits())
		v.SetInt(i)
	case v.CanUint():
		var u uint64
		u, err = strconv.ParseUint(text, 10, t.Bits())
		v.SetUint(u)
	default:
		var f float64
		f, err = strconv.ParseFloat(text, t.Bits())
		v.SetFloat(f)
	}
	return v, err
}

func compare(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	}
	return cmp.Compare(a.Float(), b.Float())
}
