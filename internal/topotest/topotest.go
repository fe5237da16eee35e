// SPDX-License-Identifier: Apache-2.0

// Package topotest has small topologies for tests, and says what activities take of them.
package topotest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// Racks returns hosts of one node each, as many in each rack as given. A host sends and receives 50 bytes
// per second, its disk gives 100, it has two cores of 1,000 cycles per second; a rack's link carries 25.
func Racks(hosts ...int) *model.Topology {
	t := &model.Topology{Model: model.Containers, Racks: len(hosts), Classes: []model.NodeClass{{Room: model.Room{100, 0}, Speed: 1,
		Hardware: model.Hardware{Link: 50, Disk: 100, Cores: 2, Clock: 1000}}}}
	for rack, n := range hosts {
		t.Uplinks = append(t.Uplinks, 25)
		for range n {
			t.Nodes = append(t.Nodes, model.Node{Rack: model.RackID(rack), Host: model.HostID(t.Hosts)})
			t.Hosts++
		}
	}
	return t
}

// Names lists what was added up, such as "disk of host 0: 2".
func Names(solver *fluid.Solver, uses []fluid.Use) (list []string) {
	for _, u := range uses {
		list = append(list, fmt.Sprintf("%s: %g", solver.Name(u.Resource), u.Coefficient))
	}
	slices.Sort(list)
	return list
}

// Expect holds a list against what was wanted.
func Expect(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
