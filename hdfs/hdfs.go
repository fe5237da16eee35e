// SPDX-License-Identifier: Apache-2.0

// Package hdfs knows where the blocks of each job's input lie: how replicas are placed, and which
// pending map of a job finds its block on a given node or rack; and where the output of tasks is written.
package hdfs

import (
	"fmt"

	"github.com/yardmaster/yardmaster/internal/slab"
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
	rackOf      []model.RackID // by node
	racks       int
	replication int
	placement   Placement
	blocks      *rng.Stream
	indexes     slab.Passing[Index]         // by job, from the first time that it is asked for
	last        *Index                      // that was asked for, nil if it has gone
	lastJob     model.JobID                 // whose it is
	spare       []Index                     // of jobs that were released, their memory being used again
	restored    int64                       // maps that became pending again
	scratch     []int32                     // of indexes that are built
	pending     []int32                     // maps of the job whose lists by rack are made
	placed      []model.NodeID              // of all replicas of a job that can be placed again, the last for which they were asked for
	placedOf    *Index                      // of that job
	asked       replicas                    // of a block, the last that was asked for
	missed      missed                      // the last look-up of this kind
	files       map[model.JobID]model.JobID // of jobs that share a file: the job that it is named after
	given       map[model.JobID][][]model.NodeID
}

// replicas has room for those of a block that can be placed again.
type replicas [16]model.NodeID

// NewStore returns an empty store. A nil placement means HDFS's default one, or the remote file
// system if there is one. With a replication of
// 0 blocks lie nowhere and every look-up is remote.
func NewStore(t *model.Topology, replication int, placement Placement, seed uint64) *Store {
	if placement == nil {
		placement = NewDefault(t)
	}
	if stores := t.Stores(); stores != nil {
		placement = Remote(stores)
	}
	return &Store{topology: t, rackOf: rackOf(t), racks: t.Racks, replication: replication, placement: placement,
		blocks: rng.New(seed, rng.BlockPlacement), files: map[model.JobID]model.JobID{}}
}

// Index returns the locations of the job's input blocks, one block per map.
func (s *Store) Index(job model.JobID, maps int32) *Index {
	if job != s.lastJob || s.last == nil { // mostly the same one is asked for twice
		s.find(job, maps)
	}
	return s.last
}

// find makes the index of a job the last one that was asked for.
func (s *Store) find(job model.JobID, maps int32) {
	s.last, s.lastJob = s.known(job), job
	if s.last == nil {
		s.last = s.indexes.Come(int32(job))
		s.build(s.last, job, maps)
	}
}

// Replicated reports whether blocks lie anywhere.
func (s *Store) Replicated() bool { return s.replication > 0 }

// ShareFile makes a job read the blocks of another job's input file.
func (s *Store) ShareFile(job, owner model.JobID) { s.files[job] = owner }

// TakeFiles makes jobs with the same input file read the same blocks, and puts blocks where the workload says. The jobs are
// all of the workload.
func (s *Store) TakeFiles(jobs []model.Job) {
	owners := map[string]model.JobID{}
	for i := range jobs {
		id, j := model.JobID(i), &jobs[i]
		if j.Blocks != nil {
			s.Give(id, j.Blocks)
		}
		if j.InputFile == "" {
			continue
		}
		if owner, seen := owners[j.InputFile]; seen {
			s.ShareFile(id, owner)
		} else {
			owners[j.InputFile] = id
		}
	}
}

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

// Release forgets the job's blocks. Its index must not be used any more.
func (s *Store) Release(job model.JobID) {
	ix := s.known(job)
	if ix == nil {
		return
	}
	if len(s.spare) < maxSpare && cap(ix.byNode)+2*cap(ix.sets.words) <= spareEntries {
		s.spare = append(s.spare, *ix)
	}
	if s.placedOf == ix {
		s.placedOf = nil
	}
	if s.missed.index == ix {
		s.missed = missed{}
	}
	if s.last == ix {
		s.last = nil
	}
	s.indexes.Go(int32(job))
}

// Indexes that were released keep the memory of some jobs warm for those that come next: at most this many, of at most
// this many entries and lists.
const (
	maxSpare     = 16
	spareEntries = 1 << 15
)

// begin makes an index an empty one, in the memory of one that was released if there is any.
func (s *Store) begin(ix *Index) {
	ix.store = s
	n := len(s.spare)
	if n == 0 {
		return
	}
	old := &s.spare[n-1]
	ix.nodes, ix.sets.words, ix.byNode, ix.byRack = old.nodes[:0], old.sets.words[:0], old.byNode[:0], old.byRack[:0]
	*old = Index{}
	s.spare = s.spare[:n-1]
}

// build finds the replicas of all blocks and lists them by node. Where nodes have lists for themselves, blocks that lie as
// HDFS places them are not kept: they can be placed again.
func (s *Store) build(ix *Index, job model.JobID, maps int32) {
	r, given := int32(s.replication), s.given[job]
	if r == 0 {
		given = nil
	}
	if given != nil {
		r = most(given, r)
	}
	s.begin(ix)
	file, entries := s.File(job), int(maps*r)
	ix.maps, ix.replicas, ix.divide, ix.draws = maps, r, (1<<32+uint64(max(r, 1))-1)/uint64(max(r, 1)), s.blocks.Key(uint64(uint32(file)))
	if standard, is := s.placement.(*Default); is && given == nil && !ix.shared() && int(r) <= len(s.asked) {
		ix.again = standard
		ix.sort(ix.placeAll(entries))
		return
	}
	ix.nodes = room(ix.nodes, entries)
	draw := uint64(0)
	for b := range maps {
		draw = ix.draws.Uint64(uint64(uint32(b)), 0)
		s.place(Block{file, b}, given, ix.nodes[b*r:][:r], &draw)
	}
	ix.sort(ix.nodes)
}

// place fills the replicas of a block with the nodes that hold it: those given, over again where there are fewer, or those of
// the placement.
func (s *Store) place(b Block, given [][]model.NodeID, nodes []model.NodeID, draw *uint64) {
	if int(b.Index) < len(given) && len(given[b.Index]) > 0 {
		repeat(nodes, given[b.Index])
		return
	}
	placed := nodes[:min(s.replication, len(nodes))]
	if len(placed) > 0 {
		s.placement.Place(b, placed, draw)
		repeat(nodes, placed)
	}
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

// SetPlacement replaces the placement strategy, unless a remote file system holds all blocks. It is called before the
// first look-up.
func (s *Store) SetPlacement(p Placement) {
	if _, remote := s.placement.(Remote); !remote {
		s.placement = p
	}
}
