// SPDX-License-Identifier: Apache-2.0

package strict

import "slices"

// Pos is a place in a file. Line and Col count from 1; Line 0 means that the text has no place in
// a file, such as a command-line setting: then File names its origin.
type Pos struct {
	File      string
	Line, Col int
}

// NodeKind tells the shape of a Node.
type NodeKind uint8

// The shapes. Bad marks a value that Parse has refused already (an alias, a tagged scalar):
// Decode passes over it in silence.
const (
	Null NodeKind = iota
	Scalar
	Mapping
	Sequence
	Bad
)

// Node is one value of a file. Trees are plain data: they may be built by hand and changed.
type Node struct {
	Kind   NodeKind
	Text   string // of a scalar or key, as written, without quotes
	Quoted bool   // the scalar stood in quotes or was a block text, so it is text and no number
	Pos    Pos
	Keys   []*Node // of a mapping, in the order of the file
	Items  []*Node // the values of Keys, or the items of a sequence
}

// Get returns the value of key in a mapping, or nil when n has no such key or is no mapping.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Mapping {
		return nil
	}
	for i, k := range n.Keys {
		if k.Text == key {
			return n.Items[i]
		}
	}
	return nil
}

// Drop removes keys from a mapping; others and what is not a mapping stay as they are.
func (n *Node) Drop(keys ...string) {
	if n == nil || n.Kind != Mapping {
		return
	}
	kept := 0
	for i, key := range n.Keys {
		if !slices.Contains(keys, key.Text) {
			n.Keys[kept], n.Items[kept] = key, n.Items[i]
			kept++
		}
	}
	n.Keys, n.Items = n.Keys[:kept], n.Items[:kept]
}

// Clone returns a deep copy, so that Set on the copy leaves n alone.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Keys, c.Items = slices.Clone(n.Keys), slices.Clone(n.Items)
	for i, k := range c.Keys {
		c.Keys[i] = k.Clone()
	}
	for i, v := range c.Items {
		c.Items[i] = v.Clone()
	}
	return &c
}

// UnmarshalNode makes a Node field take any value.
func (n *Node) UnmarshalNode(m *Node, _ *Decoder) { *n = *m.Clone() }

// MarshalNode returns n itself.
func (n *Node) MarshalNode() *Node { return n }

// TypeName describes a Node field in documentation.
func (*Node) TypeName() string { return "any value" }

// stamp gives n and all below it the position p.
func (n *Node) stamp(p Pos) {
	n.Pos = p
	for _, k := range n.Keys {
		k.stamp(p)
	}
	for _, v := range n.Items {
		v.stamp(p)
	}
}

// found describes n for the "found" part of a message.
func (n *Node) found() string {
	switch n.Kind {
	case Null:
		return "null"
	case Mapping:
		return "a mapping"
	case Sequence:
		return "a list"
	case Scalar:
		if !n.Quoted && (isNumber(n.Text) || isBool(n.Text)) {
			return shorten(n.Text)
		}
		return quote(n.Text)
	}
	return ""
}

func isBool(s string) bool { return s == "true" || s == "false" }

// isInteger reports whether s is an integer as JSON writes it.
func isInteger(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	n := digits(s)
	return n > 0 && n == len(s) && (n == 1 || s[0] != '0')
}

// isNumber reports whether s is a number as JSON writes it.
func isNumber(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	n := digits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	s = s[n:]
	if s != "" && s[0] == '.' {
		if n = digits(s[1:]); n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if n = digits(s); n == 0 {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

// digits counts the decimal digits that s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
