// SPDX-License-Identifier: Apache-2.0

// Package hdfs knows where the blocks of each job's input lie: how replicas are placed, and which
// pending map of a job finds its block on a given node or rack.
package hdfs

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Config is the hdfs section of a scenario.
type Config struct {
	BlockSize   model.Bytes `yaml:"block-size" above:"0" doc:"Size of a block; it decides the number of maps of a job given by its input size."`
	Replication int         `yaml:"replication" min:"1" max:"16" doc:"Replicas of each block."`
}

// DefaultConfig returns Hadoop's usual settings.
func DefaultConfig() Config { return Config{BlockSize: 128 * model.MiB, Replication: 3} }

// Validate returns the faults of the section on a cluster of the given number of nodes.
func (c *Config) Validate(nodes int) []model.Problem {
	if c.Replication > nodes {
		return []model.Problem{{Path: "replication", Found: fmt.Sprintf("%d replicas on %d nodes", c.Replication, nodes),
			Allowed: "at most one replica per node"}}
	}
	return nil
}

// Block is one block of an input file. The file is named after a job: the first that reads it.
type Block struct {
	Job   model.JobID
	Index int32
}

// Placement puts the replicas of a block: it fills nodes with distinct nodes. draw gives as many
// random numbers as are needed and depends on the block alone.
type Placement interface {
	Place(b Block, nodes []model.NodeID, draw *uint64)
}

// Store holds the block locations of the jobs in hand. An index is built when it is first asked
// for and dropped when the job ends, so memory follows the jobs that run.
type Store struct {
	topology    *model.Topology
	replication int
	placement   Placement
	blocks      *rng.Stream
	indexes     []*Index                    // by job, nil when not built
	restored    int64                       // maps that became pending again
	files       map[model.JobID]model.JobID // of jobs that share a file: the job that it is named after
	given       map[model.JobID][][]model.NodeID
}

// NewStore returns an empty store. A nil placement means HDFS's default one. With a replication of
// 0 blocks lie nowhere and every look-up is remote.
func NewStore(t *model.Topology, replication int, placement Placement, seed uint64) *Store {
	if placement == nil {
		placement = NewDefault(t)
	}
	return &Store{topology: t, replication: replication, placement: placement,
		blocks: rng.New(seed, rng.BlockPlacement), files: map[model.JobID]model.JobID{}}
}

// Index returns the locations of the job's input blocks, one block per map.
func (s *Store) Index(job model.JobID, maps int32) *Index {
	if int(job) < len(s.indexes) {
		if ix := s.indexes[job]; ix != nil {
			return ix
		}
	} else {
		s.indexes = append(s.indexes, make([]*Index, int(job)+1-len(s.indexes))...)
	}
	ix := s.build(job, maps)
	s.indexes[job] = ix
	return ix
}

// Replicated reports whether blocks lie anywhere.
func (s *Store) Replicated() bool { return s.replication > 0 }

// ShareFile makes a job read the blocks of another job's input file.
func (s *Store) ShareFile(job, owner model.JobID) { s.files[job] = owner }

// Give says which nodes hold the block of each map of a job, in place of the placement. A block with an empty list
// is placed. It is called before the first look-up; the lists are kept.
func (s *Store) Give(job model.JobID, blocks [][]model.NodeID) {
	if s.given == nil {
		s.given = map[model.JobID][][]model.NodeID{}
	}
	s.given[job] = blocks
}

// File returns the job that the input file of a job is named after: itself unless it shares one.
func (s *Store) File(job model.JobID) model.JobID {
	if owner, shared := s.files[job]; shared {
		return owner
	}
	return job
}

// Restored returns how many times a map that had started became pending again.
func (s *Store) Restored() int64 { return s.restored }

// Release forgets the job's blocks.
func (s *Store) Release(job model.JobID) {
	if int(job) < len(s.indexes) {
		s.indexes[job] = nil
	}
}

