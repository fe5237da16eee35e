// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// scalar reads the built-in types.
func (d *Decoder) scalar(n *Node, v reflect.Value, r rules) {
	switch {
	case v.Kind() == reflect.String:
		d.str(n, v, r)
	case v.Kind() == reflect.Bool:
		if n.Kind != Scalar || n.Quoted || !isBool(n.Text) {
			d.Bad(n, probType, describe(v.Type(), r))
			return
		}
		v.SetBool(n.Text == "true")
	case v.CanInt(), v.CanUint(), v.CanFloat():
		d.number(n, v, r)
	default:
		panic(fmt.Sprintf("strict: cannot decode into %v", v.Type()))
	}
}

// str reads a text. Numbers are taken as written; a bare true or false is refused, because whoever
// wrote it meant something else than a text.
func (d *Decoder) str(n *Node, v reflect.Value, r rules) {
	switch {
	case n.Kind != Scalar:
		d.Bad(n, probType, describe(v.Type(), r))
	case !n.Quoted && isBool(strings.ToLower(n.Text)):
		d.Bad(n, probType, describe(v.Type(), r)+` (write "`+n.Text+`" in quotes for the word)`)
	case r.oneof != nil && !slices.Contains(r.oneof, n.Text):
		d.BadName(n, r.oneof)
	default:
		v.SetString(n.Text)
	}
}

func (d *Decoder) number(n *Node, v reflect.Value, r rules) {
	if n.Kind != Scalar || n.Quoted {
		d.Bad(n, probType, describe(v.Type(), r)+inQuotes(n))
		return
	}
	out := reflect.New(v.Type()).Elem()
	var err error
	switch {
	case v.CanFloat():
		if !isNumber(n.Text) {
			d.Bad(n, probType, describe(v.Type(), r))
			return
		}
		var f float64
		f, err = strconv.ParseFloat(n.Text, v.Type().Bits())
		out.SetFloat(f)
	case !isInteger(n.Text):
		d.Bad(n, probType, describe(v.Type(), r))
		return
	case v.CanInt():
		var i int64
		i, err = strconv.ParseInt(n.Text, 10, v.Type().Bits())
		out.SetInt(i)
	default:
		var u uint64
		u, err = strconv.ParseUint(strings.TrimPrefix(n.Text, "-"), 10, v.Type().Bits())
		if u > 0 && n.Text[0] == '-' {
			err = strconv.ErrRange
		}
		out.SetUint(u)
	}
	switch {
	case err != nil:
		d.Bad(n, probBounds, rangeOf(v.Type(), r))
	case !r.inBounds(out):
		d.Bad(n, probBounds, r.allowed())
	default:
		v.Set(out)
	}
}

func inQuotes(n *Node) string {
	if n.Kind == Scalar && n.Quoted && isNumber(n.Text) {
		return ", without quotes"
	}
	return ""
}

// rangeOf describes what the numeric type t can hold, and the rules where they say more.
func rangeOf(t reflect.Type, r rules) string {
	if limits := r.allowed(); limits != "" {
		return capacity(t) + " (" + limits + ")"
	}
	return capacity(t)
}

func capacity(t reflect.Type) string {
	v := reflect.Zero(t)
	bits := t.Bits()
	switch {
	case v.CanInt():
		low := int64(-1) << (bits - 1)
		return fmt.Sprintf("an integer from %d to %d", low, -(low + 1))
	case v.CanUint():
		return fmt.Sprintf("an integer from 0 to %d", uint64(math.MaxUint64)>>(64-bits))
	}
	largest := math.MaxFloat64
	if bits == 32 {
		largest = math.MaxFloat32
	}
	return fmt.Sprintf("a number of at most %g", largest)
}
