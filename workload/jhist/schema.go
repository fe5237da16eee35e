// SPDX-License-Identifier: Apache-2.0

package jhist

import (
	"encoding/json"
	"errors"
	"fmt"
)

// schema is a type of Avro, as far as its binary form needs it.
type schema struct {
	kind    string // null, boolean, int, long, float, double, bytes, string, record, enum, array, map, union, fixed
	name    string // of a record
	fields  []field
	symbols []string
	items   *schema   // of an array or a map
	union   []*schema // its branches
	size    int64     // of a fixed
}

type field struct {
	name string
	of   *schema
}

// deepest is how far types may be nested in a schema.
const deepest = 50

// parseSchema reads a schema.
func parseSchema(text []byte) (*schema, error) {
	p := &schemas{named: map[string]*schema{}}
	return p.parse(json.RawMessage(text), "", 0)
}

// schemas resolves names of types, which are known once they were defined.
type schemas struct{ named map[string]*schema }

// definition is a type that is written as an object.
type definition struct {
	Type      json.RawMessage   `json:"type"`
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Symbols   []string          `json:"symbols"`
	Items     json.RawMessage   `json:"items"`
	Values    json.RawMessage   `json:"values"`
	Size      int64             `json:"size"`
	Fields    []fieldDefinition `json:"fields"`
}

type fieldDefinition struct {
	Name string          `json:"name"`
	Type json.RawMessage `json:"type"`
}

var errDeep = fmt.Errorf("types that are nested more than %d deep", deepest)

func (p *schemas) parse(text json.RawMessage, space string, depth int) (*schema, error) {
	if depth > deepest {
		return nil, errDeep
	}
	var name string
	if json.Unmarshal(text, &name) == nil {
		return p.byName(name, space)
	}
	var branches []json.RawMessage
	if json.Unmarshal(text, &branches) == nil {
		u := &schema{kind: "union"}
		for _, b := range branches {
			s, err := p.parse(b, space, depth+1)
			if err != nil {
				return nil, err
			}
			u.union = append(u.union, s)
		}
		return u, nil
	}
	var d definition
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	return p.define(&d, space, depth)
}

func (p *schemas) byName(name, space string) (*schema, error) {
	switch name {
	case "null", "boolean", "int", "long", "float", "double", "bytes", "string":
		return &schema{kind: name}, nil
	}
	for _, full := range []string{space + "." + name, name} {
		if s := p.named[full]; s != nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("the type %q, which was not defined before", name)
}

func (p *schemas) define(d *definition, space string, depth int) (s *schema, err error) {
	if d.Namespace != "" {
		space = d.Namespace
	}
	kind := ""
	if json.Unmarshal(d.Type, &kind) != nil {
		return p.parse(d.Type, space, depth+1) // {"type": {"type": …}}
	}
	s = &schema{kind: kind, name: d.Name}
	if d.Name != "" {
		p.named[d.Name], p.named[space+"."+d.Name] = s, s
	}
	switch kind {
	case "record", "error":
		s.kind = "record"
		for _, f := range d.Fields {
			of, err := p.parse(f.Type, space, depth+1)
			if err != nil {
				return nil, err
			}
			s.fields = append(s.fields, field{f.Name, of})
		}
	case "enum":
		s.symbols = d.Symbols
	case "array":
		s.items, err = p.parse(d.Items, space, depth+1)
	case "map":
		s.items, err = p.parse(d.Values, space, depth+1)
	case "fixed":
		if s.size = d.Size; s.size < 0 || s.size > maxLine {
			err = errors.New("a fixed type of an impossible size")
		}
	default:
		return p.byName(kind, space)
	}
	return s, err
}

// event returns the types of an event's parts, nil if the schema is not that of events.
func (s *schema) event() (kind, body *schema) {
	if s.kind != "record" || len(s.fields) != 2 || s.fields[0].name != "type" || s.fields[1].name != "event" {
		return nil, nil
	}
	kind, body = s.fields[0].of, s.fields[1].of
	if kind.kind != "enum" || body.kind != "union" {
		return nil, nil
	}
	for _, b := range body.union {
		if b.kind != "record" {
			return nil, nil
		}
	}
	return kind, body
}
