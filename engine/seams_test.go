// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// headstrong is a policy that names slow starts, sees outputs and links, and delays maps when told to.
type headstrong struct {
	*script
	share  model.Fraction
	delays []bool // by rack
	again  bool   // to be offered declined room after a look at the links
	looks  int
}

func (h *headstrong) SlowStart(*cluster.Job) model.Fraction { return h.share }
func (h *headstrong) DelaysMaps(_ *cluster.Job, rack model.RackID) bool {
	return h.delays != nil && h.delays[rack]
}

func (h *headstrong) MapMade(_ model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	h.note("map %d of %d made %d on %d", index, j.ID, output, node)
}

func (h *headstrong) MapLost(_ model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	h.note("map %d of %d lost %d on %d", index, j.ID, output, node)
}

func (h *headstrong) LinksSampled(model.Time) bool { h.looks++; return h.again }

// around puts the policy round the script of a stage.
func (h *headstrong) around(s *script) policy.Policy { h.script = s; return h }

// A policy's slow start takes the place of the configured one, and may change while maps end. What maps made is
// told before it is asked, and adds up to the job's shuffle data.
func TestSlowStartOfThePolicy(t *testing.T) {
	h := &headstrong{share: 1}
	stage := slots.with(func(c *Config) { c.Jobs.SlowStart = 0 })
	stage.around = h.around
	job := tasks([]float64{1, 2, 3, 4}, times(2, 1))
	job.Shuffle = 10
	s := newStage(t, stage, job)
	s.play(0)
	for i := range int32(4) {
		s.start(0, model.Map, i, model.NodeID(i%2))
	}
	s.heard()
	s.play(1.5)
	s.expect("told", s.heard(), "end map 0 on 0, done: true", "map 0 of 0 made 3 on 0")
	if e := s.state.Job(0).Eligible[model.Reduce]; e != 0 {
		t.Errorf("%d reduces may start", e)
	}
	h.share = 0.75
	s.play(3.5)
	s.expect("told", s.heard(), "end map 1 on 1, done: true", "map 1 of 0 made 3 on 1",
		"end map 2 on 0, done: true", "map 2 of 0 made 2 on 0", "job 0 wants pool 1: true")
	s.expect("recorded", s.events(record.TasksEligible), "tasks-eligible 2 at 3")
}

// Reduces do not make way where the policy delays maps; where it does not, or no longer, the youngest does, though another
// rack's is younger.
func TestNoPreemptionForDelayedMaps(t *testing.T) {
	h := &headstrong{delays: []bool{true, true}}
	s := starvingUnder(t, h.around, func(*mapreduce.Rules) {})
	s.state.Nodes[1].Rack = 1
	s.play(20)
	s.expect("killed", s.events(record.TaskKilled))
	h.delays[1] = false
	s.play(23)
	s.expect("killed", s.events(record.TaskKilled), "task-killed reduce 1.0 at 21")
}

// When links were looked at and the policy says so, room that it declined is offered again.
func TestLinksWakeThePolicy(t *testing.T) {
	h := &headstrong{}
	s := newStage(t, set{model: model.Slots, nodes: 2, room: model.Room{1, 1}, around: h.around}, tasks(times(1, 5), nil))
	s.links = &policy.Links{Shares: make([]float64, 2)}
	look := s.looked()
	s.play(0)
	s.asked()
	look(s.queue.Now(), []float64{0.25, 0.5})
	s.settleAt(0)
	if load := s.links.Load(0); h.looks != 1 || load != 0.5 || len(s.asked()) != 0 {
		t.Errorf("%d looks, a load of %v", h.looks, load)
	}
	h.again = true
	look(s.queue.Now(), []float64{0, 0})
	s.settleAt(0)
	if got := s.asked(); len(got) != 2 {
		t.Errorf("nodes %v were offered, want both", got)
	}
}
