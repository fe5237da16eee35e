// SPDX-License-Identifier: Apache-2.0

// Package digits writes numbers for people: rounded to a few digits, thousands apart.
package digits

import (
	"math"
	"strconv"
	"strings"
)

// Thousands puts a comma between groups of three digits before the decimal point.
func Thousands(text string) string {
	whole, frac, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		return whole + "." + frac
	}
	return whole
}

// Round rounds v to the given number of significant digits.
func Round(v float64, digits int) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v // rounding up overflowed: the largest number there is stays itself
	}
	return r
}

// Count returns a count with its word in the number that it has: 1 job, 2 jobs.
func Count[N int | int64](n N, word string) string {
	if n != 1 {
		word += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + word
}
