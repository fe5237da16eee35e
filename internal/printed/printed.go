// SPDX-License-Identifier: Apache-2.0

// Package printed shows texts that others chose, such as names of applications of a cluster, on a terminal.
package printed

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns the text in one line that a terminal shows and does not obey: what does not print is written as in Go's
// strings, such as \x1b and \n, and bytes that are no UTF-8 are replaced.
func Line(text string) string {
	if strings.IndexFunc(text, obeyed) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !obeyed(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToGraphic(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// obeyed reports whether a rune may do something to a terminal other than taking its place in the line.
func obeyed(r rune) bool { return !unicode.IsGraphic(r) }
