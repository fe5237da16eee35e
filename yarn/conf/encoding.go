// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var declared = regexp.MustCompile(`^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']`)

// Decode returns the text of an XML file in UTF-8: by its byte-order mark, by how it begins, or by the encoding that it
// declares.
func Decode(src []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xfe")):
		return fromUTF16(src[2:], binary.LittleEndian)
	case bytes.HasPrefix(src, []byte("\xfe\xff")):
		return fromUTF16(src[2:], binary.BigEndian)
	case bytes.HasPrefix(src, []byte("<\x00")):
		return fromUTF16(src, binary.LittleEndian)
	case bytes.HasPrefix(src, []byte("\x00<")):
		return fromUTF16(src, binary.BigEndian)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	name := "UTF-8"
	if m := declared.FindSubmatch(src); m != nil {
		name = string(m[1])
	}
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "us-ascii", "ascii":
		if !utf8.Valid(src) {
			return nil, fmt.Errorf("bytes that are no %s", name)
		}
		return src, nil
	case "iso-8859-1", "latin1", "iso_8859-1":
		return fromBytes(src, nil), nil
	case "windows-1252", "cp1252":
		return fromBytes(src, &windows1252), nil
	}
	return nil, fmt.Errorf("the encoding %q, which is not known here", name)
}

func fromUTF16(src []byte, order binary.ByteOrder) ([]byte, error) {
	if len(src)%2 != 0 {
		return nil, fmt.Errorf("an odd number of bytes of UTF-16")
	}
	units := make([]uint16, len(src)/2)
	for i := range units {
		units[i] = order.Uint16(src[2*i:])
	}
	return []byte(string(utf16.Decode(units))), nil
}

// windows1252 are the characters of the bytes 0x80 to 0x9f; 0 is one that has none.
var windows1252 = [32]rune{'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ'}

// fromBytes returns text of one byte per character: that of Latin 1, or of the table from 0x80 to 0x9f.
func fromBytes(src []byte, table *[32]rune) []byte {
	out := make([]byte, 0, len(src)+len(src)/8)
	for _, b := range src {
		r := rune(b)
		if table != nil && b >= 0x80 && b < 0xa0 {
			if r = table[b-0x80]; r == 0 {
				r = utf8.RuneError
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}
