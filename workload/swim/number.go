// SPDX-License-Identifier: Apache-2.0

package swim

import (
	"bytes"
	"math"
)

// kind says what a cell holds.
type kind uint8

const (
	text   kind = iota // no whole number
	huge               // a whole number that an int64 cannot hold
	number             // a whole number
)

// parse reads a whole decimal number with an optional minus sign.
func parse(cell []byte) (int64, kind) {
	digits := bytes.TrimPrefix(cell, []byte{'-'})
	if len(digits) == 0 {
		return 0, text
	}
	v, result := int64(0), number
	for _, c := range digits {
		d := int64(c) - '0'
		if d < 0 || d > 9 {
			return 0, text
		}
		if v > (math.MaxInt64-d)/10 {
			result = huge
			continue
		}
		v = v*10 + d
	}
	if len(digits) < len(cell) {
		v = -v
	}
	return v, result
}
