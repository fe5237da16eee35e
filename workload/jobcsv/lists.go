// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

const (
	allowedLengths = "times split by spaces, such as 12.5 300ms, or 3x12.5 for three of a kind"
	allowedHosts   = "texts split by spaces, with %20 for a space and %25 for a percent sign"

	unknownHost = "-"
)

// readLengths reads a list of times, in which NxT stands for N times T.
func (t *table) readLengths(cell []byte, to *[]model.Time) bool {
	return readRuns(t, cell, to, parseTime, allowedLengths, "NxT")
}

// readRuns reads a list of items split by spaces, in which a number and an x before an item stand for that number of
// them. form is how messages call that.
func readRuns[T any](t *table, cell []byte, to *[]T, parse func([]byte) (T, bool), allowed, form string) bool {
	var list []T
	for item := range bytes.SplitSeq(trim(cell), []byte{' '}) {
		if len(item) == 0 {
			continue
		}
		n, one := int64(1), item
		if count, rest, run := bytes.Cut(item, []byte{'x'}); run {
			v, ok := parseDigits(count)
			if !ok || v < 1 {
				return t.refuse(item, allowed)
			}
			n, one = v, rest
		}
		v, ok := parse(one)
		if !ok {
			return t.refuse(item, allowed)
		}
		if n-1 > t.runs {
			return t.refuse(item, fmt.Sprintf("at most %d tasks of a file unwritten by %s", t.limit.runs, form))
		}
		t.runs -= n - 1
		list = slices.Grow(list, int(n))
		for range n {
			list = append(list, v)
		}
	}
	*to = list
	return true
}

// appendLengths writes what readLengths reads, with runs for repeated times while the reader allows
// them.
func appendLengths(b []byte, list []model.Time, runs *int64) []byte {
	start := len(b)
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] && int64(n) <= *runs {
			n++
		}
		if len(b) > start {
			b = append(b, ' ')
		}
		if n > 1 {
			b = append(strconv.AppendInt(b, int64(n), 10), 'x')
			*runs -= int64(n - 1)
		}
		b = list[i].AppendDecimal(b)
		i += n
	}
	return b
}

// readHosts reads a list of texts. They share the memory of the cell where nothing is encoded.
func (t *table) readHosts(cell []byte, to *[]string) bool {
	var list []string
	for item := range strings.SplitSeq(strings.Trim(string(cell), " \t"), " ") {
		switch {
		case item == "":
			continue
		case item == unknownHost:
			item = ""
		case strings.Contains(item, "%"):
			host, ok := decodeHost(item)
			if !ok {
				t.log.Refuse(t.rec.Where, t.field, workload.Show(item), allowedHosts)
				return false
			}
			item = host
		}
		list = append(list, item)
	}
	*to = list
	return true
}

// decodeHost replaces every %XX by its byte. The result must be text.
func decodeHost(s string) (string, bool) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		v, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(v))
		i += 2
	}
	return string(b), isText(b)
}

// isText reports whether b is UTF-8 without NUL.
func isText(b []byte) bool { return bytes.IndexByte(b, 0) < 0 && utf8.Valid(b) }

// appendHosts writes what readHosts reads.
func appendHosts(b []byte, list []string) []byte {
	for i, host := range list {
		if i > 0 {
			b = append(b, ' ')
		}
		switch host {
		case "":
			b = append(b, unknownHost...)
			continue
		case unknownHost:
			b = append(b, "%2D"...)
			continue
		}
		b = appendHost(b, host, "")
	}
	return b
}

// appendHost writes what decodeHost reads; also lists more characters that are encoded.
func appendHost(b []byte, host, also string) []byte {
	for j := range len(host) {
		if c := host[j]; c <= ' ' || c == '%' || c == 0x7f || strings.IndexByte(also, c) >= 0 {
			b = fmt.Appendf(b, "%%%02X", c)
		} else {
			b = append(b, c)
		}
	}
	return b
}
