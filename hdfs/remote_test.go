// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// With a remote file system every block lies on its nodes, each replica on one of its own, whatever placement is asked
// for.
func TestRemote(t *testing.T) {
	top := &model.Topology{Racks: 2, Classes: []model.NodeClass{{}, {Store: true}}}
	for i := range 8 {
		class := uint8(i / 4)
		top.Nodes = append(top.Nodes, model.Node{Class: class, Rack: model.RackID(class)})
	}
	s := NewStore(top, 3, nil, 1)
	s.SetPlacement(NewDefault(top))
	first := map[model.NodeID]bool{}
	ix := s.Index(0, 100)
	for b := range int32(100) {
		nodes := slices.Clone(ix.Block(b))
		first[nodes[0]] = true
		slices.Sort(nodes)
		if len(slices.Compact(nodes)) != 3 || nodes[0] < 4 {
			t.Fatalf("block %d on %v, want three of the nodes 4 to 7", b, nodes)
		}
	}
	if len(first) != 4 {
		t.Errorf("blocks begin on %d of 4 nodes", len(first))
	}
}