// build finds the replicas of all blocks and threads them into chains by node.
func (s *Store) build(job model.JobID, maps int32) *Index {
	r, given := int32(s.replication), s.given[job]
	if r == 0 {
		given = nil
	}
	if given != nil {
		r = most(given, r)
	}
	ix := &Index{restored: &s.restored, replicas: r, divide: (1<<32 + uint64(max(r, 1)) - 1) / uint64(max(r, 1)), topology: s.topology,
		nodes: make([]model.NodeID, maps*r)}
	if r > 0 {
		file := s.File(job)
		key := s.blocks.Key(uint64(uint32(file)))
		var draw uint64
		for b := range maps {
			if int(b) < len(given) && len(given[b]) > 0 {
				repeat(ix.Block(b), given[b])
				continue
			}
			draw = key.Uint64(uint64(uint32(b)), 0)
			placed := ix.Block(b)[:s.replication]
			s.placement.Place(Block{file, b}, placed, &draw)
			repeat(ix.Block(b), placed)
		}
	}
	ix.thread(len(s.topology.Nodes))
	return ix
}

// most returns how many replicas the index of a job with given blocks needs: those of the block with most, and
// as many as the placement makes where it has to place one.
func most(given [][]model.NodeID, placed int32) (r int32) {
	for _, nodes := range given {
		if len(nodes) == 0 {
			r = max(r, placed)
		}
		r = max(r, int32(len(nodes)))
	}
	return r
}

// repeat fills the replicas of a block with the nodes that hold it, over again where there are fewer.
func repeat(replicas, nodes []model.NodeID) {
	for n := copy(replicas, nodes); n < len(replicas); n++ {
		replicas[n] = replicas[n-len(nodes)]
	}
}

// Default is HDFS's placement without a local writer: the first replica on any node, the second
// in another rack, the third in the second's rack, further ones anywhere. In a cluster of one
// rack, or where a rack has too few nodes, any other node does.
type Default struct {
	nodes []model.Node
	racks [][]model.NodeID
}

// NewDefault returns the default placement for a topology.
func NewDefault(t *model.Topology) *Default {
	d := &Default{nodes: t.Nodes, racks: make([][]model.NodeID, t.Racks)}
	for i, n := range t.Nodes {
		d.racks[n.Rack] = append(d.racks[n.Rack], model.NodeID(i))
	}
	return d
}

// Place implements Placement.
func (d *Default) Place(_ Block, nodes []model.NodeID, draw *uint64) {
	if len(nodes) > 0 {
		nodes[0] = d.anyBut(nil, draw)
		d.Spread(nodes, draw)
	}
}

// Spread places the replicas after the first, which is given: the node that writes.
func (d *Default) Spread(nodes []model.NodeID, draw *uint64) {
	for i := 1; i < len(nodes); i++ {
		switch {
		case i == 1 && len(d.racks) > 1:
			if n, ok := d.otherRack(d.nodes[nodes[0]].Rack, draw); ok {
				nodes[1] = n
				continue
			}
		case i == 2 && len(d.racks) > 1:
			if n, ok := d.sameRack(nodes[:2], draw); ok {
				nodes[2] = n
				continue
			}
		}
		nodes[i] = d.anyBut(nodes[:i], draw)
	}
}

// otherRack picks a node outside the rack, every node with the same chance, if there is one.
func (d *Default) otherRack(rack model.RackID, draw *uint64) (model.NodeID, bool) {
	if len(d.racks[rack]) == len(d.nodes) {
		return 0, false
	}
	for {
		n := model.NodeID(rng.Below(rng.Next(draw), len(d.nodes)))
		if d.nodes[n].Rack != rack {
			return n, true
		}
	}
}

// sameRack picks a node in the rack of the last of taken, if that rack has another one.
func (d *Default) sameRack(taken []model.NodeID, draw *uint64) (model.NodeID, bool) {
	last := taken[len(taken)-1]
	rack := d.racks[d.nodes[last].Rack]
	if len(rack) < 2 || d.nodes[taken[0]].Rack == d.nodes[last].Rack {
		return 0, false // anyBut will do
	}
	for {
		if n := rack[rng.Below(rng.Next(draw), len(rack))]; n != last {
			return n, true
		}
	}
}

// anyBut picks any node that is not taken.
func (d *Default) anyBut(taken []model.NodeID, draw *uint64) model.NodeID {
	for {
		n := model.NodeID(rng.Below(rng.Next(draw), len(d.nodes)))
		free := true
		for _, t := range taken {
			free = free && t != n
		}
		if free {
			return n
		}
	}
}

// SetPlacement replaces the placement strategy. It is called before the first look-up.
func (s *Store) SetPlacement(p Placement) { s.placement = p }
