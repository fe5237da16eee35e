// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/model"
)

// Choice names a tuner and sets its parameters. In a scenario it is a name, or a mapping of the name to
// parameters: {cbt: {faithful: true}}. The zero value names no tuner.
type Choice struct{ table.Choice }

var choices = table.Reader{Source: All, What: "tuner"}

// UnmarshalNode implements strict.Unmarshaler.
func (c *Choice) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	*c = Choice{}
	choices.Read(n, d, &c.Choice)
}

// MarshalNode implements strict.NodeMarshaler.
func (c Choice) MarshalNode() *strict.Node { return c.Node() }

// TypeName is the name of the type in the reference.
func (Choice) TypeName() string { return "tuner" }

// Allowed describes the accepted values.
func (Choice) Allowed() string { return "the name of a tuner, or {NAME: {PARAMETER: VALUE}}" }

// Validate returns the faults of the parameters that their types cannot express.
func (c *Choice) Validate() []model.Problem { return c.Problems() }

// New builds the tuner.
func (c *Choice) New(seed uint64) (Tuner, error) {
	e, ok := All.Find(c.Name)
	if !ok {
		panic("tune: unknown tuner " + c.Name)
	}
	return e.New(Env{Seed: seed}, c.Parameters(All))
}
