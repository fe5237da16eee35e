// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Remote puts every replica on the nodes of a remote file system, which run no tasks (diverse-2018 §5.2.4).
type Remote []model.NodeID

var _ Placement = Remote(nil)

// Place implements Placement: the replicas lie side by side, from any node on. There are as many nodes as replicas.
func (r Remote) Place(_ Block, nodes []model.NodeID, draw *uint64) {
	first := rng.Below(rng.Next(draw), len(r))
	for i := range nodes {
		nodes[i] = r[(first+i)%len(r)]
	}
}
