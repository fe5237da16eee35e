// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/digits"
)

// nums is a list of numbers that is embedded with five significant digits.
type nums []float64

// MarshalJSON writes the numbers as short as they can be; what is not a number becomes null.
func (n nums) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 7*len(n)+2), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v, 5)
	}
	return append(b, ']'), nil
}

// coarse is a list of numbers that is embedded with four significant digits: curves over time,
// of which there are many and no pixel shows more.
type coarse []float64

// MarshalJSON writes the numbers as short as they can be; what is not a number becomes null.
func (n coarse) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 5*len(n)+2), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v, 4)
	}
	return append(b, ']'), nil
}

// instants is a list of times in seconds, embedded to the tenth of a second: unlike spans they
// need the same absolute precision wherever they are.
type instants []float64

// MarshalJSON writes the times with one decimal where it is not zero.
func (n instants) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 8*len(n)+2), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, math.Round(v*10)/10, 15)
	}
	return append(b, ']'), nil
}

// num is one number, embedded like nums.
type num float64

// MarshalJSON writes the number as short as it can be.
func (n num) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n), 5), nil }

// appendNumber appends v rounded to at most that many significant digits in the shortest form that JSON has.
func appendNumber(b []byte, v float64, most int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	v = digits.Round(v, most)
	if v == 0 {
		return append(b, '0')
	}
	if a := math.Abs(v); a >= 1e7 || a < 1e-4 {
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// embedJSON encodes v so that it can stand inside a script element: the result holds none of the
// characters <, > and & nor the two line separators that scripts know, whatever v's strings hold.
func embedJSON(v any) (template.JS, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(true)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return template.JS(bytes.TrimSpace(b.Bytes())), nil
}

// Span writes seconds for people.
func Span(s float64) string {
	switch {
	case s >= 2*3600:
		return fmt.Sprintf("%.1f h", s/3600)
	case s >= 600:
		return fmt.Sprintf("%.1f min", s/60)
	}
	return fmt.Sprintf("%.1f s", s)
}
