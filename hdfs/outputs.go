// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Outputs chooses where what attempts write is put.
type Outputs struct {
	writers *Default
	draws   *rng.Stream
	nodes   []model.NodeID // scratch
	usual   int            // replicas where the job does not say
	most    int            // nodes in all
	remote  Remote         // takes all output, if there is one
}

// NewOutputs returns the outputs of a cluster. usual is the number of replicas of jobs that do not say.
func NewOutputs(t *model.Topology, usual int, seed uint64) Outputs {
	return Outputs{writers: NewDefault(t), draws: rng.New(seed, rng.OutputPlacement), usual: usual, most: len(t.Nodes), remote: t.Stores()}
}

// Replicas returns the nodes that the output of an attempt on a node is written to, valid until the next call: the
// first here, the second in another rack, the third in that rack; replicas is what its job says, 0 if it does not.
// A remote file system keeps its replicas to itself.
func (o *Outputs) Replicas(t model.Task, number uint8, node model.NodeID, replicas int) []model.NodeID {
	if replicas == 0 {
		replicas = o.usual
	}
	o.nodes = append(o.nodes[:0], node)
	for len(o.nodes) < min(replicas, o.most) {
		o.nodes = append(o.nodes, model.None)
	}
	draw := o.draws.Uint64(uint64(uint32(t.Job)), uint64(t.Index)<<1|uint64(t.Kind), uint64(number))
	if o.remote != nil {
		o.nodes = o.nodes[:1]
		o.remote.Place(Block{}, o.nodes, &draw)
		return o.nodes
	}
	o.writers.Spread(o.nodes, &draw)
	return o.nodes
}
