// SPDX-License-Identifier: Apache-2.0

package swim

import (
	"bytes"
	"math"
	"strconv"
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

// maxShown is how many characters of a cell a message shows.
const maxShown = 60

// show quotes the beginning of a cell for a message.
func show(cell []byte) string {
	if len(cell) == 0 {
		return "nothing"
	}
	s := string(cell[:min(len(cell), 5*maxShown)])
	shown := 0
	for i := range s {
		if shown++; shown > maxShown {
			return strconv.Quote(s[:i] + "...")
		}
	}
	return strconv.Quote(s)
}
