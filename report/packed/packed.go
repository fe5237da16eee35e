// SPDX-License-Identifier: Apache-2.0

// Package packed embeds many numbers in a page in few bytes.
package packed

import (
	"math"
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/digits"
)

// Nums is a list of numbers that is embedded with five significant digits.
type Nums []float64

// MarshalJSON writes the numbers as short as they can be; what is not a number becomes null.
func (n Nums) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 7*len(n)+2), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v, 5)
	}
	return append(b, ']'), nil
}

// Coarse is a list of numbers that is embedded with four significant digits: curves over time,
// of which there are many and no pixel shows more.
type Coarse []float64

// MarshalJSON writes the numbers as short as they can be; what is not a number becomes null.
func (n Coarse) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 5*len(n)+2), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v, 4)
	}
	return append(b, ']'), nil
}

// Instants is a list of times in seconds, embedded to the tenth of a second: unlike spans they
// need the same absolute precision wherever they are.
type Instants []float64

// MarshalJSON writes the times with one decimal where it is not zero.
func (n Instants) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 8*len(n)+2), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, math.Round(v*10)/10, 15)
	}
	return append(b, ']'), nil
}

// Num is one number, embedded like Nums.
type Num float64

// MarshalJSON writes the number as short as it can be.
func (n Num) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n), 5), nil }

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

// Percents is a list of shares that is embedded in whole percent.
type Percents []float64

// MarshalJSON writes the shares as whole numbers.
func (p Percents) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 3*len(p)+2), '[')
	for i, v := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(math.Round(100*v)), 10)
	}
	return append(b, ']'), nil
}

// Merge averages every group of neighbouring values; the last group may be smaller.
func Merge(values []float64, group int) Coarse {
	if group == 1 {
		return Coarse(values)
	}
	out := make(Coarse, 0, len(values)/group+1)
	for chunk := range slices.Chunk(values, group) {
		var sum float64
		for _, v := range chunk {
			sum += v
		}
		out = append(out, sum/float64(len(chunk)))
	}
	return out
}
