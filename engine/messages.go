// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// ErrStopped is returned when Progress asked the run to stop.
var ErrStopped = errors.New("run stopped on request")

// illegal describes a decision that cannot be carried out, with the state that shows why.
func (s *sim) illegal(t model.Task, reason error) error {
	o := &s.floor.offer
	e := fmt.Errorf("policy %s made an illegal decision at %v: start %s %d of job %d on node %d: %w",
		s.in.Policy.Name, o.Now, t.Kind, t.Index, t.Job, o.Node, reason)
	if j := s.state.Job(t.Job); j != nil {
		e = fmt.Errorf("%w\n  job %d: %s", e, t.Job, s.describe(j))
	}
	return fmt.Errorf("%w\n  node %d: %s free of %s, pool %d", e, o.Node, s.state.Topology.Model.Describe(o.Free),
		s.state.Topology.Model.Describe(s.state.Nodes[o.Node].Room), o.Pool)
}

func (s *sim) describe(j *cluster.Job) string {
	return fmt.Sprintf("%q is %v; maps: %d pending, %d running, %d done of %d; reduces: %d eligible, %d running, %d done of %d",
		s.run(j).spec.Name, j.Phase,
		j.Pending(model.Map), j.Running[model.Map], j.Done[model.Map], j.Total[model.Map],
		j.Eligible[model.Reduce], j.Running[model.Reduce], j.Done[model.Reduce], j.Total[model.Reduce])
}

// stuck describes a run in which no event can ever happen though jobs are unfinished.
func (s *sim) stuck() error {
	var b strings.Builder
	now := s.queue.Now()
	fmt.Fprintf(&b, "nothing can happen after %v: %d of %d jobs have not ended under policy %s",
		now, len(s.in.Jobs)-s.result.Ended, len(s.in.Jobs), s.in.Policy.Name)
	shown := 0
	for _, j := range s.state.Jobs() {
		if shown++; shown > 10 {
			b.WriteString("\n  ...")
			break
		}
		fmt.Fprintf(&b, "\n  job %d: %s", j.ID, s.describe(j))
		if n := len(s.exec.Waiting(j)); n > 0 {
			fmt.Fprintf(&b, "; %d reduces hold room and wait for maps", n)
		}
	}
	lost := 0
	for i := range s.state.Nodes {
		if s.state.Nodes[i].Lost {
			lost++
		}
	}
	if lost > 0 {
		fmt.Fprintf(&b, "\n  %d of %d nodes are lost", lost, len(s.state.Nodes))
	}
	if err := s.exec.Stalled(); err != nil {
		fmt.Fprintf(&b, "\n  %v", err)
	}
	free := s.state.Free()
	fmt.Fprintf(&b, "\n  free in the cluster: %s", s.state.Topology.Model.Describe(model.Room{int32(free[0]), int32(free[1])}))
	return errors.New(b.String())
}

// check verifies all invariants of the moment.
func (s *sim) check(now model.Time) error {
	if err := s.exec.Check(now); err != nil {
		return err
	}
	if err := s.state.Check(s.exec.Running()); err != nil {
		return fmt.Errorf("invariant broken at %v under policy %s: %w", now, s.in.Policy.Name, err)
	}
	return nil
}
