// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// UnmarshalNode implements strict.Unmarshaler: a mapping of roles to the name of what plays them, or to a
// mapping of that name to its parameters. Roles that make no sense together are refused.
func (c *Combination) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	*c = Combination{}
	if n.Kind != strict.Mapping {
		d.Bad(n, "wrong type", c.Allowed())
		return
	}
	choices, sound := c.choices(), true
	for i, key := range n.Keys {
		at := tableOf(key.Text)
		if at < 0 {
			d.UnknownKey(key, tableNames())
			sound = false
			continue
		}
		sound = d.Sub("."+key.Text, n.Items[i], &player{&Tables[at], choices[at]}) && sound
	}
	if c.Order.Name == "" {
		if n.Get("order") == nil {
			d.Report(strict.Error{Pos: n.Pos, Path: below(d, "order"), Problem: "missing field", Allowed: "one of " + strings.Join(Tables[orderRole].Names(), ", ")})
		}
		return
	}
	if !sound {
		return
	}
	for _, e := range strict.Locate(n, "", c.pairs(c.chosen())) {
		e.Path = below(d, e.Path)
		d.Report(e)
	}
}

// below returns the path of what stands below the value that is being decoded.
func below(d *strict.Decoder, path string) string { return strings.TrimPrefix(d.Path()+"."+path, ".") }

// MarshalNode implements strict.NodeMarshaler: the roles that were chosen.
func (c Combination) MarshalNode() *strict.Node {
	n := &strict.Node{Kind: strict.Mapping}
	for i, choice := range c.choices() {
		if choice.Name == "" {
			continue
		}
		value := strict.Encode(choice.Name)
		if choice.Params != nil {
			value = &strict.Node{Kind: strict.Mapping, Keys: []*strict.Node{value}, Items: []*strict.Node{strict.Encode(choice.Params)}}
		}
		n.Keys, n.Items = append(n.Keys, strict.Encode(Tables[i].Role)), append(n.Items, value)
	}
	return n
}

// TypeName is the name of the type in the reference.
func (Combination) TypeName() string { return "roles" }

// Allowed describes the accepted values.
func (Combination) Allowed() string {
	return "{order: {NAME: {PARAMETER: VALUE}}} and, as wanted, " + strings.Join(tableNames()[1:], ", ") + " in the same way"
}

func tableNames() []string {
	names := make([]string, len(Tables))
	for i := range Tables {
		names[i] = Tables[i].Role
	}
	return names
}

// tableOf returns the place of a role in Tables, or -1.
func tableOf(role string) int {
	for i := range Tables {
		if Tables[i].Role == role {
			return i
		}
	}
	return -1
}

// player reads the choice of what plays the role of a table.
type player struct {
	table  *Table
	choice *Choice
}

// UnmarshalNode implements strict.Unmarshaler.
func (p *player) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	switch {
	case n.Kind == strict.Scalar:
		if _, ok := p.table.Find(n.Text); !ok {
			d.Report(p.unknown(n, d.Path(), "bad value"))
			return
		}
		p.choice.Name = n.Text
	case n.Kind == strict.Mapping && len(n.Keys) > 0:
		for i, key := range n.Keys {
			p.named(key, n.Items[i], d)
		}
	default:
		d.Bad(n, "wrong type", p.allowed())
	}
}

// named reads a name with its parameters.
func (p *player) named(key, value *strict.Node, d *strict.Decoder) {
	role, ok := p.table.Find(key.Text)
	switch {
	case !ok:
		d.Report(p.unknown(key, below(d, key.Text), "unknown field"))
		return
	case p.choice.Name != "":
		d.Bad(key, "a second "+p.table.Role, "one "+p.table.Role)
		return
	}
	p.choice.Name = role.Name
	if value.Kind == strict.Null {
		return
	}
	if role.Params == nil {
		if value.Kind != strict.Mapping || len(value.Keys) > 0 {
			d.Report(strict.Error{Pos: value.Pos, Path: below(d, role.Name), Problem: "unknown field", Found: "parameters", Allowed: "none: " + role.Name + " has no parameters"})
		}
		return
	}
	params := role.Params()
	if d.Sub("."+role.Name, value, params) {
		p.choice.Params = params
	}
}

// unknown is the error of a name that is not in the table. One that plays another role, or is a preset of
// several, is explained.
func (p *player) unknown(n *strict.Node, path, problem string) strict.Error {
	e := strict.Error{Pos: n.Pos, Path: path, Problem: problem, Found: fmt.Sprintf("%q", n.Text), Allowed: p.allowed()}
	for i := range Tables {
		if _, ok := Tables[i].Find(n.Text); ok {
			e.Found += fmt.Sprintf(", which can play the role %q", Tables[i].Role)
			return e
		}
	}
	e.Hint = strict.Nearest(n.Text, p.table.Names())
	return e
}

func (p *player) allowed() string {
	return "one of " + strings.Join(p.table.Names(), ", ") + ", or a mapping of the name to its parameters"
}
