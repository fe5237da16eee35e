// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// JSON writes n as JSON: keys in order, bare numbers and booleans as such, every other scalar as a
// string. With indent "" it takes one line, otherwise one line per value (indent by
// spaces: YAML refuses tabs). What Parse reads from
// the result decodes to the same value as n. Texts that are not UTF-8 lose the broken bytes.
func (n *Node) JSON(indent string) []byte {
	w := jsonWriter{indent: indent}
	w.node(n, 0)
	return w.buf.Bytes()
}

type jsonWriter struct {
	buf    bytes.Buffer
	indent string
}

func (w *jsonWriter) node(n *Node, depth int) {
	switch {
	case n == nil || n.Kind == Null || n.Kind == Bad:
		w.buf.WriteString("null")
	case n.Kind == Scalar && !n.Quoted && (isNumber(n.Text) || isBool(n.Text)):
		w.buf.WriteString(n.Text)
	case n.Kind == Scalar:
		w.text(n.Text)
	case n.Kind == Sequence:
		w.items(n, depth, '[', ']')
	default:
		w.items(n, depth, '{', '}')
	}
}

func (w *jsonWriter) items(n *Node, depth int, open, end byte) {
	w.buf.WriteByte(open)
	for i, item := range n.Items {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		switch {
		case w.indent != "":
			w.newline(depth + 1)
		case i > 0:
			w.buf.WriteByte(' ')
		}
		if n.Kind == Mapping {
			w.text(n.Keys[i].Text)
			w.buf.WriteString(": ")
		}
		w.node(item, depth+1)
	}
	if w.indent != "" && len(n.Items) > 0 {
		w.newline(depth)
	}
	w.buf.WriteByte(end)
}

func (w *jsonWriter) newline(depth int) {
	w.buf.WriteByte('\n')
	for range depth {
		w.buf.WriteString(w.indent)
	}
}

// text writes a JSON string. All but printable ASCII and letters beyond it is escaped, so that
// YAML readers, which fold line breaks and trim blanks, read the same text.
func (w *jsonWriter) text(s string) {
	w.buf.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.buf.WriteByte('\\')
			w.buf.WriteRune(r)
		case r == '\n':
			w.buf.WriteString(`\n`)
		case r == '\t':
			w.buf.WriteString(`\t`)
		case r < ' ', r >= 0x7f && r <= 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == utf8.RuneError:
			fmt.Fprintf(&w.buf, `\u%04x`, r)
		default:
			w.buf.WriteRune(r)
		}
	}
	w.buf.WriteByte('"')
}
