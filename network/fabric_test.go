// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/fluid"
)

// Two racks of two hosts with links of 10, rack links of 5: a flow within a rack gets 10, across 5, to
// itself needs no link; from a rack as a whole it gets what the receiver's link or the rack's allows.
func TestPaths(t *testing.T) {
	s := fluid.New()
	hosts := []Host{{0, 10, 10}, {0, 10, 10}, {1, 10, 10}, {1, 10, 10}}
	f, err := NewFabric(s, hosts, []Rack{{5, 5}, {5, 5}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		uses []fluid.Use
		want float64
	}{
		{"within", f.Path(nil, 0, 1), 10}, {"across", f.Path(nil, 0, 2), 5}, {"itself", f.Path(nil, 3, 3), 0},
		{"from own rack", f.FromRack(nil, 0, 1), 10}, {"from other rack", f.FromRack(nil, 0, 2), 5},
	} {
		if len(c.uses) == 0 {
			if c.want != 0 {
				t.Errorf("%s: no links", c.name)
			}
			continue
		}
		h, err := s.Start(0, fluid.Spec{Work: 1, Uses: c.uses})
		if err != nil {
			t.Fatal(c.name, err)
		}
		if rate, _ := s.Rate(h); math.Abs(rate-c.want) > 1e-12 {
			t.Errorf("%s: rate %v, want %v", c.name, rate, c.want)
		}
		if _, _, err := s.Cancel(0, h); err != nil {
			t.Fatal(err)
		}
	}
}
