// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/metrics"
)

// scale is the unit that one row of the summary is written in: values are divided by div and
// followed by suffix.
type scale struct {
	div    float64
	suffix string
}

var timeScales = []scale{
	{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"},
}

var byteScales = []scale{{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}

// scaleOf chooses the unit of a row. Times and sizes get the unit that suits the geometric mean of their
// values, so that all cells of the row can be compared at a glance; a row with a value of a second
// or more is not written in milliseconds.
func scaleOf(r *Row) scale {
	switch r.Unit {
	case metrics.Share:
		return scale{0.01, "%"}
	case metrics.Seconds:
		return suitable(r, timeScales)
	case metrics.Bytes:
		return suitable(r, byteScales)
	}
	return scale{1, r.Unit}
}

// suitable returns the scale that suits the geometric mean of the row's values.
func suitable(r *Row, scales []scale) scale {
	var sum, largest float64
	n := 0
	for _, c := range r.Cells {
		if a := math.Abs(c.Mean); a > 0 && !math.IsInf(a, 0) && !math.IsNaN(a) {
			sum += math.Log(a)
			largest = max(largest, a)
			n++
		}
	}
	if n == 0 {
		return scale{1, r.Unit}
	}
	typical := math.Exp(sum / float64(n))
	for _, s := range scales {
		if typical >= 2*s.div || s.div == 1 && largest >= 1 {
			return s
		}
	}
	return scales[len(scales)-1]
}

// mean formats a value with three significant digits and the row's unit.
func (s scale) mean(v float64) string { return s.unit(number(v/s.div, decimals(v/s.div))) }

// half formats half the width of an interval around v with the precision of v.
func (s scale) half(v, half float64) string {
	return number(half/s.div, decimals(v/s.div))
}

func (s scale) unit(text string) string {
	if s.suffix == "" {
		return text
	}
	return text + " " + s.suffix
}

// decimals returns how many decimals show three significant digits of v.
func decimals(v float64) int {
	a := math.Abs(v)
	if a == 0 || math.IsNaN(a) || math.IsInf(a, 0) {
		return 0
	}
	return min(max(2-int(math.Floor(math.Log10(a))), 0), 9)
}

// number formats v with the given decimals, thousands apart, and large values with k, M, G, T.
func number(v float64, decimals int) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	a := math.Abs(v)
	sign := ""
	if v < 0 {
		sign = "−"
	}
	for _, m := range []struct {
		size float64
		name string
	}{{1e15, ""}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if a < 10*m.size {
			continue
		}
		if m.name == "" {
			return sign + strconv.FormatFloat(a, 'e', 2, 64)
		}
		return sign + strconv.FormatFloat(a/m.size, 'f', 1, 64) + " " + m.name
	}
	text := strconv.FormatFloat(a, 'f', decimals, 64)
	if strings.Trim(text, "0.") == "" {
		sign = ""
	}
	return sign + digits.Thousands(text)
}

// percent formats a relative difference with its sign: +3.4 %, −34 %.
func percent(d float64) string {
	p := 100 * d
	if math.IsNaN(p) {
		return "–"
	}
	n := 0
	if math.Abs(p) < 9.95 {
		n = 1
	}
	text := number(p, n)
	if p > 0 && strings.Trim(text, "0.") != "" {
		text = "+" + text
	}
	return text + " %"
}

// plural returns "1 job", "2 jobs".
func plural(n int, word string) string {
	count, word, _ := strings.Cut(digits.Count(n, word), " ")
	return digits.Thousands(count) + " " + word
}
