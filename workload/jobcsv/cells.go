// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bytes"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

const (
	allowedTime   = "seconds from 0 to 9223372036.854775807 with up to 9 decimals, or a time with its unit such as 300ms"
	allowedSize   = "bytes from 0 to 9223372036854775807, or a size with its unit such as 128MiB"
	allowedCount  = "a whole number from 0 to 2147483647"
	allowedNumber = "a number above 0"
)

// trim cuts off the white space that people put around numbers.
func trim(cell []byte) []byte { return bytes.Trim(cell, " \t") }

func (t *table) readTime(cell []byte, to *model.Time) bool {
	v, ok := parseTime(trim(cell))
	if !ok {
		return t.refuse(cell, allowedTime)
	}
	*to = v
	return true
}

// parseTime reads a time that is not negative, in seconds or with its unit. It is exact.
func parseTime(s []byte) (model.Time, bool) {
	if len(s) == 0 {
		return 0, false
	}
	if !isDigit(s[len(s)-1]) {
		var t model.Time
		err := t.UnmarshalText(s)
		return t, err == nil && t >= 0
	}
	whole, decimals, dot := bytes.Cut(s, []byte{'.'})
	if len(whole) == 0 || dot && len(decimals) == 0 || len(decimals) > 9 {
		return 0, false
	}
	seconds, ok := parseDigits(whole)
	if !ok {
		return 0, false
	}
	nanos, ok := parseDigits(decimals)
	if !ok {
		return 0, false
	}
	for range 9 - len(decimals) {
		nanos *= 10
	}
	if seconds > (math.MaxInt64-nanos)/int64(model.Second) {
		return 0, false
	}
	return model.Time(seconds)*model.Second + model.Time(nanos), true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseDigits reads a whole number without a sign; nothing is 0.
func parseDigits(s []byte) (v int64, ok bool) {
	for _, c := range s {
		if !isDigit(c) || v > (math.MaxInt64-int64(c-'0'))/10 {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}

func (t *table) readSize(cell []byte, to *model.Bytes) bool {
	var v model.Bytes
	digits, negative := bytes.CutPrefix(trim(cell), []byte{'-'})
	ok := false
	if len(digits) > 0 && isDigit(digits[len(digits)-1]) {
		var n int64
		n, ok = parseDigits(digits)
		v = model.Bytes(n)
	} else {
		ok = v.UnmarshalText(digits) == nil && v >= 0
	}
	switch {
	case !ok:
		return t.refuse(cell, allowedSize)
	case negative && v != 0:
		*to = 0
		return t.log.Mendable(t.rec.Where, t.field, workload.Show(cell), allowedSize, "taken as 0")
	}
	*to = v
	return true
}

func (t *table) readCount(cell []byte, to *int32) bool {
	s := trim(cell)
	v, ok := parseDigits(s)
	if !ok || len(s) == 0 || v > math.MaxInt32 {
		return t.refuse(cell, allowedCount)
	}
	*to = int32(v)
	return true
}

func readPriority(t *table, cell []byte) bool {
	if t.rec.Priority.UnmarshalText(trim(cell)) != nil {
		return t.refuse(cell, t.rec.Priority.Allowed())
	}
	return true
}

func writePriority(b []byte, r *workload.Record, _ *int64) []byte {
	return append(b, r.Priority.String()...)
}

func (t *table) readNumber(cell []byte, to *float64) bool {
	s := trim(cell)
	v, err := strconv.ParseFloat(string(s), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) || bytes.ContainsAny(s, "xXpP_") {
		return t.refuse(cell, allowedNumber)
	}
	*to = v
	return true
}

// refuse notes that the cell in hand is wrong and returns false.
func (t *table) refuse(cell []byte, allowed string) bool {
	t.log.Refuse(t.rec.Where, t.field, workload.Show(cell), allowed)
	return false
}
