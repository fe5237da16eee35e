// SPDX-License-Identifier: Apache-2.0

package table

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
)

type params struct {
	Speed int `yaml:"speed" min:"1" doc:"How fast."`
}

type entry struct {
	name  string
	plain bool // without parameters
}

func (e entry) Key() string { return e.name }
func (e entry) Defaults() any {
	if e.plain {
		return nil
	}
	return &params{Speed: 7}
}

var cars = Table[entry]{{name: "slow"}, {name: "cart", plain: true}}

// car is a choice of a scenario.
type car struct{ Choice }

func (c *car) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	r := Reader{Source: cars, What: "car"}
	r.Read(n, d, &c.Choice)
}

func read(t *testing.T, text string) (c car, errs strict.Errors) {
	t.Helper()
	node, errs := strict.Parse("s.yaml", []byte("car: "+text))
	if len(errs) == 0 {
		holder := struct {
			Car car `yaml:"car"`
		}{}
		errs = strict.Decode(node, &holder)
		c = holder.Car
	}
	return c, errs
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		text, name string
		speed      int
		written    string
	}{
		{"slow", "slow", 7, `"slow"`},
		{"{slow: {speed: 3}}", "slow", 3, `{"slow":{"speed":3}}`},
		{"{slow: }", "slow", 7, `"slow"`},
	} {
		c, errs := read(t, test.text)
		p, ok := c.Parameters(cars).(*params)
		if len(errs) > 0 || c.Name != test.name || !ok || p.Speed != test.speed {
			t.Errorf("%s: %+v, %v, %v", test.text, c, p, errs)
		}
		if got := strings.Join(strings.Fields(string(c.Node().JSON(""))), ""); got != test.written {
			t.Errorf("%s is written as %s, want %s", test.text, got, test.written)
		}
	}
	if c, errs := read(t, "cart"); len(errs) > 0 || c.Parameters(cars) != nil {
		t.Errorf("cart has parameters: %v, %v", c.Parameters(cars), errs)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"slwo":               `car: bad value; found "slwo"; allowed: one of slow, cart; did you mean "slow"?`,
		"{slwo: {}}":         `car.slwo: unknown field; found "slwo"; allowed: slow, cart; did you mean "slow"?`,
		"{cart: {x: 1}}":     `car.cart: unknown field; found parameters; allowed: none: cart has no parameters`,
		"{slow: , cart: }":   `car: a second car; found "cart"; allowed: one car`,
		"[slow]":             `car: wrong type; found a list; allowed: one of slow, cart, or a mapping of the name to its parameters`,
		"{slow: {speed: 0}}": `car.slow.speed: out of bounds; found 0; allowed: at least 1`,
	} {
		if _, errs := read(t, text); len(errs) != 1 || !strings.HasSuffix(errs[0].Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, errs, want)
		}
	}
}
