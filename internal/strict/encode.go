// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// NodeMarshaler is implemented by types that write themselves, usually because they also
// implement Unmarshaler. What it returns must be readable by the type again; nil leaves the field
// out.
type NodeMarshaler interface {
	MarshalNode() *Node
}

// Encode turns a value of the supported types into a tree: structs in field order, maps in the
// order of their keys, texts marked as quoted. Nil pointers are left out, and so are zero values
// of fields with omitempty; when the tree is decoded again these take the defaults, so their
// default should be nil and zero. Floats must be finite. Encode panics on an unsupported type and
// when a MarshalText fails.
func Encode(v any) *Node {
	if v == nil {
		return &Node{Kind: Null}
	}
	return orNull(encode(reflect.ValueOf(v)))
}

func orNull(n *Node) *Node {
	if n == nil {
		return &Node{Kind: Null}
	}
	return n
}

func encode(v reflect.Value) *Node {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return &Node{Kind: Null}
		}
		return encode(v.Elem())
	}
	if !v.CanAddr() { // methods may have pointer receivers
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	switch m := v.Addr().Interface().(type) {
	case NodeMarshaler:
		return m.MarshalNode() // nil leaves the field out
	case encoding.TextMarshaler:
		text, err := m.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("strict: encoding %v: %v", v.Type(), err))
		}
		return &Node{Kind: Scalar, Text: string(text), Quoted: !isNumber(string(text))}
	}
	switch {
	case v.Kind() == reflect.String:
		return &Node{Kind: Scalar, Text: v.String(), Quoted: true}
	case v.Kind() == reflect.Bool:
		return bare(strconv.FormatBool(v.Bool()))
	case v.CanInt():
		return bare(strconv.FormatInt(v.Int(), 10))
	case v.CanUint():
		return bare(strconv.FormatUint(v.Uint(), 10))
	case v.CanFloat():
		return bare(strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()))
	case v.Kind() == reflect.Slice:
		n := &Node{Kind: Sequence}
		for i := range v.Len() {
			n.Items = append(n.Items, orNull(encode(v.Index(i))))
		}
		return n
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return encodeMap(v)
	case v.Kind() == reflect.Struct:
		return encodeStruct(v)
	}
	panic(fmt.Sprintf("strict: cannot encode %v", v.Type()))
}

func bare(text string) *Node { return &Node{Kind: Scalar, Text: text} }

func encodeMap(v reflect.Value) *Node {
	var keys []string
	for _, k := range v.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	n := &Node{Kind: Mapping}
	for _, k := range keys {
		n.add(k, orNull(encode(v.MapIndex(reflect.ValueOf(k).Convert(v.Type().Key())))))
	}
	return n
}

func encodeStruct(v reflect.Value) *Node {
	n := &Node{Kind: Mapping}
	for _, f := range fieldsOf(v.Type()) {
		fv := v.FieldByIndex(f.index)
		if fv.Kind() == reflect.Pointer && fv.IsNil() || f.omitEmpty && fv.IsZero() {
			continue
		}
		if item := encode(fv); item != nil {
			n.add(f.name, item)
		}
	}
	return n
}

func (n *Node) add(key string, value *Node) {
	n.Keys = append(n.Keys, &Node{Kind: Scalar, Text: key, Quoted: true})
	n.Items = append(n.Items, value)
}
