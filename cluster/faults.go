// SPDX-License-Identifier: Apache-2.0

package cluster

import "github.com/yardmaster/yardmaster/model"

// Lose takes a node out. Nothing may run there until it returns.
func (s *State) Lose(node model.NodeID) {
	n := &s.Nodes[node]
	for d, v := range n.Room {
		s.Total[d] -= int64(v)
	}
	s.classes[s.Topology.Nodes[node].Class].furnish(n.Room, -1)
	n.Room, n.Free, n.Lost = model.Room{}, model.Room{}, true
}

// Return brings a lost node back, empty.
func (s *State) Return(node model.NodeID) {
	n := &s.Nodes[node]
	n.Room = s.Topology.Classes[s.Topology.Nodes[node].Class].Room
	n.Free, n.Lost = n.Room, false
	s.classes[s.Topology.Nodes[node].Class].furnish(n.Room, 1)
	for d, v := range n.Room {
		s.Total[d] += int64(v)
	}
}

// Undo makes a finished task pending again: what it made is lost.
func (s *State) Undo(t model.Task) {
	j := s.byID[t.Job]
	j.Done[t.Kind]--
	s.Changes++
	j.reopen(t)
}

// Double makes a running task pending for a second attempt.
func (s *State) Double(t model.Task) {
	j := s.byID[t.Job]
	j.Doubled[t.Kind]++
	s.Changes++
	j.reopen(t)
}

// Single takes back a second attempt that has not started.
func (s *State) Single(t model.Task) {
	j := s.byID[t.Job]
	j.Doubled[t.Kind]--
	s.Changes++
	j.started[t.Kind].set(t.Index)
	if t.Index == j.next[t.Kind] {
		j.next[t.Kind] = j.started[t.Kind].nextClear(t.Index+1, j.Total[t.Kind])
	}
}

// Drop gives back the room of one of two running attempts of a task; the other goes on or has ended.
func (s *State) Drop(t model.Task, node model.NodeID) {
	j := s.byID[t.Job]
	s.leave(j, t.Kind, node)
	j.Doubled[t.Kind]--
}

func (j *Job) reopen(t model.Task) {
	j.started[t.Kind].clear(t.Index)
	j.next[t.Kind] = min(j.next[t.Kind], t.Index)
}
