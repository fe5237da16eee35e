// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"reflect"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// allowedBy returns what a type says about its own text, "" when it says nothing.
func allowedBy(t reflect.Type) string {
	if a, ok := reflect.New(t).Interface().(interface{ Allowed() string }); ok {
		return a.Allowed()
	}
	return ""
}

// describe says what a value of type t may be, for the "allowed" part of a message.
func describe(t reflect.Type, r rules) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	what := allowedBy(t)
	if what == "" {
		what = article(typeName(t))
	}
	switch limits := r.allowed(); {
	case limits == "":
		return what
	case r.oneof != nil && t.Kind() == reflect.String:
		return limits
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return what + " (each " + limits + ")"
	default:
		return what + " (" + limits + ")"
	}
}

func article(noun string) string {
	switch {
	case noun == "text", strings.HasPrefix(noun, "any "), strings.HasPrefix(noun, "true "):
		return noun
	case strings.IndexByte("aeiou", noun[0]) >= 0:
		return "an " + noun
	}
	return "a " + noun
}

var modelNames = map[reflect.Type]string{
	reflect.TypeFor[model.Time]():     "duration",
	reflect.TypeFor[model.Bytes]():    "size",
	reflect.TypeFor[model.Rate]():     "rate",
	reflect.TypeFor[model.Fraction](): "share",
	reflect.TypeFor[model.Priority](): "priority",
}

// typeName names a type in human words.
func typeName(t reflect.Type) string {
	if n, ok := reflect.New(t).Interface().(interface{ TypeName() string }); ok {
		return n.TypeName()
	}
	if n, ok := modelNames[t]; ok {
		return n
	}
	if isOwn(t) {
		return "text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Struct:
		return "mapping"
	case reflect.Slice:
		return "list of " + plural(typeName(t.Elem()))
	case reflect.Map:
		return "mapping of names to " + plural(typeName(t.Elem()))
	}
	return "text"
}

func plural(noun string) string {
	first, rest, _ := strings.Cut(noun, " of ")
	switch {
	case rest != "":
		return plural(first) + " of " + rest
	case strings.HasPrefix(noun, "true "):
		return noun
	case strings.HasSuffix(noun, "y"):
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	return noun + "s"
}
