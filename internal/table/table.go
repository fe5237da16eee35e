// SPDX-License-Identifier: Apache-2.0

// Package table is for things that a scenario chooses by name, each with parameters of its own: policies,
// their roles, tuners. A Table lists them; a Choice is what a scenario says, read and written in one way:
//
//	NAME
//	NAME: {PARAMETER: VALUE, …}
package table

import (
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

// Entry is one line of a table.
type Entry interface {
	// Key is the name by which the entry is chosen.
	Key() string
	// Defaults returns a pointer to the entry's parameters at their defaults, a struct with the tags of the
	// package strict; nil if it has none.
	Defaults() any
}

// Table is a list of entries in the order in which they are shown.
type Table[E Entry] []E

// Find returns the entry of that name.
func (t Table[E]) Find(name string) (*E, bool) {
	for i := range t {
		if t[i].Key() == name {
			return &t[i], true
		}
	}
	return nil, false
}

// Names returns the names in the order of the table.
func (t Table[E]) Names() []string {
	names := make([]string, len(t))
	for i := range t {
		names[i] = t[i].Key()
	}
	return names
}

// Defaults returns the parameters of the entry of that name, and whether there is one.
func (t Table[E]) Defaults(name string) (params any, ok bool) {
	e, ok := t.Find(name)
	if !ok {
		return nil, false
	}
	return (*e).Defaults(), true
}

// Source is a table for which it does not matter what the entries are.
type Source interface {
	Names() []string
	Defaults(name string) (params any, ok bool)
}

// Choice names an entry and sets its parameters.
type Choice struct {
	Name   string
	Params any // nil means the defaults
}

// Parameters returns the parameters, the defaults of the table's entry if none are set.
func (c *Choice) Parameters(s Source) any {
	if c.Params != nil {
		return c.Params
	}
	params, _ := s.Defaults(c.Name)
	return params
}

// Problems returns the faults of the parameters that their types cannot express.
func (c *Choice) Problems() []model.Problem {
	if v, ok := c.Params.(interface{ Validate() []model.Problem }); ok {
		return v.Validate()
	}
	return nil
}

// Node writes the form that a Reader reads.
func (c Choice) Node() *strict.Node {
	if c.Params == nil {
		return strict.Encode(c.Name)
	}
	return &strict.Node{Kind: strict.Mapping, Keys: []*strict.Node{strict.Encode(c.Name)}, Items: []*strict.Node{strict.Encode(c.Params)}}
}

// Reader reads choices from a table.
type Reader struct {
	Source Source
	What   string   // what is chosen, such as "policy"
	Also   []string // keys that may stand beside the name, read by somebody else
	// Unknown, if set, reports a name that is not in the table; key says that it has parameters.
	Unknown func(d *strict.Decoder, n *strict.Node, key bool)
}

// Read reads a name, or a mapping of one name to its parameters.
func (r *Reader) Read(n *strict.Node, d *strict.Decoder, c *Choice) {
	switch {
	case n.Kind == strict.Scalar:
		r.Name(n, d, c)
	case n.Kind == strict.Mapping && len(n.Keys) > 0:
		for i, key := range n.Keys {
			r.Named(key, n.Items[i], d, c)
		}
	default:
		d.Bad(n, "wrong type", r.Allowed())
	}
}

// Allowed describes the accepted values.
func (r *Reader) Allowed() string {
	return "one of " + strings.Join(r.Source.Names(), ", ") + ", or a mapping of the name to its parameters"
}

// Name reads a name without parameters.
func (r *Reader) Name(n *strict.Node, d *strict.Decoder, c *Choice) {
	if _, ok := r.Source.Defaults(n.Text); ok {
		c.Name = n.Text
		return
	}
	r.unknown(d, n, false)
}

// Named reads a name with its parameters.
func (r *Reader) Named(key, value *strict.Node, d *strict.Decoder, c *Choice) {
	params, ok := r.Source.Defaults(key.Text)
	switch {
	case !ok:
		r.unknown(d, key, true)
		return
	case c.Name != "":
		d.Bad(key, "a second "+r.What, "one "+r.What)
		return
	}
	c.Name = key.Text
	switch {
	case value.Kind == strict.Null:
	case params == nil:
		if value.Kind != strict.Mapping || len(value.Keys) > 0 {
			d.Report(strict.Error{Pos: value.Pos, Path: d.Below(key.Text), Problem: "unknown field", Found: "parameters", Allowed: "none: " + key.Text + " has no parameters"})
		}
	case d.Sub("."+key.Text, value, params):
		c.Params = params
	}
}

func (r *Reader) unknown(d *strict.Decoder, n *strict.Node, key bool) {
	switch {
	case r.Unknown != nil:
		r.Unknown(d, n, key)
	case key:
		d.UnknownKey(n, append(r.Source.Names(), r.Also...))
	default:
		d.BadName(n, r.Source.Names())
	}
}
