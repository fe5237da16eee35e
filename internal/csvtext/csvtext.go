// SPDX-License-Identifier: Apache-2.0

// Package csvtext writes texts that others chose, such as names of jobs, into cells of CSV files so that a spreadsheet
// shows them and does not run them, and reads them back.
package csvtext

import "strings"

// formula reports whether a spreadsheet may take a cell for something to work out: it begins with one of = + - @ or a
// tab or carriage return, after any apostrophes. Apostrophes are looked through so that Guard can be undone.
func formula(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
}

// Guard returns the text with an apostrophe before it if a spreadsheet could run it.
func Guard(s string) string {
	if formula(s) {
		return "'" + s
	}
	return s
}

// Bare returns the text that Guard was given. A text that needs no guard, and one that has none, stays as it is.
func Bare(s string) string {
	if strings.HasPrefix(s, "'") && formula(s) {
		return s[1:]
	}
	return s
}

// Append appends the text as a cell: guarded, and in quotes where RFC 4180 asks for them.
func Append(b []byte, s string) []byte {
	s = Guard(s)
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
