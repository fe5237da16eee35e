// SPDX-License-Identifier: Apache-2.0

package foresight

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/internal/topotest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// seer foresees what it is told to.
type seer [3]policy.Coming

func (s *seer) Foresee(int) (first, second, third policy.Coming) { return s[0], s[1], s[2] }

// keeper notes about whom it is asked.
type keeper []model.JobID

func (k *keeper) Ahead(_ int32, id model.JobID) { *k = append(*k, id) }

// still is a clock on which nothing happens.
type still struct{}

func (still) At(model.Time, exec.Event) des.Handle { return 1 }
func (still) Cancel(des.Handle) bool               { return true }

// When a task of job 0 is about to end and one of job 1 after it, what is kept is asked for about the third of the jobs that
// are foreseen. Jobs with few blocks, with many, and with none looked up yet are no fault. If nobody is foreseen, nothing is
// asked for.
func TestLook(t *testing.T) {
	topology := topotest.Racks(2, 2)
	state, blocks := cluster.New(topology), hdfs.NewStore(topology, 2, nil, 1)
	config := exec.DefaultConfig()
	executor, err := exec.New(exec.Site{Topology: topology, Config: &config, Seed: 1, State: state, Blocks: blocks, Timers: still{}, Records: record.NewSender(&record.Log{})})
	if err != nil {
		t.Fatal(err)
	}
	coming := &seer{}
	for id, maps := range []int32{1, 70, 100, 2, 300} {
		spec := &model.Job{ID: model.JobID(id), Maps: maps, Input: 1, Need: [model.Kinds]model.Room{{1, 0}, {1, 0}}, MapLength: model.Lengths{Mean: model.Second}}
		j := state.AddJob(0, spec)
		j.Admit()
		executor.Enter(j, spec)
		if id < 4 {
			blocks.Index(j.ID, maps).InRack(0, j.Started(model.Map))
		}
		if id >= 2 {
			coming[id-2] = policy.Coming{Slot: j.Slot, ID: j.ID}
		}
	}
	var running []exec.ID
	for id := range model.JobID(2) {
		executor.Start(0, state.Job(id), model.Task{Job: id}, model.NodeID(id), 0, model.NodeLocal)
		running = append(running, exec.ID(id))
	}
	asked := &keeper{}
	s := New(coming, state, blocks, executor, []ahead.Keeper{asked})
	s.Look(running[0], running[1])
	if !slices.Equal(*asked, keeper{4}) {
		t.Errorf("asked about jobs %v, want 4", *asked)
	}
	*asked, coming[2].Slot = nil, -1
	if s.Look(running[0], running[1]); len(*asked) > 0 {
		t.Errorf("asked about jobs %v, though none is foreseen", *asked)
	}
}
