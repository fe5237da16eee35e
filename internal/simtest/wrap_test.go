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
	for i := range s.Jobs {
		j := &s.Jobs[i]
		put(int64(j.ID), int64(j.Queue), int64(j.User), int64(j.Priority), int64(j.Phase), int64(math.Float64bits(j.Weight)), int64(j.Submit), int64(j.Goal))
		put(int64(j.Input), int64(j.Shuffle), int64(j.Output))
		for k := range model.Kind(model.Kinds) {
			put(int64(j.Need[k][0]), int64(j.Need[k][1]), int64(j.Total[k]), int64(j.Eligible[k]), int64(j.Running[k]), int64(j.Done[k]))
			for _, w := range j.Started(k) {
				put(int64(w))
			}
		}
	}
	return h.Sum64()
}

// watched returns the entry with its policy wrapped, so that a Pick that changes the cluster's
// state, or a call of an observer that does, is reported.
func watched(e *policy.Entry, report func(error)) *policy.Entry {
	wrapped := *e
	wrapped.New = func(env *policy.Env, params any) (policy.Policy, error) {
		p, err := e.New(env, params)
		if err != nil {
			return nil, err
		}
		w := &watcher{Policy: p, state: env.Cluster, report: report}
		if a, ok := p.(policy.Admitter); ok {
			return struct {
				*watcher
				policy.Admitter
			}{w, a}, nil
		}
		return w, nil
	}
	return &wrapped
}

// watcher forwards everything to the policy. For an optional interface that the policy lacks it
// does what the driver would do without it.
type watcher struct {
	policy.Policy
	state  *cluster.State
	report func(error)
}

var (
	_ policy.JobObserver     = (*watcher)(nil)
	_ policy.WantObserver    = (*watcher)(nil)
	_ policy.TaskObserver    = (*watcher)(nil)
	_ policy.AttemptObserver = (*watcher)(nil)
	_ policy.Ticker          = (*watcher)(nil)
	_ policy.DataPlacer      = (*watcher)(nil)
)

func (w *watcher) unchanged(call string, now model.Time, f func()) {
	before := digest(w.state)
	f()
	if digest(w.state) != before {
		w.report(fmt.Errorf("the policy changed the cluster's state in %s at %v", call, now))
	}
}

func (w *watcher) Pick(o *policy.Offer) (d policy.Decision) {
	w.unchanged("Pick", o.Now, func() { d = w.Policy.Pick(o) })
	return d
}

func (w *watcher) JobAdmitted(now model.Time, j *cluster.Job) {
	if o, ok := w.Policy.(policy.JobObserver); ok {
		w.unchanged("JobAdmitted", now, func() { o.JobAdmitted(now, j) })
	}
}

func (w *watcher) JobEnded(now model.Time, j *cluster.Job) {
	if o, ok := w.Policy.(policy.JobObserver); ok {
		w.unchanged("JobEnded", now, func() { o.JobEnded(now, j) })
	}
}

func (w *watcher) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	if o, ok := w.Policy.(policy.WantObserver); ok {
		w.unchanged("Wants", now, func() { o.Wants(now, j, pool, wants) })
	}
}

func (w *watcher) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	if o, ok := w.Policy.(policy.TaskObserver); ok {
		w.unchanged("TaskStarted", now, func() { o.TaskStarted(now, j, k, node) })
	}
}

func (w *watcher) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	if o, ok := w.Policy.(policy.TaskObserver); ok {
		w.unchanged("TaskEnded", now, func() { o.TaskEnded(now, j, k, node, done) })
	}
}

func (w *watcher) AttemptStarted(now model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	if o, ok := w.Policy.(policy.AttemptObserver); ok {
		w.unchanged("AttemptStarted", now, func() { o.AttemptStarted(now, j, t, node) })
	}
}

func (w *watcher) AttemptEnded(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, done bool) {
	if o, ok := w.Policy.(policy.AttemptObserver); ok {
		w.unchanged("AttemptEnded", now, func() { o.AttemptEnded(now, j, t, node, done) })
	}
}

func (w *watcher) TaskRan(now model.Time, j *cluster.Job, k model.Kind, length model.Time) {
	if o, ok := w.Policy.(policy.LengthObserver); ok {
		w.unchanged("TaskRan", now, func() { o.TaskRan(now, j, k, length) })
	}
}

func (w *watcher) Tick(now model.Time) model.Time {
	next := model.Forever
	if t, ok := w.Policy.(policy.Ticker); ok {
		w.unchanged("Tick", now, func() { next = t.Tick(now) })
	}
	return next
}

func (w *watcher) Placement() hdfs.Placement {
	if p, ok := w.Policy.(policy.DataPlacer); ok {
		return p.Placement()
	}
	return nil
}
