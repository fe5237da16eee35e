// SPDX-License-Identifier: Apache-2.0

// Package hadoop holds what the readers of Hadoop's JSON files share: fields that remember what was
// wrong with them, objects in a row, and the way from the attempts of a job history to a record.
//
// Fields of the types Num and Text never make decoding fail: a value of the wrong type is kept as
// it stands, and Check reports it with its position. So one pass over a job finds all its faults.
package hadoop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// Limits of what is believed. A time in milliseconds must fit into a model.Time.
const (
	MaxTasks  = 10_000_000 // of one job, and repetitions of one job
	MaxMillis = math.MaxInt64 / int64(model.Millisecond)
	MaxMiB    = math.MaxInt64 / int64(model.MiB)
)

// Num is a whole number: a JSON number, or one in quotes, as Hadoop's own readers accept it. null
// counts as absent. Avro's JSON form of a union ({"long": 5}) is unwrapped.
type Num struct {
	V     int64
	Given bool
	bad   []byte
}

// UnmarshalJSON reads the number or keeps what is there instead. It never fails.
func (n *Num) UnmarshalJSON(b []byte) error {
	*n = Num{}
	b = branch(b)
	if string(b) == "null" {
		return nil
	}
	digits := b
	if len(b) > 2 && b[0] == '"' {
		digits = b[1 : len(b)-1]
	}
	n.Given = true
	v, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		n.bad = bytes.Clone(b)
	}
	n.V = v
	return nil
}

// Whole tells whether there is a whole number that fits into 64 bits.
func (n *Num) Whole() bool { return n.Given && n.bad == nil }

// Text is a string. null counts as absent. Avro's JSON form of a union ({"string": "x"}) is
// unwrapped.
type Text struct {
	S     string
	Given bool
	bad   []byte
}

// UnmarshalJSON reads the string or keeps what is there instead. It never fails.
func (t *Text) UnmarshalJSON(b []byte) error {
	*t = Text{}
	b = branch(b)
	if string(b) == "null" {
		return nil
	}
	t.Given = true
	if b[0] != '"' || json.Unmarshal(b, &t.S) != nil {
		t.bad = bytes.Clone(b)
	}
	return nil
}

// branch returns the value of an object with one member, or b itself.
func branch(b []byte) []byte {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return []byte("null")
	}
	if b[0] != '{' {
		return b
	}
	var union map[string]json.RawMessage
	if json.Unmarshal(b, &union) != nil || len(union) != 1 {
		return b
	}
	for _, only := range union {
		return bytes.TrimSpace(only)
	}
	return b
}

// Check reads the fields of one object and reports to Log what is wrong with them. Bad is set as
// soon as a fault stands: the job must then be left out.
type Check struct {
	Log *workload.Log
	At  func() string // position of the object, such as "job 3, job.tasks[2]"
	Bad bool
}

// Refuse reports a fault of a field that stands.
func (c *Check) Refuse(field, found, allowed string) {
	c.Bad = true
	c.Log.Refuse(c.At(), field, found, allowed)
}

// Mend reports a fault that could be repaired as described, and whether it may be.
func (c *Check) Mend(field, found, allowed, repair string) bool {
	ok := c.Log.Mendable(c.At(), field, found, allowed, repair)
	c.Bad = c.Bad || !ok
	return ok
}

// Int returns a number between least and most, and whether there is one. A fault is reported and
// counts as absent.
func (c *Check) Int(n Num, field string, least, most int64) (int64, bool) {
	if !n.Given {
		return 0, false
	}
	if n.bad != nil {
		c.Refuse(field, Describe(n.bad), between(least, most))
		return 0, false
	}
	if n.V < least || n.V > most {
		c.Refuse(field, strconv.FormatInt(n.V, 10), between(least, most))
		return 0, false
	}
	return n.V, true
}

// Need is Int for a number that must be there.
func (c *Check) Need(n Num, field string, least, most int64) int64 {
	if !n.Given {
		c.Refuse(field, "nothing", between(least, most))
	}
	v, _ := c.Int(n, field, least, most)
	return v
}

// Amount is Int for job histories, which write -1 for what is not known.
func (c *Check) Amount(n Num, field string, most int64) (int64, bool) {
	if n.Whole() && n.V == -1 {
		return 0, false
	}
	return c.Int(n, field, 0, most)
}

// Millis is Need for an instant or a span in milliseconds of a job history, where -1 means that it
// is not known.
func (c *Check) Millis(n Num, field string) int64 {
	if n.Whole() && n.V == -1 {
		n.Given = false
	}
	return c.Need(n, field, 0, MaxMillis)
}

// Str returns a string, empty if there is none.
func (c *Check) Str(t Text, field string) string {
	if t.bad != nil {
		c.Refuse(field, Describe(t.bad), "a string")
	}
	return t.S
}

// Span returns end - start. A span that ends before it starts is a fault whose repair is length 0;
// field is that of the end, from names the start.
func (c *Check) Span(start, end int64, field, from string) int64 {
	if end >= start {
		return end - start
	}
	c.Mend(field, fmt.Sprintf("%d, %d ms before %s", end, start-end, from), "not before "+from, "length 0")
	return 0
}

// Priority returns the priority that one of Hadoop's names means; none and DEFAULT mean normal.
func (c *Check) Priority(t Text, field string) model.Priority {
	name := c.Str(t, field)
	switch name {
	case "VERY_HIGH":
		return model.VeryHigh
	case "HIGH":
		return model.High
	case "", "NORMAL", "DEFAULT":
		return model.Normal
	case "LOW":
		return model.Low
	case "VERY_LOW":
		return model.VeryLow
	}
	c.Mend(field, Quote(name), "VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW", "taken as NORMAL")
	return model.Normal
}

func between(least, most int64) string {
	return fmt.Sprintf("a whole number from %d to %d", least, most)
}

// Describe says in a few words what a JSON value is.
func Describe(raw []byte) string {
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	}
	if len(raw) > mostShown {
		return cut(string(raw)) + "..."
	}
	return string(raw)
}

// Quote returns s in quotes, cut to a readable length.
func Quote(s string) string {
	if len(s) > mostShown {
		return strconv.Quote(cut(s)) + "..."
	}
	return strconv.Quote(s)
}

// mostShown is how many bytes of a value a message shows.
const mostShown = 60

func cut(s string) string {
	end := mostShown
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
