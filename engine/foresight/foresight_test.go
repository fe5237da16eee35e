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
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/internal/topotest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// seer foresees what it is told to.
type seer []keyed.Seat

func (s *seer) Foresee(_ int, seats []keyed.Seat) []keyed.Seat {
	if copy(seats, *s) < len(seats) {
		return nil
	}
	return seats
}

// keeper notes about whom it is asked, by slot.
type keeper []int32

func (k *keeper) Ahead(slot int32) { *k = append(*k, slot) }

// recorder does so by number.
type recorder struct {
	record.Log
	asked []model.JobID
}

func (r *recorder) Ahead(_ *ahead.Batch, id model.JobID) { r.asked = append(r.asked, id) }

// still is a clock on which nothing happens.
type still struct{}

func (still) At(model.Time, exec.Event) des.Handle { return 1 }
func (still) Cancel(des.Handle) bool               { return true }

// When a task of job 0 is about to end and one of job 1 after it, and two jobs are asked at an offer, what the policy and the recorder
// keep is asked for about job 1 and the third of those that are foreseen. Jobs with few blocks, with many, and with none looked up yet
// are no fault. If too few are foreseen, nothing is asked for of them.
func TestLook(t *testing.T) {
	topology := topotest.Racks(2, 2)
	state, blocks := cluster.New(topology), hdfs.NewStore(topology, 2, nil, 1)
	config := exec.DefaultConfig()
	executor, err := exec.New(exec.Site{Topology: topology, Config: &config, Seed: 1, State: state, Blocks: blocks, Timers: still{}, Records: record.NewSender(&record.Log{})})
	if err != nil {
		t.Fatal(err)
	}
	var coming seer
	for id, maps := range []int32{1, 70, 100, 2, 300} {
		spec := &model.Job{ID: model.JobID(id), Maps: maps, Input: 1, Need: [model.Kinds]model.Room{{1, 0}, {1, 0}}, MapLength: model.Lengths{Mean: model.Second}}
		j := state.AddJob(0, spec)
		j.Admit()
		executor.Enter(j, spec)
		if id < 4 {
			blocks.Index(j.ID, maps).InRack(0, j.Started(model.Map))
		}
		if id >= 2 {
			coming = append(coming, keyed.Seat{ID: j.Slot, Tie: int32(j.ID)})
		}
	}
	var running []exec.ID
	for id := range model.JobID(2) {
		executor.Start(0, state.Job(id), model.Task{Job: id}, model.NodeID(id), 0, model.NodeLocal)
		running = append(running, exec.ID(id))
	}
	for _, c := range []struct {
		seats, asked int
		policy       keeper
		records      []model.JobID
	}{{3, 2, keeper{1, 4}, []model.JobID{4, 1}}, {3, 1, keeper{1, 3}, []model.JobID{3, 1}}, {2, 2, keeper{1}, []model.JobID{1}}} {
		few, asked, recorder := coming[:c.seats], keeper{}, recorder{}
		look := func(s *Sight) {
			if s.Crowd = 1; !s.Pays(1) || s.Pays(0) || !s.Pays(1) {
				t.Error("it must pay from one job on")
			}
			s.Look(running[0], running[1], 1)
		}
		look(New(&few, c.asked, &asked, state, blocks, executor, &recorder))
		if !slices.Equal(asked, c.policy) || !slices.Equal(recorder.asked, c.records) {
			t.Errorf("%d foreseen, %d asked at an offer: the policy is asked about the jobs %v, want %v, and the recorder about %v, want %v",
				c.seats, c.asked, asked, c.policy, recorder.asked, c.records)
		}
		look(New(&few, c.asked, &asked, state, blocks, executor, &record.Log{})) // which keeps nothing about jobs
	}
	if New(nil, 1, nil, state, blocks, executor, &record.Log{}) != nil {
		t.Error("a sight where nothing is foreseen, on four nodes")
	}
}

// In a large cluster it pays to ask for what ends next, whatever the policy foresees.
func TestVast(t *testing.T) {
	racks := make([]int, 100)
	for i := range racks {
		racks[i] = vast / len(racks)
	}
	state := cluster.New(topotest.Racks(racks...))
	if s := New(nil, 1, nil, state, nil, nil, &record.Log{}); s == nil || !s.Pays(1e6) || s.crowded {
		t.Errorf("sight %+v", s)
	}
}
