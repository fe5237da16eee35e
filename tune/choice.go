// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

// Choice names a tuner and sets its parameters. In a scenario it is a name, or a
// mapping of the name to parameters: {cbt: {faithful: true}}. The zero value is no tuner.
type Choice struct {
	Name   string
	Params any // nil means the defaults
}

// UnmarshalNode implements strict.Unmarshaler.
func (c *Choice) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	*c = Choice{}
	switch {
	case n.Kind == strict.Scalar:
		if _, ok := All.Find(n.Text); !ok {
			d.BadName(n, All.Names())
			return
		}
		c.Name = n.Text
	case n.Kind == strict.Mapping && len(n.Keys) == 1:
		c.decode(n.Keys[0], n.Items[0], d)
	default:
		d.Bad(n, "wrong type", c.Allowed())
	}
}

func (c *Choice) decode(key, value *strict.Node, d *strict.Decoder) {
	e, ok := All.Find(key.Text)
	if !ok {
		d.UnknownKey(key, All.Names())
		return
	}
	c.Name = key.Text
	if value.Kind == strict.Null {
		return
	}
	if e.Params == nil {
		if value.Kind != strict.Mapping || len(value.Keys) > 0 {
			d.Bad(value, "unknown field", "none: "+e.Name+" has no parameters")
		}
		return
	}
	if params := e.Params(); d.Sub("."+e.Name, value, params) {
		c.Params = params
	}
}

// MarshalNode implements strict.NodeMarshaler.
func (c Choice) MarshalNode() *strict.Node {
	if c.Params == nil {
		return strict.Encode(c.Name)
	}
	return &strict.Node{Kind: strict.Mapping, Keys: []*strict.Node{strict.Encode(c.Name)}, Items: []*strict.Node{strict.Encode(c.Params)}}
}

// TypeName is the name of the type in the reference.
func (Choice) TypeName() string { return "tuner" }

// Allowed describes the accepted values.
func (Choice) Allowed() string { return "the name of a tuner, or {NAME: {PARAMETER: VALUE}}" }

// Validate returns the faults of the parameters that their types cannot express.
func (c *Choice) Validate() []model.Problem {
	if v, ok := c.Params.(interface{ Validate() []model.Problem }); ok {
		return v.Validate()
	}
	return nil
}

// New builds the tuner.
func (c *Choice) New(seed uint64) (Tuner, error) {
	e, ok := All.Find(c.Name)
	if !ok {
		panic("tune: unknown tuner " + c.Name)
	}
	return e.New(Env{Seed: seed}, c.Parameters())
}

// Parameters returns the tuner's parameters, its defaults if none are given; nil if it has none.
func (c *Choice) Parameters() any {
	if e, ok := All.Find(c.Name); ok && c.Params == nil && e.Params != nil {
		return e.Params()
	}
	return c.Params
}
