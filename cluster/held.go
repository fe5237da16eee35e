// SPDX-License-Identifier: Apache-2.0

package cluster

import "github.com/yardmaster/yardmaster/model"

// Hold takes room on a node for a container that is not a task, such as an application master, and
// reports whether there was enough.
func (s *State) Hold(node model.NodeID, room model.Room) bool {
	n := &s.Nodes[node]
	if n.Lost || !n.Free.Fits(room) {
		return false
	}
	n.Free, n.Held = n.Free.Sub(room), n.Held.Add(room)
	s.use(node, &room, 1)
	return true
}

// Unhold gives back what Hold took.
func (s *State) Unhold(node model.NodeID, room model.Room) {
	n := &s.Nodes[node]
	n.Free, n.Held = n.Free.Add(room), n.Held.Sub(room)
	s.use(node, &room, -1)
}
