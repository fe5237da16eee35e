// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// digest sums up everything of the cluster's state that can be seen from outside.
func digest(s *cluster.State) uint64 {
	h := fnv.New64a()
	var b [8]byte
	put := func(values ...int64) {
		for _, v := range values {
			binary.LittleEndian.PutUint64(b[:], uint64(v))
			h.Write(b[:])
		}
	}
	put(s.Used[0], s.Used[1], s.Total[0], s.Total[1], int64(s.Active))
	for i := range s.Nodes {
		n := &s.Nodes[i]
		put(int64(n.Free[0]), int64(n.Free[1]), int64(n.Room[0]), int64(n.Room[1]), int64(n.Rack), int64(n.Running))
	}
	for _, j := range s.Jobs() {
		put(int64(j.ID), int64(j.Slot), int64(j.Queue), int64(j.User), int64(j.Priority), int64(j.Phase), int64(math.Float64bits(j.Weight)), int64(j.Submit), int64(j.Goal))
		put(int64(j.Input))
		for k := range model.Kind(model.Kinds) {
			put(int64(j.Need[k][0]), int64(j.Need[k][1]), int64(j.Total[k]), int64(j.Eligible[k]), int64(j.Running[k]), int64(j.Done[k]))
			for _, w := range j.Started(k) {
				put(int64(w))
			}
		}
	}
	return h.Sum64()
}

// watcher stands beside the driver of a policy and reports a call that changes the cluster's state.
type watcher struct {
	state  *cluster.State
	before uint64 // digest of the state
	data   hdfs.Placement
	report func(error)
}

var _ policy.Watcher = (*watcher)(nil)

// watch returns the entry, and tells the watcher about the cluster that its policy is built on and where it puts data.
func (w *watcher) watch(e *policy.Entry) *policy.Entry {
	told := *e
	told.New = func(env *policy.Env, params any) (policy.Policy, error) {
		w.state = env.Cluster
		p, err := e.New(env, params)
		if d, ok := p.(policy.DataPlacer); ok {
			w.data = d.Placement()
		}
		return p, err
	}
	return &told
}

// Before implements policy.Watcher.
func (w *watcher) Before(string, model.Time) { w.before = digest(w.state) }

// After implements policy.Watcher.
func (w *watcher) After(call string, now model.Time) {
	if digest(w.state) != w.before {
		w.report(fmt.Errorf("the policy changed the cluster's state in %s at %v", call, now))
	}
}
