// SPDX-License-Identifier: Apache-2.0

// Package conf is Hadoop's configuration: properties as its XML files give them, and a table of those that
// the Capacity Scheduler and the resource manager read.
package conf

import (
	"errors"
	"maps"
	"strconv"
	"strings"
)

// Properties are settings by name. A nil map has none.
type Properties map[string]string

// Clone returns a copy.
func (p Properties) Clone() Properties { return maps.Clone(p) }

// Text returns the value of a property, blanks around it cut off and ${variables} put in. A value whose variables
// have no end comes back as it stands; Expand says why.
func (p Properties) Text(name string) (string, bool) {
	value, ok := p[name]
	if !ok {
		return "", false
	}
	if text, err := p.Expand(value); err == nil {
		value = text
	}
	return strings.TrimSpace(value), true
}

// Or returns the value of a property, or the default if it is not set.
func (p Properties) Or(name, missing string) string {
	if v, ok := p.Text(name); ok {
		return v
	}
	return missing
}

// Float returns a number of 32 bits. ok is false if the value is none.
func (p Properties) Float(name string, missing float32) (f float32, ok bool) {
	text, set := p.Text(name)
	if !set || text == "" {
		return missing, true
	}
	v, ok := ParseFloat(text, 32)
	return float32(v), ok
}

// ParseFloat reads a number as Java does: a letter f or d may stand behind it, NaN and Infinity are numbers.
func ParseFloat(text string, bits int) (v float64, ok bool) {
	text = strings.TrimSpace(text)
	switch strings.TrimLeft(text, "+-") {
	case "NaN", "Infinity":
	default:
		if n := len(text) - 1; n > 0 && strings.ContainsRune("fFdD", rune(text[n])) {
			text = text[:n]
		}
		if strings.Trim(text, "0123456789.eE+-") != "" {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(text, bits)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// Int returns a whole number, which may be written in hexadecimal as 0x10. ok is false if the value is none.
func (p Properties) Int(name string, missing int) (n int, ok bool) {
	text, set := p.Text(name)
	if !set || text == "" {
		return missing, true
	}
	digits, base := text, 10
	for _, sign := range []string{"", "-"} {
		for _, x := range []string{"0x", "0X"} {
			if hex, is := strings.CutPrefix(text, sign+x); is {
				digits, base = sign+hex, 16
			}
		}
	}
	v, err := strconv.ParseInt(digits, base, 32)
	return int(v), err == nil
}

// Bool returns true or false; any other value counts as not set, as in Hadoop.
func (p Properties) Bool(name string, missing bool) bool {
	switch text, _ := p.Text(name); strings.ToLower(text) {
	case "true":
		return true
	case "false":
		return false
	}
	return missing
}

// List returns the items of a list with commas between them, blanks cut off, empty ones left out.
func (p Properties) List(name string) []string {
	var items []string
	text, _ := p.Text(name)
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
