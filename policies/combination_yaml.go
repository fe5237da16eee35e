// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/table"
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
			d.UnknownKey(key, RoleNames())
			sound = false
			continue
		}
		sound = d.Sub("."+key.Text, n.Items[i], &player{&Tables[at], choices[at]}) && sound
	}
	if c.Order.Name == "" {
		if n.Get("order") == nil {
			d.Report(strict.Error{Pos: n.Pos, Path: d.Below("order"), Problem: "missing field", Found: "roles without an order", Allowed: "one of " + strings.Join(Tables[orderRole].Names(), ", ")})
		}
		return
	}
	if !sound {
		return
	}
	for _, e := range strict.Locate(n, "", c.pairs(c.chosen())) {
		e.Path = d.Below(e.Path)
		d.Report(e)
	}
}

// MarshalNode implements strict.NodeMarshaler: the roles that were chosen.
func (c Combination) MarshalNode() *strict.Node {
	n := &strict.Node{Kind: strict.Mapping}
	for i, choice := range c.choices() {
		if choice.Name == "" {
			continue
		}
		n.Keys, n.Items = append(n.Keys, strict.Encode(Tables[i].Role)), append(n.Items, choice.Node())
	}
	return n
}

// TypeName is the name of the type in the reference.
func (Combination) TypeName() string { return "roles" }

// Allowed describes the accepted values.
func (Combination) Allowed() string {
	return "{order: {NAME: {PARAMETER: VALUE}}} and, as wanted, " + strings.Join(RoleNames()[1:], ", ") + " in the same way"
}

// RoleNames returns the names of the roles in the order in which a combination is written.
func RoleNames() []string {
	names := make([]string, len(Tables))
	for i := range Tables {
		names[i] = Tables[i].Role
	}
	return names
}

// IsRole reports whether a key of a scenario is the name of a role.
func IsRole(name string) bool { return tableOf(name) >= 0 }

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
	r := p.reader()
	r.Read(n, d, p.choice)
}

func (p *player) reader() table.Reader {
	return table.Reader{Source: p.table, What: p.table.Role, Unknown: p.unknown}
}

// unknown reports a name that is not in the table. One that plays another role is explained.
func (p *player) unknown(d *strict.Decoder, n *strict.Node, key bool) {
	r := p.reader()
	e := strict.Error{Pos: n.Pos, Path: d.Path(), Problem: "bad value", Found: fmt.Sprintf("%q", n.Text), Allowed: r.Allowed()}
	if key {
		e.Path, e.Problem = d.Below(n.Text), "unknown field"
	}
	for i := range Tables {
		if _, ok := Tables[i].Find(n.Text); ok {
			e.Found += fmt.Sprintf(", which can play the role %q", Tables[i].Role)
			d.Report(e)
			return
		}
	}
	e.Hint = strict.Nearest(n.Text, p.table.Names())
	d.Report(e)
}
